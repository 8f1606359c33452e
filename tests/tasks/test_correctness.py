"""Items right or wrong: closed forms against brute force, and what 0 and 1 must not be taken for."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.control_variate import gamma_sum_sf
from builders import drawn


def of_counts(only_a, only_b, both, neither):
    """Two models with these joint counts."""
    a = [1] * only_a + [0] * only_b + [1] * both + [0] * neither
    b = [0] * only_a + [1] * only_b + [1] * both + [0] * neither
    return bf.from_correct({"A": a, "B": b})


# ---- the defect -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [bf.from_correct, bf.from_scores])
@pytest.mark.parametrize("kind", [bool, int, float])
def test_twenty_of_twenty_is_no_proof_of_beating_eighteen(build, kind):
    a = np.array([1] * 18 + [0] * 2).astype(kind)
    ev = build({"A": a, "B": np.ones(20, dtype=kind)})
    res = bf.compare(ev, rng=1)["accuracy"]
    assert res.p_h1 == pytest.approx(stats.beta(2.5, 0.5).sf(0.5), abs=4 * res.mcse)
    assert res.posterior_b.interval(0.95) == pytest.approx(stats.beta(20.5, 0.5).ppf([0.025, 0.975]))
    low, high = res.difference.interval(0.95)
    assert low < 0 < high
    assert "do not decide" in str(res)


def test_a_metric_is_asked_for_by_the_name_that_it_was_given():
    answers = {"A": [1, 0, 1, 1, 0, 0], "B": [1, 1, 1, 0, 1, 1]}
    ev = bf.from_correct(answers, name="solved")
    for name in ("solved", "Solved", "accuracy"):
        assert (bf.score(ev, "A", name), bf.score(ev, "B", name)) == (3 / 6, 5 / 6)
        (res,) = bf.compare(ev, metrics=name).values()
        assert (res.label, res.score_b) == ("solved", 5 / 6)
    with pytest.raises(ValueError, match=r"unknown metric 'resolved'.*solved"):
        bf.compare(ev, metrics="resolved")


# ---- closed forms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("counts", [(0, 2, 18, 0), (3, 9, 60, 40), (5, 0, 0, 0), (0, 0, 4, 1)])
def test_probabilities_are_those_of_the_joint_dirichlet(counts, prior):
    n = 400_000
    drawn = np.random.default_rng(1).standard_gamma(np.add(counts, [prior, prior, 0, 0]), (n, 4))
    gap = (drawn[:, 1] - drawn[:, 0]) / drawn.sum(axis=1)
    res = bf.compare(of_counts(*counts), prior=prior, rope=0.04, rng=1)["accuracy"]
    for ours, theirs in (
        (res.p_h1, gap > 0),
        (res.p_less, gap < -0.04),
        (res.p_greater, gap > 0.04),
        (res.p_rope, np.abs(gap) <= 0.04),
    ):
        assert abs(ours - theirs.mean()) < 4 * np.hypot(0.5 / np.sqrt(n), max(res.mcse, 5e-4))


@pytest.mark.parametrize(
    ("only_a", "only_b", "others", "prior", "margin"),
    [
        (0, 2, 18, 1.0, 0.05),
        (0, 2, 18, 1.0, -0.05),
        (0, 0, 20, 0.2, 0.01),
        (30, 40, 1000, 0.5, 0.01),
        (5, 20, 0, 1.0, 0.2),
        (3, 1, 2, 1.0, 0.4),
        (50, 20, 100_000, 1.0, 0.0001),
    ],
)
def test_a_margin_is_integrated_to_full_precision(only_a, only_b, others, prior, margin):
    with mpmath.workdps(25):
        for_a, for_b = only_a + prior / 2, only_b + prior / 2
        a, b = (for_a, for_b) if margin > 0 else (for_b, for_a)
        d = mpmath.mpf(abs(margin))
        s, r = a + b, others + prior
        mean, sd = s / (s + r), mpmath.sqrt(s * r / (s + r + 1)) / (s + r)
        cuts = [d, *(x for k in (-12, -6, -3, -1, 0, 1, 3, 6, 12) if d < (x := mean + k * sd) < 1), 1]
        ahead = mpmath.quad(
            lambda x: (
                x ** (s - 1)
                * (1 - x) ** (r - 1)
                / mpmath.beta(s, r)
                * mpmath.betainc(a, b, 0, (x - d) / (2 * x), regularized=True)
            ),
            cuts,
        )
    expected = float(ahead if margin > 0 else 1 - ahead)
    found = gamma_sum_sf(
        np.array([1.0, -1.0, 0.0]) - margin,
        np.array([only_b + prior / 2, only_a + prior / 2, others + prior]),
    )
    assert found == pytest.approx(expected, abs=1e-8)


def test_the_error_rate_mirrors_the_accuracy():
    ev = of_counts(3, 9, 60, 40)
    res = bf.compare(ev, metrics=["accuracy", "error_rate"], rng=1)
    right, wrong = (resolve_metric(name, ev) for name in ("accuracy", "error_rate"))
    assert (right.sign, wrong.sign) == (1.0, -1.0)
    assert bf.score(ev, "A", "error_rate") == pytest.approx(1 - bf.score(ev, "A", "accuracy"))
    assert res["accuracy"].p_h1 == pytest.approx(res["error_rate"].p_h1, abs=1e-9)
    assert res["error_rate"].difference.mean() == pytest.approx(-res["accuracy"].difference.mean(), abs=1e-9)


def test_bounds_hold_for_every_pairing_of_the_totals():
    # 14 and 11 right of 20: every overlap that the totals allow.
    found = []
    for both in range(5, 12):
        ev = of_counts(14 - both, 11 - both, both, 20 - 25 + both)
        assert ev.tables.tolist() == [[14, 6], [11, 9]]
        found.append(bf.compare(ev, rng=1, prior=1)["accuracy"].p_h1)
    alone = bf.compare(ev, assumption="independent", prior=1)["accuracy"]
    bounds = bf.pairing_bounds(ev, metric="accuracy", prior=1)
    assert tuple(bounds) == pytest.approx((min(found), max(found)), abs=4 * np.hypot(bounds.error, 5e-4))
    assert alone.p_h1 == pytest.approx(
        integrate.quad(lambda x: stats.beta(12, 10).sf(x) * stats.beta(15, 7).pdf(x), 0, 1)[0], abs=1e-8
    )


# ---- prior and draws --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_models", [2, 5, 14])
def test_every_accuracy_is_beta_however_many_models_there_are(n_models):
    rng = np.random.default_rng(n_models)
    flags = {f"M{i}": rng.random(12) < 0.8 for i in range(n_models)}
    ev = bf.from_correct(flags)
    draws = drawn(ev, prior=1.0, rng=rng)
    np.testing.assert_allclose(draws.sum(axis=2), draws.sum(axis=2)[:, :1].repeat(n_models, 1))
    shares = draws[..., 0] / draws.sum(axis=2)
    for i, right in enumerate(flags.values()):
        distribution = stats.beta(right.sum() + 1, 12 - right.sum() + 1)
        assert stats.kstest(shares[:, i], distribution.cdf).pvalue > 1e-4


def test_items_of_a_document_are_no_trials():
    rng = np.random.default_rng(2)
    ease = np.repeat(rng.random(30), 20)
    a, b = rng.random((2, 600)) < ease
    where = np.repeat(np.arange(30), 20)
    ev = bf.from_correct({"A": a, "B": b}, groups=where)
    assert (ev.unit, ev.assumption) == ("document", "clustered")
    items = bf.from_correct({"A": a, "B": b})
    assert ev.items == items
    clustered = bf.posterior(ev, "A", rng=1).std()
    single = bf.posterior(ev, "A", assumption="paired").std()
    assert single == pytest.approx(bf.posterior(items, "A").std())
    assert clustered > 2 * single


# ---- names ------------------------------------------------------------------------------------------------


def test_zeros_that_are_better_are_right():
    ev = bf.from_scores({"A": [1, 0, 0, 1], "B": [0, 0, 0, 1]}, lower_is_better=True)
    assert ev.cells == ("wrong", "right")
    assert bf.score(ev, "A") == bf.score(ev, "A", "mean") == bf.score(ev, "A", "error_rate") == 0.5
    assert bf.score(ev, "B", "accuracy") == 0.75
    for name, sign in (("mean", -1.0), ("error_rate", -1.0), ("accuracy", 1.0)):
        assert resolve_metric(name, ev).sign == sign
    assert "error rate" in ev.task.describe_prior(1.0)
