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
