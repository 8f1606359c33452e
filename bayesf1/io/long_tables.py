"""A long table with the roles of its columns: the rows from which evaluations are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, IntArray
from bayesf1.base.naming import quoted
from bayesf1.base.text_files import read_number
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.io.roles import Roles, shown

# Columns that no table has: models' names and numbers of rows, in rows that were made of columns or files.
MODEL = "\0model"
ROW = "\0row"

_OF_LABELS = ("prediction", "positive", "labels", "judge")
# The options that say what rows hold, each with the options that cannot go with it.
_MISPLACED: Mapping[str, tuple[str, ...]] = {
    "gold": ("correct", "score", "scores", "lower_is_better", "unit"),
    "correct": ("score", "scores", "lower_is_better", *_OF_LABELS),
    "score": _OF_LABELS,
    "scores": _OF_LABELS,
}


def kind_of_content(options: Collection[str]) -> str | None:
    """Return the option that says what rows hold, or None; raise a ValueError if another option does not go with it.

    Examples
    --------
    >>> kind_of_content(["gold", "positive"])
    'gold'
    """
    kind = next((kind for kind in _MISPLACED if kind in options), None)
    if kind is None:
        return None
    misplaced = next((name for name in _MISPLACED[kind] if name in options), None)
    if misplaced is not None:
        raise ValueError(f"{misplaced}= does not apply if {kind}= is given; leave one out")
    return kind


@dataclass(frozen=True)
class Content:
    """The columns that hold what models did, and how they are read.

    Attributes
    ----------
    kind
        ``"gold"`` for predictions beside gold labels, ``"correct"`` for right and wrong answers, or ``"score"``.
    answers
        The columns of predictions, of right and wrong answers, or of scores, which may be several.
    gold
        The column of gold labels.
    lower_is_better
        Whether the better of two models has the lower scores.
    shares
        Whether scores are shares, from 0 to 1.
    unit
        The noun for an item; None for the name of its column.
    positive, labels
        The positive label, and the classes, as in `from_labels`.
    judge
        The column of a judge by its name, as in `from_labels`; None if every item has a gold label.
    cv
        The design of the folds; None if it is recognised from the folds.
    """

    kind: str
    answers: tuple[str, ...]
    gold: str | None = None
    lower_is_better: bool = False
    shares: bool = True
    unit: str | None = None
    positive: Any = None
    labels: Sequence[Any] | None = None
    judge: Mapping[str, str] | None = None
    cv: BlockedCV | KFoldCV | str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], kind: str, answers: Sequence[str]) -> Content:
        """Return what options of `from_frame` or `read` describe, with the models' answers in these columns."""
        judge = options.get("judge")
        if isinstance(judge, str):
            judge = {judge: judge}
        elif judge is not None and not isinstance(judge, Mapping):
            judge = {column: column for column in judge}
        names = ("gold", "unit", "positive", "labels", "cv")
        as_given = {name: options[name] for name in names if name in options}
        lower_is_better = bool(options.get("lower_is_better", False))
        return cls(
            kind.removesuffix("s"), tuple(answers), lower_is_better=lower_is_better, judge=judge, **as_given
        )

    @property
    def answer(self) -> str:
        """The column of answers, or the first of several."""
        return self.answers[0]

    @property
    def shared(self) -> list[str]:
        """The columns with one value for an item, whatever the model: gold labels and judgements."""
        judges = [] if self.judge is None else [*self.judge.values()]
        return judges if self.gold is None else [self.gold, *judges]

    def in_column(self, column: str) -> Content:
        """Return the same content with the models' answers in another column."""
        return replace(self, answers=(column,))

    def check_design(self, fold: str | None) -> None:
        """Refuse a design of folds that no column names."""
        if self.cv is not None and fold is None:
            raise ValueError("cv= is the design of test folds, and no column names them; name it with fold=")


@dataclass(frozen=True)
class LongTable:
    """Rows of several models, the roles of their columns, and what they hold.

    Attributes
    ----------
    frame
        The rows, a frame of pandas.
    roles
        The column of each role.
    content
        The columns of what models did.
    """

    frame: Any = field(compare=False)
    roles: Roles
    content: Content

    def column(self, role: str) -> Any:
        """Return the column that has a role."""
        name = self.roles[role]
        assert name is not None
        return self.frame[name]

    @property
    def models(self) -> list[str]:
        """The models' names, in the order of their first rows."""
        return [*dict.fromkeys(map(text_of, self.column("model").unique()))]

    def texts(self, role: str) -> AnyArray:
        """Return the column that has a role as texts."""
        return texts_of(self.column(role))

    @cached_property
    def run_names(self) -> AnyArray:
        """The name of each row's model, or of its training run, as ``bert/1``."""
        models = self.texts("model")
        if self.roles["run"] is None:
            return models
        names = [f"{model}/{run}" for model, run in zip(models, self.texts("run"), strict=True)]
        return np.array(names, dtype=object)

    @property
    def runs(self) -> dict[str, list[str]]:
        """The names of the training runs of each model."""
        pairs = dict.fromkeys(zip(self.texts("model"), self.run_names, strict=True))
        runs: dict[str, list[str]] = {}
        for model, run in pairs:
            runs.setdefault(model, []).append(run)
        return runs

    @cached_property
    def items(self) -> Numbered:
        """The number of each row's item, and the items' ids."""
        return numbered(self.column("item"))

    @cached_property
    def by_item(self) -> Any:
        """The frame with the items' ids as its index."""
        return self.frame.set_axis(self.items.names[self.items.numbers])

    def of_items(self, column: str) -> Any:
        """Return a column that is one of an item, whatever the model, by the items' ids; gaps do not count.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"id": ["q1", "q1"], "gold": ["yes", "no"]})
        >>> LongTable(frame, Roles({"item": "id"}), Content("gold", ())).of_items("gold")
        Traceback (most recent call last):
        ValueError: id 'q1' has gold 'yes' in one row and 'no' in another; it should be the same for all models
        """
        import pandas as pd

        values = self.frame[column]
        item = self.items.numbers
        row_of_item = np.zeros(len(self.items.names), dtype=np.intp)
        row_of_item[item] = np.arange(len(item))
        # A gap has the code -1.
        codes, _ = pd.factorize(values)
        filled = np.flatnonzero(codes >= 0)
        # The first filled row of an item counts, which is written last.
        row_of_item[item[filled][::-1]] = filled[::-1]
        different = codes[filled] != codes[row_of_item[item[filled]]]
        if different.any():
            row = filled[np.argmax(different)]
            other = values.iloc[row_of_item[item[row]]]
            order = ""
            if self.roles["item"] == ROW:
                order = "; if rows are in different orders, name the column that tells items apart with id="
            raise ValueError(
                f"{shown(self.roles['item'])} {quoted(self.items.names[item[row]])} has {column} {quoted(other)} in one row "
                f"and {quoted(values.iloc[row])} in another; it should be the same for all models{order}"
            )
        return values.iloc[row_of_item].set_axis(self.items.names)

    @cached_property
    def groups(self) -> Any:
        """The group of each item, by the items' ids; None if there are none."""
        column = self.roles["group"]
        return None if column is None else self.of_items(column)


# ---- names and numbers ------------------------------------------------------------------------------------


def text_of(value: Any) -> str:
    """Return a name as text; numbers that are whole without a point.

    Examples
    --------
    >>> text_of(3.0), text_of("q3")
    ('3', 'q3')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


class Numbered(NamedTuple):
    """The number of each value, from 0 in the order in which they first occur, and the values as texts."""

    numbers: IntArray
    names: AnyArray


def numbered(column: Iterable[Any]) -> Numbered:
    """Return a column by its distinct values; values of one text, such as 1 and 1.0, are one.

    Examples
    --------
    >>> numbered(["b", "a", "b"])
    Numbered(numbers=array([0, 1, 0]), names=array(['b', 'a'], dtype=object))
    """
    import pandas as pd

    codes, distinct = pd.factorize(pd.Series(column))
    places: dict[str, int] = {}
    numbers = [places.setdefault(text_of(value), len(places)) for value in distinct.tolist()]
    names = np.empty(len(places), dtype=object)
    names[:] = list(places)
    return Numbered(np.array(numbers, dtype=np.intp)[codes], names)


def texts_of(column: Iterable[Any]) -> AnyArray:
    """Return a column of names as texts."""
    numbers, names = numbered(column)
    return np.asarray(names[numbers])


def numbers_by_occurrence(column: Iterable[Any]) -> IntArray:
    """Return the number of each value, from 0 in the order in which they first occur."""
    return numbered(column).numbers


def numbers_in_order(column: Iterable[Any]) -> IntArray:
    """Return the number of each value from 0, in the order of numbers if all are numbers, and else of texts.

    Examples
    --------
    >>> numbers_in_order(["10", "2", "10"]), numbers_in_order(["b", "a"])
    (array([1, 0, 1]), array([1, 0]))
    """
    number, names = numbered(column)
    values = [read_number(name) for name in names]
    keys: list[Any] = [*names] if None in values else values
    place = np.empty(len(names), dtype=np.intp)
    place[sorted(range(len(names)), key=lambda i: keys[i])] = np.arange(len(names))
    return place[number]


# ---- wide tables ------------------------------------------------------------------------------------------


class Melted(NamedTuple):
    """A frame with a row for each model, the column of models' names and that of values."""

    frame: Any
    model: str
    value: str


def melted(frame: Any, models: Mapping[str, str], value: str) -> Melted:
    """Return a frame with a column for each model as one with a row for each.

    Examples
    --------
    >>> import pandas as pd
    >>> wide = pd.DataFrame({"fold": [1, 2], "a": [0.7, 0.6], "b": [0.8, 0.7]})
    >>> long = melted(wide, {"A": "a", "B": "b"}, "f1")
    >>> long.frame["f1"].tolist(), long.frame[long.model].tolist()
    ([0.7, 0.6, 0.8, 0.7], ['A', 'A', 'B', 'B'])
    """
    import pandas as pd

    keys = [column for column in frame.columns if column not in models.values()]
    if value in keys:
        value = f"{value} of a model"
    parts = [frame[keys].assign(**{MODEL: name, value: frame[column]}) for name, column in models.items()]
    return Melted(pd.concat(parts, ignore_index=True), MODEL, value)
