"""Files of fits come from strangers: what is no whole fit is refused by one sentence, and nothing in it is run."""

import contextlib
import json

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base import arviz_data
from bayesf1.groups.saved import load_fit


@pytest.fixture(scope="module", params=["scores", "dirichlet"])
def fit(request):
    ev = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
    corpora = {"x": ev, "y": bf.from_counts(A=(9, 5, 3), B=(10, 4, 2))}
    return bf.hierarchical(corpora, likelihood=request.param, rng=1, draws=200)


@pytest.fixture
def crafted(fit, monkeypatch):
    """Load a fit whose words or draws were changed, as if from a file."""

    def load(said=None, posterior=lambda data: data):
        groups = dict(fit.groups)
        groups["posterior"] = posterior(groups["posterior"].copy())
        if said is not None:
            groups["posterior"].attrs["bayesf1"] = json.dumps(said)
        monkeypatch.setattr(arviz_data, "load", lambda path: groups)
        return load_fit("fit.nc")

    return load


def words(fit):
    return json.loads(fit.groups["posterior"].attrs["bayesf1"])


HOSTILE = [None, 0, -1, 1.5, True, "", "x", [], ["x"], ["x", "x"], {}, {"x": 1}, [[1]], "../../x", 1e400]


@pytest.mark.parametrize("key", sorted(["likelihood", "assumption", "noun", "rope", "prob", "note", "datasets", "models",
                                        "cells", "task", "classes", "metrics", "prior", "diagnostics", "weights",
                                        "within"]))  # fmt: skip
def test_words_of_another_type_are_refused(fit, crafted, key):
    whole = words(fit)
    assert str(crafted(whole)) == str(fit)
    for value in HOSTILE:
        with contextlib.suppress(ValueError):
            assert str(crafted({**whole, key: value}))
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted({name: value for name, value in whole.items() if name != key})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("models", ["A"]),
        ("models", ["A", "A"]),
        ("models", [1, 2]),
        ("cells", ["tp", "fp"]),
        ("datasets", ["x"]),
        ("task", "unheard of"),
        ("likelihood", "poisson"),
        ("assumption", "auto"),
        ("prob", 1.5),
        ("rope", -1),
        ("metrics", []),
        ("metrics", [{}]),
        ("prior", {"unheard": 1}),
        ("diagnostics", {}),
        ("weights", {"x": -1, "y": 1}),
        ("weights", {"z": 1}),
    ],
)
def test_words_that_do_not_fit_the_draws_are_refused(fit, crafted, key, value):
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted({**words(fit), key: value})


@pytest.mark.parametrize(
    "said",
    [
        {"cells": ["f1", "recall", "precision"]},
        {"classes": ["x"]},
        {"task": "binary"},
        {"likelihood": "dirichlet"},
        {"metrics": [{"name": "f1", "label": 3, "callable": False, "support": [0, 1], "percent": True}] * 3},
    ],
)
def test_words_of_counts_are_no_words_of_scores(crafted, fit, said):
    if fit.likelihood == "scores":
        with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
            crafted({**words(fit), **said})


def test_files_of_the_first_version_are_read(crafted, fit):
    if fit.likelihood == "dirichlet":
        old = {name: value for name, value in words(fit).items() if name not in ("within", "weights")}
        old["prior"] = {k: v for k, v in old["prior"].items() if k not in ("spread", "difficulty", "tails")}
        assert str(crafted({**old, "format": "bayesf1.hierarchical/1"})) == str(fit)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.drop_vars("score"),
        lambda data: data.isel(draw=slice(0, 0)),
        lambda data: data.isel(system=[0]),
        lambda data: data.assign(score=data["score"] * np.nan),
        lambda data: data.assign(score=data["score"].astype(str)),
        lambda data: data.assign(score=data["score_new"].isel(measure=[0])),
    ],
)
def test_draws_of_another_shape_are_refused(crafted, change):
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted(posterior=change)


@pytest.mark.parametrize("where", ["filters", "compressor", "codecs"])
def test_a_codec_that_could_run_code_is_refused_before_anything_is_opened(fit, where, tmp_path):
    path = tmp_path / "fit.zarr"
    fit.save(path)
    assert load_fit(path).models == ("A", "B")
    (file,) = [f for f in path.rglob("zarr.json") if f.parent.name == "score_new"][:1]
    said = json.loads(file.read_text())
    said[where] = [{"id": "pickle", "name": "pickle"}]
    file.write_text(json.dumps(said))
    with pytest.raises(ValueError, match="names the codec 'pickle'"):
        load_fit(path)


def test_a_damaged_folder_is_refused(fit, tmp_path):
    path = tmp_path / "fit.zarr"
    fit.save(path)
    next(path.rglob("zarr.json")).write_text("[" * 100_000)
    with pytest.raises(ValueError, match="the folder is damaged"):
        load_fit(path)
