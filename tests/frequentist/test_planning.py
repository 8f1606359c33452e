"""Plans against Jiang's numbers, textbook sample sizes, and brute-force simulation of what they promise."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize, special, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.frequentist.planning import (
    assumed_pilot,
    plan,
    plan_comparison,
    resolution,
    simulated_pair,
    variance_bound,
)
from bayesf1.metrics import find_metric
from builders import joint_draws, joint_evaluation

CELLS = ("tp", "fp", "fn", "tn")
Z = stats.norm.ppf(0.975)
# Jiang (2020), Section 2.3: n = 535, E_n ZA = 0.535, τ(0.8, 0.2) = 0.861, τ(0.64, 0.04) = 0.900.
JUICE = bf.from_counts(logistic=(286, 47, 43, 159))


def jiang_variance(tp, fp, fn, a, b):
    """ν(a, b)/n of Proposition 1, as it is printed."""

    def tau(x, y):
        return tp / (tp + x * fp + y * fn)

    return (1 / tau(a * a, b * b) - 1 + (1 / tau(a, b) - 1) ** 2) / (tp * tau(a, b) ** -4)


# ---- bound -------------------------------------------------------------------------------------------------


def test_v_has_the_values_of_the_paper():
    # Jiang (2020), Proposition 1 (iii), four digits; nine computed twice with mpmath.
    printed = {0.5: 0.1549, 0.6: 0.1695, 0.7: 0.1861, 0.8: 0.2050, 0.9: 0.2262}
    digits = {0.5: 0.154921087, 0.6: 0.169469385, 0.7: 0.186089410, 0.8: 0.204970226, 0.9: 0.226248283}
    for m, value in printed.items():
        assert round(variance_bound(m, 1 - m), 4) == value
        assert variance_bound(1 - m, m) == pytest.approx(digits[m], abs=5e-10)


@given(a=st.floats(0, 50), b=st.floats(0, 50))
def test_v_is_the_maximum_that_the_paper_defines(a, b):
    e, tau = 1 - max(a, b), np.linspace(0, 1, 2001)
    assert variance_bound(a, b) == pytest.approx(np.max(tau * (1 - tau) * (1 - e * tau) ** 2), rel=1e-5)


# ---- sample size -------------------------------------------------------------------------------------------


def test_jiangs_plan_without_his_rounding():
    found = plan(half_width=0.02, metric="f0.5", prevalence=0.615)
    # 0.02/1.96 instead of his 0.01; with V = 0.2050 and 0.01 it is his 10,250 and 16,667.
    assert (found.n_positives, found.n_units) == (9843, 16005)
    assert found.standard_error == pytest.approx(0.02 / Z)


def test_a_pilot_gives_the_smallest_size_that_jiangs_variance_allows():
    found = plan(half_width=0.02, metric="f0.5", pilot=JUICE)
    variance = jiang_variance(286, 47, 43, 0.8, 0.2)
    assert variance**0.5 == pytest.approx(0.0162389873, abs=5e-11)
    assert Z * (variance * 535 / found.n_units) ** 0.5 <= 0.02
    assert Z * (variance * 535 / (found.n_units - 1)) ** 0.5 > 0.02
    assert found.n_positives == pytest.approx(found.n_units * 329 / 535, abs=1)
    assert found.n_units < 16005 / 10


@pytest.mark.parametrize("half_width", [0.01, 0.02, 0.05])
def test_recall_and_accuracy_take_the_textbook_size(half_width):
    from statsmodels.stats.proportion import samplesize_confint_proportion

    theirs = int(np.ceil(samplesize_confint_proportion(0.5, half_width) - 1e-9))
    assert plan(half_width, "recall").n_positives == theirs
    assert plan(half_width, "recall", prevalence=0.25).n_units == 4 * theirs
    assert plan(half_width, "accuracy").n_units == theirs


@settings(max_examples=25)
@given(
    counts=st.tuples(*[st.integers(1, 300)] * 4),
    metric=st.sampled_from(["f1", "f0.5", "f2", "recall", "jaccard"]),
)
def test_no_pilot_takes_more_than_the_bound(counts, metric):
    sharp = plan(0.03, metric, pilot=bf.from_counts(A=counts))
    assert sharp.n_positives <= plan(0.03, metric).n_positives


def test_sentences_are_planned_for_as_sentences():
    # Every sentence holds the same item twice: it takes as many sentences as items would be needed alone.
    rng = np.random.default_rng(0)
    gold = rng.random(400) < 0.4
    said = gold ^ (rng.random(400) < 0.15)
    alone = bf.from_labels(gold, {"A": said}, positive=True)
    twice = bf.from_labels(
        np.repeat(gold, 2), {"A": np.repeat(said, 2)}, positive=True, groups=np.repeat(np.arange(400), 2)
    )
    one, other = plan(0.02, pilot=alone), plan(0.02, pilot=twice)
    assert other.unit == "document"
    assert other.n_units == one.n_units
    assert other.n_positives == pytest.approx(2 * one.n_positives, abs=1)


SEEN = joint_evaluation([150, 20, 25, 30, 10, 12, 9, 800])


def observed_p_h1(counts, metric, prior=1.0):
    """P(H1) that `Rivals` gives for items counted by joint outcome."""
    r = simulated_pair(joint_evaluation(np.maximum(counts, 1e-9)), find_metric(metric), prior)
    return float(r._p_h1(r.weights[None, None], r.weights[None, None])[0, 0])


# ---- posterior ---------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(counts=st.tuples(*[st.integers(0, 60)] * 8))
def test_it_is_exact_where_only_who_was_right_counts(counts):
    gain, loss = counts[2] + 1, counts[1] + 1
    assert observed_p_h1(counts, "recall") == pytest.approx(special.betaincc(gain, loss, 0.5), abs=1e-8)
    gain, loss = counts[2] + counts[5] + 2, counts[1] + counts[6] + 2
    assert observed_p_h1(counts, "accuracy") == pytest.approx(special.betaincc(gain, loss, 0.5), abs=1e-8)


@pytest.mark.parametrize("metric", ["f1", "f0.5", "f2", "precision", "mcc"])
@pytest.mark.parametrize("counts", [(40, 3, 9, 8, 4, 5, 2, 129), (900, 60, 85, 200, 150, 70, 50, 2485)])
def test_it_is_near_that_of_the_joint_dirichlet_elsewhere(metric, counts):
    c = bf.compare(joint_evaluation(counts), metrics=metric, prior=1.0)[metric]
    # Two moments of each side: measured errors stay below 0.004 with ten discordant items or more.
    assert observed_p_h1(counts, metric) == pytest.approx(c.p_h1, abs=0.005 + 4 * c.mcse)


@pytest.mark.parametrize("difference", [0.001, 0.02, 0.08])
@pytest.mark.parametrize("metric", ["f1", "mcc", "precision"])
def test_the_true_difference_is_the_one_supposed_and_the_rest_stays(metric, difference):
    measure = find_metric(metric)
    r = simulated_pair(SEEN, measure, 1.0)
    shares = r.shares(difference)
    of_a = r.middle - 0.5 * r.net
    of_b = r.middle + 0.5 * r.net
    table_a = r.weights @ (shares[:, None] * of_a + (1 - shares)[:, None] * of_b)
    table_b = r.weights @ (shares[:, None] * of_b + (1 - shares)[:, None] * of_a)
    assert float(r.score(table_b) - r.score(table_a)) == pytest.approx(difference, abs=1e-9)
    np.testing.assert_allclose(
        table_a + table_b, (SEEN.tables.sum(axis=0)) @ np.eye(4)[:, [CELLS.index(c) for c in measure.needs]]
    )


# ---- assumed pilot -----------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    prevalence=st.floats(0.05, 0.6),
    precision=st.floats(0.6, 0.95),
    recall=st.floats(0.5, 0.95),
    agreement=st.floats(0.9, 0.999),
)
def test_it_has_the_rates_that_were_supposed(prevalence, precision, recall, agreement):
    try:
        ev = assumed_pilot(
            prevalence=prevalence, precision=precision, recall=recall, agreement=agreement, n_items=500
        )
    except ValueError as error:
        assert "agreement" in str(error)  # noqa: PT017
        return
    tp, fp, fn, tn = ev.tables[0]
    assert tp + fp + fn + tn == pytest.approx(500)
    assert (tp + fn) / 500 == pytest.approx(prevalence)
    assert tp / (tp + fp) == pytest.approx(precision)
    assert tp / (tp + fn) == pytest.approx(recall)
    assert simulated_pair(ev, find_metric("accuracy"), 1.0).agreement == pytest.approx(agreement)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"f1": 0.8, "agreement": 0.3}, r"agreement 0\.3 is too small: .* agree on at least 0\.8"),
        ({"agreement": 0.9}, r"give f1, or both precision and recall"),
        (
            {"precision": 0.01, "recall": 0.9, "agreement": 0.9},
            r"more wrong predictions than there are items",
        ),
    ],
)
def test_what_cannot_be_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        assumed_pilot(prevalence=0.2, **options)


def decided_share(counts_of_sets, rng):
    """Share of test sets, counted by joint outcome, on which draws of the joint Dirichlet give P(F1_B > F1_A) ≥ 0.95."""
    decided = []
    for counts in counts_of_sets:
        f1_a, f1_b = find_metric("f1")(joint_draws(counts, 0.5, 2000, rng), CELLS).T
        decided.append(np.mean(f1_b > f1_a) >= 0.95)
    return np.mean(decided)


# ---- decision ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_brute_force_attains_the_assurance_that_is_promised():
    # Test sets are drawn and tested here without the planner: items by joint outcome, with the shares of
    # who is right solved for anew, and P(H1) from draws of the joint Dirichlet.
    pilot = assumed_pilot(prevalence=0.3, f1=0.75, agreement=0.9)
    found = plan_comparison(pilot, difference=0.06, rng=1)
    masses = dict(zip(map(tuple, pilot.units.rows), pilot.units.weights / 1000, strict=True))
    one = np.eye(4)
    tp, fp, fn, tn = (tuple(row) for row in one)
    both, alone, neither = masses[tp + tp], masses[tp + fn], masses[fn + fn]
    claimed, claims, left = masses[fp + fp], masses[fp + tn], masses[tn + tn]

    def outcomes(u, v):
        hits, wrong = 2 * alone * np.array([1 - u, u]), 2 * claims * np.array([v, 1 - v])
        return np.array([both, *hits, neither, claimed, *wrong, left])

    def difference(p):
        f1 = [
            2 * (p[0] + own) / (2 * (p[0] + own) + p[4] + wrong + p[3] + other)
            for own, other, wrong in ((p[1], p[2], p[5]), (p[2], p[1], p[6]))
        ]
        return f1[1] - f1[0]

    # The planner tilts gold items and claims by what each is worth; here both alike, which is nearly that.
    share = optimize.brentq(lambda u: difference(outcomes(u, u)) - 0.06, 0.5, 1.0)
    rng = np.random.default_rng(2)
    sets = rng.multinomial(found.n_units, outcomes(share, share), size=500)
    # 4 standard errors of 500 sets are 0.07.
    assert decided_share(sets, rng) == pytest.approx(0.8, abs=0.07)
    assert found.assurance == pytest.approx(0.8, abs=0.02)


def test_what_a_test_set_resolves_takes_a_test_set_of_its_size():
    ev = assumed_pilot(prevalence=0.2, precision=0.85, recall=0.75, agreement=0.94, n_items=2500)
    smallest = resolution(ev, rng=1)
    size = plan_comparison(ev, difference=smallest.difference, rng=2)
    # The noise of 10,000 sets is about 1.5 % of the size, on either side.
    assert size.n_units == pytest.approx(2500, rel=0.06)
    assert f"below {100 * smallest.difference:.1f} percentage points" in str(smallest)


@pytest.mark.parametrize(
    "planned",
    [lambda **how: plan_comparison(SEEN, difference=0.03, **how), lambda **how: resolution(SEEN, **how)],
)
def test_test_sets_are_simulated_from_the_number_that_was_given(planned):
    first, again, other = [planned(n_sets=100, rng=start) for start in (1, 1, 2)]
    assert first == again
    assert first.assurance != other.assurance


@pytest.mark.parametrize("heavy", [False, True])
def test_many_kinds_of_units_are_planned_for_as_what_they_are(heavy):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(size=(2000, 2)), np.ones((500, 2))])
    ev = bf.from_scores(dict(zip("AB", (np.exp(2 * scores) if heavy else scores).T, strict=True)))
    pair = simulated_pair(ev, resolve_metric("mean", ev), 0.5)
    few = pair.merged()
    assert len(few.weights) < 300 < len(pair.weights)
    assert (few.size, few.agreement) == pytest.approx((2500, 0.2))
    np.testing.assert_allclose(few.weights @ few.net, pair.weights @ pair.net)
    assert (few.spread, few.largest) == pytest.approx((pair.spread, pair.largest), rel=2e-3)


@pytest.mark.parametrize("n_classes", [None, 40])
def test_neither_strata_nor_outcomes_on_the_same_units_change_what_is_found(n_classes):
    rng = np.random.default_rng(0)
    ev = bf.from_scores({m: rng.exponential(size=300) for m in "AB"})
    if n_classes:
        # Some classes have a single item.
        gold, other = rng.zipf(1.3, size=(2, 300)).clip(max=n_classes)
        ev = bf.from_labels(gold, {m: np.where(rng.random(300) < 0.7, gold, other) for m in "AB"})
    pair = simulated_pair(ev, resolve_metric(None, ev), 0.5)
    shares = [one.shares(2.0 * pair.spread / 300**0.5) for one in (pair, pair.merged())]
    expected = pair.probabilities(300, shares[0], 20_000, np.random.default_rng(1))
    found = [
        (pair.merged().probabilities(300, shares[1], 500, np.random.default_rng(seed)) >= 0.9).mean(axis=1)
        for seed in range(40)
    ]
    errors = [each.std(ddof=1) / len(each) ** 0.5 for each in found]
    assert np.mean(found) == pytest.approx(
        (expected >= 0.9).mean(), abs=4 * np.mean(errors) / 40**0.5 + 0.012
    )
    # The standard deviation of 40 numbers is known to 11 %.
    assert np.std([each.mean() for each in found]) == pytest.approx(np.mean(errors), rel=0.4)


def test_areas_of_many_units_are_planned_for_and_medians_of_as_many_are_refused():
    rng = np.random.default_rng(0)
    y = rng.random(9000) < 0.3
    some, many = (
        bf.from_probabilities(y[:n], {m: special.expit(y + rng.normal(size=9000))[:n] for m in "AB"})
        for n in (900, 9000)
    )
    first, second = (resolution(ev, n_sets=1000, rng=1).difference for ev in (some, many))
    # Ten times the items resolve a difference that is smaller by the root of ten; the pilots differ as well.
    assert first / second == pytest.approx(np.sqrt(10), rel=0.2)
    with pytest.raises(ValueError, match=r"9,000 kinds of units are too many"):
        resolution(bf.from_scores(dict(zip("AB", rng.normal(size=(2, 9000)), strict=True))), metric="median")


def test_a_pilot_must_know_its_units_and_have_models_that_differ():
    same = bf.from_labels([1, 0, 1], {"A": [1, 1, 0], "B": [1, 1, 0]}, positive=1)
    totals = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
    for ev, message in ((totals, "only totals are known"), (same, "A and B did the same on every item")):
        with pytest.raises(ValueError, match=message):
            resolution(ev)


# ---- non-inferiority ---------------------------------------------------------------------------------------
# Units to show that a model is not worse by more than a margin.


PILOT = bf.assumed_pilot(prevalence=0.3, f1=0.8, agreement=0.9, n_items=500)


def test_of_accuracy_it_is_the_sample_size_of_a_paired_non_inferiority_test():
    # Normal approximation for matched pairs, Lu & Bean (1995): n = ψ (z_p + z_assurance)² / m², equal models.
    plan = bf.plan_comparison(PILOT, metric="accuracy", not_worse_by=0.02, rng=1)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert plan.n_units == pytest.approx(0.1 * z**2 / 0.02**2, rel=0.04)


@pytest.mark.long
@pytest.mark.parametrize(("agreement", "margin"), [(0.99, 0.03), (0.995, 0.02), (0.995, 0.05)])
def test_where_few_items_tell_models_apart_it_is_not_short_of_what_was_asked_for(agreement, margin):
    pilot = bf.assumed_pilot(prevalence=0.3, f1=0.9, agreement=agreement, n_items=2000)
    plan = bf.plan_comparison(pilot, metric="accuracy", not_worse_by=margin, rng=1)
    # Wins and losses of equal models; the law of the difference is that of a Dirichlet.
    rng, off = np.random.default_rng(1), 0.5 * (1.0 - agreement)
    sets = rng.multinomial(plan.n_units, [off, off, agreement], size=2000)
    kinds, n = np.unique(sets, axis=0, return_counts=True)
    drawn = rng.standard_gamma(kinds[:, None] + [0.5, 0.5, 1.0], (len(kinds), 20_000, 3))
    sure = ((drawn[..., 0] - drawn[..., 1]) / drawn.sum(axis=-1) >= -margin).mean(axis=1) >= 0.975
    assert (n @ sure) / n.sum() > 0.8 - 4 * np.sqrt(0.8 * 0.2 / 2000)


def test_no_sentence_of_a_plan_obeys_the_name_of_a_unit():
    ev = bf.from_scores({"A": [0.1, 0.5, 0.3] * 9, "B": [0.4, 0.3, 0.5] * 9}, unit="\x1b[31mquery")
    found = resolution(ev, n_sets=200)
    assert "queries" in found.sentence
    assert "\x1b" not in found.sentence + found.assumptions + str(found)
