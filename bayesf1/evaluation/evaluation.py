"""What several models did on the same gold data: the package's one noun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TypeVar

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.naming import listing, nearest, plural, shown
from bayesf1.base.table import printable
from bayesf1.evaluation.assuming import under
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.runs import Method, averages, methods_of
from bayesf1.evaluation.under import Assumption, Under
from bayesf1.evaluation.units import Units, warn_if_empty

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
    methods
        The ways of training that the models are runs of, where some have several; see `with_runs`.
    remarks
        What was met when the data were read and limits what may be concluded, in sentences.
    """

    models: tuple[str, ...]
    kind: Kind
    tables: FloatArray
    units: Units | None = None
    finer: Units | None = None
    folds: Folds | None = None
    methods: tuple[Method, ...] = ()
    remarks: tuple[str, ...] = ()

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
        """The kind of task: ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"spans"``, ``"correct"``, ``"scores"``, …."""
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
        if self.finer is None:
            return None
        return replace(self, units=self.finer, finer=None, folds=self.folds and self.folds.tables_only)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any result should know of the data, in sentences: labels that no item has, empty classes."""
        return tuple(map(printable, (*self.remarks, *self.kind.notes(self.tables))))

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
        return self.units is not None and not self.methods and self.units.alike(len(self.models))

    @property
    def names(self) -> tuple[str, ...]:
        """What is compared: the methods where models are runs of them, else the models."""
        return tuple(method.name for method in self.methods) or self.models

    @checked
    def mean_scores(self, scores: FloatArray) -> FloatArray:
        """Return scores of the models, axes (..., model), as those of what is compared: a method's is its runs' mean."""
        return scores @ averages(self.methods, self.models) if self.methods else scores

    @checked
    def with_runs(self, runs: Mapping[str, Iterable[str]]) -> Evaluation:
        """Return the evaluation in which some models are runs of one method, trained several times.

        What is then compared are the methods. A method's score is the mean of its runs' scores.

        Parameters
        ----------
        runs
            Mapping of a method's name to the names of its models; a model that none names is a method of one run.

        Examples
        --------
        >>> from bayesf1 import from_labels
        >>> gold = [1, 1, 1, 0, 0, 0]
        >>> said = {"b1": [1, 1, 1, 0, 0, 1], "b2": [1, 1, 0, 0, 0, 0], "crf": [1, 0, 1, 0, 1, 0]}
        >>> from_labels(gold, said, positive=1).with_runs({"bert": ["b1", "b2"]})
        <Evaluation of 2 methods (bert: 2 runs, crf: 1 run) on cells tp, fp, fn, tn, 6 items in 6 patterns>
        """
        if self.folds is not None or self.shape:
            raise ValueError(
                "runs are of one test set; in a cross-validation each fold has its own training, which "
                "compare(ev, target='method') allows for"
            )
        methods = methods_of(runs, self.models)
        order = [model for method in methods for model in method.runs]
        return replace(self.select(order), methods=methods)

    @checked
    def index(self, model: str) -> int:
        """Return the position of a model, or say which name was probably meant."""
        if model not in self.models:
            raise ValueError(f"unknown model {shown(model)}; {nearest(str(model), self.models)}")
        return self.models.index(model)

    @checked
    def table(self, model: str) -> FloatArray:
        """Return one model's counts, axes (..., cell)."""
        return self.tables[..., self.index(model), :]

    @checked
    def under(self, assumption: str = "auto", target: str = "auto") -> Under:
        """Return the evaluation under an assumption about what was sampled.

        Parameters
        ----------
        assumption
            ``"independent"`` takes each model by itself, ``"paired"`` the items that both saw, ``"clustered"`` units
            of several items; ``"auto"`` the strongest that the data support.
        target
            ``"models"`` speaks of these very models, ``"method"`` of the methods that they are runs of; ``"auto"`` of
            methods where there are several runs.
        """
        return under(self, assumption, target)

    @checked
    def save(self, path: str | PathLike[str]) -> None:
        """Write the evaluation to a file of JSON, from which `load` makes it again.

        Parameters
        ----------
        path
            The file, which is written whole or stays as it was; a name that ends with ``.gz`` makes a compressed one.
            A measure that is your own function cannot be kept, and is refused.
        """
        from bayesf1.evaluation.saving import save

        save(self, path)

    # ---- parts of it --------------------------------------------------------------------------------------

    @checked
    def select(self, models: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the models, in the order asked for; a method stands for all its runs."""
        known = {method.name: method for method in self.methods}
        asked = [known.get(name, Method(name, (name,))) for name in model_names(models)]
        index, n = [self.index(model) for method in asked for model in method.runs], len(self.models)
        several = any(len(method.runs) > 1 for method in asked)
        methods = tuple(asked) if several else ()
        if index == list(range(n)) and methods == self.methods:
            return self
        return replace(
            self,
            models=(kept := tuple(self.models[i] for i in index)),
            kind=self.kind.select(kept),
            tables=self.tables[..., index, :],
            units=self.units and self.units.select(index, n),
            finer=self.finer and self.finer.select(index, n),
            folds=self.folds and self.folds.select(index),
            methods=methods,
        )

    @checked
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

    @checked
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

    @checked
    def pair(self, a: str | None = None, b: str | None = None) -> Evaluation:
        """Return the evaluation of two models, whose names may be left out where there are just two."""
        if a is None and b is None:
            if len(self.names) != 2:
                what = "method" if self.methods else "model"
                number = f"is one {what}" if len(self.names) == 1 else f"are {len(self.names)} {what}s"
                raise ValueError(f"there {number} ({', '.join(self.names)}); name the two to compare")
            return self
        if a is None or b is None:
            raise ValueError(f"name both models to compare, not only {a or b!r}")
        if a == b:
            raise ValueError(f"model {a!r} cannot be compared with itself; name two different models")
        return self.select((a, b))

    def __add__(self, other: object) -> Evaluation:
        if not isinstance(other, Evaluation):
            return NotImplemented
        mine, theirs = (
            (ev.models, ev.methods, type(ev.kind), ev.unit, ev.assumption, ev.shape) for ev in (self, other)
        )
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
            remarks=tuple(dict.fromkeys(a.remarks + b.remarks)),
        )

    def __radd__(self, other: object) -> Evaluation:
        # sum() starts from the integer 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        mine, theirs = (
            (ev.models, ev.methods, ev.kind, ev.units, ev.finer, ev.folds) for ev in (self, other)
        )
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
        raise ValueError(f"an Evaluation belongs here, as from_counts or from_labels build, not {shown(ev)}")


def model_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models, or say which is none or comes twice."""
    if isinstance(names, str | bytes):
        raise ValueError(f"models must be a mapping or a list of names, not the string {shown(names)}")
    found: dict[str, None] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"model name {shown(name)} is not a non-empty string")
        if name in found:
            raise ValueError(f"model {shown(name)} is given twice")
        found[name] = None
    if not found:
        raise ValueError("no model given; name at least one with what it predicted")
    return tuple(found)


def _describe(ev: Evaluation) -> str:
    what, names = ("method", tuple(map(str, ev.methods))) if ev.methods else ("model", ev.models)
    number = f"{len(names)} {what}{'s' if len(names) > 1 else ''} ({', '.join(names)})"
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
