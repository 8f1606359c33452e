"""Tables of predictions, of answers right or wrong, or of scores."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bayesf1.base.errors import Argument, WordedError, located
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.arrow_tables import errors_of_file, is_arrow
from bayesf1.reading.data_table import DataTable, gaps_of_gold, is_json
from bayesf1.reading.format import Format, Request
from bayesf1.reading.laid_tables import BUILDERS, OF_JUDGES
from bayesf1.reading.model_columns import (
    label_columns,
    named_columns,
    number_columns,
    rows_of_models,
)
from bayesf1.reading.preference_files import lacks_preferred
from bayesf1.reading.table_layouts import Laid, Part, parts_of_rows, side_by_side, with_runs

# What a row says of a model, and the options that ask for it.
_CONTENTS = ("gold", "correct", "scores")
_OF_SCORES = ("lower_is_better", "unit")
_OF_LABELS = ("positive", "prediction", *OF_JUDGES)


def _read(request: Request) -> Evaluation:
    content = _content(request)
    with gaps_of_gold(request.options.get("gold")):
        laid = _laid(request, content)
    with located(request.places[0]), errors_of_file(request.places[0]):
        ev = BUILDERS[content](laid, request.options)
    return replace(ev, remarks=ev.remarks + laid.remarks)


def _content(request: Request) -> str:
    options = request.options
    asked = [name for name in _CONTENTS if name in options]
    if not asked:
        header = DataTable.opened(request.first).header
        if lacking := lacks_preferred(header):
            raise ValueError(f"{request.first}: {lacking}")
        raise WordedError(
            f"{request.first} is a table with columns {listing(header, most=12)}; say which holds the gold labels by ",
            Argument("gold"),
            ", or whether answers are right by ",
            Argument("correct"),
            ", or that it holds scores by ",
            Argument("scores"),
        )
    if len(asked) > 1:
        raise WordedError(Argument(asked[1]), " does not go with ", Argument(asked[0]), "; give one of them")
    misplaced = {"gold": _OF_SCORES, "correct": (*_OF_LABELS, "lower_is_better"), "scores": _OF_LABELS}
    for name in misplaced[asked[0]]:
        if name in options:
            raise WordedError(
                Argument(name), " does not apply where ", Argument(asked[0]), " is given; leave it out"
            )
    return asked[0]


def _laid(request: Request, content: str) -> Laid:
    options = request.options
    if request.models:
        return _of_files(request, content)
    table = DataTable.opened(request.first)
    model = options.get("model_column", "model" if _is_long(table, options, content) else None)
    if model is not None:
        table.check(model)
        return _of_rows(table, request, content, model)
    for name in ("prediction", "run_column"):
        if name in options:
            raise WordedError(
                Argument(name),
                " says what each row of a model holds; ",
                *(
                    rows_of_models(table, ())
                    or ("name the column that says which model by ", Argument("model_column"))
                ),
                "; if each has a column of its own, give ",
                Argument("columns"),
                " instead",
            )
    return _of_columns(table, options, content)


def _is_long(table: DataTable, options: Mapping[str, Any], content: str) -> bool:
    """Whether a row tells what one model did on an item: there is a column of models and one of what they did."""
    if "model" not in table.header or "columns" in options:
        return False
    said = options.get("prediction", "prediction") if content == "gold" else options[content]
    return "prediction" in options or (isinstance(said, str) and said in table.header)


def _judges(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of judges by their names."""
    return _named(options.get("judge", ()))


def _named(asked: Any) -> dict[str, str]:
    if isinstance(asked, Mapping):
        return dict(asked)
    return {name: name for name in ([asked] if isinstance(asked, str) else asked)}


def _shared(options: Mapping[str, Any]) -> list[str]:
    """Return the columns that say something of an item whatever the model, but for gold."""
    others = (*_judges(options).values(), *_named(options.get("covariates", ())).values())
    named = (options.get("group"), *others, options.get("audit_probability"))
    return [column for column in named if column is not None]


def _with_gaps(options: Mapping[str, Any]) -> list[str]:
    """Return the columns whose cells may be empty."""
    if "judge" not in options and "audit_probability" not in options:
        return []
    return [options["gold"], *_judges(options).values(), *_named(options.get("covariates", ())).values()]


def _of_columns(table: DataTable, options: Mapping[str, Any], content: str) -> Laid:
    gold, id, shared = options.get("gold"), options.get("id"), _shared(options)
    table.check(gold, id, *shared)
    _check_apart(table, gold, *shared)
    alike = {name.casefold(): name for name in table.header}.get(str(options.get("scores")).casefold())
    if content == "scores" and alike is not None and "columns" not in options:
        raise WordedError(
            f"{table} has a column {alike!r}: if it holds the scores of all models, name the column that says "
            "which model a row is of by ",
            Argument("model_column"),
            "; else name the models' columns by ",
            Argument("columns"),
        )
    given = options.get("columns", options.get("correct"))
    other = (id, *shared)
    if given is not None and len(given):
        models = named_columns(given, table, "columns" if "columns" in options else "correct")
    elif gold is not None:
        models = label_columns(table, gold, other)
    else:
        models = number_columns(table, other, flags=content == "correct", measure=options.get("scores"))
    _check_apart(table, gold, *shared, *models.values())
    if id is not None:
        _check_once(table, id, () if gold is None else [*models.values()])
    wanted = [*([] if gold is None else [gold]), *shared, *models.values()]
    gaps = _with_gaps(options)
    if gold is None or not gaps:
        return Laid(table.load(wanted) if gold is None else table.scan(wanted), models)
    frame = table.load(wanted, optional=gaps)
    return Laid(frame if id is None else frame.set_axis(table.load([id])[id].tolist()), models)


def _check_apart(table: DataTable, *columns: str | None) -> None:
    """Say which column is named for two things."""
    named = [column for column in columns if column is not None]
    twice = next((column for column in named if named.count(column) > 1), None)
    if twice is not None:
        raise ValueError(f"{table}: column {twice!r} is named twice; gold, models and the rest need one each")


def _check_once(table: DataTable, id: str, models: Sequence[str]) -> None:
    table.check(id)
    if is_arrow(table.file) and table.tells_apart(id):
        return
    column = table.load([id])[id]
    if not column.is_unique:
        twice = column[column.duplicated()].iloc[0]
        unnamed = (
            "if each model has rows of its own, name the column that says which by ",
            Argument("model_column"),
        )
        raise WordedError(
            f"{table} has {id} {shown(twice)} twice; an item stands once; ",
            *(rows_of_models(table, models) or unnamed),
        )


def _said(options: Mapping[str, Any], content: str) -> str:
    """Return the column that holds what a model said, did or scored."""
    found = options.get("prediction", "prediction") if content == "gold" else options[content]
    if not isinstance(found, str) or not found:
        raise WordedError(
            Argument(content),
            " names the one column of each model's rows, as ",
            Argument(content),
            f" {content}",
        )
    return found


def _check_said(table: DataTable, said: str, options: Mapping[str, Any], content: str) -> None:
    if content == "gold" and "prediction" not in options and said not in table.header:
        others = [c for c in table.header if c not in ("", *options.values())]
        raise WordedError(
            f"{table} has no column {said!r}; name the one that holds what a model said by ",
            Argument("prediction"),
            f": {listing(others) or 'there is none'}",
        )
    table.check(said)


def _of_rows(table: DataTable, request: Request, content: str, model: str) -> Laid:
    options = request.options
    if "columns" in options:
        raise WordedError(
            *(Argument("columns"), " does not go with ", Argument("model_column")),
            "; name the one column that holds what each model said or did by ",
            Argument("prediction" if content == "gold" else content),
        )
    run = options.get("run_column", "run" if "run" in table.header else None)
    said, gold, id, shared = _said(options, content), options.get("gold"), options.get("id"), _shared(options)
    columns = [c for c in (said, gold, id, *shared) if c is not None]
    _check_said(table, said, options, content)
    table.check(run, *columns)
    parts = parts_of_rows(table, columns, model, run, _with_gaps(options))
    if id is None:
        others = [c for c in table.header if c not in (model, run, said, gold, "")]
        raise WordedError(
            f"{table} has a row for each model and item; name the column that tells items apart by ",
            Argument("id"),
            f": {listing(others) or 'there is none'}",
        )
    laid = side_by_side(parts, said, id=id, gold=gold, shared=shared)
    return replace(laid, models=with_runs(laid.models, parts))


def _of_files(request: Request, content: str) -> Laid:
    options = request.options
    for name in ("model_column", "run_column", "columns"):
        if name in options:
            raise WordedError(
                Argument(name),
                " says how one table holds several models, but each has a file here; leave it out",
            )
    said, gold, id, shared = _said(options, content), options.get("gold"), options.get("id"), _shared(options)
    rest, gaps = [c for c in (gold, id, *shared) if c is not None], _with_gaps(options)
    parts = {}
    for name, place in request.models.items():
        table = DataTable.opened(place.file)
        _check_said(table, said, options, content)
        present = [c for c in dict.fromkeys((said, *rest)) if c in table.header]
        parts[name] = Part(str(table), table.load(present, optional=gaps), table.header)
    gold_part = None
    if request.alone is not None:
        table = DataTable.opened(request.alone.file)
        table.check(gold, id)
        present = [c for c in rest if c in table.header]
        gold_part = Part(str(table), table.load(present, optional=gaps), table.header)
        if gaps and id is not None:
            gold_part = gold_part.with_items_of(next(iter(parts.values())), id)
    return side_by_side(parts, said, id=id, gold=gold, shared=shared, gold_part=gold_part)


# ---- recognition ------------------------------------------------------------------------------------------


def _is_table(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether a file is Parquet, Arrow or JSON, or its rows have as many cells as its first line has names."""
    if is_arrow(file) or is_json(file):
        return True
    lines = [line for line in file.lines[:50] if line.strip()]
    if len(lines) < 2:
        return bool(lines) and bool(options.keys() & set(_CONTENTS)) and max(map(lines[0].count, ",;\t")) > 0
    separator = max(",;\t", key=lines[0].count)
    width = lines[0].count(separator) + 1
    if width < 2:
        return False
    if options.keys() & set(_CONTENTS):
        return True
    try:
        rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return False
    return sum(len(row) == len(rows[0]) for row in rows) > 0.8 * len(rows)


TABLE = Format(
    "table",
    "a table (CSV, TSV, JSON, JSON lines, Parquet or Arrow) of predictions, right or wrong answers, or scores",
    _is_table,
    (
        *("gold", "prediction", "columns", "model_column", "run_column", "id", "group", "positive"),
        *OF_JUDGES,
        *("correct", "scores", "lower_is_better", "unit"),
    ),
    _read,
)
