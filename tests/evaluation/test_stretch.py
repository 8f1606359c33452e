"""Few or uneven units: what they are worth, and how much a bootstrap over them is stretched."""

from dataclasses import replace

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import Units, resolve_metric
from bayesf1.sampling import SmallSampleInflation, effective_sample_of, gamma_sum_sf, sampling_model
from evaluations import EVALUATIONS


def documents(sizes, seed=0, hit=(0.7, 0.75)):
    """Two models on documents with so many entities each."""
    rng = np.random.default_rng(seed)
    n = np.asarray(sizes)
    common, own = rng.normal(0, 0.7, len(n)), rng.normal(0, 0.4, (2, len(n)))
    rows = []
    for m in range(2):
        p = 1 / (1 + np.exp(-(np.log(hit[m] / (1 - hit[m])) + common + own[m])))
        tp = rng.binomial(n, p)
        rows.append(np.stack([tp, rng.binomial(n, 0.6 * (1 - p)), n - tp], axis=1))
    return bf.from_units(np.stack(rows, axis=1).astype(float), unit="document")


def test_even_units_are_worth_their_number():
    for k in (2, 7, 500):
        effective_sample = effective_sample_of(
            Units(np.array([[3.0]]), np.array([float(k)]), "document"), np.ones((1, 1))
        )
        assert effective_sample.units == pytest.approx(k)
        assert effective_sample.seen == pytest.approx((k - 1) / k)


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
    assert seen / (share**2).sum() == pytest.approx(effective_sample.seen, rel=0.01)


def test_stretched_normal_draws_follow_students_t():
    from scipy import stats

    rng = np.random.default_rng(2)
    inflation = SmallSampleInflation(np.array([0.5]), freedom=4.0)
    draws = inflation(0.5 + rng.normal(size=(200_000, 1)), inflation.factors(200_000, rng), rng)[:, 0]
    for level in (0.9, 0.975, 0.995):
        assert np.quantile(draws - 0.5, level) == pytest.approx(stats.t(4).ppf(level), rel=0.03)


def test_single_items_and_many_even_units_stay_as_they_are():
    for name, ev in EVALUATIONS.items():
        sampling = sampling_model(ev())
        measure = resolve_metric(None, ev())
        if not sampling.bootstraps:
            assert sampling.inflation(measure).freedom == np.inf, name
    many = documents(np.full(2000, 10))
    f1 = resolve_metric("f1", many)
    inflation = sampling_model(many).inflation(f1)
    assert inflation.freedom > 1900
    assert inflation.widening == pytest.approx(1.0, abs=1e-3)


def test_one_long_document_does_not_decide():
    rows = np.zeros((41, 2, 3))
    rows[:40] = [[2, 1, 1], [3, 1, 0]]
    rows[40] = [[600, 150, 250], [700, 100, 150]]
    ev = bf.from_units(rows, unit="document")
    with pytest.warns(UserWarning, match="effectively about 1"):
        res = bf.compare(ev, rng=1)
    assert res["f1"].verdict == "undecided"
    assert "do not decide" in res.sentence()
    for text in (
        str(res),
        res.to_markdown(),
        res.to_latex(),
        res.to_json(),
        res._repr_html_(),
        res.methods_sentence(),
    ):
        assert "effectively about 1" in text
    with pytest.warns(UserWarning, match="effectively about 1"):
        ranking = bf.rank(ev, rng=1)
    for text in (
        str(ranking),
        ranking.to_markdown(),
        ranking.to_latex(),
        ranking.to_json(),
        ranking.methods_sentence(),
    ):
        assert "effectively about 1" in text


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*document")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_verb_stretches_alike():
    ev = documents(np.r_[np.full(9, 5), 60])
    f1 = resolve_metric("f1", ev)
    post = bf.posterior(ev, "A", rng=1)
    plain = np.concatenate(
        [
            f1(t, ev.cells)
            for t in sampling_model(ev).draw(prior=0.5, n_draws=20_000, rng=np.random.default_rng(1))
        ]
    )
    low, high = post.interval(0.95)
    assert high - low > 1.5 * np.diff(np.quantile(plain[:, 0], [0.025, 0.975]))[0]
    table = bf.summary(ev, metrics="f1", rng=2).loc[("A", "f1")]
    assert table["sd"] == pytest.approx(post.std(), rel=0.05)
    ranking = bf.rank(ev, rng=3)
    assert ranking.low[ranking.models.index("A")] == pytest.approx(low, abs=0.02)
    compared = bf.compare(ev, rng=4)["f1"]
    assert compared.posterior_a.interval(0.95)[0] == pytest.approx(low, abs=0.02)
    drawn = (
        bf.compare(ev, rng=4)
        .to_arviz(n_draws=20_000, rng=5)["posterior"]["score"]
        .sel(system="A", measure="f1")
    )
    assert np.quantile(drawn, 0.025) == pytest.approx(low, abs=0.02)
    delta = bf.difference_intervals(ev, metric="f1", rng=6)
    lengths = {name: row.high - row.low for name, row in delta.items()}
    assert lengths["delta"] > 1.5 * lengths["bootstrap_percentile"]


@pytest.mark.filterwarnings("ignore:.*quer")
def test_ten_queries_are_stretched_too():
    rng = np.random.default_rng(0)
    ev = bf.from_scores({"A": rng.random(10), "B": rng.random(10) + 0.1})
    mean = resolve_metric("mean", ev)
    assert sampling_model(ev).inflation(mean).freedom == pytest.approx(9.0)
    assert sampling_model(ev, "independent").inflation(mean).freedom == pytest.approx(9.0)


@pytest.mark.filterwarnings("ignore:There is only 1 document")
def test_one_document_decides_nothing_whatever_its_scores():
    for a, b in (((7, 53, 52), (59, 0, 0)), ((59, 0, 0), (7, 53, 52)), ((3, 1, 1), (2, 2, 2))):
        res = bf.compare(bf.from_units({"A": [a], "B": [b]}, unit="document"), rng=1)["f1"]
        assert abs(res.p_h1 - 0.5) < 4 * res.mcse + 0.02
        assert res.verdict == "undecided"


def test_sums_of_very_many_gamma_variates_are_those_of_fewer_larger_ones():
    rng = np.random.default_rng(1)
    for coefficients in (rng.normal(size=200), rng.exponential(size=200) - 1.0, np.linspace(-1.0, 1.01, 200)):
        exact = gamma_sum_sf(coefficients, np.full(200, 100.0))
        assert gamma_sum_sf(np.repeat(coefficients, 100), np.ones(20_000)) == pytest.approx(exact, abs=1e-6)


@pytest.mark.filterwarnings("ignore:The 40 documents")
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
    assert "B gains on A as documents get longer" in str(told)
    f1, sampling = resolve_metric("f1", ev), sampling_model(ev)
    draws = f1(np.concatenate(list(sampling.draw(prior=0.5, n_draws=20_000, rng=rng))), ev.cells)
    inflation = replace(sampling.inflation(f1), pull=None)
    without = np.diff(inflation(draws, inflation.factors(20_000, rng), rng))
    low, high = told["f1"].difference.interval()
    assert high - low > 1.1 * np.diff(np.quantile(without, [0.025, 0.975]))[0]
    quiet = bf.compare(bf.from_units({"A": c, "B": d}, unit="document"), rng=1)
    assert "Spearman" not in str(quiet)
