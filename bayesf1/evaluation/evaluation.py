"""What several models did on the same gold data: the package's one noun."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest, plural
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Assumption: TypeAlias = Literal["independent", "paired", "clustered"]
Task: TypeAlias = Literal["binary", "multiclass", "multilabel", "spans", "scores"]

BINARY_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False)
class Folds:
    """The tables of a cross-validation before they were summed and discounted.

    Attributes
    ----------
    counts
        Raw counts, axes (repeat, fold, model, cell).
    cv
        The design that made the folds.
    rule
        The discount as it was asked for.
    k
        Its value: effective counts are ``k`` times summed counts.
    """

    counts: FloatArray
    cv: BlockedCV | KFoldCV
    rule: Discount
    k: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What several models did on the same gold data.

    Units (items, sentences, documents) are what was sampled. A unit adds a small table to every model's
    confusion table; units that add the same are one *pattern* with a *weight*. Where only totals are known
    there are tables and no patterns. Evaluations of two shards of a corpus add up.

    Build one with the ``from_*`` functions.

    Attributes
    ----------
    models
        Names of the models.
    cells
        Names of a table's cells, ``("tp", "fp", "fn")`` and ``"tn"`` where true negatives are counted; with
        several classes all ``"tp[class]"``, then all ``"fp[class]"``, and so on.
    tables
        Effective counts, axes (..., model, cell); leading axes are separate experiments.
    patterns
        What one unit of each kind adds, axes (pattern, model, cell), or None where only totals are known.
    weights
        How many units of each kind there are, after any cross-validation discount, or None.
    unit
        What one unit is: ``"item"`` adds one count to one cell of every model; other names are clusters.
    items
        The same evaluation with single items as units, where clusters were read item by item.
    folds
        The tables of the folds, after cross-validation.
    task
        ``"binary"``; ``"multiclass"`` where every item has one class of several, ``"multilabel"`` where it has
        any number, ``"spans"`` for spans by their types; ``"scores"`` where units have scores, not counts.
    classes
        Names of the classes, where there are several.
    scored
        What the scores are called, where units have scores.
    sparse_patterns
        What one unit of each kind adds, axes (pattern, model·cell), where cells are many; then `patterns` is
        None.
    """

    models: tuple[str, ...]
    cells: tuple[str, ...]
    tables: FloatArray
    patterns: FloatArray | None = None
    weights: FloatArray | None = None
    unit: str = "table"
    items: Evaluation | None = None
    folds: Folds | None = None
    task: Task = "binary"
    classes: tuple[str, ...] = ()
    scored: str = ""
    sparse_patterns: csr_array[Any] | None = None

    def __post_init__(self) -> None:
        folds = None if self.folds is None else self.folds.counts
        for array in (self.tables, self.patterns, self.weights, folds):
            if array is not None:
                array.setflags(write=False)

    @property
    def assumption(self) -> Assumption:
        """The strongest assumption about the models' dependence that the data support."""
        if self.weights is None or self.unit == "table":
            return "independent"
        return "paired" if self.unit == "item" else "clustered"

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes of the tables; ``()`` for a single experiment."""
        return self.tables.shape[:-2]

    @property
    def flat_patterns(self) -> Any:
        """What one unit of each kind adds, axes (pattern, model·cell): the models' tables side by side.

        An array, or a sparse one where there are several classes.
        """
        if self.sparse_patterns is not None:
            return self.sparse_patterns
        if self.patterns is None:
            raise ValueError("only totals are known here, not what each unit adds")
        return self.patterns.reshape(len(self.patterns), -1)

    @property
    def alike(self) -> bool:
        """Whether the first two models did the same on every unit."""
        if self.assumption == "independent" or len(self.models) < 2:
            return False
        rows, width = self.flat_patterns, len(self.cells)
        return bool((rows[:, :width] != rows[:, width : 2 * width]).sum() == 0)

    def index(self, model: str) -> int:
        """Return the position of a model, or say which name was probably meant."""
        if model not in self.models:
            raise ValueError(f"unknown model {model!r}; {nearest(str(model), self.models)}")
        return self.models.index(model)

    def table(self, model: str) -> FloatArray:
        """Return one model's counts, axes (..., cell)."""
        return self.tables[..., self.index(model), :]

    def select(self, models: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the models, in the order asked for."""
        index = [self.index(model) for model in model_names(models)]
        if index == list(range(len(self.models))):
            return self
        names = tuple(self.models[i] for i in index)
        folds = None if self.folds is None else replace(self.folds, counts=self.folds.counts[..., index, :])
        if self.sparse_patterns is not None:
            columns = (np.array(index)[:, None] * len(self.cells) + np.arange(len(self.cells))).ravel()
            chosen = replace(self, models=names, tables=self.tables[index], folds=folds)
            items = None if self.items is None else self.items.select(models)
            return replace(merge_sparse(chosen, self.sparse_patterns[:, columns]), items=items)
        if self.patterns is None or self.weights is None:
            return replace(self, models=names, tables=self.tables[..., index, :], folds=folds)
        merged = merge_patterns(names, self.cells, self.patterns[:, index], self.weights, unit=self.unit)
        return replace(merged, items=None if self.items is None else self.items.select(models), folds=folds)

    def keep(self, cells: Sequence[str]) -> Evaluation:
        """Return the evaluation on some of its cells; units that differ only in others become one pattern."""
        index = [i for i, cell in enumerate(self.cells) if cell in cells]
        if len(index) == len(self.cells):
            return self
        names = tuple(self.cells[i] for i in index)
        if self.patterns is None or self.weights is None:
            return replace(self, cells=names, tables=self.tables[..., index], folds=None)
        return merge_patterns(self.models, names, self.patterns[..., index], self.weights, unit=self.unit)

    def scaled(self, k: float) -> Evaluation:
        """Return the evaluation with every unit counted `k` times."""
        return replace(
            self,
            tables=k * self.tables,
            weights=None if self.weights is None else k * self.weights,
            items=None if self.items is None else self.items.scaled(k),
        )

    def pair(self, a: str | None = None, b: str | None = None) -> Evaluation:
        """Return the evaluation of two models, whose names may be left out where there are just two."""
        if a is None and b is None:
            if len(self.models) != 2:
                number = "is one model" if len(self.models) == 1 else f"are {len(self.models)} models"
                raise ValueError(f"there {number} ({', '.join(self.models)}); name the two to compare")
            return self
        if a is None or b is None:
            raise ValueError(f"name both models to compare, not only {a or b!r}")
        if a == b:
            raise ValueError(f"model {a!r} cannot be compared with itself; name two different models")
        return self.select((a, b))

    def __add__(self, other: object) -> Evaluation:
        if not isinstance(other, Evaluation):
            return NotImplemented
        if self.task == other.task and self.cells != other.cells and self.task != "binary":
            return self._with_cells(other) + other._with_cells(self)
        mine, theirs = ((ev.models, ev.cells, ev.unit, ev.shape, ev.task) for ev in (self, other))
        if mine != theirs:
            raise ValueError(
                f"evaluations of different models, cells, units or experiments do not add up: "
                f"{_describe(self)} and {_describe(other)}"
            )
        folds = _add_folds(self.folds, other.folds)
        if self.sparse_patterns is not None and other.sparse_patterns is not None:
            from scipy.sparse import vstack

            assert self.weights is not None
            assert other.weights is not None
            both = replace(
                self,
                tables=self.tables + other.tables,
                weights=np.concatenate([self.weights, other.weights]),
                items=None if self.items is None or other.items is None else self.items + other.items,
                folds=folds,
            )
            return merge_sparse(both, vstack([self.sparse_patterns, other.sparse_patterns]))
        if self.patterns is None or other.patterns is None or self.weights is None or other.weights is None:
            return replace(self, tables=self.tables + other.tables, folds=folds)
        merged = merge_patterns(
            self.models,
            self.cells,
            np.concatenate([self.patterns, other.patterns]),
            np.concatenate([self.weights, other.weights]),
            unit=self.unit,
        )
        items = None if self.items is None or other.items is None else self.items + other.items
        return replace(merged, items=items, folds=folds)

    def __radd__(self, other: object) -> Evaluation:
        # sum() starts from the integer 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        return (
            (self.models, self.cells, self.unit, self.task)
            == (other.models, other.cells, other.unit, other.task)
            and _same_sparse(self.sparse_patterns, other.sparse_patterns)
            and _same(self.tables, other.tables)
            and _same(self.patterns, other.patterns)
            and _same(self.weights, other.weights)
            and self.items == other.items
            and (self.folds is None) == (other.folds is None)
            and (
                self.folds is None
                or other.folds is None
                or (self.folds.k == other.folds.k and _same(self.folds.counts, other.folds.counts))
            )
        )

    def _with_cells(self, other: Evaluation) -> Evaluation:
        """Return the evaluation with cells for all classes, or scores, that either of the two has."""
        from scipy.sparse import csr_array

        if self.task == "scores":
            classes: tuple[str, ...] = ()
            cells = tuple(sorted({*self.cells, *other.cells}, key=float))
        else:
            known = {*self.classes, *other.classes}
            classes = tuple(sorted(known, key=float if all(map(_is_number, known)) else str))
            kinds = list(dict.fromkeys(cell.partition("[")[0] for cell in self.cells))
            cells = tuple(f"{kind}[{name}]" for kind in kinds for name in classes)
        place = {cell: i for i, cell in enumerate(cells)}
        where = np.array([place[cell] for cell in self.cells])
        tables = np.zeros((len(self.models), len(cells)))
        tables[:, where] = self.tables
        rows = None
        if self.sparse_patterns is not None:
            old = self.sparse_patterns.tocoo()
            model, cell = np.divmod(old.coords[1], len(self.cells))
            columns = model * len(cells) + where[cell]
            rows = csr_array(
                (old.data, (old.coords[0], columns)), shape=(old.shape[0], len(self.models) * len(cells))
            )
        items = None if self.items is None or other.items is None else self.items._with_cells(other.items)
        return replace(self, tables=tables, cells=cells, classes=classes, sparse_patterns=rows, items=items)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Evaluation of {_describe(self)}>"


def check_evaluation(ev: object) -> None:
    """Raise a ValueError where something else was given for an evaluation."""
    if not isinstance(ev, Evaluation):
        raise ValueError(f"an Evaluation belongs here, as from_counts or from_labels build, not {ev!r:.60}")


def merge_patterns(
    models: tuple[str, ...], cells: tuple[str, ...], rows: FloatArray, weights: FloatArray, *, unit: str
) -> Evaluation:
    """Build an Evaluation from what each unit adds, merging the units that add the same.

    Parameters
    ----------
    models, cells
        Names along the last two axes of `rows`.
    rows
        What each unit adds, axes (unit, model, cell).
    weights
        Weight of each unit, axes (unit,).
    unit
        What a unit is called; ``"item"`` for single items.
    """
    flat = rows.reshape(len(rows), -1)
    patterns, which = np.unique(flat, axis=0, return_inverse=True)
    summed: FloatArray = np.bincount(which.ravel(), weights=weights, minlength=len(patterns)).astype(float)
    tables = np.tensordot(summed, patterns, axes=1).reshape(rows.shape[1:])
    return Evaluation(
        models=models,
        cells=cells,
        tables=warn_if_empty(tables, models),
        patterns=patterns.reshape(-1, *rows.shape[1:]),
        weights=summed,
        unit=unit,
    )


def model_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models, or say which is none or comes twice."""
    if isinstance(names, str | bytes):
        raise ValueError(f"models must be a mapping or a list of names, not the string {names!r}")
    found: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"model name {name!r} is not a non-empty string")
        if name in found:
            raise ValueError(f"model {name!r} is given twice")
        found[name] = None
    if not found:
        raise ValueError("no model given; name at least one with what it predicted")
    return tuple(found)


def warn_if_empty(tables: FloatArray, models: tuple[str, ...]) -> FloatArray:
    """Return the tables, with a warning where a model has no counts at all."""
    empty = (tables.sum(axis=-1) == 0).reshape(-1, len(models)).any(axis=0)
    if empty.any():
        names = ", ".join(name for name, e in zip(models, empty, strict=True) if e)
        warnings.warn(f"all counts of {names} are 0, so its posterior is the prior", stacklevel=3)
    return tables


def merge_sparse(ev: Evaluation, rows: csr_array[Any]) -> Evaluation:
    """Return the evaluation with `rows` as its patterns, after merging those that are equal."""
    from scipy.sparse import csr_array

    assert ev.weights is not None
    # From coordinates, so that equal rows hold equal entries in equal order.
    rows = csr_array(rows.tocoo())
    rows.sum_duplicates()
    rows.eliminate_zeros()
    # Equal rows have equal projections, to the last bit, and others practically never have.
    projected = rows @ np.random.default_rng(0).random((rows.shape[1], 2))
    _, first, which = np.unique(projected, axis=0, return_index=True, return_inverse=True)
    summed = np.bincount(which.ravel(), weights=ev.weights, minlength=len(first)).astype(float)
    return replace(ev, weights=summed, sparse_patterns=rows[first])


def _add_folds(a: Folds | None, b: Folds | None) -> Folds | None:
    if a is None and b is None:
        return None
    if a is None or b is None or a.cv != b.cv or a.k != b.k:
        raise ValueError("evaluations with different cross-validation designs or discounts do not add up")
    return replace(a, counts=a.counts + b.counts)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal()


def _same(a: FloatArray | None, b: FloatArray | None) -> bool:
    return (a is None) == (b is None) and (a is None or b is None or np.array_equal(a, b))


def _same_sparse(a: csr_array[Any] | None, b: csr_array[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and abs(a - b).sum() == 0


def _describe(ev: Evaluation) -> str:
    number = f"{len(ev.models)} model{'s' if len(ev.models) > 1 else ''} ({', '.join(ev.models)})"
    about = f"cells {', '.join(ev.cells)}"
    if ev.classes:
        about = f"{len(ev.classes)} {'types' if ev.task == 'spans' else 'classes'} ({listing(ev.classes, most=6)})"
    elif ev.task == "scores":
        about = ev.scored or "scores"
    parts = [f"{number} on {about}"]
    if ev.weights is not None and ev.unit != "table":
        parts.append(f"{ev.weights.sum():.6g} {plural(ev.unit)} in {len(ev.weights)} patterns")
    else:
        parts.append("totals only")
    if ev.folds is not None:
        parts.append(f"{ev.folds.cv}, discount {ev.folds.k:.4f}")
    if ev.shape:
        parts.append(f"{'×'.join(map(str, ev.shape))} experiments")
    return ", ".join(parts)
