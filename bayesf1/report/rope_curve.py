"""What every width of the region of practical equivalence would make of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.rope import Rope
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.law import Posterior

# About as many half-widths as a slider on a phone can tell apart.
STEPS = 200
# The widest margin leaves this much of the difference on either side.
TAIL = 5e-4
# Shares of so many draws are good to 0.001, the last digit that is shown.
DRAWS = 1_000_000


@dataclass(frozen=True)
class RopeCurve:
    """Probabilities that B is worse (`less`) and better (`greater`) than A by more than margins that rise from 0.

    At the margin of the comparison, the one at `start`, and at 0 they are the comparison's. Other margins are `step` apart.
    A margin is the larger one of a region that is `shape` times as wide, from at most 0 to at least 0.
    """

    margins: FloatArray
    less: FloatArray
    greater: FloatArray
    start: int
    step: float
    shape: Rope

    @property
    def within(self) -> FloatArray:
        """Probability that the models differ by no more than each half-width; 0 at the half-width 0."""
        inside = np.clip(1.0 - self.less - self.greater, 0.0, 1.0)
        return np.where(self.margins > 0.0, inside, 0.0)

    def labels(self, *, percent: bool) -> list[str]:
        """Return the regions as they are shown, in percentage points or as they are."""
        scale = 100.0 if percent else 1.0
        shown = scale * self.margins
        digits = max(0, -math.floor(math.log10(scale * self.step) + 1e-9))
        texts = [[f"{side * x:.{digits}f}" for x in shown] for side in (-self.shape.low, self.shape.high)]
        for side, those in zip((-self.shape.low, self.shape.high), texts, strict=True):
            start = side * float(shown[self.start])
            if not math.isclose(float(those[self.start]), start, rel_tol=1e-9, abs_tol=1e-12):
                those[self.start] = f"{start:.4g}"
        if self.shape.symmetric:
            return [f"±{margin}" for margin in texts[1]]
        return [f"−{worse} to +{better}" for worse, better in zip(*texts, strict=True)]


def rope_curves(comparisons: Iterable[Comparison], *, redraw: bool = True) -> list[RopeCurve]:
    r"""Return the probabilities of comparisons as functions of the margin r of their region, of shape (l, h).

    .. math:: P(\nu_B - \nu_A < lr), \qquad P(\nu_B - \nu_A > hr),

    the other way round where lower is better. They are exact where the law of the difference is known, and shares of
    draws elsewhere: of those that the comparison was made from, or, with `redraw`, of a million where paired items were
    compared by quadrature.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> ev = from_counts(A=(77, 44, 10), B=(83, 9, 14))
    >>> (curve,) = rope_curves([compare(ev, rope=0.02)["f1"]])
    >>> at = curve.margins.tolist().index(0.05)
    >>> bool(abs(curve.within[at] - compare(ev, rope=0.05)["f1"].p_rope) < 1e-12)
    True
    """
    found = list(comparisons)
    # Tables of many cells cost more to draw than a digit is worth.
    again = [c for c in found if redraw and _integrated(c) and not c.ev.kind.many_cells]
    drawn = _redrawn(again)
    return [_curve(c, drawn.get(c.metric, c.difference)) for c in found]


def _integrated(c: Comparison) -> bool:
    return c.under.paired and c.method != "montecarlo" and isinstance(c.difference, EmpiricalPosterior)


def _redrawn(comparisons: list[Comparison]) -> dict[str, Posterior]:
    """Draw differences anew, as many as make the curve as good as the probabilities that are shown."""
    if not comparisons:
        return {}
    first = comparisons[0]
    # The draws are fixed: one comparison always has the same curve.
    measures = [c.measure for c in comparisons]
    blocks = first.under.scores(measures, prior=first.prior, n_draws=DRAWS, rng=np.random.default_rng(0))
    gaps = [[np.diff(scores, axis=-1)[:, 0] for scores in block] for block in blocks]
    laws = (EmpiricalPosterior(np.concatenate(parts)) for parts in zip(*gaps, strict=True))
    return {c.metric: law for c, law in zip(comparisons, laws, strict=True)}


def _curve(c: Comparison, law: Posterior) -> RopeCurve:
    margins, step = _half_widths(c)
    start = int(np.argmin(np.abs(margins - c.region.widest)))
    shape = Rope(*(x / c.region.widest for x in c.region)) if c.region else Rope(-1.0, 1.0)
    ends_of = shape.differences(c.measure)
    # Draws have atoms, and "less" is strict.
    below = np.asarray(law.cdf(np.nextafter(ends_of.low * margins, -np.inf)), dtype=np.float64)
    above = np.asarray(law.sf(ends_of.high * margins), dtype=np.float64)
    less, greater = (above, below) if c.measure.lower_is_better else (below, above)
    # What was reported stands as it was reported; on either side of it the curve is moved along.
    anchors = np.unique([0, start])
    ends = [*margins[anchors], margins[-1]]
    for tail, zero, beyond in ((less, c.p_h0, c.p_less), (greater, c.p_h1, c.p_greater)):
        reported = np.where(anchors == start, beyond, zero)
        off = reported - tail[anchors]
        if _integrated(c):
            tail += np.interp(margins, ends, [*off, 0.0])
        tail[anchors] = reported
        np.clip(tail, 0.0, 1.0, out=tail)
    return RopeCurve(margins, less, greater, start, step, shape)


def _half_widths(c: Comparison) -> tuple[FloatArray, float]:
    reach = max(-c.difference.ppf(TAIL), c.difference.isf(TAIL), 2.0 * c.region.widest) or 0.01
    # The next of 1, 2 and 5 times a power of ten.
    power = 10.0 ** math.floor(math.log10(reach / STEPS))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power * STEPS >= reach * (1.0 - 1e-9))
    # Rounded, 3 times 0.01 is 0.03.
    multiples = np.arange(math.ceil(reach / step * (1.0 - 1e-9)) + 1)
    margins = np.round(step * multiples, 2 - math.floor(math.log10(step)))
    low, high = c.measure.support
    if low >= -1.0 and high <= 1.0:
        margins = margins[margins < 1.0]
    return np.union1d(margins, [c.region.widest]), step
