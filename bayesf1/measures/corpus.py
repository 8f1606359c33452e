"""Measures of a whole corpus, as functions of totals of counts (..., statistic); `from_statistics` takes them.

Other packages count: sacrebleu for BLEU, chrF and TER, jiwer for word errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from bayesf1.base.arrays import FloatArray, float_or_array
from bayesf1.base.checks import Numbers
from bayesf1.metrics import ratio

F = TypeVar("F", bound=Callable[..., Any])
# The functions of totals, which saved evaluations may name.
NAMES = ("corpus_bleu", "chrf", "ter", "wer")
# Sums of larger totals could overflow.
_MAX_TOTAL = 1e100


def _described(label: str, *, lower_is_better: bool, support: tuple[float, float]) -> Callable[[F], F]:
    """Give a function attributes: its name in print, whether lower is better, and its smallest and largest value."""

    def decorate(function: F) -> F:
        vars(function).update(label=label, lower_is_better=lower_is_better, support=support)
        return function

    return decorate


@_described("WER", lower_is_better=True, support=(0.0, np.inf))
def wer(totals: Numbers) -> Any:
    r"""Word error rate, :math:`(S + D + I)/(H + S + D)`.

    Parameters
    ----------
    totals
        Hits, substitutions, deletions and insertions, axes (..., statistic), as jiwer counts them.

    Examples
    --------
    >>> wer([18, 1, 1, 2])
    0.2
    """
    hits, substituted, deleted, inserted = _named_totals(
        totals, ("hits", "substitutions", "deletions", "insertions")
    )
    wrong = substituted + deleted
    return float_or_array(ratio(wrong + inserted, hits + wrong))


@_described("TER", lower_is_better=True, support=(0.0, np.inf))
def ter(totals: Numbers) -> Any:
    """TER in percent, the translation edit rate: edits by words of the references.

    Parameters
    ----------
    totals
        Edits, and words of the references, axes (..., statistic), as sacrebleu's TER counts them.

    Examples
    --------
    >>> ter([3, 12])
    25.0
    """
    edits, words = _named_totals(totals, ("edits", "words of the references"))
    return float_or_array(100.0 * ratio(edits, words))


@_described("BLEU", lower_is_better=False, support=(0.0, 100.0))
def corpus_bleu(totals: Numbers) -> Any:
    r"""BLEU in percent, :math:`100\,e^{\min(0, 1 - r/c)} \bigl(\prod_{n=1}^N p_n\bigr)^{1/N}` with :math:`p_n = m_n/t_n`.

    An order without any match has :math:`p_n = 1/(2^k t_n)` if it is the k-th such order, as in sacrebleu. Without any
    n-gram, BLEU is 0.

    Parameters
    ----------
    totals
        The lengths c of the outputs and r of the references, the matching n-grams :math:`m_1, \dots, m_N` and all n-grams
        :math:`t_1, \dots, t_N` of the outputs, axes (..., statistic), as sacrebleu counts them.

    Examples
    --------
    >>> corpus_bleu([20, 22, 15, 10, 6, 3, 20, 18, 16, 14])
    38.7...

    References
    ----------
    Papineni, Roukos, Ward & Zhu (2002), ACL; Post (2018), WMT.
    """
    array = _read_totals(totals)
    n_statistics = _last_axis(array)
    if n_statistics < 4 or n_statistics % 2 == 1:
        raise ValueError(
            f"totals of corpus_bleu are two lengths, and n-grams matching and in all, not {array.shape}"
        )
    max_order = (n_statistics - 2) // 2
    length = array[..., 0]
    reference_length = array[..., 1]
    # Axes (..., order).
    matched = array[..., 2 : 2 + max_order]
    possible = array[..., 2 + max_order :]

    no_match = matched == 0.0
    n_zeros_so_far = np.cumsum(no_match, axis=-1)
    smoothed = np.where(no_match, 0.5**n_zeros_so_far, matched)
    is_positive = (matched > 0.0).any(axis=-1) & (possible > 0.0).all(axis=-1)
    # If BLEU is 0, precisions are replaced by 1, whose logarithm is finite.
    defined = np.expand_dims(is_positive, -1)
    log_precisions = np.log(np.where(defined, smoothed, 1.0)) - np.log(np.where(defined, possible, 1.0))
    length_ratio = np.divide(reference_length, length, out=np.ones_like(length), where=length > 0.0)
    log_brevity_penalty = np.minimum(0.0, 1.0 - length_ratio)
    bleu = 100.0 * np.exp(log_brevity_penalty + log_precisions.mean(axis=-1))
    return float_or_array(np.where(is_positive, bleu, 0.0))


@_described("chrF", lower_is_better=False, support=(0.0, 100.0))
def chrf(totals: Numbers) -> Any:
    r"""ChrF in percent: the F-score with β = 2 of mean precision and mean recall of character n-grams.

    The means leave out orders without n-grams in the outputs or in the references, as in sacrebleu.

    Parameters
    ----------
    totals
        For each order, the n-grams of the outputs, those of the references and the matching ones, one order after another,
        axes (..., statistic), as sacrebleu's CHRF counts them. If n-grams of words are added, this is chrF++.

    Examples
    --------
    >>> chrf([20, 22, 15, 18, 20, 10])
    60.2...

    References
    ----------
    Popović (2015), WMT.
    """
    array = _read_totals(totals)
    n_statistics = _last_axis(array)
    if n_statistics == 0 or n_statistics % 3 != 0:
        raise ValueError(f"chrf needs three statistics for each order of n-grams, not shape {array.shape}")
    # Axes (..., order, kind of count); the last one is unpacked below.
    by_order = array.reshape(*array.shape[:-1], -1, 3)
    predicted, gold, matched = np.moveaxis(by_order, -1, 0)
    used = (predicted > 0.0) & (gold > 0.0)
    n_orders = used.sum(axis=-1)
    precision = ratio((ratio(matched, predicted) * used).sum(axis=-1), n_orders)
    recall = ratio((ratio(matched, gold) * used).sum(axis=-1), n_orders)
    return float_or_array(100.0 * ratio(5.0 * precision * recall, 4.0 * precision + recall))


def _read_totals(totals: Numbers) -> FloatArray:
    """Return totals as an array of floats; raise a ValueError if one is not a count."""
    array = np.asarray(totals, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= _MAX_TOTAL))
    if bad.any():
        *row, statistic = (np.argwhere(np.atleast_1d(bad))[0] + 1).tolist()
        place = f"statistic {statistic}"
        if row:
            place = f"row {', '.join(map(str, row))}, {place}"
        raise ValueError(f"totals hold {array[bad][0]:g} at {place}; give numbers from 0 to {_MAX_TOTAL:g}")
    return array


def _last_axis(array: FloatArray) -> int:
    """Return the number of statistics, 0 for a single number."""
    return array.shape[-1] if array.ndim > 0 else 0


def _named_totals(totals: Numbers, names: Sequence[str]) -> tuple[FloatArray, ...]:
    """Return the total of each of these statistics; raise a ValueError if their number is wrong."""
    array = _read_totals(totals)
    if _last_axis(array) != len(names):
        described = ", ".join(names)
        raise ValueError(
            f"totals are {described}, axes (..., statistic), not an array of shape {array.shape}"
        )
    return tuple(np.moveaxis(array, -1, 0))
