"""Reading: from what was named on the command line to an `Evaluation`, and to the pairs of models in it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import bayesf1 as bf
from bayesf1.base.checks import DEFAULT_RNG
from bayesf1.base.naming import listing
from bayesf1.commands.input_options import READ
from bayesf1.commands.options import read_names

# More pairs than this take long and tell little.
_MAX_PAIRS = 500


def given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return those of the named options that were given."""
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def changed(args: argparse.Namespace, **options: Any) -> argparse.Namespace:
    """Return the options with some of them set otherwise."""
    return argparse.Namespace(**{**vars(args), **options})


def evaluation(args: argparse.Namespace) -> bf.Evaluation:
    """Read whatever was named on the command line."""
    source, options = _to_read(args)
    try:
        return bf.read(source, **options)
    except FileNotFoundError as error:
        raise ValueError(str(error)) from None


def python_call(args: argparse.Namespace) -> str:
    """Return the call that reads the same in Python.

    Examples
    --------
    >>> args = argparse.Namespace(files=["gold.conll", "crf=crf.conll"], input_format=None, runs=False, by_type=True)
    >>> python_call(args)
    "bf.read({'crf': 'crf.conll'}, gold_file='gold.conll', by_type=True)"
    """
    source, options = _to_read(args)
    if isinstance(source, dict):
        source = {name: paths[0] if len(paths) == 1 else paths for name, paths in source.items()}
    return f"bf.read({', '.join([repr(source), *(f'{name}={value!r}' for name, value in options.items())])})"


def _to_read(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """Return what `bf.read` is to read, and the options that were given."""
    alone, models = _sources(args.files)
    found: dict[str, Any] = {"gold_file": alone if models else None, "input_format": args.input_format}
    found |= {"runs": args.runs or None} | {name: getattr(args, name, None) for name in READ}
    return models or alone, {
        name: value for name, value in found.items() if value is not None and value is not False
    }


def reproducible(args: argparse.Namespace) -> str:
    """Return the command line with the start of the random numbers, which is 0 where none was given."""
    start = "" if args.rng is not None else f" --rng {DEFAULT_RNG}"
    return f"{args.command_line}{start}"


def evaluations(args: argparse.Namespace) -> list[bf.Evaluation]:
    """Read whatever was named, once for each measure where files are scored by several."""
    return [evaluation(each) for each in by_measure(args)]


def by_measure(args: argparse.Namespace) -> list[argparse.Namespace]:
    """Return the arguments, once for each measure where files are scored by several."""
    names = [None] if args.measure is None else read_names(args.measure)
    if len(names) > 1:
        paths = [(name_and_path(file) or ("", file))[1] for file in args.files]
        for path in [*paths, *([] if args.qrels is None else [args.qrels])]:
            if path == "-" or Path(path).is_fifo():
                raise ValueError(
                    f"{path} can be read once, but --measure names {len(names)}; give one, or store the file first"
                )
    return [changed(args, measure=name) for name in names]


def _sources(files: Sequence[str]) -> tuple[str | None, dict[str, list[str]]]:
    """Return the file without a model's name, if any, and the files of each model; several are its runs."""
    alone, models = None, dict[str, list[str]]()
    for i, file in enumerate(files):
        pair = name_and_path(file)
        if pair is not None:
            models.setdefault(pair[0], []).append(pair[1])
        elif i:
            shards = all(".json" in Path(each).name for each in (file, files[0]))
            also = ", or put evaluations of shards in a folder and name that" if shards else ""
            raise ValueError(f"{file!r} has no name; write name={file} for a model's file{also}")
        else:
            alone = file
    return alone, models


def name_and_path(text: str) -> tuple[str, str] | None:
    """Return the parts of ``name=path``; None for the path of a file alone, which may hold an equals sign."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and name.strip() and path and not Path(text).exists() else None


def evaluation_of_units(args: argparse.Namespace, purpose: str) -> bf.Evaluation:
    """Read what was named, and say so where it holds totals only."""
    ev = evaluation(args)
    if not ev.under().shared:
        raise ValueError(
            f"{args.files[0]} holds totals only, but {purpose} takes what the models did on every item or sentence: "
            "a table of predictions with --gold, or column files as NAME=FILE"
        )
    return ev


def per_class(ev: bf.Evaluation, metrics: list[str] | None) -> list[str]:
    """Return the first measure, of every class by itself."""
    if not ev.classes:
        raise ValueError(
            "--per-class needs several classes: more than two labels, or column files with --by-type"
        )
    metric = "f1" if metrics is None else metrics[0]
    return [f"{metric}[{name}]" for name in ev.classes]


def pairs(ev: bf.Evaluation, args: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the two models that were named by ``--models``, or all pairs."""
    if args.models is not None:
        return [tuple(args.models)]
    n = len(ev.names)
    if n < 2:
        what = "method" if ev.methods else "model"
        place = (name_and_path(args.files[-1]) or ("", args.files[0]))[1]
        raise ValueError(
            f"{place} has one {what} ({ev.names[0]}); comparing takes two, and bayesf1 interval gives the scores of one"
        )
    if n * (n - 1) // 2 > _MAX_PAIRS:
        raise ValueError(
            f"{args.files[0]} has {n} models ({listing(ev.names, most=3)}), too many to compare all pairs; "
            "choose two by --models A B"
        )
    return list(combinations(ev.names, 2))
