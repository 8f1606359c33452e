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

from bayesf1.base.arrays import FloatArray, blocks_of, indicators
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import ArrayLike, RNGLike, check_draws, check_rng
from bayesf1.base.naming import check_known, cleaned, listing, quoted
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.io.label_values import is_missing
from bayesf1.sampling.inflation import FEW_UNITS

if TYPE_CHECKING:
    import pandas as pd

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
# Numbers in flight in one block.
_BLOCK = 1 << 22


def krippendorff_alpha(
    ratings: ArrayLike, *, level: Level = "nominal", values: Sequence[Any] | None = None
) -> float:
    r"""Return Krippendorff's alpha: 1 where raters agree, 0 where they do as by chance, below 0 where less.

    (Ustalov's slides (2022) bound it by 0 from below; it has no such bound.)

    Parameters
    ----------
    ratings
        Values with axes (rater, unit): a row for each rater. None, NaN, blank texts and what is masked are missing.
        Units with fewer than two ratings do not count.
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
    r"""Return what is believed about alpha, by the Bayesian bootstrap over units.

    Units, not pairs of ratings, were sampled, so units are weighed: :math:`w \sim N\cdot\mathrm{Dirichlet}(1,\dots,1)`
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
    n_draws, generator = check_draws(n_draws), check_rng(rng)
    n_units = data.times.sum()
    if n_units < FEW_UNITS:
        few = f"there are only {n_units:g} units with two ratings; a bootstrap over so few is overconfident"
        warn_caller(few)
    drawn = []
    for n in blocks_of(n_draws, len(data.times) + len(data.values), _BLOCK):
        # Weights of units that were rated alike add up: a sum of exponential variates is a gamma variate.
        weights = generator.standard_gamma(data.times, size=(n, len(data.times)))
        weights *= n_units / weights.sum(axis=1, keepdims=True)
        drawn.append(_alphas(data, level, weights))
    return EmpiricalPosterior(np.concatenate(drawn), support=(-np.inf, 1.0))


def coincidence_matrix(ratings: ArrayLike, *, values: Sequence[Any] | None = None) -> pd.DataFrame:
    r"""Count how often values meet within units, :math:`O_{ck} = \sum_u` (pairs c, k in unit u)/(ratings of u - 1).

    Each rating counts once in all, so that the sum is the number of ratings that can be paired.

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
    share = data.times / (data.sizes - 1.0)
    matrix = (data.counts.T @ data.counts.multiply(share[:, None])).toarray()
    matrix[np.diag_indices(len(matrix))] -= share @ data.counts
    return pd.DataFrame(matrix, data.values, data.values).clip(0.0).rename(index=cleaned, columns=cleaned)


def _alphas(data: _Ratings, level: str, weights: FloatArray) -> FloatArray:
    """Return alpha under weights of patterns, axes (draw, pattern), that sum to the number of units."""
    counts, sizes, n = data.counts, data.sizes, weights @ data.sizes
    margins = weights @ counts
    if level == "nominal":
        within = sizes**2 - counts.multiply(counts).sum(axis=1)
        expected = n**2 - (margins**2).sum(axis=1)
    else:
        # Ordinal points are mid-ranks, from the middle on: what is squared below stays small.
        points = np.cumsum(margins, axis=1) - 0.5 * margins - 0.5 * n[:, None]
        if level == "interval":
            numbers = _unit_size(np.array(data.values, dtype=np.float64))
            points = _unit_size(numbers - np.average(numbers, weights=counts.sum(axis=0)))[None]
        first, second = ((counts @ power.T).T for power in (points, points**2))
        # Sums of squared differences over ordered pairs: 2(m Σx² - (Σx)²).
        within = 2.0 * np.maximum(sizes * second - first**2, 0.0)
        mean, square = ((weights * part).sum(axis=1) for part in (first, second))
        expected = 2.0 * (n * square - mean**2)
    observed = (weights * (within / (sizes - 1.0))).sum(axis=1)
    return np.asarray(1.0 - (n - 1.0) * observed / expected)


def _unit_size(numbers: FloatArray) -> FloatArray:
    """Return numbers in another unit, so that their squares are neither too large nor too small."""
    return np.asarray(numbers / np.abs(numbers).max())


# ---- reading ----------------------------------------------------------------------------------------------


class _Ratings(NamedTuple):
    """Ratings of units that have at least two; units that were rated alike are one pattern."""

    values: tuple[Any, ...]  # in their order
    counts: Any  # how often each value occurs in each pattern, a sparse array (pattern, value)
    sizes: FloatArray  # the number of ratings of each pattern
    times: FloatArray  # how many units were rated so


def _read(ratings: ArrayLike, level: str, values: Sequence[Any] | None) -> _Ratings:
    """Read ratings (rater, unit) at a level of measurement, or say what is wrong with them."""
    check_known(level, "level", get_args(Level))
    present = (
        [v for v in unit if not is_missing(v, blank=True)] for unit in zip(*_rows(ratings), strict=True)
    )
    # Units with one rating have nothing to be compared with.
    paired = [unit for unit in present if len(unit) >= 2]
    if not paired:
        raise ValueError("no unit has two ratings; agreement needs pairs")
    try:
        rated = dict.fromkeys(value for unit in paired for value in unit)
        known = _ordered([*rated], level, values)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"ratings must be strings or numbers ({error})") from None
    if len(rated) < 2:
        raise ValueError(f"all ratings are {quoted(next(iter(rated)))}; without variation alpha is 0/0")
    number = {value: i for i, value in enumerate(known)}
    patterns = Counter(tuple(sorted(number[value] for value in unit)) for unit in paired)
    codes, times = zip(*sorted(patterns.items()), strict=True)
    sizes = np.array([*map(len, codes)])
    pattern = np.repeat(np.arange(len(sizes)), sizes)
    counts = indicators(pattern, np.concatenate(codes), (len(sizes), len(known)))
    return _Ratings(known, counts, sizes.astype(float), np.array(times, dtype=float))


def _rows(ratings: Any) -> list[list[Any]]:
    """Return the ratings of each rater as a list, in which None is what was masked."""
    each = ratings.to_numpy() if hasattr(ratings, "to_numpy") else ratings
    if not isinstance(each, Iterable) or getattr(each, "ndim", 2) == 0:
        each = ()
    # numpy would turn a list of strings and NaN into strings without a word.
    rows = [np.ma.asanyarray(row).tolist() if hasattr(row, "__array__") else row for row in each]
    lists = [
        [*row] for row in rows if isinstance(row, Iterable) and not isinstance(row, str | bytes | Mapping)
    ]
    if len(lists) < max(2, len(rows)) or not lists[0] or len({*map(len, lists)}) > 1:
        raise ValueError(
            "ratings must have axes (rater, unit): one list of values for each rater, two rows or more of the same length"
        )
    return lists


def _ordered(rated: list[Any], level: str, values: Sequence[Any] | None) -> tuple[Any, ...]:
    """Return the values in their order, or say which rating does not fit."""
    given = () if values is None else values
    numbers = [isinstance(value, int | float | np.number) for value in (*rated, *given)]
    if any(numbers) != all(numbers):
        raise ValueError(f"ratings are of two kinds: {listing(map(repr, rated), most=3)}; use one kind")
    numeric = all(numbers)
    if values is not None and (len({*values}) < len(values) or not len(values)):
        raise ValueError(f"values must be different, at least one, but they are {quoted(values)}")
    if values is None and level == "ordinal" and not numeric:
        shown = listing(map(repr, sorted(rated, key=str)))
        raise ValueError(f"what is the order of the values {shown}? Give values=, the lowest first")
    known = tuple(sorted(rated, key=None if numeric else str) if values is None else values)
    if unknown := [value for value in rated if value not in {*known}]:
        raise ValueError(f"rating {unknown[0]!r} is not one of values= {listing(map(repr, known))}")
    for value in known if level == "interval" else ():
        if not numeric or not np.isfinite(float(value)):
            raise ValueError(f"level {level!r} needs finite numbers, not {quoted(value)}")
    return known
