"""The posterior of several classes against plain Dirichlet draws of all cells, and against closed forms."""

import numpy as np
import pytest
from scipy import special, stats

import bayesf1 as bf
from bayesf1.bayes.posterior import law_of
from bayesf1.evaluation.scoring import find_measure
from bayesf1.kinds.multiclass import MOST_ATOMS
from builders import noisy, noisy_tags, random_tags, tags_of

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
    rng = np.random.default_rng(seed)
    return np.concatenate(list(ev.under(assumption).draw(prior=prior, n_draws=n_draws, rng=rng)))


def tables_of(matrices):
    """Return tables (..., cell) of matrices (..., gold, predicted)."""
    right = np.einsum("...ii->...i", matrices)
    return np.concatenate([right, matrices.sum(axis=-2) - right, matrices.sum(axis=-1) - right], axis=-1)


def alike(ours, theirs):
    # A prior is cut where a millionth of its mass is left, so that smaller scores are 0.
    return stats.ks_2samp(np.round(ours, 4), np.round(theirs, 4)).pvalue > LEAST_P


# ---- each model's margin is Dirichlet(λ + counts) on K×K cells --------------------------------------------

# classes, λ (None is the default), assumption, models, and whether all cells are drawn
REGIMES = [
    (3, 1.0, "independent", "AB", True),
    (4, None, "independent", "AB", True),
    (9, None, "independent", "AB", False),
    (2, 0.008, "independent", "AB", False),
    (3, 1.0, "paired", "A", True),
    (9, None, "paired", "A", False),
    (3, 1.0, "paired", "AB", False),
    (9, None, "paired", "ABC", False),
    (20, 1.0, "paired", "AB", True),
]


@pytest.mark.parametrize(("k", "prior", "assumption", "models", "every"), REGIMES)
def test_margins_are_dirichlet_draws_of_all_cells(k, prior, assumption, models, every):
    ev = evaluate(k, 12, k, models)
    prior = ev.kind.default_prior if prior is None else prior
    assert (ev.kind._atoms(len(models), prior, alone=assumption == "independent") == 0) is every
    tables = draws(ev, assumption, prior)
    rng = np.random.default_rng(2)
    for j, model in enumerate(ev.models):
        cells = (bf.confusion(ev, model) + prior).ravel()
        plain = tables_of(rng.dirichlet(cells, size=N_DRAWS).reshape(-1, k, k))
        for name in METRICS:
            measure = find_measure(name, ev)
            assert alike(measure(tables[:, j], ev.cells), measure(plain, ev.cells)), (model, name)


def test_this_check_tells_a_prior_from_another():
    ev = evaluate(3, 12, 3)
    measure = find_measure("accuracy", ev)
    one, half = (measure(draws(ev, "paired", prior)[:, 0], ev.cells) for prior in (1.0, 0.5))
    assert not alike(one, half)


def test_independent_models_have_nothing_in_common():
    ev = evaluate(4, 30, 5)
    accuracy = find_measure("accuracy", ev)
    for prior in (1.0, 0.01):
        a, b = accuracy(draws(ev, "independent", prior), ev.cells).T
        # The standard error of a correlation of 0.
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(N_DRAWS)
        a, b = accuracy(draws(ev, "paired", prior), ev.cells).T
        assert np.corrcoef(a, b)[0, 1] > 0.1


@pytest.mark.parametrize("k", [2, 3, 12])
@pytest.mark.parametrize("prior", [1e-9, 1e-4, 0.008, 0.06])
@pytest.mark.parametrize("assumption", ["independent", "paired"])
def test_a_tiny_prior_gives_no_undefined_number(k, prior, assumption):
    ev = evaluate(k, 3, 1)
    tables = draws(ev, assumption, prior, n_draws=200_000 if (k, prior) == (2, 0.008) else 4_000)
    assert np.isfinite(tables).all()
    for name in METRICS:
        scores = find_measure(name, ev)(tables, ev.cells)
        low, high = find_measure(name, ev).support
        assert low <= scores.min() <= scores.max() <= high, name


@pytest.mark.parametrize("prior", [0.05, 1.0, 5.0])
def test_measures_of_draws_stay_in_their_range_where_classes_are_missing(prior):
    # Two items, and a prior that weighs more than they on classes that gold does not have.
    ev = bf.from_labels(list("aa"), {"A": list("bb"), "B": list("ab")}, labels=list("abcd"))
    for assumption in ("independent", "paired"):
        tables = draws(ev, assumption, prior)
        for name in ("sba", "balanced_accuracy", "mcc", "kappa", "macro_f1", "accuracy"):
            measure = find_measure(name, ev)
            scores = measure(tables, ev.cells)
            assert measure.support[0] <= scores.min() <= scores.max() <= measure.support[1], name


# ---- the joint law of two models --------------------------------------------------------------------------


def joint_counts(gold, said, k):
    counts = np.zeros((k, k, k))
    np.add.at(counts, (gold, *said.values()), 1)
    return counts


@pytest.mark.parametrize(("k", "prior"), [(3, 1.0), (3, None), (2, 1.0)])
def test_paired_models_follow_the_dirichlet_of_joint_outcomes(k, prior):
    # Each of the K³ outcomes (gold, A, B) has λ/K, so that each cell of a model's matrix has λ.
    gold, said = labels(k, 10, k)
    ev = bf.from_labels(gold, said, labels=range(k))
    prior = ev.kind.default_prior if prior is None else prior
    rng = np.random.default_rng(3)
    joint = rng.standard_gamma(joint_counts(gold, said, k) + prior / k, size=(20_000, k, k, k))
    plain = np.stack([tables_of(joint.sum(axis=3)), tables_of(joint.sum(axis=2))], axis=1)
    tables = draws(ev, "paired", prior, n_draws=20_000)
    for name in METRICS:
        measure = find_measure(name, ev)
        ours, theirs = (np.diff(measure(t, ev.cells), axis=1)[:, 0] for t in (tables, plain))
        assert alike(ours, theirs), name


def test_paired_accuracy_has_a_closed_form():
    # Accuracies differ by the outcomes that only one model has right. Only B is right in K(K-1) of the outcomes, each
    # with λ/K, so that its part in those of the two is Be(n_onlyB + λ(K-1), n_onlyA + λ(K-1)).
    k, prior = 3, 1.0
    gold, said = labels(k, 12, 3)
    right_a, right_b = (column == gold for column in said.values())
    only_a, only_b = (right_a & ~right_b).sum(), (right_b & ~right_a).sum()
    assert only_a != only_b
    expected = special.betaincc(only_b + prior * (k - 1), only_a + prior * (k - 1), 0.5)
    n = 100_000
    error = 4 * np.sqrt(expected * (1 - expected) / n)
    # By brute force: sums of outcomes, as a ratio of sums is not needed for which is larger.
    counts, rng = joint_counts(gold, said, k), np.random.default_rng(4)
    g, a, b = np.indices(counts.shape)
    alpha = counts + prior / k
    gain = rng.standard_gamma(alpha[(b == g) & (a != g)], size=(n, k * (k - 1))).sum(axis=1)
    loss = rng.standard_gamma(alpha[(a == g) & (b != g)], size=(n, k * (k - 1))).sum(axis=1)
    assert np.mean(gain > loss) == pytest.approx(expected, abs=error)
    ev = bf.from_labels(gold, said, labels=range(k))
    found = bf.compare(ev, metrics=["accuracy", "micro_f1"], prior=prior, n_draws=n, rng=5)
    for name in found:
        assert found[name].p_h1 == pytest.approx(expected, abs=error)


def test_a_prior_too_heavy_for_joint_outcomes_gives_the_same_answer():
    # Above the most atoms, models err independently given gold: the same first two moments, and almost normal.
    k, prior = 20, 1.0
    gold, said = labels(k, 60, 7)
    ev = bf.from_labels(gold, said, labels=range(k))
    assert prior * k * k > MOST_ATOMS / 14 - 1
    right_a, right_b = (column == gold for column in said.values())
    only_a, only_b = (right_a & ~right_b).sum(), (right_b & ~right_a).sum()
    expected = special.betaincc(only_b + prior * (k - 1), only_a + prior * (k - 1), 0.5)
    accuracy = find_measure("accuracy", ev)(draws(ev, "paired", prior, n_draws=40_000), ev.cells)
    better = np.mean(accuracy[:, 1] > accuracy[:, 0])
    assert better == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 40_000))


# ---- closed forms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["accuracy", "micro_f1", "micro_precision", "micro_f0.5", "f1[0]", "f2[1]", "recall[2]", "jaccard[0]"],
)
@pytest.mark.parametrize("prior", [1.0, 0.05])
def test_closed_forms_are_the_laws_of_draws(name, prior):
    ev = evaluate(4, 25, 11)
    measure = find_measure(name, ev)
    law = law_of(measure, ev, 1, prior)
    for assumption in ("paired", "independent"):
        scores = measure(draws(ev, assumption, prior, n_draws=3_000)[:, 1], ev.cells)
        assert stats.kstest(scores, law.cdf).pvalue > LEAST_P


def test_accuracy_is_micro_f1_and_a_beta_law():
    k, prior = 4, 0.3
    ev = evaluate(k, 25, 11)
    right = np.trace(bf.confusion(ev, "A"))
    for name in ("accuracy", "micro_f1", "micro_recall", "micro_f2"):
        law = bf.posterior(ev, "A", name, prior=prior)
        assert isinstance(law, bf.Beta)
        assert (law.a, law.b) == pytest.approx((right + k * prior, 25 - right + k * (k - 1) * prior))


@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_two_classes_are_a_binary_task(prior):
    gold, said = labels(2, 40, 13)
    ev = bf.from_labels(gold, said, labels=[0, 1])
    binary = bf.from_labels(gold, said, positive=1)
    for name in ("precision", "recall", "f1", "f0.5", "jaccard"):
        ours, theirs = (
            bf.posterior(e, "A", metric, prior=prior) for e, metric in ((ev, f"{name}[1]"), (binary, name))
        )
        assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9), abs=1e-12)
    ours, theirs = (bf.posterior(e, "A", "accuracy", prior=prior) for e in (ev, binary))
    assert (ours.a, ours.b) == (theirs.a, theirs.b)
    for name in ("mcc", "kappa", "sba"):
        ours, theirs = (
            np.diff(find_measure(name, e)(draws(e, "paired", prior, seed=s), e.cells), axis=1)[:, 0]
            for s, e in enumerate((ev, binary))
        )
        assert alike(ours, theirs), name
    exact = bf.compare(binary, metrics="accuracy", prior=prior, rng=1)["accuracy"]
    drawn = bf.compare(ev, metrics="accuracy", prior=prior, rng=1, n_draws=100_000)["accuracy"]
    assert exact.method == "exact"
    assert drawn.p_h1 == pytest.approx(exact.p_h1, abs=4 * drawn.mcse)


def test_the_default_prior_of_two_classes_is_uniform():
    assert evaluate(2, 5, 1).kind.default_prior == 1.0
    assert evaluate(5, 5, 1).kind.default_prior == pytest.approx(4 / 25)


def test_exact_comparison_of_matrices_is_that_of_beta_laws():
    ev = bf.from_confusion({"A": [[8, 1, 1], [0, 9, 1], [2, 0, 8]], "B": [[9, 1, 0], [1, 9, 0], [1, 1, 8]]})
    found = bf.compare(ev, metrics=["accuracy", "f1[1]", "macro_f1"], prior=0.5, rng=1, n_draws=50_000)
    assert [found[name].method for name in found] == ["exact", "exact", "montecarlo"]
    grid = np.linspace(0, 1, 200_001)
    a, b = stats.beta(25 + 1.5, 5 + 3), stats.beta(26 + 1.5, 4 + 3)
    assert found["accuracy"].p_h1 == pytest.approx(np.trapezoid(a.pdf(grid) * b.sf(grid), grid), abs=1e-8)
    rng = np.random.default_rng(6)
    macro = [
        find_measure("macro_f1", ev)(
            tables_of(rng.dirichlet(bf.confusion(ev, m).ravel() + 0.5, 50_000).reshape(-1, 3, 3)), ev.cells
        )
        for m in "AB"
    ]
    error = 4 * np.sqrt(2) * found["macro_f1"].mcse
    assert found["macro_f1"].p_h1 == pytest.approx(np.mean(macro[1] > macro[0]), abs=error)


# ---- documents --------------------------------------------------------------------------------------------


def test_documents_are_drawn_as_wholes():
    k, n_documents = 3, 25
    gold, said = labels(k, 100, 17)
    groups = np.random.default_rng(1).integers(0, n_documents, 100)
    ev = bf.from_labels(gold, said, groups=groups)
    assert (ev.assumption, ev.items.assumption) == ("clustered", "paired")
    prior = ev.kind.default_prior
    rng = np.random.default_rng(5)
    members = groups[:, None] == np.unique(groups)
    weights = rng.standard_exponential((N_DRAWS, members.shape[1])) @ members.T
    tables = draws(ev, "clustered", prior)
    for j, column in enumerate(said.values()):
        matrices = rng.standard_gamma(prior, size=(N_DRAWS, k, k))
        for g in range(k):
            for p in range(k):
                matrices[:, g, p] += weights[:, (gold == g) & (column == p)].sum(axis=1)
        for name in METRICS:
            measure = find_measure(name, ev)
            assert alike(measure(tables[:, j], ev.cells), measure(tables_of(matrices), ev.cells)), name
    single = bf.posterior(ev, "A", "accuracy", assumption="paired")
    assert (single.a, single.b) == pytest.approx(
        (
            np.trace(bf.confusion(ev, "A")) + k * prior,
            100 - np.trace(bf.confusion(ev, "A")) + k * (k - 1) * prior,
        )
    )


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
        measures = find_measure(name, types), find_measure(name, plain)
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
    law = stats.gamma(shape)
    return lambda x: (law.cdf(x) - law.cdf(least)) / law.sf(least)


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
        measure = find_measure(name, ev)
        assert alike(measure(tables, ev.cells), measure(plain, ev.cells)), name


# ---- what everyone asks -----------------------------------------------------------------------------------


def test_one_seed_gives_one_answer():
    ev = evaluate(9, 40, 3)
    for assumption in ("paired", "independent"):
        assert np.array_equal(*(draws(ev, assumption, 0.05, n_draws=500, seed=7) for _ in range(2)))


def test_swapping_models_swaps_hypotheses():
    ev = evaluate(5, 60, 3)
    one = bf.compare(ev, "A", "B", metrics=["macro_f1", "mcc"], rope=0.02, rng=1, n_draws=20_000)
    two = bf.compare(ev, "B", "A", metrics=["macro_f1", "mcc"], rope=0.02, rng=2, n_draws=20_000)
    for name in one:
        error = 4 * np.sqrt(2) * one[name].mcse
        assert one[name].p_h1 == pytest.approx(two[name].p_h0, abs=error)
        assert one[name].p_less == pytest.approx(two[name].p_greater, abs=4 * np.sqrt(0.5 / 20_000))
        assert one[name].p_less + one[name].p_rope + one[name].p_greater == pytest.approx(1.0)


def test_a_single_class_predicted_throughout_can_be_compared():
    gold = list("aabbccab") * 5
    ev = bf.from_labels(gold, {"A": ["a"] * 40, "B": gold})
    found = bf.compare(
        ev, metrics=["accuracy", "macro_f1", "mcc", "kappa", "sba", "balanced_accuracy"], rng=1
    )
    for c in found.values():
        assert c.p_h1 > 0.99
        assert np.isfinite([c.difference.mean(), c.posterior_a.mean(), c.posterior_b.mean()]).all()


@pytest.mark.parametrize("k", [10, 30, 100])
@pytest.mark.parametrize("assumption", ["paired", "independent"])
def test_a_class_that_neither_model_ever_finds_tells_them_not_apart(k, assumption):
    gold = np.arange(400) % k
    never = np.where(gold == 0, 1, gold)
    ev = bf.from_labels(gold, {"A": never, "B": never}, labels=list(range(k)))
    res = bf.compare(ev, metrics="f1[0]", assumption=assumption, n_draws=20_000, rng=1)["f1[0]"]
    assert res.p_h1 == pytest.approx(0.5, abs=4 * max(res.mcse, 0.0035))


def test_paired_accuracy_is_exact_and_what_the_draws_say():
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 4, 150)
    said = {m: noisy(rng, gold, 0.8, 4) for m in "AB"}
    ev = bf.from_labels(gold, said)
    exact = bf.compare(ev, metrics="accuracy", prior=0.7)["accuracy"]
    drawn = bf.compare(ev, metrics="accuracy", prior=0.7, method="montecarlo", n_draws=50_000, rng=1)[
        "accuracy"
    ]
    assert (exact.method, exact.mcse) == ("exact", 0.0)
    assert abs(exact.p_h1 - drawn.p_h1) < 4 * drawn.mcse
