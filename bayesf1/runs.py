"""Runs of one method that was trained several times, given as nested mappings, dotted names or lists."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, number_of, quoted

if TYPE_CHECKING:
    from bayesf1.evaluation import Evaluation


# Keys by which averages are recognised, those of scikit-learn and of lm-evaluation-harness.
_REPORT = frozenset(("precision", "recall", "f1-score", "support"))
_HARNESS = frozenset(("results", "versions", "n-shot"))

F = TypeVar("F", bound=Callable[..., Any])


class Method(NamedTuple):
    """A way of training, and the models that were trained in this way."""

    name: str
    runs: tuple[str, ...]

    @property
    def is_model(self) -> bool:
        """Whether it is a single model under its own name, and not a run of a method."""
        return self.runs == (self.name,)

    def __str__(self) -> str:
        return f"{self.name}: {number_of(len(self.runs), 'run')}"


def methods_of(runs: Mapping[str, Iterable[str]], models: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods that runs belong to, in the order of the models; a model that is not a run is a method by itself.

    Examples
    --------
    >>> methods_of({"bert": ["b1", "b2"]}, ["crf", "b1", "b2"])
    (Method(name='crf', runs=('crf',)), Method(name='bert', runs=('b1', 'b2')))
    """
    if not runs:
        raise ValueError("no runs are given; name those of a method, as {'bert': ['bert-1', 'bert-2']}")
    owner: dict[str, str] = {}
    for method, named in runs.items():
        members = [] if isinstance(named, str) or not isinstance(named, Iterable) else [*named]
        if not members or not isinstance(method, str) or not method.strip():
            raise ValueError(
                f"runs of a method are a list of its models, as {{'bert': ['bert-1', 'bert-2']}}, not "
                f"{quoted(method)}: {quoted(named)}"
            )
        for model in members:
            if model not in models:
                raise ValueError(
                    f"run {model!r} of {quoted(method)} is not a model of this evaluation; {nearest(str(model), models)}"
                )
            if model in owner:
                raise ValueError(f"model {model!r} is a run of {owner[model]!r} already; name each run once")
            owner[model] = method
    for model in models:
        if model not in owner and model in runs:
            raise ValueError(
                f"{model!r} names both a method and a model that is not one of its runs; rename one of them"
            )
    grouped: dict[str, list[str]] = {}
    for model in models:
        grouped.setdefault(owner.get(model, model), []).append(model)
    return tuple(Method(name, tuple(members)) for name, members in grouped.items())


def averages(methods: Sequence[Method], models: Sequence[str]) -> FloatArray:
    """Return the matrix (model, method) that takes the runs' scores to the means of their methods."""
    matrix = np.zeros((len(models), len(methods)))
    for j, method in enumerate(methods):
        matrix[[models.index(run) for run in method.runs], j] = 1.0 / len(method.runs)
    return matrix


def dotted_runs(models: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of models with names like ``bert.1`` and ``bert.2``, by method.

    Examples
    --------
    >>> dotted_runs(["bert.1", "bert.2", "crf"])
    {'bert': ['bert.1', 'bert.2'], 'crf': ['crf']}
    """
    runs: dict[str, list[str]] = {}
    for model in models:
        method, _, _ = model.rpartition(".")
        if not method:
            method = model
        runs.setdefault(method, []).append(model)
    if len(runs) == len(models):
        raise ValueError(
            f"no two of {', '.join(models[:6])} are runs of one method; call them after it, as bert.1 and bert.2"
        )
    return runs


# A mapping with these keys holds the counts of one model, and not its runs.
_CELLS = frozenset(("tp", "fp", "fn", "tn", "gold", "predicted", "correct"))


def is_counted(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping holds counts by the names of their cells, or numbers by other names."""
    if _CELLS.issuperset(str(key).strip().lower() for key in value):
        return True
    return all(isinstance(number, float | int | np.number) for number in value.values())


def is_by_id(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has a number, label or set of labels for each item, rather than columns of them.

    Examples
    --------
    >>> is_by_id({"doc1": "spam", "doc2": "ham"}), is_by_id({"seed1": ["spam", "ham"]})
    (True, False)
    """
    return all(
        isinstance(entry, str | bytes | set | frozenset) or not isinstance(entry, Sized)
        for entry in value.values()
    )


def flatten(
    models: Mapping[str, Any], is_one_model: Callable[[Mapping[Any, Any]], bool] = is_counted
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return a nested mapping {method: {run: data}} as a mapping of models, and the models of each method.

    A mapping that is the data of one model, according to `is_one_model`, is left as it is.

    Examples
    --------
    >>> flatten({"bert": {"seed1": "b1.conll", "seed2": "b2.conll"}, "crf": "crf.conll"})
    ({'bert/seed1': 'b1.conll', 'bert/seed2': 'b2.conll', 'crf': 'crf.conll'}, {'bert': ['bert/seed1', 'bert/seed2']})
    """
    refuse_reports(models)
    flat: dict[str, Any] = {}
    runs: dict[str, list[str]] = {}
    for name, value in models.items():
        if not isinstance(value, Mapping):
            flat[name] = value
            continue
        if not value:
            raise ValueError(f"method {name!r} has no runs; give at least one")
        if is_one_model(value):
            flat[name] = value
            continue
        for run, data in value.items():
            model = f"{name}/{run}"
            if model in models or model in flat:
                raise ValueError(
                    f"run {run!r} of {name!r} is called {model!r}, which is another model's name"
                )
            flat[model] = data
            runs.setdefault(name, []).append(model)
    return flat, runs


def with_runs_in(
    argument: str, is_one_model: Callable[[Mapping[Any, Any]], bool] = is_counted
) -> Callable[[F], F]:
    """Let a function that builds an evaluation take runs, as nested mappings in one of its arguments.

    A mapping is the data of one model, and not of runs, if `is_one_model` says so.
    """

    def decorate(build: F) -> F:
        signature = inspect.signature(build)

        @functools.wraps(build)
        def built(*args: Any, **kwargs: Any) -> Evaluation:
            bound = signature.bind(*args, **kwargs)
            given = bound.arguments.get(argument)
            runs: dict[str, list[str]] = {}
            if isinstance(given, Mapping):
                bound.arguments[argument], runs = flatten(given, is_one_model)
            ev = cast("Evaluation", build(*bound.args, **bound.kwargs))
            return ev.with_runs(runs) if runs else ev

        return cast("F", built)

    return decorate


class SeparateRuns(str):
    """A remark on models that are named like runs of one method, which `with_runs` takes away."""

    __slots__ = ()


def refuse_reports(given: Any) -> None:
    """Refuse averages in place of data: those of `classification_report`, `cross_validate` and lm-evaluation-harness.

    Examples
    --------
    >>> refuse_reports({"A": {"spam": {"precision": 0.9, "recall": 0.8, "f1-score": 0.85, "support": 40}}})
    Traceback (most recent call last):
    ValueError: 'A' is a classification report, which has no counts and does not say ...
    """
    if not isinstance(given, Mapping):
        return
    if _HARNESS.issubset(given):
        raise ValueError(
            "these are results of lm-evaluation-harness, which are averages over documents; run it with --log_samples and "
            "give the samples_*.jsonl"
        )
    _refuse_report("what was given", given)
    for name, value in given.items():
        _refuse_report(repr(name), value)


def _refuse_report(name: str, value: Any) -> None:
    """Raise a ValueError if a value is one of scikit-learn's reports."""
    report = _kind_of_report(value)
    if report is not None:
        raise ValueError(
            f"{name} is a {report}, which has no counts and does not say what models did on the same items; give gold "
            "labels and predictions to from_labels, confusion matrices to from_confusion, or fold scores to from_frame"
        )


def _kind_of_report(value: Any) -> str | None:
    """Return which of scikit-learn's reports a value is, in words; None if it is not a report."""
    if not isinstance(value, Mapping):
        return None
    if "fit_time" in value:
        return "result of cross_validate"
    if any(isinstance(row, Mapping) and _REPORT.issubset(row) for row in value.values()):
        return "classification report"
    return None
