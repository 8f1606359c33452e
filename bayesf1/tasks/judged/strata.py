r"""Strata of items to which all models, and perhaps a judge, gave the same labels; shares of gold labels in them.

A model's table counts, for each stratum c and each label p that some model said there, the items of each gold label g and
the unlabelled ones:

.. math:: T_m(c, p, g), \quad T_m(c, p, ?), \qquad p = \text{the label that } m \text{ said in } c.

A stratum and a label are a *pair*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, indicators
from bayesf1.tasks.judged.gold_shares import IndependentRaters, Pools

# κ: the items that a stratum takes from its pool.
POOLED = 0.5


@dataclass(frozen=True)
class Strata:
    """The strata of items by what is known about all of them.

    Attributes
    ----------
    golds
        Gold labels; if there are two, the second is the positive one.
    models, judges
        The raters that labelled every item; there is one judge, or none.
    predicted
        For each stratum the labels of every model and then of the judge.

    Examples
    --------
    >>> strata = Strata(("no", "yes"), ("A", "B"), ("gpt",), (("no", "yes", "yes"), ("yes", "yes", "yes")))
    >>> strata.describe(0)
    'A no, B yes, gpt yes'
    >>> len(strata.cells), strata.cells[-1]
    (9, 'A yes, B yes, gpt yes | yes: ?')
    """

    golds: tuple[str, ...]
    models: tuple[str, ...]
    judges: tuple[str, ...]
    predicted: tuple[tuple[str, ...], ...]

    @classmethod
    def of(
        cls,
        golds: Sequence[str],
        models: Sequence[str],
        judges: Sequence[str],
        rows: Sequence[tuple[str, ...]],
    ) -> tuple[Strata, IntArray]:
        """Return the strata of rows, each with the labels of all raters, and the stratum of each row."""
        strata = cls(tuple(golds), tuple(models), tuple(judges), tuple(sorted(set(rows))))
        numbers = {row: c for c, row in enumerate(strata.predicted)}
        return strata, np.array([numbers[row] for row in rows], dtype=np.intp)

    def check(self) -> None:
        """Raise a ValueError if a name occurs twice, or if strata are not sorted or lack the label of a rater."""
        for names, least in ((self.golds, 2), (self.raters, 1), (self.predicted, 1)):
            if len(names) < least or len({*names}) < len(names):
                raise ValueError(f"strata must have {least} different names at least, not {names!r:.60}")
        if len(self.judges) > 1 or not self.models:
            raise ValueError(f"strata must have a model, and one judge at most, not {self.raters!r:.60}")
        complete = all(len(labels) == len(self.raters) for labels in self.predicted)
        if not complete or list(self.predicted) != sorted(self.predicted):
            raise ValueError(f"strata must say in order what all of {len(self.raters)} raters said")

    # ---- names --------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many strata there are."""
        return len(self.predicted)

    @property
    def raters(self) -> tuple[str, ...]:
        """The models and the judge."""
        return self.models + self.judges

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Names of the cells: stratum, the model's label, and the gold label or ``?``, which varies fastest."""
        return tuple(
            f"{self.describe(c)} | {label}: {gold}" for c, label in self.pairs for gold in (*self.golds, "?")
        )

    def describe(self, stratum: int) -> str:
        """Return what is known about a stratum's items, in words."""
        rated = zip(self.raters, self.predicted[stratum], strict=True)
        return ", ".join(f"{rater} {label}" for rater, label in rated)

    # ---- pairs of a stratum and a model's label -----------------------------------------------------------

    @cached_property
    def pairs(self) -> tuple[tuple[int, str], ...]:
        """Stratum and model's label, for every label that some model said there."""
        n = len(self.models)
        return tuple(
            (c, label) for c, labels in enumerate(self.predicted) for label in sorted(set(labels[:n]))
        )

    @cached_property
    def stratum(self) -> IntArray:
        """The stratum of each pair."""
        return np.array([c for c, _ in self.pairs], dtype=np.intp)

    @cached_property
    def label(self) -> IntArray:
        """The label of each pair, as the number of a gold label; any other label has the number ``len(golds)``."""
        k = len(self.golds)
        numbers = {gold: g for g, gold in enumerate(self.golds)}
        return np.array([numbers.get(label, k) for _, label in self.pairs], dtype=np.intp)

    @cached_property
    def pair_of(self) -> IntArray:
        """The number of the pair that each model's label forms with each stratum, axes (stratum, model)."""
        numbers = {pair: i for i, pair in enumerate(self.pairs)}
        n = len(self.models)
        rows = [[numbers[c, label] for label in labels[:n]] for c, labels in enumerate(self.predicted)]
        return np.array(rows, dtype=np.intp).reshape(self.size, n)

    def predicted_by(self, model: int) -> IntArray:
        """Return a model's label in each stratum, as the number of a gold label; any other label is number ``len(golds)``."""
        return np.asarray(self.label[self.pair_of[:, model]])

    def sums_by_label(self, model: int) -> Any:
        """Return a sparse array (label, stratum) that adds strata up by a model's label in them."""
        shape = (len(self.golds) + 1, self.size)
        return indicators(self.predicted_by(model), np.arange(self.size), shape)

    @cached_property
    def sums_by_stratum(self) -> Any:
        """A sparse array (cell, stratum·[*gold, none]) that adds cells of a model's table up, whatever its label."""
        width = len(self.golds) + 1
        columns = self.stratum[:, None] * width + np.arange(width)  # (pair, [*gold, none])
        return indicators(np.arange(columns.size), columns, (columns.size, self.size * width))

    def split(self, tables: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the labelled items, axes (..., pair, gold), and the others, axes (..., pair, 1), of tables (..., cell)."""
        parts = tables.reshape(*tables.shape[:-1], len(self.pairs), len(self.golds) + 1)
        return parts[..., :-1], parts[..., -1:]

    def by_stratum(self, parts: FloatArray) -> FloatArray:
        """Return sums over the pairs of each stratum, axes (..., pair, x) to (..., stratum, x)."""
        first = np.searchsorted(self.stratum, np.arange(self.size))
        return np.asarray(np.add.reduceat(parts, first, axis=-2))

    def confusion(self, items: FloatArray) -> FloatArray:
        """Return matrices of gold and a model's label, axes (..., pair, gold) to (..., gold, label)."""
        is_label = np.eye(len(self.golds) + 1)[self.label]  # (pair, label)
        return np.asarray(np.swapaxes(items, -1, -2) @ is_label)

    # ---- shares of gold labels ----------------------------------------------------------------------------

    @cached_property
    def possible(self) -> int:
        """How many strata are possible: a model may say each gold label, the judge each label that it said somewhere."""
        n = len(self.models)
        judgements = {labels[n:] for labels in self.predicted}
        by_models: int = len(self.golds) ** n
        return by_models * len(judgements)

    def weight(self, prior: float = 1.0) -> float:
        """Return a, what λ adds to each gold label of a stratum: 4λ items in all, as to the four cells of a binary table."""
        return 4.0 * prior / (self.possible * len(self.golds))

    @cached_property
    def independent_raters(self) -> IndependentRaters:
        """Each rater on its own."""
        return IndependentRaters.of(self.golds, self.predicted)

    @cached_property
    def pools(self) -> Pools:
        """The pools of the strata."""
        return Pools.of(self.golds, len(self.models), self.predicted)

    def pooled(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        """Return m, the pool's shares of gold labels in each stratum, from labelled items, axes (..., stratum, gold)."""
        b = self.independent_raters.shares(labelled, scale)
        mean_b = np.asarray(scale)[..., None] * self.pools.means(b)
        return self.pools.shares(self.pools.sums(labelled) + mean_b, b)

    def shares(self, labelled: FloatArray, scale: FloatArray | float = 1.0) -> FloatArray:
        r"""Return :math:`\theta`, the mean shares of gold labels in each stratum, from labelled items there.

        Both have axes (..., stratum, gold). The prior counts `scale` times, where `scale` is the size of the sample relative
        to the one that was seen.
        """
        scales = np.asarray(scale)[..., None, None]
        believed = labelled + scales * self.weight()
        believed = believed + scales * POOLED * self.pooled(believed, scale)
        return np.asarray(believed / believed.sum(axis=-1, keepdims=True))

    def filled(self, tables: FloatArray, size: float | None = None) -> FloatArray:
        """Return tables (..., cell) in which unlabelled items have gold labels by mean shares, axes (..., pair, gold).

        `size` is the number of items of the sample that was seen, by which the prior is scaled to the tables; by default
        theirs.
        """
        labelled, unlabelled = self.split(tables)
        if not unlabelled.any():
            return labelled
        scale = 1.0 if size is None else tables.sum(axis=-1) / size
        shares = self.shares(self.by_stratum(labelled), scale)  # (..., stratum, gold)
        return np.asarray(labelled + unlabelled * shares[..., self.stratum, :])
