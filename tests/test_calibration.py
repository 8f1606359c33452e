"""A small version of benchmarks/calibration.py: coverage over repeated experiments, seeded."""

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


# ---- many classes -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classes():
    script = load_script("benchmarks/calibration_classes.py")
    zipf, rng = script.SETTINGS[0], np.random.default_rng(3)
    return {row["prior"]: row for row in script.study(zipf, 20, 200, replicates=120, rng=rng)}


def test_macro_f1_of_rare_classes_is_covered(classes):
    # Four standard errors of a coverage of .95 over 120 replicates are .08.
    assert classes["after"]["coverage"] == pytest.approx(0.95, abs=0.08)
    assert classes["after"]["difference_coverage"] == pytest.approx(0.95, abs=0.08)
    assert abs(classes["after"]["bias"]) < 0.015


def test_a_prior_on_every_pair_of_classes_would_miss_it(classes):
    assert classes["before"]["coverage"] < 0.75
    assert classes["before"]["bias"] < -0.04


def test_every_setting_has_a_row_for_each_prior():
    script = load_script("benchmarks/calibration_classes.py")
    script.SIZES = ((3, 40), (4, 40))
    found = script.rows(2, np.random.default_rng(1))
    assert len(found) == 2 * 2 * len(script.SETTINGS)
    assert {row["prior"] for row in found} == {"before", "after"}
    assert all(0 <= row["coverage"] <= 1 and row["length"] > 0 for row in found)
