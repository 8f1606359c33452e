"""Tables in LaTeX that fit a column of a paper: measured by LaTeX itself."""

import re

import pytest

import bayesf1 as bf
from bayesf1.base.breaking import broken
from bayesf1.base.table import Table
from builders import latex_has, pdflatex

COLUMN, PAGE = 219.0, 455.0
NAMES = ("bert-base-multilingual-cased", "roberta_large & friends")
EVALUATIONS = {
    "short": bf.from_counts(A=(77, 44, 10), B=(83, 9, 14)),
    "long names": bf.from_counts(dict(zip(NAMES, ((770, 44, 100), (830, 9, 140)), strict=True))),
    "folds": bf.load_example("wang-li-org"),
    "paired": bf.from_labels(["x", "y"] * 60, {"A": ["x", "y", "y"] * 40, "B": ["x"] * 120}, positive="x"),
}

needs_latex = pytest.mark.skipif(
    not latex_has("booktabs.sty", "siunitx.sty", "ptmr8t.tfm"), reason="needs pdflatex with siunitx and Times"
)


def widths(tables, folder, font=""):
    """How wide LaTeX sets each of the tables, in points, in a paper of 11 points."""
    boxes = "".join(rf"\savebox\B{{{table}}}\typeout{{WIDTH \the\wd\B.}}" + "\n" for table in tables)
    done = pdflatex(
        rf"\documentclass[11pt]{{article}}{font}\usepackage[T1]{{fontenc}}\usepackage{{booktabs}}\usepackage{{siunitx}}"
        rf"\begin{{document}}\newsavebox\B\linewidth219pt{boxes}\end{{document}}" + "\n",
        folder,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return [float(w) for w in re.findall(rb"WIDTH ([\d.]+)pt", done.stdout)]


@needs_latex
@pytest.mark.parametrize("font", ["", r"\usepackage{times}"])
def test_tables_fit_a_column_of_a_paper(font, tmp_path):
    tables = [
        bf.compare(ev, rope=rope).to_latex(width="column")
        for ev in EVALUATIONS.values()
        for rope in (0.0, 0.01, (-0.01, 0.02))
    ]
    tables += [bf.rank(ev).to_latex(width="column") for ev in EVALUATIONS.values()]
    wnut = bf.load_example("wnut17")
    tables += [bf.scoreboard(wnut).to_latex(width="column"), bf.rank(wnut).to_latex(width="column")]
    corpora = dict.fromkeys(("news", "forum", "social media"), EVALUATIONS["short"])
    tables += [bf.hierarchical(corpora).to_latex(width="column")]
    pair, folds = wnut.pair("SpinningBytes", "UH-RiTUAL"), bf.load_example("wang-li-ner")
    answers = [
        bf.compare(pair, rope=0.01),
        bf.compare(folds),
        bf.fold_tests(folds),
        bf.intervals(pair, "UH-RiTUAL"),
    ]
    answers += [bf.difference_intervals(pair, *pair.models), bf.randomization_test(pair, *pair.models)]
    tables += [answer.to_latex(width="column") for answer in answers]
    found = widths(tables, tmp_path, font)
    assert len(found) == len(tables)
    assert max(found) <= COLUMN


@needs_latex
def test_tables_fit_a_page_and_columns_of_numbers_are_aligned(tmp_path):
    res = bf.compare(EVALUATIONS["long names"], rope=0.01)
    tables = [
        res.to_latex(width="page"),
        bf.rank(EVALUATIONS["folds"]).to_latex(width="column", siunitx=True),
    ]
    page, column = widths(tables, tmp_path)
    assert page <= PAGE
    assert column <= COLUMN


def test_what_is_left_out_is_said():
    text = bf.compare(EVALUATIONS["short"]).to_latex(width="column")
    assert "% Left out so that it fits: P(H0), Verdict." in text
    assert "Verdict &" not in text
    assert "$P(H_1)$" in text


def test_type_is_smallest_only_where_no_column_can_be_spared():
    table = Table(("model", "interval", "remark"), (("a" * 16, "[89.21, 89.77]", "b" * 16),))
    assert r"\scriptsize" in table.to_latex(width="column")
    spared = Table(table.header, table.rows, spare=(("remark",),)).to_latex(width="column")
    assert r"\small" in spared
    assert "Left out so that it fits: remark." in spared


def test_named_columns_come_in_their_order_and_none_is_left_out():
    text = bf.compare(EVALUATIONS["short"]).to_latex(
        columns=["metric", "B", "P(H1)", "Verdict"], width="column"
    )
    assert r"Metric & B (\%) & $P(H_1)$ & Verdict \\" in text
    assert "Left out" not in text


def test_bold_cells_stay_bold_where_columns_move():
    table = Table(("a", "b", "c"), (("1", "2", "3"),), bold=frozenset({(0, 2)}))
    assert r"\textbf{3} & 1 \\" in table.to_latex(columns=["c", "a"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"columns": ["Metrik"]}, r"there is no column 'Metrik'; did you mean 'Metric'\?"),
        ({"columns": "Metric"}, "columns must be a sequence, each entry a string or None, not 'Metric'"),
        ({"columns": []}, r"columns is a list of names"),
        ({"width": "colum"}, r"unknown width 'colum'; did you mean 'column'\?"),
    ],
)
def test_columns_and_widths_that_do_not_exist_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        bf.compare(EVALUATIONS["short"]).to_latex(**asked)


def test_a_table_that_cannot_fit_is_refused_with_its_columns():
    wide = Table(tuple(f"unbreakable{i}" for i in range(9)), (("1",) * 9,))
    with pytest.raises(
        ValueError, match=r"at its narrowest, and a column has 219; choose fewer .*unbreakable0, unbr"
    ):
        wide.to_latex(width="column")


def test_a_wide_table_on_a_page_spans_both_columns():
    text = bf.compare(EVALUATIONS["short"]).to_latex(width="page", caption="x")
    assert r"\begin{table*}" in text
    assert r"\end{table*}" in text


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("66.2 [60.1, 72.3]", 14, ["66.2", "[60.1, 72.3]"]),
        ("66.2 [60.1, 72.3]", None, ["66.2 [60.1, 72.3]"]),
        ("[60.1, 72.3]", 10, ["[60.1, 72.3]"]),
        ("a b", 14, ["a b"]),
        ("the average corpus", 12, ["the average", "corpus"]),
        ("unbreakable", 4, ["unbreakable"]),
    ],
)
def test_cells_break_below_their_scores_and_between_words(text, most, lines):
    assert broken(text, most) == lines
