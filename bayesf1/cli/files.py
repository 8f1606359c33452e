"""The files that a command line names, to read and to write, and the check that these are different files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bayesf1.base.text_files import followed
from bayesf1.cli.output import chosen_format
from bayesf1.output.answer import DEFAULT

# Options with files that are read, and with files that are written.
_READ = ("qrels", "previous")
_WRITTEN = ("output", "save", "plot", "report")


def name_and_path(text: str) -> tuple[str | None, str]:
    """Return the parts of ``name=path``; the path of an existing file has no name, even if it has an equals sign."""
    name, _, path = text.partition("=")
    if name.strip() and path and not Path(text).exists():
        return name, path
    return None, text


def check_files(args: argparse.Namespace) -> None:
    """Refuse a file to write that is read, that is named twice or that has a wrong ending, before anything is computed."""
    # Not every command has all of these options.
    options = vars(args)
    read = _read_paths(options)
    written: dict[str, Path] = {}
    for name in _WRITTEN:
        path = options.get(name)
        if path is None:
            continue
        target = followed(path)
        if target.exists() and not target.is_file():
            # A device may be written to several times.
            continue
        for other, other_target in written.items():
            if _are_same(target, other_target):
                raise ValueError(f"--{other} and --{name} name one file, {path}; give two")
        written[name] = target
        for option, source in read:
            # The next look replaces the last one.
            is_next_look = (option, name) == ("previous", "save")
            if not is_next_look and (_are_same(target, source) or _is_read_in(source, target)):
                raise ValueError(f"--{name} {path} is an input file; name another")
    form = chosen_format(args)
    if options.get("verbose", False) and form != DEFAULT:
        raise ValueError(f"--verbose adds sentences to a {DEFAULT}, and the format is {form}; leave it out")
    plot = options.get("plot")
    if plot is not None:
        from bayesf1.output.panels import check_path

        check_path(plot)
    report = options.get("report")
    if report is not None and not report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {report} should end with .html")


def _read_paths(options: Mapping[str, Any]) -> list[tuple[str, Path]]:
    """Return the paths that are read, each with the name of its option."""
    paths = []
    for text in options.get("files", ()):
        _, path = name_and_path(text)
        # A file may have the name that is used for standard input.
        if path != "-":
            paths.append(("files", Path(path)))
    for name in _READ:
        if options.get(name) is not None:
            paths.append((name, Path(options[name])))
    return paths


def _are_same(a: Path, b: Path) -> bool:
    """Return whether two paths lead to the same file, even if they are spelled differently."""
    if a.exists() and b.exists():
        return a.samefile(b)
    return a.resolve() == b.resolve()


def _is_read_in(folder: Path, file: Path) -> bool:
    """Return whether a file is in a folder and may be among the files that are read there."""
    if not file.exists() or folder.resolve() not in file.resolve().parents:
        return False
    from bayesf1.io.read import INPUT_FORMATS

    # Formats that read every file of a folder would refuse our output.
    patterns = {pattern for fmt in INPUT_FORMATS for pattern in fmt.folder.split()} - {"*"}
    return any(fnmatch(file.name, pattern) for pattern in patterns)
