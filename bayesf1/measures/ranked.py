"""Metrics of ranked lists."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any, Literal, TypeAlias

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, float_or_array
from bayesf1.base.checks import ArrayLike, Numbers, check_whole, is_number, numbers_of
from bayesf1.base.naming import check_known, quoted
from bayesf1.metrics import ratio

Lists: TypeAlias = ArrayLike | Sequence[ArrayLike]
Log: TypeAlias = Literal["i", "i+1"]
# Sums of larger gains could overflow.
_MOST = 1e100


def _read_lists(values: Any, name: str, most: float = _MOST) -> FloatArray:
    """Return ranked lists as an array (..., rank), short ones filled up with zeros; raise a ValueError for anything else."""
    remedy = "must be at least one list of numbers; a query that found nothing is [0]"
    if isinstance(values, list | tuple) and any(isinstance(row, Sized) for row in values):
        rows = [numbers_of(row, name, remedy=remedy) for row in values]
        if all(row.ndim == 1 for row in rows):
            longest = max(map(len, rows))
            values = np.stack([np.pad(row, (0, longest - len(row))) for row in rows])
    array = numbers_of(values, name, remedy=remedy)
    if array.ndim == 0 or 0 in array.shape[:-1] or array.shape == (0,):
        raise ValueError(f"{name} {remedy}")
    bad = ~((array >= 0.0) & (array <= most))
    if bad.any():
        limit = f"max_grade={most:g}" if name == "grades" else f"{most:g}"
        place = _place(bad, last_axis_is_rank=True)
        raise ValueError(f"{name} hold {array[bad][0]:g}{place}; give numbers from 0 to {limit}")
    return array


def _top(lists: AnyArray, k: int | None) -> AnyArray:
    """Return the first `k` of each list; raise a ValueError if `k` is not a cutoff."""
    if k is None:
        return lists
    check_whole(k, "k", 1, 9)
    return lists[..., :k]


def _ranks(lists: AnyArray) -> FloatArray:
    """Return the ranks 1, 2, … of lists with axes (..., rank)."""
    return np.arange(1.0, lists.shape[-1] + 1.0)


def _place(bad: BoolArray, *, last_axis_is_rank: bool = False) -> str:
    """Return in words the query of the first bad value, and its rank if ranks are the last axis."""
    indices = [str(i + 1) for i in np.argwhere(bad)[0]]
    query = indices[:-1] if last_axis_is_rank else indices
    parts = []
    if query:
        parts.append(f"query {', '.join(query)}")
    if last_axis_is_rank:
        parts.append(f"rank {indices[-1]}")
    return f" at {', '.join(parts)}" if parts else ""


def precision_at_k(relevance: Lists, k: int) -> Any:
    r"""Share of relevant items among the first `k`: :math:`\frac1k\sum_{i\le k} 1[rel_i > 0]`.

    Parameters
    ----------
    relevance
        Relevance of the items in ranked order, axes (..., rank); items above 0 are relevant.
    k
        How many items count.

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 1], 2), precision_at_k([1, 0, 1, 1], 8)
    (0.5, 0.375)
    >>> precision_at_k([[1, 0, 1], [1]], 2)
    array([0.5, 0.5])

    Notes
    -----
    Ustalov's slides (2022) leave out the :math:`1/k`.
    """
    hits = _top(_read_lists(relevance, "relevance"), k) > 0
    return float_or_array(hits.sum(axis=-1) / k)


def average_precision(relevance: Lists, *, n_relevant: Numbers | None = None, k: int | None = None) -> Any:
    r"""Mean of the precisions at the ranks of the relevant items, :math:`\frac1R\sum_i Pr@i \cdot 1[rel_i > 0]`.

    Parameters
    ----------
    relevance
        As in `precision_at_k`.
    n_relevant
        How many relevant items :math:`R` there are for each query, found or not; by default as many as in the list.
    k
        How many items count; all by default. :math:`R` does not depend on it.

    Examples
    --------
    >>> average_precision([1, 0, 1, 0]), average_precision([1, 0, 1, 0], n_relevant=4)
    (0.833..., 0.416...)

    References
    ----------
    Buckley & Voorhees (2000), SIGIR.
    """
    hits = _read_lists(relevance, "relevance") > 0
    total = hits.sum(axis=-1)
    if n_relevant is not None:
        total = _read_n_relevant(n_relevant, total)
    top_hits = _top(hits, k)
    precision = top_hits.cumsum(axis=-1) / _ranks(top_hits)
    return float_or_array(ratio((precision * top_hits).sum(axis=-1), total))


def mean_average_precision(
    relevance: Lists, *, n_relevant: Numbers | None = None, k: int | None = None
) -> float:
    r"""Mean over queries of `average_precision`, :math:`\frac{1}{|Q|}\sum_q AP(q)`.

    Parameters
    ----------
    relevance, n_relevant, k
        As in `average_precision`.

    Examples
    --------
    >>> mean_average_precision([[1, 0, 1, 0], [0, 1]])
    0.666...
    """
    return float(np.mean(average_precision(relevance, n_relevant=n_relevant, k=k)))


def reciprocal_rank(relevance: Lists, *, k: int | None = None) -> Any:
    r"""One over the rank of the first relevant item; 0 if there is none.

    Parameters
    ----------
    relevance, k
        As in `average_precision`.

    Examples
    --------
    >>> reciprocal_rank([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    array([0.333..., 1. , 0. ])
    """
    hits = _top(_read_lists(relevance, "relevance"), k) > 0
    return float_or_array((hits / _ranks(hits)).max(axis=-1, initial=0.0))


def mean_reciprocal_rank(relevance: Lists, *, k: int | None = None) -> float:
    r"""Mean over queries of `reciprocal_rank`, :math:`\frac{1}{|Q|}\sum_q 1/rank_q`.

    Parameters
    ----------
    relevance, k
        As in `reciprocal_rank`.

    Examples
    --------
    >>> mean_reciprocal_rank([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    0.444...

    References
    ----------
    Voorhees (1999), TREC-8. It is the mean of reciprocal ranks, not a mean rank as Ustalov's slides (2022) say.
    """
    return float(np.mean(reciprocal_rank(relevance, k=k)))


def cg(gains: Lists, *, k: int | None = None) -> Any:
    r"""Cumulative gain: :math:`\sum_{i\le k} rel_i`.

    Parameters
    ----------
    gains
        Grades of the items in ranked order, axes (..., rank).
    k
        How many items count; all by default.

    Examples
    --------
    >>> cg([3, 0, 2, 1]), cg([3, 0, 2, 1], k=2)
    (6.0, 3.0)

    References
    ----------
    Järvelin & Kekäläinen (2002), ACM TOIS.
    """
    return float_or_array(_top(_read_lists(gains, "gains"), k).sum(axis=-1))


def dcg(gains: Lists, *, k: int | None = None, log: Log = "i+1") -> Any:
    r"""Discounted cumulative gain.

    Parameters
    ----------
    gains, k
        As in `cg`. For the exponential gain of Burges et al. (2005) give ``2**grades - 1``.
    log
        ``"i+1"`` discounts by :math:`\log_2(i+1)`, as trec_eval and scikit-learn; ``"i"`` by
        :math:`\max(1, \log_2 i)`, the original: :math:`rel_1 + \sum_{i=2}^k rel_i/\log_2 i`.

    Examples
    --------
    >>> dcg([3, 0, 2, 1], log="i"), dcg([3, 0, 2, 1])
    (4.761..., 4.430...)

    References
    ----------
    Järvelin & Kekäläinen (2002), ACM TOIS; Wang et al. (2013), COLT.
    """
    return float_or_array(_discounted(_read_lists(gains, "gains"), k, log))


def ndcg(gains: Lists, *, ideal: Lists | None = None, k: int | None = None, log: Log = "i+1") -> Any:
    r"""Discounted cumulative gain as a share of that of the best order; 0 if the latter is 0.

    Parameters
    ----------
    gains, k, log
        As in `dcg`; `k` cuts the list and the best order.
    ideal
        Grades of all items known for each query, returned or not, in any order; those of `gains` by default.

    Examples
    --------
    >>> ndcg([3, 0, 2, 1]), ndcg([3, 0, 2, 1], ideal=[3, 3, 2, 1, 0], k=3)
    (0.930..., 0.678...)

    References
    ----------
    Järvelin & Kekäläinen (2002), ACM TOIS; Wang et al. (2013), COLT.
    """
    lists = _read_lists(gains, "gains")
    known = lists if ideal is None else _read_lists(ideal, "ideal")
    if known.shape[:-1] != lists.shape[:-1]:
        raise ValueError(f"ideal has queries of shape {known.shape[:-1]}, but gains have {lists.shape[:-1]}")
    best_order = -np.sort(-known, axis=-1)
    best = _discounted(best_order, k, log)
    gained = _discounted(lists, k, log)
    exceeds_best = gained > best * (1.0 + 1e-9)
    if exceeds_best.any():
        place = _place(exceeds_best)
        raise ValueError(f"the best order gains less than the list itself{place}; ideal lacks items")
    return float_or_array(np.minimum(ratio(gained, best), 1.0))


def grade_probability(grades: Lists, max_grade: float) -> FloatArray:
    r"""Probability that an item of a grade satisfies the user, :math:`R_g = (2^g - 1)/2^{g_{max}}`.

    Parameters
    ----------
    grades
        Grades from 0 to `max_grade`, axes (..., rank).
    max_grade
        The highest grade of the scale, whether or not it occurs.

    Examples
    --------
    >>> grade_probability([0, 1, 2, 3], max_grade=3)
    array([0. , 0.125, 0.375, 0.875])

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan (2009), CIKM.
    """
    if not is_number(max_grade) or not 0.0 < max_grade <= 1000.0:
        raise ValueError(f"max_grade is the highest grade of the scale, such as 3, not {quoted(max_grade)}")
    lists = _read_lists(grades, "grades", max_grade)
    return np.asarray(np.exp2(lists - max_grade) - np.exp2(-float(max_grade)))


def err(grades: Lists, *, max_grade: float, k: int | None = None) -> Any:
    r"""Reciprocal rank as the user of a cascade can expect it, :math:`\sum_r \frac1r R_r \prod_{i<r}(1 - R_i)`.

    Parameters
    ----------
    grades, max_grade
        As in `grade_probability`, which makes them :math:`R_i`; the grades in ranked order.
    k
        How many items count; all by default.

    Examples
    --------
    >>> err([0, 0, 2, 0, 3, 0, 1, 0, 0, 1], max_grade=3)
    0.23662...

    References
    ----------
    Chapelle, Metzler, Zhang & Grinspan (2009), CIKM.
    """
    satisfied = _top(grade_probability(grades, max_grade), k)
    reached = _p_reached(1.0 - satisfied)
    return float_or_array((reached * satisfied / _ranks(satisfied)).sum(axis=-1))


def pfound(p_relevant: Lists, *, p_break: float = 0.15, k: int | None = None) -> Any:
    r"""Probability that a user who reads from the top finds a satisfying item before giving up.

    .. math:: pFound = \sum_i pLook_i\, pRel_i, \quad pLook_i = \prod_{j<i}(1 - pRel_j)(1 - pBreak)

    Parameters
    ----------
    p_relevant
        Probability that each item is relevant, in ranked order, axes (..., rank); `grade_probability` computes it from
        grades.
    p_break
        Probability of giving up after an item.
    k
        How many items count; all by default.

    Examples
    --------
    >>> pfound(grade_probability([0, 0, 2, 0, 3, 0, 1, 0, 0, 1], max_grade=3))
    0.56207...

    References
    ----------
    Segalovich (2010), SIGIR industry track.
    """
    relevant = _top(_read_lists(p_relevant, "p_relevant", 1.0), k)
    if not is_number(p_break) or not 0.0 <= p_break <= 1.0:
        raise ValueError(f"p_break is a probability, such as 0.15, not {quoted(p_break)}")
    looked_at = _p_reached((1.0 - relevant) * (1.0 - p_break))
    return float_or_array((looked_at * relevant).sum(axis=-1))


def _discounted(lists: FloatArray, k: int | None, log: str) -> FloatArray:
    check_known(log, "log", ("i", "i+1"))
    top = _top(lists, k)
    ranks = _ranks(top)
    # Järvelin & Kekäläinen (2002): with base 2, ranks 1 and 2 are not discounted.
    discount = np.maximum(np.log2(ranks), 1.0) if log == "i" else np.log2(ranks + 1.0)
    return np.asarray((top / discount).sum(axis=-1))


def _p_reached(p_continue: FloatArray) -> FloatArray:
    """Return the probability of reaching each rank, given the probability of continuing after each; axes (..., rank)."""
    reached = np.ones_like(p_continue)
    np.cumprod(p_continue[..., :-1], axis=-1, out=reached[..., 1:])
    return reached


def _read_n_relevant(n_relevant: Numbers, in_list: AnyArray) -> AnyArray:
    """Return the number of relevant items of each query; raise a ValueError if it is too small for the list."""
    given = numbers_of(n_relevant, "n_relevant")
    if given.shape not in ((), in_list.shape):
        raise ValueError(f"n_relevant must be one number for all queries or one for each, not {given.shape}")
    total = np.broadcast_to(given, in_list.shape)
    bad = ~((total >= in_list) & (total <= _MOST) & (np.floor(total) == total))
    if bad.any():
        least = in_list[bad].flat[0]
        raise ValueError(
            f"n_relevant is {total[bad].flat[0]:g}{_place(bad)}, but must be a whole number from {least}, those in the list"
        )
    return total
