"""What the files named on a command line hold: counts, predictions in columns, or tags in column files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import located
from bayesf1.base.naming import listing
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.files import read_counts
from bayesf1.reading.frames import from_frame
from bayesf1.reading.records import read_number
from bayesf1.reading.score_columns import from_scores
from bayesf1.reading.spans import from_conll
from bayesf1.reading.text_tables import check_columns, read_columns, read_header


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
    import pandas as pd

    path = Path(path)
    header, _ = read_header(path)
    document = [] if group is None else [group]
    check_columns([gold, *document, *(columns or ())], header, path)
    models = list(columns or (c for c in header if c not in (gold, group)))
    if not models:
        raise ValueError(f"{path} has no column of predictions beside {gold!r}; it has {listing(header)}")
    found = read_columns(path, [gold, *models, *document])
    for model in models:
        if set(found[gold].labels).isdisjoint(found[model].labels):
            raise ValueError(
                f"{path}, column {model!r}, has values like {found[model].labels[0]!r:.40}, none of which is a gold label; "
                "name the columns of predictions by --columns"
            )
    # Categories hold each label once, so that memory grows by a byte or two a cell.
    frame = pd.DataFrame(
        {name: pd.Categorical.from_codes(c.codes, pd.Index(c.labels)) for name, c in found.items()}
    )
    with located(path):
        return from_frame(frame, gold=gold, models=models, positive=positive, group=group)


def read_scores(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    scored: str = "",
    unit: str = "query",
    lower_is_better: bool = False,
) -> Evaluation:
    r"""Read a table of scores: one query or document a row, a column for each model.

    `columns` are by default all that hold numbers; `scored` and `unit` are what scores and rows are called. Scores that
    are all 0 or 1, or true or false, are items right or wrong, as in `from_scores`.

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
    header, _ = read_header(path)
    found: dict[str, FloatArray] = {}
    spelled = set()
    for name, (labels, codes) in read_columns(path, list(columns or header)).items():
        values = np.array([_score(label) for label in labels])[codes]
        strange = np.isnan(values)
        if columns is None and len(values) > 2 and np.array_equal(values - values[0], np.arange(len(values))):
            raise ValueError(
                f"{path}, column {name!r}, numbers the rows; name the models' columns by --columns"
            )
        if not strange.any():
            found[name] = values
            spelled |= {name} if read_number(labels[0]) is None else set()
        elif columns is not None or strange.mean() < 0.5:
            row = int(np.argmax(strange))
            raise ValueError(
                f"{path}, row {row + 1}, has {labels[codes[row]]!r} in column {name!r}, no number"
            )
    if columns is None and not all(np.isin(values, (0.0, 1.0)).all() for values in found.values()):
        # Beside amounts, true and false say something of the row, not of a model.
        found = {name: values for name, values in found.items() if name not in spelled}
    if not found:
        raise ValueError(f"{path} has no column of scores; it has {listing(header)}")
    with located(path):
        return from_scores(found, name=scored, unit=unit, lower_is_better=lower_is_better)


def _score(text: str) -> float:
    """Return the number in a cell, 1 and 0 for true and false, or NaN."""
    found = {"true": 1.0, "false": 0.0}.get(text.strip().lower(), read_number(text))
    return math.nan if found is None else found


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
    models: dict[str, Any] = {}
    for file, pair in zip(files, named, strict=True):
        if pair is None:
            if file is not files[0]:
                raise ValueError(f"{file!r} has no name; write name={file} for a model's file")
            continue
        models.setdefault(pair[0], []).append(pair[1])
    for name, paths in models.items():
        twice = next((path for path in paths if paths.count(path) > 1), None)
        if twice is not None:
            raise ValueError(f"{name}={twice} is given twice; a run of {name!r} is a file of its own")
        # A name that comes again is a method, and its files are its runs.
        models[name] = paths[0] if len(paths) == 1 else {str(i): path for i, path in enumerate(paths, 1)}
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
