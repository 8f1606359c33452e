"""Which columns of a table are models': those named, or those that hold what models would say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import numpy as np

from bayesf1.base.errors import Argument, WordedError, Wording
from bayesf1.base.naming import listing
from bayesf1.base.text_files import read_number
from bayesf1.reading.data_table import DataTable

# As many rows tell what a column is; where they leave a doubt, all are read.
_SAMPLE = 10_000
_TRUTH = {"true": 1.0, "false": 0.0}
# What else answers right or wrong are called.
FLAGS = {
    **_TRUTH,
    **dict.fromkeys(("t", "yes", "y", "right", "correct", "pass"), 1.0),
    **dict.fromkeys(("f", "no", "n", "wrong", "incorrect", "fail"), 0.0),
}
# Scores of one measure are not so many times as large as another model's.
_SCALES = 20.0
# Numbers that people write and programs do not read, and the remedy.
_SPELLINGS = {
    re.compile(r"-?\d+,\d+"): "a decimal comma; write decimal points",
    re.compile(r"-?[\d.,]+\s?%"): "a percentage; write plain numbers",
}
# What a column is called that says which model a row is of.
_NAMES_MODELS = ("model", "system")
_TOTALS = frozenset(("all", "mean", "average", "avg", "overall", "total"))


def named_columns(
    given: str | Sequence[str] | Mapping[str, str], table: DataTable, option: str
) -> dict[str, str]:
    """Return the models' columns by their names: as given, or without the part of nested names that all share.

    ``name=column`` names a column, and ``*.is_correct`` stands for all columns that match.
    """
    if isinstance(given, Mapping):
        table.check(*given.values())
        return dict(given)
    found: dict[str, str] = {}
    for text in [given] if isinstance(given, str) else given:
        name, _, column = text.rpartition("=") if text not in table.header else ("", "", text)
        matching = [c for c in table.header if fnmatch(c, column)] if "*" in column else [column]
        if not matching:
            raise ValueError(f"{table} has no column that matches {column!r}; it has {listing(table.header)}")
        for each in matching:
            if (name or each) in found:
                raise WordedError(
                    Argument(option), f" names {name or each!r} twice; models need one column each"
                )
            found[name or each] = each
    table.check(*found.values())
    return _shortened(found)


def _shortened(columns: Mapping[str, str]) -> dict[str, str]:
    """Return columns whose names end alike, as those of nested fields do, by the names before that end."""
    ends = {_parts(name)[1] for name in columns}
    if len(ends) == 1 and "" not in ends:
        return {_parts(name)[0]: column for name, column in columns.items()}
    return dict(columns)


def _parts(name: str) -> tuple[str, str]:
    """Return the name of an object and that of a field in it, which is none where a version follows the dot.

    Examples
    --------
    >>> _parts("bert.f1"), _parts("gpt-3.5")
    (('bert', 'f1'), ('gpt-3.5', ''))
    """
    before, _, field = name.rpartition(".")
    return (before, field) if before and field[:1].isalpha() else (name, "")


def label_columns(table: DataTable, gold: str, other: Iterable[str | None]) -> dict[str, str]:
    """Return the columns of a table that hold what models said: all but gold, identifiers and those named otherwise."""
    candidates = [c for c in table.header if c not in (gold, "", *other)]
    sample = table.load([gold, *candidates], optional=[gold, *candidates], most=_SAMPLE)
    found = {}
    for name in candidates:
        if is_identifier(sample[name]):
            continue
        frame = sample
        if len(sample) >= _SAMPLE and not _says_labels(sample, gold, name):
            frame = table.load([gold, name], optional=[gold, name])
        if not _says_labels(frame, gold, name):
            fitting = [
                c for c in candidates if not is_identifier(sample[c]) and _says_labels(sample, gold, c)
            ]
            raise _no_labels(table, frame, gold, name, fitting)
        found[name] = name
    if not found:
        raise ValueError(
            f"{table} has no column of predictions beside {gold!r}; it has {listing(table.header)}"
        )
    return found


def _says_labels(frame: Any, gold: str, name: str) -> bool:
    """Whether at least half of what a column says are gold labels, but for case and blanks at the ends."""
    known = {_plain(value) for value in frame[gold].dropna().unique().tolist()}
    said = frame[name].dropna().value_counts()
    n = sum(int(count) for value, count in said.items() if count and _plain(value) in known)
    return bool(n) and 2 * n >= int(said.sum())


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _no_labels(table: DataTable, frame: Any, gold: str, name: str, fitting: Sequence[str]) -> WordedError:
    """Say what a column holds that should hold a model's labels, and which columns do."""
    known = frame[gold].dropna().unique().tolist()
    said = frame[name].dropna().unique().tolist()
    numbers = as_numbers(said)
    strange = next((value for value in said if value not in known), None)
    where = f"{table}, column {name!r}, has values like {strange!r:.40}"
    spelled = set(as_numbers(known)[~np.isnan(as_numbers(known))])
    if len(numbers) and not np.isnan(numbers).any():
        if ((numbers >= 0.0) & (numbers <= 1.0)).all() and (numbers % 1 > 0.0).any():
            return WordedError(
                f"{where}: are these probabilities? Make labels of them by a threshold, or give them to ",
                "bf.from_probabilities; name the columns of predictions by ",
                Argument("columns"),
            )
        if spelled & set(as_numbers(value for value in said if value not in known)):
            return WordedError(
                f"{where} where {gold!r} has {known[0]!r}; write numbers alike in both, or name other columns by ",
                Argument("columns"),
            )
    return WordedError(
        f"{where}, and more than half of its values are no gold labels; ",
        *((*hint, "; else ") if (hint := rows_of_models(table, fitting)) else ()),
        "name the columns of predictions by ",
        Wording(f"columns={[*fitting]}", f"--columns {','.join(fitting)}")
        if fitting
        else Argument("columns"),
    )


def rows_of_models(table: DataTable, said: Sequence[str]) -> tuple[str | Wording, ...]:
    """Say how rows of models are read where a column is called as one that names them; `said` may hold predictions."""
    model = next((name for name in table.header if name.strip().lower() in _NAMES_MODELS), None)
    if model is None:
        return ()
    found = {"model_column": model}
    if len(rest := [name for name in said if name != model]) == 1:
        found["prediction"] = rest[0]
    python = ", ".join(f"{name}={column!r}" for name, column in found.items())
    command = " ".join(f"--{name.replace('_', '-')} {shlex.quote(column)}" for name, column in found.items())
    return "if each model has rows of its own, give ", Wording(python, command)


def is_identifier(column: Any) -> bool:
    """Whether a column tells rows apart: integers or strings, all different; a stray word makes no names of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> is_identifier(pd.Series(["q1", "q2", "q3"])), is_identifier(pd.Series([0.1, 0.2, 0.3]))
    (True, False)
    """
    filled = column.dropna()
    if len(filled) < 3 or filled.nunique() < len(filled):
        return False
    numbers = as_numbers(filled.tolist())
    return bool(np.isnan(numbers).mean() > 0.5 or (np.isnan(numbers) | (numbers == np.round(numbers))).all())


def as_numbers(
    values: Iterable[Any], words: Mapping[str, float] = _TRUTH
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return values as numbers, true and false as 1 and 0, and NaN for what is none."""
    return np.array([_number(value, words) for value in values], dtype=np.float64)


def _number(value: Any, words: Mapping[str, float]) -> float:
    if isinstance(value, str):
        found = words.get(value.strip().lower(), read_number(value))
        return np.nan if found is None else found
    return float(value) if isinstance(value, int | float | np.number | np.bool_) else np.nan


def number_columns(
    table: DataTable, other: Iterable[str | None], *, flags: bool, measure: str | None = None
) -> dict[str, str]:
    """Return the columns that hold scores, or of `flags` those of nothing but 0 and 1, or true and false.

    Where objects hold several measures each, those of `measure` are taken.
    """
    candidates = [c for c in table.header if c not in ("", *other)]
    sample = table.load(candidates, optional=candidates, most=_SAMPLE) if candidates else {}
    kinds = {name: sample[name].dropna().unique().tolist() for name in candidates}
    numbers = {name: as_numbers(values, FLAGS if flags else _TRUTH) for name, values in kinds.items()}
    found = []
    for name in candidates:
        if not kinds[name] or np.isnan(numbers[name]).mean() > 0.5:
            _check_spelling(table, name, kinds[name])
        elif not is_identifier(sample[name]) and not (flags and not _two(numbers[name])):
            found.append(name)
    option = "correct" if flags else "columns"
    found = _of_one_measure(table, found, measure, option)
    if not flags and not all(_two(numbers[name]) for name in found):
        # Beside amounts, true and false say something of the row, not of a model.
        found = [name for name in found if not _is_truth(kinds[name])]
        _check_scales(table, {name: numbers[name] for name in found})
        _check_total(table, sample, [name for name in candidates if is_identifier(sample[name])])
    for name in found:
        if read_number(name) is not None:
            raise WordedError(
                f"{table} has a column called {name!r}, a number: is its first line no header? Add one, or name the models' "
                "columns by ",
                Argument(option),
            )
    if not found:
        what = "answers right or wrong" if flags else "scores"
        raise WordedError(
            f"{table} has no column of {what}; it has {listing(table.header)}; name those of the models by ",
            Argument(option),
        )
    return _shortened({name: name for name in found})


def _of_one_measure(table: DataTable, found: list[str], measure: str | None, option: str) -> list[str]:
    """Return the fields of one measure where objects hold several, or say that there are several."""
    parts = [_parts(name) for name in found]
    several = [name for name, field in parts if field and [before for before, _ in parts].count(name) > 1]
    if len(set(several)) < 2:
        return found
    # A model's object may hold measures, or a measure's object models.
    chosen = [name for name, part in zip(found, parts, strict=True) if measure in part]
    if chosen:
        return chosen
    field = next(field for _, field in parts if field)
    raise WordedError(
        f"{table} has several numbers of one model, as {listing(found, most=4)}; name those to compare by ",
        Wording(f"{option}='*.{field}'", f"--{option} '*.{field}'"),
    )


def _two(numbers: Any) -> bool:
    return bool(np.isin(numbers, (0.0, 1.0)).all())


def _is_truth(values: Sequence[Any]) -> bool:
    return any(isinstance(v, bool | np.bool_) or str(v).strip().lower() in _TRUTH for v in values)


def why_no_number(value: Any) -> str:
    """Return in which way a text spells a number that is not read, and the remedy; nothing where it spells none.

    Examples
    --------
    >>> why_no_number("0,31"), why_no_number("high")
    ('a decimal comma; write decimal points', '')
    """
    if not isinstance(value, str):
        return ""
    return next((why for spelling, why in _SPELLINGS.items() if spelling.fullmatch(value.strip())), "")


def _check_spelling(table: DataTable, name: str, values: Sequence[Any]) -> None:
    if values and all(map(why_no_number, values)):
        raise ValueError(f"{table}, column {name!r}, has {values[0]!r}: {why_no_number(values[0])}")


def _check_scales(table: DataTable, numbers: Mapping[str, Any]) -> None:
    """Refuse columns that are no scores of one measure, where nobody named them."""
    largest = {name: float(np.nanmax(np.abs(values))) for name, values in numbers.items()}
    low, high = (choose(largest, key=largest.__getitem__, default="") for choose in (min, max))
    if low and largest[high] > _SCALES * largest[low] > 0.0:
        raise WordedError(
            f"{table} has numbers up to {largest[high]:g} in column {high!r} and up to {largest[low]:g} in {low!r}, which "
            "are hardly scores of one measure; name the models' columns by ",
            Argument("columns"),
        )
    broken = [name for name, values in numbers.items() if (values % 1.0 > 0.0).any()]
    whole = [name for name in numbers if name not in broken]
    if broken and whole:
        raise WordedError(
            f"{table} has whole numbers up to {largest[whole[0]]:g} in column {whole[0]!r} and fractions in {broken[0]!r}, "
            "which are hardly scores of one measure; name the models' columns by ",
            Argument("columns"),
        )


def _check_total(table: DataTable, sample: Any, identifiers: Sequence[str]) -> None:
    for name in identifiers:
        for i, value in enumerate(sample[name].tolist()):
            if isinstance(value, str) and value.strip().lower() in _TOTALS:
                raise ValueError(
                    f"{table}, row {i + 1}, is called {value!r} in column {name!r}, hardly a score of its own; remove it"
                )
