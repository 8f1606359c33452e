"""Delivery: results to a file, a terminal or a pipe, in the format that was asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from bayesf1.base.naming import harmless, printable
from bayesf1.base.text_files import followed, write_atomic
from bayesf1.output.answer import DEFAULT, Answer, format_of, show, together, written


def deliver(answers: Sequence[Answer], args: argparse.Namespace) -> None:
    """Write answers of one kind in the format that was asked for: to a file, to a terminal, or to a pipe."""
    name, verbose = chosen_format(args), getattr(args, "verbose", False)
    if name == DEFAULT and args.output is None and stdout().isatty():
        for i, answer in enumerate(together(answers)):
            if i:
                write("")
            show(answer, stdout(), verbose=verbose)
        stdout().flush()
    else:
        text = written(answers, name, verbose=verbose)
        if args.output is None:
            write(text)
        else:
            write_atomic(args.output, harmless(text) + "\n")


def chosen_format(args: argparse.Namespace) -> str:
    """Return the format that was named, or that the ending of the output file says, or a table."""
    if args.format is None and args.output is not None:
        return format_of(args.output)
    return str(args.format or DEFAULT)


def check_files(args: argparse.Namespace) -> None:
    """Raise a ValueError where a file to write is none for what goes into it, before anything is computed."""
    # A command need not have all of them.
    report, plot, save = (getattr(args, name, None) for name in ("report", "plot", "save"))
    chosen_format(args)
    read = [Path(file.partition("=")[2] or file) for file in getattr(args, "files", ())]
    for path in filter(None, (args.output, report, plot, save)):
        if followed(path).exists() and any(file.exists() and file.samefile(path) for file in read):
            raise ValueError(f"output {path} is an input file; name another")
    if plot is not None:
        from bayesf1.output.plots import check_path

        check_path(plot)
    if report is not None and not report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {report} should end with .html")
    if save is not None and save == args.output:
        raise ValueError(f"--save and --output name one file, {save}; give two")


def complain(message: str) -> None:
    """Write a line to standard error, beside a result that a program reads."""
    with suppress(OSError):
        print(f"bayesf1: {printable(message)}", file=sys.stderr)


def stdout() -> TextIO:
    """Return standard output, able to take any character."""
    # Typed as never None, but it is where the program was started with standard output closed.
    out: TextIO | None = sys.stdout
    if out is None:
        raise ValueError("standard output is closed; name a file with --output")
    if isinstance(out, TextIOWrapper):
        # Pipes get UTF-8, and a terminal that cannot show a character its number, rather than a traceback.
        out.reconfigure(encoding=None if out.isatty() else "utf-8", errors="backslashreplace")
    return out


def write(text: str) -> None:
    """Write a text and a line break to standard output."""
    out = stdout()
    out.write(harmless(text) + "\n")
    out.flush()
