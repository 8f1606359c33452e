"""Formats of files: how a file is recognised, which options apply, and how it becomes an `Evaluation`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from bayesf1.base.input_files import InputFile, Take
from bayesf1.base.naming import listing, printable
from bayesf1.base.text_files import StrPath
from bayesf1.evaluation import Evaluation

_MAX_FILES = 100_000

# A file, or several that follow one another.
InputFiles: TypeAlias = Sequence[InputFile]


@dataclass(frozen=True)
class InputSource:
    """The files of one model, or of gold: a file, or several by their names in a folder.

    Attributes
    ----------
    name
        The file or folder as it was named.
    paths
        The paths of the files by their names; in a folder these are relative to it.
    opened
        The function that opens a file by its path.
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
        """Return the first file, by which a folder is recognised before other files are opened."""
        return self.opened(next(iter(self.paths.values())))

    @property
    def file(self) -> InputFile:
        """Return the only file; raise a ValueError if there are several."""
        if len(self.paths) > 1:
            raise ValueError(f"{self.name} holds {len(self.paths):,} files, but one is needed; name the file")
        return self.first

    def matching(self, patterns: str) -> InputSource:
        """Return the files of a folder whose names match one of the patterns; a file alone matches always."""
        if not self.folder:
            return self
        paths = {}
        for name, path in self.paths.items():
            _, _, file_name = name.rpartition("/")
            if any(fnmatch(file_name, pattern) for pattern in patterns.split()):
                paths[name] = path
        return replace(self, paths=paths)


def find_place(named: StrPath, take: Take) -> InputSource:
    """Return the file, or the files of a folder."""
    path = Path(named)
    name = str(named)
    opened: Take = cache(take)  # type: ignore[assignment]
    if name == "-" or not path.is_dir():
        return InputSource(opened(named).name, {path.name: named}, opened)
    names = sorted(islice(_names_of_files(path), _MAX_FILES + 1))
    if not names:
        raise ValueError(f"{printable(name)} is a folder without files; name another")
    if len(names) > _MAX_FILES:
        raise ValueError(f"{printable(name)} holds more than {_MAX_FILES:,} files; name a smaller folder")
    return InputSource(name, {each: path / each for each in names}, opened, folder=True)


def _names_of_files(folder: Path) -> Iterator[str]:
    """Yield the relative paths of the files in a folder and in its folders, without hidden ones."""
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(here, name)
            if path.is_file() and not name.startswith("."):
                yield path.relative_to(folder).as_posix()


@dataclass(frozen=True)
class ReadRequest:
    """The files to read, and the options.

    Attributes
    ----------
    alone
        The files without a model's name: those that hold everything, or those of gold if models have files.
    models
        The files of each model.
    options
        The options that were given, by their names in `read`.
    """

    alone: InputSource | None
    models: Mapping[str, InputSource]
    options: Mapping[str, Any]

    @property
    def places(self) -> tuple[InputSource, ...]:
        """Return all places."""
        if self.alone is None:
            return tuple(self.models.values())
        return (self.alone, *self.models.values())

    @property
    def first(self) -> InputFile:
        """Return the first file."""
        return self.places[0].first

    def named_models(self, what: str) -> Mapping[str, InputSource]:
        """Return the models' places; raise a ValueError if there are none."""
        if not self.models:
            raise ValueError(f"{self.alone} is {what} of one model; name each model's, as bert={self.alone}")
        return self.models

    def matching(self, patterns: str) -> ReadRequest:
        """Return the request for those files of folders whose names match one of the patterns, if there are any."""
        if not patterns:
            return self
        alone = None if self.alone is None else self.alone.matching(patterns)
        models = {name: place.matching(patterns) for name, place in self.models.items()}
        request = replace(self, alone=alone, models=models)
        for place in request.places:
            if not place.paths:
                raise ValueError(f"{place} has no file {patterns.replace(' ', ' or ')}")
        return request

    def without_gold(self, why: str) -> None:
        """Raise a ValueError if there is a gold file, which does not belong here."""
        if self.alone is not None and self.models:
            raise ValueError(f"{self.alone} has no model's name, but {why}; name it, or leave it out")


def gold_and_models(request: ReadRequest, what: str) -> tuple[InputFiles, dict[str, InputFiles]]:
    """Return the gold files and those of each model."""
    models = request.named_models(what)
    if request.alone is None:
        raise ValueError(f"{request.places[0]} is a model's file; also give the gold file with gold_file=")
    gold, *others = matched_files([request.alone, *models.values()])
    return gold, dict(zip(models, others, strict=True))


def matched_files(places: Sequence[InputSource]) -> list[InputFiles]:
    """Return the files of each place; those of folders are matched by their names."""
    first = places[0]
    if any(place.folder != first.folder for place in places):
        raise ValueError(f"{first} and the models' are not all folders, or not all files; give one kind")
    if not first.folder:
        return [[place.file] for place in places]
    for place in places:
        _check_names(place, first)
        _check_names(first, place)
    return [[place.opened(place.paths[name]) for name in first.paths] for place in places]


def _check_names(folder: InputSource, other: InputSource) -> None:
    """Raise a ValueError if a folder lacks a file of another one."""
    missing = [name for name in other.paths if name not in folder.paths]
    if missing:
        raise ValueError(
            f"{folder} has no file {listing(missing, most=3)}, but {other} has; files are matched by name"
        )


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name
        Its name as an option's value.
    about
        A noun for such a file in errors and documentation, as ``"a TREC run"``.
    recognises
        A function that recognises the format by the beginning of a file, perhaps with the options given.
    options
        Names of the options that it takes.
    read
        The function that makes an Evaluation of the files.
    folder
        Patterns of the names of its files in a folder, with blanks between; empty if it does not come in folders.
    tasks
        The function that gives the names of the tasks in a file or folder that may hold several.
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
        """Raise a ValueError if an option does not apply."""
        for name in given:
            if name == "gold" and self.gold_file:
                raise ValueError(
                    f"gold= names a column, but {self.about} has none; give the file or folder of gold with gold_file="
                )
            if name not in self.options:
                options = listing(self.options) if self.options else "none"
                raise ValueError(
                    f"{name}= does not apply to {self.about}; leave it out. What applies: {options}"
                )
