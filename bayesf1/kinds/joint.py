r"""Two models on the same items: probabilities under the joint Dirichlet of their outcomes.

Items fall into eight cells by gold label and by what either model said. Recall, specificity and accuracy depend on who
was right alone, and which F-score is the larger one is a matter of two independent terms: both are exact. For other
measures, and for margins in F-scores: the split of the items that only one of the models got right,
:math:`U = \pi_{\text{only B}}/(\pi_{\text{only A}}+\pi_{\text{only B}})`, is a Beta variate independent of all else,
and B's advantage grows with it. So

.. math:: P(\nu_B - \nu_A > d) = E[\, P(U > u^*) \,],

where u* is the split at which the advantage is d given all else, and the outer expectation is a randomly
shifted lattice rule: smooth integrands converge almost as the square of the number of points.
"""

from __future__ import annotations

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
from bayesf1.kinds.paired_fscores import Term, p_positive, spline_sf
from bayesf1.laws.distributions import Beta
from bayesf1.laws.quadrature import expit_pair

# Many shifts, so that their spread is known and stopping when it is small does not make it too small.
_SHIFTS = 32
# Points of a lattice to begin with, times nodes, and the most.
_POINTS = 1 << 6
_MOST_POINTS = 1 << 10
# A handful of items would need more nodes than this; then the lattice has a dimension more instead.
_MOST_NODES, _NEGLIGIBLE = 48, 1e-10
_GOAL = 6e-5
# Normal scores at which quantile functions are computed; between them they are interpolated.
_SCORES = np.linspace(-7.1, 7.1, 285)
# Embedded rank-1 lattice rule of Cools, Kuo & Nuyens (2006), SIAM J. Sci. Comput. 28(6).
_GENERATOR = np.array([1.0, 182667.0, 469891.0, 498753.0, 110745.0, 446247.0, 250185.0])


# Measures that only depend on who was right: cells that speak for B, cells that speak for A, and the other cells of
# the items that are counted.
CLOSED_WHEN_PAIRED = {
    "recall": (("only_b",), ("only_a",), ("both", "neither")),
    "specificity": (("claimed_a",), ("claimed_b",), ("claimed_both", "left_alone")),
    "accuracy": (
        ("only_b", "claimed_a"),
        ("only_a", "claimed_b"),
        ("both", "neither", "claimed_both", "left_alone"),
    ),
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

    @property
    def swapped(self) -> JointCounts:
        """The counts with A and B in each other's place."""
        return self._replace(
            only_a=self.only_b, only_b=self.only_a, claimed_a=self.claimed_b, claimed_b=self.claimed_a
        )


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

    Swapping the models and the signs of the margins gives exactly the complement, for the same seed.

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
        The source of the random shifts, which are the same for all margins.

    Examples
    --------
    >>> from bayesf1.kinds.binary_measures import find_metric
    >>> counts, rng = JointCounts(40, 6, 13, 5, 3, 7, 4, 120), np.random.default_rng(0)
    >>> paired_sf(counts, find_metric("f1"), ("tp", "fp", "fn", "tn"), 0.0, prior=1.0, rng=rng).value.round(6)
    np.float64(0.966608)
    """
    alpha, mirrored = (
        {name: value + 0.5 * prior for name, value in c._asdict().items()} for c in (counts, counts.swapped)
    )
    d = np.atleast_1d(np.asarray(margins, dtype=np.float64))
    # A child does not depend on what was drawn before, which may differ by the order of the models.
    seed = int(rng.spawn(1)[0].integers(1 << 62))
    # Where nothing tells the models apart either is as likely the better one.
    values, errors = np.full(len(d), 0.5), np.zeros(len(d))
    told = (d != 0.0) | (counts != counts.swapped)
    # Of the two orders of the models one is computed, and the other is its complement.
    ordered = np.array([(*counts, margin) <= (*counts.swapped, -margin) for margin in d], dtype=bool)
    for some, law, sign in ((told & ordered, alpha, 1.0), (told & ~ordered, mirrored, -1.0)):
        if some.any():
            joint = _Joint(law, measure, cells)
            found, errors[some] = joint.sf(sign * d[some], np.random.default_rng(seed))
            values[some] = found if sign > 0.0 else 1.0 - found
    return Estimate(values.reshape(np.shape(margins))[()], errors.reshape(np.shape(margins))[()])


def shares_sf(gain: float, loss: float, rest: float, margin: float) -> float:
    r"""Return P(p_gain - p_loss > d) for shares with a joint Dirichlet law, exact.

    For d ≥ 0 it is :math:`E[P(G > (d + 1 - Z)/(1 - d))]` with :math:`Z \sim \mathrm{Be}(rest, loss)` and, independently,
    a beta prime variate G of parameters gain and rest + loss.

    Examples
    --------
    >>> shares_sf(3.0, 2.0, 5.0, 0.0)
    0.6875
    >>> round(shares_sf(3.0, 2.0, 5.0, 0.1), 6)
    0.503109
    """
    if margin < 0.0:
        return 1.0 - shares_sf(loss, gain, rest, -margin)
    if margin == 0.0:
        return float(special.betaincc(gain, loss, 0.5))
    if margin >= 1.0:
        return 0.0
    # d + 1 - Z is at least d: no node further out than 1e-16 of it makes a difference.
    _, zc, weights = Beta(rest, loss).nodes
    threshold = (margin + zc) / (1.0 - margin)
    law = Beta(gain, rest + loss)
    above = law.tails(threshold / (1.0 + threshold), 1.0 / (1.0 + threshold))[1]
    return float(np.clip(weights @ above, 0.0, 1.0))


def fscore_terms(alpha: dict[str, float], recall_weight: float) -> tuple[Term, Term]:
    """Return what gold items and what false positives say on which F-score is larger."""
    gold = alpha["both"] + alpha["only_a"] + alpha["only_b"] + alpha["neither"]
    found = Term(alpha["only_b"], alpha["only_a"], alpha["both"])
    claimed = (alpha["claimed_a"], alpha["claimed_b"], alpha["claimed_both"])
    return found, Term.of_errors(*claimed, gold, recall_weight)


def _recall_weight(measure: Metric) -> float | None:
    """Return β² of an F-score, 0 for precision, 1 for Jaccard, and None for other measures."""
    if isinstance(measure.law, Harmonic):
        return measure.law.beta**2
    return {"precision": 0.0, "jaccard": 1.0}.get(measure.name)


def is_exact(measure: Metric) -> bool:
    """Say whether P(ν_B > ν_A) is known without a lattice."""
    return measure.name in CLOSED_WHEN_PAIRED or _recall_weight(measure) is not None


# ---- lattices ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Joint:
    """The joint Dirichlet law of two models' outcomes on an item, by its parameters, and a measure of their tables."""

    alpha: dict[str, float]
    measure: Metric
    cells: tuple[str, ...]

    def sf(self, margins: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return P(ν_B - ν_A > d) for each margin d, and its error."""
        values, errors = np.zeros(len(margins)), np.zeros(len(margins))
        if self.measure.name in CLOSED_WHEN_PAIRED:
            groups = CLOSED_WHEN_PAIRED[self.measure.name]
            gain, loss, rest = (sum(self.alpha[name] for name in group) for group in groups)
            return np.array([shares_sf(gain, loss, rest, float(margin)) for margin in margins]), errors
        recall_weight, left = _recall_weight(self.measure), np.ones(len(margins), dtype=bool)
        if recall_weight is not None and (margins == 0.0).any():
            left = margins != 0.0
            values[~left] = p_positive(*fscore_terms(self.alpha, recall_weight))
        if left.any():
            values[left], errors[left] = self.by_lattice(margins[left], rng)
        return values, errors

    def by_lattice(self, margins: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return the same by lattices of as many points as it takes."""
        split, other = sorted(_SPLITS, key=lambda split: -self._swing(split))
        nodes = self._nodes(other)
        points, most = (_POINTS, _MOST_POINTS) if nodes is None else (_POINTS // 4, _MOST_POINTS // 4)
        p, error, rough = np.zeros(len(margins)), np.zeros(len(margins)), np.arange(len(margins))
        while len(rough) and points <= most:
            values = self._conditional(margins[rough], split, other, nodes, points, rng)
            means = values.reshape(len(rough), _SHIFTS, points).mean(axis=2)
            error[rough] = means.std(axis=1, ddof=1) / np.sqrt(_SHIFTS)
            p[rough] = np.clip(means.mean(axis=1), 0.0, 1.0)
            # Small probabilities keep two digits.
            rough = np.flatnonzero(error > _GOAL * np.minimum(1.0, 100.0 * p * (1.0 - p)) + 1e-8)
            points *= 4
        return p, error

    def _shapes(self, split: _Split) -> tuple[float, float]:
        return self.alpha[split.gain], self.alpha[split.loss]

    def _advantage(self, masses: dict[str, FloatArray]) -> FloatArray:
        """Return by how much B's score exceeds A's, for masses of the joint cells."""
        score_a, score_b = (self.measure(table, self.cells) for table in _tables(masses, self.cells))
        return score_b - score_a

    def _nodes(self, split: _Split) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Return nodes of a split, their complements and weights, or None where there are too many."""
        share, share_c, weights = Beta(*self._shapes(split)).nodes
        likely = weights > _NEGLIGIBLE
        if likely.sum() > _MOST_NODES:
            return None
        return share[likely], share_c[likely], weights[likely] / weights[likely].sum()

    def _swing(self, split: _Split) -> float:
        """How far B's advantage moves as a split goes from a standard deviation below its mean to one above."""
        a, b = self._shapes(split)
        mean, sd = a / (a + b), np.sqrt(a * b / (a + b + 1.0)) / (a + b)
        share = np.clip([mean - sd, mean + sd], 0.0, 1.0)
        masses = {name: np.full(2, value) for name, value in self.alpha.items()}
        masses |= {split.gain: (a + b) * share, split.loss: (a + b) * (1.0 - share)}
        return float(np.diff(self._advantage(masses))[0])

    def _conditional(
        self,
        margins: FloatArray,
        split: _Split,
        other: _Split,
        nodes: tuple[FloatArray, FloatArray, FloatArray] | None,
        points: int,
        rng: np.random.Generator,
    ) -> FloatArray:
        """P(ν_B - ν_A > margin) at `points` points of each lattice, one or both splits integrated out.

        Axes are (margin, point).
        """
        single = ["both", "neither", "claimed_both", *(["left_alone"] if "tn" in self.cells else [])]
        normal = special.ndtri(_lattice(2 + len(single) + (nodes is None), points, rng))[..., None]
        shapes = [sum(self._shapes(split)), sum(self._shapes(other)), *(self.alpha[name] for name in single)]
        total, other_total, *rest = _gammas(np.array(shapes), normal[: len(shapes)])
        mass = dict(zip(single, rest, strict=True))
        mass.setdefault("left_alone", np.zeros_like(total))
        if nodes is None:
            nodes = *_shares(*self._shapes(other), normal[-1]), np.ones(1)
        share, share_c, weights = nodes
        mass |= {other.gain: other_total * share, other.loss: other_total * share_c}
        mass = dict(zip(mass, np.broadcast_arrays(*mass.values()), strict=True))
        total = np.broadcast_to(total, mass["both"].shape)
        recall_weight = _recall_weight(self.measure)
        # Jaccard orders models as F1 does, but its differences are others.
        quadratic = isinstance(self.measure.law, Harmonic) or self.measure.name == "precision"

        def parts(u: FloatArray | float) -> dict[str, FloatArray]:
            return mass | {split.gain: total * u, split.loss: total * (1.0 - u)}

        def threshold(margin: float) -> FloatArray:
            if recall_weight is not None and quadratic:
                lead = _fscore_lead(parts(0.5), split, recall_weight, margin)
                return np.asarray(np.clip(0.5 + lead / total, 0.0, 1.0))
            ends = np.zeros_like(total), np.ones_like(total)
            return crossing(lambda u: self._advantage(parts(u)) - margin, *ends, accuracy=1e-7)

        thresholds = np.stack([threshold(float(margin)) for margin in margins])
        return np.asarray(spline_sf(Beta(*self._shapes(split)), special.logit(thresholds)) @ weights)


def _fscore_lead(m: dict[str, FloatArray], split: _Split, recall_weight: float, margin: float) -> FloatArray:
    r"""Return by how much a split that is even must move until B's F-score leads by a margin.

    An F-score is :math:`(1+\beta^2)\,tp/(tp + e)` with :math:`e = fp + \beta^2\,\text{gold}`. Let x move from A's true
    positives to B's. Then with :math:`\delta = d/(1+\beta^2)` and the mean M of both models' true positives

    .. math:: \frac{e_A}{M - x + e_A} - \frac{e_B}{M + x + e_B} = \delta,

    a quadratic equation; for false positives that move from B to A the roles of tp and e are swapped.
    """
    gold = m["both"] + m["only_a"] + m["only_b"] + m["neither"]
    hits = m["both"] + m["only_a"], m["both"] + m["only_b"]
    errors = tuple(m["claimed_both"] + m[name] + recall_weight * gold for name in ("claimed_a", "claimed_b"))
    (p, q), middle = (errors, hits[0]) if split.gain == "only_b" else (hits[::-1], errors[0])
    delta = margin / (1.0 + recall_weight)
    linear = p * (1.0 - delta) + q * (1.0 + delta)
    constant = middle * (p - q) - delta * (p + middle) * (q + middle)
    root = np.sqrt(np.maximum(linear * linear - 4.0 * delta * constant, 0.0))
    return np.asarray(-2.0 * constant / (linear + root))


def _lattice(dims: int, points: int, rng: np.random.Generator) -> FloatArray:
    """Return randomly shifted lattices, folded by the tent map, axes (dimension, shift × point)."""
    shift = rng.random((dims, _SHIFTS, 1))
    x = (_GENERATOR[:dims, None, None] * (np.arange(points) / points) + shift) % 1.0
    # Points at 0 and 1 have no quantile.
    return np.clip(1.0 - np.abs(2.0 * x - 1.0), 1e-12, 1.0 - 1e-12).reshape(dims, -1)


def _interpolated(known: FloatArray, normal: FloatArray) -> FloatArray:
    """Return functions, first axis, of normal scores by splines through what is known at `_SCORES`, good to 1e-9."""
    from scipy.interpolate import CubicSpline, PPoly

    # Splines are made together, which takes as long as one of them, and each is asked for its own scores.
    pieces = np.ascontiguousarray(np.moveaxis(CubicSpline(_SCORES, known, axis=-1).c, -1, 0))
    return np.stack([PPoly.construct_fast(c, _SCORES)(z) for c, z in zip(pieces, normal, strict=True)])


def _gammas(shapes: FloatArray, normal: FloatArray) -> FloatArray:
    """Return gamma variates of each shape at its normal scores."""
    logs = np.log(special.gammaincinv(shapes[:, None], special.ndtr(_SCORES)))
    return np.asarray(np.exp(_interpolated(logs, normal)))


def _shares(gain: float, loss: float, normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Be(gain, loss) variates and their complements."""
    ends = (
        special.betaincinv(gain, loss, special.ndtr(_SCORES)),
        special.betaincinv(loss, gain, special.ndtr(-_SCORES)),
    )
    low, high = (np.log(np.maximum(end, 1e-300)) for end in ends)
    return expit_pair(_interpolated((low - high)[None], normal[None])[0])


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
