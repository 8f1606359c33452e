"""Results are data: copies print the same, signatures name all that was asked, draws start from rng=0."""

import copy
import pickle
import re
import sys
from operator import methodcaller
from pathlib import Path
from types import FunctionType

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from builders import joint_evaluation
from evaluations import EVALUATIONS

TOTALS = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
FULL_TOTALS = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
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


# Everything that is printed was computed before: rooms and functions that no form of a result may call.
PACKAGE = Path(bf.__file__).parent
COMPUTING_ROOMS = tuple(str(PACKAGE / room) for room in ("distributions", "sampling", "tasks/draws"))
VERBS = {
    verb.__wrapped__.__code__ if hasattr(verb, "__wrapped__") else verb.__code__
    for verb in (getattr(bf, name) for name in dir(bf))
    if isinstance(verb, FunctionType)
}
QUANTILES = {np.quantile.__wrapped__.__code__, np.percentile.__wrapped__.__code__}
FOLDS = EVALUATIONS["cross-validated items"]()
FIT = bf.hierarchical({"first": TOTALS, "second": PAIRED, "third": TOTALS}, metrics="f1", rng=1)
RESULTS = {
    **ASK,
    "both targets": lambda **rng: bf.compare(FOLDS, "A", "B", n_draws=500, **rng),
    "method": lambda **rng: bf.compare(FOLDS, "A", "B", target="method", n_draws=500, **rng),
    "same": lambda **rng: bf.compare(bf.from_correct({"A": [1, 0] * 9, "B": [1, 0] * 9}), n_draws=500, **rng),
    "F2 of totals": lambda **rng: bf.compare(TOTALS, metrics=["f2", "precision"], **rng),
    "summary": lambda **rng: bf.summary(PAIRED, n_draws=500, **rng),
    "pairing bounds": lambda **rng: bf.pairing_bounds(FULL_TOTALS, metric="recall"),
    "fit, compared": lambda **rng: FIT.compare(question="new"),
    "fit, ranked": lambda **rng: FIT.rank(),
    "intervals": lambda **rng: bf.intervals(TOTALS, "A", n_resamples=100, **rng),
    "fold tests": lambda **rng: bf.fold_tests(FOLDS, "A", "B"),
    "randomization test": lambda **rng: bf.randomization_test(PAIRED, "A", "B", n_trials=200, **rng),
}


def forms_of(result):
    """Return all that shows a result or copies it, by name; a page and draws for ArviZ are made for the occasion."""
    forms = {"str": str, "repr": repr, "pickle": pickle.dumps, "copy": copy.deepcopy}
    made = {"to_html", "to_arviz", "to_numpy", "to_xarray"}
    names = {name for name in dir(result) if name.startswith("to_")} - made
    names |= {"records", "document", "signature", "bibtex", "details", "_repr_html_"}
    names |= {name for name in dir(result) if name.endswith("sentence")}
    if isinstance(result, pd.DataFrame):
        names = {"to_csv", "to_json", "to_dict", "_repr_html_"}
    for name in names:
        if hasattr(type(result), name):
            forms[name] = methodcaller(name)
    return forms


def computations(show):
    """Return the functions that compute, as far as something that shows a result calls them."""
    called = set()

    def note(frame, event, arg):
        code = frame.f_code
        if event == "call" and (
            code.co_filename.startswith(COMPUTING_ROOMS) or code in VERBS or code in QUANTILES
        ):
            called.add(code.co_qualname)

    sys.setprofile(note)
    try:
        show()
    finally:
        sys.setprofile(None)
    return called


@pytest.mark.parametrize("name", RESULTS)
def test_no_form_of_a_result_computes_anything(name, monkeypatch):
    result = RESULTS[name](rng=1)
    parts = [*result.values()] if isinstance(result, bf.Comparisons) else []

    def refused(*args, **kwargs):
        raise AssertionError("a result was asked to draw")

    monkeypatch.setattr(np.random, "default_rng", refused)
    for shown in (result, *parts):
        for form, render in forms_of(shown).items():
            assert not computations(lambda: render(shown)), form  # noqa: B023
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)


def test_what_computes_is_noticed():
    c = bf.compare(TOTALS)["f1"]
    assert "Difference._quantile" in computations(lambda: c.difference.interval(0.9))
    assert "compare" in computations(lambda: bf.compare(TOTALS))
    assert "quantile" in computations(lambda: np.quantile([1.0, 2.0], 0.5))


def test_a_page_draws_nothing_and_asks_no_verb(tmp_path):
    # Its figures are made of densities and tails, which are evaluated for the occasion.
    verbs = {code.co_qualname for code in VERBS}
    res = bf.compare(TOTALS, rope=0.01)
    called = computations(lambda: res.to_html(tmp_path / "report.html"))
    assert not called & verbs
    assert not {name for name in called if name.startswith("SamplingModel") or name.endswith("rvs")}


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
