"""Every argument of everything public, given what it cannot be: one sentence that names it, no file, no warning, no hang."""

import inspect
import pickle
from operator import attrgetter
from zlib import crc32

import matplotlib.pyplot as plt
import pytest
from hostile import HOSTILE, fault

import bayesf1 as bf
from hostile_calls import (
    OBJECTS,
    methods,
    public_calls,
    public_names,
    public_object,
    sites_of_function,
    sites_of_object,
    write_files,
)

# The whole walk takes minutes; each argument always meets one value in so many, the same in every run.
FEW, MANY = 40, 3
# How people call an argument, where a message does not use its name.
WORDS = {
    **dict.fromkeys(("frame", "model_column", "columns", "gold", "group", "count", "id"), ("column",)),
    # The roles of columns.
    **dict.fromkeys(("item", "run", "fold", "repeat", "corpus", "generation", "prompt"), ("column",)),
    **dict.fromkeys(("predicted_column", "gold_column"), ("columns",)),
    **dict.fromkeys(("probabilities", "pilot", "statistics", "counts", "predictions", "folds"), ("model",)),
    **dict.fromkeys(("X", "y", "prior"), ("items",)),
    **dict.fromkeys(("values", "missing"), ("ratings",)),
    "metrics": ("metric", "classes"),
    "totals": ("statistics",),
    "metric": ("measure", "monitored", "classes"),
    "table": ("column", "frame", "row"),
    "ev": ("model", "scores", "Evaluation"),
    "scores": ("model", "format", "methods"),
    "correct": ("model", "answers", "format"),
    "y_true": ("gold",),
    "path": ("write", "figure"),
    "methods": ("method",),
    "classes": ("class",),
    "weights": ("weight",),
    "name": ("example",),
    "qrels": ("file",),
    "least": ("better by",),
    "relevance": ("n_relevant",),
    "a": ("model", "methods"),
    "b": ("scores of", "model", "methods"),
    "models": ("model", "column", "method"),
    "runs": ("method",),
    "q": ("probabilities",),
    "rule": ("discount",),
    "text": ("cv design",),
    "types": ("type",),
    "judge": ("y_true", "column", "model"),
    "data": ("corpus", "corpora", "Evaluation"),
    "source": ("file", "model"),
    "gold_file": ("columns", "file"),
    "positive": ("labelled",),
    "cv": ("cross-validation", "folds"),
    "labels": ("label",),
    "matrices": ("matrix", "model"),
}
# Arguments that name files, for which an error of the system will do.
PATHS = {"path", "gold_file", "directory", "source", "gold", "models", "qrels"}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("hostile")
    write_files(here)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        yield here


def shares(names):
    """Every name, with a share of the values, and by the marker with a third."""
    for name in names:
        yield pytest.param(name, FEW, id=name)
        yield pytest.param(name, MANY, id=f"{name}-many", marks=pytest.mark.long)


def faults(name, site, share):
    for parameter in site.parameters:
        words = (parameter, *WORDS.get(parameter, ()))
        for label, make in HOSTILE.items():
            if crc32(f"{name} {parameter} {label}".encode()) % share == 0:
                found = fault(lambda: site.call(**{parameter: make()}), words, parameter in PATHS, label)  # noqa: B023
                if found:
                    yield f"{name}({parameter}={label}): {found}"
    plt.close("all")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "share"), [*shares(public_names())])
def test_a_function_names_the_argument_that_is_wrong(name, share):
    for site in sites_of_function(name):
        site.call()
        assert not list(faults(name, site, share))


@pytest.mark.parametrize(("name", "share"), [*shares(OBJECTS)])
def test_a_method_names_the_argument_that_is_wrong(name, share):
    for method, site in sites_of_object(name):
        site.call()
        assert not list(faults(f"{name}.{method}", site, share))


def test_every_kind_of_object_is_walked():
    assert set(public_names()) == set(public_calls())
    walked = {kind for name in OBJECTS for kind in type(public_object(name)).__mro__}
    classes = [getattr(bf, name) for name in bf.__all__ if inspect.isclass(getattr(bf, name))]
    assert [kind for kind in classes if kind not in walked and kind is not bf.HierarchicalPrior] == []


def test_no_public_function_forgets_to_check():
    unchecked = [
        n
        for n in public_names()
        if not inspect.isclass(f := attrgetter(n)(bf)) and not hasattr(f, "__wrapped__")
    ]
    for thing in map(public_object, OBJECTS):
        for name, method in methods(thing):
            if inspect.signature(method).parameters and not hasattr(method, "__wrapped__"):
                unchecked.append(f"{type(thing).__name__}.{name}")
    assert unchecked == []


@pytest.mark.parametrize("name", OBJECTS)
def test_every_result_goes_to_another_process(name):
    thing = public_object(name)
    again = pickle.loads(pickle.dumps(thing))
    assert str(again) == str(thing)
