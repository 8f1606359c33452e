"""Models side by side in one frame, of a table with a row for each model and item, or of a file for each model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import listing, nearest, shown
from bayesf1.reading.data_table import DataTable


@dataclass(frozen=True)
class Laid:
    """Models side by side: a frame, and what its columns are.

    Attributes
    ----------
    frame
        One item a row, a frame that narwhals reads.
    models
        The column of each model; of a method those of its runs.
    remarks
        What is to be said of how items were matched.
    """

    frame: Any
    models: Mapping[str, Any]
    remarks: tuple[str, ...] = ()

    def columns(self) -> Iterator[tuple[str, Any]]:
        """Yield each model and its column of a frame of pandas; of a method, those of its runs by their names."""
        for name, column in self.models.items():
            if isinstance(column, Mapping):
                yield name, {run: self.frame[each] for run, each in column.items()}
            else:
                yield name, self.frame[column]


@dataclass(frozen=True)
class Part:
    """What one model, or gold by itself, has.

    Attributes
    ----------
    where
        What errors call it.
    frame
        Those of the columns asked for that there are.
    header
        Names of all columns.
    names
        The name of the model, and of the run.
    """

    where: str
    frame: Any
    header: Sequence[str]
    names: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """What a column could have been meant instead, if rows of one model stand twice."""
        return "" if len(self.names) != 1 else "; a column of runs is named by "

    def missing(self, column: str) -> ValueError:
        """Say that there is no such column."""
        return ValueError(f"{self.where} has no column {column!r}; {nearest(column, self.header)}")

    def with_items_of(self, other: Part, id: str) -> Part:
        """Return gold with gaps for items that only a model has, which nobody has labelled."""
        import pandas as pd

        if id not in self.frame or id not in other.frame:
            return self
        known = {_text(value) for value in self.frame[id].tolist()}
        missing = [value for value in other.frame[id].tolist() if _text(value) not in known]
        if not missing:
            return self
        every = pd.DataFrame({id: [*self.frame[id].tolist(), *missing]})
        rest = self.frame.drop(columns=id).reset_index(drop=True).reindex(range(len(every)))
        return replace(self, frame=every.join(rest))


def parts_of_rows(
    table: DataTable, columns: Sequence[str], model: str, run: str | None, optional: Sequence[str]
) -> dict[str, Part]:
    """Return what each model of a table, or each run of each, has."""
    by = [model, *([] if run is None else [run])]
    frame = table.load(list(dict.fromkeys([*by, *columns])), optional=optional)
    found = {}
    for key, rows in frame.groupby(by, sort=False, observed=True):
        names = tuple(_text(part) for part in key)
        if not all(name.strip() for name in names):
            raise ValueError(f"{table} has a row without the name of a model in column {model!r}")
        found["/".join(names)] = Part(f"{table} of {' '.join(names)!r}", rows, table.header, names)
    return found


def _text(value: Any) -> str:
    """Return a label or identifier as text; numbers that are whole without a point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return str(value)


def side_by_side(
    parts: Mapping[str, Part],
    said: str,
    *,
    id: str | None,
    gold: str | None,
    shared: Sequence[str],
    gold_part: Part | None = None,
) -> Laid:
    """Lay what models have beside each other, item by item, by their identifiers.

    Gold and the `shared` columns are the same for all models. Without identifiers rows are matched by their order, which
    takes gold labels that agree in all rows.
    """
    import pandas as pd

    everyone = [*([] if gold_part is None else [gold_part]), *parts.values()]
    first = everyone[0]
    order = None if id is None else _identifiers(first, id)
    if id is None:
        _check_order(everyone, gold)
    frame = {}
    for column in (*(() if gold is None else (gold,)), *shared):
        owner = next((part for part in everyone if column in part.frame), None)
        if owner is None:
            raise first.missing(column)
        frame[column] = _taken(owner, column, order, id, first)
        for part in everyone:
            # Beside a file of gold, a column of its name is what the model said.
            if part is not owner and column != said and column in part.frame:
                _check_same(frame[column], _taken(part, column, order, id, first), owner, part, column, order)
    models: dict[str, str] = {}
    for i, (name, part) in enumerate(parts.items()):
        if said not in part.frame:
            raise part.missing(said)
        models[name] = f"\0{i}"
        frame[models[name]] = _taken(part, said, order, id, first)
    told = "Items were matched by their order in the files, as no column tells them apart."
    whole = pd.DataFrame(frame)
    return Laid(whole, models, (told,)) if order is None else Laid(whole.set_axis(order), models)


def _identifiers(part: Part, id: str) -> Any:
    import pandas as pd

    if id not in part.frame:
        raise part.missing(id)
    index = pd.Index([_text(value) for value in part.frame[id].tolist()], dtype=object)
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise WordedError(
            f"{part.where} has {id} {shown(twice)} twice; an item stands once for each model",
            *((part.hint, Argument("run_column")) if part.hint else ()),
        )
    return index


def _taken(part: Part, column: str, order: Any, id: str | None, first: Part) -> Any:
    """Return a column in the order of identifiers."""
    values = part.frame[column].reset_index(drop=True)
    if order is None or id is None:
        return values
    own = _identifiers(part, id)
    if not own.equals(order):
        for has, lacks, where, other in ((order, own, part, first), (own, order, first, part)):
            missing = has.difference(lacks, sort=False)
            if len(missing):
                raise ValueError(
                    f"{where.where} has no {id} {shown(missing[0])}, but {other.where} has; {len(missing):,} of {len(has):,} "
                    "items are missing, and models are compared on the same ones"
                )
        values = values.iloc[own.get_indexer(order)].reset_index(drop=True)
    return values


def _check_same(mine: Any, theirs: Any, owner: Part, part: Part, column: str, order: Any) -> None:
    differs = [a != b for a, b in zip(map(_text, mine.tolist()), map(_text, theirs.tolist()), strict=True)]
    if any(differs):
        i = differs.index(True)
        item = f"row {i + 1}" if order is None else f"item {shown(order[i])}"
        match = ("; if rows are in other orders, name the column that tells items apart by ", Argument("id"))
        raise WordedError(
            f"{part.where} has {column} {shown(theirs.iloc[i])} for {item}, but {owner.where} has {shown(mine.iloc[i])}; it "
            "should be the same for all models",
            *(match if order is None else ()),
        )


def _check_order(parts: Sequence[Part], gold: str | None) -> None:
    """Refuse to match rows by their order unless gold labels say that it is the same."""
    if len(parts) == 1:
        return
    n = len(parts[0].frame)
    if gold is None or not all(len(part.frame) == n and gold in part.frame for part in parts):
        others = [name for name in parts[0].header if name and name not in parts[0].frame]
        raise WordedError(
            f"which column tells items apart? Rows of {parts[0].where} and {parts[1].where} are matched by it; name it by ",
            Argument("id"),
            f"; there {'are ' + listing(others) if others else 'is no other column'}",
        )


def with_runs(models: Mapping[str, str], parts: Mapping[str, Part]) -> dict[str, Any]:
    """Return the columns of models, those of a method's runs under its name."""
    if all(len(part.names) < 2 for part in parts.values()):
        return dict(models)
    nested: dict[str, Any] = {}
    for name, column in models.items():
        method, run = parts[name].names
        nested.setdefault(method, {})[run] = column
    return nested
