"""Small versions of benchmarks/calibration.py and calibration_corpora.py: repeated experiments, seeded."""

from dataclasses import replace

import numpy as np
import pytest

from builders import load_script, needed


def seeded(seed):
    return np.random.default_rng(seed)


# Four standard errors of a coverage of .95 over 100 replicates are .09.
def test_pairing_halves_the_interval_of_models_that_mostly_agree_and_finds_more():
    study = load_script("benchmarks/calibration.py").label_study(0.9, replicates=100, rng=seeded(1))
    paired, independent = study["paired"], study["independent"]
    assert study["agreement"] > 0.97
    assert paired.coverage == pytest.approx(0.95, abs=0.09)
    assert paired.length < 0.5 * independent.length
    assert paired.power > independent.power + 0.1


@pytest.mark.long
def test_documents_that_differ_are_covered_by_clustered_intervals_alone():
    spans = load_script("benchmarks/calibration.py").span_study(10, 1.0, replicates=150, rng=seeded(2))
    assert spans["clustered"].coverage == pytest.approx(0.95, abs=0.07)
    assert spans["clustered_f1"] == pytest.approx(0.95, abs=0.08)
    assert spans["paired"].coverage < 0.88
    assert spans["independent_f1"] < 0.85


# 300 replicates cover .917 at the least and claim falsely .07 at the most; four standard errors of 60 are .14.
@pytest.mark.long
def test_accuracies_of_few_items_are_not_known_too_well_as_by_a_bootstrap():
    few = load_script("benchmarks/calibration_correct.py").rows(60, seeded(3))
    for row in (row for row in few if row.data.startswith("accuracies")):
        assert row.after[0] > 0.917 - 0.14
        assert row.after[2] < 0.07 + 0.14
        if (row.data, row.n) == ("accuracies 0.93 and 0.98", 20):
            assert row.before[0] < row.after[0]
            assert row.before[2] > 0.2
            assert row.before[1] < row.after[1]


@pytest.mark.long
def test_corpora_are_told_apart_and_averaged_as_promised():
    corpora = load_script("benchmarks/calibration_corpora.py")
    shares = corpora.equal_models(3, 12, seeded(3))
    assert shares["items, suite"] >= 0.25
    assert shares["items, any corpus"] >= 0.5
    # one of twelve at a rate of .05; three are seen one time in 200
    assert shares["documents, average"] <= 2 / 12
    assert shares["documents, suite"] <= 2 / 12
    covered, length = corpora.average(0.03, 5, 60, seeded(4), tails=1.0)
    # a share of .95 is .85 or less one time in 500
    assert covered > 0.85
    assert 0.04 < length < 0.15
    assert min(corpora.small_corpora(25, 40, 12, seeded(5)).values()) >= 0.75
    found = corpora.many_classes(np.zeros(30), 8, seeded(6))
    assert found["alone"]["claims"] > 2.0
    assert found["together"]["claims"] < 0.5


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*documents")
def test_few_or_uneven_documents_are_stretched():
    rows = load_script("benchmarks/calibration_units.py").rows(60, seeded(1), documents=(6, 30))
    found = {(row.sizes, row.documents): row.found for row in rows}
    # Four standard errors of a coverage of .95 over 60 replicates are .11.
    for (sizes, _), by in found.items():
        assert by["as here"][0] > (0.84 if sizes != "with length, sd 1.2" else 0.73)
    for sizes in ("even", "log-normal"):
        assert found[sizes, 6]["plain"][0] < found[sizes, 6]["as here"][0]
    assert found["one of 900 among 3", 41]["plain"][0] < 0.75
    assert found["even", 30]["as here"][1] < 1.2 * found["even", 30]["plain"][1]


@pytest.mark.long
def test_runs_times_items_covers_what_either_alone_does_not():
    method = load_script("benchmarks/method.py")
    settings = (method.Setting(1000, 5, 0.3, 0.0, 0.5), method.Setting(300, 20, 0.1, 0.8, 0.3))
    varied, hard = method.rows(25, seeded(3), settings)
    # Four standard errors of a coverage of .95 over 25 replicates are .17.
    assert min(varied["runs × items"][0], hard["runs × items"][0]) > 0.77
    assert varied["one run"][0] < 0.7
    assert varied["mean of runs"][0] < 0.75
    assert hard["t over runs"][1] < hard["runs × items"][1]


# Four standard errors of a coverage of .95 over 80 replicates are .1.
@pytest.mark.long
def test_intervals_for_the_way_of_training_cover_it_and_those_for_the_rules_do_not():
    method_folds = load_script("benchmarks/method_folds.py")
    (_, _, setting) = (s for s in method_folds.simulated() if s.name == "neighbours")
    found = method_folds.study(replace(setting, n=200), replicates=80, truths=300, rng=seeded(3))
    assert min(found["contrast t"].coverage, found["mixture"].coverage) >= 0.85
    assert found["items, for the rules"].coverage < 0.9
    assert found["items, for the rules"].length < 0.8 * found["mixture"].length


# Four standard errors of a coverage of .95 over 60 replicates are .11; the priors of 0.2 and before held .65 to .88.
@pytest.mark.long
@pytest.mark.parametrize("row", [3, 9, 10, 15])
def test_macro_averages_of_rare_classes_cover_as_promised(row):
    found = load_script("benchmarks/calibration_classes.py")
    found.METHODS = {"package": found.package}
    covers, _ = found.study(found.SETTINGS[row], 60, seed=1)["package"]
    assert covers.min() > 0.84
    assert covers[[0, 3]].min() > 0.87


@pytest.mark.long
def test_scores_of_equal_learners_are_rarely_claimed_to_differ_and_generations_are_covered(monkeypatch):
    needed("sklearn")
    experiments = load_script("benchmarks/experiments.py")
    monkeypatch.setattr(experiments, "FOLDS", ((1, 5),))
    ((_, found),) = experiments.fold_studies(experiments.LEARNERS["trees"], 60)
    # Four standard errors of a share of .05 over 60 experiments are .11.
    assert found["bayesf1"] < 0.17
    assert found["every score an item"] >= found["bayesf1"]
    quality = experiments.generation_study(experiments.GENERATIONS[1], 60)
    assert quality["bayesf1"].coverage > 0.84
    assert quality["bayesf1"].length < 1.04 * quality["clustered t"].length
