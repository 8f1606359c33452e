"""A long table with the roles of its columns: the rows from which evaluations are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import AnyArray, IntArray
from bayesf1.base.naming import quoted
from bayesf1.designs import BlockedCV, KFoldCV
from bayesf1.io.roles import Roles

# The column of models' names in rows that were made of columns or files.
MODEL = "\0model"


@dataclass(frozen=True)
class Content:
    """The columns that hold what models did, and how they are read: gold and prediction, or correct, or scores.

    Attributes
    ----------
    gold, prediction
        The columns of gold labels and of predictions.
    correct
        The column of right and wrong answers.
    scores
        The columns of scores.
    lower_is_better
        Whether the better of two models has the lower scores.
    shares
        Whether scores are shares, from 0 to 1.
    positive, labels
        The positive label, and the classes, as in `from_labels`.
    judge
        The column of a judge by its name, as in `from_labels`; None if every item has a gold label.
    cv
        The design of the folds; None if they say it themselves.
    """

    gold: str | None = None
    prediction: str | None = None
    correct: str | None = None
    scores: tuple[str, ...] = ()
    lower_is_better: bool = False
    shares: bool = True
    positive: Any = None
    labels: Sequence[Any] | None = None
    judge: Mapping[str, str] | None = None
    cv: BlockedCV | KFoldCV | str | None = None

    @property
    def answers(self) -> str:
        """The column of what models answered: predictions, right and wrong answers, or scores."""
        if self.prediction is not None:
            return self.prediction
        return self.scores[0] if self.correct is None else self.correct

    @property
    def columns(self) -> list[str]:
        """All columns that hold what models did, gold or a judge said."""
        named = [self.gold, self.prediction, self.correct, *self.scores]
        judges = [] if self.judge is None else [*self.judge.values()]
        return [column for column in (*named, *judges) if column is not None]


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

    @cached_property
    def items(self) -> Numbered:
        """The number of each row's item, and the items' ids."""
        return numbered(self.column("item"))

    @cached_property
    def by_item(self) -> Any:
        """The frame with the items' ids as its index."""
        return self.frame.set_axis(self.items.names[self.items.numbers])

    @cached_property
    def first_of_items(self) -> Any:
        """The first row of each item, by its id."""
        _, first = np.unique(self.items.numbers, return_index=True)
        return self.by_item.iloc[first]

    def check_same(self, column: str) -> None:
        """Refuse an item whose rows differ in a column that is one of the item, whatever the model; gaps do not count.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"id": ["q1", "q1"], "gold": ["yes", "no"]})
        >>> LongTable(frame, Roles({"item": "id"}), Content()).check_same("gold")
        Traceback (most recent call last):
        ValueError: id 'q1' has different gold in different rows; it should be the same for all models
        """
        import pandas as pd

        # A gap has the code -1.
        codes, distinct = pd.factorize(self.frame[column])
        filled = codes >= 0
        pairs = np.unique(self.items.numbers[filled] * len(distinct) + codes[filled])
        n_values = np.bincount(pairs // max(len(distinct), 1), minlength=1)
        if n_values.max() > 1:
            item = self.items.names[np.argmax(n_values > 1)]
            raise ValueError(
                f"{self.roles['item']} {quoted(item)} has different {column} in different rows; it should be "
                "the same for all models"
            )


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


def numbers_of(column: Iterable[Any]) -> IntArray:
    """Return the number of each value, from 0 in the order in which they first occur."""
    return numbered(column).numbers


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
