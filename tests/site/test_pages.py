"""Pages of the site: their examples give what they show, and a page that tells how to do something shows it done."""

import doctest
import re
import shlex
import shutil

import matplotlib.pyplot as plt
import pytest

from bayesf1.cli.main import main
from builders import ROOT, needed

DOCS = ROOT / "docs"
# Pages whose examples take more than a second, and those that need packages which not everybody has.
LONG = {
    f"guides/{name}"
    for name in ("paper", "deciding", "large_data", "corpora", "planning", "retrieval", "seeds")
}
LONG |= {"background/calibration", "cross_validation", "decisions", "labelling", "questions", "statistics"}


def name_of(path):
    return path.relative_to(DOCS).with_suffix("").as_posix()


PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if not {"_build", "gallery", "project"} & set(path.parts)
    # Pages that lead to others; the first is the README.
    and path.name != "index.md"
    and name_of(path) != "architecture"
)


def pages():
    """Every page, those whose examples take seconds by the marker."""
    for path in PAGES:
        marks = [pytest.mark.long] if name_of(path) in LONG else []
        yield pytest.param(path, id=name_of(path), marks=marks)


@pytest.mark.parametrize("path", [*pages()])
def test_examples_of_a_page_give_what_they_show(path, tmp_path, monkeypatch):
    words = path.read_text(encoding="utf-8")
    for package in ("dask", "duckdb", "jiwer", "sacrebleu"):
        if f">>> import {package}" in words:
            needed(package)
    if re.search(r"^\$ bayesf1 .*--qrels", words, flags=re.MULTILINE):
        needed("ir_measures")
    # Examples write files where they stand, beside those of tags that commands name.
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "crf", "bert"):
        shutil.copy(ROOT / "tests" / "data" / f"{name}.conll", tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=flags)
    plt.close("all")
    assert tried > 0
    assert failed == 0
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for command in re.findall(r"^\$ bayesf1 (.+)$", text, flags=re.MULTILINE):
        assert main(shlex.split(command)) == 0, command


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.stem)
def test_files_that_a_page_names_are_there(path):
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r"\b((?:examples|benchmarks|tests|bayesf1)/[\w/]+\.py)\b", text))
    assert {name for name in named if not (ROOT / name).exists()} == set()
