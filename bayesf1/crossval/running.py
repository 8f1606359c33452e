"""Cross-validation run here: fit every model on every fold, and keep what each unit adds."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from operator import add
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.crossval.kept_fits import Fit, Indices, Store, check_kept, digest_of, plain_json
from bayesf1.designs.design import BlockedCV, Discount
from bayesf1.evaluation.evaluation import Evaluation, model_names
from bayesf1.evaluation.folds import Folds
from bayesf1.reading.label_columns import distinct_labels, find_classes, guess_positive, read_labels
from bayesf1.reading.predictions import from_labels
from bayesf1.reading.spans import from_tags


class FitError(RuntimeError):
    """A model failed to fit or to predict; the message names model, repeat and fold."""


def cross_validate(
    models: Mapping[str, Any],
    X: Any,
    y: Sequence[Any],
    *,
    cv: BlockedCV | None = None,
    discount: Discount = "wang-li",
    positive: Any = None,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int = 1,
    directory: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Evaluation:
    r"""Fit and test models in block-regularised m×2 cross-validation.

    Every unit is tested once in each repeat, by a model fitted on the other half. What it adds enters with
    the weight k of the discount, paired across models.

    Parameters
    ----------
    models
        Mapping of name to a scikit-learn estimator (which is copied for each fit), or to a function
        ``fit(X_train, y_train)`` that returns a predictor: an object with ``predict``, or a function of X.
    X
        What the models read, one entry for each unit: a list, array, sparse matrix or data frame.
    y
        Gold labels, one for each unit, or gold tag sequences, one for each sentence.
    cv
        The design; ``BlockedCV(m=3)`` by default. Its partition is balanced in the labels.
    discount
        What the correlated folds are worth; see `BlockedCV.discount`.
    positive
        As in `from_labels`, for labels.
    scheme, mode, types
        As in `from_tags`, for tag sequences.
    groups
        The document of each unit; documents are kept whole by the partition and are the units of inference.
    n_jobs
        Number of workers, by joblib; -1 for all processors. A joblib backend set by ``parallel_config``
        (dask, ray) is used.
    directory
        Where finished fits are kept, so that an interrupted run resumes where it stopped. Fits are known by
        X, y, groups, the design, the model's name and, for an estimator, its parameters: a *function* that does
        something else needs another name or another directory.
    progress
        Whether to show a progress bar on a terminal.

    Returns
    -------
    Evaluation
        Paired (clustered for tag sequences and with `groups`), with folds and discount.

    Raises
    ------
    FitError
        If a model fails; finished fits stay in `directory`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = (x + rng.normal(size=200) > 0).astype(int)
    >>> def threshold(at):
    ...     return lambda X_train, y_train: lambda X_test: (X_test > at).astype(int)
    >>> ev = cross_validate({"low": threshold(-1), "mid": threshold(0)}, x, y, cv=BlockedCV(m=3, rng=0))
    >>> ev.assumption, ev.folds.counts.shape
    ('paired', (3, 2, 2, 4))
    """
    names = model_names(models)
    cv = BlockedCV(m=3) if cv is None else cv
    if not isinstance(cv, BlockedCV):
        raise ValueError(f"cv must be a BlockedCV such as BlockedCV(m=3), not {cv!r}")
    k = cv.discount(discount)
    n = len(y)
    if n == 0:
        raise ValueError("y is empty; there is nothing to cross-validate on")
    first = y.iloc[0] if hasattr(y, "iloc") else y[0]
    tagged = not isinstance(first, str | bytes) and isinstance(first, Sequence | np.ndarray)
    if (entries := X.shape[0] if hasattr(X, "shape") else len(X)) != n:
        raise ValueError(f"X has {entries} entries, but y has {n}; give one of each for every unit")
    if not tagged and positive is None and len(known := distinct_labels([read_labels(y, "y")])) <= 2:
        # What gold says is positive stays so, whatever else a model may say.
        positive = guess_positive(known)
    store = None
    if directory is not None:
        check_kept(y)
        data = digest_of(cv.m, X, y, groups, cv.balance)
        store = Store(Path(directory), data, cv.rng)
    tests = None if store is None else store.load_partition()
    if tests is None:
        tests = [test for _, test in cv.split(np.zeros(n), None if tagged else y, groups)][::2]
        if store is not None:
            tests = store.agree_on(tests)
    halves = [(np.sort(test), np.setdiff1d(np.arange(n), test)) for test in tests]
    fits = [
        Fit(name, repeat, fold, pair[2 - fold], pair[fold - 1])
        for repeat, pair in enumerate(halves, 1)
        for fold in (1, 2)
        for name in names
    ]

    classes: list[Any] | None = None

    def evaluate(rows: Indices, predictions: Mapping[str, Sequence[Any]], by_group: bool) -> Evaluation:
        gold = _take(y, rows)
        own = {name: _take(predictions[name], rows) for name in names}
        some_groups = None if groups is None or not by_group else np.asarray(groups)[rows]
        if tagged:
            return from_tags(gold, own, scheme=scheme, mode=mode, types=types, groups=some_groups)
        return from_labels(gold, own, positive=positive, groups=some_groups, labels=classes)

    # What is wrong with the gold labels is better known before the fits than after.
    everything = np.arange(n)
    evaluate(everything, dict.fromkeys(names, y), True)
    said: list[dict[str, list[Any]]] = [{name: [None] * n for name in names} for _ in halves]
    for fit, labels in _run(fits, models, X, y, n_jobs=n_jobs, store=store, progress=progress):
        for i, label in zip(fit.test, labels, strict=True):
            said[fit.repeat - 1][fit.model][i] = label
    if not tagged and positive is None:
        # Every fold has the same classes, also those that occur in one of them only.
        columns = [read_labels(column, f"predictions of {m!r}") for one in said for m, column in one.items()]
        gold = read_labels(y, "y")
        classes = find_classes(None, distinct_labels([gold]), distinct_labels([gold, *columns]))
    total = reduce(add, (evaluate(everything, predictions, True).scaled(k) for predictions in said))
    counts = [
        [evaluate(half, predictions, False).tables for half in pair]
        for pair, predictions in zip(halves, said, strict=True)
    ]
    return replace(total, folds=Folds(np.array(counts), cv, discount, k))


def _run(
    fits: list[Fit],
    models: Mapping[str, Any],
    X: Any,
    y: Sequence[Any],
    *,
    n_jobs: int,
    store: Store | None,
    progress: bool,
) -> Iterator[tuple[Fit, list[Any]]]:
    todo = []
    for fit in fits:
        kept = None if store is None else store.load(fit, models[fit.model])
        if kept is None:
            todo.append(fit)
        else:
            yield fit, kept
    tasks = (
        (fit, models[fit.model], _take(X, fit.train), _take(y, fit.train), _take(X, fit.test)) for fit in todo
    )
    results: Iterable[tuple[Fit, list[Any]]]
    if n_jobs == 1:
        results = (_fit_one(*task) for task in tasks)
    else:
        from joblib import Parallel, delayed

        run = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        results = run(delayed(_fit_one)(*task) for task in tasks)
    with _bar(len(fits), len(fits) - len(todo), progress) as advance:
        for fit, labels in results:
            if store is not None:
                store.save(fit, models[fit.model], labels)
            advance()
            yield fit, labels


def _fit_one(fit: Fit, model: Any, X_train: Any, y_train: Any, X_test: Any) -> tuple[Fit, list[Any]]:
    try:
        if hasattr(model, "fit") and hasattr(model, "predict"):
            predictor = copy.deepcopy(model)
            predictor.fit(X_train, y_train)
        elif callable(model):
            predictor = model(X_train, y_train)
        else:
            raise TypeError(
                "a model is an estimator with fit and predict, or a function of X_train and y_train"
            )
        predict = getattr(predictor, "predict", predictor)
        labels = [plain_json(label) for label in predict(X_test)]
    except Exception as error:
        raise FitError(f"{fit} failed: {type(error).__name__}: {error}") from error
    if len(labels) != len(fit.test):
        raise FitError(f"{fit} predicted {len(labels)} units, but was given {len(fit.test)}")
    return fit, labels


def _take(values: Any, rows: Indices) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[i] for i in rows]


@contextmanager
def _bar(total: int, done: int, progress: bool) -> Iterator[Any]:
    import sys

    if not progress or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("fitting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("fitting", total=total, completed=done)
        yield lambda: bar.advance(task)
