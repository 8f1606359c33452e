r"""Two models on the same items: probabilities under the joint Dirichlet of their outcomes.

Items fall into eight cells by gold label and by what either model said. The split of the items that only one
of the models got right, :math:`U = \pi_{\text{only B}}/(\pi_{\text{only A}}+\pi_{\text{only B}})`, is a Beta
variate independent of all else, and B's advantage grows with it. So

.. math:: P(\nu_B - \nu_A > d) = E[\, P(U > u^*) \,],

where u* is the split at which the advantage is d given all else, and the outer expectation is over a
scrambled Sobol sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.evaluation import Evaluation, FloatArray
from bayesf1.metrics import Metric
from bayesf1.quadrature import crossing

_SCRAMBLES = 16
_POINTS = 1 << 9
_MAX_POINTS = 1 << 14
_GOAL = 4e-5


class JointCounts(NamedTuple):
    """How many items of each joint outcome of models A and B."""

    both: float
    only_a: float
    only_b: float
    neither: float
    claimed_both: float
    claimed_a: float
    claimed_b: float
    left_alone: float


class Estimate(NamedTuple):
    """A probability and the standard error of its computation, 0 where it is exact."""

    value: FloatArray
    error: FloatArray


def joint_counts(ev: Evaluation, a: int, b: int) -> JointCounts:
    """Count the items of an evaluation of single items by the joint outcome of two of its models."""
    if ev.patterns is None or ev.weights is None:
        raise ValueError("joint outcomes need single items, but only totals are known")
    column = {cell: ev.cells.index(cell) for cell in ev.cells}

    def total(cell_a: str, cell_b: str) -> float:
        if cell_a not in column or cell_b not in column:
            return 0.0
        hits = ev.patterns[:, a, column[cell_a]] * ev.patterns[:, b, column[cell_b]]  # type: ignore[index]
        return float(hits @ ev.weights)

    def claimed_alone(one: int, other: int) -> float:
        hits = ev.patterns[:, one, column["fp"]] * (1.0 - ev.patterns[:, other, column["fp"]])  # type: ignore[index]
        return float(hits @ ev.weights)

    return JointCounts(
        both=total("tp", "tp"),
        only_a=total("tp", "fn"),
        only_b=total("fn", "tp"),
        neither=total("fn", "fn"),
        claimed_both=total("fp", "fp"),
        claimed_a=claimed_alone(a, b),
        claimed_b=claimed_alone(b, a),
        left_alone=total("tn", "tn"),
    )


@dataclass(frozen=True)
class _Split:
    """Which pair of cells is integrated out: B gains as the first takes from the second."""

    gain: str
    loss: str


_SPLITS = (_Split("only_b", "only_a"), _Split("claimed_a", "claimed_b"))


def paired_sf(
    counts: JointCounts,
    measure: Metric,
    cells: tuple[str, ...],
    margins: ArrayLike,
    *,
    prior: float,
    rng: np.random.Generator,
) -> Estimate:
    """Return P(ν_B - ν_A > d) for each margin d, with half of `prior` on every joint cell.

    Parameters
    ----------
    counts
        Items by joint outcome.
    measure
        A named measure; it must reward what is right, as all named ones do.
    cells
        The cells of a model's table.
    margins
        The margins d.
    prior
        λ of each model's Dirichlet(λ) margin.
    rng
        The source of the scrambling.
    """
    alpha = {name: value + 0.5 * prior for name, value in counts._asdict().items()}
    d = np.atleast_1d(np.asarray(margins, dtype=np.float64))
    exact = _closed_form(alpha, measure)
    values, errors = np.zeros(len(d)), np.zeros(len(d))
    for i, margin in enumerate(d):
        if exact is not None and margin == 0.0:
            values[i] = exact
        else:
            values[i], errors[i] = _by_sobol(alpha, measure, cells, float(margin), rng)
    return Estimate(values.reshape(np.shape(margins)), errors.reshape(np.shape(margins)))


def _closed_form(alpha: dict[str, float], measure: Metric) -> float | None:
    """P(ν_B > ν_A) where a measure only depends on who was right: a Beta variate against one half."""
    gains = {
        "recall": (("only_b",), ("only_a",)),
        "specificity": (("claimed_a",), ("claimed_b",)),
        "accuracy": (("only_b", "claimed_a"), ("only_a", "claimed_b")),
    }
    if measure.name not in gains:
        return None
    gain, loss = (sum(alpha[name] for name in group) for group in gains[measure.name])
    return float(special.betaincc(gain, loss, 0.5))


def _by_sobol(
    alpha: dict[str, float], measure: Metric, cells: tuple[str, ...], margin: float, rng: np.random.Generator
) -> tuple[float, float]:
    weight = [alpha[split.gain] + alpha[split.loss] for split in _SPLITS]
    # The heavier split is integrated out, provided that the measure depends on it.
    useful = [bool({"tp", "fn"} & set(measure.needs)), bool({"fp", "tn"} & set(measure.needs))]
    chosen = 0 if useful[0] and (weight[0] >= weight[1] or not useful[1]) else 1
    split, other = _SPLITS[chosen], _SPLITS[1 - chosen]
    points = _POINTS
    while True:
        values = _conditional(alpha, measure, cells, margin, split, other, points, rng)
        means = values.reshape(_SCRAMBLES, points).mean(axis=1)
        error = float(means.std(ddof=1) / np.sqrt(_SCRAMBLES))
        if error <= _GOAL or points >= _MAX_POINTS:
            return float(np.clip(means.mean(), 0.0, 1.0)), error
        points *= 4


def _conditional(
    alpha: dict[str, float],
    measure: Metric,
    cells: tuple[str, ...],
    margin: float,
    split: _Split,
    other: _Split,
    points: int,
    rng: np.random.Generator,
) -> FloatArray:
    """P(ν_B - ν_A > margin) given all but one split, at `points` points of each scrambled Sobol sequence."""
    from scipy.stats import qmc

    single = ["both", "neither", "claimed_both", *(["left_alone"] if "tn" in cells else [])]
    sequences = [qmc.Sobol(3 + len(single), rng=rng).random(points) for _ in range(_SCRAMBLES)]
    # Points at 0 and 1 have no quantile.
    normal = special.ndtri(np.clip(np.concatenate(sequences), 1e-12, 1.0 - 1e-12)).T
    n = normal.shape[1]
    # What matters most takes the first, best distributed coordinate.
    share = special.expit(
        _quantiles(lambda u: _beta_logits(alpha[other.gain], alpha[other.loss], u), normal[0])
    )
    total, other_total = (
        _gammas(alpha[pair.gain] + alpha[pair.loss], s)
        for pair, s in zip((split, other), normal[1:3], strict=True)
    )
    mass = {name: _gammas(alpha[name], s) for name, s in zip(single, normal[3:], strict=True)}
    mass.setdefault("left_alone", np.zeros(n))
    mass |= {other.gain: other_total * share, other.loss: other_total * (1.0 - share)}

    def advantage(u: FloatArray) -> FloatArray:
        parts = mass | {split.gain: total * u, split.loss: total * (1.0 - u)}
        scores = [measure(table, cells) for table in _tables(parts, cells)]
        return scores[1] - scores[0] - margin

    threshold = crossing(advantage, np.zeros(n), np.ones(n), accuracy=1e-9)
    return np.asarray(special.betaincc(alpha[split.gain], alpha[split.loss], threshold))


def _quantiles(quantile: Callable[[FloatArray], FloatArray], normal: FloatArray) -> FloatArray:
    """Map normal scores to a law through a spline of its quantile function, smooth in this scale to 1e-9."""
    from scipy.interpolate import CubicSpline

    grid = np.linspace(-7.1, 7.1, 285)
    return np.asarray(CubicSpline(grid, quantile(special.ndtr(grid)))(normal))


def _gammas(shape: float, normal: FloatArray) -> FloatArray:
    return np.exp(_quantiles(lambda u: np.log(special.gammaincinv(shape, u)), normal))


def _beta_logits(a: float, b: float, u: FloatArray) -> FloatArray:
    low, high = special.betaincinv(a, b, u), special.betaincinv(b, a, 1.0 - u)
    return np.log(low) - np.log(high)


def _tables(m: dict[str, FloatArray], cells: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Return both models' tables (..., cell) from the masses of the joint cells."""
    tables = []
    for own, others in (("a", "b"), ("b", "a")):
        table = {
            "tp": m["both"] + m[f"only_{own}"],
            "fp": m["claimed_both"] + m[f"claimed_{own}"],
            "fn": m["neither"] + m[f"only_{others}"],
            "tn": m["left_alone"] + m[f"claimed_{others}"],
        }
        tables.append(np.stack([table[cell] for cell in cells], axis=-1))
    return tables[0], tables[1]


def pairing_bounds(
    table_a: FloatArray,
    table_b: FloatArray,
    measure: Metric,
    cells: tuple[str, ...],
    *,
    prior: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the range of P(ν_B > ν_A) over all pairings of items that two tables allow.

    The joint outcomes are not identified by the tables, but their margins bound them: both models were right
    on at least max(0, TP_A + TP_B - n₊) items and at most min(TP_A, TP_B), and likewise for false positives.
    The probability is computed at these extreme overlaps.
    """
    a, b = (dict(zip(cells, table, strict=True)) for table in (table_a, table_b))
    gold_a, gold_b = a["tp"] + a["fn"], b["tp"] + b["fn"]
    if not np.isclose(gold_a, gold_b, rtol=1e-9, atol=1e-9):
        raise ValueError(
            f"the tables have {gold_a:g} and {gold_b:g} gold positives (tp+fn), so they are not from one test "
            "set and there is no pairing to bound"
        )
    negatives = np.inf
    if "tn" in cells:
        negatives = a["fp"] + a["tn"]
        if not np.isclose(negatives, b["fp"] + b["tn"], rtol=1e-9, atol=1e-9):
            raise ValueError(
                f"the tables have {negatives:g} and {b['fp'] + b['tn']:g} gold negatives (fp+tn), so they are "
                "not from one test set and there is no pairing to bound"
            )
    found = (max(0.0, a["tp"] + b["tp"] - gold_a), min(a["tp"], b["tp"]))
    claimed = (max(0.0, a["fp"] + b["fp"] - negatives), min(a["fp"], b["fp"]))
    values = []
    for both in sorted(set(found)):
        for claimed_both in sorted(set(claimed)):
            counts = JointCounts(
                both=both,
                only_a=a["tp"] - both,
                only_b=b["tp"] - both,
                neither=max(0.0, gold_a - a["tp"] - b["tp"] + both),
                claimed_both=claimed_both,
                claimed_a=a["fp"] - claimed_both,
                claimed_b=b["fp"] - claimed_both,
                left_alone=max(0.0, negatives - a["fp"] - b["fp"] + claimed_both) if "tn" in cells else 0.0,
            )
            values.append(float(paired_sf(counts, measure, cells, 0.0, prior=prior, rng=rng).value))
    return min(values), max(values)
