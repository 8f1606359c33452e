r"""What a cross-validation says of ways of training, and not only of the models fitted in its folds.

To first order an item does :math:`\varphi` as a training item and :math:`\psi` as a test item. The mean of all fold scores
of an m×2 design varies by :math:`(V_\varphi + V_\psi)/n`, and so does half the difference of the two halves of a repeat;
halvings by Hadamard columns make these m contrasts orthogonal. So the mean over their root mean square is t with m degrees
of freedom, and no correlation has to be guessed. Where it is known what each unit did in all repeats, :math:`v = V_\psi/n`
comes from a bootstrap over units, and only :math:`x^2 = V_\varphi/V_\psi` is learnt from the contrasts. All this takes
:math:`\varphi` and :math:`\psi` as uncorrelated over items; a covariance c adds :math:`2c` to the one and takes it from
the other.

Folds of a K-fold design have no such contrasts; there it is the corrected t of Nadeau & Bengio (2003).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray, blocks_of
from bayesf1.base.naming import plural
from bayesf1.designs.design import BlockedCV
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.samples import draw_patterns
from bayesf1.evaluation.stretch import Stretch, worth_of
from bayesf1.laws.spread import Spread, spread_ratio
from bayesf1.laws.student import StudentT

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

# Draws from which it is learnt how much units alone make scores vary.
_PILOT = 2000
# A scale below which contrasts do not differ but for rounding.
_NONE = 1e-12
_SHARES = {2: "half", 3: "two thirds", 4: "three quarters", 5: "four fifths", 10: "nine tenths"}


@dataclass(frozen=True, eq=False)
class Contrasts:
    r"""A t law of several scores at once: :math:`t_\nu` around a centre, with scale matrix :math:`\sum_j c_j c_j^T`.

    Attributes
    ----------
    centre
        The mean scores, axes (model,).
    parts
        The contrasts :math:`c_j`, axes (contrast, model).
    freedom
        The degrees of freedom ν.
    """

    centre: FloatArray
    parts: FloatArray
    freedom: float

    @classmethod
    def of_halves(cls, scores: FloatArray) -> Contrasts:
        """Return the contrasts of the halves of an m×2 design, from scores (repeat, half, model).

        Examples
        --------
        >>> scores = np.array([[[0.80], [0.84]], [[0.83], [0.81]], [[0.80], [0.86]]])
        >>> Contrasts.of_halves(scores).law([1.0])
        StudentT(0.8233, 0.0216, df=3)
        """
        m = len(scores)
        return cls(scores.mean(axis=(0, 1)), 0.5 * (scores[:, 0] - scores[:, 1]) / math.sqrt(m), float(m))

    @classmethod
    def of_folds(cls, scores: FloatArray) -> Contrasts:
        r"""Return those of a K-fold design with J repeats, from scores (repeat, fold, model).

        The variance is :math:`(1/(JK) + 1/(K-1)) s^2` with JK - 1 degrees of freedom, Nadeau & Bengio (2003).
        """
        repeats, folds, _ = scores.shape
        flat = scores.reshape(repeats * folds, -1)
        centre, n = flat.mean(axis=0), len(flat)
        factor = math.sqrt((1.0 / n + 1.0 / (folds - 1)) / (n - 1))
        return cls(centre, factor * (flat - centre), n - 1.0)

    def scale(self, weights: Sequence[float] | FloatArray) -> float:
        """Return the scale of the law of a weighted sum of the scores."""
        return float(np.linalg.norm(self.parts @ np.asarray(weights, dtype=float)))

    def law(
        self, weights: Sequence[float] | FloatArray, support: tuple[float, float] = (-math.inf, math.inf)
    ) -> StudentT:
        """Return the law of a weighted sum of the scores, such as a difference."""
        location = float(self.centre @ np.asarray(weights, dtype=float))
        if abs(location) < _NONE:
            location = 0.0
        return StudentT(location, max(self.scale(weights), _NONE), self.freedom, support)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw scores, axes (draw, model)."""
        normal = rng.standard_normal((n, len(self.parts))) @ self.parts
        half = 0.5 * self.freedom
        return np.asarray(self.centre + normal * np.sqrt(half / rng.standard_gamma(half, size=(n, 1))))


@dataclass(frozen=True, eq=False)
class Retraining:
    """The models of a cross-validation as ways of training.

    Attributes
    ----------
    folds
        The folds, with what units add to them where that is to be used.
    cells
        The cells of their tables.
    """

    folds: Folds
    cells: tuple[str, ...]

    @classmethod
    def of(cls, ev: Evaluation, *, shared: bool) -> Retraining:
        """Return the ways of training of an evaluation, whose units are used where models share them."""
        folds = ev.folds
        assert folds is not None
        return cls(folds if shared else folds.tables_only, ev.cells)

    @property
    def halved(self) -> bool:
        """Whether there are contrasts of halves, which are orthogonal."""
        return isinstance(self.folds.cv, BlockedCV)

    @property
    def mixed(self) -> bool:
        """Whether it is known what testing alone does, so that contrasts need only tell what training adds."""
        return self.halved and self.folds.units is not None

    def scores(self, measure: Metric) -> FloatArray:
        """Return the scores of the folds, axes (repeat, fold, model)."""
        return np.asarray(measure(self.folds.counts, self.cells))

    def plain(self, measure: Metric) -> FloatArray:
        """Return the means of the fold scores, axes (model,)."""
        return np.asarray(self.scores(measure).mean(axis=(0, 1)))

    def contrasts(self, measure: Metric) -> Contrasts:
        """Return what the fold scores alone say, a t law."""
        return (Contrasts.of_halves if self.halved else Contrasts.of_folds)(self.scores(measure))

    def silent(self, measure: Metric) -> bool:
        """Say whether two models' folds differ by the same everywhere, which tells nothing of training."""
        return not self.mixed and self.contrasts(measure).scale([-1.0, 1.0]) < _NONE

    def draw(
        self, measures: Sequence[Metric], *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield blocks of posterior draws of the scores, for each measure an array (draw, model)."""
        if not self.mixed:
            known = [self.contrasts(measure) for measure in measures]
            for n in blocks_of(n_draws, self.folds.counts[..., 0].size):
                yield tuple(one.draw(n, rng) for one in known)
            return
        pilot = [np.concatenate(parts) for parts in zip(*self.tested(measures, _PILOT, rng), strict=True)]
        stretches = [self.stretch(measure) for measure in measures]
        adding = [
            _Added.of(drawn * stretch.widening, self.contrasts(measure))
            for drawn, stretch, measure in zip(pilot, stretches, measures, strict=True)
        ]
        for block in self.tested(measures, n_draws, rng):
            yield tuple(
                stretch(scores, stretch.factors(len(scores), rng)) + added.draw(len(scores), rng)
                for scores, stretch, added in zip(block, stretches, adding, strict=True)
            )

    def tested(
        self, measures: Sequence[Metric], n_draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[FloatArray, ...]]:
        """Yield draws of the mean fold scores as a Bayesian bootstrap over units makes them vary."""
        units, shape = self.folds.units, self.folds.counts.shape
        assert units is not None
        units = units.seen
        size = units.n_patterns + self.folds.counts.size
        for flat in draw_patterns(units.rows, units.weights, n_draws=n_draws, numbers_each=size, rng=rng):
            tables = np.asarray(flat).reshape(-1, *shape)
            yield tuple(measure(tables, self.cells).mean(axis=(1, 2)) for measure in measures)

    def stretch(self, measure: Metric) -> Stretch:
        """Return how draws are moved away from the plain scores, as units are few or uneven."""
        units = self.folds.units
        assert units is not None
        loads = np.tile(measure.loads(self.cells), (self.folds.counts[..., 0].size, 1))
        worth = worth_of(units, loads)
        return Stretch(self.plain(measure), max(worth.units - 1.0, 1.0), max(worth.seen, 1e-6))

    # ---- words --------------------------------------------------------------------------------------------

    @property
    def scope(self) -> str:
        """What a claim speaks of, as the middle of a sentence."""
        folds = self.folds.cv.shape[1]
        share = _SHARES.get(folds, f"{100 * (folds - 1) / folds:.3g} %")
        return f"as ways of training on {share} of such data"

    def law_in_words(self) -> str:
        """Return what law was taken, in a few words."""
        repeats, n = self.folds.cv.shape[0], self.folds.counts[..., 0, 0].size
        if not self.halved:
            return f"corrected t of Nadeau and Bengio (2003), {n - 1} degrees of freedom"
        number = f"{repeats} half contrasts" if repeats > 1 else "one half contrast"
        if not self.mixed:
            degrees = f"{repeats} degrees" if repeats > 1 else "one degree"
            return f"t of half contrasts, {degrees} of freedom"
        units = self.folds.units
        assert units is not None
        return f"{number} beside a bootstrap over {units.size:,.0f} {plural(units.name)}"

    @property
    def caution(self) -> str:
        """What to mind where a single contrast is all that tells of training; else nothing."""
        if not self.halved or len(self.folds.counts) > 1:
            return ""
        decides = ", so that what is believed beforehand decides" if self.mixed else ""
        return f"One contrast hardly says how much training varies{decides}; more repeats would."

    def in_methods(self) -> str:
        """Return how it was done, for a paper's section on methods."""
        said = f"scores are means over the folds of the {self.folds.cv}"
        if not self.halved:
            return f"{said}, and their difference follows the corrected t law of Nadeau and Bengio (2003)"
        if not self.mixed:
            return (
                f"{said}, and their difference follows a t law whose scale is the root mean square of half the difference "
                "between the two halves of each repeat"
            )
        units = self.folds.units
        assert units is not None
        return (
            f"{said}; {plural(units.name)}, each with all its outcomes, were drawn by a Bayesian bootstrap (Rubin 1981), "
            "and what training adds to their standard deviation, as a multiple with a half-t prior (4 degrees of freedom, "
            "scale 1), was learnt from the halves' differences"
        )


@dataclass(frozen=True, eq=False)
class _Added:
    """What training adds to draws: as much on the models' common level, and on their differences, as contrasts say.

    It is shaped as what testing does, so that models which err alike are taken to be trained alike.
    """

    root: FloatArray
    level: Spread | None
    apart: Spread | None

    @classmethod
    def of(cls, drawn: FloatArray, known: Contrasts) -> _Added:
        centred = drawn - drawn.mean(axis=0)
        values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
        told = _split(known.parts * math.sqrt(known.freedom))
        level, apart = map(_multiple, told, _split(centred))
        return cls(vectors * np.sqrt(values.clip(0.0)), level, apart)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw what is added, axes (draw, model)."""
        shaped = rng.standard_normal((n, len(self.root))) @ self.root.T
        added = np.zeros(shaped.shape)
        for spread, part in zip((self.level, self.apart), _split(shaped), strict=True):
            if spread is not None:
                added += spread.draw(n, rng)[:, None] * part
        return added


def _split(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of the models' scores, and how each differs from it, both axes (..., model)."""
    level = np.broadcast_to(scores.mean(axis=-1, keepdims=True), scores.shape)
    return level, scores - level


def _multiple(contrasts: FloatArray, drawn: FloatArray) -> Spread | None:
    """Return by what multiple of testing's standard deviation training adds; None where testing does nothing."""
    variance = float(drawn.var(axis=0).sum())
    return spread_ratio(np.linalg.norm(contrasts, axis=1), variance) if variance > _NONE**2 else None
