r"""Two models on the same items: probabilities under the joint Dirichlet of their outcomes.

Items fall into eight cells by gold label and by what either model said. The split of the items that only one
of the models got right, :math:`U = \pi_{\text{only B}}/(\pi_{\text{only A}}+\pi_{\text{only B}})`, is a Beta
variate independent of all else, and B's advantage grows with it. So

.. math:: P(\nu_B - \nu_A > d) = E[\, P(U > u^*) \,],

where u* is the split at which the advantage is d given all else, and the outer expectation is a randomly
shifted lattice rule: smooth integrands converge almost as the square of the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.roots import crossing
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.kind import Estimate
from bayesf1.evaluation.metric import Harmonic, Metric
from bayesf1.laws.distributions import Beta
from bayesf1.laws.quadrature import expit_pair

_SHIFTS = 8
_POINTS = 1 << 5
# Most evaluations in one estimate; a handful of items needs many nodes and gets fewer points.
_MAX_WORK = 1 << 19
_NEGLIGIBLE = 1e-9
_GOAL = 4e-5
# Embedded rank-1 lattice rule of Cools, Kuo & Nuyens (2006), SIAM J. Sci. Comput. 28(6).
_GENERATOR = np.array([1.0, 182667.0, 469891.0, 498753.0, 110745.0, 446247.0, 250185.0])


# Measures that only depend on who was right: cells that speak for B, and cells that speak for A.
CLOSED_WHEN_PAIRED = {
    "recall": (("only_b",), ("only_a",)),
    "specificity": (("claimed_a",), ("claimed_b",)),
    "accuracy": (("only_b", "claimed_a"), ("only_a", "claimed_b")),
}


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


def joint_counts(ev: Evaluation, a: int, b: int) -> JointCounts:
    """Count the items of an evaluation of single items by the joint outcome of two of its models."""
    patterns, weights = ev.patterns, ev.weights
    if patterns is None or weights is None:
        raise ValueError("joint outcomes need single items, but only totals are known")
    table_a, table_b = ({cell: patterns[:, i, j] for j, cell in enumerate(ev.cells)} for i in (a, b))

    def total(cell_a: str, cell_b: str) -> float:
        return float((table_a[cell_a] * table_b[cell_b]) @ weights)

    return JointCounts(
        both=total("tp", "tp"),
        only_a=total("tp", "fn"),
        only_b=total("fn", "tp"),
        neither=total("fn", "fn"),
        claimed_both=total("fp", "fp"),
        claimed_a=float((table_a["fp"] * (1.0 - table_b["fp"])) @ weights),
        claimed_b=float((table_b["fp"] * (1.0 - table_a["fp"])) @ weights),
        left_alone=total("tn", "tn") if "tn" in ev.cells else 0.0,
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
        The source of the random shifts.
    """
    alpha = {name: value + 0.5 * prior for name, value in counts._asdict().items()}
    d = np.atleast_1d(np.asarray(margins, dtype=np.float64))
    exact = _closed_form(alpha, measure)
    values, errors = np.zeros(len(d)), np.zeros(len(d))
    for i, margin in enumerate(d):
        if exact is not None and margin == 0.0:
            values[i] = exact
        else:
            values[i], errors[i] = _by_lattice(alpha, measure, cells, float(margin), rng)
    return Estimate(values.reshape(np.shape(margins)), errors.reshape(np.shape(margins)))


def _closed_form(alpha: dict[str, float], measure: Metric) -> float | None:
    """P(ν_B > ν_A) where a measure only depends on who was right: a Beta variate against one half."""
    if measure.name not in CLOSED_WHEN_PAIRED:
        return None
    gain, loss = (sum(alpha[name] for name in group) for group in CLOSED_WHEN_PAIRED[measure.name])
    return float(special.betaincc(gain, loss, 0.5))


def _by_lattice(
    alpha: dict[str, float], measure: Metric, cells: tuple[str, ...], margin: float, rng: np.random.Generator
) -> tuple[float, float]:
    split, other = sorted(_SPLITS, key=lambda split: -_swing(alpha, measure, cells, split))
    share, _, weights = _beta(alpha, other).nodes
    likely = weights > _NEGLIGIBLE
    nodes = share[likely], weights[likely] / weights[likely].sum()
    points = _POINTS
    while True:
        values = _conditional(alpha, measure, cells, margin, split, other, nodes, points, rng)
        means = values.reshape(_SHIFTS, points).mean(axis=1)
        error = float(means.std(ddof=1) / np.sqrt(_SHIFTS))
        if error <= _GOAL or 4 * points * _SHIFTS * len(nodes[0]) > _MAX_WORK:
            return float(np.clip(means.mean(), 0.0, 1.0)), error
        points *= 4


def _swing(alpha: dict[str, float], measure: Metric, cells: tuple[str, ...], split: _Split) -> float:
    """How far B's advantage moves as a split goes from a standard deviation below its mean to one above."""
    a, b = alpha[split.gain], alpha[split.loss]
    mean, sd = a / (a + b), np.sqrt(a * b / (a + b + 1.0)) / (a + b)
    share = np.clip([mean - sd, mean + sd], 0.0, 1.0)
    masses = {name: np.full(2, value) for name, value in alpha.items()}
    masses |= {split.gain: (a + b) * share, split.loss: (a + b) * (1.0 - share)}
    score_a, score_b = (measure(table, cells) for table in _tables(masses, cells))
    return float(np.diff(score_b - score_a)[0])


def _conditional(
    alpha: dict[str, float],
    measure: Metric,
    cells: tuple[str, ...],
    margin: float,
    split: _Split,
    other: _Split,
    nodes: tuple[FloatArray, FloatArray],
    points: int,
    rng: np.random.Generator,
) -> FloatArray:
    """P(ν_B - ν_A > margin) at `points` points of each shifted lattice, with both splits integrated out."""
    single = ["both", "neither", "claimed_both", *(["left_alone"] if "tn" in cells else [])]
    normal = special.ndtri(_lattice(2 + len(single), points, rng))[..., None]
    share, weights = nodes
    total, other_total = (
        _gammas(alpha[pair.gain] + alpha[pair.loss], s)
        for pair, s in zip((split, other), normal[:2], strict=True)
    )
    mass = {name: _gammas(alpha[name], s) for name, s in zip(single, normal[2:], strict=True)}
    mass.setdefault("left_alone", np.zeros(()))
    mass |= {other.gain: other_total * share, other.loss: other_total * (1.0 - share)}
    mass = dict(zip(mass, np.broadcast_arrays(*mass.values()), strict=True))
    shape = mass["both"].shape

    def parts(u: FloatArray | float) -> dict[str, FloatArray]:
        return mass | {split.gain: total * u, split.loss: total * (1.0 - u)}

    recall_weight = _recall_weight(measure) if margin == 0.0 else None
    if recall_weight is not None:
        start, stop = (_contrast(parts(u), recall_weight) for u in (0.0, 1.0))
        threshold = np.clip(start / (start - stop), 0.0, 1.0)
    else:

        def advantage(u: FloatArray) -> FloatArray:
            score_a, score_b = (measure(table, cells) for table in _tables(parts(u), cells))
            return score_b - score_a - margin

        threshold = crossing(advantage, np.zeros(shape), np.ones(shape), accuracy=1e-7)
    return np.asarray(_spline_sf(_beta(alpha, split), threshold) @ weights)


def _beta(alpha: dict[str, float], split: _Split) -> Beta:
    return Beta(np.asarray(alpha[split.gain]), np.asarray(alpha[split.loss]))


def _spline_sf(law: Beta, u: FloatArray) -> FloatArray:
    """Survival function at many points, through a spline in the logit, good to 1e-9."""
    from scipy.interpolate import CubicSpline

    low, high = (float(z) for z in law.logit_window)
    grid = np.linspace(low, high, 1000)
    spline = CubicSpline(grid, law.tails(*expit_pair(grid))[1])
    return np.asarray(np.clip(spline(np.clip(special.logit(u), low, high)), 0.0, 1.0))


def _recall_weight(measure: Metric) -> float | None:
    """Return β² of an F-score, 0 for precision, 1 for Jaccard, and None for other measures."""
    if isinstance(measure.law, Harmonic):
        return measure.law.beta**2
    return {"precision": 0.0, "jaccard": 1.0}.get(measure.name)


def _contrast(m: dict[str, FloatArray], recall_weight: float) -> FloatArray:
    r"""Return a number with the sign of B's advantage in an F-score, linear in either split.

    :math:`F_B > F_A` iff :math:`TP_B (FP_A + \beta^2 FN_A) > TP_A (FP_B + \beta^2 FN_B)`, and the terms in
    :math:`\beta^2` differ by the discordant gold items times all gold items.
    """
    gold = m["both"] + m["only_a"] + m["only_b"] + m["neither"]
    tp_a, tp_b = m["both"] + m["only_a"], m["both"] + m["only_b"]
    fp_a, fp_b = m["claimed_both"] + m["claimed_a"], m["claimed_both"] + m["claimed_b"]
    return tp_b * fp_a - tp_a * fp_b + recall_weight * gold * (m["only_b"] - m["only_a"])


def _lattice(dims: int, points: int, rng: np.random.Generator) -> FloatArray:
    """Return randomly shifted lattices, folded by the tent map, axes (dimension, shift × point)."""
    shift = rng.random((dims, _SHIFTS, 1))
    x = (_GENERATOR[:dims, None, None] * (np.arange(points) / points) + shift) % 1.0
    # Points at 0 and 1 have no quantile.
    return np.clip(1.0 - np.abs(2.0 * x - 1.0), 1e-12, 1.0 - 1e-12).reshape(dims, -1)


def _quantiles(quantile: Callable[[FloatArray], FloatArray], normal: FloatArray) -> FloatArray:
    """Map normal scores to a law through a spline of its quantile function, smooth in this scale to 1e-9."""
    from scipy.interpolate import CubicSpline

    grid = np.linspace(-7.1, 7.1, 285)
    return np.asarray(CubicSpline(grid, quantile(special.ndtr(grid)))(normal))


def _gammas(shape: float, normal: FloatArray) -> FloatArray:
    return np.exp(_quantiles(lambda u: np.log(special.gammaincinv(shape, u)), normal))


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
    gold = _common_total(a["tp"] + a["fn"], b["tp"] + b["fn"], "gold positives (tp+fn)")
    negatives = np.inf
    if "tn" in cells:
        negatives = _common_total(a["fp"] + a["tn"], b["fp"] + b["tn"], "gold negatives (fp+tn)")
    found = (max(0.0, a["tp"] + b["tp"] - gold), min(a["tp"], b["tp"]))
    claimed = (max(0.0, a["fp"] + b["fp"] - negatives), min(a["fp"], b["fp"]))
    values = []
    for both in sorted(set(found)):
        for claimed_both in sorted(set(claimed)):
            counts = JointCounts(
                both=both,
                only_a=a["tp"] - both,
                only_b=b["tp"] - both,
                neither=max(0.0, gold - a["tp"] - b["tp"] + both),
                claimed_both=claimed_both,
                claimed_a=a["fp"] - claimed_both,
                claimed_b=b["fp"] - claimed_both,
                left_alone=max(0.0, negatives - a["fp"] - b["fp"] + claimed_both) if "tn" in cells else 0.0,
            )
            values.append(float(paired_sf(counts, measure, cells, 0.0, prior=prior, rng=rng).value))
    return min(values), max(values)


def _common_total(a: float, b: float, what: str) -> float:
    if not np.isclose(a, b, rtol=1e-9, atol=1e-9):
        raise ValueError(
            f"the tables have {a:g} and {b:g} {what}, so they are not from one test set and there is no "
            "pairing to bound"
        )
    return a
