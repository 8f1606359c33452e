"""Sentences for LaTeX: they compile with nothing but T1 fonts, and so do tables."""

import re
import shutil

import pytest

import bayesf1 as bf
from bayesf1.output import latex
from bayesf1.output.latex import escape_latex
from builders import pdflatex

NASTY = r"a_b & 50% $x$ #1 {y} ~z^w \q <b>|`*[1] – — … “q” ‘r’ a--b ---"
PAIRED = bf.from_labels(
    ["x", "y"] * 60, {NASTY: ["x", "y", "y"] * 40, "β × τ": ["x", "y"] * 55 + ["y"] * 10}, positive="x"
)
CORPORA = {name: bf.from_counts({NASTY: (77, 44, 10 + i), "B": (83, 30, 14)}) for i, name in enumerate("xyz")}
FOLDS = bf.load_example("wang-li-ner")

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")


def paper(body):
    return (
        rf"\documentclass{{article}}\usepackage[T1]{{fontenc}}\begin{{document}}{body}\end{{document}}" + "\n"
    )


def compiled(body, folder):
    done = pdflatex(paper(body), folder)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


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


@needs_latex
def test_every_character_with_a_command_compiles(tmp_path):
    compiled(" ".join(escape_latex(c) for c in latex._LATEX if c != "\0"), tmp_path)


@needs_latex
@pytest.mark.parametrize("name", ANSWERS)
def test_sentences_compile(name, tmp_path):
    answer = ANSWERS[name]()
    said = [getattr(answer, which, None) for which in ("sentence", "methods_sentence")]
    compiled("\n\n".join(make(format="latex") for make in said if make is not None), tmp_path)


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
