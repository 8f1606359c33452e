"""The command line: ``bayesf1 compare``, ``rank``, ``interval``, ``test``, ``plan``, ``label``, ``monitor``, ``demo`` …

A terminal gets a coloured table; a pipe or file gets UTF-8 text in the format that ``--format`` names.

Bad input gets one line on standard error and exit code 2: no traceback, no half-written file. ``compare --fail-unless``
gives 1 if the claim does not hold, and ``monitor --fail-unless-decided`` until something is decided. Ctrl-C gives 130, and a
reader that closes the pipe early gives 141, as from other programs.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from bayesf1 import __version__
from bayesf1.base.naming import nearest
from bayesf1.cli.commands import COMMANDS
from bayesf1.cli.files import check_files
from bayesf1.cli.options import new_parser
from bayesf1.cli.output import complain

BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
TERMINATED = 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv
        The arguments; by default, those with which the program was called.

    Examples
    --------
    >>> main(["demo"])
    WNUT 2017: seven systems ...
    0
    """
    try:
        with _warnings_as_lines(), _ended_in_order():
            return _run(sys.argv[1:] if argv is None else list(argv))
    except (KeyboardInterrupt, RuntimeError) as error:
        # An interrupt while Python makes a class arrives as the cause of a RuntimeError.
        cause = error if error.__cause__ is None else error.__cause__
        if not isinstance(cause, KeyboardInterrupt):
            raise
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _abandon_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _abandon_stdout()
        place = f"{error.filename}: " if error.filename else ""
        reason = str(error) if error.strerror is None else error.strerror
        return _complain(f"{place}{reason}")
    except ValueError as error:
        return _complain(str(error))
    except MemoryError:
        return _complain("not enough memory for this")


def _run(argv: list[str]) -> int:
    parser, commands = new_parser(__version__, COMMANDS)
    if not argv:
        parser.error(f"name a command: {', '.join(commands)}")
    if not argv[0].startswith("-") and argv[0] not in commands:
        parser.error(f"unknown command {argv[0]!r}; {nearest(argv[0], commands)}")
    try:
        args, extras = parser.parse_known_args(argv)
    except SystemExit:
        # --help and --version have printed their text.
        return 0
    args.parser.check_known(extras, argv)
    args.command_line = f"bayesf1 {shlex.join(argv)}"
    check_files(args)
    try:
        code = args.does(args)
        return 0 if code is None else int(code)
    except ValueError as error:
        raise ValueError(args.parser.spoken(str(error))) from None


def _complain(message: str, code: int = BAD_INPUT) -> int:
    complain(message)
    return code


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the program as an exception does, so that no half-written file remains."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    def end(*_: object) -> None:
        nonlocal asked
        asked = True
        sys.exit(TERMINATED)

    def swallowed(lost: sys.UnraisableHookArgs) -> None:
        if not (asked and lost.exc_type is SystemExit):
            usual(lost)

    before = signal.signal(signal.SIGTERM, end)
    usual = sys.unraisablehook
    sys.unraisablehook = swallowed
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        sys.unraisablehook = usual
        if asked:
            # If the signal came during a finaliser or a callback, Python has swallowed the exception: end here.
            sys.exit(TERMINATED)


def _abandon_stdout() -> None:
    # On exit, the interpreter would try again to write the rest, and complain.
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        # The same warning often comes several times, for example from several pairs of models.
        if str(message) not in seen:
            seen.add(str(message))
            complain(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
