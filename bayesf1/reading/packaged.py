"""Packaged examples: experiments of Wang & Li (2019), systems of WNUT 2017, and stages of sleep."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from importlib import resources

import numpy as np

from bayesf1.base.checks import checked
from bayesf1.base.naming import nearest
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.confusion import from_confusion
from bayesf1.reading.count_files import read_counts
from bayesf1.reading.spans import from_span_table
from bayesf1.reading.tags import SpanTable

_FOLDER = resources.files("bayesf1") / "examples"


def _wang_li(task: str) -> Evaluation:
    with resources.as_file(_FOLDER / "wang_li_2019.csv") as path:
        return read_counts(path, task=task)


def _wnut17() -> Evaluation:
    header, *rows = csv.reader((_FOLDER / "wnut17.csv").read_text(encoding="utf-8").splitlines())
    sentence = np.array([int(row[0]) - 1 for row in rows])
    types, kind = np.unique([row[1] for row in rows], return_inverse=True)
    found = np.array([row[2:] for row in rows]) == "1"
    n_sentences = int(sentence.max()) + 1
    return from_span_table(
        SpanTable(sentence, kind, found, tuple(types.tolist()), tuple(header[3:]), n_sentences)
    )


def _sleep_stages() -> Evaluation:
    header, *rows = csv.reader((_FOLDER / "sleep_stages.csv").read_text(encoding="utf-8").splitlines())
    return from_confusion({"MNN": np.array([row[1:] for row in rows], dtype=float)}, labels=header[1:])


EXAMPLES: dict[str, Callable[[], Evaluation]] = {
    "wang-li-cws": partial(_wang_li, "CWS"),
    "wang-li-ner": partial(_wang_li, "NER"),
    "wang-li-org": partial(_wang_li, "ORG"),
    "wnut17": _wnut17,
    "sleep-stages": _sleep_stages,
}


@checked
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
    if not isinstance(name, str) or name not in EXAMPLES:
        raise ValueError(f"unknown example {name!r}; {nearest(str(name), EXAMPLES)}")
    return EXAMPLES[name]()
