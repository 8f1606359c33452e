"""Exact coverage of intervals: Lam's tables, Takahashi's, Jiang's, and brute force over all tables."""

import functools
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bayesf1.distributions.fscore import FScore
from bayesf1.frequentist.closed_intervals import fbeta_delta, wald
from bayesf1.frequentist.coverage import coverage_curve
from builders import load_script

REFERENCE = Path(__file__).parents[1] / "reference"
LAM = json.loads((REFERENCE / "lam_2023.json").read_text(encoding="utf-8"))
TAKAHASHI = json.loads((REFERENCE / "takahashi_2022.json").read_text(encoding="utf-8"))
METHODS = ("clopper_pearson", "wald", "wilson_direct", "wilson_indirect")
CELLS = [
    (table["field"], scenario, method, j)
    for table in LAM["tables"].values()
    for scenario, rows in table["scenarios"].items()
    for method in rows
    for j in range(len(LAM["n"]))
]


# ---- Lam (2023) -------------------------------------------------------------------------------------------


# All tables of up to 5,000 items are many.
known_curve = functools.cache(coverage_curve)


@pytest.fixture(
    scope="module", params=[LAM["n"][:4], pytest.param(LAM["n"], marks=pytest.mark.long)], ids=len
)
def curves(request):
    chosen = (*METHODS, "credible_equal_tailed")
    return {s: known_curve(tuple(request.param), *p, methods=chosen) for s, p in LAM["scenarios"].items()}


def printed(field, scenario, method, j):
    table = next(t for t in LAM["tables"].values() if t["field"] == field)
    return table["scenarios"][scenario][method][j]


def test_every_cell_of_lams_tables_is_the_exact_one_up_to_rounding_and_his_simulation(curves):
    different = 0
    cells = [cell for cell in CELLS if cell[-1] < len(curves["1"].n)]
    for field, scenario, method, j in cells:
        exact = getattr(curves[scenario], field)[METHODS.index(method), j]
        # 1,000,000 replicates; lengths vary by far less than .2 between them.
        noise = 0.2 if field == "length" else math.sqrt(exact * (1.0 - exact))
        assert abs(printed(field, scenario, method, j) - exact) <= 5e-4 + 3.0 * noise / 1000.0
        different += round(exact, 3) != printed(field, scenario, method, j)
    assert different <= 11
    assert len(cells) < 288 or different == 11


@pytest.mark.parametrize("method", METHODS)
def test_the_first_scenarios_coverage_is_known_to_six_digits(curves, method):
    found = curves["1"].coverage[METHODS.index(method), 0]
    assert found == pytest.approx(LAM["exact"][method], abs=6e-7)


@pytest.mark.long
def test_the_example_shows_all_cells_and_explains_those_that_differ(monkeypatch, capsys):
    lam = load_script("examples/papers/lam_tables.py")
    monkeypatch.setattr(lam.bf, "coverage_curve", known_curve)
    for field, scenario, method, j in CELLS:
        quoted = lam.PRINTED[field][int(scenario)][j][lam.METHODS.index(method)]
        assert quoted == round(1000 * printed(field, scenario, method, j))
    assert len(lam.READINGS) == 7
    assert {c["scanned"] for c in LAM["corrections_of_the_scan"]} == {
        reading.split("'")[1] if '"' not in reading else reading.split('"')[1] for reading in lam.READINGS[:5]
    } | {"200", "2000"}
    lam.main()
    text = capsys.readouterr().out
    tables, notes = text.split("\n288 cells; where the print differs (11)\n")
    assert tables.split("\n", 1)[1].count("*") == 11
    assert notes.count("noise of the paper's 1,000,000 replicates") == 11


# ---- all tables, listed another way -----------------------------------------------------------------------


def of_one(method, n, *p, **options):
    """What is said of one method and one number of items."""
    curve = coverage_curve([n], *p, methods=[method], **options)
    return [getattr(curve, f)[0, 0] for f in ("coverage", "length", "overshoot", "degenerate")]


def brute_force(method, n, p, truth, level=0.95):
    """Sum over the tables of n items one by one."""
    cells = (*p, 1.0 - sum(p))
    total = np.zeros(4)
    for tp, fp, fn in itertools.product(range(n + 1), repeat=3):
        if tp + fp + fn > n:
            continue
        mass = stats.multinomial.pmf([tp, fp, fn, n - tp - fp - fn], n, cells)
        low, high = method(tp, fp, fn, confidence_level=level)
        total += mass * np.array([low <= truth <= high, high - low, low < 0 or high > 1, low == high])
    return total


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("p", [(0.4, 0.1, 0.1), (0.1, 0.3, 0.6), (0.0, 0.2, 0.1), (0.5, 0.0, 0.0)])
def test_listing_tables_by_relevant_items_is_listing_all_of_them(n, p):
    truth = 2 * p[0] / (2 * p[0] + p[1] + p[2])
    assert of_one("wald", n, *p) == pytest.approx(brute_force(wald, n, p, truth), abs=1e-12)


def weighted(tp, fp, fn, *, confidence_level):
    return fbeta_delta(tp, fp, fn, beta=2.0, confidence_level=confidence_level)


def wilson(tp, fp, fn, *, confidence_level):
    return proportion_confint(tp, tp + fp, 1 - confidence_level, method="wilson") if tp + fp else (0.0, 1.0)


def jeffreys(tp, fp, fn, *, confidence_level):
    return FScore(tp + 0.5, fp + 0.5, fn + 0.5).interval(confidence_level)


@pytest.mark.parametrize(
    ("name", "method", "truth", "options"),
    [
        ("fbeta_delta", weighted, 5 * 0.4 / (5 * 0.4 + 0.1 + 4 * 0.3), {"metric": "f2"}),
        ("wilson", wilson, 0.8, {"metric": "precision"}),
        ("credible_equal_tailed", jeffreys, 0.8 / 1.2, {"prior": 0.5}),
    ],
)
def test_the_coverage_of_a_method_of_any_metric_is_the_sum_over_all_tables(name, method, truth, options):
    p = (0.4, 0.1, 0.3)
    found = of_one(name, 9, *p, **options)
    assert found == pytest.approx(brute_force(method, 9, p, truth), abs=1e-9)


# ---- Jiang (2020) and Takahashi et al. (2022) -------------------------------------------------------------


@pytest.mark.long
def test_jiangs_interval_covers_as_often_as_his_simulation_says():
    # Jiang (2020), Section 2.4: 9,455 of 10,000 intervals for F0.5 cover, n = 1000.
    tp, fp, fn = 0.5 * stats.norm.cdf(1.5), 0.5 * stats.norm.sf(1.0), 0.5 * stats.norm.sf(1.5)
    coverage, length, *_ = of_one("fbeta_delta", 1000, tp, fp, fn, metric="f0.5")
    assert abs(coverage - 0.9455) <= 3 * math.sqrt(0.95 * 0.05 / 10_000)
    # The mean standard error is printed as .01280255.
    assert length / (2 * stats.norm.ppf(0.975)) == pytest.approx(0.01280255, rel=2e-3)


@pytest.fixture(scope="module")
def takahashi():
    return load_script("examples/papers/takahashi_tables.py")


def test_the_takahashi_example_has_the_papers_numbers(takahashi):
    for scenario in (1, 2, 3):
        matrix = np.array(TAKAHASHI["table_2"][str(scenario)])
        np.testing.assert_allclose(takahashi.SCENARIOS[scenario], matrix / matrix.sum(), atol=1e-15)
        assert [list(row) for row in takahashi.COVERAGE[scenario]] == TAKAHASHI["table_3"][str(scenario)]
        truth = [score(matrix).estimate for score in takahashi.SCORES.values()]
        assert truth == pytest.approx(TAKAHASHI["true_scores"][str(scenario)], abs=0.00501)
    assert takahashi.MNN.tolist() == TAKAHASHI["mnn"]["matrix"]
    assert tuple(TAKAHASHI["table_3"]["n"]) == takahashi.NUMBERS


@pytest.mark.parametrize("scenario", [1, 2, 3])
@pytest.mark.parametrize("j", [0, 2, 4])
def test_takahashis_coverage_is_simulated_again_within_noise(takahashi, scenario, j):
    n, replicates = takahashi.NUMBERS[j], 20_000
    rng = np.random.default_rng([scenario, j])
    found = takahashi.simulate(takahashi.SCENARIOS[scenario], n, replicates, rng)
    for name, paper in zip(takahashi.SCORES, takahashi.COVERAGE[scenario][j], strict=True):
        coverage, undefined = found[name]
        error = math.sqrt(coverage * (1 - coverage) * (1 / (replicates * (1 - undefined)) + 1e-6))
        assert abs(coverage - paper) <= 5e-4 + 4 * error


def test_the_micro_averages_coverage_is_the_print_within_its_noise(takahashi):
    for scenario, p in takahashi.SCENARIOS.items():
        for j, n in enumerate(takahashi.NUMBERS):
            exact = takahashi.exact_micro(p, n)
            noise = math.sqrt(exact * (1 - exact)) / 1000
            assert abs(takahashi.COVERAGE[scenario][j][0] - exact) <= 5e-4 + 3 * noise


# ---- curves and questions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("wilson_drect", 25, 0.4, 0.1, 0.1), {}, "did you mean 'wilson_direct'"),
        (("wilson", 25, 0.4, 0.1, 0.1), {}, "unknown method 'wilson' for f1"),
        (("wald", 25, 0.8, 0.2, 0.1), {}, "at most 1, not 1.1"),
        (("wald", 25, 0, 0, 0), {}, "more than 0"),
        (("wald", 25, 0.4, 0.1, 0.1), {"metric": "mcc"}, "metrics of tp, fp and fn"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        of_one(*arguments, **options)
