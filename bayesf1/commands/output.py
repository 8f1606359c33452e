"""Delivery: results to a file, a terminal or a pipe, in the format that was asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from bayesf1.base.answer import Answer
from bayesf1.base.formats import DEFAULT, FORMATS, format_of, together
from bayesf1.base.table import printable


def deliver(answers: Sequence[Answer], args: argparse.Namespace) -> None:
    """Write answers of one kind in the format that was asked for: to a file, to a terminal, or to a pipe."""
    name = chosen_format(args)
    if name == DEFAULT and args.output is None and stdout().isatty():
        from bayesf1.base.terminal import show

        for i, answer in enumerate(together(answers)):
            if i:
                write("")
            show(answer, stdout(), colour=not args.no_color)
        stdout().flush()
    else:
        put(FORMATS[name].render(answers), args)


def put(text: str, args: argparse.Namespace) -> None:
    """Write a text to the output file, or where there is none to standard output."""
    if args.output is None:
        write(text)
        return
    from bayesf1.base.text_files import write_atomic

    check_not_input(args.output, args)
    write_atomic(args.output, text + "\n")


def chosen_format(args: argparse.Namespace) -> str:
    """Return the format that was named, or that the ending of the output file says, or a table."""
    if args.format is not None:
        return str(args.format)
    if args.output is None:
        return DEFAULT
    try:
        return format_of(Path(args.output).suffix)
    except ValueError as error:
        raise ValueError(f"cannot write to {args.output}: {error} by --format") from None


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


def check_report(args: argparse.Namespace) -> None:
    """Raise a ValueError where the file that ``--report`` names is none for a page, before anything is computed."""
    if args.report is None:
        return
    check_not_input(args.report, args)
    if not args.report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {args.report} should end with .html")


def _same_file(a: str, b: str) -> bool:
    try:
        return Path(a).samefile(b)
    except OSError:
        return False


def say(lines: Iterable[str]) -> None:
    """Write lines to standard error, beside a result that a program reads."""
    for line in lines:
        print(f"bayesf1: {printable(line)}", file=sys.stderr)


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
