"""What the files named on a command line hold: counts, predictions in columns, or tags in column files."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesf1.base.errors import located
from bayesf1.base.naming import listing, nearest
from bayesf1.base.text_files import BOM, MAX_LINE_BYTES, decode
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.files import read_counts
from bayesf1.reading.frames import from_frame
from bayesf1.reading.records import read_number
from bayesf1.reading.score_columns import from_scores
from bayesf1.reading.spans import from_conll

if TYPE_CHECKING:
    import pandas as pd


def read_predictions(
    path: str | Path,
    *,
    gold: str,
    columns: Sequence[str] | None = None,
    group: str | None = None,
    positive: str | None = None,
) -> Evaluation:
    r"""Read a table of predictions: one item a row, a column of gold labels and one for each model.

    It is CSV in UTF-8 with a header; commas, semicolons or tabs separate. `columns` are the models', by default
    all but gold and group; otherwise as in `from_frame`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.csv")
    ...     size = path.write_text("label,crf,bert\nyes,no,yes\nno,no,no\nyes,yes,yes\nno,yes,no\n")
    ...     read_predictions(path, gold="label").tables
    array([[1., 1., 1., 1.], [2., 0., 0., 2.]])
    """
    path = Path(path)
    header, separator = _header(path)
    document = [] if group is None else [group]
    _check_columns([gold, *document, *(columns or ())], header, path)
    models = list(columns or (c for c in header if c not in (gold, group)))
    if not models:
        raise ValueError(f"{path} has no column of predictions beside {gold!r}; it has {listing(header)}")
    frame = _frame(path, separator, [gold, *models, *document])
    known = set(frame[gold].cat.categories)
    for model in models:
        if known.isdisjoint(frame[model].cat.categories):
            example = str(frame[model].cat.categories[0])
            raise ValueError(
                f"{path}, column {model!r}, has values like {example!r:.40}, none of which is a gold label; "
                "name the columns of predictions by --columns"
            )
    with located(path):
        return from_frame(frame, gold=gold, models=models, positive=positive, group=group)


def read_scores(
    path: str | Path, *, columns: Sequence[str] | None = None, scored: str = "", unit: str = "query"
) -> Evaluation:
    r"""Read a table of scores: one query or document a row, a column for each model.

    `columns` are by default all that hold numbers; `scored` and `unit` are what scores and rows are called.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     size = path.write_text("query,bm25,dense\nq1,0.2,0.4\nq2,0.5,0.5\n")
    ...     read_scores(path, scored="NDCG")
    <Evaluation of 2 models (bm25, dense) on NDCG, 2 queries in 2 patterns>
    """
    path = Path(path)
    header, separator = _header(path)
    _check_columns(columns or (), header, path)
    frame = _frame(path, separator, list(columns or header))
    found: dict[str, list[float]] = {}
    for column in frame.columns:
        values = [read_number(str(value)) for value in frame[column]]
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(values):
            found[column] = numbers
        elif columns is not None or len(numbers) > len(values) / 2:
            row = values.index(None)
            raise ValueError(
                f"{path}, row {row + 1}, has {frame[column].iloc[row]!r} in column {column!r}, no number"
            )
    if not found:
        raise ValueError(f"{path} has no column of scores; it has {listing(header)}")
    return from_scores(found, name=scored, unit=unit)


def _header(path: Path) -> tuple[list[str], str]:
    with path.open("rb") as stream:
        raw = stream.readline(MAX_LINE_BYTES).removeprefix(BOM)
    line = decode(raw, f"{path}, line 1,", "is not UTF-8").rstrip("\r\n")
    if not line.strip():
        raise ValueError(f"{path} begins with an empty line; the names of its columns belong there")
    separator = max(",;\t", key=line.count)
    header = [name.strip() for name in next(csv.reader([line], delimiter=separator))]
    for name in header:
        if header.count(name) > 1:
            raise ValueError(f"{path}, line 1, names column {name!r} twice; rename one")
    return header, separator


def _check_columns(wanted: Sequence[str], header: Sequence[str], path: Path) -> None:
    for column in wanted:
        if column not in header:
            raise ValueError(f"{path} has no column {column!r}; {nearest(str(column), header)}")


def _frame(path: Path, separator: str, columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    try:
        # Categories hold each label once, so that memory grows by a byte or two a cell.
        frame = pd.read_csv(
            path,
            sep=separator,
            dtype="category",
            na_filter=False,
            encoding="utf-8-sig",
            skipinitialspace=True,
            index_col=False,
        ).rename(columns=str.strip)[columns]
    except (ValueError, KeyError, pd.errors.ParserError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not a table with one item a row: {reason}") from None
    if frame.empty:
        raise ValueError(f"{path} has no rows below its header; there is nothing to compare the models on")
    for column in columns:
        empty = (frame[column] == "").to_numpy()
        if empty.any():
            raise ValueError(
                f"{path}, row {int(empty.argmax()) + 1}, has no value in column {column!r}; fill or drop it"
            )
    return frame


def read_sources(
    files: Sequence[str],
    *,
    counts: Mapping[str, Any],
    predictions: Mapping[str, Any],
    tags: Mapping[str, Any],
    scores: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Read what was named: ``counts.csv``, ``predictions.csv`` with ``gold``, or ``gold.conll a=a.conll …``.

    Column files that have gold and predicted tags in their last two columns need no gold file. The mappings are
    those options that were given of `read_counts`, `read_predictions`, `from_conll` and, for a file of scores,
    `read_scores`.
    """
    if scores is not None:
        if len(files) != 1:
            raise ValueError(f"scores come in one file, a column for each model, not in {len(files)}")
        return read_scores(files[0], **scores)
    given = {"counts": counts, "predictions": predictions, "tags": tags}
    named = [name_and_path(file) for file in files]
    if len(files) == 1 and named[0] is None:
        if "gold" in predictions:
            _refuse(given, "predictions", files[0])
            return read_predictions(files[0], **predictions)
        _refuse(given, "counts", files[0])
        return read_counts(files[0], **counts)
    _refuse(given, "tags", "column files")
    models: dict[str, str] = {}
    for file, pair in zip(files, named, strict=True):
        if pair is None:
            if file is not files[0]:
                raise ValueError(f"{file!r} has no name; write name={file} for a model's file")
            continue
        if pair[0] in models:
            raise ValueError(f"model {pair[0]!r} is given twice")
        models[pair[0]] = pair[1]
    return from_conll(files[0] if named[0] is None else None, models, **tags)


def name_and_path(text: str) -> tuple[str, str] | None:
    """Return the parts of ``name=path``; None for the path of a file alone, which may hold an equals sign."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and name.strip() and path and not Path(text).exists() else None


def _refuse(given: Mapping[str, Mapping[str, Any]], kind: str, what: str) -> None:
    """Say which options do not go with this kind of input."""
    for other, options in given.items():
        misplaced = [name for name in options if other != kind and name not in given[kind]]
        if misplaced:
            raise ValueError(f"--{misplaced[0].replace('_', '-')} does not apply to {what}; leave it out")
