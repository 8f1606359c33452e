"""Evaluations from judgements of which of two models' outputs is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesf1.base.checks import OneLabel, checked
from bayesf1.base.naming import nearest, shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.units import Units
from bayesf1.kinds.preferences import Preferences
from bayesf1.reading.label_columns import check_alike, check_blank, is_missing, read_groups, read_labels
from bayesf1.reading.side_by_side import align

_MOST_MODELS = 30
_UNITS = ("item", "rater")


@checked
def from_preferences(
    first: str | ArrayLike,
    second: str | ArrayLike,
    preferred: ArrayLike,
    *,
    items: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    unit: str | None = None,
    tie: OneLabel = "tie",
) -> Evaluation:
    r"""Build an Evaluation from judgements of which of two models' outputs is better.

    The measures are ``"preference"``, how probably a model is preferred to another one by the Bradley–Terry model with
    Davidson's ties, and ``"win_rate"``, its wins and half its ties. Of two models, with :math:`n_A` and :math:`n_B` wins,

    .. math:: P(\text{B is better}) = P\bigl(\mathrm{Be}(n_B + \lambda,\, n_A + \lambda) > \tfrac12\bigr).

    Parameters
    ----------
    first, second
        Which two models were shown in each judgement; one name where it was always the same.
    preferred
        The model whose output was preferred, or what stands for a tie; a missing value is a tie, too.
    items, raters
        What was judged, and by whom. Judgements of one item, or of one rater, are not independent of each other: those of
        one of both become a unit, and units are drawn.
    unit
        ``"item"`` or ``"rater"``, where both are given: which of them stands for more to come.
    tie
        What stands for a tie.

    Examples
    --------
    >>> ev = from_preferences("A", "B", ["B", "B", "tie", "A", "B", "B"])
    >>> ev
    <Evaluation of 2 models (A, B) on preferences among 2 models, 6 items in 3 patterns>
    >>> from bayesf1 import compare
    >>> compare(ev, rng=1)["preference"].score_b
    0.8

    References
    ----------
    Bradley & Terry (1952), Biometrika 39; Davidson (1970), Journal of the American Statistical Association 65.
    """
    given: dict[str, Any] = {
        "first": first,
        "second": second,
        "preferred": preferred,
        "items": items,
        "raters": raters,
    }
    given |= align({name: column for name, column in given.items() if _is_column(column)})
    won = [tie if is_missing(value) else value for value in _listed(given["preferred"], "preferred")]
    left, right = (_names(given[where], len(won), where) for where in ("first", "second"))
    models = tuple(dict.fromkeys([*left, *right]))
    check_alike(models, "models")
    if tie in models:
        raise ValueError(f"tie {shown(tie)} is the name of a model, too; say by tie= what stands for a tie")
    if not 2 <= len(models) <= _MOST_MODELS:
        raise ValueError(f"preferences are among 2 to {_MOST_MODELS} models, not {len(models)}")
    kind = Preferences(models)
    place = {pair: 3 * i for i, pair in enumerate(kind.pairs)}
    cells = np.empty(len(won), dtype=np.intp)
    for row, (a, b, winner) in enumerate(zip(left, right, won, strict=True)):
        if a == b:
            raise ValueError(f"judgement {row + 1} is of {a!r} and itself; two models belong there")
        if winner not in (a, b, tie):
            raise ValueError(
                f"judgement {row + 1} of {a!r} and {b!r} prefers {shown(winner)}; {nearest(shown(winner), (a, b, str(tie)))}"
            )
        i, j = sorted((models.index(a), models.index(b)))
        cells[row] = place[i, j] + (1 if winner == tie else 0 if winner == models[i] else 2)
    where, name = _units(given["items"], given["raters"], unit, len(won))
    outcomes = np.concatenate([np.eye(len(kind.cells))[:, kind.seen_from(model)] for model in models], axis=1)
    counts = np.bincount(cells, minlength=len(kind.cells)).astype(float)
    judged = Units.merge(outcomes, counts, "item").seen
    if where is None:
        return Evaluation.of_units(models, kind, judged)
    _, which = np.unique(where, return_inverse=True)
    sums = np.zeros((int(which.max()) + 1, len(kind.cells)))
    np.add.at(sums, (which.ravel(), cells), 1.0)
    units = Units.merge(sums @ outcomes, np.ones(len(sums)), name)
    return Evaluation.of_units(models, kind, units, judged)


def _is_column(value: Any) -> bool:
    return value is not None and not isinstance(value, str) and getattr(value, "ndim", 1) == 1


def _units(
    items: ArrayLike | None, raters: ArrayLike | None, unit: str | None, n: int
) -> tuple[NDArray[Any] | None, str]:
    """Return the unit of each judgement, None where each is one, and what units are called."""
    known = {"item": items, "rater": raters}
    if unit is not None and unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r}; {nearest(str(unit), _UNITS)}")
    given = [name for name in _UNITS if known[name] is not None]
    if unit is None and len(given) > 1:
        raise ValueError(
            "there are items and raters; say by unit='item' or unit='rater' which of them are drawn"
        )
    if unit is not None and unit not in given:
        raise ValueError(f"unit {unit!r} needs to know the {unit} of each judgement; give {unit}s=…")
    if not given:
        return None, "item"
    name = unit or given[0]
    labels = read_groups(known[name], f"{name}s")
    if len(labels) != n:
        raise ValueError(f"{name}s are {len(labels)} labels, but there are {n} judgements")
    # Items that were judged once are as good as judgements.
    if len(np.unique(labels)) == n:
        return None, "item"
    return labels, "question" if name == "item" else name


def _listed(values: Any, where: str) -> list[Any]:
    if (
        isinstance(values, str)
        or hasattr(type(values), "columns")
        or getattr(values, "ndim", 1) != 1
        or getattr(getattr(values, "dtype", None), "kind", "O") == "V"
        or not hasattr(values, "__len__")
        or not len(values)
    ):
        raise ValueError(f"{where} is one name for each judgement, not {shown(values)}")
    # Columns of pyarrow have values in a shell.
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def _names(names: str | ArrayLike, n: int, where: str) -> Sequence[str]:
    if isinstance(names, str):
        return [names] * n
    labels = read_labels(names, where)
    check_blank(labels, {*labels.tolist()}, where)
    found = [str(name) for name in labels]
    if len(found) != n:
        raise ValueError(f"{where} has {len(found)} names, but preferred {n}")
    return found
