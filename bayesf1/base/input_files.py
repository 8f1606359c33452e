"""Files as they were named, and where their bytes lie: elsewhere for standard input, pipes and compressed files."""

from __future__ import annotations

import gzip
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from bayesf1.base.latex import printable
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
    def of(cls, path: str | PathLike[str] | InputFile) -> InputFile:
        """Return a regular file by its path."""
        return path if isinstance(path, InputFile) else cls(str(Path(path)), Path(path))

    def __str__(self) -> str:
        return self.name

    def open(self) -> BinaryIO:
        """Open the file to read its bytes."""
        return self.path.open("rb")

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


class Take(Protocol):
    """How `input_files` gives files by their names."""

    def __call__(self, named: str | PathLike[str]) -> InputFile:
        """Return the file of this name."""


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
    with ExitStack() as stack:
        folder: list[Path] = []
        taken: set[str] = set()

        def copied(stream: Any, name: str) -> InputFile:
            if not folder:
                folder.append(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bayesf1-"))))
            path = folder[0] / f"{len(list(folder[0].iterdir()))}"
            _copy(stream, path, name)
            return InputFile(name, path)

        def take(named: str | PathLike[str]) -> InputFile:
            name = str(named)
            if name == "-":
                if name in taken:
                    raise ValueError(
                        "standard input (-) is named twice, but can be read once; store it in a file"
                    )
                taken.add(name)
                file = copied(sys.stdin.buffer, "standard input")
            else:
                path = Path(named)
                _check_readable(path)
                file = InputFile(name, path)
                if path.is_fifo():
                    with path.open("rb") as stream:
                        file = copied(stream, name)
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
        raise FileNotFoundError(printable(_no_such_file(path))) from None
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    if path.is_dir():
        raise ValueError(f"{printable(str(path))} is a folder where a file belongs; name one in it")
    if not (path.is_file() or path.is_fifo()):
        raise ValueError(f"{path} is a device or socket, and no file to read")


def _no_such_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no file {path}, nor a folder {folder}"
    with suppress(OSError):
        # Of names that end alike, what stands before their ends must be close.
        stems = {p.name: p.name.removesuffix(path.suffix) for p in folder.iterdir() if p.is_file()}
        close = [
            name
            for name in get_close_matches(path.name, stems, n=3)
            if get_close_matches(path.name.removesuffix(path.suffix), [stems[name]])
        ]
        if close:
            return f"there is no file {path}; did you mean {folder / close[0]}?"
    return f"there is no file {path}"


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
