"""What a format of files is: how it is recognised, what it is told, and how it becomes an `Evaluation`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from bayesf1.base.input_files import InputFile, Take
from bayesf1.base.naming import listing, printable
from bayesf1.base.text_files import StrPath
from bayesf1.evaluation import Evaluation

_MAX_FILES = 100_000


@dataclass(frozen=True)
class InputSource:
    """What was named for one model, or for gold: a file, or several by their names in a folder.

    Attributes
    ----------
    name
        As it was named.
    paths
        The paths of the files, by those in the folder; of a file alone by its name.
    opened
        What opens a file by its path.
    folder
        Whether it is a folder, and not one file.
    """

    name: str
    paths: Mapping[str, StrPath]
    opened: Take
    folder: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def files(self) -> dict[str, InputFile]:
        """Return the files by their names."""
        return {name: self.opened(path) for name, path in self.paths.items()}

    @property
    def first(self) -> InputFile:
        """Return the first file; of a wrong folder no other is opened."""
        return self.opened(next(iter(self.paths.values())))

    @property
    def file(self) -> InputFile:
        """Return the file where there is just one."""
        if len(self.paths) > 1:
            raise ValueError(f"{self.name} holds {len(self.paths):,} files, but one is needed; name the file")
        return self.first

    def matching(self, patterns: str) -> InputSource:
        """Return the place with those of a folder's files whose names match one of the patterns."""
        if not self.folder:
            return self
        names = [n for n in self.paths if any(fnmatch(n.rpartition("/")[2], p) for p in patterns.split())]
        return replace(self, paths={name: self.paths[name] for name in names})


def find_place(named: StrPath, take: Take) -> InputSource:
    """Return the file, or the files of a folder."""
    path, name = Path(named), str(named)
    opened: Take = cache(take)  # type: ignore[assignment]
    if name == "-" or not path.is_dir():
        return InputSource(opened(named).name, {path.name: named}, opened)
    relative = ((p, p.relative_to(path)) for p in _walked(path))
    seen = (r.as_posix() for p, r in relative if p.is_file() and not any(x.startswith(".") for x in r.parts))
    names = sorted(islice(seen, _MAX_FILES + 1))
    if not names:
        raise ValueError(f"{printable(name)} is a folder without files; name another")
    if len(names) > _MAX_FILES:
        raise ValueError(f"{printable(name)} holds more than {_MAX_FILES:,} files; name a smaller folder")
    return InputSource(name, {each: path / each for each in names}, opened, folder=True)


def _walked(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, but for hidden ones."""
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(here, name) for name in files)


@dataclass(frozen=True)
class ReadRequest:
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

    alone: InputSource | None
    models: Mapping[str, InputSource]
    options: Mapping[str, Any]

    @property
    def places(self) -> tuple[InputSource, ...]:
        """Return all places."""
        return (*(() if self.alone is None else (self.alone,)), *self.models.values())

    @property
    def first(self) -> InputFile:
        """Return the first file."""
        return self.places[0].first

    def named_models(self, what: str) -> Mapping[str, InputSource]:
        """Return the models' places, or say that there is none."""
        if not self.models:
            raise ValueError(f"{self.alone} is {what} of one model; name each model's, as bert={self.alone}")
        return self.models

    def matching(self, patterns: str) -> ReadRequest:
        """Return the request for those files of folders whose names match one of the patterns, if there are any."""
        if not patterns:
            return self
        alone = None if self.alone is None else self.alone.matching(patterns)
        found = ReadRequest(
            alone, {n: place.matching(patterns) for n, place in self.models.items()}, self.options
        )
        for place in found.places:
            if not place.paths:
                raise ValueError(f"{place} has no file {patterns.replace(' ', ' or ')}")
        return found

    def without_gold(self, why: str) -> None:
        """Say that a file of gold does not belong here."""
        if self.alone is not None and self.models:
            raise ValueError(f"{self.alone} has no model's name, but {why}; name it, or leave it out")


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
        Whether the beginning of a file, perhaps with the options given, is of this format.
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
    recognises: Callable[[InputFile, Mapping[str, Any]], bool]
    options: tuple[str, ...]
    read: Callable[[ReadRequest], Evaluation]
    folder: str = ""
    tasks: Callable[[InputSource], Iterable[str]] = lambda place: ()
    gold_file: bool = False

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Say which option does not apply."""
        for name in given:
            if name == "gold" and self.gold_file:
                raise ValueError(
                    f"gold= names a column, but {self.about} has none; give the file or folder of gold with gold_file="
                )
            if name not in self.options:
                raise ValueError(
                    f"{name}= does not apply to {self.about}; leave it out. What applies: {listing(self.options) or 'none'}"
                )
