r"""Measures of ranked lists, one score for each query.

A list is what a system returned for a query, best first, written as the relevance of its items: 0 or 1, or grades
from 0. All functions take one list, an array (..., rank), or a list of lists of different lengths, and return a
float for one list, else an array with one score for each query: what a comparison of two systems needs.

What was not returned is not relevant: a list that is shorter than `k` is as good as one that goes on with zeros.
A query without a relevant item scores 0, as in trec_eval.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers, checked, is_number
from bayesf1.base.naming import nearest, shown
from bayesf1.measures.ranked_lists import Lists, ranks, read_lists, top, where

Log: TypeAlias = Literal["i", "i+1"]


@checked
def precision_at_k(relevance: Lists, k: int) -> Any:
    r"""Share of relevant items among the first `k`: :math:`\frac1k\sum_{i\le k} 1[rel_i > 0]`.

    Parameters
    ----------
    relevance
        Relevance of the items in ranked order, axes (..., rank); what is above 0 is relevant.
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
    hits = top(read_lists(relevance, "relevance"), k) > 0
    return plain(hits.sum(axis=-1) / k)


@checked
def average_precision(relevance: Lists, *, n_relevant: Numbers | None = None, k: int | None = None) -> Any:
    r"""Mean of the precisions at the ranks of the relevant items, :math:`\frac1R\sum_i Pr@i \cdot 1[rel_i > 0]`.

    Parameters
    ----------
    relevance
        As in `precision_at_k`.
    n_relevant
        How many relevant items :math:`R` there are for each query, found or not; those in the list by default.
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
    hits = read_lists(relevance, "relevance") > 0
    found = hits.sum(axis=-1)
    total = found if n_relevant is None else _totals(n_relevant, found)
    hits = top(hits, k)
    precision = hits.cumsum(axis=-1) / ranks(hits)
    return plain(_ratio((precision * hits).sum(axis=-1), total))


@checked
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


@checked
def reciprocal_rank(relevance: Lists, *, k: int | None = None) -> Any:
    r"""One over the rank of the first relevant item, 0 where there is none.

    Parameters
    ----------
    relevance, k
        As in `average_precision`.

    Examples
    --------
    >>> reciprocal_rank([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    array([0.333..., 1. , 0. ])
    """
    hits = top(read_lists(relevance, "relevance"), k) > 0
    return plain((hits / ranks(hits)).max(axis=-1, initial=0.0))


@checked
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


@checked
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
    return plain(top(read_lists(gains, "gains"), k).sum(axis=-1))


@checked
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
    return plain(_discounted(read_lists(gains, "gains"), k, log))


@checked
def ndcg(gains: Lists, *, ideal: Lists | None = None, k: int | None = None, log: Log = "i+1") -> Any:
    r"""Discounted cumulative gain as a share of what the best order would have gained, 0 where that is 0.

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
    lists = read_lists(gains, "gains")
    known = lists if ideal is None else read_lists(ideal, "ideal")
    if known.shape[:-1] != lists.shape[:-1]:
        raise ValueError(f"ideal has {_queries(known)}, but gains have {_queries(lists)}")
    best = _discounted(-np.sort(-known, axis=-1), k, log)
    gained = _discounted(lists, k, log)
    short = gained > best * (1.0 + 1e-9)
    if short.any():
        raise ValueError(f"the best order gains less than the list itself{where(short)}; ideal lacks items")
    return plain(np.minimum(_ratio(gained, best), 1.0))


@checked
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
    lists = read_lists(grades, "grades")
    if not is_number(max_grade) or not 0.0 < max_grade <= 1000.0:
        raise ValueError(f"max_grade is the highest grade of the scale, such as 3, not {shown(max_grade)}")
    high = lists > max_grade
    if high.any():
        raise ValueError(
            f"grades hold {lists[high][0]:g}{where(high, rank=True)}, above max_grade {max_grade:g}"
        )
    return np.asarray(np.exp2(lists - max_grade) - np.exp2(-float(max_grade)))


@checked
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
    p = top(grade_probability(grades, max_grade), k)
    return plain((_reached(1.0 - p) * p / ranks(p)).sum(axis=-1))


@checked
def pfound(p_relevant: Lists, *, p_break: float = 0.15, k: int | None = None) -> Any:
    r"""Probability that a user who reads from the top finds what they look for before they give up.

    .. math:: pFound = \sum_i pLook_i\, pRel_i, \quad pLook_i = \prod_{j<i}(1 - pRel_j)(1 - pBreak)

    Parameters
    ----------
    p_relevant
        Probability that each item is relevant, in ranked order, axes (..., rank); see `grade_probability`.
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
    p = top(read_lists(p_relevant, "p_relevant"), k)
    if (p > 1.0).any():
        raise ValueError(
            f"p_relevant holds {p[p > 1.0][0]:g}{where(p > 1.0, rank=True)}, which is no probability; "
            "make grades probabilities with grade_probability"
        )
    if not is_number(p_break) or not 0.0 <= p_break <= 1.0:
        raise ValueError(f"p_break is a probability, such as 0.15, not {shown(p_break)}")
    return plain((_reached((1.0 - p) * (1.0 - p_break)) * p).sum(axis=-1))


def _discounted(lists: FloatArray, k: int | None, log: str) -> FloatArray:
    if log not in ("i", "i+1"):
        raise ValueError(f"unknown log {shown(log)}; {nearest(str(log), ('i', 'i+1'))}")
    cut = top(lists, k)
    # Järvelin & Kekäläinen (2002): with base 2, ranks 1 and 2 are not discounted.
    discount = np.maximum(np.log2(ranks(cut)), 1.0) if log == "i" else np.log2(ranks(cut) + 1.0)
    return np.asarray((cut / discount).sum(axis=-1))


def _reached(p_on: FloatArray) -> FloatArray:
    """Return the probability of coming to each rank, where `p_on` is that of going on from it."""
    before = np.ones_like(p_on)
    np.cumprod(p_on[..., :-1], axis=-1, out=before[..., 1:])
    return before


def _ratio(numerator: FloatArray, denominator: ArrayLike) -> FloatArray:
    whole = np.asarray(denominator, dtype=np.float64)
    return np.divide(numerator, whole, out=np.zeros(np.shape(numerator)), where=whole > 0)


def _totals(n_relevant: Numbers, found: NDArray[Any]) -> FloatArray:
    try:
        total = np.broadcast_to(np.asarray(n_relevant, dtype=np.float64), np.shape(found))
    except (TypeError, ValueError):
        raise ValueError(
            f"n_relevant must be one number for all queries or one for each, not {shown(n_relevant)}"
        ) from None
    bad = ~np.isfinite(total) | (np.floor(total) != total)
    if bad.any():
        raise ValueError(f"n_relevant is {total[bad].flat[0]:g}{where(bad)}; it must be a whole number")
    low = total < found
    if low.any():
        raise ValueError(
            f"n_relevant is {total[low].flat[0]:g}{where(low)}, but the list holds {found[low].flat[0]} relevant items"
        )
    return total


def _queries(lists: FloatArray) -> str:
    return (
        f"queries of shape {lists.shape[:-1]}" if lists.ndim > 2 else f"{len(np.atleast_2d(lists))} queries"
    )
