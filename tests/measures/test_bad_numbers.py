"""Every public measure refuses numbers that cannot be, by the kind of its arguments."""

import inspect
from collections.abc import Mapping

import numpy as np
import pytest

import bayesf1 as bf
from hostile_calls import calls

NAN, INF = float("nan"), float("inf")
# What each kind of argument cannot hold. Missing ratings are allowed, and scores of either sign.
IMPOSSIBLE = {
    "amounts": (NAN, INF, -1.0),
    "weights": (NAN, INF, -1.0),
    "scores": (NAN, INF),
    "ratings": (INF,),
    "labels": (NAN,),
}
KINDS = {
    **dict.fromkeys(
        ("totals", "relevance", "gains", "ideal", "grades", "p_relevant", "n_relevant"), "amounts"
    ),
    **dict.fromkeys(("max_grade", "p_break"), "amounts"),
    **dict.fromkeys(("y_true", "gold", "predicted"), "labels"),
    "scores": "scores",
    "ratings": "ratings",
}
# Options, which are no data.
OPTIONS = {"k", "log", "level", "values", "n_draws", "rng", "positive", "n_points", "prob", "interpolated"}


def kind_of(measure, argument):
    return "weights" if measure.startswith("soft_") else KINDS[argument]


def cases():
    given = calls()
    for name in bf.measures.__all__:
        function = getattr(bf.measures, name)
        if not inspect.isclass(function):
            valid = given[f"measures.{name}"][0]
            for argument in inspect.signature(function).parameters.keys() - OPTIONS:
                yield name, argument, {"k": 2, **valid} if name == "precision_at_k" else valid


CASES = sorted(cases(), key=lambda case: case[:2])


def with_last(value, bad):
    """Return data whose last number is another."""
    if isinstance(value, set):
        return with_last(dict.fromkeys(sorted(value), 1.0), bad)
    if isinstance(value, Mapping):
        return {**value, [*value][-1]: bad}
    if isinstance(value, list | tuple | np.ndarray):
        return [*value[:-1], with_last(value[-1], bad)]
    return bad


@pytest.mark.parametrize(("name", "argument", "valid"), CASES)
def test_impossible_numbers_are_refused_with_value_and_place(name, argument, valid):
    kind = kind_of(name, argument)
    data = valid.get(
        argument, {"ideal": [[1, 0, 1], [0, 1, 0]], "n_relevant": [2, 1], "p_break": 0.15}.get(argument)
    )
    if kind == "weights":
        data = [dict.fromkeys(cluster, 1.0) for cluster in data]
        valid = {
            **valid,
            **{other: [dict.fromkeys(c, 1.0) for c in valid[other]] for other in ("gold", "predicted")},
        }
    for bad in IMPOSSIBLE[kind]:
        with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
            getattr(bf.measures, name)(**{**valid, argument: with_last(data, bad)})
        said = str(error.value)
        assert argument in said
        if kind != "labels":
            assert f"{bad:g}" in said
        if isinstance(data, list | np.ndarray):
            assert any(character.isdigit() for character in said)


@pytest.mark.parametrize(("name", "argument", "valid"), CASES)
def test_data_of_another_shape_are_refused(name, argument, valid):
    if argument in ("max_grade", "p_break", "n_relevant"):
        wrong = [[[1.0, 2.0]]]
    elif KINDS[argument] == "amounts":
        wrong = [] if argument != "totals" else np.ones((2, 31))
    else:
        wrong = [[[1.0, 2.0]], [[1.0, 2.0]]] if argument != "ratings" else [1.0, 2.0]
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        getattr(bf.measures, name)(**{**valid, argument: wrong})
