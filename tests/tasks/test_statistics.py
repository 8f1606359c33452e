"""Measures that are functions of sums: drawn as a weighted corpus is, whatever the function is."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model
from builders import drawn


def rate(totals):
    return totals[..., 0] / totals[..., 1]


def rate_of_one(totals):
    errors, words = totals
    return errors / words if words > 0 else 0.0


def counts(n=40, seed=1, models="AB"):
    rng = np.random.default_rng(seed)
    words = rng.integers(5, 40, n)
    return {m: np.stack([rng.binomial(words, 0.1 + 0.05 * i), words], axis=1) for i, m in enumerate(models)}


SUMS = counts()


def build(sums=SUMS, measure=rate, **options):
    return bf.from_statistics(sums, measure, **{"name": "WER", "lower_is_better": True, **options})


def test_a_measure_of_one_corpus_after_another_answers_as_one_of_many():
    many, one = build(), build(measure=rate_of_one)
    assert bf.score(many, "A") == bf.score(one, "A") == SUMS["A"][:, 0].sum() / SUMS["A"][:, 1].sum()
    a, b = (bf.compare(ev, rng=1, n_draws=2000)["wer"] for ev in (many, one))
    assert a.p_h1 == b.p_h1
    assert a.difference.interval(0.95) == pytest.approx(b.difference.interval(0.95), rel=1e-12)


def test_the_draws_are_those_of_dirichlet_weights():
    c = bf.compare(build(), rng=1, n_draws=40_000)["wer"]
    weights = np.random.default_rng(2).dirichlet(np.ones(40), 40_000)
    gaps = rate(weights @ SUMS["B"]) - rate(weights @ SUMS["A"])
    assert c.difference.mean() == pytest.approx(gaps.mean(), abs=5 * gaps.std() / 200)
    effective_sample = sampling_model(c.ev).effective_sample(c.definition)
    inflation = np.sqrt(
        (effective_sample.units - 1) / (effective_sample.units - 3) / effective_sample.seen_variance
    )
    assert c.difference.std() == pytest.approx(inflation * gaps.std(), rel=0.02)
    drawn_gaps = np.diff(c.definition(drawn(c.ev, rng=3), c.ev.cells))[:, 0]
    assert stats.ks_2samp(drawn_gaps[::4], gaps[::4]).pvalue > 1e-4


def test_units_are_worth_the_same_on_every_scale_of_a_statistic():
    scaled = {m: x * np.array([100.0, 0.01]) for m, x in SUMS.items()}
    one, other = build(), build(scaled)
    worths = [sampling_model(ev).effective_sample(resolve_metric(None, ev)) for ev in (one, other)]
    assert worths[0] == pytest.approx(worths[1], rel=1e-9)
    padded = {m: np.concatenate([x, np.eye(40)[:, :1] * 1e6], axis=1) for m, x in SUMS.items()}
    ev = build(padded, measure=lambda totals: totals[..., 0] / totals[..., 1])
    assert sampling_model(ev).effective_sample(resolve_metric(None, ev)) == pytest.approx(worths[0], rel=1e-9)


def test_groups_are_units_of_sums():
    where = np.arange(40) // 4
    ev = build(groups=where)
    assert (ev.unit, ev.units.size, ev.assumption) == ("document", 10, "clustered")
    joined = {m: x.reshape(10, 4, 2).sum(axis=1) for m, x in SUMS.items()}
    assert ev.units == build(joined, unit="document").units
    assert ev.items.units.size == 40
    apart = bf.compare(ev, assumption="paired", rng=1)["wer"].difference.std()
    assert apart == pytest.approx(bf.compare(build(), rng=1)["wer"].difference.std(), rel=0.02)


def broken(totals):
    raise KeyError("words")


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (broken, r"metric 'WER' raised KeyError \('words'\) for totals such as \["),
        (lambda totals: float("nan"), "metric 'WER' gave nan for the totals"),
        (lambda totals: totals[..., 0], "gave [0-9]+ for the totals and [0-9]+ for twice as much"),
        (lambda totals: [1.0, 2.0, 3.0], "is not a number"),
        ("wer", "measure must be a function, not 'wer'"),
    ],
)
def test_a_measure_that_fails_is_named(measure, words):
    with pytest.raises(ValueError, match=words):
        build(measure=measure)


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (
            {"A": [[1, 2], [3, -4]]},
            "have -4 for item 2, column 2; they must be finite numbers .* not negative",
        ),
        ({"A": [[1, 2]], "B": [[1, 2], [3, 4]]}, "statistics of 'B' have 2 values, but .* 1"),
        (
            {"A": pd.DataFrame({"e": [1], "w": [2]}), "B": pd.DataFrame({"w": [2], "e": [1]})},
            "give the same columns in the same order",
        ),
    ],
)
def test_bad_statistics_are_named(sums, words):
    with pytest.raises(ValueError, match=words):
        build(sums)
