"""Intervals for scores and for differences of scores: papers, statsmodels, scipy, mpmath and brute force."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import bayesf1 as bf
from bayesf1.frequentist.closed_intervals import (
    binomial_clopper_pearson,
    binomial_wald,
    binomial_wilson,
    clopper_pearson,
    fbeta_delta,
    normal_quantile,
    tversky_delta,
    wald,
    wilson_direct,
    wilson_indirect,
)
from bayesf1.frequentist.intervals import (
    METHODS,
    bca_ends,
    difference_intervals,
    intervals,
    percentile_ends,
)
from bayesf1.metrics import find_metric
from bayesf1.sampling.model import sampling_model
from builders import load_script, noisy

REFERENCE = Path(__file__).parents[1] / "reference"
LAM = json.loads((REFERENCE / "lam_2023.json").read_text(encoding="utf-8"))
TAKAHASHI = json.loads((REFERENCE / "takahashi_2022.json").read_text(encoding="utf-8"))

F1_METHODS = {
    "clopper_pearson": clopper_pearson,
    "wald": wald,
    "wilson_direct": wilson_direct,
    "wilson_indirect": wilson_indirect,
}
# Formulas of Takahashi et al. (2022), an independent check of the delta method over items.
PAPER = load_script("examples/papers/takahashi_tables.py")
micro_f1, macro_f1, macro_f1_star = PAPER.micro_f1, PAPER.macro_f1, PAPER.macro_f1_star
CLASS_SCORES = {"micro_f1": micro_f1, "macro_f1": macro_f1, "macro_f1_star": macro_f1_star}
Z95 = 1.959963984540054

over_f1 = pytest.mark.parametrize("method", F1_METHODS.values(), ids=F1_METHODS)
counts = st.integers(0, 10**6)
levels = st.floats(0.01, 0.9999)


# ---- F1: Lam (2023) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", F1_METHODS)
@pytest.mark.parametrize("example", LAM["examples"], ids=lambda e: e["where"])
def test_lams_worked_examples_are_recomputed_and_round_to_the_print(example, method):
    tp, fp, fn, _ = example["counts"]
    found = F1_METHODS[method](tp, fp, fn)
    assert [found.low, found.high] == pytest.approx(example["recomputed"][method], abs=6e-9)
    assert round(found.estimate, 3) == example["f1"]
    assert [round(x, 3) for x in (found.low, found.high, found.length)] == example["printed"][method]


def quartic_root(k, f1, end):
    """Halve the part of [0, 1] between the estimate and an end until the root of Eq. 44 is left."""
    negative, positive = mpmath.mpf(f1), mpmath.mpf(end)
    if f1 == end:
        return positive
    for _ in range(160):
        x = (negative + positive) / 2
        above = k * x * (x - 1) * (x - 2) ** 2 + 2 * (x - f1) ** 2 > 0
        negative, positive = (negative, x) if above else (x, positive)
    return positive


@pytest.mark.parametrize(
    ("tp", "nu"), [(0, 1), (1, 1), (1, 2), (1, 10**6), (10**6 - 1, 10**6), (333, 1000), (5 * 10**8, 10**9)]
)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_the_roots_are_those_of_mpmath_to_the_last_digits(tp, nu, level):
    with mpmath.workdps(50):
        k = mpmath.mpf(normal_quantile(level)) ** 2 / nu
        f1 = mpmath.mpf(2 * tp) / (tp + nu)
        low, high = (float(quartic_root(k, f1, end)) for end in (0, 1))
    found = wilson_direct(tp, nu - tp, 0, confidence_level=level)
    assert found.low == pytest.approx(low, rel=1e-13, abs=0)
    assert found.high == pytest.approx(high, abs=1e-15)


@given(tp=counts, fp=counts, fn=counts, level=levels)
@over_f1
def test_an_interval_holds_the_estimate_and_only_walds_leaves_the_unit_interval(method, tp, fp, fn, level):
    found = method(tp, fp, fn, confidence_level=level)
    slack = 1e-12
    assert found.low <= found.estimate + slack
    assert found.high >= found.estimate - slack
    if method is not wald:
        assert 0.0 <= found.low <= found.high <= 1.0
        assert not found.overshoot
        assert not found.degenerate
    assert found.overshoot == (found.low < 0 or found.high > 1)


# ---- shares: statsmodels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "name"),
    [(binomial_clopper_pearson, "beta"), (binomial_wald, "normal"), (binomial_wilson, "wilson")],
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_shares_have_the_intervals_of_statsmodels(method, name, level):
    n, s = (x.ravel() for x in np.meshgrid(np.arange(1, 60), np.arange(60)))
    n, s = n[s <= n], s[s <= n]
    theirs = proportion_confint(s, n, alpha=1 - level, method=name)
    ours = method(s, n - s, confidence_level=level)
    low, high = ours
    if name == "normal":
        # statsmodels cuts these off at 0 and 1.
        assert (ours.overshoot == ((low < 0) | (high > 1))).all()
        assert ours.overshoot.any()
        low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
    np.testing.assert_allclose([low, high], theirs, atol=1e-12)


# ---- F-beta: Jiang (2020) ---------------------------------------------------------------------------------


def test_jiangs_orange_juice():
    # Jiang (2020), Section 2.3: n = 535, E_n(ZA) = .535, tau(.8,.2) = .861, tau(.64,.04) = .900, se .0162,
    # interval .861 ± .032; counts 286/47/43 reproduce all of them. Recomputed to ten digits.
    juice = fbeta_delta(286, 47, 43, beta=0.5)
    assert juice.estimate == pytest.approx(0.8609271523, abs=6e-11)
    assert juice.se == pytest.approx(0.0162389873, abs=6e-11)
    assert round(286 / 535, 3) == 0.535
    assert round(tversky_delta(286, 47, 43, a=0.64, b=0.04).estimate, 3) == 0.900
    assert round(juice.estimate, 3) == 0.861
    assert round(juice.se, 4) == 0.0162
    assert round(juice.length / 2, 3) == 0.032


def test_a_tversky_index_is_precision_recall_or_jaccard():
    for weights, share in (((1, 0), (77, 44)), ((0, 1), (77, 10)), ((1, 1), (77, 54))):
        found = tversky_delta(77, 44, 10, a=weights[0], b=weights[1])
        assert list(found) == pytest.approx(list(binomial_wald(*share)), abs=1e-14)


# ---- several classes: Takahashi et al. (2022) -------------------------------------------------------------


@pytest.mark.parametrize("score", CLASS_SCORES)
def test_takahashis_example_and_sleep_stages_are_recomputed_and_round_to_the_print(score):
    example, mnn = TAKAHASHI["example"], TAKAHASHI["mnn"]
    found, printed = CLASS_SCORES[score](example["matrix"]), example["printed"][score]
    assert [found.estimate, found.se] == pytest.approx(example["recomputed"][score], abs=6e-11)
    assert (round(found.estimate, 3), round(found.se, 4)) == (printed["estimate"], printed["se"])
    assert [round(end, 3) for end in found] == printed["interval"]
    found = CLASS_SCORES[score](mnn["matrix"])
    assert [round(x, 3) for x in (found.estimate, *found)] == mnn["printed"][score]
    assert found.estimate == pytest.approx(mnn["recomputed"][score][0], abs=6e-11)


# ---- units: delta method and bootstrap --------------------------------------------------------------------


def labelled(n, rng, *, agreement=0.9):
    """Gold labels and two models that mostly agree."""
    gold = rng.random(n) < 0.4
    a = noisy(rng, gold, 0.8)
    b = np.where(rng.random(n) < agreement, a, noisy(rng, gold, 0.85))
    return gold.astype(int), a.astype(int), b.astype(int)


def paired(n, rng, **options):
    gold, a, b = labelled(n, rng, **options)
    return bf.from_labels(gold, {"A": a, "B": b}, positive=1)


def difference_of(ev, name):
    measure = find_metric(name)
    return lambda tables: measure(tables, ev.cells)[..., 1] - measure(tables, ev.cells)[..., 0]


def test_over_items_the_delta_method_is_walds():
    ev = bf.from_counts(A=(77, 44, 10, 702))
    for metric, closed in (("f1", wald(77, 44, 10)), ("precision", binomial_wald(77, 44))):
        assert list(intervals(ev, "A", metric, rng=0)["delta"]) == pytest.approx(list(closed), abs=1e-9)
    weighted = [("f2", fbeta_delta(77, 44, 10, beta=2))]
    weighted += [(f"tversky({a},{b})", tversky_delta(77, 44, 10, a=a, b=b)) for a, b in ((0.3, 0.9), (2, 0))]
    for metric, jiang in weighted:
        assert list(intervals(ev, "A", metric, rng=0)["delta"]) == pytest.approx(list(jiang), abs=1e-9)


@pytest.mark.parametrize("metric", ["f1", "f0.5", "mcc", "accuracy", "kappa", "precision"])
def test_the_paired_variance_is_that_of_the_jackknife(metric):
    n = 3000
    ev = paired(n, np.random.default_rng(2))
    gold, a, b = labelled(n, np.random.default_rng(2))
    statistic = difference_of(ev, metric)
    units = np.zeros((n, 2, 4))
    for m, said in enumerate((a, b)):
        cell = np.where(gold == 1, np.where(said == 1, 0, 2), np.where(said == 1, 1, 3))
        units[np.arange(n), m, [ev.cells.index(("tp", "fp", "fn", "tn")[c]) for c in cell]] = 1
    left = statistic(units.sum(axis=0) - units)
    jackknife = (n - 1) / n * ((left - left.mean()) ** 2).sum()
    # They differ by terms of the order 1/n.
    assert sampling_model(ev, "paired").samples.variance(statistic) == pytest.approx(jackknife, rel=5e-3)


def test_variances_add_where_only_totals_are_known():
    ev = bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))
    res = difference_intervals(ev, metric="f1", prior=1, rng=0)
    half = Z95 * math.hypot(wald(77, 44, 10).se, wald(83, 9, 14).se)
    gap = wald(83, 9, 14).estimate - wald(77, 44, 10).estimate
    assert list(res["delta"]) == pytest.approx([gap - half, gap + half], abs=1e-9)
    # 95 % ETI of the difference by quadrature, computed twice by different means.
    assert list(res["credible_equal_tailed"]) == pytest.approx([0.05164558, 0.21935612], abs=6e-9)
    assert "independent" in str(res)


@pytest.mark.long
@pytest.mark.parametrize("metric", ["f1", "f0.5"])
def test_the_paired_delta_interval_covers_the_true_difference_as_often_as_it_says(metric):
    rng = np.random.default_rng(8)
    truth_ev = paired(2_000_000, np.random.default_rng(9))
    truth = float(difference_of(truth_ev, metric)(truth_ev.tables))
    hits, n_sets = 0, 400
    for _ in range(n_sets):
        ev = paired(400, rng)
        statistic = difference_of(ev, metric)
        half = Z95 * math.sqrt(sampling_model(ev, "paired").samples.variance(statistic))
        hits += abs(float(statistic(ev.tables)) - truth) <= half
    # Binomial(400, .95) has sd 4.4.
    assert abs(hits - 0.95 * n_sets) <= 4 * math.sqrt(n_sets * 0.95 * 0.05)


def test_clusters_widen_what_single_items_would_make_too_short():
    rng = np.random.default_rng(10)
    documents, size = 60, 20
    gold = (rng.random((documents, size)) < 0.5).astype(int)
    # Models do well in some documents and badly in others.
    skill = rng.choice([0.6, 0.98], size=(documents, 1))
    said = np.where(rng.random((documents, size)) < skill, gold, 1 - gold)
    groups = np.repeat(np.arange(documents), size)
    ev = bf.from_labels(gold.ravel(), {"A": said.ravel()}, positive=1, groups=groups)
    res = intervals(ev, "A", "f1", rng=1)
    for method in ("delta", "bootstrap_percentile", "bootstrap_bca"):
        assert res[method].length > 1.3 * res["wald"].length
        assert "over documents" in res[method].note
    assert "single items as independent" in res["wald"].note
    for assumption in ("paired", "independent"):
        items = intervals(ev, "A", "f1", assumption=assumption, rng=1)
        assert items["delta"].length == pytest.approx(res["wald"].length, rel=1e-9)
        assert items["bootstrap_percentile"].length == pytest.approx(res["wald"].length, rel=0.05)


def table_scores(sample, axis):
    tp, fp, fn = ((sample == cell).sum(axis) for cell in range(3))
    return 2 * tp / (2 * tp + fp + fn)


def test_bca_is_that_of_scipy_on_the_same_resamples():
    table = (37, 14, 6, 43)
    items = np.repeat(np.arange(4), table)
    theirs = stats.bootstrap(
        (items,), table_scores, n_resamples=4000, batch=500, method="percentile", rng=np.random.default_rng(1)
    )
    scores = theirs.bootstrap_distribution
    ev = bf.from_counts(A=table)
    statistic = lambda tables: find_metric("f1")(tables, ev.cells)[..., 0]  # noqa: E731
    acceleration = sampling_model(ev, "independent").samples.acceleration(statistic)
    bca = stats.bootstrap(
        (items,), table_scores, n_resamples=0, batch=500, method="BCa", bootstrap_result=theirs
    )
    estimate = 74 / 94
    assert percentile_ends(scores) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)
    assert bca_ends(scores, estimate, acceleration) == pytest.approx(tuple(bca.confidence_interval), abs=1e-9)
    assert bca_ends(scores, estimate, acceleration) != percentile_ends(scores)


# ---- the table of intervals -------------------------------------------------------------------------------

OVER_UNITS = ["delta", "bootstrap_percentile", "bootstrap_bca", "credible_equal_tailed", "credible_hdi"]


@pytest.mark.parametrize(
    ("metric", "closed"),
    [
        ("f1", ["clopper_pearson", "wald", "wilson_direct", "wilson_indirect"]),
        ("recall", ["clopper_pearson", "wald", "wilson"]),
        ("jaccard", ["clopper_pearson", "wald", "wilson"]),
        ("accuracy", ["clopper_pearson", "wald", "wilson"]),
        ("f0.5", ["fbeta_delta"]),
        ("mcc", []),
        (lambda tables: tables[..., 0] / tables.sum(axis=-1), []),
    ],
)
def test_every_method_that_applies_is_in_the_table(metric, closed):
    res = intervals(bf.from_counts(A=(77, 44, 10, 702)), "A", metric, rng=1)
    assert list(res) == [*closed, *OVER_UNITS]
    for row in res.values():
        assert row.low < res.estimate < row.high
        assert row.kind == ("credible" if row.method.startswith("credible") else "confidence")


@pytest.mark.parametrize("metric", ["f1", "recall", "accuracy", "mcc"])
def test_every_method_of_a_difference_is_in_the_table(metric):
    ev = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
    assert list(difference_intervals(ev, metric=metric, rng=1)) == OVER_UNITS


def test_the_help_names_every_method():
    assert {name for name in METHODS if f'"{name}"' not in intervals.__doc__} == set()


def test_the_credible_rows_are_the_posteriors():
    ev = bf.from_counts(A=(77, 44, 10))
    distribution = bf.posterior(ev, "A", "f1", prior=0.5)
    res = intervals(ev, "A", "f1", prior=0.5, confidence_level=0.9, rng=1)
    assert tuple(res["credible_equal_tailed"]) == distribution.interval(0.9)
    assert tuple(res["credible_hdi"]) == distribution.hdi(0.9)


# ---- several classes, and scores --------------------------------------------------------------------------


@pytest.mark.parametrize("score", CLASS_SCORES)
def test_the_delta_method_over_items_of_several_classes_is_takahashis(score):
    matrix = TAKAHASHI["example"]["matrix"]
    ev = bf.from_confusion({"A": matrix, "B": np.transpose(matrix)})
    closed = CLASS_SCORES[score](matrix)
    found = bf.interval_table(ev, [score, "accuracy"])
    for model in ("A", "B"):
        expected = [closed.estimate, closed.se, *closed]
        assert found.loc[(model, score)].tolist() == pytest.approx(expected, abs=1e-9)
        assert found.index.tolist()[:2] == [("A", score), ("A", "accuracy")]
    assert bf.interval_table(ev, "accuracy", method="wilson")["se"].isna().all()


def test_scores_have_the_interval_of_their_mean_and_no_delta_method_for_a_median():
    rng = np.random.default_rng(15)
    x = rng.random(40).round(2)
    ev = bf.from_scores({"A": x, "B": (x + rng.random(40).round(2)) / 2})
    mean = intervals(ev, "A", "mean", rng=1)
    student = stats.t.interval(0.95, 39, loc=x.mean(), scale=stats.sem(x))
    assert list(mean["delta"]) == pytest.approx(list(student), abs=1e-9)
    assert "delta" not in intervals(ev, "A", "median", rng=1)
    assert "over units" in mean["delta"].note


def test_intervals_are_of_a_method_or_of_one_of_its_runs():
    gold = [1] * 30 + [0] * 70
    runs = {name: [1] * (25 + i) + [0] * (75 - i) for i, name in enumerate(("seed0", "seed1"))}
    ev = bf.from_labels(gold, {"A": runs, "B": {"seed0": gold[::-1]}}, positive=1)
    alone = bf.from_labels(gold, {"A/seed1": runs["seed1"]}, positive=1)
    of_run = intervals(ev, "A/seed1", methods=["delta", "wald"])
    assert {name: tuple(row) for name, row in of_run.items()} == {
        name: tuple(row) for name, row in intervals(alone, "A/seed1", methods=["delta", "wald"]).items()
    }
    assert of_run.estimate != intervals(ev, "A", methods=["delta"]).estimate
    with pytest.raises(ValueError, match="unknown model 'C'"):
        intervals(ev, "C")
