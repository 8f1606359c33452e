"""Evaluations from confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.checks import checked
from bayesf1.base.naming import shown
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.multiclass import MultiClass, class_outcomes
from bayesf1.kinds.strays import Strays
from bayesf1.reading.counts import check_matrix
from bayesf1.reading.label_columns import check_alike, check_astray, class_names


@checked
@with_runs_in("matrices")
def from_confusion(matrices: Mapping[str, ArrayLike], *, labels: Sequence[Any] | None = None) -> Evaluation:
    """Build an Evaluation from confusion matrices, whose rows are the truth and columns the predictions.

    A matrix does not say which items the models had in common, so models are taken as independent.

    Parameters
    ----------
    matrices
        Mapping of model name to a K×K matrix of counts; a DataFrame, such as ``pandas.crosstab`` makes, is read by
        the labels of its rows and columns. A column that is no row of any matrix is no class, but a mistake.
    labels
        Names of the classes, in the order of rows and columns; by default those of a DataFrame, or 1, 2, ….

    Examples
    --------
    >>> ev = from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]], "B": [[9, 1, 0], [1, 9, 0], [1, 1, 8]]})
    >>> ev
    <Evaluation of 2 models (A, B) on 3 classes (1, 2, 3), totals only>
    >>> from bayesf1 import confusion
    >>> confusion(ev, "A")
    array([[8., 1., 1.], [0., 9., 1.], [2., 0., 8.]])
    """
    from scipy.sparse import block_diag

    if not isinstance(matrices, Mapping):
        raise ValueError(f"matrices must be a mapping such as {{'A': matrix}}, not {type(matrices).__name__}")
    names = model_names(matrices)
    named, labels, beyond = _by_label(dict(matrices), labels)
    arrays = [check_matrix(named[name], f"matrix of {name!r}") for name in names]
    for name, array in zip(names, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"matrix of {name!r} has {len(array)} classes, but that of {names[0]!r} {len(arrays[0])}"
            )
    k = len(arrays[0]) - len(beyond)
    classes = class_names(range(1, k + 1) if labels is None else labels)
    if len(classes) != k:
        raise ValueError(
            f"labels are {len(classes)} names ({', '.join(classes[:6])}), but there are {k} classes"
        )
    said = {name: array[:, k:].sum(axis=0) for name, array in zip(names, arrays, strict=True)}
    strays = {name: {b: t for b, t in zip(beyond, times, strict=True) if t} for name, times in said.items()}
    seen = [np.argwhere(array > 0) for array in arrays]
    rows = block_diag([class_outcomes(pairs, k) for pairs in seen], format="csr")
    weights = np.concatenate([array[tuple(pairs.T)] for array, pairs in zip(arrays, seen, strict=True)])
    units = Units.merge(rows, weights, "item", shared=False)
    return Evaluation.of_units(names, MultiClass(classes, strays=Strays.of(strays)), units)


def _by_label(
    matrices: dict[str, Any], labels: Sequence[Any] | None
) -> tuple[dict[str, Any], Sequence[Any] | None, tuple[str, ...]]:
    """Return matrices whose rows and columns have labels in one order of these, the labels, and columns beyond them."""
    framed = {name: m for name, m in matrices.items() if hasattr(m, "reindex")}
    if not framed or all(
        list(axis) == [*range(len(axis))] for m in framed.values() for axis in (m.index, m.columns)
    ):
        return matrices, labels, ()
    if len(framed) < len(matrices):
        other = next(name for name in matrices if name not in framed)
        raise ValueError(
            f"matrix of {next(iter(framed))!r} names its classes, but that of {other!r} does not"
        )
    gold = dict.fromkeys(label for m in framed.values() for label in m.index)
    said = dict.fromkeys(label for m in framed.values() for label in m.columns)
    strange = [label for label in gold if labels is not None and label not in list(labels)]
    if strange:
        raise ValueError(f"a matrix has class {shown(strange[0])}, which is none of labels=")
    order = list(gold if labels is None else labels)
    if labels is None:
        check_alike(order)
    check_astray(order, said)
    beyond = [label for label in said if label not in order]
    both = [*order, *beyond]
    square = {name: m.reindex(index=both, columns=both, fill_value=0) for name, m in framed.items()}
    return square, order, class_names(beyond)
