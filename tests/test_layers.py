"""Imports go one way through the rooms, from the first to the last; a few calls go up, and stand in a list."""

import ast
import graphlib
import re
from collections import Counter
from pathlib import Path

import bayesf1
from house import figures

PACKAGE = Path(bayesf1.__file__).parent
# A room may import those before it, never those behind it.
ROOMS = (
    "base",
    "laws",
    "designs",
    "evaluation",
    "kinds",
    "reading",
    "bayes",
    "groups",
    "crossval",
    "frequentist",
    "labelling",
    "measures",
    "report",
    "commands",
)
# What an answer offers as a method although a later room makes it, and the method that offers it.
UPWARD = {
    ("bayesf1.bayes.comparisons", "bayesf1.report.html"),
    ("bayesf1.groups.fit", "bayesf1.report.fit_report"),
    ("bayesf1.bayes.comparisons", "bayesf1.report.inference_data"),
    # A file names measures, and a kind of task, that stand in a later room.
    ("bayesf1.reading.saved_evaluations", "bayesf1.measures.corpus"),
    ("bayesf1.reading.saved_evaluations", "bayesf1.measures.rated"),
}
LONGEST = 400
# Who may ask which assumption was taken: the one place that owns them, and a model that has words of its own for it.
ASKING = {"evaluation/under.py", "evaluation/assuming.py", "groups/corpora.py"}


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
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            assert isinstance(node.args[0], ast.Constant), (
                f"{path} imports a module by a name that it computes"
            )
            yield node.args[0].value


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


def test_no_two_modules_have_one_name():
    names = Counter(name.rpartition(".")[2] for name in modules())
    assert [name for name, n in names.items() if n > 1] == []


def test_no_room_holds_a_single_module():
    sizes = Counter(room_of(name) for name in modules())
    assert min(sizes.values()) > 1


def test_no_module_is_longer_than_a_reader_can_hold():
    lengths = {name: path.read_text(encoding="utf-8").count("\n") for name, path in modules().items()}
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_no_module_asks_for_the_kind_of_a_task_or_for_an_assumption_by_its_name():
    assert figures(PACKAGE)["comparisons of task (in modules)"] == (0, 0)
    asking = re.compile(r"\bassumption\s*(==|!=|in\b|not in\b)|\.unit\s*(==|!=)")
    found = {
        str(path.relative_to(PACKAGE))
        for path in modules().values()
        if asking.search(path.read_text(encoding="utf-8"))
    }
    assert found == ASKING


def test_an_evaluation_is_a_handful_of_parts():
    assert figures(PACKAGE)["fields of Evaluation"] == 8
