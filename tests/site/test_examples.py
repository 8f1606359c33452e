"""Examples show what users may write: they import public names, with a few exceptions that stand in a list."""

import ast

import pytest

from builders import ROOT

PUBLIC = {"bayesf1", "bayesf1.measures"}
# Functions of arrays that no public name offers: intervals of many tables at once and how often they hold the score, and
# the spans of tags.
PRIVATE = {
    "takahashi_tables": {
        "bayesf1.frequentist.coverage",
        "bayesf1.frequentist.closed_intervals",
        "bayesf1.metrics",
    },
    "peoples_daily": {"bayesf1.io.tags"},
}
SCRIPTS = sorted((ROOT / "examples").rglob("*.py"))


def modules_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_of_the_gallery_begins_with_a_title(path):
    title, line, empty, *_ = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()
    assert path.parent.name == "papers" or (line == "=" * len(title) and not empty)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_imports_public_names_alone(path):
    ours = {module for module in modules_of(path) if module.split(".")[0] == "bayesf1"}
    assert ours - PUBLIC == PRIVATE.get(path.stem, set())
