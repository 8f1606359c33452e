"""The pages that nobody writes: a page for each room from the public names, and the command line from its parser."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import roles
from sphinx.domains.python import PythonDomain

import bayesf1
from bayesf1.cli.commands import COMMANDS
from bayesf1.cli.options import new_parser

PACKAGE = Path(bayesf1.__file__).parent
# Rooms with public names in the order in which a reader meets them, and what their pages are called.
ROOMS = {
    "io": "Reading",
    "evaluation": "The evaluation",
    "inference": "Comparing and ranking",
    "corpora": "Several corpora",
    "designs": "Cross-validation designs",
    "cv": "Running a cross-validation",
    "frequentist": "Intervals, tests and plans",
    "labelling": "Few gold labels",
    "output": "Figures and exports",
    "distributions": "Posterior distributions",
    "tasks": "Tasks",
    "measures": "Other measures",
}


def public_names(stub: Path = PACKAGE / "__init__.pyi") -> dict[str, str]:
    """Return the public names that a stub has, each with its room or, in a room's own stub, with its module."""
    return {
        alias.name: (node.module or alias.name).split(".")[0]
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def rooms() -> dict[str, list[str]]:
    """Return the documented names of each room, those of `measures` with their dotted names."""
    found: dict[str, list[str]] = {room: [] for room in ROOMS}
    for name, room in public_names().items():
        if name != "measures":
            found.setdefault(room, []).append(name)
    found["measures"] = [f"measures.{name}" for name in public_names(PACKAGE / "measures" / "__init__.pyi")]
    return {room: names for room, names in found.items() if names}


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _entry(name: str) -> str:
    thing = importlib.import_module("bayesf1")
    for part in name.split("."):
        thing = getattr(thing, part)
    if not inspect.isclass(thing):
        return f".. autofunction:: bayesf1.{name}\n"
    lines = [f".. autoclass:: bayesf1.{name}", "   :members:"]
    # A Dataset has hundreds of methods, documented by xarray.
    if not any(base.__module__.startswith("xarray") for base in thing.__mro__):
        lines.append("   :inherited-members: dict, Mapping, ABC, Protocol")
    return "\n".join(lines) + "\n"


def room_page(room: str, names: list[str]) -> str:
    """Return the page of a room: what it is for, its names in a table, and each with its docstring."""
    title = ROOMS.get(room, room.capitalize())
    about = (importlib.import_module(f"bayesf1.{room}").__doc__ or "").strip().partition("\n\n")[0]
    table = "\n".join(f"   {name}" for name in names)
    entries = "\n".join(map(_entry, names))
    return "\n".join(
        [
            _heading(title, "="),
            about,
            "",
            ".. currentmodule:: bayesf1",
            "",
            ".. autosummary::",
            "   :nosignatures:",
            "",
            table,
            "",
            entries,
        ]
    )


def names_list() -> str:
    """Return all public names, a line for each room, as links."""
    found = {ROOMS.get(room, room.capitalize()): names for room, names in rooms().items()}
    lines = [
        f"{title}\n    {', '.join(f':py:obj:`{name} <bayesf1.{name}>`' for name in names)}"
        for title, names in found.items()
    ]
    return "\n\n".join(lines) + "\n"


def _help(parser: argparse.ArgumentParser) -> str:
    return "\n".join(f"   {line}" if line else "" for line in parser.format_help().splitlines())


def command_line_page() -> str:
    """Return the page of the command line, as its own ``--help`` tells it."""
    # Help is wrapped to the terminal; a page has one width everywhere.
    os.environ["COLUMNS"] = "100"
    program, commands = new_parser(bayesf1.__version__, COMMANDS)
    parts = [
        _heading("The command line", "="),
        "What each command takes, as ``--help`` prints it. Exit codes are 0 for an answer, 1 where ``--fail-unless`` or\n``--fail-unless-decided`` asks for more than the data show, 2 for input that cannot be",
        "read (one line on standard error), 130 after Ctrl-C and 141 where a pipe was closed. Formats are ``table``,",
        "``json``, ``csv``, ``markdown`` and ``latex``, by default what the ending of ``--output`` says; files are",
        "written whole or not at all.",
        "",
        f".. code-block:: text\n\n{_help(program)}\n",
    ]
    for name, parser in commands.items():
        parts += [_heading(f"bayesf1 {name}", "-"), f".. code-block:: text\n\n{_help(parser)}\n"]
    return "\n".join(parts)


def _write(path: Path, text: str) -> None:
    # An unchanged page keeps its date, so that Sphinx need not read it again.
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any) -> None:
    """Write all pages into the folder ``reference/generated``."""
    folder = Path(app.srcdir) / "reference" / "generated"
    for room, names in rooms().items():
        _write(folder / f"{room}.rst", room_page(room, names))
    _write(folder / "names.txt", names_list())
    _write(folder / "command_line.rst", command_line_page())


def name_role(
    role: str, raw: str, text: str, line: int, inliner: Any, *more: Any
) -> tuple[list[Any], list[Any]]:
    """Take what stands in single backticks for a link where it is a public name, else for code."""
    if text.partition(".")[0].removesuffix("()") in public_names():
        return PythonDomain.roles["obj"]("py:obj", raw, f"bayesf1.{text.removesuffix('()')}", line, inliner)
    return [nodes.literal(raw, text)], []


def close_fences(app: Any, name: str, source: list[str]) -> None:
    """Take away the empty line that tells doctest where an answer ends: a page need not show it."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for them."""
    roles.register_local_role("name", name_role)
    app.connect("builder-inited", write_pages)
    app.connect("source-read", close_fences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
