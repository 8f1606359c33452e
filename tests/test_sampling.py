"""What was sampled: one mechanism for all posteriors, assumptions, few or uneven units, and memory."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.posterior import distribution_of
from bayesf1.metrics import find_metric
from bayesf1.sampling.draws import ManyUnits, draw_patterns
from bayesf1.sampling.inflation import SizeEffect, SmallSampleInflation, effective_sample_of
from bayesf1.sampling.model import sampling_model
from bayesf1.sampling.resampling import Sample, Samples
from bayesf1.units import Units
from builders import drawn, joint_draws, joint_evaluation
from evaluations import EVALUATIONS


def test_the_bootstrap_sees_the_share_of_the_variance_that_is_said():
    # A weighted mean of unit effects: what the bootstrap's variance is, on average, of the true one.
    rng = np.random.default_rng(1)
    sizes = np.array([1.0, 1, 2, 3, 5, 8, 40])
    share = sizes / sizes.sum()
    effects = rng.normal(size=(200_000, len(sizes)))
    means = effects @ share
    seen = ((effects - means[:, None]) ** 2 @ share**2).mean()
    effective_sample = effective_sample_of(
        Units(sizes[:, None], np.ones(len(sizes)), "document"), np.ones((1, 1))
    )
    assert effective_sample.units == pytest.approx(1 / (share**2).sum())
    assert seen / (share**2).sum() == pytest.approx(effective_sample.seen_variance, rel=0.01)


def test_stretched_normal_draws_follow_students_t():
    rng = np.random.default_rng(2)
    inflation = SmallSampleInflation(np.array([0.5]), freedom=4.0)
    draws = inflation.stretch(0.5 + rng.normal(size=(200_000, 1)), inflation.draw_factors(200_000, rng), rng)[
        :, 0
    ]
    for level in (0.9, 0.975, 0.995):
        assert np.quantile(draws - 0.5, level) == pytest.approx(stats.t(4).ppf(level), rel=0.03)


def test_single_items_and_many_even_units_stay_as_they_are():
    for name, ev in EVALUATIONS.items():
        sampling = sampling_model(ev())
        measure = resolve_metric(None, ev())
        if not sampling.bootstraps:
            assert sampling.inflation(measure).freedom == np.inf, name
    tp = np.random.default_rng(0).binomial(10, [0.7, 0.75], (2000, 2))
    many = bf.from_units(np.stack([tp, 6 - tp // 2, 10 - tp], axis=-1).astype(float), unit="document")
    f1 = resolve_metric("f1", many)
    inflation = sampling_model(many).inflation(f1)
    assert inflation.freedom > 1900
    assert inflation.widening == pytest.approx(1.0, abs=1e-3)


def test_one_long_document_does_not_decide():
    rows = np.zeros((41, 2, 3))
    rows[:40] = [[2, 1, 1], [3, 1, 0]]
    rows[40] = [[600, 150, 250], [700, 100, 150]]
    ev = bf.from_units(rows, unit="document")
    res = bf.compare(ev, rng=1)
    assert res["f1"].verdict == "undecided"
    assert "do not decide" in res.sentence()
    ranking = bf.rank(ev, rng=1)
    for answer in (res, ranking):
        for form in ("__str__", "to_markdown", "to_latex", "to_json", "_repr_html_", "methods_sentence"):
            assert "effectively about 1" in getattr(answer, form)()


def test_one_document_decides_nothing_whatever_its_scores():
    for a, b in (((7, 53, 52), (59, 0, 0)), ((59, 0, 0), (7, 53, 52)), ((3, 1, 1), (2, 2, 2))):
        res = bf.compare(bf.from_units({"A": [a], "B": [b]}, unit="document"), rng=1)["f1"]
        assert abs(res.p_h1 - 0.5) < 4 * res.mcse + 0.05
        assert res.verdict == "undecided"


@pytest.mark.parametrize("kind", ["uneven documents", "a rare label", "means far from 0"])
def test_very_many_units_drawn_together_are_those_drawn_one_by_one(kind):
    rng = np.random.default_rng(4)
    n = 6_000
    rows = rng.exponential(size=(n, 3)) + 0.01
    if kind == "uneven documents":
        rows *= np.exp(rng.normal(0.0, 1.5, (n, 1)))
    elif kind == "a rare label":
        rows[200:, 0] = 0.0
    else:
        rows[:, 0] = 1000.0 + rng.normal(size=n)
        rows[:, 2] = 1.0
    units = Units(rows, np.ones(n), "document")
    score = lambda tables: tables[..., 0] / tables[..., 2]  # noqa: E731
    together = score(
        np.concatenate([*draw_patterns(rows, units.weights, n_draws=1_500, numbers_each=n, rng=rng)])
    )
    assert stats.ks_2samp(together, score(rng.exponential(size=(1_500, n)) @ rows)).pvalue > 1e-3
    samples = Samples((Sample(units, slice(0, 1)),), units.totals[None])
    assert samples.resample_cost < 1_000
    together = samples.resampled(lambda tables: score(tables[:, 0]), 1_500, rng)
    assert stats.ks_2samp(together, score(rng.multinomial(n, np.full(n, 1 / n), 1_500) @ rows)).pvalue > 1e-3


def test_a_difference_that_goes_with_the_length_of_documents_is_told_and_less_sure():
    rng = np.random.default_rng(3)
    sizes = np.round(20 * np.exp(rng.normal(0, 1, 40))).astype(int) + 1
    slope = 0.5 * np.log(sizes / 20)
    tables = []
    for shift in (-slope, slope, np.zeros(40), np.zeros(40)):
        tp = rng.binomial(sizes, 1 / (1 + np.exp(-0.8 - shift)))
        tables.append(np.stack([tp, rng.binomial(sizes, 0.2), sizes - tp], axis=-1))
    a, b, c, d = tables
    ev = bf.from_units({"A": a, "B": b}, unit="document")
    told = bf.compare(ev, rng=1)
    assert "Spearman +" in str(told)
    f1, sampling = resolve_metric("f1", ev), sampling_model(ev)
    draws = f1(drawn(ev, rng=rng), ev.cells)
    inflation = replace(sampling.inflation(f1), size_effect=None)
    without = np.diff(inflation.stretch(draws, inflation.draw_factors(20_000, rng), rng))
    low, high = told["f1"].difference.interval()
    assert high - low > 1.1 * np.diff(np.quantile(without, [0.025, 0.975]))[0]
    quiet = bf.compare(bf.from_units({"A": c, "B": d}, unit="document"), rng=1)
    assert "Spearman" not in str(quiet)


BINARY = ("tp", "fp", "fn", "tn")


def simulated(n_models, n_items, *, seed=0, groups=False):
    """Models that are right on most items, and tend to be wrong on the same ones."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n_items) < 0.4
    hard = rng.random(n_items) < 0.3
    wrong = rng.random((n_models, n_items)) < np.where(hard, 0.5, 0.05)
    predictions = {f"m{i}": gold ^ row for i, row in enumerate(wrong)}
    documents = rng.integers(0, max(n_items // 5, 1), n_items) if groups else None
    return bf.from_labels(gold, predictions, groups=documents)


# ---- one posterior mechanism


@pytest.mark.parametrize("n_items", [4, 200])
@pytest.mark.parametrize("n_models", [2, 9])
def test_each_models_margin_of_the_joint_draws_is_its_closed_form_law(n_models, n_items):
    prior = 0.5
    ev = simulated(n_models, n_items, seed=3)
    rng = np.random.default_rng(11)
    tables = drawn(ev, "paired", prior=prior, rng=rng)
    assert tables.shape == (20_000, n_models, 4)
    for i, name in itertools.product((0, n_models - 1), ("f1", "precision", "recall", "accuracy")):
        measure = find_metric(name)
        distribution = distribution_of(measure, ev, i, prior)
        assert stats.kstest(measure(tables[:, i], ev.cells), distribution.cdf).pvalue > 1e-4


@pytest.mark.parametrize("resampled", [False, True])
def test_sums_over_very_many_units_have_the_skewness_of_their_weights(resampled):
    rows = np.random.default_rng(8).lognormal(size=(20_000, 1)).clip(max=8.0)
    found = ManyUnits.of(rows, np.ones(len(rows)), resampled=resampled)
    small = rows[~found.large, 0]
    # Exponential weights have cumulants 1 and 2; numbers of times that a unit is resampled have 1 and 1 around the mean.
    cumulant = 1.0 if resampled else 2.0
    centred = small - small.mean() if resampled else small
    skewness = cumulant * (centred**3).sum() / (centred**2).sum() ** 1.5
    assert np.abs(6.0 * found.skewness.item()) == pytest.approx(skewness)


def test_other_long_units_move_scores_by_a_cauchy_number_of_them():
    moved = SizeEffect(4.0, np.array([-0.1, 0.1])).draw(100_000, np.random.default_rng(9))
    # One more unit in the median, none and two in the quartiles: 2.5 g / (4 + |g|) of the shift.
    quartiles = np.quantile(moved[:, 1], [0.25, 0.5, 0.75])
    assert quartiles == pytest.approx([0.0, 0.25 / 5, 0.5 / 6], abs=0.002)
    assert moved[:, 0] == pytest.approx(-moved[:, 1])


def test_models_are_as_dependent_in_the_draws_as_on_the_items():
    ev = simulated(2, 2000)
    draws = {}
    for assumption in ("paired", "independent"):
        tables = drawn(ev, assumption, prior=1.0, n_draws=50_000, rng=5)
        draws[assumption] = np.corrcoef(find_metric("accuracy")(tables, ev.cells).T)[0, 1]
    right = ev.units.rows.reshape(-1, *ev.tables.shape)[..., [0, 3]].sum(axis=-1)
    on_items = np.cov(right.T, fweights=ev.units.weights.astype(int))
    assert draws["paired"] == pytest.approx(
        on_items[0, 1] / np.sqrt(on_items[0, 0] * on_items[1, 1]), abs=0.02
    )
    assert abs(draws["independent"]) < 0.02


JOINT = [(40, 6, 13, 5, 3, 7, 4, 120), (4, 6, 3, 3, 4, 3, 4, 9), (900, 60, 30, 80, 11, 25, 40, 5000)]


def brute_force(counts, measure, margin, *, prior=1.0, n=200_000, seed=1):
    """P(B - A > margin) and its standard error from Dirichlet draws of the eight joint outcomes."""
    scores = measure(joint_draws(counts, prior, n, np.random.default_rng(seed)), BINARY)
    p = float(np.mean(scores[:, 1] - scores[:, 0] > margin))
    return p, np.sqrt((p * (1 - p) + 1 / n) / n)


@pytest.mark.long
@pytest.mark.parametrize("counts", JOINT)
def test_paired_probabilities_are_within_their_error_of_brute_force(counts):
    names = ["f1", "f2", "precision", "mcc", "jaccard", "recall", "specificity", "accuracy"]
    res = bf.compare(joint_evaluation(counts), metrics=names, rope=0.02, prior=1.0)
    for name, c in res.items():
        assert c.mcse < 2e-3
        for margin, value in ((0.0, c.p_h1), (0.02, c.p_greater), (-0.02, 1.0 - c.p_less)):
            p, mcse = brute_force(counts, find_metric(name), margin)
            assert abs(value - p) < 4.5 * np.hypot(mcse, max(c.mcse, 1e-4)), (name, margin)


def test_paired_f1_is_what_quadrature_gave():
    # P(H1) of F1 by a double integral over discordant shares and splits, half an item more in each cell, exact to 1e-7.
    c = bf.compare(joint_evaluation((40.5, 6, 13, 5.5, 3.5, 7, 4, 120.5)), metrics="f1", prior=0.5)["f1"]
    assert c.p_h1 == pytest.approx(0.9666082, abs=4 * c.mcse)


# ---- assumptions


def test_auto_takes_the_strongest_assumption_that_the_data_support():
    totals = bf.from_counts(A=(7, 4, 1), B=(8, 3, 0))
    paired, clustered = (simulated(2, 200, groups=groups) for groups in (False, True))
    for ev, assumption in ((totals, "independent"), (paired, "paired"), (clustered, "clustered")):
        assert bf.compare(ev, n_draws=1000, rng=0)["f1"].assumption == assumption
    as_items = bf.compare(clustered, assumption="paired", rng=0)["f1"]
    assert as_items.p_h1 == bf.compare(clustered.items, rng=0)["f1"].p_h1


@pytest.mark.parametrize(
    ("build", "assumption", "message"),
    [
        (lambda: bf.from_counts(A=(7, 4, 1), B=(8, 3, 0)), "clustered", "only totals are known"),
        (lambda: simulated(2, 50), "clustered", "'clustered' needs units of several items.*give groups="),
        (lambda: bf.from_units(np.ones((4, 2, 3))), "paired", "only the sums over each unit are known"),
    ],
)
def test_an_assumption_that_the_data_do_not_support_is_refused_in_words(build, assumption, message):
    ev = build()
    with pytest.raises(ValueError, match=message):
        bf.compare(ev, assumption=assumption)
    with pytest.raises(ValueError, match=message):
        bf.posterior(ev, ev.models[0], assumption=assumption)


def test_a_clustered_model_without_a_true_positive_has_a_proper_posterior():
    ev = bf.from_units({"A": [(0, 1, 2)] * 20, "B": [(2, 1, 0)] * 20}, unit="sentence")
    post = bf.posterior(ev, "A", "f1", rng=0)
    assert 0 < post.interval(0.95)[0] < post.interval(0.95)[1] < 0.2
    assert post.std() > 0
    res = bf.compare(ev, n_draws=10_000, rng=0)
    assert all(c.p_h1 > 0.99 for c in res.values())
    assert all(c.mcse > 0 or c.method == "exact" for c in res.values())
