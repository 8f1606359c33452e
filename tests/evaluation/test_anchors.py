"""Laws that need no draws, and draws that are steadied by them, against plain draws."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation.anchors import anchor_of
from bayesf1.evaluation.scoring import find_measure


def documents(n, seed=3, size=30):
    rng = np.random.default_rng(seed)
    gold, hard = rng.poisson(size, size=n) + 1, rng.beta(8, 2, size=n)
    counts = {}
    for name, gain in (("A", 0.0), ("B", 0.01)):
        tp = rng.binomial(gold, np.clip(hard + gain, 0.0, 1.0))
        counts[name] = np.stack([tp, rng.binomial(gold, 0.2), gold - tp], axis=1)
    return bf.from_units(counts, unit="document")


def queries(n=60):
    rng = np.random.default_rng(7)
    hard = rng.normal(size=n)
    return bf.from_scores({"A": hard, "B": hard + rng.normal(0.1, 0.5, size=n)})


def drawn(ev, metric, assumption="auto", n_draws=200_000):
    under = ev.under(assumption)
    blocks = under.scores(
        [find_measure(metric, ev)], prior=1.0, n_draws=n_draws, rng=np.random.default_rng(5)
    )
    return np.concatenate([block[0] for block in blocks])


CASES = [
    (documents(40), "precision", "auto"),
    (documents(40), "recall", "auto"),
    (documents(40), "f1", "auto"),
    (documents(12), "f2", "auto"),
    (queries(), "mean", "auto"),
    (queries(), "mean", "independent"),
    (
        bf.from_correct({"A": [1, 0, 1] * 20, "B": [1, 1, 0] * 20}, groups=list(range(30)) * 2),
        "accuracy",
        "auto",
    ),
]


@pytest.mark.parametrize(("ev", "metric", "assumption"), CASES)
def test_a_score_has_the_law_that_its_draws_have(ev, metric, assumption):
    under, measure = ev.under(assumption), find_measure(metric, ev)
    scores = drawn(ev, metric, assumption)
    for i in (0, 1):
        anchor = anchor_of(under, measure, np.eye(2)[i], 1.0)
        assert anchor.exact
        for level in (0.005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.995):
            below = np.mean(scores[:, i] <= anchor.law.ppf(np.array(level)))
            assert below == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / len(scores)))


@pytest.mark.parametrize(("ev", "metric", "assumption"), [CASES[1], CASES[4], CASES[5], CASES[6]])
def test_a_difference_with_one_denominator_needs_no_draws(ev, metric, assumption):
    under, measure = ev.under(assumption), find_measure(metric, ev)
    gaps = np.diff(drawn(ev, metric, assumption), axis=1)[:, 0]
    anchor = anchor_of(under, measure, np.array([-1.0, 1.0]), 1.0)
    assert anchor.exact
    for t in (-0.02, 0.0, 0.01, 0.05):
        p = float(anchor.law.cdf(t))
        assert np.mean(gaps <= t) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(gaps)) + 1e-9)
    c = bf.compare(ev, metrics=metric, assumption=assumption)[measure.name]
    assert (c.method, c.mcse, c.n_draws) == ("exact", 0.0, 0)
    assert c.p_h1 == pytest.approx(1.0 - float(anchor.law.cdf(0.0)), abs=1e-12)


@pytest.mark.parametrize("metric", ["f1", "precision", "jaccard"])
def test_steadied_draws_have_the_law_of_plain_ones_and_the_error_that_they_say(metric):
    ev = documents(40)
    plain = bf.compare(ev, metrics=metric, method="montecarlo", n_draws=400_000)[metric]
    found = [bf.compare(ev, metrics=metric, rng=seed)[metric] for seed in range(12)]
    p, errors = np.array([c.p_h1 for c in found]), np.array([c.mcse for c in found])
    assert p.mean() == pytest.approx(plain.p_h1, abs=4 * np.hypot(plain.mcse, errors.mean() / 12**0.5))
    # Chi-squared with 11 degrees of freedom, and errors are said with care.
    assert np.sum(((p - p.mean()) / errors) ** 2) < 31.3
    # As many plain draws would be off by several times as much.
    assert errors.max() < 0.4 * np.sqrt(plain.p_h1 * (1 - plain.p_h1) / found[0].n_draws)
    for level in (0.025, 0.5, 0.975):
        ends = [c.difference.ppf(level) for c in found]
        assert np.mean(ends) == pytest.approx(plain.difference.ppf(level), abs=0.02 * plain.difference.std())


def test_swapping_the_models_swaps_the_law_and_no_more():
    ev = documents(30)
    for metric in ("recall", "f1"):
        forth, back = (bf.compare(ev, *names, metrics=metric, rope=0.01)[metric] for names in ("AB", "BA"))
        assert (forth.p_h1, forth.p_h0, forth.p_less) == (back.p_h0, back.p_h1, back.p_greater)
        low, high = back.difference.interval()
        assert forth.difference.interval() == pytest.approx((-high, -low), rel=1e-12)


def test_of_a_loss_the_lower_is_better_by_its_law():
    ev = queries()
    scores = {"A": [3.0, 1.0, 2.0] * 10, "B": [2.5, 1.5, 1.0] * 10}
    more, less = (bf.compare(bf.from_scores(scores, lower_is_better=down))["mean"] for down in (False, True))
    assert (more.p_h1, more.p_h0) == (less.p_h0, less.p_h1)
    assert bf.posterior(ev, "A").interval() == bf.posterior(ev, "A", rng=9).interval()


def test_few_units_and_what_is_no_ratio_of_sums_are_drawn():
    few = documents(6)
    f1 = find_measure("f1", few)
    assert anchor_of(few.under(), f1, np.array([-1.0, 1.0]), 1.0) is None
    with pytest.warns(UserWarning, match="only 6 documents"):
        assert bf.compare(few)["f1"].method == "montecarlo"
    ev = queries()
    median = find_measure("median", ev)
    assert anchor_of(ev.under(), median, np.array([-1.0, 1.0]), 1.0) is None
    assert bf.compare(ev, metrics="median")["median"].mcse > 0.0


def test_draws_go_on_until_their_error_is_below_what_is_printed():
    sure = bf.compare(documents(60, size=300), metrics="f1")["f1"]
    unsure = bf.compare(queries(), metrics="median")["median"]
    assert sure.mcse <= 5e-4
    assert unsure.n_draws == unsure.under.default_draws
    assert bf.compare(queries(), metrics="median", n_draws=700)["median"].n_draws == 700
