"""Cross-validation run here: fit every model on every fold, and keep what each unit adds."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.checks import OneLabel, checked
from bayesf1.base.naming import shown
from bayesf1.crossval.kept_fits import (
    Fit,
    Indices,
    Store,
    check_kept,
    digest_of,
    plain_json,
    splitter_identity,
)
from bayesf1.crossval.outcomes import Gold, folded
from bayesf1.crossval.partitions import check_splitter, design_of, partition_of
from bayesf1.designs.design import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation.evaluation import Evaluation, model_names


class FitError(RuntimeError):
    """A model failed to fit or to predict; the message names model, repeat and fold."""


@checked
def cross_validate(
    models: Mapping[str, Any],
    X: Any,
    y: Sequence[Any],
    *,
    cv: Any = None,
    discount: Discount | None = None,
    positive: OneLabel = None,
    scheme: str = "IOB2",
    mode: str = "lenient",
    types: Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int = 1,
    directory: str | PathLike[str] | None = None,
    progress: bool = True,
) -> Evaluation:
    r"""Fit and test models in cross-validation, block-regularised m×2 where nothing else is asked for.

    Every unit is tested once in each repeat, by a model fitted on the other folds. What it adds enters with
    the weight k of the discount, paired across models; and what it adds to each fold is kept, from which
    ``compare(ev, target="method")`` learns how much training varies.

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
        The design; ``BlockedCV(m=3)`` by default, whose partition is balanced in the labels. Or `KFoldCV`, a number
        of folds, any splitter of scikit-learn that tests every unit equally often, or a list of (train, test).
    discount
        What the correlated folds are worth; see `BlockedCV.discount` and `KFoldCV.discount`.
    positive
        As in `from_labels`, for labels.
    scheme, mode, types
        As in `from_tags`, for tag sequences.
    groups
        The document of each unit; documents are kept whole by the partition and are the units of inference.
    n_jobs
        Number of workers, by joblib, at most one for each processor; -1 for all of them. A joblib backend set by
        ``parallel_config`` (dask, ray) is used.
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
    if n_jobs == 0 or not -(10**6) <= n_jobs <= 10**6:
        raise ValueError(
            f"n_jobs must be a whole number of workers from 1, or -1 for all processors, not {shown(n_jobs)}"
        )
    for name, model in models.items():
        if not (hasattr(model, "fit") and hasattr(model, "predict")) and not callable(model):
            raise ValueError(
                f"model {shown(name)} must be an estimator with fit and predict, or a function of X_train and y_train, not "
                f"{shown(model)}"
            )
    splitter = check_splitter(cv)
    gold = Gold.read(y, groups=groups, positive=positive, types=types, scheme=scheme, mode=mode)
    n = len(y)
    shape = getattr(X, "shape", None)
    if not (shape if shape is not None else hasattr(X, "__len__")):
        raise ValueError(f"X must have an entry for each of {n} units, not be {shown(X)}")
    if (entries := X.shape[0] if shape is not None else len(X)) != n:
        raise ValueError(f"X has {entries} entries, but y has {n}; give one of each for every unit")
    if discount is not None and isinstance(splitter, BlockedCV | KFoldCV):
        splitter.discount(discount)
    store = None
    if directory is not None:
        check_kept(y)
        data = digest_of(splitter_identity(splitter), X, y, groups)
        store = Store(Path(directory), data, getattr(splitter, "rng", None))
    partition = None if store is None else store.load_partition(n)
    if partition is None:
        partition = partition_of(splitter, n, X, gold.labels, groups)
        if store is not None:
            partition = store.agree_on(partition)
    design = design_of(splitter, partition)
    rule = design.default_discount if discount is None else discount
    design.discount(rule)
    fits = [
        Fit(name, repeat, k + 1, np.flatnonzero(fold != k), np.flatnonzero(fold == k))
        for repeat, fold in enumerate(partition, 1)
        for k in range(design.shape[1])
        for name in names
    ]
    # What is wrong with the gold labels is better known before the fits than after.
    gold.evaluate(dict.fromkeys(names, y))
    said: list[dict[str, list[Any]]] = [{name: [None] * n for name in names} for _ in partition]
    for fit, labels in _run(fits, models, X, gold, n_jobs=n_jobs, store=store, progress=progress):
        for i, label in zip(fit.test, labels, strict=True):
            said[fit.repeat - 1][fit.model][i] = label
    return folded(gold, said, partition, design, rule)


def _run(
    fits: list[Fit],
    models: Mapping[str, Any],
    X: Any,
    gold: Gold,
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
        (fit, models[fit.model], _take(X, fit.train), _take(gold.y, fit.train), _take(X, fit.test))
        for fit in todo
    )
    results: Iterable[tuple[Fit, list[Any]]]
    if n_jobs == 1:
        results = (_fit_one(*task) for task in tasks)
    else:
        from joblib import Parallel, delayed, effective_n_jobs

        # More workers than fits or cores are slower, and hundreds never start.
        workers = min(effective_n_jobs(n_jobs), max(len(todo), 1), max(effective_n_jobs(-1), 1))
        run = Parallel(n_jobs=workers, return_as="generator_unordered")
        results = run(delayed(_fit_one)(*task) for task in tasks)
    with _bar(len(fits), len(fits) - len(todo), progress) as advance:
        for fit, labels in results:
            gold.check(labels, fit)
            if store is not None:
                store.save(fit, models[fit.model], labels)
            advance()
            yield fit, labels


def _fit_one(fit: Fit, model: Any, X_train: Any, y_train: Any, X_test: Any) -> tuple[Fit, list[Any]]:
    try:
        if hasattr(model, "fit") and hasattr(model, "predict"):
            predictor = copy.deepcopy(model)
            predictor.fit(X_train, y_train)
        else:
            predictor = model(X_train, y_train)
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
