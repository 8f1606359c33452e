"""Evaluations from tag sequences and column files: spans of a sentence are not independent trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.checks import checked
from bayesf1.base.errors import Argument, WordedError, Wording
from bayesf1.base.naming import nearest, shown
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.runs import with_runs_in
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import BINARY_CELLS, Binary
from bayesf1.reading.class_codes import from_typed_spans
from bayesf1.reading.conll import AlignedTags, align_conll
from bayesf1.reading.label_columns import read_groups
from bayesf1.reading.predictions import merge_codes
from bayesf1.reading.tags import SpanTable, TagError, read_spans

_SPAN_CELLS = BINARY_CELLS[:3]
_UNITS = ("sentence", "document")


@checked
@with_runs_in("predictions")
def from_tags(
    gold: Iterable[Sequence[str]],
    predictions: Mapping[str, Iterable[Sequence[str]]],
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    by_type: bool = False,
) -> Evaluation:
    """Build an Evaluation from tag sequences, sentence by sentence: paired and clustered.

    A span counts as found where its type and both its ends are right.

    Parameters
    ----------
    gold
        Gold tags, a list of sentences, each a list of tags such as ``"B-PER"``.
    predictions
        Mapping of model name to its tags, for the same sentences and tokens.
    scheme
        IOB1, IOB2, IOE1, IOE2, IOBES (BIOES), BILOU, BMES or BB2B3MES.
    mode
        ``"lenient"`` reads as conlleval does, so that an ``I-X`` after ``O`` begins a span; ``"strict"``
        drops spans that break the scheme.
    types
        Restricts the evaluation to spans of these types, such as ``["ORG"]``.
    groups
        The document of each sentence; documents are then the units.
    by_type
        Whether to count each type by itself, for ``macro_f1``, ``f1[PER]`` and the like; plain ``f1`` is the
        same either way.

    Examples
    --------
    >>> gold = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    >>> a = [["B-PER", "I-PER", "O"], ["O", "O", "O"]]
    >>> b = [["B-PER", "O", "O"], ["O", "B-LOC", "O"]]
    >>> ev = from_tags(gold, {"A": a, "B": b})
    >>> ev
    <Evaluation of 2 models (A, B) on cells tp, fp, fn, 2 sentences in 2 patterns>
    >>> ev.tables
    array([[1., 0., 1.], [1., 1., 1.]])
    """
    if isinstance(predictions, Mapping):
        model_names(predictions)
    table = read_spans(gold, predictions, scheme=scheme, mode=mode, types=types)
    return from_span_table(table, groups=groups, by_type=by_type)


def from_span_table(
    table: SpanTable, *, groups: ArrayLike | None = None, by_type: bool = False
) -> Evaluation:
    """Build an Evaluation from a table that says who found which span."""
    if not len(table.found):
        raise ValueError("neither gold nor any model has a span; is the tag scheme the right one?")
    if by_type and len(table.types) < 2:
        raise ValueError(f"spans are of one type, {table.types[0]!r}; leave by_type out")
    unit, n = "sentence", table.n_sentences
    if groups is not None:
        labels = read_groups(groups)
        if labels.shape != (n,):
            raise ValueError(
                f"groups have shape {labels.shape}, but there are {n} sentences; give one for each"
            )
        document = np.unique(labels, return_inverse=True)[1].ravel()
        unit, n = "document", int(document.max()) + 1
        table = replace(table, sentence=document[table.sentence], n_sentences=n)
    if by_type:
        return from_typed_spans(table, unit)
    codes = 2 * table.found[:, :1].astype(np.int8) + table.found[:, 1:]
    items = merge_codes(codes, np.ones(len(codes)), len(_SPAN_CELLS))
    units = Units.merge(table.counts().astype(np.float64), np.ones(n), unit)
    return Evaluation.of_units(table.models, Binary(_SPAN_CELLS), units, items)


@checked
@with_runs_in("models")
def from_conll(
    gold: str | PathLike[str] | None,
    models: Mapping[str, str | PathLike[str]],
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    unit: str = "sentence",
    by_type: bool = False,
) -> Evaluation:
    r"""Build an Evaluation from column files: one token a line, its tag in the last column.

    Parameters
    ----------
    gold
        The file with the gold tags, or None where every model's file has gold and predicted tags in its last
        two columns, as conlleval takes them.
    models
        Mapping of model name to its file.
    scheme, mode, types, by_type
        As in `from_tags`.
    unit
        ``"sentence"``, or ``"document"`` for files with ``-DOCSTART-`` lines.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "crf.conll")
    ...     size = path.write_text("In O O\nNew B-LOC B-LOC\nYork I-LOC O\n", encoding="utf-8")
    ...     ev = from_conll(None, {"crf": path})
    >>> ev.tables
    array([[0., 1., 1.]])
    """
    _check_unit(unit)
    for name, path in models.items():
        if not isinstance(path, str | PathLike):
            raise ValueError(f"models must name a file for each, but {shown(name)} has {shown(path)}")
    return from_aligned(
        align_conll(gold, models), scheme=scheme, mode=mode, types=types, unit=unit, by_type=by_type
    )


def from_aligned(
    aligned: AlignedTags,
    *,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    unit: str = "sentence",
    by_type: bool = False,
) -> Evaluation:
    """Build an Evaluation from tags of files that were laid side by side; see `from_conll`."""
    _check_unit(unit)
    if unit == "document" and len(set(aligned.documents)) < 2:
        raise WordedError(
            "the gold file has a single document, as it has no -DOCSTART- lines; use ",
            Wording("unit='sentence'", "--unit sentence"),
        )
    groups = aligned.documents if unit == "document" else None
    try:
        # Not by `from_tags`, whose check of its arguments would take as long as all else: these tags were read as text.
        table = read_spans(aligned.gold, aligned.predictions, scheme=scheme, mode=mode, types=types)
        return from_span_table(table, groups=groups, by_type=by_type)
    except TagError as error:
        where = aligned.sources[error.owner].spot(error.sentence - 1, error.token - 1)
        other = (f"; is it {scheme}? Another scheme is named by ", Argument("scheme"))
        raise WordedError(f"{where}, has tag {error.tag!r}, which {error.complaint}", *other) from None


def _check_unit(unit: str) -> None:
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r}; {nearest(str(unit), _UNITS)}")
