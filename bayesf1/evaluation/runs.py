"""Runs: several trainings of one method, each a model of its own that was tested on the same data."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest, shown
from bayesf1.base.reports import refuse_reports

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation

F = TypeVar("F", bound=Callable[..., Any])


class Method(NamedTuple):
    """A way of training, and the models that were trained in it."""

    name: str
    runs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {len(self.runs)} run{'s' if len(self.runs) > 1 else ''}"


def methods_of(runs: Mapping[str, Iterable[str]], models: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods that runs belong to, in the order of the models; what no method names is one by itself.

    Examples
    --------
    >>> methods_of({"bert": ["b1", "b2"]}, ["crf", "b1", "b2"])
    (Method(name='crf', runs=('crf',)), Method(name='bert', runs=('b1', 'b2')))
    """
    if not isinstance(runs, Mapping) or not runs:
        raise ValueError(f"runs are a mapping such as {{'bert': ['bert-1', 'bert-2']}}, not {shown(runs)}")
    owner: dict[str, str] = {}
    for method, named in runs.items():
        if not isinstance(method, str) or not method.strip():
            raise ValueError(f"the name of a method is a non-empty string, not {shown(method)}")
        if isinstance(named, str) or not isinstance(named, Iterable):
            raise ValueError(f"runs of {shown(method)} are a list of models, not {shown(named)}")
        found = list(named)
        if not found:
            raise ValueError(f"method {shown(method)} has no runs; name at least one model")
        for model in found:
            if model not in models:
                raise ValueError(
                    f"run {model!r} of {shown(method)} is no model here; {nearest(str(model), models)}"
                )
            if model in owner:
                raise ValueError(
                    f"model {model!r} is a run of {owner[model]!r} already, and cannot be one of {shown(method)}"
                )
            owner[model] = method
    taken = set(runs)
    for model in models:
        if model not in owner and model in taken:
            raise ValueError(f"{model!r} names a method and a model that is no run of it; rename one of them")
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


def check_one_run(ev: Evaluation, what: str) -> None:
    """Raise a ValueError where methods of several runs were given to what takes models one by one."""
    for method in ev.methods:
        if len(method.runs) > 1:
            raise ValueError(
                f"{what} takes trained models, but {method.name!r} has {len(method.runs)} runs; choose one of each, as "
                f"ev.select([{method.runs[0]!r}, …])"
            )


def dotted_runs(models: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of models that are called after their method, as ``bert.1`` and ``bert.2``.

    Examples
    --------
    >>> dotted_runs(["bert.1", "bert.2", "crf"])
    {'bert': ['bert.1', 'bert.2'], 'crf': ['crf']}
    """
    found: dict[str, list[str]] = {}
    for model in models:
        found.setdefault(model.rpartition(".")[0] or model, []).append(model)
    if len(found) == len(models):
        raise ValueError(
            f"no two of {', '.join(models[:6])} are runs of one method; call them after it, as bert.1 and bert.2"
        )
    return found


def flatten(
    models: Mapping[str, Any], one: Callable[[Mapping[Any, Any]], bool] | None = None
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return a nested mapping {method: {run: what it did}} as one of models, and the models of each method.

    A mapping that is what one model did, as `one` says, is left as it is; by default counts by the names of their cells.

    Examples
    --------
    >>> flatten({"bert": {"seed1": "b1.conll", "seed2": "b2.conll"}, "crf": "crf.conll"})
    ({'bert/seed1': 'b1.conll', 'bert/seed2': 'b2.conll', 'crf': 'crf.conll'}, {'bert': ['bert/seed1', 'bert/seed2']})
    """
    refuse_reports(models)
    flat: dict[str, Any] = {}
    runs: dict[str, list[str]] = {}
    for name, value in models.items():
        if not _holds_runs(value, one or is_counted):
            flat[name] = value
            continue
        if not value:
            raise ValueError(f"method {name!r} has no runs; give at least one")
        for run, what in value.items():
            model = f"{name}/{run}"
            if model in models or model in flat:
                raise ValueError(
                    f"run {run!r} of {name!r} is called {model!r}, which is another model's name"
                )
            flat[model] = what
            runs.setdefault(name, []).append(model)
    return flat, runs


# Counts by the names of their cells are one model's, not those of runs.
_TABLE = frozenset(("tp", "fp", "fn", "tn", "gold", "predicted", "correct"))


def is_counted(value: Mapping[Any, Any]) -> bool:
    """Say whether a mapping holds counts by the names of their cells, or numbers by the names of what was scored."""
    if _TABLE.issuperset(str(key).strip().lower() for key in value):
        return True
    return all(isinstance(x, float | int | np.number) for x in value.values())


def is_by_id(value: Mapping[Any, Any]) -> bool:
    """Say whether a mapping holds a number, label or set of labels for each item, and no columns of them.

    Examples
    --------
    >>> is_by_id({"doc1": "spam", "doc2": "ham"}), is_by_id({"seed1": ["spam", "ham"]})
    (True, False)
    """
    return all(
        isinstance(x, str | bytes | set | frozenset) or not hasattr(x, "__len__") for x in value.values()
    )


def _holds_runs(value: Any, one: Callable[[Mapping[Any, Any]], bool]) -> bool:
    return isinstance(value, Mapping) and (not value or not one(value))


def with_runs_in(argument: str, one: Callable[[Mapping[Any, Any]], bool] = is_counted) -> Callable[[F], F]:
    """Let a function that builds an evaluation take runs, as nested mappings in one of its arguments.

    A mapping that is what `one` model did holds no runs.
    """

    def decorate(build: F) -> F:
        place = list(inspect.signature(build).parameters).index(argument)

        @functools.wraps(build)
        def built(*args: Any, **kwargs: Any) -> Evaluation:
            given = args[place] if place < len(args) else kwargs.get(argument)
            refuse_reports(given)
            try:
                whole: Any = given if isinstance(given, Mapping) else {}
                nested = any(_holds_runs(value, one) for value in whole.values())
                flat, runs = flatten(whole, one) if nested else ({}, {})
            except RecursionError:
                raise ValueError(f"{argument} is nested too deep for methods and their runs") from None
            if not nested:
                return cast("Evaluation", build(*args, **kwargs))
            if place < len(args):
                args = (*args[:place], flat, *args[place + 1 :])
            else:
                kwargs[argument] = flat
            return cast("Evaluation", build(*args, **kwargs)).with_runs(runs)

        return cast("F", built)

    return decorate
