"""Which columns of a table are models': those named, or a guess that refuses what it is not sure of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing
from bayesf1.base.text_files import read_number
from bayesf1.io.tables import Table

# As many rows tell what a column is.
_SAMPLE = 10_000
_TRUTH = {"true": 1.0, "false": 0.0}
# What else answers right or wrong are called.
_TOTALS = frozenset(("all", "mean", "average", "avg", "overall", "total"))
FLAGS = {
    **_TRUTH,
    **dict.fromkeys(("t", "yes", "y", "right", "correct", "pass"), 1.0),
    **dict.fromkeys(("f", "no", "n", "wrong", "incorrect", "fail"), 0.0),
}


def named_columns(
    given: str | Sequence[str] | Mapping[str, str], table: Table, option: str
) -> dict[str, str]:
    """Return the models' columns by their names: as given, or without the part of nested names that all share.

    ``name=column`` names a column, and ``*.is_correct`` stands for all columns that match.
    """
    if isinstance(given, Mapping):
        table.check(*given.values())
        return dict(given)
    found: dict[str, str] = {}
    for text in [given] if isinstance(given, str) else given:
        name, _, column = text.rpartition("=") if text not in table.header else ("", "", text)
        matching = [c for c in table.header if fnmatch(c, column)] if "*" in column else [column]
        if not matching:
            raise ValueError(f"{table} has no column that matches {column!r}; it has {listing(table.header)}")
        for each in matching:
            if (name or each) in found:
                raise ValueError(f"{option}= names {name or each!r} twice; models need one column each")
            found[name or each] = each
    table.check(*found.values())
    return _shortened(found)


def guess_label_columns(table: Table, gold: str, other: Iterable[str | None]) -> dict[str, str]:
    """Return the columns of predictions: all but gold, ids and those named otherwise.

    A column whose values are mostly no gold labels is refused, and not passed over, as it may be a model's.
    """
    candidates = [c for c in table.header if c not in (gold, "", *other)]
    sample = table.load([gold, *candidates], optional=[gold, *candidates], most=_SAMPLE)
    models = [name for name in candidates if not is_identifier(sample[name])]
    known = {_plain(value) for value in sample[gold].dropna().unique().tolist()}
    fitting = [name for name in models if _holds_labels(sample[name], known)]
    for name in models:
        if name not in fitting:
            values = sample[name].dropna().unique().tolist()
            strange = next((value for value in values if _plain(value) not in known), None)
            raise ValueError(
                f"{table}, column {name!r}, has values like {strange!r:.40}, and more than half of its values are no gold "
                "labels (probabilities go to bf.from_probabilities); name the models' columns by "
                f"columns={fitting or ''}{rows_of_models(table)}"
            )
    if not models:
        raise ValueError(
            f"{table} has no column of predictions beside {gold!r}; it has {listing(table.header)}"
        )
    return {name: name for name in models}


def guess_score_columns(table: Table, other: Iterable[str | None]) -> dict[str, str]:
    """Return the columns of scores: all but ids and those named otherwise, if all of them may be of one metric."""
    candidates = [c for c in table.header if c not in ("", *other)]
    sample = table.load(candidates, optional=candidates, most=_SAMPLE) if candidates else {}
    models = [name for name in candidates if not is_identifier(sample[name])]
    for name in (name for name in candidates if name not in models):
        # A row of averages, as other tools write it, is no score of its own.
        if total := next((v for v in sample[name] if str(v).strip().lower() in _TOTALS), None):
            raise ValueError(f"{table} has a row {total!r} in column {name!r}, hardly a unit; remove it")
    rest = {name: as_numbers(sample[name].dropna().unique().tolist()) % 1.0 for name in models}
    # One bad cell makes no model something else; it is refused when it is read.
    words = any(np.isnan(values).mean() > 0.5 for values in rest.values())
    amounts = {bool((values > 0.0).any()) for values in rest.values()}
    if words or len(amounts) != 1 or any(read_number(name) is not None for name in models):
        raise ValueError(
            f"{table} has columns {listing(table.header)}, which are hardly scores of one metric below a header; name the "
            f"models' columns by columns={rows_of_models(table)}"
        )
    return _shortened({name: name for name in models})


def rows_of_models(table: Table) -> str:
    """Return how rows of models are read where a column is called as one that names them."""
    name = next((name for name in table.header if name.strip().lower() in ("model", "system")), None)
    return "" if name is None else f"; if each model has rows of its own, give model_column={name!r}"


def _shortened(columns: Mapping[str, str]) -> dict[str, str]:
    """Return columns whose names end alike, as those of nested fields do, by the names before that end."""
    ends = {_parts(name)[1] for name in columns}
    if len(ends) == 1 and "" not in ends:
        return {_parts(name)[0]: column for name, column in columns.items()}
    return dict(columns)


def _parts(name: str) -> tuple[str, str]:
    """Return the name of an object and that of a field in it, which is none where a version follows the dot.

    Examples
    --------
    >>> _parts("bert.f1"), _parts("gpt-3.5")
    (('bert', 'f1'), ('gpt-3.5', ''))
    """
    before, _, field = name.rpartition(".")
    return (before, field) if before and field[:1].isalpha() else (name, "")


def _holds_labels(column: Any, known: set[Any]) -> bool:
    """Return whether at least half of a column's values are gold labels, but for case and blanks at the ends."""
    counts = column.dropna().value_counts()
    n = sum(int(count) for value, count in counts.items() if count and _plain(value) in known)
    return bool(n) and 2 * n >= int(counts.sum())


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def is_identifier(column: Any) -> bool:
    """Return whether a column tells rows apart: integers or strings, all different; a stray word makes no names of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> is_identifier(pd.Series(["q1", "q2", "q3"])), is_identifier(pd.Series([0.1, 0.2, 0.3]))
    (True, False)
    """
    filled = column.dropna()
    if len(filled) < 3 or filled.nunique() < len(filled):
        return False
    numbers = as_numbers(filled.tolist())
    return bool(np.isnan(numbers).mean() > 0.5 or (np.isnan(numbers) | (numbers == np.round(numbers))).all())


def as_numbers(values: Iterable[Any], words: Mapping[str, float] = _TRUTH) -> FloatArray:
    """Return values as numbers, true and false as 1 and 0, and NaN for what is none."""
    return np.array([_number(value, words) for value in values], dtype=np.float64)


def _number(value: Any, words: Mapping[str, float]) -> float:
    if isinstance(value, str):
        number = words.get(value.strip().lower(), read_number(value))
        return np.nan if number is None else number
    try:
        return float(value) if isinstance(value, int | float | np.number | np.bool_) else np.nan
    except OverflowError:
        return np.nan
