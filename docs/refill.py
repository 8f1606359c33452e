"""Write what the examples of pages give into the pages: ``python docs/refill.py docs/guides/seeds.md``.

What stands below an example with an ellipsis stays as it is. Look at the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import sys
import tempfile
import textwrap
import traceback
import warnings
from pathlib import Path
from typing import Any

WIDTH = 96


def given(example: doctest.Example, names: dict[str, Any]) -> str:
    """Run an example, and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(example.source, "<page>", "single"), names)
        except Exception as error:
            print("Traceback (most recent call last):", *traceback.format_exception_only(error), sep="\n")
    return printed.getvalue()


def wrapped(line: str) -> list[str]:
    """Return a line as a page shows it: prose in lines of its width, which doctest does not mind; tables as they are."""
    if not line.strip():
        return ["<BLANKLINE>"]
    prose = (
        len(line) > WIDTH and "  " not in line.strip() and not line.startswith(("|", "%", "──", "bayesf1|"))
    )
    return textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False) if prose else [line]


def refilled(text: str) -> str:
    """Return a page with what its examples give."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parts = []
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, str):
            parts.append(part)
            continue
        first, *more = part.source.rstrip("\n").split("\n")
        code = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        found = given(part, names)
        shown = (part.want if "..." in part.want else found).rstrip("\n")
        answer = [piece for line in shown.split("\n") for piece in wrapped(line)] if shown else []
        parts += [" " * part.indent + line + "\n" for line in (*code, *answer)]
    return "".join(parts)


if __name__ == "__main__":
    import matplotlib as mpl

    mpl.use("agg")
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = refilled(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
