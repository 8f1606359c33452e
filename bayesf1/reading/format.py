"""What a format of files is: how it is recognised, what it is told, and how it becomes an `Evaluation`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from bayesf1.base.errors import Argument, WordedError, Wording
from bayesf1.base.input_files import InputFile, Take
from bayesf1.base.latex import printable
from bayesf1.base.naming import listing
from bayesf1.evaluation.evaluation import Evaluation

_MAX_FILES = 100_000


@dataclass(frozen=True)
class _Files(Mapping[str, InputFile]):
    """Files of a folder by their names, each opened when it is asked for: of a wrong folder that is none but the first."""

    names: Mapping[str, None]
    opened: Callable[[str], InputFile]

    def __getitem__(self, name: str) -> InputFile:
        if name not in self.names:
            raise KeyError(name)
        return self.opened(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Place:
    """What was named for one model, or for gold: a file, or several by their names in a folder.

    Attributes
    ----------
    name
        As it was named.
    files
        The files, by their path in the folder; of a file alone by its name.
    folder
        Whether it is a folder or a pattern, and not one file.
    """

    name: str
    files: Mapping[str, InputFile]
    folder: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def file(self) -> InputFile:
        """Return the file where there is just one."""
        if len(self.files) > 1:
            raise ValueError(f"{self.name} holds {len(self.files):,} files where one belongs; name the file")
        return next(iter(self.files.values()))

    def matching(self, patterns: str) -> Place:
        """Return the place with those of a folder's files whose names match one of the patterns."""
        if not self.folder:
            return self
        asked = patterns.split()
        kept = [n for n in self.files if any(fnmatch(n.rpartition("/")[2], pattern) for pattern in asked)]
        return replace(self, files=_Files(dict.fromkeys(kept), self.files.__getitem__))


def find_place(named: str | PathLike[str], take: Take) -> Place:
    """Return the file, the files of a folder, or those that match a pattern such as ``runs/*.conll``."""
    path, name = Path(named), str(named)
    if name == "-" or not (path.is_dir() or (any(c in name for c in "*?[") and not path.exists())):
        file = take(named)
        return Place(file.name, {path.name: file})
    if path.is_dir():
        root, found = path, _walked(path)
    else:
        root = Path(path.anchor)
        parts = list(path.parts[1:] if path.anchor else path.parts)
        while parts and not any(c in parts[0] for c in "*?["):
            root /= parts.pop(0)
        found = root.glob("/".join(parts))
    relative = ((p, p.relative_to(root)) for p in found)
    seen = (r.as_posix() for p, r in relative if p.is_file() and not any(x.startswith(".") for x in r.parts))
    names = sorted(islice(seen, _MAX_FILES + 1))
    if not names:
        what = "is a folder without files" if path.is_dir() else "matches no file"
        raise ValueError(f"{printable(name)} {what}; name another file")
    if len(names) > _MAX_FILES:
        raise ValueError(f"{printable(name)} holds more than {_MAX_FILES:,} files; name a smaller folder")
    return Place(name, _Files(dict.fromkeys(names), cache(lambda name: take(root / name))), folder=True)


def _walked(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, but for hidden ones."""
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(here, name) for name in files)


@dataclass(frozen=True)
class Request:
    """What is to be read.

    Attributes
    ----------
    alone
        What stands there without a model's name: the file that holds everything, or beside models the file of gold.
    models
        What each model has.
    options
        Those options that were given, by their names in `read`.
    """

    alone: Place | None
    models: Mapping[str, Place]
    options: Mapping[str, Any]

    @property
    def places(self) -> tuple[Place, ...]:
        """Return all places."""
        return (*(() if self.alone is None else (self.alone,)), *self.models.values())

    @property
    def first(self) -> InputFile:
        """Return the first file."""
        return next(iter(self.places[0].files.values()))

    def named_models(self, what: str) -> Mapping[str, Place]:
        """Return the models' places, or say that there is none."""
        if not self.models:
            raise WordedError(
                f"{self.alone} is {what} of one model; give each model's by its name, as bert={self.alone}"
            )
        return self.models

    def without_gold(self, why: str) -> None:
        """Say that a file of gold does not belong here."""
        if self.alone is not None and self.models:
            raise ValueError(
                f"{self.alone} has no model's name, but {why}; write name={self.alone}, or leave it out"
            )


# Whether the beginning of a file, perhaps with the options given, is of a format.
Recognises = Callable[[InputFile, Mapping[str, Any]], bool]


def _no_tasks(place: Place) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name
        Its name as an option's value.
    about
        What a file of it is, for errors and documentation, as ``"a TREC run"``.
    recognises
        Whether a file is of this format, by what stands at its beginning.
    options
        Names of the options that it takes.
    read
        What makes an Evaluation of the files.
    folder
        Which files of a folder are of it, as patterns with blanks between; none where it does not come in folders.
    tasks
        What gives the names of the tasks, where what was named may hold several.
    gold_file
        Whether gold is a file or folder by itself, and never a column that has a name.
    """

    name: str
    about: str
    recognises: Recognises
    options: tuple[str, ...]
    read: Callable[[Request], Evaluation]
    folder: str = ""
    tasks: Callable[[Place], Iterable[str]] = _no_tasks
    gold_file: bool = False

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Say which option does not apply."""
        for name in given:
            if name == "gold" and self.gold_file:
                raise WordedError(
                    Argument(name),
                    f" names a column, which {self.about} has not; ",
                    Wording(
                        "give the file or folder of gold by gold_file", "put the file or folder of gold first"
                    ),
                )
            if name not in self.options:
                raise WordedError(
                    Argument(name),
                    f" does not apply to {self.about}; leave it out. What applies: ",
                    *_spelled(self.options),
                )


def _spelled(options: tuple[str, ...]) -> list[str]:
    parts: list[str] = []
    for i, name in enumerate(options):
        parts += [", "] * bool(i) + [Argument(name)]
    return parts or ["none"]


def fields_of(line: str) -> list[str]:
    """Return the fields of a line, at tabs where it has some, else at runs of blanks."""
    return line.split("\t") if "\t" in line else line.split()


# How files begin that are none of ours but well known, and what to do.
_SAVE, _UNPACK = "; save its table as CSV or Parquet", "; unpack it, or pack it by gzip"
_BEGINNINGS = {
    b"PK\x03\x04": "a zip archive, as Excel's workbooks are; save its table as CSV, or unpack it",
    b"\x89HDF": f"an HDF5 file{_SAVE}",
    b"\x93NUMPY": f"an array of NumPy{_SAVE}",
    b"\x80\x04\x95": f"a pickle of Python, which is not opened, as it may run anything{_SAVE}",
    b"\x80\x05\x95": f"a pickle of Python, which is not opened, as it may run anything{_SAVE}",
    b"SQLite format 3": f"a database of SQLite{_SAVE}",
    b"BZh": f"compressed by bzip2{_UNPACK}",
    b"\xfd7zXZ": f"compressed by xz{_UNPACK}",
    b"\x28\xb5\x2f\xfd": f"compressed by Zstandard{_UNPACK}",
}


def described(file: InputFile, known: str) -> str:
    """Say what a file of no known format looks like, and which formats are known or what to do."""
    if not file.head:
        return "is empty"
    for beginning, what in _BEGINNINGS.items():
        if file.head.startswith(beginning):
            return f"is {what}"
    if file.head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in file.head[1:4:2] + file.head[:4:2]:
        return "is text in UTF-16 or UTF-32, not in UTF-8; save it as UTF-8"
    first = next((line for line in file.lines if line.strip()), "")
    if not file.lines:
        stranger = _stranger(file.head)
        if stranger is not None:
            return f"has byte 0x{file.head[stranger]:02x} in line 1, which is not UTF-8; save it as UTF-8"
        said = f"is no text in UTF-8: it begins with the bytes {file.head[:8].hex(' ')}"
    else:
        said = f"begins with {first[:60]!r}" if first else "holds blank lines only"
    columns = (
        ""
        if any(c in first for c in " ,;\t{[")
        else "; a table has at least two columns, separated by commas, semicolons or tabs"
    )
    return f"{said}, of no format that is known here: {known}{columns}"


def _stranger(head: bytes) -> int | None:
    """Return where the first byte stands that is no UTF-8 in what otherwise looks like text."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start if all(c > 31 or c in b"\t\r\n" for c in head[:200]) else None
    return None


def check_same_names(models: Mapping[str, Place], gold: Place) -> None:
    """Say which document of gold a model has no file of, or which of its files gold lacks."""
    for model, place in models.items():
        for lacks, has, whose in ((place, gold, "gold"), (gold, place, f"model {model!r}")):
            missing = [name for name in has.files if name not in lacks.files]
            if missing:
                raise ValueError(
                    f"{lacks} has no file {listing(missing, most=3)}, but {whose} has, in {has}; files are matched by name"
                )
