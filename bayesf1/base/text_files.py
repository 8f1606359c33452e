"""Text files in UTF-8: read line by line, with the place of errors, and written completely or not at all."""

from __future__ import annotations

import errno
import math
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from bayesf1.base.naming import printable

# The name of a file or folder.
StrPath: TypeAlias = str | PathLike[str]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
BOM = b"\xef\xbb\xbf"


@contextmanager
def located(place: object) -> Iterator[None]:
    """Let the message of a ValueError begin with a place, such as a file."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith(str(place)):
            raise
        raise ValueError(f"{place}: {error}") from None


def read_number(text: str) -> float | None:
    """Return the number that a text spells in plain decimal digits, and None for anything else.

    Examples
    --------
    >>> read_number(" 1.5e3 "), read_number("1_000"), read_number("nan"), read_number("1e400")
    (1500.0, None, None, None)
    """
    stripped = text.strip()
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.inf
    return value if math.isfinite(value) else None


def write_atomic(path: StrPath, content: str | bytes) -> None:
    r"""Write a text in UTF-8, or bytes, to a file, which is complete afterwards or left unchanged.

    A link is followed, and a device or pipe is written to directly.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomic(Path(folder, "table.tex"), "whole\n")
    ...     Path(folder, "table.tex").read_text()
    'whole\n'
    """
    target = followed(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        # /dev/stdout may lead to a regular file that others hold open.
        if Path(path).parent == Path("/dev") or (target.exists() and not target.is_file()):
            with Path(path).open("ab") as stream:
                stream.write(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None


def followed(path: StrPath) -> Path:
    """Return the file that links lead to, or raise an error if they lead in a circle or nowhere."""
    try:
        target = Path(path).resolve()
    except RuntimeError:  # what older versions of Python say of a circle; newer ones leave the link
        target = Path(path)
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if target.is_dir():
        raise ValueError(f"cannot write to {printable(str(path))}, which is a folder; name a file in it")
    if not target.parent.is_dir():
        raise ValueError(f"cannot write to {path}, as there is no folder {target.parent}; create it first")
    return target


def _replace(target: Path, data: bytes) -> None:
    exists = target.exists()
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = target.with_name(f".bayesf1-{secrets.token_hex(8)}.part")
    try:
        # os.open, unlike tempfile, leaves the permissions of a new file to the umask.
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if exists:
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
