"""What raters said about units, as numbers of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest, shown
from bayesf1.laws.law import lazy_property
from bayesf1.reading.label_columns import is_missing

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of units that have at least two; units that were rated alike are one pattern."""

    values: tuple[Any, ...]  # in their order
    codes: NDArray[np.intp]  # the ratings of one pattern after another, as indices into `values`
    starts: NDArray[np.intp]  # the first rating of each pattern
    sizes: FloatArray  # the number of ratings of each pattern
    times: FloatArray  # how many units were rated so

    @lazy_property
    def counts(self) -> Any:
        """How often each value occurs in each pattern, a sparse array (pattern, value)."""
        from scipy.sparse import csr_array

        ends = np.append(self.starts, len(self.codes))
        shape = (len(self.starts), len(self.values))
        # Merging duplicates works in place, hence the copy.
        counts = csr_array((np.ones(len(self.codes)), self.codes.copy(), ends), shape=shape)
        counts.sum_duplicates()
        return counts


def read_ratings(
    ratings: ArrayLike, level: str, values: Sequence[Any] | None = None, missing: Any = None
) -> Ratings:
    """Read ratings (rater, unit) at a level of measurement, or say what is wrong with them.

    Examples
    --------
    >>> data = read_ratings([[1, 2, None, 3], [1, 3, 3, 2]], "interval")
    >>> data.values, data.codes, data.times
    ((1, 2, 3), array([0, 0, 1, 2]), array([1., 2.]))
    """
    if level not in get_args(Level):
        raise ValueError(f"unknown level {level!r}; {nearest(str(level), get_args(Level))}")
    table = _table(ratings)
    absent = _absent(table, missing)
    if isinstance(ratings, np.ma.MaskedArray):
        absent |= np.ma.getmaskarray(ratings)
    # Units with one rating have nothing to be compared with.
    paired = (~absent).sum(axis=0) >= 2
    if not paired.any():
        raise ValueError(f"none of the {table.shape[1]} units has two ratings; agreement needs pairs")
    present = ~absent[:, paired].T
    try:
        known, codes = _coded(table[:, paired].T[present], level, values)
    except TypeError as error:
        raise ValueError(f"ratings must be strings or numbers ({error})") from None
    if len(np.unique(codes)) < 2:
        raise ValueError(
            f"all ratings are {known[codes[0]]!r}; without variation alpha is 0/0, and agreement cannot be told from chance"
        )
    coded = np.full(present.shape, len(known), dtype=np.intp)
    coded[present] = codes
    patterns, times = _distinct_rows(np.sort(coded, axis=1), len(known) + 1)
    rated = patterns < len(known)
    sizes = rated.sum(axis=1)
    return Ratings(known, patterns[rated], np.cumsum(sizes) - sizes, sizes.astype(float), times.astype(float))


def coded_ratings(
    tables: Sequence[ArrayLike], level: str, values: Sequence[Any] | None = None, missing: Any = None
) -> tuple[tuple[Any, ...], list[NDArray[np.intp]]]:
    """Return the values in their order, and for each table (rater, unit) their numbers, -1 where there is no rating.

    Examples
    --------
    >>> coded_ratings([[["a", "b"], ["a", None]]], "nominal")
    (('a', 'b'), [array([[ 0,  1], [ 0, -1]])])
    """
    if level not in get_args(Level):
        raise ValueError(f"unknown level {level!r}; {nearest(str(level), get_args(Level))}")
    read = [_table(table) for table in tables]
    present = [~_absent(table, missing) for table in read]
    try:
        given = [np.asarray(table[some], dtype=object) for table, some in zip(read, present, strict=True)]
        known, codes = _coded(np.concatenate(given), level, values)
    except TypeError as error:
        raise ValueError(f"ratings must be strings or numbers ({error})") from None
    parts = np.split(codes, np.cumsum([len(part) for part in given])[:-1])
    found = []
    for some, part in zip(present, parts, strict=True):
        if len(np.unique(part)) < 2:
            raise ValueError("all ratings of one table are the same; agreement cannot be told from chance")
        found.append(np.full(some.shape, -1, dtype=np.intp))
        found[-1][some] = part
    return known, found


def _table(ratings: Any) -> NDArray[Any]:
    if isinstance(ratings, np.ndarray) or hasattr(ratings, "__array__"):
        table = np.asarray(ratings)
    else:
        # numpy would turn a list of strings and NaN into strings without a word.
        rows = [_listed(row) if _is_row(row) else row for row in ratings] if _is_row(ratings) else []
        lengths = {len(row) if isinstance(row, list) else -1 for row in rows}
        if -1 in lengths or len(lengths) > 1:
            raise ValueError("ratings must be one list of values for each rater, all of the same length")
        table = np.empty((len(rows), max(lengths, default=0)), dtype=object)
        for i, row in enumerate(rows):
            table[i] = row
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"ratings must have axes (rater, unit), not shape {table.shape}")
    if len(table) < 2:
        raise ValueError("ratings come from one rater only; agreement needs two (rows are raters)")
    return table


def _is_row(value: Any) -> bool:
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes | Mapping)
        and getattr(value, "ndim", 1) > 0
    )


def _listed(row: Any) -> list[Any]:
    # Columns of pyarrow have values in a shell, and what is masked is None in a list.
    return np.ma.asanyarray(row).tolist() if hasattr(row, "__array__") else list(row)


def _absent(table: NDArray[Any], missing: Any) -> NDArray[np.bool_]:
    absent = np.zeros(table.shape, dtype=bool)
    if table.dtype.kind == "O":
        absent.ravel()[:] = [is_missing(value) for value in table.ravel()]
    elif table.dtype.kind in "fcmM":
        absent = table != table
    if missing is not None:
        absent |= np.asarray(table == missing, dtype=bool)
    return absent


def _coded(
    rated: NDArray[Any], level: str, values: Sequence[Any] | None
) -> tuple[tuple[Any, ...], NDArray[np.intp]]:
    """Return the values in their order, and the index of each rating's."""
    distinct, which = (
        np.unique(rated, return_inverse=True) if rated.dtype.kind != "O" else (rated, np.arange(len(rated)))
    )
    known = tuple(dict.fromkeys(distinct.tolist()) if values is None else values)
    numeric = all(isinstance(value, int | float | np.number) for value in known)
    if not numeric and any(isinstance(value, int | float | np.number) for value in known):
        raise ValueError(
            f"ratings mix numbers and others, such as {listing(map(repr, known), most=3)}; use one kind"
        )
    if values is None:
        known = tuple(sorted(known, key=None if numeric else str))
    if len(set(known)) < len(known) or not known:
        raise ValueError(
            f"values must be at least one and differ, but they are [{listing(map(repr, known))}]"
        )
    if level in ("interval", "ratio"):
        if not numeric:
            raise ValueError(f"level {level!r} needs numbers, not values such as {shown(known[0])}")
        numbers = np.asarray(known, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError(f"ratings at level {level!r} must be finite numbers")
        if level == "ratio" and (numbers < 0).any():
            raise ValueError(
                f"level 'ratio' counts from 0, so that {numbers.min():g} cannot be; use 'interval'"
            )
    elif level == "ordinal" and values is None and not numeric:
        raise ValueError(
            f"which is the order of the values {listing(map(repr, known))}? Say values=[…], from the lowest to the highest"
        )
    number = {value: i for i, value in enumerate(known)}
    try:
        places = np.array([number[value] for value in distinct.tolist()], dtype=np.intp)
    except KeyError as error:
        raise ValueError(f"rating {error.args[0]!r} is none of values= {listing(map(repr, known))}") from None
    return known, places[which.ravel()]


def _distinct_rows(coded: NDArray[np.intp], base: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct rows of numbers below `base`, and how often each occurs."""
    width = coded.shape[1]
    if width * np.log2(base) >= 62:
        rows, times = np.unique(coded, axis=0, return_counts=True)
        return rows, times
    keys = coded @ base ** np.arange(width, dtype=np.int64)
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    return coded[first], times
