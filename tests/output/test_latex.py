"""Sentences for LaTeX: they compile with nothing but T1 fonts, and so do tables."""

import re

import pytest

import bayesf1 as bf
from bayesf1.output.table import escape_latex
from builders import latex_has, pdflatex

NASTY = r"a_b & 50% $x$ #1 {y} ~z^w \q <b>|`*[1] – — … “q” ‘r’ a--b ---"
PAIRED = bf.from_labels(
    ["x", "y"] * 60, {NASTY: ["x", "y", "y"] * 40, "β × τ": ["x", "y"] * 55 + ["y"] * 10}, positive="x"
)
CORPORA = {name: bf.from_counts({NASTY: (77, 44, 10 + i), "B": (83, 30, 14)}) for i, name in enumerate("xyz")}
FOLDS = bf.load_example("wang-li-ner")

ANSWERS = {
    "a comparison": lambda: bf.compare(PAIRED, rope=0.01),
    "one measure": lambda: bf.compare(PAIRED)["f1"],
    "folds": lambda: bf.compare(FOLDS, target="method"),
    "a ranking": lambda: bf.rank(PAIRED),
    "a scoreboard": lambda: bf.scoreboard(PAIRED),
    "a randomisation test": lambda: bf.randomization_test(PAIRED, metric="f1"),
    "a fit": lambda: bf.hierarchical(CORPORA),
    "a monitor": lambda: bf.monitor(PAIRED, metric="accuracy"),
}


# What tables and sentences are said to need, and nothing else.
@pytest.mark.skipif(not latex_has("article.cls", "t1enc.def", "booktabs.sty"), reason="needs pdflatex")
def test_sentences_tables_and_every_character_compile(tmp_path):
    answers = [make() for make in ANSWERS.values()]
    words = [
        getattr(a, which) for a in answers for which in ("sentence", "methods_sentence") if hasattr(a, which)
    ]
    characters = [chr(i) for i in range(33, 0x2300) if escape_latex(chr(i)) != chr(i)]
    body = [
        *(word(format="latex") for word in words),
        " ".join(map(escape_latex, characters)),
        *(a.to_latex(caption=NASTY, label="tab:one") for a in answers if hasattr(a, "to_latex")),
    ]
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs}"
    paper = (
        rf"\documentclass{{article}}{packages}\begin{{document}}" + "\n\n".join(body) + "\\end{document}\n"
    )
    done = pdflatex(paper, tmp_path)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_works_that_are_named_have_entries():
    entries = bf.compare(PAIRED).bibtex()
    assert "wang2019bayes" in entries
    assert "wang2014blocked" not in entries
    assert f"Version {bf.__version__}" in entries
    five = bf.from_folds(
        {name: [(70 + i, 9, 20 - i) for i in range(10)] for name in "AB"}, cv=bf.BlockedCV(m=5)
    )
    assert {"dietterich1998approximate", "alpaydin1999combined"} <= set(
        re.findall(r"\{(\w+),", bf.fold_tests(five).bibtex())
    )


def test_a_table_says_what_its_words_mean():
    ranking = bf.rank(bf.from_counts(A=(77, 44, 10), B=(78, 43, 9)), rng=1, n_draws=500)
    assert "May be best:" in ranking.to_latex()
    assert escape_latex(ranking.sentence()) not in ranking.to_latex()
