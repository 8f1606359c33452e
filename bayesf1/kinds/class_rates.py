r"""What classes have in common: a prior on their recalls and precisions that is learned from all of them.

Of a rare class a few items say little, and a macro average of many rare classes is the worse for each of them. Classes of
one model are alike, though, and how much is seen in the data. Of class k a model finds the share :math:`r_k` of its
gold items, and is right in the share :math:`p_k` of what it calls so:

.. math:: r_k \sim \mathrm{Be}(M a_k, M(1-a_k)), \qquad p_k \sim \mathrm{Be}(M' b_k, M'(1-b_k)).

The centres a and b are the model's own rates, those of frequent and of rare classes apart where classes are many, and
drawn with the data. The strengths M and M', in items, are such that :math:`(1+3M/\lambda)^{-1/2}` is uniform on [0, 1]: their
median is λ, and at λ = 3 the standard deviation of the classes' rates, :math:`\sqrt{a(1-a)/(M+1)}`, is uniform from 0
to the largest there is. That is weighed by the likelihood of all classes' counts, which are beta-binomial, so that a
model whose classes differ widely lends them little. Classes are taken as alike but for their sizes: where rare ones are
harder, averages over them come out a little high (``benchmarks/calibration_classes.py`` tells how much).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray

# The median of M is three times the strength at which a standard deviation is at .7 of its largest.
_MEDIAN = 3.0
# Strengths on a grid that holds 97 % of the prior; finer steps change nothing.
_STRENGTHS = 2.0 ** np.linspace(-7.0, 10.0, 35) / _MEDIAN
# Jeffreys' prior of a rate: half an item on either side.
JEFFREYS = 0.5
# From so many classes on, frequent and rare ones have a centre each.
_MANY_CLASSES = 16
# A share that no class has is spread over them as their items are.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class Strength:
    """What the counts of all classes say of how alike their rates are.

    Attributes
    ----------
    items
        Values of M.
    probabilities
        Their probabilities, given the counts.
    weights
        What an item of a class is worth for the common centre, axes (value, class): items of one class are alike.
    """

    items: FloatArray
    probabilities: FloatArray
    weights: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw n of the values, as places among them."""
        places = np.searchsorted(self.probabilities.cumsum(), rng.random(n))
        return np.minimum(places, len(self.items) - 1)


def strength_of(hits: FloatArray, misses: FloatArray, basis: FloatArray, prior: float) -> Strength:
    r"""Return what is believed of the strength M after the counts of all classes were seen.

    Parameters
    ----------
    hits, misses
        What each class has of either.
    basis
        How much each class goes by each centre, axes (class, centre).
    prior
        The median of M before anything was seen.

    Examples
    --------
    Classes that are alike lend each other more than those that are not:

    >>> basis = np.ones((4, 1))
    >>> alike = strength_of(np.array([80.0, 81, 79, 80]), np.full(4, 20.0), basis, 3.0)
    >>> apart = strength_of(np.array([99.0, 20, 50, 80]), np.array([1.0, 80, 50, 20]), basis, 3.0)
    >>> [round(float(s.items @ s.probabilities), 1) for s in (alike, apart)]
    [334.0, 1.8]
    """
    items = prior * _STRENGTHS
    seen = hits + misses
    # With strength M the share of a class varies as if (M + 1)/(n + M) of its n items had been drawn by themselves.
    weights = np.minimum((items[:, None] + 1.0) / (seen + items[:, None]), 1.0)
    found, missed = ((weights * part) @ basis + JEFFREYS for part in (hits, misses))
    centre = found / (found + missed) @ basis.T
    yes, no = items[:, None] * centre, items[:, None] * (1.0 - centre)
    logs = special.betaln(hits + yes, misses + no) - special.betaln(yes, no)
    ratio = _MEDIAN * _STRENGTHS
    # The density of log M.
    log = logs.sum(axis=1) + np.log(ratio) - 1.5 * np.log1p(ratio)
    probabilities = np.exp(log - log.max())
    return Strength(items, probabilities / probabilities.sum(), weights)


@dataclass(frozen=True, eq=False)
class ClassRates:
    """The prior of one model's recalls and precisions, after its counts were seen.

    Attributes
    ----------
    in_gold
        Which classes gold has; the others have no rates.
    basis
        How much each of them goes by each centre, axes (class, centre).
    recall, precision
        How alike they are.
    astray
        Whether the model said what is no class.
    complete
        Whether the table holds all classes, so that what one of them misses others claim.
    """

    in_gold: NDArray[np.bool_]
    basis: FloatArray
    recall: Strength
    precision: Strength
    astray: bool
    complete: bool = True

    @classmethod
    def learn(cls, table: FloatArray, prior: float, *, complete: bool = True) -> ClassRates:
        """Learn the prior from a model's table, in which all classes' tp stand first, then fp, then fn."""
        tp, fp, fn = table.reshape(3, -1)
        in_gold, astray = tp + fn > 0.0, bool(fn.sum() > fp.sum() * (1.0 + 1e-9))
        tp, fp, fn = tp[in_gold], fp[in_gold], fn[in_gold]
        # By gold and claims alike: by gold alone, rare classes would be those whose gold was missed by the sample.
        basis = _centres(2.0 * tp + fp + fn)
        recall, precision = (strength_of(tp, other, basis, prior) for other in (fn, fp))
        return cls(in_gold, basis, recall, precision, astray, complete)

    def shrink(self, tables: FloatArray, accuracy: FloatArray, rng: np.random.Generator) -> FloatArray:
        r"""Return draws of the model's tables, axes (draw, cell), with what classes have in common.

        Gold items keep their shares, and the accuracy is as given, so that the prior says nothing of it.
        """
        n, seen, unseen = len(tables), self._seen, ~self.in_gold
        drawn = tables.reshape(n, 3, -1)
        tp, fp, fn = np.moveaxis(drawn[:, :, seen], 1, 0)
        gold, wrong = tp + fn, drawn[:, 2].sum(axis=1)
        found, missed = self._add(self.recall, tp, fn, rng)
        right = gold * _part(found, missed)
        shares, claims = self._add(self.precision, tp, fp, rng)
        # Nobody claims more than was claimed and can be missed; a class that is never right would claim all.
        most = fp + gold
        claimed = np.minimum(right * claims, most * shares) / np.maximum(shares, 1e-300)
        claimed = np.where(shares > 0.0, claimed, most)
        size = gold.sum(axis=1)
        out = np.zeros(drawn.shape)
        out[:, 0, seen] = _scaled(right, gold, accuracy * size)
        out[:, 2, seen] = _scaled(gold - right, gold, (1.0 - accuracy) * size)
        if not self.complete:
            out[:, 1, seen], out[:, 1, unseen] = claimed, drawn[:, 1, unseen]
            return out.reshape(n, -1)
        # What is wrong falls on classes of gold, on others, or on no class at all, about as often as in the data.
        inside, outside = fp.sum(axis=1), drawn[:, 1, unseen]
        some, none = rng.standard_gamma(JEFFREYS, (2, n))
        whole = inside + outside.sum(axis=1) + some
        if self.astray:
            whole = whole + np.maximum(wrong - inside - outside.sum(axis=1), 0.0) + none
        rate = (1.0 - accuracy) * size / whole
        mistakes = (1.0 - accuracy[:, None]) * size[:, None] - out[:, 2, seen]
        out[:, 1, seen] = _within(_scaled(claimed, gold, rate * (inside + some)), mistakes)
        out[:, 1, unseen] = rate[:, None] * outside
        return out.reshape(n, -1)

    @property
    def _seen(self) -> Any:
        """Where the classes of gold stand; mostly that is everywhere, and nothing need be copied."""
        return slice(None) if self.in_gold.all() else self.in_gold

    def _add(
        self, strength: Strength, hits: FloatArray, misses: FloatArray, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Add the prior's items to drawn hits and misses of each class."""
        which = strength.draw(len(hits), rng)
        weights, items = strength.weights[which], strength.items[which, None]
        found, missed = (
            (weights * part) @ self.basis + rng.standard_gamma(JEFFREYS, (len(hits), self.basis.shape[1]))
            for part in (hits, misses)
        )
        centre = _part(found, missed) @ self.basis.T
        return (
            hits + rng.standard_gamma(items * centre),
            misses + rng.standard_gamma(items * (1.0 - centre)),
        )


def _centres(sizes: FloatArray) -> FloatArray:
    """Return how much each class goes by each centre, by its place among classes in the order of their sizes."""
    k = len(sizes)
    if k < _MANY_CLASSES:
        return np.ones((k, 1))
    # Classes of one size have one place.
    _, which, times = np.unique(-sizes, return_inverse=True, return_counts=True)
    middle = times.cumsum() - 0.5 * (times + 1)
    place = middle[which] / (k - 1)
    return np.asarray(np.stack([1.0 - place, place], axis=1))


def _part(some: FloatArray, rest: FloatArray) -> FloatArray:
    whole = some + rest
    if whole.all():
        return np.asarray(some / whole)
    return np.asarray(np.divide(some, whole, out=np.full(whole.shape, 0.5), where=whole > 0.0))


def _scaled(parts: FloatArray, fallback: FloatArray, total: FloatArray) -> FloatArray:
    """Scale parts (draw, class) to a total, spread like the fallback where there are none."""
    spread = parts + _LEAST * fallback
    whole = spread.sum(axis=1)
    factor = np.divide(total, whole, out=np.zeros(len(whole)), where=whole > 0.0)
    return np.asarray(spread * factor[:, None])


def _within(parts: FloatArray, most: FloatArray) -> FloatArray:
    """Move what is too much for a class to the others: what it claims is theirs, and they miss no more than that."""
    most = np.maximum(most, 0.0)
    total = parts.sum(axis=1, keepdims=True)
    # Mostly once; with two classes everything that one misses is what the other claims.
    for _ in range(3):
        if (parts <= most).all():
            return parts
        parts = np.minimum(parts, most)
        free = np.where(parts < most, parts, 0.0)
        whole = free.sum(axis=1, keepdims=True)
        lost = total - parts.sum(axis=1, keepdims=True)
        parts = parts + np.divide(lost, whole, out=np.zeros(whole.shape), where=whole > 0.0) * free
    parts = np.minimum(parts, most)
    room = most - parts
    whole, lost = room.sum(axis=1, keepdims=True), total - parts.sum(axis=1, keepdims=True)
    return np.asarray(parts + np.divide(lost, whole, out=np.zeros(whole.shape), where=whole > 0.0) * room)
