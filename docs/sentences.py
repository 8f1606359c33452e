"""List every sentence the package can print, with its place, to be read aloud: ``python docs/sentences.py [part of a path]``.

Sentences are texts of at least three words that are not docstrings; what is filled in stands in braces.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "bayesf1"
WORD = re.compile(r"(?<!\S)\W*[^\W\d_]{2,}[^\s_]*(?!\S)")


def written(node: ast.AST) -> str | None:
    """Return the text of a literal, a filled-in one or a sum of both; None if a node is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (written(part) or f"{{{ast.unparse(part.value)}}}" for part in node.values)
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [written(side) for side in (node.left, node.right)]
        if any(side is not None for side in sides):
            pairs = zip(sides, (node.left, node.right), strict=True)
            return "".join(f"{{{ast.unparse(part)}}}" if text is None else text for text, part in pairs)
    return None


def sentences(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each sentence below a node, the longest ones whole."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        text = written(child)
        # Code within braces is no words.
        if text is not None and len(WORD.findall(re.sub(r"{.*?}", "", text))) >= 3:
            yield child.lineno, text
        else:
            yield from sentences(child)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE.parent).as_posix()
        if wanted in name:
            for line, text in sentences(ast.parse(path.read_text(encoding="utf-8"))):
                print(f"{name}:{line}: {' '.join(text.split())}")
