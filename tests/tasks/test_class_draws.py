"""The posterior of several classes: margins, what classes lend each other, and closed forms."""

import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import f1_score, precision_score, recall_score

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.inference.posterior import distribution_of
from bayesf1.sampling.draws import join_blocks
from bayesf1.sampling.model import sampling_model
from bayesf1.task import AskedScores
from builders import drawn, noisy_tags, random_tags, tags_of

N_DRAWS = 6_000
# A right law falls below this p-value of the Kolmogorov-Smirnov test once in 10,000 times; seeds are fixed.
LEAST_P = 1e-4
METRICS = ("accuracy", "macro_f1", "mcc", "kappa", "sba", "macro_f1_star", "f1[0]", "specificity[1]")


def labels(k, n, seed, models="AB"):
    """Return gold labels and those of models that are right now and then, and alike now and then."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    wrong = rng.integers(0, k, n)
    return gold, {
        name: np.where(rng.random(n) < 0.3 + 0.1 * i, gold, np.where(rng.random(n) < 0.5, wrong, gold))
        for i, name in enumerate(models)
    }


def evaluate(k, n, seed, models="AB", **options):
    gold, said = labels(k, n, seed, models)
    return bf.from_labels(gold, said, labels=range(k), **options)


def draws(ev, assumption, prior, n_draws=N_DRAWS, seed=1):
    return drawn(ev, assumption, prior=prior, n_draws=n_draws, rng=seed)


def alike(ours, theirs):
    # A prior is cut where a millionth of its mass is left, so that smaller scores are 0.
    return stats.ks_2samp(np.round(ours, 4), np.round(theirs, 4)).pvalue > LEAST_P


@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
def test_macro_averages_with_a_class_that_gold_lacks_are_those_of_scikit_learn(name):
    rng = np.random.default_rng(3)
    gold = rng.choice(list("abc"), 4000)
    said = np.where(rng.random(4000) < 0.25, "d", gold)
    said = np.where(rng.random(4000) < 0.2, rng.choice(list("abc"), 4000), said)
    ev = bf.from_labels(gold, {"A": said}, labels=list("abcd"))
    score = {"precision": precision_score, "recall": recall_score, "f1": f1_score}[name]
    expected = score(gold, said, labels=list("abcd"), average="macro", zero_division=0)
    assert bf.score(ev, "A", f"macro_{name}") == pytest.approx(expected, abs=1e-12)
    # Items that were taken for the class that gold lacks stay there in draws, and are nobody else's false positives.
    drawn = resolve_metric(f"macro_{name}", ev)(draws(ev, "paired", 1.0), ev.cells)
    assert drawn.mean() == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize("prior", [1.0, 20.0])
@pytest.mark.parametrize("assumption", ["paired", "independent"])
def test_rare_classes_keep_their_weights_whatever_the_prior(assumption, prior):
    rng = np.random.default_rng(4)
    items = np.array([3, 40, 157])
    gold = np.repeat(np.arange(3), items)
    said = {name: np.where(rng.random(200) < 0.7, gold, (gold + 1) % 3) for name in "AB"}
    ev = bf.from_labels(gold, said)
    tables = draws(ev, assumption, prior)
    found = tables[..., :3] + tables[..., 6:]
    shares = found / found.sum(axis=-1, keepdims=True)
    # A prior of 20 items a class would make the rarest ten times as frequent.
    np.testing.assert_allclose(shares.mean(axis=0), [items / 200, items / 200], atol=0.004)
    weighted = resolve_metric("weighted_recall", ev)(tables, ev.cells)
    accuracy = resolve_metric("accuracy", ev)(tables, ev.cells)
    np.testing.assert_allclose(weighted, accuracy, atol=1e-12)


def test_recalls_are_those_of_items_and_of_one_prior_item_at_the_models_accuracy():
    # Of many classes the accuracy is nearly fixed, so that what keeps it moves no recall: Be(tp + p, fn + 1 - p).
    k, each = 30, 8
    rng = np.random.default_rng(9)
    gold = np.repeat(np.arange(k), each)
    said = np.where(rng.random(k * each) < 0.7, gold, (gold + 1) % k)
    ev = bf.from_labels(gold, {"A": said}, labels=range(k))
    tables = draws(ev, "paired", 1.0)[:, 0]
    tp = ev.tables[0, :k]
    centre = (tp.sum() + 0.5) / (k * each + 1)
    found = tables[:, :k] / (tables[:, :k] + tables[:, 2 * k :])
    expected = (tp + centre) / (each + 1)
    np.testing.assert_allclose(found.mean(axis=0), expected, atol=0.015)
    spread = np.sqrt(expected * (1 - expected) / (each + 2))
    np.testing.assert_allclose(found.std(axis=0), spread, rtol=0.2)


def test_every_mistake_is_a_false_positive_and_a_false_negative():
    for assumption in ("paired", "independent"):
        tables = draws(evaluate(6, 40, 2), assumption, 1.0).reshape(N_DRAWS, 2, 3, 6).sum(axis=3)
        np.testing.assert_allclose(tables[..., 1], tables[..., 2], rtol=1e-9)


def test_independent_models_have_nothing_in_common():
    ev = evaluate(4, 30, 5)
    accuracy = resolve_metric("accuracy", ev)
    for prior in (1.0, 0.01):
        a, b = accuracy(draws(ev, "independent", prior), ev.cells).T
        # The standard error of a correlation of 0.
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(N_DRAWS)
        a, b = accuracy(draws(ev, "paired", prior), ev.cells).T
        assert np.corrcoef(a, b)[0, 1] > 0.1


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3, 12])
@pytest.mark.parametrize("prior", [1e-9, 1e-4, 0.008, 0.06])
@pytest.mark.parametrize("assumption", ["independent", "paired"])
def test_a_tiny_prior_gives_no_undefined_number(k, prior, assumption):
    ev = evaluate(k, 3, 1)
    tables = draws(ev, assumption, prior, n_draws=200_000 if (k, prior) == (2, 0.008) else 4_000)
    assert np.isfinite(tables).all()
    for name in METRICS:
        scores = resolve_metric(name, ev)(tables, ev.cells)
        low, high = resolve_metric(name, ev).support
        assert low <= scores.min() <= scores.max() <= high, name


# ---- the joint law of two models --------------------------------------------------------------------------


def test_paired_accuracy_has_a_closed_form():
    # Accuracies differ by the outcomes that only one model has right. The prior's item falls on each of these
    # with a half, so that B's part in them is Be(n_onlyB + 1/2, n_onlyA + 1/2).
    k = 3
    gold, said = labels(k, 12, 3)
    right_a, right_b = (column == gold for column in said.values())
    only_a, only_b = (right_a & ~right_b).sum(), (right_b & ~right_a).sum()
    assert only_a != only_b
    expected = special.betaincc(only_b + 0.5, only_a + 0.5, 0.5)
    ev = bf.from_labels(gold, said, labels=range(k))
    n = 100_000
    found = bf.compare(ev, metrics=["accuracy", "micro_f1"], rng=5)
    drawn = bf.compare(ev, metrics=["accuracy", "micro_f1"], n_draws=n, rng=5, method="montecarlo")
    for name in found:
        assert found[name].p_h1 == pytest.approx(expected, abs=4 * found[name].mcse)
        assert drawn[name].p_h1 == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / n))


# ---- closed forms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "micro_f1", "micro_precision", "micro_f0.5", "micro_recall"])
@pytest.mark.parametrize("prior", [1.0, 0.05])
def test_closed_forms_are_the_laws_of_draws(name, prior):
    ev = evaluate(4, 25, 11)
    measure = resolve_metric(name, ev)
    distribution = distribution_of(measure, ev, 1, prior)
    for assumption in ("paired", "independent"):
        scores = measure(draws(ev, assumption, prior, n_draws=3_000)[:, 1], ev.cells)
        assert stats.kstest(scores, distribution.cdf).pvalue > LEAST_P


def test_an_average_over_classes_has_the_variance_of_a_sample():
    # Of classes with so many items a share p has the variance p(1 - p)/n, and a posterior with one more n + 2 for n.
    k, each = 40, 4
    gold = np.repeat(np.arange(k), each)
    said = np.where(np.random.default_rng(9).random(k * each) < 0.7, gold, (gold + 1) % k)
    ev = bf.from_labels(gold, {"A": said})
    tp = ev.tables[0, :k]
    a = (tp.mean() / each * k + 0.5) / (k + 1)
    p = (tp + a) / (each + 1)
    belief = bf.posterior(ev, "A", "macro_recall", rng=1)
    assert belief.std() == pytest.approx(np.sqrt((p * (1 - p)).mean() / each / k), rel=0.06)
    assert belief.mean() == pytest.approx(tp.mean() / each, abs=0.004)


def test_macro_f1_of_draws_is_not_below_that_of_the_sample_where_classes_are_rare():
    # Two of three items right, and each mistake another class's: F1 is concave, so that a mean over draws is too low.
    gold = np.repeat(np.arange(30), 3)
    said = np.where(np.arange(90) % 3 == 0, (gold + 3) % 30, gold)
    ev = bf.from_labels(gold, {"A": said})
    assert 0.0 < bf.posterior(ev, "A", "macro_f1", rng=1).mean() - bf.score(ev, "A", "macro_f1") < 0.05


def test_exact_comparison_of_matrices_is_that_of_beta_laws():
    ev = bf.from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]], "B": [[9, 1, 0], [1, 9, 0], [1, 1, 8]]})
    found = bf.compare(ev, metrics=["accuracy", "f1[1]", "macro_f1"], prior=0.5, rng=1, n_draws=50_000)
    assert [found[name].method for name in found] == ["exact", "montecarlo", "montecarlo"]
    grid = np.linspace(0, 1, 200_001)
    a, b = stats.beta(25 + 0.5, 5 + 0.5), stats.beta(26 + 0.5, 4 + 0.5)
    assert found["accuracy"].p_h1 == pytest.approx(np.trapezoid(a.pdf(grid) * b.sf(grid), grid), abs=1e-8)


# ---- documents --------------------------------------------------------------------------------------------


def test_documents_are_drawn_as_wholes():
    k, n_documents = 3, 25
    gold, said = labels(k, 100, 17)
    groups = np.random.default_rng(1).integers(0, n_documents, 100)
    ev = bf.from_labels(gold, said, groups=groups)
    assert (ev.assumption, ev.items.assumption) == ("clustered", "paired")
    rng = np.random.default_rng(5)
    members = groups[:, None] == np.unique(groups)
    weights = rng.standard_exponential((N_DRAWS, members.shape[1])) @ members.T
    tables = draws(ev, "clustered", 1.0)
    for j, column in enumerate(said.values()):
        right = weights[:, column == gold].sum(axis=1) + rng.standard_gamma(0.5, N_DRAWS)
        wrong = weights[:, column != gold].sum(axis=1) + rng.standard_gamma(0.5, N_DRAWS)
        measure = resolve_metric("accuracy", ev)
        assert alike(measure(tables[:, j], ev.cells), right / (right + wrong))
    single = bf.posterior(ev, "A", "accuracy", assumption="paired")
    right = np.trace(bf.confusion(ev, "A"))
    assert (single.a, single.b) == pytest.approx((right + 0.5, 100 - right + 0.5))


# ---- spans and labels -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def typed():
    rng = np.random.default_rng(19)
    gold = random_tags(rng, 40, tags_of(("LOC", "ORG", "PER"), outside=2), longest=8)
    vocabulary = ["O", "B-LOC", "I-LOC", "B-ORG", "B-PER"]
    models = {name: noisy_tags(rng, gold, vocabulary, rate) for name, rate in (("A", 0.3), ("B", 0.2))}
    return bf.from_tags(gold, models, by_type=True), bf.from_tags(gold, models)


@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_micro_averages_of_types_are_the_untyped_measures(typed, prior):
    types, plain = typed
    for name in ("precision", "recall", "f1", "f2"):
        for assumption in ("paired", "independent"):
            ours, theirs = (bf.posterior(e, "A", name, prior=prior, assumption=assumption) for e in typed)
            assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9), abs=1e-12)
        measures = resolve_metric(name, types), resolve_metric(name, plain)
        for assumption in ("clustered", "paired", "independent"):
            ours, theirs = (
                np.diff(m(draws(e if assumption != "paired" else e.items, assumption, prior, seed=s), e.cells), axis=1)
                for s, (m, e) in enumerate(zip(measures, typed, strict=True))
            )  # fmt: skip
            assert alike(ours[:, 0], theirs[:, 0]), (name, assumption)


def test_types_share_the_prior_evenly():
    # Cells without a count hold the prior alone: a gamma variate with a third of λ.
    gold = [["B-LOC", "O", "O"]] * 3 + [["O", "B-ORG", "B-PER"]]
    said = [["B-LOC", "O", "O"]] * 3 + [["O", "O", "O"]]
    ev = bf.from_tags(gold, {"A": said, "B": said}, by_type=True)
    for assumption, units in (("clustered", ev), ("paired", ev.items), ("independent", ev)):
        tables = draws(units, assumption, 1.2, n_draws=20_000)
        for cell in ("fp[LOC]", "tp[ORG]", "fn[LOC]"):
            assert ev.tables[:, ev.cells.index(cell)].sum() == 0
            found = tables[:, 1, ev.cells.index(cell)]
            # Atoms are cut at a millionth of the mass, below which only the atoms' own tail lies.
            assert stats.kstest(found[found > 1e-5], _gamma_above(0.4, 1e-5)).pvalue > LEAST_P
            assert np.mean(found > 1e-5) == pytest.approx(stats.gamma(0.4).sf(1e-5), abs=0.004)


def _gamma_above(shape, least):
    distribution = stats.gamma(shape)
    return lambda x: (distribution.cdf(x) - distribution.cdf(least)) / distribution.sf(least)


def test_items_of_several_labels_are_drawn_as_wholes():
    rng = np.random.default_rng(23)
    gold = rng.random((30, 4)) < 0.3
    said = gold ^ (rng.random((30, 4)) < 0.2)
    ev = bf.from_labels(gold, {"A": said}, multilabel=True)
    assert (ev.assumption, ev.unit) == ("clustered", "instance")
    prior = 0.8
    cells = np.concatenate([gold & said, ~gold & said, gold & ~said, ~gold & ~said], axis=1)
    plain = rng.standard_exponential((N_DRAWS, 30)) @ cells + rng.standard_gamma(prior / 4, (N_DRAWS, 16))
    tables = draws(ev, "clustered", prior)[:, 0]
    for name in ("micro_f1", "macro_f1", "weighted_f1", "f1[2]", "micro_accuracy", "mcc[1]", "macro_f1_star"):
        measure = resolve_metric(name, ev)
        assert alike(measure(tables, ev.cells), measure(plain, ev.cells)), name


# ---- scores are those of tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("assumption", ["paired", "independent"])
def test_scores_that_are_drawn_are_those_of_the_tables_that_are_drawn(assumption):
    ev = evaluate(40, 200, 3)
    sampling, names = sampling_model(ev, assumption, prior=3.0), ("accuracy", "macro_f1", "specificity[1]")
    measures = [resolve_metric(name, ev) for name in names]
    blocks = ev.task.draw_scores(sampling, AskedScores(measures, 2_000, np.random.default_rng(1)))
    tables = draws(ev, assumption, 3.0, n_draws=2_000)
    for found, measure in zip(join_blocks(block.scores for block in blocks), measures, strict=True):
        plain = measure(tables, ev.cells)
        # Averages over classes are moved and widened, each model's by itself.
        slope = found.std(axis=0) / plain.std(axis=0)
        assert (slope >= 1.0).all() if measure.of_classes else (found == plain).all()
        np.testing.assert_allclose(
            found - found.mean(axis=0), slope * (plain - plain.mean(axis=0)), atol=1e-12
        )
