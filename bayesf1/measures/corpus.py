"""Measures of a whole corpus, as functions of totals of counts (..., statistic); `from_statistics` takes them.

Counts come from whoever counts them: BLEU, chrF and TER from sacrebleu, errors of words from jiwer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import Numbers
from bayesf1.metrics import ratio

F = TypeVar("F", bound=Callable[..., Any])


def _described(label: str, *, lower_is_better: bool, support: tuple[float, float]) -> Callable[[F], F]:
    """Let a function say what it is called in print, which way it points, and its smallest and largest value."""

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
    hits, substituted, deleted, inserted = _statistics(totals, "hits, substitutions, deletions, insertions")
    wrong = substituted + deleted
    return plain(ratio(wrong + inserted, hits + wrong))


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
    edits, words = _statistics(totals, "edits, words of the references")
    return plain(100.0 * ratio(edits, words))


@_described("BLEU", lower_is_better=False, support=(0.0, 100.0))
def corpus_bleu(totals: Numbers) -> Any:
    r"""BLEU in percent, :math:`100\,e^{\min(0, 1 - r/c)} \bigl(\prod_{n=1}^N p_n\bigr)^{1/N}` with :math:`p_n = m_n/t_n`.

    Of an order without any match :math:`p_n = 1/(2^k t_n)`, where it is the k-th of them, as in sacrebleu; without any
    n-gram at all BLEU is 0.

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
    array = np.asarray(totals, dtype=np.float64)
    order, odd = divmod((array.shape or (0,))[-1] - 2, 2)
    if odd or order < 1:
        raise ValueError(
            f"totals of corpus_bleu are two lengths, and n-grams matching and in all, not {array.shape}"
        )
    length, reference = array[..., 0], array[..., 1]
    matched, possible = array[..., 2 : 2 + order], array[..., 2 + order :]
    none = matched <= 0.0
    smoothed = np.where(none, 0.5 ** np.cumsum(none, axis=-1), matched)
    some = (matched > 0.0).any(axis=-1) & (possible > 0.0).all(axis=-1)
    known = np.expand_dims(some, -1)
    logs = np.log(np.where(known, smoothed, 1.0)) - np.log(np.where(known, possible, 1.0))
    short = np.minimum(0.0, 1.0 - np.divide(reference, length, out=np.ones_like(length), where=length > 0.0))
    return plain(np.where(some, 100.0 * np.exp(short + logs.mean(axis=-1)), 0.0))


@_described("chrF", lower_is_better=False, support=(0.0, 100.0))
def chrf(totals: Numbers) -> Any:
    r"""ChrF in percent: the F-score with β = 2 of mean precision and mean recall of character n-grams.

    Orders that outputs or references have no n-grams of are left out of the means, as in sacrebleu.

    Parameters
    ----------
    totals
        For each order the n-grams of the outputs, those of the references and the matching ones, one order after
        another, axes (..., statistic), as sacrebleu's CHRF counts them; with those of words it is chrF++.

    Examples
    --------
    >>> chrf([20, 22, 15, 18, 20, 10])
    60.2...

    References
    ----------
    Popović (2015), WMT.
    """
    array = np.asarray(totals, dtype=np.float64)
    if not array.ndim or array.shape[-1] % 3 or not array.shape[-1]:
        raise ValueError(f"chrf needs three statistics for each order of n-grams, not shape {array.shape}")
    predicted, gold, matched = np.moveaxis(array.reshape(*array.shape[:-1], -1, 3), -1, 0)
    used = (predicted > 0.0) & (gold > 0.0)
    orders = used.sum(axis=-1)
    precision, recall = (
        ratio((ratio(matched, whole) * used).sum(axis=-1), orders) for whole in (predicted, gold)
    )
    return plain(100.0 * ratio(5.0 * precision * recall, 4.0 * precision + recall))


def _statistics(totals: Numbers, what: str) -> tuple[FloatArray, ...]:
    array = np.asarray(totals, dtype=np.float64)
    if array.shape[-1:] != (what.count(",") + 1,):
        raise ValueError(f"totals are {what}, axes (..., statistic), not an array of shape {array.shape}")
    return tuple(np.moveaxis(array, -1, 0))
