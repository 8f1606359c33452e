"""Results are data: copies print the same, signatures name all that was asked, draws start from rng=0."""

import copy
import pickle
import re

import numpy as np
import pytest

import bayesf1 as bf
from builders import joint_evaluation
from evaluations import EVALUATIONS

TOTALS = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
PAIRED = joint_evaluation((300, 20, 37, 35, 80, 13, 14, 1040))
THREE = bf.from_labels(list("aaabbbcccc") * 10, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
ASK = {
    "exact": lambda **rng: bf.compare(TOTALS, rope=0.01, **rng),
    "paired": lambda **rng: bf.compare(PAIRED, rope=0.01, **rng),
    "classes": lambda **rng: bf.compare_classes(THREE, n_draws=2000, **rng),
    "ranking": lambda **rng: bf.rank(PAIRED, n_draws=2000, **rng),
    "scoreboard": lambda **rng: bf.scoreboard(PAIRED, n_draws=2000, **rng),
}


@pytest.mark.parametrize("name", EVALUATIONS)
def test_every_answer_survives_pickling(name):
    ev = EVALUATIONS[name]()
    answers = [
        bf.compare(ev, "A", "B", rng=1, n_draws=500),
        bf.rank(ev, rng=1, n_draws=500),
        bf.posterior(ev, "A", rng=1, n_draws=500),
    ]
    for answer in answers:
        again = pickle.loads(pickle.dumps(answer))
        assert str(again) == str(answer)
        assert str(copy.deepcopy(answer)) == str(answer)
    res, again = answers[0], pickle.loads(pickle.dumps(answers[0]))
    for metric, c in res.items():
        assert again[metric].to_dict() == c.to_dict()
        tables = ev.pair("A", "B").tables
        assert (again[metric].definition(tables, ev.cells) == c.definition(tables, ev.cells)).all()


def test_a_measure_of_the_users_own_is_pickled_by_its_name():
    res = bf.compare(TOTALS, metrics=share, rng=1, n_draws=500)
    assert pickle.loads(pickle.dumps(res))["share"].p_h1 == res["share"].p_h1


def share(tables):
    return tables[..., 0] / tables.sum(axis=-1)


@pytest.mark.parametrize("name", ASK)
def test_printing_draws_nothing(name, monkeypatch):
    res = ASK[name](rng=1)
    first = str(res)

    def refused(*args, **kwargs):
        raise AssertionError("a result was asked to draw")

    monkeypatch.setattr(np.random, "default_rng", refused)
    again = pickle.loads(pickle.dumps(res))
    assert str(res) == str(again) == first
    for form in ("to_text", "to_markdown", "to_latex", "to_csv", "to_json", "sentence", "signature"):
        assert getattr(res, form)() == getattr(again, form)()


@pytest.mark.parametrize("name", ASK)
def test_the_same_signature_is_the_same_answer(name):
    one, other = ASK[name](rng=3), ASK[name](rng=3)
    assert str(ASK[name]()) == str(ASK[name](rng=0))
    assert ("|rng:3|" in str(one)) == (name != "exact")
    assert one.signature() == other.signature()
    assert one.signature() in str(one)
    assert one.to_dict() == other.to_dict()
    third = ASK[name](rng=4)
    assert (third.signature() == one.signature()) == (third.to_dict() == one.to_dict())


@pytest.mark.parametrize("name", ["exact", "paired", "classes"])
def test_the_printed_number_is_the_estimate(name):
    res = ASK[name]()
    for row, c in zip(res.table.rows, res.values(), strict=True):
        for cell, value in zip(row[1:4], (c.score_a, c.score_b, c.gap), strict=True):
            quoted = re.match(r"[+−]?[\d.]+", cell).group().replace("−", "-")
            digits = len(quoted.partition(".")[2])
            assert float(quoted) == pytest.approx(100 * value, abs=0.5001 * 10**-digits)


def test_of_classes_the_difference_is_what_is_believed_beside_the_others():
    res = ASK["classes"]()
    for c in res.values():
        assert c.gap == pytest.approx(c.difference.mean())
    assert "Shrunk difference" in res.table.header


def test_draws_from_a_law_are_fresh_each_time():
    # Two laws drawn from one seed would move together, and their difference would hardly vary.
    distribution = bf.Beta(3, 4)
    assert distribution.rvs() != distribution.rvs()
