"""Imports point one way, from the verbs down to the noun."""

import ast
import graphlib
from pathlib import Path

import bayesf1

PACKAGE = Path(bayesf1.__file__).parent


def imports(path):
    """Modules of the package that a module imports anywhere, but for type checking."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bayesf1":
            whole = node.module == "bayesf1"
            yield from (f"bayesf1.{alias.name}" for alias in node.names) if whole else [node.module]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("bayesf1."))


def graph():
    modules = {}
    for path in PACKAGE.rglob("*.py"):
        if path.name not in ("__init__.py", "__main__.py"):
            modules[".".join(("bayesf1", *path.relative_to(PACKAGE).with_suffix("").parts))] = path
    return {name: set(imports(path)) & modules.keys() for name, path in modules.items()}


def test_no_two_modules_import_each_other_even_in_a_roundabout_way():
    order = list(graphlib.TopologicalSorter(graph()).static_order())
    assert len(order) > 15


def test_the_noun_knows_none_of_the_verbs():
    known = graph()["bayesf1.evaluation.evaluation"]
    assert known <= {
        "bayesf1.designs.design",
        "bayesf1.base.naming",
        "bayesf1.designs.splitting",
        "bayesf1.base.table",
    }
