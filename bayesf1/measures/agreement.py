r"""Do raters agree more than by chance? Krippendorff's alpha with an interval by the bootstrap over units.

.. math:: \alpha = 1 - \frac{D_o}{D_e} = 1 - (n-1)\frac{\sum_{ck} O_{ck}\,\delta^2_{ck}}{\sum_{ck} n_c n_k\,\delta^2_{ck}}

with the coincidence matrix O, its margins :math:`n_c`, their sum n, and a squared distance by level of measurement:
nominal :math:`1[c \ne k]`, interval :math:`(c-k)^2`, and ordinal
:math:`(\sum_{g=c}^k n_g - (n_c+n_k)/2)^2`, which is the interval distance of mid-ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from bayesf1.base.arrays import FloatArray, SupportsArray, SupportsToNumpy, blocks_of, indicators
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import ArrayLike, RNGLike, check_draws, check_rng
from bayesf1.base.naming import check_known, cleaned, listing, quoted
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.io.label_values import is_missing
from bayesf1.sampling.inflation import FEW_UNITS

if TYPE_CHECKING:
    import pandas as pd

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
# Draws are made in blocks of this many numbers.
_BLOCK = 1 << 22


def krippendorff_alpha(
    ratings: ArrayLike, *, level: Level = "nominal", values: Sequence[Any] | None = None
) -> float:
    r"""Return Krippendorff's alpha: 1 if raters agree, 0 if they agree as often as by chance, below 0 if less often.

    Ustalov's slides (2022) give it a lower bound of 0, but it may be negative.

    Parameters
    ----------
    ratings
        Values with axes (rater, unit): a row for each rater. None, NaN, blank texts and masked values are missing. Units
        with fewer than two ratings do not count.
    level
        ``"nominal"``, ``"ordinal"`` or ``"interval"``, which needs numbers.
    values
        The values that may occur, in their order; needed for ordinal values that are not numbers.

    Examples
    --------
    The lecture's four tasks, rated by four workers:

    >>> N, V = "NN", "VBP"
    >>> ratings = [[N, N, V, V], [None, V, V, N], [N, V, V, N], [N, N, N, V]]
    >>> krippendorff_alpha(ratings)
    0.083333...

    References
    ----------
    Krippendorff (2018), Content Analysis, 4th edition, chapter 12.
    """
    data = _read(ratings, level, values)
    return float(_alphas(data, level, data.times[None])[0])


def alpha_posterior(
    ratings: ArrayLike,
    *,
    level: Level = "nominal",
    values: Sequence[Any] | None = None,
    n_draws: int = 4000,
    rng: RNGLike = None,
) -> EmpiricalPosterior:
    r"""Return the posterior of alpha, by the Bayesian bootstrap over units.

    Units were sampled, not pairs of ratings, so units are weighed: :math:`w \sim N\cdot\mathrm{Dirichlet}(1,\dots,1)`
    for N units. ``interval()`` gives the bootstrap interval, ``sf(0.8)`` the probability of a reliable annotation.

    Parameters
    ----------
    ratings, level, values
        As in `krippendorff_alpha`.
    n_draws, rng
        Number of draws and source of randomness.

    Examples
    --------
    >>> ratings = np.random.default_rng(1).integers(0, 2, 60) ^ (np.arange(120).reshape(2, 60) % 17 == 0)
    >>> low, high = alpha_posterior(ratings, rng=1).interval(0.95)
    >>> low < krippendorff_alpha(ratings) < high
    True
    """
    data = _read(ratings, level, values)
    check_draws(n_draws)
    generator = check_rng(rng)
    n_units = data.times.sum()
    if n_units < FEW_UNITS:
        few = f"there are only {n_units:g} units with two ratings; a bootstrap over so few is overconfident"
        warn_caller(few)
    n_patterns = len(data.times)
    draws = []
    for n in blocks_of(n_draws, n_patterns + len(data.values), _BLOCK):
        # Weights of units with the same ratings add up: a sum of exponential variates is a gamma variate.
        weights = generator.standard_gamma(data.times, size=(n, n_patterns))
        weights *= n_units / weights.sum(axis=1, keepdims=True)
        draws.append(_alphas(data, level, weights))
    return EmpiricalPosterior(np.concatenate(draws), support=(-np.inf, 1.0))


def coincidence_matrix(ratings: ArrayLike, *, values: Sequence[Any] | None = None) -> pd.DataFrame:
    r"""Count how often values concur within units, :math:`O_{ck} = \sum_u` (pairs c, k in unit u)/(ratings of u - 1).

    Each rating counts once in all, so the sum is the number of ratings that can be paired.

    Parameters
    ----------
    ratings, values
        As in `krippendorff_alpha`.

    Examples
    --------
    >>> N, V = "NN", "VBP"
    >>> print(coincidence_matrix([[N, N, V, V], [None, V, V, N], [N, V, V, N], [N, N, N, V]]).round(2))
           NN   VBP
    NN   4.33  3.67
    VBP  3.67  3.33
    """
    import pandas as pd

    data = _read(ratings, "nominal", values)
    weight_of_pair = data.times / (data.sizes - 1.0)
    matrix = (data.counts.T @ data.counts.multiply(weight_of_pair[:, None])).toarray()
    # A rating is not paired with itself.
    matrix[np.diag_indices(len(matrix))] -= weight_of_pair @ data.counts
    frame = pd.DataFrame(matrix, data.values, data.values).clip(0.0)
    return frame.rename(index=cleaned, columns=cleaned)


def _alphas(data: _Ratings, level: str, weights: FloatArray) -> FloatArray:
    """Return alpha under weights of patterns, axes (draw, pattern), that sum to the number of units."""
    counts = data.counts
    sizes = data.sizes
    n_ratings = weights @ sizes
    if level == "nominal":
        margins = weights @ counts
        within = sizes**2 - counts.multiply(counts).sum(axis=1)
        expected = n_ratings**2 - (margins**2).sum(axis=1)
    else:
        points = _centred_numbers(data) if level == "interval" else _mid_ranks(weights @ counts, n_ratings)
        # Σx and Σx² of the points of each pattern, axes (draw, pattern).
        sums = (counts @ points.T).T
        squares = (counts @ (points**2).T).T
        # Sums of squared differences over ordered pairs of m ratings: 2(m Σx² - (Σx)²).
        within = 2.0 * np.maximum(sizes * squares - sums**2, 0.0)
        sum_of_all = (weights * sums).sum(axis=1)
        squares_of_all = (weights * squares).sum(axis=1)
        expected = 2.0 * (n_ratings * squares_of_all - sum_of_all**2)
    observed = (weights * (within / (sizes - 1.0))).sum(axis=1)
    return np.asarray(1.0 - (n_ratings - 1.0) * observed / expected)


def _mid_ranks(margins: FloatArray, n_ratings: FloatArray) -> FloatArray:
    """Return the mid-rank of each value, axes (draw, value), relative to the middle, so squares stay small."""
    return np.asarray(np.cumsum(margins, axis=1) - 0.5 * margins - 0.5 * n_ratings[:, None])


def _centred_numbers(data: _Ratings) -> FloatArray:
    """Return the values less their mean, axes (1, value), scaled so that squares are neither huge nor tiny."""
    numbers = np.array(data.values, dtype=np.float64)
    numbers = numbers / np.abs(numbers).max()
    centred = numbers - np.average(numbers, weights=data.counts.sum(axis=0))
    return np.asarray(centred / np.abs(centred).max())[None]


# ---- reading ----------------------------------------------------------------------------------------------


class _Ratings(NamedTuple):
    """Ratings of units that have at least two; units with the same ratings are one pattern."""

    # The values that occur or may occur, in their order.
    values: tuple[Any, ...]
    # How often each value occurs in each pattern, a sparse array (pattern, value).
    counts: Any
    # The number of ratings of each pattern, and its number of units.
    sizes: FloatArray
    times: FloatArray


def _read(ratings: ArrayLike, level: str, values: Sequence[Any] | None) -> _Ratings:
    """Read ratings (rater, unit) at a level of measurement; raise a ValueError if they do not fit it."""
    check_known(level, "level", get_args(Level))
    rows = _rows(ratings)
    paired = []
    for unit in zip(*rows, strict=True):
        present = [value for value in unit if not is_missing(value, blank=True)]
        # Units with one rating have nothing to be compared with.
        if len(present) >= 2:
            paired.append(present)
    if not paired:
        raise ValueError("no unit has two ratings; agreement needs pairs")
    try:
        rated = [*dict.fromkeys(value for unit in paired for value in unit)]
        _check_finite(rated, rows)
        ordered = _ordered(rated, level, values)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"ratings must be strings or numbers ({error})") from None
    if len(rated) < 2:
        raise ValueError(f"all ratings are {quoted(rated[0])}; without variation alpha is 0/0")
    number = {value: i for i, value in enumerate(ordered)}
    n_units = Counter(tuple(sorted(number[value] for value in unit)) for unit in paired)
    patterns = sorted(n_units)
    sizes = np.array([len(pattern) for pattern in patterns])
    which = np.repeat(np.arange(len(patterns)), sizes)
    counts = indicators(which, np.concatenate(patterns), (len(patterns), len(ordered)))
    times = np.array([n_units[pattern] for pattern in patterns], dtype=float)
    return _Ratings(ordered, counts, sizes.astype(float), times)


def _rows(ratings: Any) -> list[list[Any]]:
    """Return the ratings of each rater as a list, with None for masked values."""
    table = ratings.to_numpy() if isinstance(ratings, SupportsToNumpy) else ratings
    is_scalar = isinstance(table, np.ndarray) and table.ndim == 0
    rows = []
    if isinstance(table, Iterable) and not is_scalar:
        rows = [_row(row) for row in table]
    lists = [row for row in rows if row is not None]
    if len(lists) < len(rows) or len(lists) < 2 or not lists[0] or len({*map(len, lists)}) > 1:
        raise ValueError(
            "ratings must have axes (rater, unit): one list of values for each rater, two rows or more of the same length"
        )
    return lists


def _row(row: Any) -> list[Any] | None:
    """Return the ratings of one rater; None for anything but a sequence."""
    # numpy would silently turn a list of strings and NaN into strings.
    values = np.ma.asanyarray(row).tolist() if isinstance(row, SupportsArray) else row
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return None
    return [*values]


def _ordered(rated: Sequence[Any], level: str, values: Sequence[Any] | None) -> tuple[Any, ...]:
    """Return the values in their order; raise a ValueError if a rating does not fit."""
    given = () if values is None else values
    are_numbers = {isinstance(value, int | float | np.number) for value in (*rated, *given)}
    if len(are_numbers) > 1:
        raise ValueError(f"ratings are of two kinds: {listing(map(repr, rated), most=3)}; use one kind")
    numeric = are_numbers == {True}
    if values is not None:
        if len({*values}) < len(values) or len(values) == 0:
            raise ValueError(f"values must be different, at least one, but they are {quoted(values)}")
        ordered = tuple(values)
    else:
        ordered = tuple(sorted(rated, key=None if numeric else str))
        if level == "ordinal" and not numeric:
            shown = listing(map(repr, ordered))
            raise ValueError(f"what is the order of the values {shown}? Give values=, the lowest first")
    unknown = [value for value in rated if value not in {*ordered}]
    if unknown:
        raise ValueError(f"rating {unknown[0]!r} is not one of values= {listing(map(repr, ordered))}")
    if level == "interval":
        for value in ordered:
            if not numeric or not np.isfinite(float(value)):
                raise ValueError(f"level {level!r} needs finite numbers, not {quoted(value)}")
    return ordered


def _check_finite(rated: Sequence[Any], rows: Sequence[Sequence[Any]]) -> None:
    """Raise a ValueError for an infinite rating."""
    infinite = [value for value in rated if isinstance(value, float | np.floating) and np.isinf(value)]
    for rater, row in enumerate(rows, 1):
        if infinite and infinite[0] in row:
            unit = row.index(infinite[0]) + 1
            raise ValueError(
                f"ratings hold {infinite[0]} by rater {rater} for unit {unit}; give finite numbers"
            )
