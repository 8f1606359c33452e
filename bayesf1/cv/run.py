"""Train and test models in the folds of a cross-validation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.checks import ArrayLike, OneLabel, is_whole
from bayesf1.base.naming import listing, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.cv.splitting import length
from bayesf1.designs import BlockedCV, Discount, KFoldCV
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.folded import Gold, folded

# ---- folds ------------------------------------------------------------------------------------------------


def check_splitter(cv: Any) -> Any:
    """Return a splitter, or the folds of an iterable as a list, or say that it is none.

    Examples
    --------
    >>> check_splitter(None), check_splitter(10)
    (BlockedCV(m=3), KFoldCV(folds=10, repeats=1))
    """
    if cv is None or is_whole(cv):
        return BlockedCV(m=3) if cv is None else KFoldCV(int(cv))
    if not isinstance(cv, str | bytes | bytearray):
        if hasattr(cv, "split"):
            return cv
        if isinstance(cv, Iterable) and getattr(cv, "ndim", True):
            return list(cv)
    raise ValueError(
        f"cv is a design such as BlockedCV(m=3), a splitter or a list of (train, test), not {quoted(cv)}"
    )


def _test_units(fold: Any, n: int, i: int) -> IntArray:
    """Return the units that a fold tests, or say that it does not train on all the others."""
    try:
        train, test = (np.asarray(part) for part in fold)
        if train.dtype.kind == "b":
            train, test = np.flatnonzero(train), np.flatnonzero(test)
    except (TypeError, ValueError):
        train = test = np.zeros((0, 0))
    if any(part.ndim != 1 or part.dtype.kind not in "iu" for part in (train, test)):
        raise ValueError(f"fold {i} of cv is not a pair of indices (train, test)")
    if not len(test) or not np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n)):
        raise ValueError(f"fold {i} of cv must test some of the {n} units and train on all the others")
    return test.astype(np.intp)


def partition_of(cv: Any, n: int, X: Any, y: Sequence[Any] | None, groups: Any) -> IntArray:
    """Return in which fold each of `n` units is tested, axes (repeat, unit), or say what is wrong with the folds.

    Examples
    --------
    >>> partition_of([([2, 3], [0, 1]), ([0, 1], [2, 3])], 4, None, None, None)
    array([[0, 0, 1, 1]])
    """
    repeats: list[IntArray] = []
    times = np.zeros(n, dtype=np.intp)
    for i, pair in enumerate(cv if isinstance(cv, list) else cv.split(X, y, groups), start=1):
        test, done = _test_units(pair, n, i), int(times.min())
        if (times[test] > done).any():
            twice = int(test[np.argmax(times[test] > done)])
            raise ValueError(
                f"fold {i} of cv tests unit {twice} again before every unit was tested once, as by KFold"
            )
        if done == len(repeats):
            repeats.append(np.full(n, i, dtype=np.intp))
        repeats[done][test] = i
        times[test] += 1
    widths = {int(np.ptp(repeat)) + 1 for repeat in repeats}
    if np.ptp(times) or len(widths) != 1:
        raise ValueError(
            f"cv does not test every unit equally often: it has repeats of {listing(map(str, sorted(widths))) or 'no'} folds"
        )
    partition = np.stack([repeat - repeat.min() for repeat in repeats])
    if groups is not None:
        names, first, which = np.unique(np.asarray(groups), return_index=True, return_inverse=True)
        apart = (partition != partition[:, first[which.ravel()]]).any(axis=0)
        if apart.any():
            raise ValueError(
                f"cv divides group {names[which.ravel()[np.argmax(apart)]]!r} between folds; use one such as GroupKFold"
            )
    return partition


def _design(splitter: Any, partition: IntArray) -> BlockedCV | KFoldCV:
    """Return the design of folds; halves of another splitter are block-regularised if they overlap by quarters."""
    if isinstance(splitter, BlockedCV | KFoldCV):
        return splitter
    signs = 1.0 - 2.0 * partition
    balanced = np.abs(np.triu(signs @ signs.T, 1)).max() <= 3.0 and np.abs(signs.sum(axis=1)).max() <= 1.0
    if partition.max() == 1 and balanced:
        return BlockedCV(len(partition))
    return KFoldCV(int(partition.max()) + 1, len(partition))


# ---- fitting ----------------------------------------------------------------------------------------------


class FitError(RuntimeError):
    """A model failed to fit or to predict; the message names model, repeat and fold."""


@dataclass(frozen=True)
class Fit:
    """One model on one fold."""

    model: str
    repeat: int
    fold: int
    train: IntArray
    test: IntArray

    def __str__(self) -> str:
        return f"model {self.model!r}, repeat {self.repeat}, fold {self.fold}"


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
    directory: StrPath | None = None,
) -> Evaluation:
    r"""Fit and test models in cross-validation, block-regularised m×2 where nothing else is asked for.

    Every unit is tested once in each repeat, by a model fitted on the other folds. What it adds enters with
    the weight k of the discount, paired across models; and what it adds to each fold is kept, from which
    ``compare(ev, target="method")`` learns how much training varies.

    Parameters
    ----------
    models
        Mapping of name to a scikit-learn estimator (which is copied for each fit), or to a function
        ``fit(X_train, y_train)`` that returns a predictor: an object with ``predict``, or a function of X. Or to a
        pair of a version and one of these, ``{"A": ("version 2", model)}``, for `directory`.
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
        Where finished fits are kept, so that an interrupted run resumes where it stopped. Fits are known by X, y, the fold,
        the model's name, its parameters and its version, which you change whenever its code changes. Folds must be the
        same each time, so `cv` takes a seed.

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
        raise ValueError(f"n_jobs must be a number of workers, or -1 for all, not {n_jobs}")
    pairs = {name: model for name, model in models.items() if isinstance(model, tuple) and len(model) == 2}
    versions = {name: model[0] for name, model in pairs.items() if isinstance(model[0], str)}
    models = {name: model[1] if name in versions else model for name, model in models.items()}
    for name, model in models.items():
        if not (hasattr(model, "fit") and hasattr(model, "predict")) and not callable(model):
            raise ValueError(
                f"model {quoted(name)} must be an estimator with fit and predict, or a function of X_train and y_train, "
                f'perhaps after a version ("version 2", model), not {quoted(model)}'
            )
    splitter = check_splitter(cv)
    kinds = None if types is None else [*types]
    gold = Gold.read(y, groups, positive, types=kinds, scheme=scheme, mode=mode)
    if length(X, "X") != (n := len(y)):
        raise ValueError(f"X has {length(X, 'X')} entries, but y has {n}")
    if discount is not None and isinstance(splitter, BlockedCV | KFoldCV):
        splitter.discount(discount)
    fit_one = _fit_one if directory is None else KeptFits.of(Path(directory), models, versions)
    balanced = y if gold.reading is None else None
    partition = partition_of(splitter, n, X, balanced, groups)
    if directory is not None and (partition != partition_of(splitter, n, X, balanced, groups)).any():
        raise ValueError(f"directory= needs the same folds each time; give {splitter!r} a seed")
    design = _design(splitter, partition)
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
    predicted: list[dict[str, list[Any]]] = [{name: [None] * n for name in names} for _ in partition]
    given = ((_take(X, fit.train), _take(y, fit.train), _take(X, fit.test)) for fit in fits)
    tasks = ((fit, models[fit.model], *data) for fit, data in zip(fits, given, strict=True))
    for fit, labels in zip(fits, _run(fit_one, tasks, n_jobs), strict=True):
        gold.check(labels, fit)
        for i, label in zip(fit.test, labels, strict=True):
            predicted[fit.repeat - 1][fit.model][i] = label
    return folded(gold, predicted, partition, design, rule)


@dataclass(frozen=True)
class KeptFits:
    """Fits what is not finished, and keeps predictions in a folder: a JSON file each, called after a hash of its data.

    The hash is of training data, test data, name, version, and of the model as far as it can be hashed.
    """

    folder: Path
    known: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path, models: Mapping[str, Any], versions: Mapping[str, str]) -> KeptFits:
        """Return the kept fits of a folder, or say which model cannot be told from others."""
        from joblib import hash as hash_of

        known = {}
        for name, model in models.items():
            if name not in versions:
                raise ValueError(
                    f"directory= needs a version of each model, which you change whenever the model changes; give {name!r} "
                    'as ("version 1", model)'
                )
            try:
                known[name] = versions[name], hash_of(model)
            except (
                Exception
            ):  # a function within another cannot be hashed: its version alone tells it from others
                known[name] = versions[name], None
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, known)

    def __call__(self, fit: Fit, model: Any, *data: Any) -> list[Any]:
        """Return what a fit predicted."""
        from joblib import hash as hash_of

        try:
            path = self.folder / f"{hash_of((fit, self.known[fit.model], data))}.json"
        except Exception as error:
            problem = f"X and y cannot be recognised again ({type(error).__name__}: {error})"
            raise ValueError(f"{problem}; leave directory out") from None
        if path.exists():
            return _kept_labels(path, fit)
        labels = _fit_one(fit, model, *data)
        try:
            text = json.dumps(labels, default=lambda label: label.tolist())
        except (TypeError, AttributeError) as error:
            raise ValueError(f"labels cannot be kept in a file ({error}); leave directory out") from None
        write_atomic(path, text + "\n")
        return labels


def _kept_labels(path: Path, fit: Fit) -> list[Any]:
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, list) or len(labels) != len(fit.test):
        raise ValueError(f"{path} does not hold the {len(fit.test)} predictions of {fit}; delete it")
    return labels


def _run(
    fit_one: Callable[..., list[Any]], tasks: Iterable[tuple[Any, ...]], n_jobs: int
) -> Iterable[list[Any]]:
    """Return what fits predicted, in their order."""
    if n_jobs == 1:
        return (fit_one(*task) for task in tasks)
    from joblib import Parallel, delayed, effective_n_jobs

    # More workers than cores are slower, and hundreds never start.
    workers = min(effective_n_jobs(n_jobs), max(effective_n_jobs(-1), 1))
    found: Iterable[list[Any]] = Parallel(n_jobs=workers, return_as="generator")(
        delayed(fit_one)(*task) for task in tasks
    )
    return found


def _fit_one(fit: Fit, model: Any, X_train: Any, y_train: Any, X_test: Any) -> list[Any]:
    try:
        if hasattr(model, "fit") and hasattr(model, "predict"):
            predictor = copy.deepcopy(model)
            predictor.fit(X_train, y_train)
        else:
            predictor = model(X_train, y_train)
        predict = getattr(predictor, "predict", predictor)
        predicted = predict(X_test)
        labels = predicted.tolist() if hasattr(predicted, "tolist") else [*predicted]
    except Exception as error:
        raise FitError(f"{fit} failed: {type(error).__name__}: {error}") from error
    if len(labels) != len(fit.test):
        raise FitError(f"{fit} predicted {len(labels)} units, but was given {len(fit.test)}")
    return labels


def _take(values: Any, rows: IntArray) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[i] for i in rows]
