"""Which columns of a table belong to models, and cells as numbers: scores, or right and wrong answers in common words."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import numpy as np

from bayesf1.base.arrays import AnyArray, FloatArray
from bayesf1.base.naming import listing, plural, quoted
from bayesf1.base.text_files import read_number
from bayesf1.io.roles import is_total, noun_of, role_of
from bayesf1.io.tables import TableFile

# How many rows are read to see what a column holds.
_SAMPLE = 10_000

# Words that are numbers, in small letters.
TRUTH: Mapping[str, float] = {"true": 1.0, "false": 0.0}
# Words by which answers are right or wrong.
ANSWERS: Mapping[str, float] = {
    **TRUTH,
    **dict.fromkeys(("t", "yes", "y", "right", "correct", "pass"), 1.0),
    **dict.fromkeys(("f", "no", "n", "wrong", "incorrect", "fail"), 0.0),
}


# ---- numbers ----------------------------------------------------------------------------------------------


def as_numbers(values: Iterable[Any], words: Mapping[str, float] = TRUTH) -> FloatArray:
    """Return values as numbers: words by their numbers in `words`, and NaN for everything else.

    Examples
    --------
    >>> as_numbers(["0.5", True, "maybe"]), as_numbers(["yes", "Wrong"], ANSWERS)
    (array([0.5, 1. , nan]), array([1., 0.]))
    """
    return np.array([_number(value, words) for value in values], dtype=np.float64)


def column_as_numbers(column: Any, words: Mapping[str, float] = TRUTH) -> FloatArray:
    """Return a column of a frame as numbers; each distinct text is read once."""
    import pandas as pd

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return np.asarray(column.to_numpy(), dtype=np.float64)
    if isinstance(column.dtype, pd.CategoricalDtype):
        numbers = as_numbers(column.cat.categories, words)
        # The code of a missing value is -1, which takes the last.
        return np.asarray(np.append(numbers, np.nan)[column.cat.codes.to_numpy()])
    return as_numbers(column.tolist(), words)


def checked_numbers(column: Any, name: str, *, answers: bool) -> FloatArray:
    """Return a column of a frame as numbers, or raise a ValueError that names a cell without one.

    Parameters
    ----------
    column
        The column.
    name
        What it is called, such as a model.
    answers
        Whether it holds right and wrong answers, and not scores.

    Examples
    --------
    >>> import pandas as pd
    >>> checked_numbers(pd.Series(["yes", "maybe"]), "bert", answers=True)
    Traceback (most recent call last):
    ValueError: row 2 of 'bert' has 'maybe', which is no right (true, yes, 1) or wrong (false, no, 0) answer
    """
    words = ANSWERS if answers else TRUTH
    numbers = column_as_numbers(column, words)
    strange = np.isnan(numbers)
    if strange.any():
        row = int(np.argmax(strange))
        expected = "right (true, yes, 1) or wrong (false, no, 0) answer" if answers else "number such as 0.31"
        raise ValueError(f"row {row + 1} of {name!r} has {quoted(column.iloc[row])}, which is no {expected}")
    distinct = column.unique().tolist()
    words_of_truth = [value for value in distinct if isinstance(value, bool) or _is_word_of_truth(value)]
    if not answers and 0 < len(words_of_truth) < len(distinct):
        row = column.tolist().index(words_of_truth[0])
        raise ValueError(
            f"row {row + 1} of {name!r} has {quoted(words_of_truth[0])}, but other rows have numbers; write every score as a "
            "number"
        )
    return numbers


def _is_word_of_truth(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in TRUTH


def _number(value: Any, words: Mapping[str, float]) -> float:
    if isinstance(value, str):
        number = words.get(value.strip().lower(), read_number(value))
        return np.nan if number is None else number
    if not isinstance(value, int | float | np.number | np.bool_):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.nan


# ---- columns that are named -------------------------------------------------------------------------------


def named_columns(
    given: str | Sequence[str] | Mapping[str, str], table: TableFile, option: str
) -> dict[str, str]:
    """Return the models' columns by their names: as given, or without the part of nested names that all share.

    ``name=column`` names a column, and ``*.is_correct`` means all columns that match.
    """
    if isinstance(given, Mapping):
        table.check(*given.values())
        return dict(given)
    columns: dict[str, str] = {}
    texts = [given] if isinstance(given, str) else given
    for text in texts:
        name, column = _named(text, table.header)
        for each in _matching(column, table):
            model = each if name == "" else name
            if model in columns:
                raise ValueError(f"{option}= names {model!r} twice; models need one column each")
            columns[model] = each
    table.check(*columns.values())
    return _shortened(columns)


def _named(text: str, header: Container[str]) -> tuple[str, str]:
    """Return the name of a model, which may be empty, and its column or pattern of columns."""
    if text in header:
        return "", text
    name, _, column = text.rpartition("=")
    return name, column


def _matching(column: str, table: TableFile) -> list[str]:
    """Return the columns that match a pattern; a name without asterisks is returned as it is."""
    if "*" not in column:
        return [column]
    matching = [name for name in table.header if fnmatch(name, column)]
    if not matching:
        raise ValueError(f"{table} has no column that matches {column!r}; it has {listing(table.header)}")
    return matching


def _shortened(columns: Mapping[str, str]) -> dict[str, str]:
    """Return columns by the names of their objects, if all are the same field of different objects."""
    fields = {_object_and_field(name)[1] for name in columns}
    if len(fields) == 1 and "" not in fields:
        return {_object_and_field(name)[0]: column for name, column in columns.items()}
    return dict(columns)


def _object_and_field(name: str) -> tuple[str, str]:
    """Return the names of an object and of a field in it; the field is empty if a version follows the dot.

    Examples
    --------
    >>> _object_and_field("bert.f1"), _object_and_field("gpt-3.5")
    (('bert', 'f1'), ('gpt-3.5', ''))
    """
    before, _, field = name.rpartition(".")
    if before and field[:1].isalpha():
        return before, field
    return name, ""


# ---- columns that are guessed -----------------------------------------------------------------------------


def guess_columns(
    table: TableFile, gold: str | None, other: Iterable[str | None], *, answers: bool = False
) -> dict[str, str]:
    """Return the models' columns: all except gold, ids and columns that options name.

    Parameters
    ----------
    table
        The table.
    gold
        The column of gold labels; None if columns hold scores, or right and wrong answers.
    other
        The columns that options name.
    answers
        Whether columns without gold hold right and wrong answers, and not scores.

    Raises
    ------
    ValueError
        If a column may be a model's, but half of its values are not gold labels, or not scores of one metric.
    """
    table.check(gold)
    named_otherwise = {*other} - {gold}
    wanted = [column for column in table.header if column and column not in named_otherwise]
    sample = table.load(wanted, optional=wanted, most=_SAMPLE) if wanted else {}
    candidates = [column for column in wanted if column != gold]
    models = [column for column in candidates if not is_identifier(sample[column])]
    if gold is None:
        identifiers = [column for column in candidates if column not in models]
        _check_no_totals(table, sample, identifiers)
        words = ANSWERS if answers else TRUTH
        strange = _columns_of_no_scores(sample, models, words)
        expected = "answers, right or wrong" if answers else "scores of one metric under a header"
    else:
        labels = {_folded(value) for value in sample[gold].dropna().unique().tolist()}
        strange = [column for column in models if not _holds_labels(sample[column], labels)]
        expected = f"labels: more than half of its values are not in {gold!r}"
    if strange or not models:
        problem = "no column is a model's"
        if strange:
            problem = f"column {strange[0]!r} does not look like {expected}{_meaning(sample[strange[0]])}"
        fitting = [column for column in models if column not in strange]
        call = f"columns={fitting}" if fitting else "columns="
        raise ValueError(
            f"{table} has columns {listing(table.header)}; {problem}; give {call} to name those "
            f"of models{rows_of_models(table)}"
        )
    columns = {column: column for column in models}
    return _shortened(columns) if gold is None else columns


def _check_no_totals(table: TableFile, sample: Any, identifiers: Sequence[str]) -> None:
    """Refuse a row of averages, which is not a unit."""
    for column in identifiers:
        for value in sample[column]:
            if is_total(value):
                raise ValueError(
                    f"{table} has a row {value!r} in column {column!r}, which is not a unit; remove it"
                )


def _columns_of_no_scores(sample: Any, models: Sequence[str], words: Mapping[str, float]) -> list[str]:
    """Return the columns that do not hold scores of the same metric as the others."""
    values = {column: as_numbers(sample[column].dropna().unique().tolist(), words) for column in models}
    # A column with one bad cell is a model's, and the cell is refused when it is read.
    strange = [column for column, numbers in values.items() if not np.isfinite(numbers).mean() >= 0.5]
    # If a column's name is a number, the table has no header.
    strange += [column for column in models if read_number(column) is not None]
    whole = [column for column, numbers in values.items() if not (numbers % 1.0 > 0.0).any()]
    if len(whole) < len(models):
        # Whole numbers beside fractions are amounts.
        strange += whole
    return strange


def _meaning(column: Any) -> str:
    """Return what a column that is not a model's may hold: probabilities, ids with duplicates, or groups."""
    filled = column.dropna()
    if role_of(column.name) == "corpus" and filled.nunique() > 1:
        samples = plural(noun_of(column.name, "data set"))
        return f"; give corpus={column.name!r} if {samples} were sampled"
    if (as_numbers(filled) % 1.0 > 0.0).any():
        return " (probabilities go to bf.from_probabilities)"
    repeated = filled[filled.duplicated()]
    if 0 < len(repeated) < 0.1 * len(filled):
        return f", and as an id it has {quoted(repeated.iloc[0])} twice"
    if len(repeated) and filled.nunique() > 2:
        return f"; give group={column.name!r} if its items belong together"
    return ""


def rows_of_models(table: TableFile) -> str:
    """Return a hint, if a column's name says that it names the models of rows."""
    name = next((name for name in table.header if name.strip().lower() in ("model", "system")), None)
    return "" if name is None else f"; if each model has rows of its own, give model_column={name!r}"


def _holds_labels(column: Any, labels: Container[Any]) -> bool:
    """Return whether at least half of a column's values are gold labels, ignoring case and blanks at the ends."""
    counts = column.dropna().value_counts()
    n_labels = sum(int(count) for value, count in counts.items() if count and _folded(value) in labels)
    return n_labels > 0 and 2 * n_labels >= int(counts.sum())


def _folded(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def is_identifier(column: Any) -> bool:
    """Return whether a column identifies rows: names or whole numbers, all different.

    Examples
    --------
    >>> import pandas as pd
    >>> is_identifier(pd.Series(["q1", "q2", "q3"])), is_identifier(pd.Series([0.1, 0.2, 0.3]))
    (True, False)
    """
    filled = column.dropna()
    if len(filled) < 3 or filled.nunique() < len(filled):
        return False
    numbers: AnyArray = as_numbers(filled.tolist())
    is_word = np.isnan(numbers)
    mostly_words = is_word.mean() > 0.5
    # Among numbers, a stray word makes no names of the others.
    whole_or_word = is_word | (numbers == np.round(numbers))
    return bool(mostly_words or whole_or_word.all())
