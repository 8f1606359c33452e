"""Roles of columns in a long table, which has a row for each model and whatever was sampled.

A role is given by name (``fold="split"``), or recognised by the column's own name if rows need it: two rows of one model and
item are two generations only if a column says so. Columns in roles that they cannot have are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.naming import Aside, joined, listing, nearest, quoted

# The names by which columns get a role, in small letters and without underscores.
ROLE_NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "system", "method", "name"),
    "item": ("id", "item", "itemid", "docid", "questionid", "exampleid", "qid", "question"),
    "corpus": ("dataset", "corpus", "task", "lang", "language", "benchmark"),
    "run": ("run", "seed"),
    "fold": ("fold", "cvfold", "split", "cvsplit"),
    "repeat": ("repeat", "rep"),
    "generation": ("epoch", "generation", "sample", "attempt", "trial"),
    "prompt": ("prompt", "template", "prompttemplate"),
}
# The plural noun for the values of a column with each role.
ABOUT: Mapping[str, str] = {
    "model": "models",
    "item": "items",
    "group": "documents",
    "corpus": "data sets",
    "run": "training runs",
    "fold": "test folds",
    "repeat": "repeats of a cross-validation",
    "generation": "generations of the same model",
    "prompt": "prompts",
}
ROLES = tuple(ABOUT)
# The order in which roles are recognised: data sets first, as ids of items and runs may be unique only within them.
_RECOGNISED = ("corpus", "run", "repeat", "fold", "generation", "prompt")
# Roles that show what final scores were sampled from.
OF_FINAL_SCORES = frozenset(("fold", "run", "corpus"))
# Roles that distinguish several answers of a model to one item.
ANSWERED_AGAIN = frozenset(("run", "repeat", "generation", "prompt"))
# Names that may also mean parts of the data, such as train and test.
_SPLITS = ("split", "cvsplit")
# Names of rows and columns that sum up the others, in small letters.
_TOTALS = frozenset(("all", "average", "avg", "mean", "median", "overall", "std", "total"))
# Words in the name of a column, or of a unit, whose values share data or training.
_REPEATED_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("fold", "cv", "split"), "fold"),
    **dict.fromkeys(("run", "seed", "rs"), "run"),
    **dict.fromkeys(("repeat", "repetition", "rep", "replicate"), "repeat"),
}
# Words in the name of a column that tells units apart, whatever was scored.
_ITEM_WORDS = frozenset(
    (
        "id",
        "item",
        "qid",
        "question",
        "query",
        "topic",
        "doc",
        "document",
        "sentence",
        "segment",
        "utterance",
        "example",
    )
)
_REPEATED_ANSWERS = ("epoch", "generation", "trial")
# The noun for one value if the column's name is not a noun.
_NOUNS: Mapping[str, str] = {
    "questionid": "question",
    "question": "question",
    "qid": "question",
    "docid": "document",
    "dataset": "data set",
    "corpus": "corpus",
    "task": "task",
    "lang": "language",
    "language": "language",
    "benchmark": "benchmark",
}


# ---- names ------------------------------------------------------------------------------------------------


def _folded(column: str) -> str:
    """Return a column's name in small letters, without blanks, underscores and hyphens."""
    return re.sub("[ _-]", "", column.strip().lower())


def role_of(column: str) -> str | None:
    """Return the role that a column's name says, or None.

    Examples
    --------
    >>> role_of("CV_fold"), role_of("f1")
    ('fold', None)
    """
    name = _folded(column)
    return next((role for role, names in ROLE_NAMES.items() if name in names), None)


def roles_by_name(columns: Iterable[str], taken: Container[str]) -> dict[str, str]:
    """Return the first column that is named like each role, among those that are not used otherwise.

    Examples
    --------
    >>> roles_by_name(["id", "fold", "split", "gold"], ["gold"])
    {'item': 'id', 'fold': 'fold'}
    """
    named: dict[str, str] = {}
    # A column of ids tells items apart better than their texts.
    for column in sorted(columns, key=lambda column: _folded(column) == "question"):
        role = role_of(column)
        if role is not None and column not in taken:
            named.setdefault(role, column)
    return named


def shown(column: str | None) -> str:
    r"""Return a column's name in print, also that of a column which no table has.

    Examples
    --------
    >>> shown("\0model"), shown("fold")
    ('model', 'fold')
    """
    return str(column).removeprefix("\0")


def noun_of(column: str, default: str) -> str:
    """Return the noun for one value of a column.

    Examples
    --------
    >>> noun_of("question_id", "example"), noun_of("key", "example")
    ('question', 'example')
    """
    return _NOUNS.get(_folded(column), default)


def repeated_role(name: str) -> str | None:
    """Return the role of a column, or unit, whose values share data or training, by any word of its name.

    Examples
    --------
    >>> [repeated_role(name) for name in ("random seed", "split 3", "CV", "cvFold", "epoch", "document")]
    ['run', 'fold', 'fold', 'fold', 'generation', None]
    """
    # Words of "cvFold 3" are cv and fold.
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    for word in words:
        role = _REPEATED_WORDS.get(word, _REPEATED_WORDS.get(word.removesuffix("s")))
        if role is not None:
            return role
    if _folded(name) == "randomstate":
        return "run"
    by_name = role_of(name)
    if by_name in ("run", "fold", "repeat"):
        return by_name
    return "generation" if _folded(name).removesuffix("s") in _REPEATED_ANSWERS else None


def names_items(column: str) -> bool:
    """Return whether a column's name says that its values are items, such as queries.

    Examples
    --------
    >>> [names_items(name) for name in ("query_no", "docid", "topic", "task id", "run_id", "part")]
    [True, True, True, False, False, False]
    """
    if role_of(column) == "item":
        return True
    words = re.findall(r"[a-z]+", column.lower())
    is_data_set = any(word in ROLE_NAMES["corpus"] for word in words)
    return repeated_role(column) is None and not is_data_set and not _ITEM_WORDS.isdisjoint(words)


def check_rows_are_items(columns: Sequence[str], metric: str) -> None:
    """Refuse rows of scores that no column calls items: they may be folds, runs or data sets, whatever the metric.

    Parameters
    ----------
    columns
        The columns beside those of models.
    metric
        What the scores are called.

    Examples
    --------
    >>> check_rows_are_items(["qid"], "nDCG@10")
    >>> check_rows_are_items(["split_no"], "acc")
    Traceback (most recent call last):
    ValueError: rows have one acc of each model, and column 'split_no' may tell test folds apart; say fold='split_no', or ...
    """
    if any(names_items(column) for column in columns):
        return
    rows = f"rows have one {metric or 'score'} of each model"
    for column in columns:
        role = repeated_role(column)
        if role is not None:
            raise ValueError(
                f"{rows}, and column {column!r} may tell {ABOUT[role]} apart; say {role}={column!r}, or name the column that "
                "tells items apart with item="
            )
    raise ValueError(
        f"{rows}, and no column says what a row is: name it with fold=, run= or corpus=, or with item= if items were "
        "scored one by one"
    )


# ---- roles that were given --------------------------------------------------------------------------------


def check_given(
    given: Mapping[str, str],
    header: Sequence[Any],
    where: str,
    *,
    item_option: str = "item",
    has_scores: bool = False,
) -> None:
    """Refuse roles of columns that do not exist, two roles of one column, and roles that a column cannot have.

    Parameters
    ----------
    given
        The column of each role that was given.
    header
        The columns that exist.
    where
        The file or frame with these columns, in words.
    item_option
        The name of the argument for the role of items.
    has_scores
        Whether rows hold scores, which are final if no column identifies items.

    Examples
    --------
    >>> check_given({"item": "qustion"}, ["model", "question"], "a.csv", item_option="id")
    Traceback (most recent call last):
    ValueError: id= names no column of a.csv, 'qustion'; did you mean 'question'? (known: model, question)
    >>> check_given({"item": "fold"}, ["model", "fold"], "a.csv", item_option="id")
    Traceback (most recent call last):
    ValueError: id='fold' would take test folds as independent items, and a difference ... say fold='fold' instead
    """
    options = {role: item_option if role == "item" else role for role in given}
    are_final = has_scores and not any(role_of(str(column)) == "item" for column in header)
    role_of_column: dict[str, str] = {}
    for role, column in given.items():
        repeated = repeated_role(str(column))
        if repeated == "generation" and are_final:
            # Only items have generations: a repeated final score comes from another training run.
            repeated = "run"
        if role in ("item", "group") and repeated is not None:
            raise ValueError(
                f"{options[role]}={column!r} would take {ABOUT[repeated]} as independent {ABOUT[role]}, and a difference "
                f"would be claimed far too often; say {repeated}={column!r} instead"
            )
        if column not in header:
            raise ValueError(
                f"{options[role]}= names no column of {where}, {quoted(column)}; {nearest(str(column), map(str, header))}"
            )
        if column in role_of_column:
            other = options[role_of_column[column]]
            raise ValueError(
                f"{where}: column {column!r} is named twice, by {other}= and {options[role]}=; a column has one role"
            )
        role_of_column[column] = role


class UnclearRows(ValueError):
    """Rows that the loaded columns do not distinguish; other columns may."""


# ---- roles of a table -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Roles:
    """The columns that have a role.

    Attributes
    ----------
    columns
        The column of each role that there is.
    remarks
        A sentence on the columns that were recognised by their names, if any.

    Examples
    --------
    >>> roles = Roles({"model": "system", "fold": "split"})
    >>> roles["fold"], roles["item"]
    ('split', None)
    """

    columns: Mapping[str, str]
    remarks: tuple[str, ...] = ()

    def __getitem__(self, role: str) -> str | None:
        return self.columns.get(role)

    def without(self, *roles: str) -> Roles:
        """Return all other roles."""
        return replace(self, columns={r: c for r, c in self.columns.items() if r not in roles})

    @property
    def keys(self) -> list[str]:
        """The columns whose values identify rows; a group does not, as it is the same for all rows of an item."""
        return [column for role, column in self.columns.items() if role != "group"]


def recognise_roles(frame: Any, given: Mapping[str, str], values: Sequence[str], *, final: bool) -> Roles:
    """Return the roles that were given, and those that are recognised by names if rows need them.

    Parameters
    ----------
    frame
        The rows, a frame of pandas.
    given
        The column of each role that was given.
    values
        The columns that hold gold labels, predictions, answers or scores.
    final
        Whether rows hold scores, which are final unless a column identifies items.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"model": ["A", "A", "B", "B"], "fold": [1, 2, 1, 2], "f1": [0.7, 0.6, 0.8, 0.7]})
    >>> roles = recognise_roles(frame, {}, ["f1"], final=True)
    >>> roles.columns
    {'model': 'model', 'fold': 'fold'}
    >>> roles.remarks
    ("Recognised by name: 'fold' (test folds).",)
    """
    columns = dict(given)
    candidates = roles_by_name(frame.columns, [*values, *given.values()])
    if "model" not in columns and "model" in candidates:
        columns["model"] = candidates["model"]
    if "model" not in columns:
        raise ValueError(f"which column names the model? Name it with model=: {listing(frame.columns)}")
    item = candidates.get("item")
    if "item" not in columns and item is not None and _is_shared(frame, columns["model"], item):
        columns["item"] = item
    if "item" not in columns and not final:
        others = listing(c for c in frame if c not in columns.values())
        raise UnclearRows(f"which column tells items apart? Name it with item=: {others}")
    for role in _RECOGNISED:
        column = candidates.get(role)
        if role in columns or column is None or not _has_role(frame, Roles(columns), role, column):
            continue
        if role == "run" and "item" in columns and _folded(column) != "run":
            raise ValueError(
                f"rows of one model and item differ in {column!r}; if the model was trained again, say run={column!r}, and "
                f"if the same model answered again, generation={column!r}"
            )
        columns[role] = column
    roles = Roles(columns, _remarks(columns, given))
    _check_filled(frame, roles)
    _check_no_totals(frame, roles)
    _check_rows(frame, roles, values)
    return roles


def have_roles(frame: Any, named: Mapping[str, str], item: str | None, *, final: bool) -> bool:
    """Return whether a frame with a column for each model has other columns that show what was sampled beside items.

    The rules are those of `recognise_roles`. The frame may be of any engine; only distinct values are loaded.

    Parameters
    ----------
    frame
        The frame.
    named
        The column that is named like each role.
    item
        The column that identifies items; None if there is none.
    final
        Whether rows hold final scores.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": [1, 2, 1, 2], "lang": ["de", "de", "fr", "fr"], "split": "test"})
    >>> named = {"item": "id", "corpus": "lang", "fold": "split"}
    >>> have_roles(frame, named, "id", final=False), have_roles(frame.head(2), named, "id", final=False)
    (True, False)
    """
    import narwhals as nw

    if final:
        return bool(OF_FINAL_SCORES & named.keys())
    lazy = nw.from_native(frame).lazy()
    if "fold" in named:
        folds = lazy.select(fold=nw.col(named["fold"])).unique().collect().to_pandas()
        if len(folds) > 1 and _is_numbered(folds["fold"]):
            return True
    if item is None:
        return False
    others = [named[role] for role in _RECOGNISED if role in named and role != "fold"]
    for column in others:
        pairs = lazy.select(item=nw.col(item), value=nw.col(column)).unique()
        repeated = pairs.group_by("item").agg(n=nw.len()).filter(nw.col("n") > 1)
        if len(repeated.head(1).collect()):
            return True
    return False


def _is_shared(frame: Any, model: str, item: str) -> bool:
    """Return whether models have items in common; otherwise the column just numbers rows."""
    if frame[model].nunique() < 2:
        return True
    models_of_item = frame.groupby(item, observed=True)[model].nunique()
    return bool(models_of_item.max() > 1)


def _has_role(frame: Any, roles: Roles, role: str, column: str) -> bool:
    """Return whether a column has the role that its name suggests.

    If there are items, the name is not enough: rows of a model and an item must differ in the column.
    """
    if role in ("generation", "prompt") and roles["item"] is None:
        return False
    if frame[column].nunique() < 2:
        return False
    if _folded(column) in _SPLITS and not _is_numbered(frame[column]):
        return False
    if roles["item"] is None:
        return True
    if role == "fold" and _is_partition(frame, roles, column):
        return True
    if not frame.duplicated(roles.keys).any():
        return False
    answers = frame.groupby([roles["model"], roles["item"]], observed=True)
    return bool((answers[column].nunique() > 1).any())


def _is_numbered(column: Any) -> bool:
    """Return whether all values have numbers, as folds have; train and test are parts."""
    return all(any(letter.isdigit() for letter in str(value)) for value in column.dropna().unique())


def _is_partition(frame: Any, roles: Roles, column: str) -> bool:
    """Return whether each item has one fold, and folds have several items."""
    n_folds = frame[column].nunique()
    n_items = frame[roles["item"]].nunique()
    if not _is_numbered(frame[column]) or not 1 < n_folds <= n_items / 2:
        return False
    keys = [roles[role] for role in ("item", "corpus", "repeat") if roles[role] is not None]
    folds_of_item = frame.groupby(keys, observed=True)[column].nunique()
    return bool((folds_of_item == 1).all())


def _remarks(columns: Mapping[str, str], given: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence on the columns that were recognised by their names."""
    named = [role for role in columns if role not in given and role != "model"]
    if not named:
        return ()
    meanings = ", ".join(f"{columns[role]!r} ({ABOUT[role]})" for role in named)
    return (Aside(f"Recognised by name: {meanings}."),)


def is_total(name: Any) -> bool:
    """Return whether a row or column of this name sums up the others.

    Examples
    --------
    >>> is_total("Avg"), is_total("fold 1")
    (True, False)
    """
    return str(name).strip().lower() in _TOTALS


# ---- guards of rows ---------------------------------------------------------------------------------------


def _check_filled(frame: Any, roles: Roles) -> None:
    """Refuse a row without a value in a column that has a role."""
    for role, column in roles.columns.items():
        values = frame[column]
        empty = values.isna()
        blank = [text for text in values.unique() if isinstance(text, str) and not text.strip()]
        if blank:
            empty |= values.isin(blank)
        if empty.any():
            row = int(np.argmax(empty)) + 1
            raise ValueError(
                f"row {row} has no value in column {column!r}, which tells {ABOUT[role]} apart; fill or drop it"
            )


def _check_no_totals(frame: Any, roles: Roles) -> None:
    """Refuse a row that sums up the others, as a fold called mean does; an item or a model may have such a name."""
    for role in ("fold", "repeat", "run", "corpus"):
        column = roles[role]
        if column is None:
            continue
        totals = [value for value in frame[column].unique() if is_total(value)]
        if totals:
            raise ValueError(
                f"column {column!r} has {quoted(totals[0])} among its {ABOUT[role]}, which sums up the others; leave its "
                "rows out"
            )


def _check_rows(frame: Any, roles: Roles, values: Sequence[str]) -> None:
    """Refuse rows that agree in all roles, and name the column in which they differ."""
    repeated = frame[frame.duplicated(roles.keys, keep=False)]
    if not len(repeated):
        return
    is_first = repeated.groupby(roles.keys, sort=False, observed=True).ngroup() == 0
    rows = repeated[is_first]
    where = ", ".join(f"{shown(column)} {quoted(rows[column].iloc[0])}" for column in roles.keys)
    others = [column for column in frame if column not in (*roles.columns.values(), *values)]
    different = next((column for column in others if rows[column].nunique(dropna=False) > 1), None)
    if different is None:
        raise UnclearRows(
            f"{len(rows)} rows have {where}; keep one, or add a column that says how they differ"
        )
    possible = ["run", "fold", "corpus", "item"] if roles["item"] is None else ["generation", "prompt", "run"]
    calls = joined([f"{role}={different!r} ({ABOUT[role]})" for role in possible], "or")
    raise UnclearRows(f"{len(rows)} rows have {where} and differ in {different!r}; say what it is: {calls}")
