"""Sentences for LaTeX: they compile with nothing but T1 fonts, and what they cite has an entry."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.output import latex
from bayesf1.output.latex import escape_latex
from builders import pdflatex
from evaluations import EVALUATIONS

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
def test_sentences_compile_and_cite_what_bibtex_knows(name, tmp_path):
    answer = ANSWERS[name]()
    body = answer.sentence(format="latex")
    if hasattr(answer, "methods_sentence"):
        entries = answer.bibtex()
        (tmp_path / "refs.bib").write_text(entries, encoding="utf-8")
        body += "\n\n" + answer.methods_sentence(format="latex")
        keys = {*re.findall(r"\\cite\{([^}]+)\}", body)}
        assert keys == {*re.findall(r"@\w+\{([^,]+),", entries)} & keys
        assert "bayesf1" in keys
        compiled(rf"{body}\bibliographystyle{{plain}}\bibliography{{refs}}", tmp_path)
        done = subprocess.run(["bibtex", "paper"], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout
        assert b"Warning" not in done.stdout.replace(b"Warning--empty", b"")
    compiled(body, tmp_path)


@needs_latex
def test_every_entry_is_one_that_bibtex_can_set(tmp_path):
    entries = "\n".join(reference.bibtex for reference in latex.references())
    (tmp_path / "refs.bib").write_text(entries, encoding="utf-8")
    compiled(r"\nocite{*}\bibliographystyle{plain}\bibliography{refs}", tmp_path)
    done = subprocess.run(["bibtex", "paper"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"Warning" not in done.stdout, done.stdout
    compiled(r"\nocite{*}\bibliographystyle{plain}\bibliography{refs}", tmp_path)


def test_text_is_the_default_and_says_the_same():
    res = bf.compare(PAIRED, rope=0.01)
    assert res.sentence() == res.sentence(format="text") == res["f1"].sentence()
    assert res.sentence(format="latex") == escape_latex(res.sentence())
    assert "\\cite" not in res.methods_sentence()


def test_an_unknown_form_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"no format 'tex'; did you mean 'text'\? \(known: text, latex\)"):
        bf.compare(PAIRED).sentence(format="tex")


@pytest.mark.parametrize(
    ("said", "key", "left"),
    [
        (
            "by Wang and Li (2019, ACL, 4135–4145), as",
            "wang2019bayes",
            r"by Wang and Li~\cite{wang2019bayes}, as",
        ),
        (
            "of Nadeau & Bengio (2003)",
            "nadeau2003inference",
            r"of Nadeau \& Bengio~\cite{nadeau2003inference}",
        ),
        ("bootstrap (Rubin 1981), 5 %", "rubin1981bayesian", r"bootstrap~\cite{rubin1981bayesian}, 5~\%"),
        ("Wang et al. (2014)", "wang2014blocked", r"Wang et al.~\cite{wang2014blocked}"),
    ],
)
def test_a_citation_in_words_becomes_a_key(said, key, left):
    assert [reference.key for reference in latex.cited(said)] == [key]
    assert latex.prose(said, "latex") == left


def test_no_citation_of_fold_tests_lacks_an_entry():
    five = bf.BlockedCV(m=5)
    rng = np.random.default_rng(1)
    tables = {name: [(int(n), 9, 90 - int(n)) for n in rng.integers(70, 80, 10)] for name in "AB"}
    tests = bf.fold_tests(bf.from_folds(tables, cv=five))
    cited = {test.reference for test in tests if re.search(r"\(\d{4}\)", test.reference)}
    assert len(cited) >= 5
    assert all(latex.cited(reference) for reference in cited)
    assert all(reference.key in tests.bibtex() for text in cited for reference in latex.cited(text))


@pytest.mark.parametrize("name", EVALUATIONS)
def test_no_citation_of_a_kind_lacks_an_entry(name):
    said = EVALUATIONS[name]().task.citation
    assert bool(re.search(r"\d{4}", said)) == bool(latex.cited(said))


def test_keys_are_different_and_entries_complete():
    known = latex.references()
    assert len({reference.key for reference in known}) == len(known) >= 10
    for reference in known[:-1]:
        fields = set(re.findall(r"^  (\w+) = ", reference.bibtex, re.MULTILINE))
        place = "journal" if reference.bibtex.startswith("@article") else "booktitle"
        assert {"author", "title", "year", place} <= fields


COUNTS = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))


def test_columns_are_chosen_by_their_headers_in_any_case_and_without_units():
    text = bf.compare(COUNTS).to_latex(columns=["metric", "B", "P(H1)", "Verdict"])
    assert r"Metric & B (\%) & $P(H_1)$ & Verdict \\" in text
    assert r"\begin{tabular}{@{}llll@{}}" in text


@pytest.mark.parametrize("columns", [["P(H2)"], [], "Metric"])
def test_columns_that_are_none_are_refused(columns):
    with pytest.raises(ValueError, match="column"):
        bf.compare(COUNTS).to_latex(columns=columns)


def test_what_limits_the_conclusion_stands_below_the_table():
    res = bf.compare(bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716)))
    assert res.notes
    assert rf"{{\footnotesize {escape_latex(res.notes[0])}}}" in res.to_latex()
