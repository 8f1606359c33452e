"""Tables of which of two models' outputs was preferred, as arenas and people who compare answers write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayesf1.base.errors import located
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.arrow_tables import is_arrow
from bayesf1.reading.data_table import DataTable, is_json
from bayesf1.reading.format import Format, Request
from bayesf1.reading.preferences_of_pairs import from_preferences

# Columns of both models and of what was preferred.
_COLUMNS = (("model_a", "model_b", "winner"), ("first", "second", "preferred"))
_PEOPLE = ("rater", "judge", "annotator")


def _columns(header: tuple[str, ...]) -> tuple[str, str, str] | None:
    return next((columns for columns in _COLUMNS if set(columns) <= set(header)), None)


def lacks_preferred(header: tuple[str, ...]) -> str:
    """Say what is missing where columns name both models of a pair, but none says which was preferred."""
    for first, second, winner in _COLUMNS:
        if {first, second} <= set(header) and winner not in header:
            others = [name for name in header if name not in (first, second)]
            return (
                f"preferences of {first} or {second} stand in a column {winner}; rename it: {listing(others)}"
            )
    return ""


def _read(request: Request) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError("preferences among all models come in one file, a row for each; name it alone")
    table, group = DataTable.opened(request.alone.file), request.options.get("group")
    columns = _columns(table.header) or _COLUMNS[0]
    id = request.options.get("id")
    wanted = dict.fromkeys((*columns, *(name for name in (group, id) if name)))
    frame = table.load([*wanted])
    if id and not frame[id].is_unique:
        twice = frame[id][frame[id].duplicated()].iloc[0]
        raise ValueError(f"{table} has {id} {twice!r} twice; a judgement stands once")
    first, second = (frame[name].astype(str).tolist() for name in columns[:2])
    said: list[Any] = [
        _preferred(value, a, b, columns)
        for value, a, b in zip(frame[columns[2]].tolist(), first, second, strict=True)
    ]
    units = {}
    if group:
        people = any(word in group.lower() for word in _PEOPLE)
        units = {"raters" if people else "items": frame[group].tolist()}
    with located(request.alone.file):
        return from_preferences(first, second, said, **units)


def _preferred(value: Any, first: str, second: str, columns: tuple[str, str, str]) -> str | None:
    """Return the model that a cell means: its name, or the column that it stands in; None where it is a tie."""
    text = str(value)
    if text in (first, second):
        return text
    if text.lower().startswith(("tie", "both")):
        return None
    return {columns[0]: first, columns[1]: second}.get(text, text)


def _holds_preferences(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether the columns are those of preferences, and no option asks for a table of something else."""
    if options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    if is_arrow(file):
        return _columns(DataTable.opened(file).header) is not None
    if is_json(file):
        text = "".join(file.lines[:50])[:4000]
        return any(all(f'"{name}"' in text for name in columns) for columns in _COLUMNS)
    first = next((line for line in file.lines if line.strip()), "")
    names = (name.strip().strip('"') for name in first.split(max(",;\t", key=first.count)))
    return _columns(tuple(names)) is not None


PREFERENCES = Format(
    "preferences",
    "a table of preferences (model_a, model_b and winner, or first, second and preferred)",
    _holds_preferences,
    ("id", "group"),
    _read,
)
