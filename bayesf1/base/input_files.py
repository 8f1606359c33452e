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
from functools import cached_property, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from bayesf1.base.naming import printable
from bayesf1.base.text_files import BOM, StrPath

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 16
_BLOCK = 1 << 20
# The most bytes that are unpacked or taken from a pipe. A text that is held whole has at most a 16th of it, and a line
# or a document of JSON, whose parsed form takes ten times the memory, a 64th.
MAX_BYTES = 1 << 32
LINE_SHARE = 64


@dataclass(frozen=True)
class InputFile:
    r"""A file to read.

    Attributes
    ----------
    name
        Its name in errors.
    path
        Where its bytes are, unpacked.
    max_bytes
        The bound on texts and lines that are held in memory.

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
    max_bytes: int = MAX_BYTES

    @classmethod
    def of(cls, path: StrPath, max_bytes: int = MAX_BYTES) -> InputFile:
        """Return a file by its path, or raise an error if there is no file to read."""
        _check_readable(Path(path))
        return cls(str(path), Path(path), max_bytes)

    def __str__(self) -> str:
        return self.name

    def open(self) -> BinaryIO:
        """Open the file to read its bytes."""
        return self.path.open("rb")

    def check_size(self, n_bytes: int, share: int = 1, what: str = "") -> None:
        """Raise a ValueError if a file, or a part of it, is larger than its share of what may be read."""
        most = self.max_bytes // share
        if n_bytes > most:
            n_megabytes = most >> 20
            size = f"{n_megabytes:,} MB" if n_megabytes else f"{most:,} bytes"
            raise ValueError(
                f"{self}{what} is larger than {size}; split it, or give bf.read a larger max_bytes="
            )

    def raw_lines(self) -> Iterator[bytes]:
        """Yield lines; a line so long that memory might run out is refused."""
        most = self.max_bytes // LINE_SHARE
        with self.open() as stream:
            read_line = partial(stream.readline, most + 1)
            for number, line in enumerate(iter(read_line, b""), 1):
                if len(line) > most:
                    self.check_size(len(line), LINE_SHARE, f", line {number},")
                yield line.removeprefix(BOM) if number == 1 else line

    def text(self) -> str:
        """Return the whole text in UTF-8, its lines ended by line feeds."""
        self.check_size(self.size, 16)
        with self.open() as stream:
            data = stream.read().removeprefix(BOM)
        # From the start of one line to that of the next that is no longer than allowed.
        start = 0
        most = self.max_bytes // LINE_SHARE
        while len(data) - start > most:
            end = data.rfind(b"\n", start, start + most + 1)
            if end < 0:
                self.check_size(most + 1, LINE_SHARE, f", line {_line_of(data, start)},")
            start = end + 1
        try:
            text = data.decode("utf-8").replace("\r\n", "\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            line = _line_of(data, error.start)
            byte = data[error.start]
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
        """The number of bytes."""
        return self.path.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark."""
        with self.open() as stream:
            return stream.read(_HEAD).removeprefix(BOM)

    @cached_property
    def lines(self) -> list[str]:
        """The first lines, as far as they are text in UTF-8; the last one only if it is complete."""
        head = self.head
        cut = len(head) >= _HEAD - len(BOM)
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as error:
            text = head[: error.start].decode("utf-8")
            cut = True
        lines = [] if "\0" in text else text.split("\n")
        # A first line longer than what was read tells more than nothing.
        if cut and (len(lines) > 1 or b"\n" in head):
            lines = lines[:-1]
        return [line.rstrip("\r") for line in lines]

    @property
    def suffix(self) -> str:
        """The ending of the name, without that of compression, in lower case."""
        path = Path(self.name)
        if path.suffix.lower() in (".gz", ".gzip"):
            path = Path(path.stem)
        return path.suffix.lower()


# How `input_files` gives files by their names.
Take: TypeAlias = Callable[[StrPath], InputFile]


@contextmanager
def input_files(max_bytes: int = MAX_BYTES) -> Iterator[Take]:
    r"""Give files by their names; what has to be unpacked or is piped lies in a folder that goes at the end.

    No file may unpack to more than `max_bytes`.

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
            file = InputFile(name, Path(folder, f"{len(copies)}"), max_bytes)
            copies.append(name)
            _copy(stream, file)
            return file

        def take(named: StrPath) -> InputFile:
            if str(named) == "-":
                if "standard input" in copies:
                    raise ValueError(
                        "standard input (-) is named twice, but can be read once; store it in a file"
                    )
                file = copied(sys.stdin.buffer, "standard input")
            elif Path(named).is_fifo():
                with Path(named).open("rb") as stream:
                    file = copied(stream, str(named))
            else:
                file = InputFile.of(named, max_bytes)
            with file.open() as stream:
                packed = stream.read(2) == _GZIP
            if packed:
                with gzip.open(file.path) as unpacked:
                    file = copied(unpacked, file.name)
            return file

        yield take


def _line_of(data: bytes, place: int) -> int:
    """Return the number of the line that contains a byte."""
    return data.count(b"\n", 0, place) + 1


def _check_readable(path: Path) -> None:
    """Raise an error that says that something is not a file, or does not exist."""
    try:
        path.stat()
    except FileNotFoundError:
        folder = path.parent
        names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
        near = get_close_matches(path.name, names, 1, 0.8)
        hint = f"; did you mean {folder / near[0]}?" if near else ""
        raise FileNotFoundError(printable(f"there is no file {path}{hint}")) from None
    if path.is_dir():
        raise ValueError(f"{printable(str(path))} is a folder, not a file; name a file in it")
    if not path.is_file():
        raise ValueError(f"{printable(str(path))} is a device, pipe or socket, not a file to read")


def _copy(stream: Any, file: InputFile) -> None:
    size = 0
    with file.path.open("wb") as out:
        try:
            while block := stream.read(_BLOCK):
                if not size and not block.strip(b"\0"):
                    raise ValueError(
                        f"{file} begins with nothing but zero bytes, so it is not a file to read"
                    )
                size += len(block)
                file.check_size(size, what=" when unpacked")
                out.write(block)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{file} is a damaged gzip file ({error}); copy or pack it again") from None
