"""The page on how the package is built names every module, and only files and names that there are."""

import re

import pytest

from builders import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROSE, TREE, *REST = PAGE.split("```")
QUOTED = re.findall(r"`([^`]+)`", PROSE + "".join(REST))
PACKAGE = ROOT / "bayesf1"
SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for room in ("bayesf1", "tests") for path in (ROOT / room).rglob("*.py")
)


def test_every_module_stands_in_its_room_of_the_tree():
    for room in re.split(r"\n(?=\w)", TREE.partition("\n")[2]):
        folder = PACKAGE / room.partition("/")[0]
        if folder.is_dir():
            modules = {path.stem for path in folder.rglob("*.py") if not path.name.startswith("__")}
            of_words = {path.stem for path in folder.glob("words/*.py")}
            assert modules - of_words - set(re.findall(r"\w+", room)) == set(), folder


@pytest.mark.parametrize(
    "path", [text for text in QUOTED if re.fullmatch(r"[\w/]+(\.(py|pyi|md|bib|json)|/)", text)]
)
def test_a_path_of_the_page_is_there(path):
    assert any((folder / path).exists() for folder in (PACKAGE, ROOT, PACKAGE / "output" / "words")) or any(
        PACKAGE.rglob(path)
    )


@pytest.mark.parametrize("name", [text for text in QUOTED if re.fullmatch(r"\w+(\.\w+)?", text)])
def test_a_name_of_the_page_is_in_the_code(name):
    assert re.search(rf"\b{name.rpartition('.')[2]}", SOURCES)


def test_the_page_is_as_long_as_a_newcomer_reads():
    assert len(PAGE.splitlines()) <= 140
