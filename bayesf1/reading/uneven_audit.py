"""Were labelled items chosen by what is known of all, or by something else as well?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bayesf1.base.arrays import FloatArray

# Below, labels are called uneven.
_LEVEL = 1e-3


def uneven_audit(
    stratum: NDArray[np.intp],
    labelled: NDArray[np.bool_],
    weights: FloatArray,
    group: NDArray[np.intp] | None = None,
    values: Mapping[str, FloatArray] | None = None,
) -> tuple[str, ...]:
    """Return notes where labelled items differ from others of their stratum, in their documents or in other values."""
    notes = () if group is None else uneven_documents(stratum, labelled, group, weights)
    return (
        *notes,
        *(
            note
            for name, each in (values or {}).items()
            for note in uneven_values(name, each, stratum, labelled, weights, group)
        ),
    )


def uneven_values(
    name: str,
    values: FloatArray,
    stratum: NDArray[np.intp],
    labelled: NDArray[np.bool_],
    weights: FloatArray,
    group: NDArray[np.intp] | None = None,
) -> tuple[str, ...]:
    r"""Return a note where labelled items have higher or lower values than others of their stratum.

    With ranks x of the values, and the share :math:`r_c` of a stratum's items that are labelled,
    :math:`z_c = \sum_i (\ell_i - r_c)(x_i - \bar x_c)` has mean 0 and variance :math:`N_c r_c (1 - r_c) s_c^2` where labels
    are given by chance, or the sum of the squares of documents' parts of it, where that is more; the sum of
    :math:`z_c^2` by their variances is about :math:`\chi^2` with as many degrees of freedom as there are strata.

    Examples
    --------
    >>> values, one = np.arange(400.0) % 20, np.ones(400)
    >>> uneven_values("length", values, np.zeros(400, int), np.arange(400) < 60, one)
    ()
    >>> uneven_values("length", values, np.zeros(400, int), values > 16, one)
    ('Labelled items differ in length from others ...',)
    """
    from scipy.stats import rankdata

    # What is not known of an item tells nothing of it.
    weights = weights * np.isfinite(values)
    ranks = rankdata(values, nan_policy="omit")

    def sums(part: FloatArray) -> FloatArray:
        return np.bincount(stratum, weights=np.nan_to_num(part)).astype(float)

    size = np.maximum(sums(weights), 1.0)
    rate = sums(weights * labelled) / size
    away = ranks - (sums(weights * ranks) / size)[stratum]
    variance = size * rate * (1.0 - rate) * sums(weights * away**2) / np.maximum(size - 1.0, 1.0)
    each = np.nan_to_num(weights * (labelled - rate[stratum]) * away)
    if group is not None:
        shape = (len(size), int(group.max()) + 1)
        parts = np.bincount(stratum * shape[1] + group, weights=each, minlength=shape[0] * shape[1])
        variance = np.maximum(variance, (parts.reshape(shape) ** 2).sum(axis=1))
    some = variance > 0.0
    statistic = float((sums(each)[some] ** 2 / variance[some]).sum())
    if not some.any() or special.chdtrc(int(some.sum()), statistic) >= _LEVEL:
        return ()
    note = (
        f"Labelled items differ in {name} from others on which the same was said, by more than chance: they may not "
        "represent the others, unless you give the probability with which each item was chosen for labelling."
    )
    return (note,)


def uneven_documents(
    stratum: NDArray[np.intp], labelled: NDArray[np.bool_], group: NDArray[np.intp], weights: FloatArray
) -> tuple[str, ...]:
    r"""Return a note where labelled items lie otherwise in documents than a choice within strata would have it.

    Of :math:`n_{cd}` items of stratum c in document d so many are labelled as chance has it with the share
    :math:`r_c = L_c/N_c`; :math:`\sum_d (L_d - \sum_c n_{cd} r_c)^2 / \sum_c n_{cd} r_c (1 - r_c)(1 - n_{cd}/N_c)` is about
    :math:`\chi^2` with as many degrees of freedom as there are documents less one.

    Examples
    --------
    >>> where, one = np.repeat(np.arange(20), 50), np.ones(1000)
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) % 5 == 0, where, one)
    ()
    >>> uneven_documents(np.zeros(1000, int), np.arange(1000) < 200, where, one)
    ('Labelled items lie in 4 of 20 documents, ...',)
    """
    n_strata, n_groups = int(stratum.max()) + 1, int(group.max()) + 1
    cell = stratum * n_groups + group
    shape = (n_strata, n_groups)
    items = np.bincount(cell, weights=weights, minlength=n_strata * n_groups).reshape(shape)
    found = np.bincount(cell, weights=weights * labelled, minlength=n_strata * n_groups).reshape(shape)
    total = items.sum(axis=1, keepdims=True)
    share = found.sum(axis=1, keepdims=True) / np.maximum(total, 1.0)
    expected = (items * share).sum(axis=0)
    variance = (items * share * (1.0 - share) * (1.0 - items / np.maximum(total, 1.0))).sum(axis=0)
    some = variance > 0.0
    statistic = float((((found.sum(axis=0) - expected)[some]) ** 2 / variance[some]).sum())
    if some.sum() < 2 or special.chdtrc(some.sum() - 1, statistic) >= _LEVEL:
        return ()
    holding = int((found.sum(axis=0) > 0).sum())
    note = (
        f"Labelled items lie in {holding:,} of {n_groups:,} documents, less evenly than if items had been chosen by judge "
        "and predictions alone. That is fine if whole documents were chosen at random; otherwise the labelled items may not "
        "represent the others."
    )
    return (note,)
