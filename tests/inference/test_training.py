"""Methods of training, by their runs and by the folds of a cross-validation."""

import numpy as np
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model
from bayesf1.sampling.training import Contrasts, TrainingVariance, run_variance_of
from builders import drawn_scores, random_folds


def trained(seed=0, n=400, runs=(4, 4), tau=0.3, gain=0.4):
    """Two methods, so many runs of each, on the same items."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.4
    hard = rng.normal(0, 0.8, n)
    said = {}
    for name, number, better in (("crf", runs[0], 0.0), ("bert", runs[1], gain)):
        said[name] = {}
        for r in range(number):
            ease = 1.0 + better + hard + rng.normal(0, tau) + rng.normal(0, 0.3, n)
            right = rng.random(n) < 1 / (1 + np.exp(-ease))
            said[name][f"s{r}"] = np.where(right, gold, ~gold).astype(int)
    return bf.from_labels(gold.astype(int), said, positive=1)


@pytest.fixture(scope="module")
def ev():
    return trained()


@pytest.fixture(scope="module")
def res(ev):
    return bf.compare(ev, rng=1, n_draws=20_000)


def test_training_widens_what_items_leave(ev, res):
    models = bf.compare(ev, target="models", rng=1, n_draws=20_000)
    for name in ("precision", "recall", "f1"):
        assert res[name].difference.std() > 1.2 * models[name].difference.std()
        assert res[name].score_a == models[name].score_a == pytest.approx(bf.score(ev, "crf", name))
    assert res["f1"].target == "method"
    assert models["f1"].target == "models"


def test_the_difference_is_items_and_training_together(ev, res):
    c = res["f1"]
    (known,) = sampling_model(ev).run_variances([c.definition], rng=np.random.default_rng(0))
    models = bf.compare(ev, target="models", metrics="f1", rng=2, n_draws=20_000)["f1"]
    training = float((known.medians**2 / known.runs).sum())
    assert c.variance.training == pytest.approx(training)
    low, high = c.difference.interval(0.6827)
    assert 0.25 * (high - low) ** 2 > models.difference.var() + training
    assert c.variance.items == pytest.approx(models.difference.var(), rel=0.15)


def test_a_steady_method_does_not_vouch_for_a_volatile_one():
    f1 = resolve_metric("f1", trained())
    scores = np.array([*np.linspace(0.80, 0.81, 10), 0.70, 0.80, 0.90])
    known = run_variance_of(f1, scores, None, [range(10), range(10, 13)])
    steady, volatile = known.medians
    assert steady < 0.005
    assert volatile > 0.06


@pytest.mark.parametrize("names", ["AB", "BA"])
def test_one_run_of_each_method_is_compared_as_the_models_are(names):
    rng = np.random.default_rng(3)
    gold = rng.random(200) < 0.3
    good, poor = (np.where(rng.random(200) < share, gold, ~gold) for share in (0.9, 0.8))
    models = dict(zip(names, (good, poor), strict=True))
    runs = bf.from_labels(gold, {name: {"seed1": each} for name, each in models.items()}, positive=True)
    plain = bf.compare(bf.from_labels(gold, models, positive=True))["f1"]
    for method in ("auto", "montecarlo"):
        res = bf.compare(runs, method=method)["f1"]
        assert res.winner == plain.winner == names[0]
        assert res.difference.interval() == pytest.approx(plain.difference.interval(), abs=0.01)


@pytest.mark.parametrize("runs", [(1, 4), (1, 1)])
def test_one_run_is_a_model_and_no_method(runs):
    ev = trained(runs=runs)
    res = bf.compare(ev, rng=1)
    assert res["f1"].target == "models"
    assert "Only one run of" in str(res)
    assert "allowing for the training" not in str(res)
    with pytest.raises(ValueError, match="one run of crf"):
        bf.compare(ev, target="method")


def test_without_runs_there_is_no_method():
    ev = trained().select(["crf/s0", "bert/s0"])
    with pytest.raises(ValueError, match="give runs"):
        bf.compare(ev, target="method")
    with pytest.raises(ValueError, match="did you mean 'method'"):
        bf.compare(ev, target="methods")


def test_totals_of_runs_are_not_taken_for_more_items():
    ev = trained()
    totals = bf.from_counts(
        {m.name: {run: tuple(ev.tables[ev.index(run)]) for run in m.runs} for m in ev.methods}
    )
    scores = drawn_scores(totals, "f1", target="models", prior=1.0)
    one = bf.posterior(totals, totals.models[0]).std()
    assert scores[:, 0].std() == pytest.approx(one, rel=0.1)
    assert "Only totals are known" in str(bf.compare(totals, metrics="f1", rng=1, n_draws=2000))


def folds_of(m, seed=0, cv=None, models=("A", "B")):
    cv = cv or bf.BlockedCV(m=m)
    rng = np.random.default_rng(seed)
    gold = rng.integers(90, 110, size=cv.get_n_splits())
    rates = {name: 0.8 + 0.03 * i for i, name in enumerate(models)}
    return bf.from_folds(random_folds(rng, gold, rates, wrong=20), cv=cv)


def f1_of_folds(ev):
    tp, fp, fn = np.moveaxis(ev.folds.counts[..., :3], -1, 0)
    return 2 * tp / (2 * tp + fp + fn)


def learned(seed=0, n=240, m=3, cv=None, groups=None):
    """A cross-validation of rules that depend on what they were trained on."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=n) > 0.3).astype(int)

    def least_squares(columns):
        def fit(xt, yt):
            z = np.column_stack([np.ones(len(xt)), xt[:, columns]])
            w = np.linalg.lstsq(z, 2.0 * yt - 1.0, rcond=None)[0]
            return lambda xs: (np.column_stack([np.ones(len(xs)), xs[:, columns]]) @ w > 0).astype(int)

        return fit

    models = {"A": least_squares([0]), "B": least_squares([0, 1]), "C": least_squares([1, 2])}
    return bf.cross_validate(models, x, y, cv=cv or bf.BlockedCV(m, rng=1), groups=groups)


# ---- without items: a t law -------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_difference_is_a_t_law_of_half_contrasts(m):
    ev = folds_of(m)
    c = bf.compare(ev, metrics="f1", target="method", rope=0.01)["f1"]
    back = bf.compare(ev, "B", "A", metrics="f1", target="method", rope=0.01)["f1"]
    assert (c.p_h1, c.p_less) == pytest.approx((back.p_h0, back.p_greater))
    test = bf.fold_tests(ev, rope=0.01)["t of half contrasts"]
    assert (test.p_greater, test.p_value) == pytest.approx((c.p_greater, 2 * min(c.p_h0, c.p_h1)))
    f = f1_of_folds(ev)
    d = f[..., 1] - f[..., 0]
    distribution = stats.t(m, d.mean(), np.sqrt(np.mean((d[:, 0] - d[:, 1]) ** 2 / 4)))
    assert (c.p_h1, c.p_h0) == pytest.approx((distribution.sf(0), distribution.cdf(0)))
    assert (c.p_less, c.p_greater) == pytest.approx((distribution.cdf(-0.01), distribution.sf(0.01)))
    assert c.p_less + c.p_rope + c.p_greater == pytest.approx(1.0)
    if m > 1:
        assert c.difference.interval() == pytest.approx(distribution.interval(0.95))
    assert (c.method, c.target, c.mcse) == ("exact", "method", 0.0)
    assert c.score_b - c.score_a == pytest.approx(d.mean())
    own = stats.t(m, f[..., 0].mean(), np.sqrt(np.mean((f[:, 0, 0] - f[:, 1, 0]) ** 2 / 4)))
    assert c.posterior_a.cdf(0.8) == pytest.approx(own.cdf(0.8))


def test_k_folds_have_the_corrected_t_of_nadeau_and_bengio():
    ev = folds_of(0, cv=bf.KFoldCV(10, repeats=3))
    c = bf.compare(ev, metrics="f1", target="method")["f1"]
    d = np.diff(f1_of_folds(ev), axis=-1).ravel()
    distribution = stats.t(29, d.mean(), np.sqrt((1 / 30 + 1 / 9) * d.var(ddof=1)))
    assert c.p_h1 == pytest.approx(distribution.sf(0))
    assert c.difference.interval() == pytest.approx(distribution.interval(0.95))
    methods = bf.compare(ev, target="method").methods_sentence()
    assert "corrected t distribution of Nadeau and Bengio (2003)" in methods
    assert "trained on 90 % of such data" in methods


def test_margins_of_joint_draws_are_each_models_own_law():
    ev = folds_of(5, models=("A", "B", "C"))
    known = TrainingVariance(ev.folds, ev.cells).contrasts(bf.compare(ev, "A", "B")["f1"].definition)
    draws = known.draw(20_000, np.random.default_rng(1))
    for weights in ([1, 0, 0], [0, 0, 1], [-1, 0, 1], [0.5, 0.5, -1]):
        assert stats.kstest(draws @ weights, known.distribution(weights).cdf).pvalue > 1e-3


def test_folds_that_differ_alike_say_nothing_of_training():
    same, better = [(80, 20, 20)] * 6, [(81, 20, 19)] * 6
    res = bf.compare(bf.from_folds({"A": same, "B": better}, cv=bf.BlockedCV(3)), target="method")
    known = res["f1"].to_dict()
    assert known["p_h1"] is known["difference"]["low"] is known["a"]["high"] is None
    assert known["difference"]["score"] == pytest.approx(162 / 201 - 0.8)
    assert (res["f1"].verdict, res["f1"].decision) == ("undecided", "none")
    assert "in all folds" in res.sentence()
    assert "[" not in str(res.table)
    folds = bf.from_folds({"A": same, "B": better}, cv=bf.BlockedCV(3))
    for refuses in (bf.rank, lambda ev, target: bf.posterior(ev, "A", target=target)):
        with pytest.raises(ValueError, match="in all folds"):
            refuses(folds, target="method")
    assert bf.summary(folds, target="method").isna().all(axis=None)
    twins = bf.rank(
        bf.from_folds({"A": same, "B": same, "C": [(60, 20, 40), (62, 20, 38)] * 3}, cv=bf.BlockedCV(3)),
        target="method",
    )
    assert twins.p_first[0] == twins.p_first[1] == pytest.approx(0.5, abs=0.02)
    assert twins.tied[:2].all()


# ---- with items: a mixture --------------------------------------------------------------------------------


def test_the_mixture_is_the_bootstrap_and_what_training_adds():
    # Brute force: weights of every item, fold by fold, and x on a grid.
    ev = learned(n=120)
    pair = ev.pair("A", "B")
    units, shape = pair.folds.units, pair.folds.counts.shape
    rng = np.random.default_rng(5)
    each = np.repeat(units.rows.toarray(), units.weights.astype(int), axis=0)
    assert len(each) == 120
    w = rng.dirichlet(np.ones(120), size=20_000)
    tp, fp, fn, _ = np.moveaxis((w @ each).reshape(-1, *shape), -1, 0)
    scores = (2 * tp / (2 * tp + fp + fn)).mean(axis=(1, 2))
    d = scores[:, 1] - scores[:, 0]
    f = f1_of_folds(pair)
    gaps = f[..., 1] - f[..., 0]
    contrasts, v = (gaps[:, 0] - gaps[:, 1]) / 2, d.var()
    x = np.linspace(0, 60, 60_001)
    log = -2.5 * np.log1p(x**2 / 4) - 1.5 * np.log1p(x**2) - (contrasts**2).sum() / (2 * (1 + x**2) * v)
    drawn = d + rng.choice(x, 20_000, p=np.exp(log) / np.exp(log).sum()) * np.sqrt(v) * rng.normal(
        size=20_000
    )
    c = bf.compare(pair, metrics="f1", target="method", n_draws=40_000, rng=1)["f1"]
    assert c.method == "montecarlo"
    assert c.p_h1 == pytest.approx((drawn > 0).mean(), abs=0.02)
    # The package stretches a little more, for few items.
    width, plain = np.subtract(*c.difference.interval(0.5)), np.subtract(*np.quantile(drawn, [0.25, 0.75]))
    assert 1.0 < width / plain < 1.1
    assert c.difference.median() == pytest.approx(np.median(drawn), abs=0.004)


@pytest.mark.long
def test_documents_are_drawn_whole():
    groups = np.arange(240) // 6
    ev = learned(groups=groups)
    res = bf.compare(ev, "A", "B", target="method", rng=1)
    assert "40 documents" in str(res)
    assert "Bayesian bootstrap (Rubin 1981) over documents" in res.details()
    few = learned(groups=np.arange(240) // 30)
    assert "only 8 documents" in str(bf.compare(few, "A", "B", target="method", rng=1))


def test_independence_takes_the_contrasts_alone():
    ev = learned()
    c = bf.compare(ev, "A", "B", metrics="f1", target="method", assumption="independent")["f1"]
    f = f1_of_folds(ev)[..., :2]
    d = f[..., 1] - f[..., 0]
    assert c.p_h1 == pytest.approx(stats.t(3, d.mean(), np.sqrt(np.mean((d[:, 0] - d[:, 1]) ** 2) / 4)).sf(0))
    with pytest.raises(ValueError, match="cannot be compared by method 'exact'"):
        bf.compare(ev, "A", "B", target="method", method="exact")


# ---- one model, all models --------------------------------------------------------------------------------


def test_a_posterior_is_of_one_way_of_training():
    ev = folds_of(3)
    f = f1_of_folds(ev)[..., 0]
    distribution = stats.t(3, f.mean(), np.sqrt(np.mean((f[:, 0] - f[:, 1]) ** 2) / 4))
    assert bf.posterior(ev, "A", target="method").sf(0.8) == pytest.approx(distribution.sf(0.8))
    assert bf.summary(ev, target="method").loc[("A", "f1"), "mean"] == pytest.approx(f.mean())
    whole = learned()
    alone = bf.posterior(whole, "A", target="method", rng=1, n_draws=20_000).interval()
    # Whoever else was tried does not matter.
    assert bf.posterior(whole.select(["A"]), "A", target="method", rng=1, n_draws=20_000).interval() == alone


def test_a_ranking_of_two_ways_is_their_comparison():
    for ev in (folds_of(3), learned().select(["A", "B"])):
        ranking = bf.rank(ev, target="method", rng=1, n_draws=50_000)
        c = bf.compare(ev, metrics="f1", target="method", rng=2, n_draws=50_000)["f1"]
        a, b = map(ranking.models.index, "AB")
        assert ranking.p_beats[b, a] == pytest.approx(c.p_h1, abs=0.015)
        assert ranking.score[a] == pytest.approx(c.score_a)
    methods = bf.rank(learned(), target="method", rng=1, n_draws=1000).details()
    assert "learnt from the two halves" in methods
    assert "Wang and Li" not in methods


# ---- contrasts themselves ---------------------------------------------------------------------------------


def test_contrasts_of_halves_cover_as_the_first_order_model_says():
    # d_jk = φ̄(training half) + ψ̄(test half): the mean over the root mean square contrast is t with m degrees of freedom.
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(600):
        phi, psi = rng.normal(size=(2, 64))
        d = [
            [phi[train].mean() + psi[test].mean()]
            for train, test in bf.BlockedCV(3, rng=rng).split(np.zeros(64))
        ]
        known = Contrasts.of_halves(np.array(d).reshape(3, 2, 1))
        ratios.append(known.centre[0] / known.scale([1.0]))
    assert stats.kstest(ratios, stats.t(3).cdf).pvalue > 0.01


def test_copies_of_one_run_are_named_and_a_run_is_given_once():
    ev = bf.from_labels(
        [1, 0] * 20,
        {"A": {"s1": [1, 1] * 20, "s2": [1, 1] * 20}, "B": {"s1": [1, 0] * 20, "s2": [0, 1] * 20}},
        positive=1,
    )
    assert [note for note in ev.notes if "identical" in note] == [
        "The runs of A are identical, item by item."
    ]
    with pytest.raises(ValueError, match="once"):
        bf.from_counts(x=(1, 2, 3), y=(2, 2, 2)).with_runs({"A": ["x", "x"], "B": ["y"]})
