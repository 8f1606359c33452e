"""Files of counts: CSV or JSON in, an `Evaluation` out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.base.errors import located
from bayesf1.base.input_files import InputFile, input_files
from bayesf1.base.naming import listing, nearest, shown
from bayesf1.base.reports import refuse_reports
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV, design_of, read_design
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.count_rows import COUNT_COLUMNS, Layout, Tables, Tasks, collect, read_label
from bayesf1.reading.counts import from_counts, from_folds
from bayesf1.reading.format import Format, Place, Request

# A model's name, and its counts: numbers, those of folds, or numbers by their names.
_MAPPING = re.compile(
    r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\[[\[\s]*[-+.0-9]|\{\s*"(?:' + "|".join(COUNT_COLUMNS) + r')"\s*:)',
    re.IGNORECASE,
)


@checked
def read_counts(
    path: str | PathLike[str],
    *,
    task: str | None = None,
    cv: BlockedCV | KFoldCV | None = None,
    discount: Discount | None = None,
) -> Evaluation:
    r"""Read the confusion counts of several models from a CSV or JSON file.

    A CSV file has a header with the columns ``model``, then ``tp, fp, fn`` and perhaps ``tn``, or ``gold,
    predicted, correct``; ``task`` where it holds several tasks; ``fold``, and ``repeat`` where there are
    several, after cross-validation. Columns and rows come in any order. Commas, semicolons or tabs separate; blank lines and
    lines that begin with ``#`` say nothing. A JSON file is a list of records with the same names, or a
    mapping of model to counts, as `from_counts` takes it. Models keep the order in which they first appear.

    Parameters
    ----------
    path
        A file in UTF-8.
    task
        Which task to read; may be left out where there is one.
    cv
        The design of the cross-validation; by default as many repeats and folds as the file holds. With it,
        the values of a JSON mapping are the tables of a model's folds, as `from_folds` takes them.
    discount
        What correlated folds are worth: by default ``"wang-li"`` for two folds, see `BlockedCV.discount`, and
        ``"nadeau-bengio"`` for more.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.csv")
    ...     size = path.write_text("model;tp;fp;fn\ncrf;77;44;10\nbert;80;30;7\n")
    ...     read_counts(path).tables
    array([[77., 44., 10.], [80., 30.,  7.]])
    """
    if not isinstance(path, str | PathLike):
        raise ValueError(f"path must be the name of a CSV or JSON file, not {path!r}")
    with input_files() as take:
        return _read(take(path), task, cv, discount)


def _read(
    file: InputFile, task: str | None, cv: BlockedCV | KFoldCV | None, discount: Discount | None
) -> Evaluation:
    found = collect(file)
    if isinstance(found, dict):
        return _from_mapping(found, file, task, cv, discount)
    layout, tasks = found
    models = _choose_task(tasks, layout, file, task)
    if layout.folds:
        folds, design = _arrange_folds(models, file, cv)
        with located(file):
            return from_folds(folds, cv=design, discount=discount)
    if cv is not None or discount is not None:
        raise ValueError(
            f"{file} has no column 'fold', so cv and discount do not apply; add the column, or leave both out"
        )
    with located(file):
        return from_counts({name: rows[0, 0][0] for name, rows in models.items()})


def _from_mapping(
    document: dict[str, Any],
    file: InputFile,
    task: str | None,
    cv: BlockedCV | KFoldCV | None,
    discount: Discount | None,
) -> Evaluation:
    if task is not None:
        raise ValueError(f"{file} names no tasks, but task {task!r} was asked for; leave it out")
    if not document:
        raise ValueError(f"{file} holds no models, but should hold a mapping of model to counts")
    models = {read_label(name, "model", f"{file}"): value for name, value in document.items()}
    if len(models) < len(document):
        raise ValueError(f"{file} has two models whose names differ in blanks alone; rename one")
    with located(file):
        refuse_reports(models)
    if cv is not None:
        with located(file):
            return from_folds(models, cv=cv, discount=discount)
    for name, value in models.items():
        counts = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(counts, list) or any(isinstance(entry, list | dict) for entry in counts):
            raise ValueError(
                f"{file}, model {name!r}, has {shown(value)} where one table such as [tp, fp, fn] belongs; "
                "tables of folds need a cv, such as 3x2"
            )
    if discount is not None:
        raise ValueError(f"{file} has no folds, so a discount does not apply; leave it out or give a cv")
    with located(file):
        return from_counts(models)


def _choose_task(tasks: Tasks, layout: Layout, file: InputFile, task: str | None) -> dict[str, Tables]:
    if "task" not in layout.labels:
        if task is not None:
            raise ValueError(f"{file} has no column 'task', but task {task!r} was asked for; leave it out")
        return tasks[""]
    if task is None and len(tasks) > 1:
        raise ValueError(f"{file} has several tasks ({listing(tasks)}); choose one by task")
    if task is not None and task not in tasks:
        raise ValueError(f"{file} has no task {task!r}; {nearest(str(task), tasks)}")
    return tasks[task] if task is not None else next(iter(tasks.values()))


def _arrange_folds(
    models: dict[str, Tables], file: InputFile, cv: BlockedCV | KFoldCV | None
) -> tuple[dict[str, FloatArray], BlockedCV | KFoldCV]:
    """Return each model's tables repeat by repeat, and the design."""
    spots = {spot for tables in models.values() for spot in tables}
    found = (len({repeat for repeat, _ in spots}), max(2, len({fold for _, fold in spots})))
    design = design_of(*found) if cv is None else cv
    repeats, folds = design.shape
    has = f"{repeats}×{folds} cross-validation has repeats 1 to {repeats} with folds 1 to {folds}"
    for name, tables in models.items():
        for (repeat, fold), (_, where) in tables.items():
            if repeat > repeats or fold > folds:
                raise ValueError(
                    f"{file}, {where}, has repeat {repeat}, fold {fold} of model {name!r}, but {has}"
                )
        for repeat, fold in product(range(1, repeats + 1), range(1, folds + 1)):
            if (repeat, fold) not in tables:
                raise ValueError(f"{file} has no repeat {repeat}, fold {fold} of model {name!r}, but {has}")
    ordered = {name: [tables[spot][0] for spot in sorted(tables)] for name, tables in models.items()}
    return {name: np.array(tables) for name, tables in ordered.items()}, design


def _read_request(request: Request) -> Evaluation:
    if request.models or request.alone is None:
        raise ValueError("counts of all models come in one file, with a column 'model'; name it alone")
    options, cv = request.options, request.options.get("cv")
    cv = read_design(cv) if isinstance(cv, str) else cv
    return _read(request.alone.file, options.get("task"), cv, options.get("discount"))


def _holds_counts(file: InputFile, options: Mapping[str, Any]) -> bool:
    """Whether columns or keys are those of counts, and no option asks for a table of something else."""
    if not file.lines or options.keys() & {"gold", "correct", "scores", "prediction"}:
        return False
    first = next((line for line in file.lines if line.strip() and not line.lstrip().startswith("#")), "")
    if first.lstrip().startswith("{"):
        return _MAPPING.match("".join(file.lines)[:4000]) is not None
    if first.lstrip().startswith("["):
        text = "".join(file.lines)[:4000]
        return '"model"' in text and sum(f'"{name}"' in text for name in COUNT_COLUMNS) > 2
    separator = max(",;\t", key=first.count)
    names = {name.strip().strip('"').lower() for name in first.split(separator)}
    return len(names & set(COUNT_COLUMNS)) > 1


def _tasks(place: Place) -> Iterable[str]:
    found = collect(place.file)
    return () if isinstance(found, dict) or "task" not in found[0].labels else found[1]


COUNTS = Format(
    "counts",
    "a table of counts (CSV or JSON: model and tp, fp, fn, or gold, predicted, correct)",
    _holds_counts,
    ("task", "cv", "discount"),
    _read_request,
    tasks=_tasks,
)
