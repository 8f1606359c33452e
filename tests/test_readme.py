import doctest
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_examples_of_the_readme_give_what_they_show():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=flags)
    assert tried >= 8
    assert failed == 0


def test_examples_of_the_pages_give_what_they_show():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    page = README.parent / "docs" / "cross_validation.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried >= 8
    assert failed == 0


def test_the_two_commands_stand_once_each_at_the_top():
    lines = re.findall(r"^python3 -m venv .*$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(lines) == 2
    assert lines[0].endswith("bayesf1 demo")
    assert "pytest" in lines[1]
