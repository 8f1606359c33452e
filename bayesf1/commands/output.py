"""Delivery: results to a file, a terminal or a pipe, in the format that was asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeVar

from bayesf1.commands.arguments import ENDINGS

_T = TypeVar("_T")


def deliver(
    results: _T,
    args: argparse.Namespace,
    formats: Mapping[str, Callable[[_T], str]],
    show: Callable[[_T], None],
) -> None:
    """Write results in the format that was asked for: to a file, to a terminal, or to a pipe.

    Parameters
    ----------
    results
        What a command found.
    args
        The arguments, with ``format`` and ``output``, and ``files`` where some were read.
    formats
        For each name in `bayesf1.commands.arguments.FORMATS`, the function that makes the text.
    show
        Prints the results on a terminal, in colour.
    """
    render = formats[chosen_format(args)]
    if args.output is not None:
        from bayesf1.reading.files import write_atomic

        check_not_input(args.output, args)
        write_atomic(args.output, render(results) + "\n")
    elif chosen_format(args) == "table" and stdout().isatty() and not getattr(args, "no_color", False):
        show(results)
        stdout().flush()
    else:
        write(render(results))


def chosen_format(args: argparse.Namespace) -> str:
    """Return the format that was named, or that the ending of the output file says, or a table."""
    if args.format is not None:
        return str(args.format)
    return "table" if args.output is None else ENDINGS.get(Path(args.output).suffix.lower(), "table")


def check_not_input(path: str, args: argparse.Namespace) -> None:
    """Raise a ValueError where a file to write is one that was read."""
    if any(_same_file(path, file.partition("=")[2] or file) for file in getattr(args, "files", ())):
        raise ValueError(f"output {path} is an input file; name another")


def check_figure(args: argparse.Namespace) -> None:
    """Raise a ValueError where the file that ``--plot`` names is none for a figure, before anything is computed."""
    from bayesf1.report.plot_files import check_path

    if args.plot is not None:
        check_not_input(args.plot, args)
        check_path(args.plot)


def draw(axes: Any, args: argparse.Namespace) -> None:
    """Save a figure into the file that ``--plot`` names."""
    from bayesf1.report.plot_files import save_plot

    save_plot(axes, args.plot)


def _same_file(a: str, b: str) -> bool:
    try:
        return Path(a).samefile(b)
    except OSError:
        return False


def stdout() -> TextIO:
    """Return standard output, able to take any character."""
    # Typed as never None, but it is where the program was started with standard output closed.
    out: TextIO | None = sys.stdout
    if out is None:
        raise ValueError("standard output is closed; name a file by --output")
    if isinstance(out, TextIOWrapper):
        # Pipes get UTF-8, and a terminal that cannot show a character its number, rather than a traceback.
        out.reconfigure(encoding=None if out.isatty() else "utf-8", errors="backslashreplace")
    return out


def write(text: str) -> None:
    """Write a text and a line break to standard output."""
    out = stdout()
    out.write(text + "\n")
    out.flush()


def as_json(document: Any) -> str:
    """Return a document as indented JSON, which has no NaN."""
    import json

    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records with the same keys as comma-separated values, with full numbers under one header."""
    from bayesf1.base.table import Table

    rows = (tuple("" if value is None else str(value) for value in record.values()) for record in records)
    return Table(tuple(records[0]), tuple(rows)).to_csv().rstrip("\n")
