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
from bayesf1.output.answer import DEFAULT, Answer, format_of, together, written
from bayesf1.output.terminal import show


def deliver(answers: Sequence[Answer], args: argparse.Namespace) -> None:
    """Write answers of one kind in the format that was asked for: to a file, to a terminal, or to a pipe."""
    form = chosen_format(args)
    # Not every command has the option.
    verbose = vars(args).get("verbose", False)
    if form == DEFAULT and args.output is None and stdout().isatty():
        for i, answer in enumerate(together(answers)):
            if i > 0:
                write("")
            show(answer, stdout(), verbose=verbose)
        stdout().flush()
        return
    text = written(answers, form, verbose=verbose)
    if args.output is None:
        write(text)
    else:
        write_atomic(args.output, harmless(text) + "\n")


def chosen_format(args: argparse.Namespace) -> str:
    """Return the format that was named, or else that of the output file's ending, or else a table."""
    if args.format is not None:
        return str(args.format)
    if args.output is not None:
        return format_of(args.output)
    return DEFAULT


def check_files(args: argparse.Namespace) -> None:
    """Refuse a file to write that is an input file or has a wrong ending, before anything is computed."""
    chosen_format(args)
    # Not every command has all of these options.
    options = vars(args)
    report = options.get("report")
    plot = options.get("plot")
    save = options.get("save")
    inputs = []
    for text in options.get("files", ()):
        name, _, path = text.partition("=")
        inputs.append(Path(path if path else name))
    for path in (args.output, report, plot, save):
        if path is None or not followed(path).exists():
            continue
        if any(file.exists() and file.samefile(path) for file in inputs):
            raise ValueError(f"output {path} is an input file; name another")
    if plot is not None:
        from bayesf1.output.panels import check_path

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
    # Its type is never None, but its value is if the program was started with standard output closed.
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
