"""Evaluations that come with the package."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from importlib import resources

import numpy as np

from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import check_known
from bayesf1.designs import BlockedCV
from bayesf1.evaluation import Evaluation
from bayesf1.io.counts import read_counts
from bayesf1.io.labels import from_confusion
from bayesf1.io.tags import SpanTable, from_span_table

_FOLDER = resources.files("bayesf1") / "examples"


def _wang_li(task: str) -> Evaluation:
    with resources.as_file(_FOLDER / "wang_li_2019.csv") as path:
        return read_counts(InputFile.of(path), task, BlockedCV(3), None)


def _read_rows(name: str) -> list[list[str]]:
    """Return the rows of a table, its header first."""
    return list(csv.reader((_FOLDER / name).read_text(encoding="utf-8").splitlines()))


def _wnut17() -> Evaluation:
    # Columns: sentence (from 1), type, then 0 or 1 for gold and for each system.
    header, *rows = _read_rows("wnut17.csv")
    sentence = np.array([int(row[0]) - 1 for row in rows])
    types, type_of_span = np.unique([row[1] for row in rows], return_inverse=True)
    marked = np.array([row[2:] for row in rows]) == "1"
    systems = tuple(header[3:])
    n_sentences = int(sentence.max()) + 1
    spans = SpanTable(sentence, type_of_span, marked, tuple(types.tolist()), systems, n_sentences)
    return from_span_table(spans)


def _sleep_stages() -> Evaluation:
    header, *rows = _read_rows("sleep_stages.csv")
    matrix = np.array([row[1:] for row in rows], dtype=float)
    return from_confusion({"MNN": matrix}, labels=header[1:])


EXAMPLES: dict[str, Callable[[], Evaluation]] = {
    "wang-li-cws": partial(_wang_li, "CWS"),
    "wang-li-ner": partial(_wang_li, "NER"),
    "wang-li-org": partial(_wang_li, "ORG"),
    "wnut17": _wnut17,
    "sleep-stages": _sleep_stages,
}


def load_example(name: str) -> Evaluation:
    """Return a packaged example.

    Parameters
    ----------
    name
        ``"wang-li-cws"``, ``"wang-li-ner"`` or ``"wang-li-org"``: the six folds of Wang & Li's experiments on
        Chinese word segmentation, named entities, and organisations; the paper's model A comes first.
        ``"wnut17"``: which of seven systems found which entity of the WNUT 2017 test set.
        ``"sleep-stages"``: the confusion matrix of a neural network that tells five stages of sleep apart.

    Examples
    --------
    >>> load_example("wang-li-org")
    <Evaluation of 2 models (IOB2, IOBES) on cells tp, fp, fn, totals only, 3×2 BCV, discount 0.3688>
    >>> load_example("wnut17").models
    ('UH-RiTUAL', 'SpinningBytes', 'SJTU-Adapt', 'Arcada', 'FLYTXT', 'MIC-CIS', 'Drexel-CCI')
    >>> load_example("sleep-stages")
    <Evaluation of 1 model (MNN) on 5 classes (W, N1, N2, N3, REM), totals only>

    References
    ----------
    Wang & Li (2019), *Bayes test of precision, recall, and F1 measure*, ACL, Tables 2-5.
    Derczynski, Nichols, van Erp & Limsopatham (2017), *Results of the WNUT2017 shared task on novel and
    emerging entity recognition*, W-NUT; CC BY 4.0.
    Takahashi, Yamamoto, Kuchiba & Koyama (2022), *Confidence interval for micro-averaged F1 and macro-averaged F1
    scores*, Applied Intelligence 52, Appendix D; CC BY 4.0.
    """
    check_known(name, "example", EXAMPLES)
    return EXAMPLES[name]()
