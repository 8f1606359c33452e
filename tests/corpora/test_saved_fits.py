"""Files of fits come from strangers: what is no whole fit is refused by one sentence, and nothing in it is run."""

import contextlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1 import load_fit
from bayesf1.corpora.files import load_groups, save_groups
from bayesf1.output.arviz import group

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(scope="module")
def fit():
    ev = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
    return bf.hierarchical({"x": ev, "y": bf.from_counts(A=(9, 5, 3), B=(10, 4, 2))}, rng=1, draws=200)


@pytest.fixture
def crafted(fit, tmp_path):
    """Load a fit whose words or draws were changed in its file."""

    def load(said=None, posterior=lambda data: data):
        fit.save(tmp_path / "fit.nc")
        groups = load_groups(tmp_path / "fit.nc")
        groups["posterior"] = posterior(groups["posterior"])
        if said is not None:
            groups["posterior"].attrs["bayesf1"] = json.dumps(said)
        save_groups(groups, tmp_path / "fit.nc")
        return load_fit(tmp_path / "fit.nc")

    return load


def words(fit):
    return json.loads(group(fit.to_arviz(), "posterior").attrs["bayesf1"])


def test_a_file_that_was_not_changed_is_the_fit(fit, crafted):
    assert str(crafted(words(fit))) == str(fit)


HOSTILE = [None, -1, True, "x", ["x", "x"], {"x": 1}, [[1]], 1e400]


@pytest.mark.parametrize("key", sorted(["likelihood", "assumption", "noun", "rope", "prob", "note", "datasets", "models",
                                        "metrics", "prior", "diagnostics", "weights", "within"]))  # fmt: skip
def test_words_of_another_type_are_refused(fit, crafted, key):
    whole = words(fit)
    for value in HOSTILE[len(key) % 4 :: 4]:
        with contextlib.suppress(ValueError):
            assert str(crafted({**whole, key: value}))
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted({name: value for name, value in whole.items() if name != key})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("models", ["A", "A"]),
        ("datasets", ["x"]),
        ("likelihood", "poisson"),
        ("assumption", "auto"),
        ("prob", 1.5),
        ("rope", -1),
        ("metrics", [{}]),
        ("prior", {"unheard": 1}),
        ("diagnostics", {}),
        ("weights", {"x": -1, "y": 1}),
    ],
)
def test_words_that_do_not_fit_the_draws_are_refused(fit, crafted, key, value):
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted({**words(fit), key: value})


def test_a_fit_of_another_version_is_refused(crafted, fit):
    with pytest.raises(ValueError, match="no fit that this version"):
        crafted({**words(fit), "format": "bayesf1.hierarchical/2"})


def test_a_fit_of_version_0_3_is_read_with_the_numbers_it_printed():
    fit = load_fit(DATA / "fit_0.3.nc")
    res = fit.compare()["precision"]
    assert (round(100 * res.gap, 1), res.p_h1) == (9.1, 0.9)
    assert "in precision" in fit.verdicts[0]
    # Version 0.3 ranked by recall what its sentences said of precision.
    assert fit.rank().title.startswith("2 models ranked by precision")


def test_a_fit_of_version_0_2_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match=r"fit_0\.2\.nc holds no fit that this version .*; fit it again"):
        load_fit(DATA / "fit_0.2.nc")


def test_a_main_metric_that_is_not_the_usual_one_is_kept(tmp_path):
    corpora = {name: bf.from_correct({"A": [1, 0, 1, 1], "B": [1, 1, 1, 0]}) for name in "xy"}
    fit = bf.hierarchical(corpora, metrics=["error_rate", "accuracy"], rng=1, draws=200)
    fit.save(tmp_path / "fit.nc")
    assert load_fit(tmp_path / "fit.nc").main_metric.name == fit.main_metric.name == "accuracy"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.drop_vars("score"),
        lambda data: data.isel(draw=slice(0, 0)),
        lambda data: data.assign(score=data["score"] * np.nan),
        lambda data: data.assign(score=data["score"].astype(str)),
        lambda data: data.assign(score=data["score"].isel(measure=[0])),
    ],
)
def test_draws_of_another_shape_are_refused(crafted, change):
    with pytest.raises(ValueError, match=r"fit\.nc holds a fit that is damaged"):
        crafted(posterior=change)


@pytest.mark.parametrize("name", ["fit", pytest.param("sampled", marks=pytest.mark.long)])
def test_files_keep_everything(name, request, tmp_path):
    fit = request.getfixturevalue(name)
    fit.save(tmp_path / "fit.nc")
    fit.save(tmp_path / "fit.nc")
    again = load_fit(tmp_path / "fit.nc")
    assert str(again) == str(fit)
    assert (again.prior, again.diagnostics, again.rope) == (fit.prior, fit.diagnostics, fit.rope)
    assert set(again.groups) == set(fit.groups)
    for key, data in fit.groups.items():
        assert again.groups[key].equals(data)
    assert [p.name for p in tmp_path.iterdir()] == ["fit.nc"]


def test_other_files_are_refused_in_words(fit, tmp_path):
    (tmp_path / "text.nc").write_text("no draws")
    with pytest.raises(ValueError, match="not a netCDF file of draws"):
        load_fit(tmp_path / "text.nc")
    with pytest.raises(FileNotFoundError):
        load_fit(tmp_path / "none.nc")
    with pytest.raises(ValueError, match="Zarr"):
        fit.save(tmp_path / "fit.zarr")
    with pytest.raises(ValueError, match="there is no folder"):
        fit.save(tmp_path / "none" / "fit.nc")
    fit.posterior.drop_attrs().to_netcdf(tmp_path / "other.nc", group="posterior", engine="h5netcdf")
    with pytest.raises(ValueError, match="no fit that this version"):
        load_fit(tmp_path / "other.nc")


def test_a_damaged_file_is_one_sentence_and_nothing_is_said_of_it_later(fit, tmp_path, monkeypatch):
    fit.save(tmp_path / "fit.nc")
    whole, rng, later = (tmp_path / "fit.nc").read_bytes(), np.random.default_rng(5), []
    monkeypatch.setattr(sys, "unraisablehook", lambda more: later.append(more.exc_value))
    refused = 0
    for _ in range(60):
        damaged = np.frombuffer(whole, np.uint8).copy()
        damaged[rng.integers(4000, size=20)] = rng.integers(256, size=20)
        (tmp_path / "fit.nc").write_bytes(damaged.tobytes())
        try:
            load_fit(tmp_path / "fit.nc")
        except ValueError as error:
            refused += "fit.nc" in str(error)
    assert refused > 30
    assert not later
