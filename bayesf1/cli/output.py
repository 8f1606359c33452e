"""Writing results to a file, a terminal or a pipe, in the format that was asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from bayesf1.base.naming import harmless, printable
from bayesf1.base.text_files import write_atomic
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
    """Return the format that was named; otherwise, the one of the output file's ending; otherwise, a table."""
    if args.format is not None:
        return str(args.format)
    if args.output is not None:
        return format_of(args.output)
    return DEFAULT


def complain(message: str) -> None:
    """Write a line to standard error, beside a result that a program reads."""
    with suppress(OSError):
        print(f"bayesf1: {printable(message)}", file=sys.stderr)


def stdout() -> TextIO:
    """Return standard output, made to accept every character."""
    # It is None, whatever its type says, if the program was started with standard output closed.
    out: TextIO | None = sys.stdout
    if out is None:
        raise ValueError("standard output is closed; name a file with --output")
    if isinstance(out, TextIOWrapper):
        # Pipes get UTF-8. A terminal that cannot show a character gets its number instead of a traceback.
        encoding = None if out.isatty() else "utf-8"
        out.reconfigure(encoding=encoding, errors="backslashreplace")
    return out


def write(text: str) -> None:
    """Write a text and a line break to standard output."""
    out = stdout()
    out.write(harmless(text) + "\n")
    out.flush()
