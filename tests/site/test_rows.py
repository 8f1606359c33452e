"""Every row of the page on rows reads a file with the columns that it names, and its answer begins as it says."""

import contextlib
import doctest
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.io.roles import ABOUT, ROLE_NAMES
from builders import ROOT

PAGE = ROOT / "docs" / "rows.md"
TEXT = PAGE.read_text(encoding="utf-8")
CALLS = re.compile(
    r"^\| (?P<columns>[^`]*`.+`) \| `(?P<call>[^|]+\.csv[^|]*)` \| (?P<rest>.*) \|$", re.MULTILINE
)
ROWS = [row.groupdict() for row in CALLS.finditer(TEXT)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the script of the page writes."""
    here = tmp_path_factory.mktemp("rows")
    examples = doctest.DocTestParser().get_examples(TEXT)
    names = {}
    with contextlib.chdir(here):
        for example in examples[: next(i for i, e in enumerate(examples) if "import bayesf1" in e.source)]:
            exec(compile(example.source, str(PAGE), "exec"), names)
    return here


def test_the_page_has_ten_rows():
    assert len(ROWS) == 10


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"].split(".")[0])
def test_the_answer_to_a_row_begins_as_the_page_says(row, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words = shlex.split(row["call"])
    header = pd.read_csv(words[0]).columns
    assert {*header} == set(re.findall(r"`(\w+)`", row["columns"]))
    assert main(["compare", *words]) == 0
    title = capsys.readouterr().out.splitlines()[0]
    begins = row["rest"].split(" | ")[0]
    assert re.search(rf"against \w+,? {begins}(,|$)", title), title


def test_the_readme_has_the_same_rows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    def columns_by_call(text):
        return {row["call"]: re.findall(r"`(\w+)`", row["columns"]) for row in CALLS.finditer(text)}

    assert columns_by_call(readme) == columns_by_call(TEXT)


def test_the_page_names_every_role_and_the_names_that_are_recognised():
    section = TEXT.partition("## What is recognised")[2].partition("## ")[0]
    listed = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| .* \| (.+) \|$", section, flags=re.MULTILINE)
    assert {role for roles, _ in listed for role in re.findall(r"\w+", roles)} == set(ABOUT)
    for roles, names in listed:
        folded = {name.replace("_", "") for name in re.findall(r"\b\w+(?=[,;]|$)", names)}
        known = {name for role in re.findall(r"\w+", roles) for name in ROLE_NAMES.get(role, ())}
        assert folded - {"never", "items"} <= known


def test_a_column_for_each_model_holds_the_same_scores(folder):
    long = pd.read_csv(Path(folder, "folds.csv"))
    wide = long.pivot(index="fold", columns="model", values="f1").reset_index()
    path = Path(folder, "wide.csv")
    wide.to_csv(path, index=False)
    found = bf.compare(bf.read(path, scores="f1"), "crf", "bert")
    assert str(found) == str(bf.compare(bf.from_frame(long, score="f1"), "crf", "bert"))
