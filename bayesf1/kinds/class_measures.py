"""Measures of several classes: averages over them, one of them, and measures of the whole matrix.

All of them are functions of every class's true positives, false positives and false negatives. They agree
with scikit-learn's on ``labels=ev.classes``, and are 0 where a share is 0/0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import (
    METRICS,
    Harmonic,
    Metric,
    Proportion,
    find_metric,
    ratio,
)

AVERAGES = ("micro", "macro", "weighted")

_ONE_CLASS = re.compile(r"([^\[\]]+)\[(.*)\]", re.DOTALL)
_FSCORE = re.compile(r"f\d+(\.\d*)?")
_STAR = re.compile(r"macro_(f[\d.]+)_star")
_WHOLE = ("accuracy", "balanced_accuracy", "sba", "mcc", "kappa")


class Blocks(NamedTuple):
    """Counts of every class, axes (..., class)."""

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray


def blocks(ev: Evaluation, tables: FloatArray) -> Blocks:
    """Return the counts of every class from tables (..., cell) of an evaluation of several classes."""
    k = len(ev.classes)
    parts = [tables[..., i * k : (i + 1) * k] for i in range(tables.shape[-1] // k)]
    if len(parts) == 3:
        tp, fp, fn = parts
        total = (tp + fn).sum(axis=-1, keepdims=True)
        rest = total - tp - fp - fn
        # What rounding leaves of a total is no true negative.
        parts.append(np.where(rest > 1e-12 * total, rest, 0.0))
    return Blocks(*parts)


def class_metric(name: str, ev: Evaluation) -> Metric:
    """Return a measure of an evaluation of several classes by its name.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> ev = from_labels(list("aabbcc"), {"A": list("abbbca")})
    >>> [class_metric(m, ev).label for m in ("f1", "micro_f1", "macro_f1_star", "recall[b]", "mcc")]
    ['Macro F1', 'Micro F1', 'Macro F1*', 'R[b]', 'MCC']
    """
    key = name.strip()
    one = _ONE_CLASS.fullmatch(key)
    if one is not None:
        return _of_one_class(_base(one[1], name), one[2], ev)
    key = key.lower().replace("-", "_")
    if key in _WHOLE and ev.task == "multiclass":
        return _of_whole(key, ev)
    star = _STAR.fullmatch(key)
    if star is not None:
        return _star(_base(star[1], name), ev)
    average, _, base = key.partition("_")
    if average not in AVERAGES:
        if key in _WHOLE:
            alone = f"f1[{ev.classes[0]}]" if ev.task == "spans" else f"{key}[{ev.classes[0]}]"
            raise ValueError(
                f"{key} needs items of one class each, but here an item has any number of {_noun(ev)}; "
                f"use micro_f1, macro_f1 or {alone}"
            )
        plain = _base(key, name)
        usual = _average("macro" if ev.task == "multiclass" else "micro", plain, ev)
        return replace(usual, name=plain.name)
    return _average(average, _base(base, name), ev)


def _noun(ev: Evaluation) -> str:
    return "types" if ev.task == "spans" else "classes"


def _base(base: str, asked: str) -> Metric:
    try:
        return find_metric(base)
    except ValueError:
        if _FSCORE.fullmatch(base.strip().lower()):
            # An F-score, but with a weight that it cannot have.
            raise
        known = [*METRICS, "f1", *(f"{a}_f1" for a in AVERAGES), "macro_f1_star", "f1[class]"]
        raise ValueError(f"unknown metric {asked!r}; {nearest(asked, known)}") from None


def _check_negatives(base: Metric, ev: Evaluation) -> None:
    if "tn" in base.needs and ev.task == "spans":
        base.check_cells(("tp", "fp", "fn"))


def _stacked(base: Metric, found: Blocks) -> FloatArray:
    """Score every class by itself."""
    return base.function(np.stack([getattr(found, cell) for cell in base.needs], axis=-1))


# ---- one class --------------------------------------------------------------------------------------------


def _of_one_class(base: Metric, name: str, ev: Evaluation) -> Metric:
    if name not in ev.classes:
        raise ValueError(f"there is no class {name!r} in {base.name}[{name}]; {nearest(name, ev.classes)}")
    _check_negatives(base, ev)
    named = replace(base, name=f"{base.name}[{name}]", label=f"{base.label}[{name}]")
    if "tn" in base.needs and ev.task == "multiclass":
        i = ev.classes.index(name)
        return replace(
            named, needs=ev.cells, law=None, function=lambda t: _stacked(base, blocks(ev, t))[..., i]
        )

    def mapped(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{cell}[{name}]" for cell in cells)

    law: Proportion | Harmonic | None = None
    match base.law:
        case Proportion(successes, failures):
            law = Proportion(mapped(successes), mapped(failures))
        case Harmonic(beta):
            law = Harmonic(beta, *(mapped((cell,)) for cell in ("tp", "fp", "fn")))
    return replace(named, needs=mapped(base.needs), law=law)


# ---- averages ---------------------------------------------------------------------------------------------


def _average(average: str, base: Metric, ev: Evaluation) -> Metric:
    _check_negatives(base, ev)
    scorers: dict[str, Callable[[Blocks], FloatArray]] = {
        "micro": lambda b: _stacked(base, Blocks(*(part.sum(axis=-1) for part in b))),
        "macro": lambda b: np.asarray(_stacked(base, b).mean(axis=-1)),
        "weighted": lambda b: ratio(
            (_stacked(base, b) * (b.tp + b.fn)).sum(axis=-1), (b.tp + b.fn).sum(axis=-1)
        ),
    }
    scorer = scorers[average]
    return replace(
        base,
        name=f"{average}_{base.name}",
        label=f"{average.capitalize()} {base.label}",
        needs=ev.cells,
        law=_micro_law(base, ev) if average == "micro" else None,
        function=lambda tables: scorer(blocks(ev, tables)),
    )


def _cells(ev: Evaluation, kind: str) -> tuple[str, ...]:
    return tuple(f"{kind}[{name}]" for name in ev.classes)


def _micro_law(base: Metric, ev: Evaluation) -> Proportion | Harmonic | None:
    if ev.task == "multiclass":
        # Every mistake is a false positive and a false negative, so that P = R = F = accuracy.
        same = base.name in ("precision", "recall") or isinstance(base.law, Harmonic)
        return Proportion(_cells(ev, "tp"), _cells(ev, "fn")) if same else None
    match base.law:
        case Proportion(successes, failures):
            sums = (tuple(c for cell in group for c in _cells(ev, cell)) for group in (successes, failures))
            return Proportion(*sums)
        case Harmonic(beta):
            return Harmonic(beta, *(_cells(ev, cell) for cell in ("tp", "fp", "fn")))
    return None


def _star(base: Metric, ev: Evaluation) -> Metric:
    """Return F-beta of macro precision and macro recall (Sokolova & Lapalme 2009)."""
    if not isinstance(base.law, Harmonic):
        raise ValueError(f"macro_{base.name}_star is unknown; an F-score such as macro_f1_star belongs here")
    square = base.law.beta**2

    def function(tables: FloatArray) -> FloatArray:
        b = blocks(ev, tables)
        precision = ratio(b.tp, b.tp + b.fp).mean(axis=-1)
        recall = ratio(b.tp, b.tp + b.fn).mean(axis=-1)
        return ratio((1.0 + square) * precision * recall, square * precision + recall)

    return Metric(f"macro_{base.name}_star", f"Macro {base.label}*", ev.cells, None, function)


# ---- the whole matrix -------------------------------------------------------------------------------------


def _of_whole(name: str, ev: Evaluation) -> Metric:
    first = blocks(ev, ev.tables)
    in_gold = (first.tp + first.fn).sum(axis=0) > 0

    def accuracy(b: Blocks) -> FloatArray:
        return ratio(b.tp.sum(axis=-1), (b.tp + b.fn).sum(axis=-1))

    def balanced(b: Blocks) -> FloatArray:
        gold = np.where(in_gold, b.tp + b.fn, 0.0)
        return ratio(ratio(b.tp, gold).sum(axis=-1), (gold > 0).sum(axis=-1))

    def symmetric(b: Blocks) -> FloatArray:
        # Classes without gold items are out, but what a prior gave them stays in the number of items.
        n = (b.tp + b.fn).sum(axis=-1, keepdims=True)
        right, gold, said = (ratio(share, n) for share in (b.tp, b.tp + b.fn, b.tp + b.fp))
        recall = np.where(in_gold, ratio(right, gold), said)
        precision = np.where(said > 0, ratio(right, said), np.where(in_gold, gold, 0.0))
        return np.asarray(0.5 * (recall + precision).mean(axis=-1))

    scorers = {
        "accuracy": accuracy,
        "balanced_accuracy": balanced,
        "sba": symmetric,
        "mcc": correlation,
        "kappa": agreement,
    }
    scorer, plain = scorers[name], METRICS[name]
    law = Proportion(_cells(ev, "tp"), _cells(ev, "fn")) if name == "accuracy" else None
    return replace(plain, needs=ev.cells, law=law, function=lambda tables: scorer(blocks(ev, tables)))


def correlation(b: Blocks) -> FloatArray:
    r"""Gorodkin's R_K, the correlation of gold and predicted classes, 0 where it is 0/0.

    With gold shares t and predicted shares p it is
    :math:`(\sum_k C_{kk}/n - \sum_k t_k p_k) / \sqrt{(1-\sum_k p_k^2)(1-\sum_k t_k^2)}`.
    """
    right, gold, said = _shares(b)
    spread = (1.0 - (said**2).sum(axis=-1)) * (1.0 - (gold**2).sum(axis=-1))
    return ratio(right - (gold * said).sum(axis=-1), np.sqrt(np.where(spread > 1e-15, spread, 0.0)))


def agreement(b: Blocks) -> FloatArray:
    """Cohen's kappa of gold and predicted classes, 0 where it is 0/0."""
    right, gold, said = _shares(b)
    chance = (gold * said).sum(axis=-1)
    return ratio(right - chance, np.where(1.0 - chance > 1e-15, 1.0 - chance, 0.0))


def _shares(b: Blocks) -> tuple[FloatArray, FloatArray, FloatArray]:
    gold, said = b.tp + b.fn, b.tp + b.fp
    n = gold.sum(axis=-1, keepdims=True)
    return ratio(b.tp, n).sum(axis=-1), ratio(gold, n), ratio(said, n)
