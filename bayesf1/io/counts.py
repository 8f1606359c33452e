"""Evaluations from confusion counts, of one test set or of folds, in memory or in files; and from conlleval's output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray, SupportsColumns, SupportsILoc
from bayesf1.base.checks import ArrayLike, numbers_of
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import listing, nearest, quoted
from bayesf1.base.text_files import located, read_number
from bayesf1.designs import BlockedCV, Discount, KFoldCV, design_of, read_design
from bayesf1.evaluation import Evaluation, model_names, warn_if_empty
from bayesf1.io.formats import Format, InputSource, ReadRequest
from bayesf1.io.tables import TableFile
from bayesf1.runs import flatten, with_runs_in
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.units import Folds

CHUNKS = ("gold", "predicted", "correct")
# P(B > A) of independent tables is right to 1e-9 up to 1e7, and to 1e-7 up to here, as betainc loses digits.
MAX_COUNT = 1e10
# The largest weight of a row of a table; doubles represent all whole numbers up to a few times this.
_MAX_WEIGHT = 1e15
_COUNT_COLUMNS = (*BINARY_CELLS, *CHUNKS)
_COLUMNS = ("model", "task", "repeat", "fold", *_COUNT_COLUMNS)


# The tables of a model by repeat and fold, which count from 1.
_FoldTables: TypeAlias = dict[tuple[int, int], FloatArray]


def from_counts(
    counts: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    /,
    **models: ArrayLike | Mapping[str, ArrayLike],
) -> Evaluation:
    """Build an Evaluation from confusion counts.

    Parameters
    ----------
    counts
        Mapping of model name to counts, for names that are not Python identifiers.
    **models
        Counts of each model: ``(tp, fp, fn)`` or ``(tp, fp, fn, tn)`` as tuple, list or array, or a mapping
        with these keys or with ``gold``, ``predicted``, ``correct``. Fractions are allowed.

    Examples
    --------
    >>> ev = from_counts(A=(77, 44, 10, 702), B={"tp": 80, "fp": 30, "fn": 7, "tn": 716})
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, tn, totals only>
    >>> ev.tables
    array([[ 77.,  44.,  10., 702.], [ 80.,  30.,   7., 716.]])
    """
    if counts is None:
        counts = {}
    model_names([*counts, *models])
    given, runs = flatten({**counts, **models})
    names = tuple(given)
    task, tables = _side_by_side({name: check_counts(given[name], f"model {name!r}") for name in names})
    if tables.ndim != 2:
        raise ValueError(
            f"counts of each model are one table, but here they are arrays of shape {tables.shape[:-2]} + (cell,); "
            "loop over the experiments"
        )
    ev = Evaluation(names, task, warn_if_empty(tables, names))
    return ev.with_runs(runs) if runs else ev


@with_runs_in("folds")
def from_folds(
    folds: Mapping[str, Any], *, cv: BlockedCV | KFoldCV | None = None, discount: Discount | None = None
) -> Evaluation:
    """Build an Evaluation from the confusion tables of a cross-validation.

    Parameters
    ----------
    folds
        Mapping of model name to its ``2m`` tables, repeat by repeat (fold 1 and fold 2 of repeat 1, then of
        repeat 2, …): a sequence of counts as `from_counts` takes them, or an array (2m, cell) or
        (m, 2, cell).
    cv
        The design, which tables do not show: ``BlockedCV(m=3)`` if halves were block-regularised, ``KFoldCV(2, 3)`` if they
        were drawn at random, which are worth less. With a `KFoldCV` there are K tables a repeat.
    discount
        How much less correlated folds are worth than independent ones: ``"wang-li"`` by default, see
        `BlockedCV.discount`; for a `KFoldCV` ``"nadeau-bengio"``.

    Examples
    --------
    >>> fold = (77, 44, 10)
    >>> ev = from_folds({"A": [fold] * 6, "B": [(80, 30, 7)] * 6}, cv=BlockedCV(m=3))
    >>> ev.tables.round(3)
    array([[170.387,  97.364,  22.128], [177.025,  66.384,  15.49 ]])
    """
    if not isinstance(cv, BlockedCV | KFoldCV):
        raise ValueError(
            "tables do not show how folds were drawn; give cv=BlockedCV(m=3) for block-regularised halves, KFoldCV(2, 3) for "
            f"random ones, not {cv!r}"
        )
    if discount is None:
        discount = cv.default_discount
    factor = cv.discount(discount)
    names = model_names(folds)
    # Axes (repeat, fold, model, cell).
    task, counts = _side_by_side({name: _read_folds(name, folds[name], cv) for name in names})
    check_same_gold(counts, names, ("repeat", "fold"), "both models must be tested on the same folds")
    tables = warn_if_empty(factor * counts.sum(axis=(0, 1)), names)
    return Evaluation(names, task, tables, folds=Folds(counts, cv, discount, factor))


# ---- tables -----------------------------------------------------------------------------------------------


def check_matrix(counts: ArrayLike, where: str) -> FloatArray:
    """Return a K×K matrix of finite numbers, none negative, or raise a ValueError."""
    array = _numbers(counts, where)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) < 2:
        raise ValueError(f"{where} has shape {array.shape}; give a square one, of all classes")
    return _check_range(array, [f"column {j + 1}" for j in range(len(array))], where)


def check_weights(counts: ArrayLike, column: str) -> FloatArray:
    """Return counts of rows as an array of finite numbers, none negative, or raise a ValueError that names a wrong row."""
    return _check_range(_numbers(counts, "the table")[:, None], [column], "the table", _MAX_WEIGHT)[:, 0]


def check_counts(counts: ArrayLike | Mapping[str, ArrayLike], where: str) -> FloatArray:
    """Return counts as an array (..., 3 or 4) of finite numbers, none negative, or raise a ValueError."""
    by_name = _named_cells(counts)
    if by_name is not None:
        return _read_cells(by_name, where)
    array = _numbers(counts, where)
    if array.ndim == 0:
        raise ValueError(f"{where} has a single number instead of counts (tp, fp, fn) or (tp, fp, fn, tn)")
    if array.shape[-1] not in (3, 4):
        given = f"{array.shape[-1]} numbers"
        raise ValueError(f"{where} has {given} instead of counts (tp, fp, fn) or (tp, fp, fn, tn)")
    return _check_range(array, BINARY_CELLS, where)


def _named_cells(counts: Any) -> Mapping[str, Any] | None:
    """Return counts by the names of their cells, which a mapping, a Series or a DataFrame has; None for anything else."""
    if isinstance(counts, Mapping):
        return counts
    if not isinstance(counts, SupportsILoc):
        return None
    names = [*counts.columns] if isinstance(counts, SupportsColumns) else [*counts.index]
    if not any(isinstance(name, str) for name in names):
        return None
    return {name: counts[name] for name in names}


def _read_cells(counts: Mapping[str, ArrayLike], where: str) -> FloatArray:
    """Return counts that have names as an array (..., cell), or raise a ValueError."""
    given = {str(key).strip().lower(): cell for key, cell in counts.items()}
    cells = next((c for c in (CHUNKS, BINARY_CELLS, BINARY_CELLS[:3]) if set(c) == set(given)), None)
    if cells is None or len(given) != len(counts):
        names = ", ".join(map(str, counts)) if counts else "none"
        raise ValueError(
            f"{where} has cells {names}; give tp, fp, fn and optionally tn, or gold, predicted, correct, each once"
        )
    columns = [_numbers(given[name], f"{where}, {name}") for name in cells]
    try:
        array = np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError:
        raise ValueError(f"{where} has cells of different shapes; give one shape for all") from None
    _check_range(array, cells, where)
    if cells != CHUNKS:
        return array
    gold, predicted, correct = np.moveaxis(array, -1, 0)
    if (correct > np.minimum(gold, predicted)).any():
        raise ValueError(f"{where} has more correct than gold or predicted; correct cannot be larger")
    return np.stack([correct, predicted - correct, gold - correct], axis=-1)


def _read_folds(name: str, value: Any, cv: BlockedCV | KFoldCV) -> FloatArray:
    """Return the tables of a model, axes (repeat, fold, cell), or raise a ValueError."""
    repeats, per_repeat = cv.shape
    n_folds = repeats * per_repeat
    where = f"model {name!r}"
    if isinstance(value, Mapping | np.ndarray):
        tables = check_counts(value, where)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        rows = [check_counts(fold, f"{where}, fold {i}") for i, fold in enumerate(value, start=1)]
        if len({row.shape for row in rows}) > 1:
            raise ValueError(f"{where} has folds with and without tn; give tn for all of them or for none")
        tables = np.stack(rows) if rows else np.empty((0, 3))
    else:
        raise ValueError(f"{where} has {value!r} instead of a sequence of {n_folds} fold tables")
    if tables.ndim == 3 and tables.shape[1] == per_repeat:
        tables = tables.reshape(-1, tables.shape[-1])
    if tables.ndim != 2 or len(tables) != n_folds:
        given = len(tables) if tables.ndim == 2 else f"an array of shape {tables.shape}"
        design = f"{repeats}×{per_repeat} cross-validation"
        raise ValueError(f"{where} has {given} fold tables, but {design} has {n_folds}")
    return tables.reshape(repeats, per_repeat, -1)


def _numbers(value: Any, where: str) -> FloatArray:
    """Return counts as an array of floats, or raise a ValueError if they are not numbers, such as True and None."""
    complaint = f"has {quoted(value)} instead of numbers"
    array = numbers_of(value, where, remedy=complaint)
    given = np.asarray(value)
    if given.dtype.kind in "bO" and any(isinstance(x, bool | np.bool_ | None) for x in given.flat):
        raise ValueError(f"{where} {complaint}")
    return array


def _check_range(array: FloatArray, cells: Sequence[str], where: str, most: float = MAX_COUNT) -> FloatArray:
    """Return counts with axes (..., cell), or raise a ValueError if one is negative, too large or not a number."""
    bad = ~((array >= 0) & (array <= most))
    if bad.any():
        *rows, cell = np.argwhere(bad)[0].tolist()
        place = where
        for row in rows:
            place += f", row {row + 1}"
        if rows:
            place += ","
        value = array[(*rows, cell)]
        raise ValueError(
            f"{place} has {cells[cell]} = {value:g}; counts are finite, not negative and at most {most:g}"
        )
    return array


def _side_by_side(arrays: Mapping[str, FloatArray]) -> tuple[Binary, FloatArray]:
    """Return the task of the models' tables, and the tables, axes (..., model, cell)."""
    shapes = {array.shape for array in arrays.values()}
    shape = next(iter(shapes))
    if len(shapes) > 1 or 0 in shape:
        of_models = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"tables have shapes {of_models}; give all the same, and tn for all or for none")
    return Binary(BINARY_CELLS[: shape[-1]]), np.stack([*arrays.values()], axis=-2)


def check_same_gold(counts: FloatArray, models: tuple[str, ...], axes: Sequence[str], remedy: str) -> None:
    """Raise a ValueError if two models have different numbers of gold positives, axes (*axes, model, cell)."""
    gold = counts[..., 0] + counts[..., 2]
    differs = ~np.isclose(gold, gold[..., :1], rtol=1e-9, atol=1e-9)
    if differs.any():
        *place, model = np.argwhere(differs)[0].tolist()
        where = ", ".join(f"{axis} {i + 1}" for axis, i in zip(axes, place, strict=True))
        of_first = gold[(*place, 0)]
        of_other = gold[(*place, model)]
        raise ValueError(
            f"{where} has {of_first:g} gold positives (tp+fn) for {models[0]!r} but {of_other:g} for "
            f"{models[model]!r}; {remedy}"
        )


# ---- files -----------------------------------------------------------------------------------------------


def read_counts(
    file: InputFile, task: str | None, cv: BlockedCV | KFoldCV | None, discount: Discount | None
) -> Evaluation:
    """Read the counts of all models; the options are those of `read`."""
    with located(file):
        tasks, has_folds = _tables_of(file)
        if task is not None and task not in tasks:
            named = [name for name in tasks if name]
            others = nearest(task, named) if named else "nor any other; leave task= out"
            raise ValueError(f"there is no task {task!r}; {others}")
        if task is None:
            if len(tasks) > 1:
                raise ValueError(f"there are several tasks ({listing(tasks)}); choose one with task=")
            task = next(iter(tasks))
        models = tasks[task]
        if has_folds:
            counts, design = _arrange_folds(models, cv)
            return from_folds(counts, cv=design, discount=discount)
        if cv is not None or discount is not None:
            raise ValueError("there is no column 'fold', so cv= and discount= do not apply; leave both out")
        return from_counts({name: tables[1, 1] for name, tables in models.items()})


def _tables_of(file: InputFile) -> tuple[dict[str, dict[str, _FoldTables]], bool]:
    """Return the tables by task ("" without tasks), model, repeat and fold, and whether there are folds at all."""
    table = TableFile.opened(file)
    columns = _columns_of(table)
    has_folds = "fold" in columns
    frame = table.load([*columns.values()])
    tasks: dict[str, dict[str, _FoldTables]] = {}
    every_column = [frame[name].tolist() for name in columns.values()]
    for i, cells in enumerate(zip(*every_column, strict=True), 1):
        row = dict(zip(columns, cells, strict=True))
        where = f"row {i}"
        model = _name(row["model"], "model", where)
        task = _name(row["task"], "task", where) if "task" in row else ""
        numbers = {name: _number(row[name], name, where) for name in columns if name not in ("model", "task")}
        repeat = numbers.pop("repeat", 1.0)
        fold = numbers.pop("fold", 1.0)
        if not (1 <= repeat == int(repeat) and 1 <= fold == int(fold)):
            raise ValueError(f"{where} has repeat {repeat:g}, fold {fold:g}; both are numbered 1, 2, …")
        place = (int(repeat), int(fold))
        tables = tasks.setdefault(task, {}).setdefault(model, {})
        if place in tables:
            again = f", repeat {repeat:g}, fold {fold:g}" if has_folds else ""
            raise ValueError(f"{where} has model {model!r}{again} again; keep one (folds: a column 'fold')")
        tables[place] = check_counts(numbers, where)
    return tasks, has_folds


def _columns_of(table: TableFile) -> dict[str, str]:
    """Return the columns of a table of counts by their names in small letters, or raise a ValueError if one is wrong."""
    columns = {name.strip().lower(): name for name in table.header}
    if len(columns) < len(table.header):
        raise ValueError(f"two columns of {listing(table.header)} differ only in case or spaces; keep one")
    for name in columns:
        if name not in _COLUMNS:
            raise ValueError(
                f"column {quoted(name)} is unknown; {nearest(name, _COLUMNS)}; a table of predictions needs "
                "gold=, one of scores scores="
            )
    if "model" not in columns:
        raise ValueError("there is no column 'model'; add it")
    if "repeat" in columns and "fold" not in columns:
        raise ValueError("there is no column 'fold'; add it")
    return columns


def _name(value: Any, column: str, where: str) -> str:
    """Return the name of a model or task, or raise a ValueError if it is not a text."""
    text = value.strip() if isinstance(value, str) else ""
    if not text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(f"{where} has {column} {quoted(value)} instead of a name in UTF-8")
    return text


def _number(value: Any, name: str, where: str) -> float:
    """Return a number of a row, or raise a ValueError if it is not a number."""
    number = read_number(value) if isinstance(value, str) else value
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float) or not abs(number) < 1e300:
        raise ValueError(f"{where} has {name} = {quoted(value)} instead of a number such as 12 or 0.5")
    return float(number)


def _arrange_folds(
    models: dict[str, _FoldTables], cv: BlockedCV | KFoldCV | None
) -> tuple[dict[str, FloatArray], BlockedCV | KFoldCV]:
    """Return each model's tables repeat by repeat, and the design."""
    design = cv
    if design is None:
        places = {place for tables in models.values() for place in tables}
        n_repeats = len({repeat for repeat, _ in places})
        n_folds = len({fold for _, fold in places})
        design = design_of(n_repeats, max(2, n_folds))
    repeats, folds = design.shape
    expected = [*product(range(1, repeats + 1), range(1, folds + 1))]
    for name, tables in models.items():
        for repeat, fold in sorted({*expected} ^ tables.keys()):
            has = "there is a" if (repeat, fold) in tables else "there is no"
            raise ValueError(
                f"{has} repeat {repeat}, fold {fold} of model {name!r}, but {repeats}×{folds} cross-validation has repeats 1 "
                f"to {repeats} with folds 1 to {folds}"
            )
    counts = {name: np.array([tables[place] for place in expected]) for name, tables in models.items()}
    return counts, design


def _read_request(request: ReadRequest) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError("counts of all models come in one file, with a column 'model'; name it alone")
    options = request.options
    cv = options.get("cv")
    if isinstance(cv, str):
        cv = read_design(cv)
    return read_counts(request.alone.file, options.get("task"), cv, options.get("discount"))


def _holds_counts(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Return whether columns or keys are those of counts, unless an option asks for another kind of table."""
    first = next((line for line in file.lines if line.strip()), "").lstrip()
    if not first or options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    if first.startswith(("{", "[")):
        text = "".join(file.lines)[:4000].lower()
        n_keys = sum(f'"{name}"' in text for name in _COUNT_COLUMNS)
        return '"model"' in text and n_keys > 2
    separator = max(",;\t", key=first.count)
    names = {name.strip().strip('"').lower() for name in first.split(separator)}
    return len(names & set(_COUNT_COLUMNS)) > 1


def _tasks(place: InputSource) -> list[str]:
    tasks, _ = _tables_of(place.file)
    return [task for task in tasks if task]


COUNTS = Format(
    "counts",
    "a table of counts (CSV or JSON: model and tp, fp, fn, or gold, predicted, correct)",
    _holds_counts,
    ("task", "cv", "discount"),
    _read_request,
    tasks=_tasks,
)


# ---- conlleval's output ----------------------------------------------------------------------------------

_PROCESSED = re.compile(
    r"processed ([0-9]{1,15}) tokens with ([0-9]{1,15}) phrases; found: ([0-9]{1,15}) phrases; correct: ([0-9]{1,15})\."
    r"(?![0-9])"
)


class _Printed(NamedTuple):
    """The numbers in conlleval's first line."""

    tokens: int
    gold: int
    predicted: int
    correct: int


def _read_printed(request: ReadRequest) -> Evaluation:
    request.without_gold("conlleval's output has counted gold already")
    places = request.named_models("conlleval's output")
    printed: dict[str, _Printed] = {}
    for model, place in places.items():
        lines = _PROCESSED.findall(place.file.text())
        if len(lines) != 1:
            raise ValueError(f"{place} has {len(lines)} lines 'processed … tokens …', but should have one")
        printed[model] = _Printed._make(map(int, lines[0]))
        first_model, first = next(iter(printed.items()))
        own = printed[model]
        if (own.tokens, own.gold) != (first.tokens, first.gold):
            raise ValueError(
                f"{place} was printed for {own.tokens} tokens and {own.gold} phrases, but "
                f"{places[first_model]} for {first.tokens} and {first.gold}; both must be judged on the same gold"
            )
    return from_counts(
        {
            model: {"gold": own.gold, "predicted": own.predicted, "correct": own.correct}
            for model, own in printed.items()
        }
    )


def _holds_output(file: InputFile, options: Mapping[str, Any]) -> bool:
    return b"processed" in file.head and any(_PROCESSED.match(line.strip()) for line in file.lines)


CONLLEVAL = Format(
    "conlleval", "conlleval's output ('processed … tokens with … phrases')", _holds_output, (), _read_printed
)
