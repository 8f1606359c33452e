"""Results go to other processes as they are."""

import copy
import pickle

import pytest

import bayesf1 as bf
from evaluations import EVALUATIONS


@pytest.mark.parametrize("name", EVALUATIONS)
def test_every_answer_survives_pickling(name):
    ev = EVALUATIONS[name]()
    answers = [
        bf.compare(ev, "A", "B", rng=1, n_draws=500),
        bf.rank(ev, rng=1, n_draws=500),
        bf.intervals(ev, "A", rng=1, n_resamples=200),
        bf.posterior(ev, "A", rng=1, n_draws=500),
    ]
    for answer in answers:
        again = pickle.loads(pickle.dumps(answer))
        assert str(again) == str(answer)
        assert str(copy.deepcopy(answer)) == str(answer)
    res, again = answers[0], pickle.loads(pickle.dumps(answers[0]))
    for metric, c in res.items():
        tables = ev.pair("A", "B").tables
        assert (again[metric].measure(tables, ev.cells) == c.measure(tables, ev.cells)).all()


def test_fits_and_their_comparisons_survive_pickling():
    ev = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
    fit = bf.hierarchical({"x": ev, "y": ev}, rng=1, draws=300)
    assert str(pickle.loads(pickle.dumps(fit))) == str(fit)
    assert str(pickle.loads(pickle.dumps(fit.compare()))) == str(fit.compare())


def test_a_measure_of_the_users_own_is_pickled_by_its_name():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), metrics=share, rng=1, n_draws=500)
    assert pickle.loads(pickle.dumps(res))["share"].p_h1 == res["share"].p_h1


def share(tables):
    return tables[..., 0] / tables.sum(axis=-1)
