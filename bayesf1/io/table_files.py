"""Tables of predictions, of answers right or wrong, or of scores: wide, long, or a file for each model."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from typing import Any, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, quoted
from bayesf1.base.text_files import located, read_number
from bayesf1.evaluation import Evaluation
from bayesf1.io.experiment import MODEL, ROLES, check_given, from_long, melted, role_of
from bayesf1.io.formats import Format, ReadRequest
from bayesf1.io.frames import from_frame
from bayesf1.io.label_values import align
from bayesf1.io.labels import NoPositiveItem, from_correct
from bayesf1.io.scores import from_scores
from bayesf1.io.tables import Table, is_arrow, is_json
from bayesf1.tasks.final import known_share

# What a row says of a model, and the options that do not go with it.
_SCORES_ONLY, _LABELS_ONLY = ("lower_is_better", "unit"), ("positive", "prediction", "judge")
_MISPLACED = {
    "gold": _SCORES_ONLY,
    "correct": (*_LABELS_ONLY, "lower_is_better"),
    "scores": _LABELS_ONLY,
}
_BY_ORDER = "Items were matched by their order in the files, as no column identifies them."

# As many rows tell what a column is.
_SAMPLE = 10_000
_TRUTH = {"true": 1.0, "false": 0.0}
# What else answers right or wrong are called.
_TOTALS = frozenset(("all", "mean", "average", "avg", "overall", "total"))
FLAGS = {
    **_TRUTH,
    **dict.fromkeys(("t", "yes", "y", "right", "correct", "pass"), 1.0),
    **dict.fromkeys(("f", "no", "n", "wrong", "incorrect", "fail"), 0.0),
}

# A frame with one item a row; the column of each model, of a method those of its runs; and remarks.
WideTable: TypeAlias = tuple[Any, Mapping[str, Any], tuple[str, ...]]
# What errors call the rows of a model or of gold, and these rows.
_Part: TypeAlias = tuple[str, Any]


def _read(request: ReadRequest) -> Evaluation:
    options = request.options
    given = [name for name in _MISPLACED if name in options]
    if not given:
        header = Table.opened(request.first).header
        raise ValueError(
            f"{request.first} is a table with columns {listing(header, most=12)}; name the column of gold labels with gold=, "
            "the columns of right or wrong answers with correct=, or the scores with scores="
        )
    content = given[0]
    for name in (*given[1:], *(name for name in _MISPLACED[content] if name in options)):
        raise ValueError(f"{name}= does not apply if {content}= is given; leave one out")
    value = options.get("prediction", "prediction") if content == "gold" else options[content]
    if (long := _in_rows(request, value, content)) is not None:
        frame, roles, how = long
        if options.get("positive") is not None and content == "gold":
            how["positive"] = _as_in(frame[options["gold"]], options["positive"])
        with located(request.places[0]), _no_positive_refused():
            return from_long(frame, roles, **how)
    read = _of_files if request.models else _of_table
    frame, models, remarks = read(request, value, content)
    unnamed = content == "scores" and known_share(str(value)) and not options.keys() & {"id", "unit", "group"}
    if (
        unnamed
        and "item" not in map(role_of, Table.opened(request.first).header)
        and _all_numbers(frame, models)
    ):
        raise ValueError(
            f"{request.first} has rows of {value}, and no column says what a row is: name it with fold=, run= or corpus=, or "
            "with id= if items were scored one by one"
        )
    with located(request.places[0]):
        if content == "gold":
            ev = _from_labels(frame, models, options)
        else:
            how = {name: options[name] for name in _SCORES_ONLY if name in options}
            if "group" in options:
                how["groups"] = frame[options["group"]].tolist()
            numbers = _numbers(frame, models, FLAGS if content == "correct" else _TRUTH)
            build = from_correct if content == "correct" else from_scores
            ev = build(numbers, **({} if content == "correct" else {"name": options["scores"]}), **how)
    return replace(ev, remarks=ev.remarks + remarks)


def _judges(options: Mapping[str, Any]) -> dict[str, str]:
    judge = options["judge"]
    return (
        {judge: judge}
        if isinstance(judge, str)
        else dict(judge)
        if isinstance(judge, Mapping)
        else {c: c for c in judge}
    )


def _all_numbers(frame: Any, models: Mapping[str, Any]) -> bool:
    columns = [c for own in models.values() for c in (own.values() if isinstance(own, Mapping) else [own])]
    return not any(np.isnan(as_numbers(frame[c].tolist())).any() for c in columns)


# ---- rows with roles -------------------------------------------------------------------------------------


def _in_rows(
    request: ReadRequest, value: Any, content: str
) -> tuple[Any, dict[str, str], dict[str, Any]] | None:
    """Return a table in which columns have roles other than model, run and item, as one of rows; None of any other."""
    options = request.options
    given = {role: options[role] for role in ROLES if role in options}
    for role, name in (("model", "model_column"), ("run", "run_column"), ("item", "id")):
        if name in options:
            given.setdefault(role, options[name])
    tables = {name: Table.opened(place.file) for name, place in request.models.items()} or {
        "": Table.opened(request.first)
    }
    header = next(iter(tables.values())).header
    named = {role_of(c): c for c in reversed(header) if c not in options.values()}
    if request.alone is not None and request.models:
        return None
    check_given(given)
    # A column called name is one of models only beside their values.
    in_rows = "model" in given or ("model" in named and (content == "scores" or value in header))
    wide = not request.models and not in_rows
    asked = given.keys() - {"model", "run", "item", "group"}
    final = content == "scores" and "item" not in given and "item" not in named
    sampled = (
        {"fold", "run", "corpus"}
        if final
        else {"fold"}
        if wide
        else {"fold", "generation", "run", "corpus", "prompt"}
    )
    known = sampled & named.keys()
    sideways = (
        content == "scores"
        and final
        and not wide
        and not request.models
        and not known
        and value not in header
    )
    if sideways and (
        turned := _turned(tables[""], named["model"] if "model" not in given else given["model"], options)
    ):
        return turned
    if not asked and not known and (wide or request.models):
        return None
    if (
        wide
        and "columns" not in options
        and final
        and not any(named.get(r) for r in ("fold", "run", "corpus"))
    ):
        return None
    how = {name: options[name] for name in ("positive", "lower_is_better", "cv", "unit") if name in options}
    how |= {"gold": options.get("gold")} if content == "gold" else {}
    if "judge" in options:
        how["judge"] = _judges(options)
    if wide:
        return _melted(tables[""], options, given, named, content, how)
    column = _value_column(value, content, tables, [*options.values()])
    how |= {{"gold": "prediction", "correct": "correct", "scores": "score"}[content]: column}
    import pandas as pd

    frames = []
    for name, table in tables.items():
        needed = [
            *([column] if isinstance(column, str) else column),
            *given.values(),
            *([options["gold"]] if "gold" in options and "judge" not in options else []),
        ]
        gaps = [c for c in table.header if c and c not in needed]
        frame = table.load([c for c in table.header if c], optional=gaps)
        frames.append(frame.assign(**{MODEL: name}) if name else frame)
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    if request.models:
        given = {"model": MODEL, **given}
    if content == "correct":
        frame[column] = as_numbers(frame[column].tolist(), FLAGS)
    return frame, given, how


def _turned(
    table: Table, model: str, options: Mapping[str, Any]
) -> tuple[Any, dict[str, str], dict[str, Any]] | None:
    """Return a table with a row for each model and a column for each data set as one of rows; None of any other."""
    columns = [c for c in table.header if c and c != model]
    frame = table.load([model, *columns], optional=columns)
    numbers = [c for c in columns if not np.isnan(as_numbers(frame[c].tolist())).any()]
    if frame[model].duplicated().any() or len(numbers) < 2:
        return None
    if all(known_share(c) for c in numbers):
        raise ValueError(
            f"{table} has one score of each kind ({listing(numbers)}) for each model, which does not show how much they "
            "vary; give those of several runs, folds or data sets, or what the models did item by item"
        )
    long = frame.melt(id_vars=[model], value_vars=numbers, var_name="task", value_name="score of a model")
    long["score of a model"] = as_numbers(long["score of a model"].tolist())
    said = f"Rows were taken as models, and columns as data sets: {listing(numbers)}."
    how: dict[str, Any] = {name: options[name] for name in ("lower_is_better", "unit") if name in options}
    score = str(options["scores"] or "score")
    long = long.rename(columns={"score of a model": score})
    return long, {"model": model, "corpus": "task"}, how | {"score": score, "remarks": (said,)}


def _value_column(value: Any, content: str, tables: Mapping[str, Table], named: Container[Any]) -> Any:
    header = next(iter(tables.values())).header
    if not value and content != "gold":
        # The one column that is no role.
        free = [c for c in header if c and role_of(c) is None]
        if len(free) != 1:
            raise ValueError(f"which column holds the {content}? Name it with {content}=: {listing(free)}")
        return free[0]
    if value not in header and content == "scores":
        close = [c for c in header if role_of(c) is None and value.lower() in c.lower()]
        if len(close) == 1:
            return close[0]
    several = [name.strip() for name in str(value).split(",")]
    several = several if content == "scores" and len(several) > 1 and value not in header else [str(value)]
    for table in tables.values():
        if content == "gold" and value not in table.header:
            others = [c for c in table.header if c and role_of(c) is None and c not in named]
            raise ValueError(
                f"{table} has no column {value!r}; name the one that holds what a model predicted with prediction=: "
                f"{listing(others) or 'there is none'}"
            )
        table.check(*several)
    return several if len(several) > 1 else several[0]


def _melted(
    table: Table,
    options: Mapping[str, Any],
    given: dict[str, str],
    named: Mapping[Any, str],
    content: str,
    how: dict[str, Any],
) -> tuple[Any, dict[str, str], dict[str, Any]]:
    """Return a table with a column for each model as one with a row for each."""
    keys = list(dict.fromkeys([*given.values(), *(c for r, c in named.items() if r), *_shared(options)]))
    if "columns" in options:
        models = named_columns(options["columns"], table, "columns")
    elif isinstance(options.get(content), str) and content == "correct" and options[content]:
        models = named_columns(options[content], table, "correct")
    else:
        words = FLAGS if content == "correct" else _TRUTH
        models = guess_columns(table, options.get("gold"), [*keys], words)
    keys = [c for c in keys if c not in models.values()]
    frame = table.load([*keys, *models.values()])
    name = (
        str(options[content] or "score")
        if content == "scores"
        else "prediction"
        if content == "gold"
        else "correct"
    )
    long, own, name = melted(frame, models, name)
    if content != "gold":
        long[name] = as_numbers(long[name].tolist(), FLAGS if content == "correct" else _TRUTH)
    return (
        long,
        {**own, **given},
        how | {{"gold": "prediction", "correct": "correct", "scores": "score"}[content]: name},
    )


# ---- layouts ----------------------------------------------------------------------------------------------


def _of_table(request: ReadRequest, value: Any, content: str) -> WideTable:
    """Read a table of all models: with a column for each of them, or with a row for each model and item."""
    table, options = Table.opened(request.first), request.options
    for name in ("prediction", "run_column"):
        if name in options:
            raise ValueError(
                f"{name}= says what each row of a model holds; name the column that says which model with model_column="
                f"{rows_of_models(table)}; if each has a column of its own, give columns= instead"
            )
    id, shared = options.get("id"), _shared(options)
    table.check(*shared, id)
    given = options.get("columns", options.get("correct"))
    if given:
        models = named_columns(given, table, "columns" if "columns" in options else "correct")
    else:
        words = FLAGS if content == "correct" else _TRUTH
        models = guess_columns(table, options.get("gold"), (id, *shared), words)
    frame = _load(table, options, *shared, *models.values(), id)
    rows = "; if each model has rows of its own, name the column that says which with model_column="
    if id is not None:
        frame = _by_id((str(table), frame), id, rows_of_models(table) or rows)
    return frame, models, ()


def _load(table: Table, options: Mapping[str, Any], *columns: str | None) -> Any:
    """Return columns, in which only gold and what a judge says may have gaps, and only beside a judge."""
    gaps = [c for c in _shared(options) if c != options.get("group")] if "judge" in options else []
    return table.load([c for c in columns if c is not None], optional=gaps)


def _of_files(request: ReadRequest, value: Any, content: str) -> WideTable:
    """Merge a file for each model, and perhaps one of gold, by the ids of their items."""
    options, truth = request.options, None
    for name in ("model_column", "run_column", "columns"):
        if name in options:
            raise ValueError(f"{name}= says how one table holds several models; each has a file here")
    parts = {
        name: (str(place), _rows(Table.opened(place.file), options, value, content))
        for name, place in request.models.items()
    }
    if request.alone is not None:
        table = Table.opened(request.alone.file)
        table.check(options.get("gold"), options.get("id"))
        truth = str(table), _rows(table, options, None, content)
    return _side_by_side(parts, truth, value, options)


def _rows(table: Table, options: Mapping[str, Any], value: Any, content: str, *more: str | None) -> Any:
    """Return the columns that there are of those that options name, and the one of a model's values, which must be."""
    if value is not None and (not isinstance(value, str) or not value):
        raise ValueError(f"{content}= names the one column of each model's rows, as {content}='{content}'")
    if value is not None and value not in (*table.header, *options.values()):
        others = [c for c in table.header if c not in ("", *options.values())]
        raise ValueError(
            f"{table} has no column {value!r}; name the one that holds what a model predicted with prediction=: "
            f"{listing(others) or 'there is none'}"
        )
    table.check(value)
    wanted = dict.fromkeys([*more, value, options.get("id"), *_shared(options)])
    return _load(table, options, *(c for c in wanted if c in table.header))


def _side_by_side(
    parts: Mapping[str, _Part], truth: _Part | None, value: str, options: Mapping[str, Any]
) -> WideTable:
    """Lay what models have beside each other, item by item, by their ids; what is shared is the same for all.

    Without ids rows are matched by their order, which takes gold labels that agree in all rows.
    """
    import pandas as pd

    id, everyone = options.get("id"), [*([] if truth is None else [truth]), *parts.values()]
    places = [where for where, _ in everyone]
    frames = [frame.reset_index(drop=True) if id is None else _by_id((p, frame), id) for p, frame in everyone]
    if id is None and len(frames) > 1:
        if not all(options.get("gold") in frame and len(frame) == len(frames[0]) for frame in frames):
            raise ValueError(
                f"which column tells items apart? Rows of {places[0]} and {places[1]} are matched by it; name it with id="
            )
    elif truth is not None and "judge" in options:
        # Items that only models have are those that nobody has labelled yet.
        missing = frames[1].index.difference(frames[0].index, sort=False)
        frames[0] = frames[0].reindex([*frames[0].index, *missing])
    names = [*([] if truth is None else [f"gold in {truth[0]}"]), *parts]
    aligned, _ = align(dict(zip(names, frames, strict=True)), "rows", {})
    frames, wide = [*aligned.values()], dict[str, Any]()
    for column in _shared(options):
        owners = [i for i, frame in enumerate(frames) if column in frame]
        if not owners:
            raise ValueError(f"{places[0]} has no column {column!r}; it has {listing(frames[0].columns)}")
        wide[column] = frames[owners[0]][column]
        # Beside a file of gold, a column of its name is what the model predicted.
        for i in owners[1:] if column != value else ():
            _check_same(wide[column], frames[i][column], places[owners[0]], places[i], id)
    models = {name: f"\0{i}" for i, name in enumerate(parts)}
    for column, frame in zip(models.values(), frames[-len(parts) :], strict=True):
        wide[column] = frame[value]
    return pd.DataFrame(wide), models, (_BY_ORDER,) if id is None else ()


def _shared(options: Mapping[str, Any]) -> list[str]:
    """Return the columns that say something of an item whatever the model."""
    judge = options.get("judge", ())
    judges = (
        [judge] if isinstance(judge, str) else [*(judge.values() if isinstance(judge, Mapping) else judge)]
    )
    return [*(options[name] for name in ("gold", "group") if name in options), *judges]


def _text(value: Any) -> str:
    """Return an id as text; numbers that are whole without a point."""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value)


def _by_id(part: _Part, id: str, remedy: str = "; give each of several runs a file of its own") -> Any:
    """Return rows by their ids, as text."""
    where, frame = part
    if id not in frame:
        raise ValueError(f"{where} has no column {id!r}, by which items are matched")
    frame = frame.set_axis([_text(value) for value in frame[id].tolist()])
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        raise ValueError(f"{where} has {id} {quoted(twice)} twice; an item may occur once{remedy}")
    return frame


def _check_same(mine: Any, theirs: Any, owner: str, other: str, id: str | None) -> None:
    differs = [a != b for a, b in zip(map(_text, mine.tolist()), map(_text, theirs.tolist()), strict=True)]
    if any(differs):
        i = differs.index(True)
        item = f"row {i + 1}" if id is None else f"item {quoted(mine.index[i])}"
        match = "; if rows are in different orders, name the column that tells items apart with id="
        raise ValueError(
            f"{other} has {mine.name} {quoted(theirs.iloc[i])} for {item}, but {owner} has {quoted(mine.iloc[i])}; it should "
            f"be the same for all models{match if id is None else ''}"
        )


# ---- which columns are models' -----------------------------------------------------------------------------


def named_columns(
    given: str | Sequence[str] | Mapping[str, str], table: Table, option: str
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
                raise ValueError(f"{option}= names {name or each!r} twice; models need one column each")
            found[name or each] = each
    table.check(*found.values())
    return _shortened(found)


def guess_columns(
    table: Table, gold: str | None, other: Iterable[str | None], words: Mapping[str, float] = _TRUTH
) -> dict[str, str]:
    """Return the columns of predictions, or of scores where there is no gold: all but ids and those named otherwise.

    Of scores, or of answers right or wrong, these `words` are numbers.

    A column whose values are mostly no gold labels, or no scores of one metric, is refused and not passed over, as it may
    be a model's.
    """
    wanted = [c for c in table.header if c not in ("", *(c for c in other if c != gold))]
    sample = table.load(wanted, optional=wanted, most=_SAMPLE) if wanted else {}
    candidates = [name for name in wanted if name != gold]
    models = [name for name in candidates if not is_identifier(sample[name])]
    if gold is not None:
        known = {_plain(value) for value in sample[gold].dropna().unique().tolist()}
        strange = [name for name in models if not _holds_labels(sample[name], known)]
        what = f"labels: more than half of its values are not in {gold!r}"
    else:
        for name in (name for name in candidates if name not in models):
            # A row of averages, as other tools write it, is no score of its own.
            if total := next((v for v in sample[name] if str(v).strip().lower() in _TOTALS), None):
                raise ValueError(
                    f"{table} has a row {total!r} in column {name!r}, which is not a unit; remove it"
                )
        rest = {name: as_numbers(sample[name].dropna().unique().tolist(), words) % 1.0 for name in models}
        amounts = {name: bool((values > 0.0).any()) for name, values in rest.items()}
        # One bad cell makes no model something else; it is refused when it is read.
        strange = [name for name, values in rest.items() if np.isnan(values).mean() > 0.5]
        strange += [name for name in models if read_number(name) is not None]
        strange += [name for name in models if not amounts[name]] if len({*amounts.values()}) > 1 else []
        what = "scores of one metric under a header" if words is _TRUTH else "answers, right or wrong"
    if strange or not models:
        which = "no column is a model's"
        if strange:
            which = f"column {strange[0]!r} does not look like {what}{_may_be(sample[strange[0]])}"
        fitting = [name for name in models if name not in strange] or ""
        raise ValueError(
            f"{table} has columns {listing(table.header)}; {which}; give columns={fitting} to name those "
            f"of models{rows_of_models(table)}"
        )
    named = {name: name for name in models}
    return named if gold is not None else _shortened(named)


def _may_be(column: Any) -> str:
    """Return what a column that is no model's may be: ids of which one comes twice, documents, or probabilities."""
    filled = column.dropna()
    if (as_numbers(filled) % 1.0 > 0.0).any():
        return " (probabilities go to bf.from_probabilities)"
    twice = filled[filled.duplicated()]
    if 0 < len(twice) < 0.1 * len(filled):
        return f", and as an id it has {quoted(twice.iloc[0])} twice"
    return (
        f"; give group={column.name!r} if its items belong together"
        if filled.nunique() > 2 and len(twice)
        else ""
    )


def rows_of_models(table: Table) -> str:
    """Return how rows of models are read where a column is called as one that names them."""
    name = next((name for name in table.header if name.strip().lower() in ("model", "system")), None)
    return "" if name is None else f"; if each model has rows of its own, give model_column={name!r}"


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


def _holds_labels(column: Any, known: set[Any]) -> bool:
    """Return whether at least half of a column's values are gold labels, but for case and blanks at the ends."""
    counts = column.dropna().value_counts()
    n = sum(int(count) for value, count in counts.items() if count and _plain(value) in known)
    return bool(n) and 2 * n >= int(counts.sum())


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def is_identifier(column: Any) -> bool:
    """Return whether a column tells rows apart: integers or strings, all different; a stray word makes no names of numbers.

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


def as_numbers(values: Iterable[Any], words: Mapping[str, float] = _TRUTH) -> FloatArray:
    """Return values as numbers, true and false as 1 and 0, and NaN for what is none."""
    return np.array([_number(value, words) for value in values], dtype=np.float64)


def _number(value: Any, words: Mapping[str, float]) -> float:
    if isinstance(value, str):
        number = words.get(value.strip().lower(), read_number(value))
        return np.nan if number is None else number
    try:
        return float(value) if isinstance(value, int | float | np.number | np.bool_) else np.nan
    except OverflowError:
        return np.nan


# ---- evaluations ------------------------------------------------------------------------------------------


def _from_labels(frame: Any, models: Mapping[str, Any], options: Mapping[str, Any]) -> Evaluation:
    how = {name: options[name] for name in ("group", "judge") if name in options}
    if options.get("positive") is not None:
        how["positive"] = _as_in(frame[options["gold"]], options["positive"])
    with _no_positive_refused():
        return from_frame(frame, gold=options["gold"], models=models, **how)


@contextmanager
def _no_positive_refused() -> Iterator[None]:
    """Refuse gold labels of which none is positive: a shard in memory may hold none, but a file is all there is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoPositiveItem)
        try:
            yield
        except NoPositiveItem as warning:
            raise ValueError(str(warning)) from None


def _as_in(column: Any, label: Any) -> Any:
    """Return a label as a column would hold it: text, a number, or true or false."""
    known = column.dropna().unique().tolist()
    if known and not isinstance(known[0], str):
        words = {"true": True, "false": False} if isinstance(known[0], bool) else {}
        number = read_number(str(label))
        return words.get(str(label).lower(), label if number is None else number)
    # True and False are spelled by the program that wrote them.
    text = str(label)
    return text.capitalize() if text.lower() in _TRUTH and text.capitalize() in known else text


def _numbers(frame: Any, models: Mapping[str, Any], words: Mapping[str, float]) -> dict[str, Any]:
    """Return the numbers of each model, or of each run of it, or say which cell holds none."""
    found: dict[str, Any] = {}
    for name, own in models.items():
        if isinstance(own, Mapping):
            found[name] = _numbers(frame, own, words)
            continue
        values = frame[own].tolist()
        found[name] = as_numbers(values, words)
        if (strange := np.isnan(found[name])).any():
            i = int(np.argmax(strange))
            what = (
                "number such as 0.31"
                if words is _TRUTH
                else "right (true, yes, 1) or wrong (false, no, 0) answer"
            )
            raise ValueError(f"row {i + 1} of {name!r} has {quoted(values[i])}, which is no {what}")
    return found


# ---- recognition ------------------------------------------------------------------------------------------


def _is_table(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether a file is Parquet, Arrow or JSON, or its rows have as many cells as its first line has names."""
    if is_arrow(file) or is_json(file):
        return True
    lines = [line for line in file.lines[:50] if line.strip()]
    separator = max(",;\t", key=lines[0].count) if lines else ","
    if not lines or separator not in lines[0]:
        return False
    if options.keys() & set(_MISPLACED):
        return True
    try:
        rows = list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error:
        return False
    return len(rows) > 1 and sum(len(row) == len(rows[0]) for row in rows) > 0.8 * len(rows)


TABLE = Format(
    "table",
    "a table (CSV, TSV, JSON, JSON lines, Parquet or Arrow) of predictions, right or wrong answers, or scores",
    _is_table,
    (
        *("gold", "prediction", "columns", "model_column", "run_column", "id", "group", "positive", "judge"),
        *("correct", "scores", "lower_is_better", "unit", "cv"),
        *(role for role in ROLES if role != "group"),
    ),
    _read,
)
