"""Figures of the house, printed: modules, lines, branches on what a kind or an assumption should own, optional fields.

``python tests/house.py [folder of a package]``
"""

import ast
import re
import sys
from pathlib import Path

OPTIONAL = r"\.(weights|patterns|items|finer|units|folds|sparse_patterns)\s+is\s+(not\s+)?None"


def figures(package):
    """What can be counted of a package's modules, each with the number of modules in which it occurs."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(Path(package).rglob("*.py"))}

    def counted(pattern):
        found = [len(re.findall(pattern, text)) for text in texts.values()]
        return sum(found), sum(map(bool, found))

    flat = [path for path in texts if path.parent == Path(package) and not path.name.startswith("__")]
    (noun,) = (path for path in texts if path.name == "evaluation.py")
    (evaluation,) = (
        node
        for node in ast.parse(texts[noun]).body
        if isinstance(node, ast.ClassDef) and node.name == "Evaluation"
    )
    return {
        "modules": len(texts),
        "modules outside a room": len(flat),
        "lines": sum(text.count("\n") for text in texts.values()),
        "longest module": max(text.count("\n") for text in texts.values()),
        "fields of Evaluation": sum(isinstance(node, ast.AnnAssign) for node in evaluation.body),
        "comparisons of task (in modules)": counted(r"\.task\s*(==|!=|in\b|not in\b)"),
        "comparisons of assumption (in modules)": counted(
            r"\b(assumption|taken)\s*(==|!=|in\b|not in\b)|\.unit\s*(==|!=|in\b|not in\b)"
        ),
        "tests of an optional field for None (in modules)": counted(OPTIONAL),
    }


if __name__ == "__main__":
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "bayesf1"
    for name, value in figures(root).items():
        shown = f"{value[0]} ({value[1]})" if isinstance(value, tuple) else value
        print(f"{name:50} {shown}")
