"""Train and test models in the folds of a cross-validation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from bayesf1.base.arrays import IntArray
from bayesf1.base.checks import ArrayLike, OneLabel, is_whole
from bayesf1.base.naming import listing, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.cv.splitting import Shaped, length
from bayesf1.designs import BlockedCV, Discount, KFoldCV, is_block_regularised
from bayesf1.evaluation import Evaluation, model_names
from bayesf1.io.folded import Gold, folded


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
    r"""Fit and test models in cross-validation, block-regularised m×2 by default.

    Every unit is tested once in each repeat, by a model fitted on the other folds. Its counts enter with the weight k of
    the discount, paired across models, and are kept for each fold: from these ``compare(ev, target="method")`` estimates
    how much training varies.

    Parameters
    ----------
    models
        Mapping of name to a scikit-learn estimator (which is copied for each fit), or to a function ``fit(X_train,
        y_train)`` that returns a predictor: an object with ``predict``, or a function of X. With `directory`, a name maps
        to a pair of a version and one of these, ``{"A": ("version 2", model)}``.
    X
        The input of the models, one entry for each unit: a list, array, sparse matrix or data frame.
    y
        Gold labels, one for each unit, or gold tag sequences, one for each sentence.
    cv
        The design; ``BlockedCV(m=3)`` by default, whose partition is balanced in the labels. Or `KFoldCV`, a number
        of folds, any splitter of scikit-learn that tests every unit equally often, or a list of (train, test).
    discount
        The discount of correlated folds; see `BlockedCV.discount` and `KFoldCV.discount`.
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
        A folder for finished fits, so that an interrupted run resumes where it stopped. A fit is recognised by X, y,
        the fold, and the model's name, parameters and version, which you change whenever its code changes. Folds must be
        the same each time, so `cv` takes a seed.

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
    learners = {name: _learner(name, model) for name, model in models.items()}
    splitter = check_splitter(cv)
    n = len(y)
    kinds = None if types is None else [*types]
    gold = Gold.read(y, groups, positive, types=kinds, scheme=scheme, mode=mode)
    if length(X, "X") != n:
        raise ValueError(f"X has {length(X, 'X')} entries, but y has {n}")
    if discount is not None and isinstance(splitter, BlockedCV | KFoldCV):
        _check_discount(splitter, discount)
    fit_one: Callable[..., list[Any]] = _fit_one
    if directory is not None:
        fit_one = KeptFits.of(Path(directory), learners)
    # A partition is balanced in labels, but not in sequences of tags.
    labels_to_balance = y if gold.reading is None else None
    partition = partition_of(splitter, n, X, labels_to_balance, groups)
    if directory is not None:
        again = partition_of(splitter, n, X, labels_to_balance, groups)
        if (partition != again).any():
            raise ValueError(f"directory= needs the same folds each time; give {splitter!r} a seed")
    design = recognised_design(splitter, partition)
    rule = design.default_discount if discount is None else discount
    _check_discount(design, rule)
    # Reading gold labels as predictions shows what is wrong with them before anything is fitted.
    gold.evaluate(dict.fromkeys(names, y))

    fits = [
        Fit(name, repeat, fold + 1, np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
        for repeat, fold_of in enumerate(partition, 1)
        for fold in range(design.shape[1])
        for name in names
    ]
    tasks = (
        (fit, learners[fit.model].model, _take(X, fit.train), _take(y, fit.train), _take(X, fit.test))
        for fit in fits
    )
    # One mapping for each repeat: the predictions of each model for all units.
    predicted: list[dict[str, list[Any]]] = [
        {name: [None for _ in range(n)] for name in names} for _ in partition
    ]
    for fit, labels in zip(fits, _run(fit_one, tasks, n_jobs), strict=True):
        gold.check(labels, fit)
        column = predicted[fit.repeat - 1][fit.model]
        for i, label in zip(fit.test, labels, strict=True):
            column[i] = label
    return folded(gold, predicted, partition, design, rule)


class _Learner(NamedTuple):
    """An estimator, or a function that fits, and its version; None if none was given."""

    model: Any
    version: str | None


def _learner(name: str, model: Any) -> _Learner:
    """Return the model to fit, which may be given as a pair of a version and a model."""
    version: str | None = None
    if isinstance(model, tuple) and len(model) == 2 and isinstance(model[0], str):
        version, model = model
    if not _is_estimator(model) and not callable(model):
        raise ValueError(
            f"model {quoted(name)} must be an estimator with fit and predict, or a function of X_train and y_train, "
            f'perhaps after a version ("version 2", model), not {quoted(model)}'
        )
    return _Learner(model, version)


def _is_estimator(model: Any) -> bool:
    """Return whether a model is a scikit-learn estimator, whose methods may depend on its parameters."""
    return all(hasattr(model, method) for method in ("fit", "predict"))


def _check_discount(design: BlockedCV | KFoldCV, discount: Discount) -> None:
    """Raise a ValueError if a design has no such discount."""
    design.discount(discount)


# ---- the folds of any splitter ----------------------------------------------------------------------------


@runtime_checkable
class _Splitter(Protocol):
    """A splitter with scikit-learn's interface."""

    def split(self, X: Any, y: Any, groups: Any) -> Iterable[Any]: ...


def check_splitter(cv: Any) -> Any:
    """Return a splitter, or the folds of an iterable as a list, or raise a ValueError.

    Examples
    --------
    >>> check_splitter(None), check_splitter(10)
    (BlockedCV(m=3), KFoldCV(folds=10, repeats=1))
    """
    if cv is None:
        return BlockedCV(m=3)
    if is_whole(cv):
        return KFoldCV(int(cv))
    # Strings have a method split, too, and an array without axes has ``__iter__``.
    is_value = isinstance(cv, str | bytes | bytearray) or (isinstance(cv, np.ndarray) and cv.ndim == 0)
    if isinstance(cv, _Splitter) and not is_value:
        return cv
    if isinstance(cv, Iterable) and not is_value:
        return list(cv)
    raise ValueError(
        f"cv is a design such as BlockedCV(m=3), a splitter or a list of (train, test), not {quoted(cv)}"
    )


def partition_of(cv: Any, n: int, X: Any, y: Sequence[Any] | None, groups: Any) -> IntArray:
    """Return in which fold each of `n` units is tested, axes (repeat, unit), or raise a ValueError.

    Examples
    --------
    >>> partition_of([([2, 3], [0, 1]), ([0, 1], [2, 3])], 4, None, None, None)
    array([[0, 0, 1, 1]])
    """
    folds = cv if isinstance(cv, list) else cv.split(X, y, groups)
    # One array (unit,) for each repeat, the number of its folds so far, and how often each unit was tested.
    repeats: list[IntArray] = []
    n_folds: list[int] = []
    times = np.zeros(n, dtype=np.intp)
    for number, fold in enumerate(folds, start=1):
        test = _test_units(fold, n, number)
        repeat = int(times.min())
        tested_already = times[test] > repeat
        if tested_already.any():
            twice = int(test[np.argmax(tested_already)])
            raise ValueError(
                f"fold {number} of cv tests unit {twice} again before every unit was tested once, as by KFold"
            )
        if repeat == len(repeats):
            repeats.append(np.zeros(n, dtype=np.intp))
            n_folds.append(0)
        repeats[repeat][test] = n_folds[repeat]
        n_folds[repeat] += 1
        times[test] += 1
    sizes = sorted(set(n_folds))
    if np.ptp(times) or len(sizes) != 1:
        written = listing(map(str, sizes)) if sizes else "no"
        raise ValueError(f"cv does not test every unit equally often: it has repeats of {written} folds")
    partition = np.stack(repeats)
    if groups is not None:
        _check_groups(partition, np.asarray(groups))
    return partition


def _test_units(fold: Any, n: int, number: int) -> IntArray:
    """Return the units that a fold tests; it must train on all other units."""
    try:
        train_part, test_part = fold
        train = _indices(train_part)
        test = _indices(test_part)
    except (TypeError, ValueError):
        raise ValueError(f"fold {number} of cv is not a pair of indices (train, test)") from None
    together = np.sort(np.concatenate([train, test]))
    if not len(test) or not np.array_equal(together, np.arange(n)):
        raise ValueError(f"fold {number} of cv must test some of the {n} units and train on all the others")
    return test


def _indices(part: Any) -> IntArray:
    """Return the indices of units, which may be given as a mask."""
    array = np.asarray(part)
    if array.ndim != 1 or array.dtype.kind not in "biu":
        raise ValueError("indices are whole numbers")
    if array.dtype.kind == "b":
        array = np.flatnonzero(array)
    return array.astype(np.intp)


def _check_groups(partition: IntArray, groups: Any) -> None:
    """Raise a ValueError if a group is divided between folds."""
    names, first, which = np.unique(groups, return_index=True, return_inverse=True)
    which = which.ravel()
    # The fold of the first unit of each unit's group, axes (repeat, unit).
    fold_of_group = partition[:, first[which]]
    divided = (partition != fold_of_group).any(axis=0)
    if divided.any():
        name = names[which[np.argmax(divided)]]
        raise ValueError(f"cv divides group {name!r} between folds; use one such as GroupKFold")


def recognised_design(splitter: Any, partition: IntArray) -> BlockedCV | KFoldCV:
    """Return the design of folds; halvings by another splitter count as block-regularised if they are as balanced."""
    if isinstance(splitter, BlockedCV | KFoldCV):
        return splitter
    if is_block_regularised(partition):
        return BlockedCV(len(partition))
    return KFoldCV(int(partition.max()) + 1, len(partition))


# ---- kept fits --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptFits:
    """Predictions kept in a folder: a call returns the predictions of a fit, and fits only if there are none.

    A fit has a JSON file, whose name is a hash of its training and test data, the name and version of its model, and of
    the model as far as it can be hashed.

    Attributes
    ----------
    folder
        The folder.
    identities
        The version and the hash of each model.
    """

    folder: Path
    identities: Mapping[str, tuple[str, str | None]]

    @classmethod
    def of(cls, folder: Path, learners: Mapping[str, _Learner]) -> KeptFits:
        """Return the kept fits of a folder; each model needs a version."""
        identities = {}
        for name, (model, version) in learners.items():
            if version is None:
                raise ValueError(
                    f"directory= needs a version of each model, which you change whenever the model changes; give {name!r} "
                    'as ("version 1", model)'
                )
            identities[name] = (version, _hash_of_model(model))
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, identities)

    def __call__(self, fit: Fit, model: Any, *data: Any) -> list[Any]:
        """Return the predictions of a fit."""
        from joblib import hash as hash_of

        try:
            path = self.folder / f"{hash_of((fit, self.identities[fit.model], data))}.json"
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


def _hash_of_model(model: Any) -> str | None:
    """Return a hash of a model, or None if it has none: a nested function is recognised by its version alone."""
    from joblib import hash as hash_of

    try:
        return str(hash_of(model))
    except Exception:
        return None


def _kept_labels(path: Path, fit: Fit) -> list[Any]:
    """Return the predictions in a file, or raise a ValueError if it does not hold those of a fit."""
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        labels = None
    if not isinstance(labels, list) or len(labels) != len(fit.test):
        raise ValueError(f"{path} does not hold the {len(fit.test)} predictions of {fit}; delete it")
    return labels


# ---- fits -------------------------------------------------------------------------------------------------


def _run(
    fit_one: Callable[..., list[Any]], tasks: Iterable[tuple[Any, ...]], n_jobs: int
) -> Iterable[list[Any]]:
    """Return the predictions of fits, in their order."""
    if n_jobs == 1:
        return (fit_one(*task) for task in tasks)
    from joblib import Parallel, delayed, effective_n_jobs

    # More workers than cores are slower, and hundreds of them never start. A backend may have no workers yet.
    workers = min(effective_n_jobs(n_jobs), max(effective_n_jobs(-1), 1))
    jobs = (delayed(fit_one)(*task) for task in tasks)
    predicted: Iterable[list[Any]] = Parallel(n_jobs=workers, return_as="generator")(jobs)
    return predicted


def _fit_one(fit: Fit, model: Any, X_train: Any, y_train: Any, X_test: Any) -> list[Any]:
    """Fit one model on one fold, and return its predictions."""
    try:
        if _is_estimator(model):
            estimator = copy.deepcopy(model)
            estimator.fit(X_train, y_train)
            predicted = estimator.predict(X_test)
        else:
            predictor = model(X_train, y_train)
            # Training may return an object with a method predict, as Keras has, or a function.
            predict = predictor.predict if hasattr(predictor, "predict") else predictor
            predicted = predict(X_test)
        labels = predicted.tolist() if isinstance(predicted, _Listable) else [*predicted]
    except Exception as error:
        raise FitError(f"{fit} failed: {type(error).__name__}: {error}") from error
    if len(labels) != len(fit.test):
        raise FitError(f"{fit} predicted {len(labels)} units, but was given {len(fit.test)}")
    return labels


@runtime_checkable
class _Listable(Protocol):
    """An array or a column of a frame."""

    def tolist(self) -> list[Any]: ...


@runtime_checkable
class _Frame(Protocol):
    """A frame or a column of pandas, whose rows are taken by position."""

    @property
    def iloc(self) -> Any: ...


def _take(values: Any, rows: IntArray) -> Any:
    """Return some rows of a list, array, sparse matrix or frame."""
    if isinstance(values, _Frame):
        return values.iloc[rows]
    if isinstance(values, Shaped):
        return values[rows]
    return [values[i] for i in rows]
