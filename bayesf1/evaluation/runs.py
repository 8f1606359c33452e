"""Runs: several trainings of one method, each a model of its own that was tested on the same data."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest

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
        raise ValueError(f"runs are a mapping such as {{'bert': ['bert-1', 'bert-2']}}, not {runs!r:.60}")
    owner: dict[str, str] = {}
    for method, named in runs.items():
        if not isinstance(method, str) or not method.strip():
            raise ValueError(f"the name of a method is a non-empty string, not {method!r}")
        if isinstance(named, str) or not isinstance(named, Iterable):
            raise ValueError(f"runs of {method!r} are a list of models, not {named!r:.60}")
        found = list(named)
        if not found:
            raise ValueError(f"method {method!r} has no runs; name at least one model")
        for model in found:
            if model not in models:
                raise ValueError(
                    f"run {model!r} of {method!r} is no model here; {nearest(str(model), models)}"
                )
            if model in owner:
                raise ValueError(
                    f"model {model!r} is a run of {owner[model]!r} already, and cannot be one of {method!r}"
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


def flatten(models: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return a nested mapping {method: {run: what it did}} as one of models, and the models of each method.

    Examples
    --------
    >>> flatten({"bert": {"seed1": "b1.conll", "seed2": "b2.conll"}, "crf": "crf.conll"})
    ({'bert/seed1': 'b1.conll', 'bert/seed2': 'b2.conll', 'crf': 'crf.conll'}, {'bert': ['bert/seed1', 'bert/seed2']})
    """
    flat: dict[str, Any] = {}
    runs: dict[str, list[str]] = {}
    for name, value in models.items():
        if not _holds_runs(value):
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


def _holds_runs(value: Any) -> bool:
    if not isinstance(value, Mapping) or (
        value and _TABLE.issuperset(str(key).strip().lower() for key in value)
    ):
        return False
    # A number by the name of what was scored is one model's, too.
    return not value or not all(isinstance(x, float | int | np.number) for x in value.values())


def with_runs_in(argument: str) -> Callable[[F], F]:
    """Let a function that builds an evaluation take runs, as nested mappings in one of its arguments."""

    def decorate(build: F) -> F:
        place = list(inspect.signature(build).parameters).index(argument)

        @functools.wraps(build)
        def built(*args: Any, **kwargs: Any) -> Evaluation:
            given = args[place] if place < len(args) else kwargs.get(argument)
            if not isinstance(given, Mapping) or not any(_holds_runs(value) for value in given.values()):
                return cast("Evaluation", build(*args, **kwargs))
            flat, runs = flatten(given)
            if place < len(args):
                args = (*args[:place], flat, *args[place + 1 :])
            else:
                kwargs[argument] = flat
            return cast("Evaluation", build(*args, **kwargs)).with_runs(runs)

        return cast("F", built)

    return decorate
