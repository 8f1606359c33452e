"""What every kind of task promises, checked for all of them alike."""

import pickle

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric, resolve_metrics
from bayesf1.inference.posterior import distribution_of
from bayesf1.tasks.draws import BootstrappedTask
from builders import drawn
from evaluations import EVALUATIONS, GROUPED

# One evaluation of each task.
TASKS = [*(name for name in GROUPED if name != "cross-validated items"), "scores"]
N_DRAWS = 20_000


@pytest.fixture(params=TASKS)
def ev(request):
    return EVALUATIONS[request.param]()


def supported(ev):
    return [
        name
        for name in ("independent", "paired", "clustered")
        if name == "independent" or name == ev.assumption or (name == "paired" and ev.item_units is not None)
    ]


def test_default_measures_are_numbers_in_their_support(ev):
    for measure in resolve_metrics(None, ev):
        found = measure(ev.tables, ev.cells)
        assert found.shape == (3,)
        assert (measure.support[0] <= found).all()
        assert (found <= measure.support[1]).all()


def test_a_measure_does_not_depend_on_the_scale_of_a_table(ev):
    for measure in resolve_metrics(None, ev):
        np.testing.assert_allclose(
            measure(7.5 * ev.tables, ev.cells), measure(ev.tables, ev.cells), rtol=1e-12
        )


def test_sums_are_sufficient(ev):
    for measure in resolve_metrics(None, ev):
        sums, score = measure.sums(ev.cells)
        np.testing.assert_allclose(score(ev.tables @ sums), measure(ev.tables, ev.cells), rtol=1e-12)


@pytest.mark.parametrize("prior", [None, 0.7])
def test_draws_have_the_mean_of_data_and_prior(ev, prior):
    if prior and isinstance(ev.task, BootstrappedTask):
        with pytest.raises(ValueError, match="leave prior= out"):
            ev.check_prior(prior)
        return
    weight = ev.check_prior(prior)
    added = ev.task.cell_priors(resolve_metrics(None, ev)[0], weight)
    expected = ev.tables + (0.0 if added is None else added)
    for assumption in supported(ev):
        tables = drawn(ev, assumption, prior=prior)
        assert tables.shape == (N_DRAWS, *ev.tables.shape)
        assert (tables >= 0).all()
        if ev.task.name == "judged":
            # Gold labels are drawn for what has none; only the items of a model's tables stay as many.
            total = tables.sum(axis=-1)
            assert np.abs(total.mean(axis=0) / ev.tables.sum(axis=-1) - 1.0).max() < 0.05
            continue
        if ev.task.name == "multiclass":
            # Classes borrow from each other: what all of them have together is the data's, and their shares are free.
            accuracy = resolve_metric("accuracy", ev)
            scores, mean = (accuracy(each, ev.cells) for each in (tables, expected))
            assert (np.abs(scores.mean(axis=0) - mean) < 5 * scores.std(axis=0) / np.sqrt(N_DRAWS)).all()
            continue
        error = tables.std(axis=0) / np.sqrt(N_DRAWS)
        assert (np.abs(tables.mean(axis=0) - expected) < 5 * error + 1e-9).all(), assumption


@pytest.mark.parametrize("n_models", [2, 12])
@pytest.mark.parametrize(
    "build", [bf.from_correct, lambda said: bf.from_labels([True] * 4 + [False] * 4, said, positive=True)]
)
def test_the_prior_is_the_same_however_many_models_there_are(build, n_models):
    rng = np.random.default_rng(1)
    ev = build({f"M{i}": rng.random(8) < 0.6 for i in range(n_models)})
    added = ev.task.cell_priors(resolve_metrics(None, ev)[0], ev.task.default_prior)
    tables = drawn(ev)
    error = tables.std(axis=0) / np.sqrt(N_DRAWS)
    assert (np.abs(tables.mean(axis=0) - ev.tables - added) < 5 * error).all()


def test_the_same_generator_gives_the_same_draws(ev):
    for assumption in supported(ev):
        one, again, other = (drawn(ev, assumption, rng=seed, n_draws=2000) for seed in (5, 5, 6))
        assert np.array_equal(one, again)
        assert not np.array_equal(one, other)


def test_closed_laws_are_those_of_the_draws(ev):
    tables = drawn(ev, "independent")
    for measure in resolve_metrics(None, ev):
        distribution = distribution_of(measure, ev, 0, ev.task.default_prior)
        if distribution is not None:
            found = measure(tables[:, 0], ev.cells)
            assert abs(found.mean() - distribution.mean()) < 5 * distribution.std() / np.sqrt(N_DRAWS)
            assert found.std() == pytest.approx(distribution.std(), rel=0.05)


def test_probabilities_of_pairs_are_those_of_plain_draws(ev):
    pair = (ev.items or ev).pair("A", "B")
    found = bf.compare(pair, rng=1, n_draws=N_DRAWS)
    plain = bf.compare(pair, rng=2, method="montecarlo", n_draws=N_DRAWS)
    for name, c in found.items():
        assert abs(plain[name].p_h1 - c.p_h1) < 4 * np.hypot(plain[name].mcse, c.mcse), name


@pytest.mark.long
def test_a_model_is_drawn_the_same_alone_and_beside_others(ev):
    # The largest gap of two samples' distribution functions exceeds this once in 100,000 times.
    most = 2.5 * np.sqrt(2 / N_DRAWS)
    for assumption in supported(ev):
        together, alone = drawn(ev, assumption), drawn(ev.select(["B"]), assumption, rng=2)
        for measure in resolve_metrics(None, ev):
            one, two = (np.sort(measure(t, ev.cells)) for t in (together[:, 1], alone[:, 0]))
            places = np.concatenate([one, two])
            gaps = (np.searchsorted(x, places, side="right") / N_DRAWS for x in (one, two))
            assert np.abs(next(gaps) - next(gaps)).max() < most, (assumption, measure.name)


def test_outcomes_make_the_tables(ev):
    outcomes = ev.task.outcomes(ev)
    if outcomes is None:
        assert ev.task.name in ("multilabel", "scores", "statistics", "probabilities", "judged")
        return
    assert outcomes.counts.shape == (3, len(outcomes.labels))
    np.testing.assert_allclose(outcomes.counts @ outcomes.rows, ev.tables)


def test_a_kind_is_the_union_of_itself_and_survives_pickling(ev):
    kind = ev.task
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert ev.widened(kind) is ev
    if kind.many_cells:
        assert kind.union(kind) == kind


def test_pairing_bounds_are_for_tables_of_two_outcomes_alone(ev):
    (metric,) = ev.task.default_metrics[:1]
    if ev.task.name in ("binary", "correct"):
        low, high = bf.pairing_bounds(ev, "A", "B", metric)
        assert 0 <= low <= high <= 1
    else:
        with pytest.raises(ValueError, match="pairing bounds"):
            bf.pairing_bounds(ev, "A", "B", metric)
