"""What several models did on the same gold data: the package's one noun."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest, plural
from bayesf1.base.table import printable
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.under import Assumption, Under, under
from bayesf1.evaluation.units import Units

_Part = TypeVar("_Part", Units, Folds)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What several models did on the same gold data.

    Units (items, sentences, documents) are what was sampled. A unit adds a small row to every model's
    table; units that add the same are one *pattern* with a *weight*. Where only totals are known
    there are tables and no units. Evaluations of two shards of a corpus add up.

    Build one with the ``from_*`` functions.

    Attributes
    ----------
    models
        Names of the models.
    kind
        What the cells of a table mean: the kind of task.
    tables
        Effective counts, axes (..., model, cell); leading axes are separate experiments.
    units
        What was sampled, and what each unit adds; None where only totals are known.
    finer
        The single items of the units, where clusters were read item by item.
    folds
        The tables of the folds, after cross-validation.
    """

    models: tuple[str, ...]
    kind: Kind
    tables: FloatArray
    units: Units | None = None
    finer: Units | None = None
    folds: Folds | None = None

    def __post_init__(self) -> None:
        self.tables.setflags(write=False)

    @classmethod
    def of_units(
        cls, models: tuple[str, ...], kind: Kind, units: Units, finer: Units | None = None
    ) -> Evaluation:
        """Return the evaluation that units make, with a warning where a model has no counts at all."""
        n_columns = units.rows.shape[1]
        if n_columns != len(models) * len(kind.cells):
            raise ValueError(
                f"rows of {n_columns} numbers are no tables of {len(models)} models with {len(kind.cells)} cells each"
            )
        tables = units.totals.reshape(len(models), len(kind.cells))
        return cls(models, kind, warn_if_empty(tables, models), units, finer)

    # ---- what it holds ------------------------------------------------------------------------------------

    @property
    def task(self) -> str:
        """The kind of task in one word: ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"spans"``, ``"scores"``."""
        return self.kind.name

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of a table's cells: tp, fp, fn and perhaps tn; with several classes all ``"tp[class]"`` first."""
        return self.kind.cells

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, where there are several."""
        return self.kind.classes

    @property
    def unit(self) -> str:
        """What one unit is called; ``"table"`` where units are unknown, or known of each model alone."""
        return self.units.name if self.units is not None and self.units.shared else "table"

    @property
    def weights(self) -> FloatArray | None:
        """How many units of each pattern there are, None where only totals are known."""
        return None if self.units is None else self.units.weights

    @property
    def patterns(self) -> FloatArray | None:
        """What one unit of each pattern adds, axes (pattern, model, cell); None where unknown, or cells are many."""
        if self.units is None or self.kind.many_cells:
            return None
        return np.asarray(self.units.rows).reshape(-1, len(self.models), len(self.cells))

    @property
    def items(self) -> Evaluation | None:
        """The same evaluation with single items as units, where clusters were read item by item."""
        return None if self.finer is None else replace(self, units=self.finer, finer=None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result should know of the data, in sentences: labels that no item has, empty classes."""
        return tuple(map(printable, self.kind.notes(self.tables)))

    @property
    def assumption(self) -> Assumption:
        """The strongest assumption about the models' dependence that the data support."""
        if self.units is None or not self.units.shared:
            return "independent"
        return "paired" if self.units.single else "clustered"

    @property
    def shape(self) -> tuple[int, ...]:
        """Leading axes of the tables; ``()`` for a single experiment."""
        return self.tables.shape[:-2]

    @property
    def alike(self) -> bool:
        """Whether the first two models did the same on every unit."""
        return self.units is not None and self.units.alike(len(self.models))

    def index(self, model: str) -> int:
        """Return the position of a model, or say which name was probably meant."""
        if model not in self.models:
            raise ValueError(f"unknown model {model!r}; {nearest(str(model), self.models)}")
        return self.models.index(model)

    def table(self, model: str) -> FloatArray:
        """Return one model's counts, axes (..., cell)."""
        return self.tables[..., self.index(model), :]

    def under(self, assumption: str = "auto") -> Under:
        """Return the evaluation under an assumption about what was sampled.

        Parameters
        ----------
        assumption
            ``"independent"`` takes each model by itself, ``"paired"`` the items that both saw, ``"clustered"`` units
            of several items; ``"auto"`` the strongest that the data support.
        """
        return under(self, assumption)

    # ---- parts of it --------------------------------------------------------------------------------------

    def select(self, models: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the models, in the order asked for."""
        index, n = [self.index(model) for model in model_names(models)], len(self.models)
        if index == list(range(n)):
            return self
        return replace(
            self,
            models=(kept := tuple(self.models[i] for i in index)),
            kind=self.kind.select(kept),
            tables=self.tables[..., index, :],
            units=self.units and self.units.select(index, n),
            finer=self.finer and self.finer.select(index, n),
            folds=self.folds and self.folds.select(index),
        )

    def keep(self, cells: Sequence[str]) -> Evaluation:
        """Return the evaluation on some of its cells; units that differ only in others become one pattern."""
        asked, n = set(cells), len(self.models)
        strange = sorted(asked.difference(self.cells))
        if strange or not asked:
            raise ValueError(
                f"keep needs cells of {listing(self.cells, most=8)}, not {listing(strange) or 'none'}"
            )
        index = [i for i, cell in enumerate(self.cells) if cell in asked]
        if len(index) == len(self.cells):
            return self
        return replace(
            self,
            kind=self.kind.keep(tuple(self.cells[i] for i in index)),
            tables=self.tables[..., index],
            units=self.units and self.units.keep(index, n),
            finer=self.finer and self.finer.keep(index, n),
            folds=self.folds and self.folds.keep(index),
        )

    def scaled(self, k: float) -> Evaluation:
        """Return the evaluation with every unit counted `k` times."""
        return replace(
            self,
            tables=k * self.tables,
            units=self.units and self.units.scale(k),
            finer=self.finer and self.finer.scale(k),
            folds=self.folds and self.folds.scale(k),
        )

    def widened(self, kind: Kind) -> Evaluation:
        """Return the evaluation on the cells of another kind, which has all that there are here."""
        if kind.cells == self.cells:
            return self
        place = {cell: i for i, cell in enumerate(kind.cells)}
        where, size, n = [place[cell] for cell in self.cells], len(kind.cells), len(self.models)
        tables = np.zeros((*self.tables.shape[:-1], size))
        tables[..., where] = self.tables
        return replace(
            self,
            kind=kind,
            tables=tables,
            units=self.units and self.units.widen(where, size, n),
            finer=self.finer and self.finer.widen(where, size, n),
            folds=self.folds and self.folds.widen(where, size),
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
        mine, theirs = ((ev.models, type(ev.kind), ev.unit, ev.shape) for ev in (self, other))
        try:
            if mine != theirs:
                raise ValueError
            kind = self.kind.union(other.kind)
        except ValueError as error:
            raise ValueError(
                f"evaluations of different models, cells, units or experiments do not add up: "
                f"{_describe(self)} and {_describe(other)}{f': {error}' if error.args else ''}"
            ) from None
        if (self.folds is None) != (other.folds is None):
            raise ValueError("evaluations with different cross-validation designs or discounts do not add up")
        a, b = self.widened(kind), other.widened(kind)
        return replace(
            a,
            kind=kind,
            tables=a.tables + b.tables,
            units=_sum(a.units, b.units),
            finer=_sum(a.finer, b.finer),
            folds=_sum(a.folds, b.folds),
        )

    def __radd__(self, other: object) -> Evaluation:
        # sum() starts from the integer 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        mine, theirs = ((ev.models, ev.kind, ev.units, ev.finer, ev.folds) for ev in (self, other))
        return mine == theirs and np.array_equal(self.tables, other.tables)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return printable(f"<Evaluation of {_describe(self)}>")


def _sum(a: _Part | None, b: _Part | None) -> _Part | None:
    """Return the sum of two parts; what is known of one shard only is not known of both."""
    return None if a is None or b is None else a + b


def check_evaluation(ev: object) -> None:
    """Raise a ValueError where something else was given for an evaluation."""
    if not isinstance(ev, Evaluation):
        raise ValueError(f"an Evaluation belongs here, as from_counts or from_labels build, not {ev!r:.60}")


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


def _describe(ev: Evaluation) -> str:
    number = f"{len(ev.models)} model{'s' if len(ev.models) > 1 else ''} ({', '.join(ev.models)})"
    parts = [f"{number} on {ev.kind.about}"]
    if ev.units is not None and ev.units.shared:
        parts.append(f"{ev.units.size:.6g} {plural(ev.units.name)} in {ev.units.n_patterns} patterns")
    else:
        parts.append("totals only")
    if ev.folds is not None:
        parts.append(f"{ev.folds.cv}, discount {ev.folds.k:.4f}")
    if ev.shape:
        parts.append(f"{'×'.join(map(str, ev.shape))} experiments")
    return ", ".join(parts)
