"""TREC runs: scores are those of ir_measures, and every judged query counts."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from builders import needed
from file_samples import lines

ir_measures = needed("ir_measures")

# Its parser of names uses what newer Pythons call outdated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:ast:DeprecationWarning", "ignore:Attribute n:DeprecationWarning"
)


@pytest.fixture(scope="module")
def trec(tmp_path_factory):
    """Two runs and judgements with ties, missing queries and unjudged ones."""
    folder, rng = tmp_path_factory.mktemp("trec"), np.random.default_rng(3)
    for name in ("bm25", "dense"):
        rows = [
            f"q{q}\tQ0\td{d}\t{i + 1}\t{np.round(9 - i / 3, 0)}\t{name}"
            for q in range(12)
            if (name, q) != ("dense", 4)
            for i, d in enumerate(rng.permutation(40)[:25])
        ]
        (folder / f"{name}.run").write_bytes(lines(*rows))
    judged = [f"q{q} 0 d{d} {rng.integers(0, 3)}" for q in range(2, 14) for d in rng.permutation(40)[:15]]
    (folder / "qrels.txt").write_bytes(lines(*judged))
    return folder


def runs(folder):
    return {name: folder / f"{name}.run" for name in ("bm25", "dense")}


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR", "P@5", "R@20", "Rprec", "Bpref", "P(rel=2)@5"])
def test_scores_are_those_of_ir_measures(measure, trec):
    ev = bf.read(runs(trec), qrels=trec / "qrels.txt", measure=measure)
    qrels = list(ir_measures.read_trec_qrels(str(trec / "qrels.txt")))
    parsed = ir_measures.parse_measure(measure)
    assert (ev.unit, ev.units.size) == ("query", 12)
    for model, path in runs(trec).items():
        want = ir_measures.calc_aggregate([parsed], qrels, ir_measures.read_trec_run(str(path)))
        assert bf.score(ev, model, "mean") == pytest.approx(want[parsed], rel=1e-12)


def test_what_is_missing_or_not_judged_is_said(trec):
    ev = bf.read(runs(trec), qrels=trec / "qrels.txt", measure="AP")
    assert [remark for remark in ev.remarks if remark.startswith("dense")] == [
        "dense has no document for 3 of 12 judged queries, such as q4, q12, q13, and scores 0 there.",
        "dense has 2 queries without judgements, such as q0, q1, left out here.",
    ]
    assert all(remark in ev.notes for remark in ev.remarks)


def test_blanks_tabs_and_other_orders_of_lines_change_nothing(trec, tmp_path):
    text = (trec / "bm25.run").read_text()
    rows = text.splitlines()
    other = tmp_path / "other.run"
    other.write_text("\n\n".join("   ".join(row.split()) + " " for row in sorted(rows)) + "\r\n")
    a = bf.read({"x": trec / "bm25.run"}, qrels=trec / "qrels.txt", measure="RR")
    assert bf.read({"x": other}, qrels=trec / "qrels.txt", measure="RR") == a
    # A no-break space is a blank to str.split and none to the faster way.
    other.write_text(text.replace("\t", "\u00a0", 1), encoding="utf-8")
    assert bf.read({"x": other}, qrels=trec / "qrels.txt", measure="RR") == a


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 Q0 a 2 8", r"a.run, line 2, has 5 columns, but should have 6: query, Q0"),
        ("1 Q0 b 2 high x", "a.run, line 2, has 'high' instead of a number"),
        ("1 Q0 a 2 8 x", "a.run, line 2, has document 'a' of query '1' again"),
        ("1 Q0 b 2 8 x\n1 Q0 c 3", "a.run, line 3, has 4 columns"),
    ],
)
def test_a_bad_line_is_named(row, message, tmp_path):
    good = [f"2 Q0 d{i} {i} {9 - i} x" for i in range(30)]
    (tmp_path / "a.run").write_bytes(lines("1 Q0 a 1 9 x", row, *good))
    (tmp_path / "qrels").write_bytes(lines("1 0 a 1"))
    with pytest.raises(ValueError, match=message):
        bf.read({"a": tmp_path / "a.run"}, qrels=tmp_path / "qrels", measure="AP")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["1 0 a 1", "1 0 a 0"], "qrels, line 2, has document 'a' of query '1' again"),
        (["1 0 a 1", "1\0 0 b 0"], "qrels, line 2, has a zero byte"),
        (["1 Q0 a 1 9 x"], "qrels, line 1, has 6 columns.*that is a run"),
        (["7 0 a 1"], "a.run has '1', but no judged query such as '7'"),
    ],
)
def test_bad_judgements_are_named(rows, message, tmp_path):
    (tmp_path / "a.run").write_bytes(lines("1 Q0 a 1 9 x"))
    (tmp_path / "qrels").write_bytes(lines(*rows))
    with pytest.raises(ValueError, match=message):
        bf.read({"a": tmp_path / "a.run"}, qrels=tmp_path / "qrels", measure="AP")


def test_what_is_not_given_is_asked_for(trec):
    with pytest.raises(ValueError, match="need qrels="):
        bf.read(runs(trec), measure="AP")
    for measure, words in (
        (None, "measure=, such as nDCG@10"),
        ("nDCG@10,RR", "one measure"),
        ("nDGC@10", r"not one of ir_measures.* did you mean 'nDCG@10'\?"),
        ("P", "needs a cutoff"),
        # What computes ERR takes queries that are numbers.
        ("ERR@10", "cannot be"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.read(runs(trec), qrels=trec / "qrels.txt", measure=measure)
    with pytest.raises(ValueError, match="is a run of one model"):
        bf.read(trec / "bm25.run", qrels=trec / "qrels.txt", measure="AP")


def test_judgements_given_as_a_run_are_recognised(trec):
    for source in (trec / "qrels.txt", {"a": trec / "qrels.txt"}):
        with pytest.raises(ValueError, match=r"judgements.* qrels="):
            bf.read(source, qrels=trec / "qrels.txt", measure="AP")


def test_a_figure_has_a_panel_of_every_measure(trec, tmp_path):
    files = [f"{name}={path}" for name, path in runs(trec).items()]
    asked = f"--qrels {trec / 'qrels.txt'} --measure nDCG@10,AP --plot {tmp_path / 'both.svg'}"
    assert main(["compare", *files, *asked.split()]) == 0
    drawn = (tmp_path / "both.svg").read_text(encoding="utf-8")
    assert drawn.count("Difference in mean") == 2
