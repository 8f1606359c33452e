r"""What is known of every item, labelled or not: what the models and the judges said.

Items of which the same is known are a *stratum*. A model's table counts, for each stratum c and each label p that some
model said there, the items of each gold label g and those that nobody has labelled:

.. math:: T_m(c, p, g), \quad T_m(c, p, ?), \qquad p = \text{what } m \text{ said in } c.

What nobody has labelled is filled in by the shares of gold labels among the labelled items of the stratum,

.. math:: \theta_{cg} = \frac{L_{cg} + a + \kappa\, m_{cg}}{\sum_h L_{ch} + Ka + \kappa}, \qquad L_{cg} = \sum_p T(c, p, g),
          \qquad a = \frac{4\lambda}{SK},

where a is the prior's, for S strata that could be and K gold labels, and m are the shares of its *pool*, the strata that
are alike: with two gold labels those of the same judgements and of as many models that say yes, with more those in which
the same voices agree; κ is half an item. A pool in turn has one item more of what its voices say if each is taken on its own
(`voices`), so that pools without a label follow these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.kinds.voices import Voices

# How the probability of being labelled is called among the judges.
PROBABILITY = "audit probability"
# Items that a stratum takes from its pool.
POOLED = 0.5


@dataclass(frozen=True, eq=False)
class Pools:
    """Strata that are alike, and what their gold labels have in common.

    Attributes
    ----------
    slots
        Which share of its pool each gold label of a stratum has, axes (stratum, gold).
    several
        How many gold labels of the stratum have that share together.
    strata
        How many strata the pool of each share has.
    """

    slots: NDArray[np.intp]
    several: FloatArray
    strata: FloatArray

    @cached_property
    def _adds(self) -> Any:
        from scipy.sparse import csr_array

        n = self.slots.size
        return csr_array((np.ones(n), (self.slots.ravel(), np.arange(n))), shape=(len(self.strata), n))

    def sums(self, labelled: FloatArray) -> FloatArray:
        """Return what is labelled, axes (..., stratum, gold), added up by share, axes (..., share)."""
        flat = labelled.reshape(-1, self.slots.size)
        return np.ascontiguousarray((self._adds @ flat.T).T).reshape(*labelled.shape[:-2], len(self.strata))

    def means(self, shares: FloatArray) -> FloatArray:
        """Return mean shares of gold labels in the strata of each pool, axes (..., stratum, gold) to (..., share)."""
        return np.asarray(self.sums(shares) / self.strata)

    def shares(self, sums: FloatArray) -> FloatArray:
        """Return the shares of gold labels in each stratum's pool from sums, axes (..., share) to (..., stratum, gold)."""
        found = sums[..., self.slots] / self.several
        return np.asarray(found / found.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Strata:
    """The strata of items by what is known of all of them.

    Attributes
    ----------
    golds
        Gold labels; of two the second is the positive one.
    models, judges
        Whose words are known of every item.
    said
        For each stratum what every model and then every judge said.

    Examples
    --------
    >>> found = Strata(("no", "yes"), ("A", "B"), ("gpt",), (("no", "yes", "yes"), ("yes", "yes", "yes")))
    >>> found.words(0)
    'A no, B yes, gpt yes'
    >>> len(found.cells), found.cells[-1]
    (9, 'A yes, B yes, gpt yes | yes: ?')
    """

    golds: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    said: tuple[tuple[str, ...], ...]

    def check(self) -> None:
        """Raise a ValueError where names come twice, or what was said is not in order or not said by everybody."""
        for names in (self.golds, self.voices):
            if len({*names}) < len(names):
                raise ValueError(f"strata must have different names, not {names!r:.60}")
        if len(self.golds) < 2 or not self.models or not self.said:
            raise ValueError("strata must have two gold labels, a model and a stratum at least")
        if {*map(len, self.said)} != {len(self.voices)} or list(self.said) != sorted({*self.said}):
            raise ValueError(f"strata must say in order what all of {len(self.voices)} voices said")

    @property
    def size(self) -> int:
        """How many strata there are."""
        return len(self.said)

    @property
    def voices(self) -> tuple[str, ...]:
        """Models and judges."""
        return self.models + self.judges

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells: stratum, what the model said, gold label or ``?``; these last run fastest."""
        return tuple(
            f"{self.words(c)} | {own}: {gold}" for c, own in self.pairs for gold in (*self.golds, "?")
        )

    @cached_property
    def pairs(self) -> tuple[tuple[int, str], ...]:
        """Stratum and what a model said there, for every label that some model said."""
        n = len(self.models)
        return tuple((c, own) for c, said in enumerate(self.said) for own in sorted(set(said[:n])))

    @cached_property
    def stratum(self) -> NDArray[np.intp]:
        """The stratum of each pair."""
        return np.array([c for c, _ in self.pairs], dtype=np.intp)

    @cached_property
    def own(self) -> NDArray[np.intp]:
        """What the model said in each pair, as a number of a gold label; their number for any other label."""
        place = {gold: i for i, gold in enumerate(self.golds)}
        return np.array([place.get(own, len(place)) for _, own in self.pairs], dtype=np.intp)

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """The pair that each model's word makes in each stratum, axes (stratum, model)."""
        place = {pair: i for i, pair in enumerate(self.pairs)}
        n = len(self.models)
        found = [[place[c, own] for own in said[:n]] for c, said in enumerate(self.said)]
        return np.array(found, dtype=np.intp).reshape(self.size, n)

    def said_by(self, model: int) -> NDArray[np.intp]:
        """Return what a model said in each stratum, as a number of a gold label; their number for any other label."""
        return np.asarray(self.own[self.columns[:, model]])

    def word_sums(self, model: int) -> Any:
        """Return what adds strata up by what a model said in them: a sparse array (said, stratum)."""
        from scipy.sparse import csr_array

        where = (self.said_by(model), np.arange(self.size))
        return csr_array((np.ones(self.size), where), shape=(len(self.golds) + 1, self.size))

    @cached_property
    def cell_sums(self) -> Any:
        """What adds cells of a model's table up, whatever it said: a sparse array (cell, stratum·[*gold, none])."""
        from scipy.sparse import csr_array

        width = len(self.golds) + 1
        to = (self.stratum[:, None] * width + np.arange(width)).ravel()
        return csr_array((np.ones(len(to)), (np.arange(len(to)), to)), shape=(len(to), self.size * width))

    def words(self, stratum: int) -> str:
        """Return what is known of a stratum's items, in words."""
        return ", ".join(f"{who} {what}" for who, what in zip(self.voices, self.said[stratum], strict=True))

    @cached_property
    def possible(self) -> int:
        """How many strata could be: every model may say each gold label, every judge what it said somewhere."""
        n = len(self.models)
        judged = [len({said[n + j] for said in self.said}) for j in range(len(self.judges))]
        return int(np.prod([len(self.golds)] * n + judged, dtype=float))

    # ---- shares of gold labels ----------------------------------------------------------------------------

    def split(self, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is labelled, axes (..., pair, gold), and what is not, axes (..., pair, 1), of tables (..., cell)."""
        parts = tables.reshape(*tables.shape[:-1], len(self.pairs), len(self.golds) + 1)
        return parts[..., :-1], parts[..., -1:]

    def by_stratum(self, parts: FloatArray) -> FloatArray:
        """Return sums over the pairs of each stratum, axes (..., pair, x) to (..., stratum, x)."""
        first = np.searchsorted(self.stratum, np.arange(self.size))
        return np.asarray(np.add.reduceat(parts, first, axis=-2))

    def weight(self, prior: float = 1.0) -> float:
        """Return what the prior adds to each gold label of a stratum; where all is labelled, that of paired models."""
        return 4.0 * prior / (self.possible * len(self.golds))

    def pooled(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return the shares of gold labels in each stratum's pool from what is labelled, axes (..., stratum, gold)."""
        guessed = self.pools.means(self.voices_alone.shares(labelled, scale))
        return self.pools.shares(self.pools.sums(labelled) + np.asarray(scale)[..., None] * guessed)

    @cached_property
    def voices_alone(self) -> Voices:
        """What each voice is worth on its own."""
        return Voices.of(self.golds, self.said)

    @cached_property
    def pools(self) -> Pools:
        """The pools of the strata."""
        n, k, place = len(self.models), len(self.golds), dict[tuple[object, object], int]()
        slots = np.zeros((self.size, k), dtype=np.intp)
        several = np.ones((self.size, k))
        found = list[object]()
        for c, said in enumerate(self.said):
            if k == 2:
                pool: object = (said[n:], said[:n].count(self.golds[1]))
                roles: list[object] = list(self.golds)
            else:
                # Who agrees with whom is what strata have in common, whatever the label is.
                first = {label: i for i, label in reversed(list(enumerate(said)))}
                pool = tuple(first[label] for label in said)
                roles = [first.get(gold, "another") for gold in self.golds]
            slots[c] = [place.setdefault((pool, role), len(place)) for role in roles]
            several[c] = [roles.count(role) for role in roles]
            found.append(pool)
        sizes = Counter(found)
        return Pools(slots, several, np.array([sizes[pool] for pool, _ in place], dtype=float))

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return shares of gold labels in each stratum from what is labelled there, axes (..., stratum, gold).

        The prior counts `scale` times, where numbers are of so many samples as large as the one that was seen.
        """
        by = np.asarray(scale)[..., None, None]
        found = labelled + by * self.weight()
        found = found + by * POOLED * self.pooled(found, scale)
        return np.asarray(found / found.sum(axis=-1, keepdims=True))

    def filled(
        self, tables: FloatArray, shares: FloatArray | None = None, *, size: float | None = None
    ) -> FloatArray:
        """Return tables (..., cell) in which what nobody has labelled has gold labels by shares, axes (..., pair, gold).

        Without shares they are those of the tables, of samples of as many items as `size` says.
        """
        known, unknown = self.split(tables)
        if not unknown.any():
            return known
        if shares is None:
            scale = 1.0 if size is None else tables.sum(axis=-1) / size
            shares = self.shares(self.by_stratum(known), scale)
        return np.asarray(known + unknown * shares[..., self.stratum, :])

    def confusion(self, filled: FloatArray) -> FloatArray:
        """Return matrices of gold and what the model said, axes (..., pair, gold) to (..., gold, said)."""
        return np.asarray(np.swapaxes(filled, -1, -2) @ np.eye(len(self.golds) + 1)[self.own])


def union(a: Strata, b: Strata) -> Strata:
    """Return the strata of both, or say that they do not go together."""
    if (a.golds, a.models, a.judges) != (b.golds, b.models, b.judges):
        raise ValueError("their gold labels, models or judges differ")
    return Strata(a.golds, a.models, a.judges, tuple(sorted({*a.said, *b.said})))


def strata_of(
    golds: Sequence[str], models: Sequence[str], judges: Sequence[str], said: Sequence[tuple[str, ...]]
) -> tuple[Strata, NDArray[np.intp]]:
    """Return the strata of what was said by all voices, in order and each once, and which of them each of these is."""
    found = Strata(tuple(golds), tuple(models), tuple(judges), tuple(sorted(set(said))))
    place = {row: c for c, row in enumerate(found.said)}
    return found, np.array([place[row] for row in said], dtype=np.intp)
