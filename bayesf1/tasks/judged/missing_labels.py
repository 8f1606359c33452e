"""Items without a gold label: which they are, and whether labels are missing at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, sparse
from bayesf1.tasks.judged.strata import Strata
from bayesf1.units import Units

# Labels are called uneven if chance would make them as uneven with a smaller probability than this.
_LEVEL = 1e-3


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """The items without a gold label, so that a plan can name them; each takes eight bytes.

    Attributes
    ----------
    rows
        Numbers from 0 of the items of each stratum.
    ids
        Names of all items, if they have any.

    Examples
    --------
    >>> unlabelled = Unlabelled.of(np.array([0, 1, 0, 1]), np.array([True, False, False, False]), 2, ["a", "b", "c", "d"])
    >>> unlabelled.rows
    (array([2]), array([1, 3]))
    >>> sorted(unlabelled.choose(np.array([1, 2]), np.random.default_rng(0)).tolist())
    ['b', 'c', 'd']
    """

    rows: tuple[IntArray, ...]
    ids: Sequence[Any] | None = None

    @classmethod
    def of(
        cls, stratum: IntArray, labelled: BoolArray, n_strata: int, ids: Sequence[Any] | None = None
    ) -> Unlabelled:
        """Return the items without a label, by their strata."""
        rows = np.flatnonzero(~labelled)
        order = np.argsort(stratum[rows], kind="stable")
        ends = np.cumsum(np.bincount(stratum[rows], minlength=n_strata))
        return cls(tuple(np.split(rows[order], ends[:-1])), ids)

    def choose(self, numbers: FloatArray, rng: np.random.Generator) -> AnyArray:
        """Return given numbers of items of the strata, drawn at random and shuffled: their ids, or else row numbers."""
        chosen = [np.zeros(0, dtype=np.intp)]
        for rows, number in zip(self.rows, numbers, strict=True):
            if number > 0:
                chosen.append(rng.choice(rows, int(number), replace=False))
        shuffled = rng.permutation(np.concatenate(chosen))
        if self.ids is None:
            return shuffled
        ids = [self.ids[i] for i in shuffled.tolist()]
        array = np.asarray(ids)
        if array.ndim != 1:
            # An id that is a tuple is one name all the same.
            array = np.empty(len(ids), dtype=object)
            array[:] = ids
        return array


def are_uneven_over_strata(units: Units, strata: Strata, counts: FloatArray) -> bool:
    """Return whether the share of labelled items differs between strata more than by chance.

    Parameters
    ----------
    units
        What was sampled, shared by the models.
    strata
        The strata.
    counts
        Items of each stratum and gold label, axes (stratum, [*gold, none]).
    """
    k = len(strata.golds)
    rate = counts[:, :-1].sum() / counts.sum()
    # How much an item of each cell adds to the excess of labelled items over the expected number, by stratum. Every model's
    # table has all items, so the first model's is enough.
    is_labelled = np.tile(np.arange(k + 1) < k, len(strata.pairs))  # (cell)
    stratum = np.repeat(strata.stratum, k + 1)
    cells = np.arange(len(stratum))
    excess_of_cell = sparse((is_labelled - rate, (cells, stratum)), (len(cells), strata.size))
    excess = units.rows[:, : len(cells)] @ excess_of_cell  # (pattern, stratum)
    # The variance between units, which allows for documents, is a poor estimate where labels are few, so the variance by
    # chance is its minimum.
    variance = np.maximum(units.weights @ excess.power(2), counts.sum(axis=1) * rate * (1.0 - rate))
    z = np.abs(units.weights @ excess) / np.maximum(np.sqrt(variance), 1e-300)
    # Bonferroni's correction for the number of strata.
    return bool(2.0 * strata.size * special.ndtr(-np.max(z)) < _LEVEL)


def uneven_documents(stratum: IntArray, labelled: BoolArray, group: IntArray) -> tuple[str, ...]:
    r"""Return a note if labelled items are spread over documents less evenly than by random choice within strata.

    If :math:`L_c` of the :math:`N_c` items of stratum c are chosen at random, each is labelled with probability :math:`r_c =
    L_c/N_c`. With :math:`n_{cd}` items of stratum c in document d, and :math:`L_d` labelled items of all strata in it,
    :math:`\sum_d (L_d - \sum_c n_{cd} r_c)^2 / \sum_c n_{cd} r_c (1 - r_c)(1 - n_{cd}/N_c)` is about :math:`\chi^2` with one
    degree of freedom less than there are documents.

    Examples
    --------
    >>> where = np.repeat(np.arange(20), 50)
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) % 5 == 0, where)
    ()
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) < 200, where)
    ('Labelled items lie in 4 of 20 documents, ...',)
    """
    n_strata = int(stratum.max()) + 1
    n_documents = int(group.max()) + 1
    place = stratum * n_documents + group
    size = n_strata * n_documents
    items = np.bincount(place, minlength=size).reshape(n_strata, n_documents)
    labels = np.bincount(place, weights=labelled, minlength=size).reshape(n_strata, n_documents)
    items_of_stratum = np.maximum(items.sum(axis=1, keepdims=True), 1.0)
    rate = labels.sum(axis=1, keepdims=True) / items_of_stratum
    expected = (items * rate).sum(axis=0)  # (document)
    variance = (items * rate * (1.0 - rate) * (1.0 - items / items_of_stratum)).sum(axis=0)
    labels_of_document = labels.sum(axis=0)
    varies = variance > 0.0
    excess = (labels_of_document - expected)[varies]
    statistic = float((excess**2 / variance[varies]).sum())
    if varies.sum() < 2 or special.chdtrc(varies.sum() - 1, statistic) >= _LEVEL:
        return ()
    n_holding = int((labels_of_document > 0).sum())
    note = (
        f"Labelled items lie in {n_holding:,} of {n_documents:,} documents, less evenly than if items had been chosen by "
        "judge and predictions alone. That is fine if whole documents were chosen at random; otherwise the labelled items "
        "may not represent the others."
    )
    return (note,)
