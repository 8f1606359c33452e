"""Imports go one way through the rooms, from the first to the last; a few calls go up, and stand in a list."""

import ast
import functools
import graphlib
import re
from pathlib import Path

import bayesf1

PACKAGE = Path(bayesf1.__file__).parent
# A room may import those before it, never those behind it; the page has their order.
TREE = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
ROOMS = re.findall(r"^(\w+)(?:/|\.py) ", TREE, flags=re.MULTILINE)
# What a module asks of a later one inside a function, and why.
UPWARD = {
    # An evaluation saves itself in the format that `load` reads.
    ("bayesf1.evaluation", "bayesf1.io.saved"),
    # A file names metrics of sums, which stand in a later room.
    ("bayesf1.io.saved", "bayesf1.measures.corpus"),
    # A figure of an evaluation shows its posteriors.
    ("bayesf1.output.plots", "bayesf1.inference.posterior"),
    # A design splits data and reports on the balance, which needs tables.
    ("bayesf1.designs", "bayesf1.cv.splitting"),
}


def modules():
    """Every module of the package by its dotted name, but for __init__ and __main__."""
    return {
        ".".join(("bayesf1", *path.relative_to(PACKAGE).with_suffix("").parts)): path
        for path in PACKAGE.rglob("*.py")
        if not path.name.startswith("__")
    }


def imports(path):
    """Modules that a module imports anywhere, in functions and by name, but for type checking alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in vars(node.func).values():
            assert isinstance(node.args[0], ast.Constant), (
                f"{path} imports a module by a name that it computes"
            )
            yield node.args[0].value


@functools.cache
def graph():
    known = modules()
    return {name: set(imports(path)) & known.keys() for name, path in known.items()}


def room_of(module):
    return module.split(".")[1]


def test_every_module_stands_in_a_room_of_the_list():
    assert {room_of(name) for name in modules()} == set(ROOMS)


def test_no_room_imports_a_later_one():
    back = {
        (module, other)
        for module, others in graph().items()
        for other in others
        if ROOMS.index(room_of(other)) > ROOMS.index(room_of(module))
    }
    assert back == UPWARD


def test_no_two_modules_import_each_other_even_in_a_roundabout_way():
    known = {name: {o for o in others if (name, o) not in UPWARD} for name, others in graph().items()}
    assert len(list(graphlib.TopologicalSorter(known).static_order())) == len(modules())
