"""Files as they were named, and where their bytes lie: elsewhere for standard input, pipes and compressed files."""

from __future__ import annotations

import gzip
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from bayesf1.base.naming import printable
from bayesf1.base.text_files import BOM

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 16
_BLOCK = 1 << 20
# What is unpacked or piped lies on disk while it is read; more than this is hardly meant to.
MAX_UNPACKED_BYTES = 1 << 34


@dataclass(frozen=True)
class InputFile:
    r"""A file to read.

    Attributes
    ----------
    name
        What errors call it.
    path
        Where its bytes lie, as they are to be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "crf.run")
    ...     size = path.write_bytes(BOM + b"303 Q0 d1\n303 Q")
    ...     file = InputFile("crf.run", path)
    ...     str(file), file.lines
    ('crf.run', ['303 Q0 d1', '303 Q'])
    """

    name: str
    path: Path

    @classmethod
    def of(cls, path: str | PathLike[str]) -> InputFile:
        """Return a file by its path, or say that there is none to read."""
        _check_readable(Path(path))
        return cls(str(path), Path(path))

    def __str__(self) -> str:
        return self.name

    def open(self) -> BinaryIO:
        """Open the file to read its bytes."""
        return self.path.open("rb")

    def text(self, most: int = 1 << 30) -> str:
        """Return the whole text in UTF-8, its lines ended by line feeds; more than so many bytes are refused."""
        if self.size > most:
            raise ValueError(f"{self} is larger than {most >> 20:,} MB; split it")
        with self.open() as stream:
            data = stream.read().removeprefix(BOM)
        try:
            text = data.decode("utf-8").replace("\r\n", "\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            line, byte = data.count(b"\n", 0, error.start) + 1, data[error.start]
            raise ValueError(
                f"{self}, line {line}, has the byte 0x{byte:02x}, which is not UTF-8; save the file as UTF-8"
            ) from None
        if "\r" in text:
            line = text.count("\n", 0, text.index("\r")) + 1
            raise ValueError(
                f"{self}, line {line}, has a carriage return inside; lines should end with LF or CRLF"
            )
        return text

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """Return the first bytes, without a byte order mark."""
        with self.open() as stream:
            return stream.read(_HEAD).removeprefix(BOM)

    @cached_property
    def lines(self) -> list[str]:
        """Return the first lines, as far as they are text in UTF-8; the last only if it is whole."""
        try:
            text, cut = self.head.decode("utf-8"), len(self.head) >= _HEAD - len(BOM)
        except UnicodeDecodeError as error:
            text, cut = self.head[: error.start].decode("utf-8"), True
        lines = [] if "\0" in text else text.split("\n")
        # A first line longer than what was read tells more than nothing.
        if cut and (len(lines) > 1 or b"\n" in self.head):
            lines = lines[:-1]
        return [line.rstrip("\r") for line in lines]

    @property
    def suffix(self) -> str:
        """Return the ending of the name, but for that of compression, in lower case."""
        path = Path(self.name)
        return (Path(path.stem) if path.suffix.lower() in (".gz", ".gzip") else path).suffix.lower()


# How `input_files` gives files by their names.
Take: TypeAlias = Callable[[str | PathLike[str]], InputFile]


@contextmanager
def input_files() -> Iterator[Take]:
    r"""Give files by their names; what has to be unpacked or is piped lies in a folder that goes at the end.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder, input_files() as take:
    ...     path = Path(folder, "a.csv.gz")
    ...     size = path.write_bytes(gzip.compress(b"label,crf\n"))
    ...     take(path).lines, take(path).suffix
    (['label,crf', ''], '.csv')
    """
    with tempfile.TemporaryDirectory(prefix="bayesf1-") as folder:
        copies: list[str] = []

        def copied(stream: Any, name: str) -> InputFile:
            path = Path(folder, f"{len(copies)}")
            copies.append(name)
            _copy(stream, path, name)
            return InputFile(name, path)

        def take(named: str | PathLike[str]) -> InputFile:
            if str(named) == "-":
                if "standard input" in copies:
                    raise ValueError(
                        "standard input (-) is named twice, but can be read once; store it in a file"
                    )
                file = copied(sys.stdin.buffer, "standard input")
            else:
                file = InputFile.of(named)
                if file.path.is_fifo():
                    with file.open() as stream:
                        file = copied(stream, file.name)
            with file.open() as stream:
                packed = stream.read(2) == _GZIP
            if packed:
                with gzip.open(file.path) as unpacked:
                    file = copied(unpacked, file.name)
            return file

        yield take


def _check_readable(path: Path) -> None:
    """Say that something is no file, or that there is none."""
    try:
        path.stat()
    except FileNotFoundError:
        folder = path.parent
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        near = get_close_matches(path.name, names, 1, 0.8)
        hint = f"; did you mean {folder / near[0]}?" if near else ""
        raise FileNotFoundError(printable(f"there is no file {path}{hint}")) from None
    if path.is_dir():
        raise ValueError(f"{printable(str(path))} is a folder where a file belongs; name one in it")
    if not (path.is_file() or path.is_fifo()):
        raise ValueError(f"{path} is a device or socket, and no file to read")


def _copy(stream: Any, path: Path, name: str) -> None:
    size = 0
    with path.open("wb") as out:
        try:
            while block := stream.read(_BLOCK):
                if not size and not block.strip(b"\0"):
                    raise ValueError(f"{name} begins with nothing but zero bytes, and is no file to read")
                size += len(block)
                if size > MAX_UNPACKED_BYTES:
                    raise ValueError(
                        f"{name} holds more than {MAX_UNPACKED_BYTES >> 30} GB when unpacked; unpack it first, or split it"
                    )
                out.write(block)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{name} is a damaged gzip file ({error}); copy or pack it again") from None
