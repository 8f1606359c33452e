"""Reading: from what was named on the command line to an `Evaluation`, and to the pairs of models in it."""

from __future__ import annotations

import argparse
from contextlib import suppress
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import Any

import bayesf1 as bf
from bayesf1.base.naming import listing
from bayesf1.evaluation.runs import dotted_runs

# More pairs than this take long and tell little.
_MAX_PAIRS = 500


def given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return those of the named options that were given."""
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def evaluation(args: argparse.Namespace) -> bf.Evaluation:
    """Read whatever was named on the command line."""
    from bayesf1.reading.sources import read_sources

    counts = given(args, "task", "cv", "discount")
    if "cv" in counts:
        counts["cv"] = bf.BlockedCV.parse(args.cv)
    try:
        ev = read_sources(
            args.files,
            counts=counts,
            predictions=given(args, "gold", "columns", "group", "positive"),
            tags=given(args, "scheme", "mode", "types", "unit", "by_type"),
            scores=_scores(args),
        )
    except FileNotFoundError as error:
        raise ValueError(_no_such_file(Path(error.filename or args.files[0]))) from None
    return ev.with_runs(dotted_runs(ev.models)) if args.runs else ev


def _scores(args: argparse.Namespace) -> dict[str, Any] | None:
    """Return the options of a file of scores, or None where it is another one."""
    if args.scored is None:
        if args.lower_is_better:
            raise ValueError(
                "--lower-is-better says how to read scores; give --scores with it, or leave it out"
            )
        return None
    return given(args, "scored", "columns", "unit", "lower_is_better")


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


def _no_such_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no file {path}, nor a folder {folder}"
    with suppress(OSError):
        close = get_close_matches(path.name, [p.name for p in folder.iterdir() if p.is_file()], n=1)
        if close:
            return f"there is no file {path}; did you mean {folder / close[0]}?"
    return f"there is no file {path}"


def pairs(ev: bf.Evaluation, args: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the two models that were named by ``--models``, or all pairs."""
    if args.models is not None:
        return [tuple(args.models)]
    n = len(ev.names)
    if n < 2:
        what = "method" if ev.methods else "model"
        raise ValueError(f"{args.files[0]} has one {what} ({ev.names[0]}); comparing takes two")
    if n * (n - 1) // 2 > _MAX_PAIRS:
        raise ValueError(
            f"{args.files[0]} has {n} models ({listing(ev.names, most=3)}), too many to compare all pairs; "
            "choose two by --models A B"
        )
    return list(combinations(ev.names, 2))
