"""Small versions of benchmarks/calibration.py and calibration_corpora.py: repeated experiments, seeded."""

from dataclasses import replace

import numpy as np
import pytest

from builders import load_script


@pytest.fixture(scope="module")
def calibration():
    return load_script("benchmarks/calibration.py")


@pytest.fixture(scope="module")
def labels(calibration):
    return calibration.label_study(0.9, replicates=100, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def spans(calibration):
    return calibration.span_study(10, 1.0, replicates=150, rng=np.random.default_rng(2))


# Four standard errors of a coverage of .95 over 100 replicates are .09.
def test_paired_intervals_cover_as_promised(labels):
    assert labels["paired"].coverage == pytest.approx(0.95, abs=0.09)


def test_pairing_halves_the_interval_of_models_that_mostly_agree(labels):
    assert labels["agreement"] > 0.97
    assert labels["paired"].length < 0.5 * labels["independent"].length


def test_pairing_finds_differences_that_independence_misses(labels):
    assert labels["paired"].power > labels["independent"].power + 0.1


@pytest.mark.long
def test_clustered_intervals_cover_where_documents_differ(spans):
    assert spans["clustered"].coverage == pytest.approx(0.95, abs=0.07)
    assert spans["clustered_f1"] == pytest.approx(0.95, abs=0.08)


@pytest.mark.long
def test_spans_as_trials_undercover_where_documents_differ(spans):
    assert spans["paired"].coverage < 0.88
    assert spans["independent_f1"] < 0.85


@pytest.fixture(scope="module")
def few():
    found = load_script("benchmarks/calibration_correct.py")
    return {(row.data, row.n): row for row in found.rows(60, np.random.default_rng(3))}


# 300 replicates cover .917 at the least and claim falsely .087 at the most; four standard errors of 60 are .145.
@pytest.mark.long
def test_accuracies_of_few_items_are_not_known_too_well(few):
    for (data, _), row in few.items():
        if data.startswith("accuracies"):
            assert row.after[0] > 0.917 - 0.145
            assert row.after[2] < 0.087 + 0.145


@pytest.mark.long
def test_a_bootstrap_of_few_items_near_one_claims_what_is_not_there(few):
    row = few["accuracies 0.93 and 0.98", 20]
    assert row.before[0] < row.after[0]
    assert row.before[2] > 0.2
    assert row.before[1] < row.after[1]


@pytest.fixture(scope="module")
def corpora():
    return load_script("benchmarks/calibration_corpora.py")


@pytest.mark.long
def test_equal_models_are_told_apart_by_taking_items_of_documents_as_independent(corpora):
    shares = corpora.equal_models(3, 12, np.random.default_rng(3))
    assert shares["items, suite"] >= 0.25
    assert shares["items, any corpus"] >= 0.5
    # one of twelve at a rate of .05; three are seen one time in 200
    assert shares["documents, average"] <= 2 / 12
    assert shares["documents, suite"] <= 2 / 12


@pytest.mark.long
def test_the_average_of_corpora_is_covered(corpora):
    covered, length = corpora.average(0.03, 5, 60, np.random.default_rng(4), tails=1.0)
    # a share of .95 is .85 or less one time in 500
    assert covered > 0.85
    assert 0.04 < length < 0.15


@pytest.mark.long
def test_small_corpora_do_not_pull_their_average_to_the_prior(corpora):
    shares = corpora.small_corpora(25, 40, 12, np.random.default_rng(5))
    assert min(shares.values()) >= 0.75


@pytest.mark.long
def test_fewer_classes_are_claimed_where_models_are_equal(corpora):
    found = corpora.many_classes(np.zeros(30), 8, np.random.default_rng(6))
    assert found["alone"]["claims"] > 2.0
    assert found["together"]["claims"] < 0.5


@pytest.fixture(scope="module")
def units():
    return load_script("benchmarks/calibration_units.py")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*documents")
def test_few_or_uneven_documents_are_stretched(units):
    found = {
        (row.sizes, row.documents): row for row in units.rows(60, np.random.default_rng(1), documents=(6, 30))
    }
    # Four standard errors of a coverage of .95 over 60 replicates are .11.
    for (sizes, _), row in found.items():
        assert row.found["as here"][0] > (0.84 if sizes != "with length, sd 1.2" else 0.73)
    assert found["even", 6].found["plain"][0] < found["even", 6].found["as here"][0]
    assert found["log-normal", 6].found["plain"][0] < 0.9
    assert found["one of 900 among 3", 41].found["plain"][0] < 0.75
    assert found["even", 30].found["as here"][1] < 1.2 * found["even", 30].found["plain"][1]


@pytest.mark.long
def test_runs_times_items_covers_what_either_alone_does_not():
    method = load_script("benchmarks/method.py")
    settings = (method.Setting(1000, 5, 0.3, 0.0, 0.5), method.Setting(300, 20, 0.1, 0.8, 0.3))
    varied, hard = method.rows(25, np.random.default_rng(3), settings)
    # Four standard errors of a coverage of .95 over 25 replicates are .17.
    assert varied["runs × items"][0] > 0.77
    assert varied["one run"][0] < 0.7
    assert varied["mean of runs"][0] < 0.75
    assert hard["runs × items"][0] > 0.77
    assert hard["t over runs"][1] < hard["runs × items"][1]


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
@pytest.mark.long
def test_intervals_for_the_way_of_training_cover_it(neighbours):
    assert neighbours["contrast t"].coverage >= 0.85
    assert neighbours["mixture"].coverage >= 0.85


@pytest.mark.long
def test_intervals_for_the_rules_are_too_short_for_the_way_of_training(neighbours):
    assert neighbours["items, for the rules"].coverage < 0.9
    assert neighbours["items, for the rules"].length < 0.8 * neighbours["mixture"].length


# ---- many classes -----------------------------------------------------------------------------------------


# Four standard errors of a coverage of .95 over 60 replicates are .11; the priors of 0.2 and before held .65 to .88.
@pytest.mark.long
@pytest.mark.parametrize("row", [3, 9, 10, 15])
def test_macro_averages_of_rare_classes_cover_as_promised(row):
    found = load_script("benchmarks/calibration_classes.py")
    found.METHODS = {"package": found.package}
    covers, _ = found.study(found.SETTINGS[row], 60, seed=1)["package"]
    assert covers.min() > 0.84
    assert covers[[0, 3]].min() > 0.87
