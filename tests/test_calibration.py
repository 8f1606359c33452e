"""A small version of benchmarks/calibration.py: coverage over repeated experiments, seeded."""

from dataclasses import replace

import numpy as np
import pytest

from builders import load_script


@pytest.fixture(scope="module")
def calibration():
    return load_script("benchmarks/calibration.py")


@pytest.fixture(scope="module")
def labels(calibration):
    return calibration.label_study(0.9, replicates=200, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def spans(calibration):
    return calibration.span_study(10, 1.0, replicates=150, rng=np.random.default_rng(2))


# Four standard errors of a coverage of .95 over 200 replicates are .06.
def test_paired_intervals_cover_as_promised(labels):
    assert labels["paired"].coverage == pytest.approx(0.95, abs=0.06)


def test_pairing_halves_the_interval_of_models_that_mostly_agree(labels):
    assert labels["agreement"] > 0.97
    assert labels["paired"].length < 0.5 * labels["independent"].length


def test_pairing_finds_differences_that_independence_misses(labels):
    assert labels["paired"].power > labels["independent"].power + 0.1


def test_clustered_intervals_cover_where_documents_differ(spans):
    assert spans["clustered"].coverage == pytest.approx(0.95, abs=0.07)
    assert spans["clustered_f1"] == pytest.approx(0.95, abs=0.08)


def test_spans_as_trials_undercover_where_documents_differ(spans):
    assert spans["paired"].coverage < 0.88
    assert spans["independent_f1"] < 0.85


# ---- ways of training, from folds -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def method_folds():
    return load_script("benchmarks/method_folds.py")


@pytest.fixture(scope="module")
def neighbours(method_folds):
    (_, _, setting) = (s for s in method_folds.simulated() if s.name == "neighbours")
    setting = replace(setting, n=200)
    return method_folds.study(setting, replicates=80, truths=300, rng=np.random.default_rng(3))


# Four standard errors of a coverage of .95 over 80 replicates are .1.
def test_intervals_for_the_way_of_training_cover_it(neighbours):
    assert neighbours["contrast t"].coverage >= 0.85
    assert neighbours["mixture"].coverage >= 0.85


def test_the_mixture_is_the_shortest_of_those_that_cover(neighbours):
    assert neighbours["mixture"].length < neighbours["contrast t"].length < neighbours["correlated t"].length


def test_intervals_for_the_rules_are_too_short_for_the_way_of_training(neighbours):
    assert neighbours["items, for the rules"].coverage < 0.9
    assert neighbours["items, for the rules"].length < 0.8 * neighbours["mixture"].length


@pytest.mark.filterwarnings("ignore")
def test_a_row_for_each_setting_and_each_size(method_folds):
    rng = np.random.default_rng(4)
    wine = list(method_folds.rows(2, rng, truths=4, only="wine"))
    assert [row["setting"] for row in wine] == ["wine, second or not, n=160, m=3"]
    first = next(method_folds.sizes(20, rng, n=120))
    assert first["m×2 BCV McNemar"] <= 0.25
