"""Draws start from rng=0 unless another is given, and answers say so."""

import json

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base.checks import check_rng, start_in_words, start_of

PAIRED = bf.from_labels(["x", "y"] * 60, {"A": ["x", "y", "y"] * 40, "B": ["x"] * 120}, positive="x")
CLUSTERED = bf.load_example("wnut17").select(["Arcada", "FLYTXT"])
THREE = bf.from_labels(list("aaabbbcccc") * 10, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
VERBS = {
    "compare": lambda **rng: bf.compare(CLUSTERED, **rng).to_text(),
    "compare_classes": lambda **rng: bf.compare_classes(THREE, **rng).to_text(),
    "rank": lambda **rng: bf.rank(CLUSTERED, **rng).to_text(),
    "scoreboard": lambda **rng: bf.scoreboard(CLUSTERED, **rng).to_text(),
    "hierarchical": lambda **rng: str(bf.hierarchical({"x": PAIRED, "y": PAIRED, "z": PAIRED}, **rng)),
    "randomization_test": lambda **rng: str(
        bf.randomization_test(CLUSTERED, metric="f1", method="montecarlo", n_trials=500, **rng)
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_two_runs_print_the_same_and_say_what_they_start_from(verb):
    first = VERBS[verb]()
    assert first == VERBS[verb]() == VERBS[verb](rng=0)
    assert "draws start from rng=0" in first
    assert "draws start from rng=7" in VERBS[verb](rng=7)


@pytest.mark.parametrize("verb", VERBS)
def test_a_generator_moves_on_and_has_no_start_to_name(verb):
    rng = np.random.default_rng(3)
    first = VERBS[verb](rng=rng)
    # A scoreboard starts all its measures from one number of the generator.
    assert verb == "scoreboard" or "draws start from" not in first
    assert first != VERBS[verb](rng=rng)


def test_exact_answers_need_no_start():
    assert "rng" not in bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))).to_text()


def test_beside_exact_probabilities_is_said_what_is_drawn():
    pairs = bf.from_correct({"A": [1, 1, 1, 0, 0, 1], "B": [1, 0, 1, 1, 1, 1]})
    words = "probabilities computed exactly; draws for the interval of the difference start from rng=0"
    assert words in bf.compare(pairs).to_text()
    rows = [json.loads(bf.compare(pairs, rng=rng).to_json())["comparisons"][0] for rng in (0, 1)]
    assert rows[0]["method"] == "exact"
    assert all(rows[0][name] == rows[1][name] for name in ("p_h1", "a", "b"))
    assert rows[0]["difference"] != rows[1]["difference"]


def test_other_verbs_give_the_same_numbers_again():
    post = [bf.posterior(PAIRED, "A", "mcc").interval(0.9) for _ in range(2)]
    assert post[0] == post[1]
    assert bf.summary(CLUSTERED).equals(bf.summary(CLUSTERED))
    shown = [bf.intervals(CLUSTERED, "Arcada", n_resamples=200).to_text() for _ in range(2)]
    assert shown[0] == shown[1]


def test_draws_from_a_law_are_fresh_each_time():
    # Two laws drawn from one seed would move together, and their difference would hardly vary.
    law = bf.Beta(3, 4)
    assert law.rvs() != law.rvs()


@pytest.mark.parametrize(
    ("given", "start"), [(None, 0), (5, 5), (np.int64(5), 5), (np.random.default_rng(1), None)]
)
def test_what_draws_start_from(given, start):
    assert start_of(given) == start
    assert start_in_words(start) == ("" if start is None else f"draws start from rng={start}")


def test_none_is_the_default_start():
    assert check_rng(None).integers(1 << 60) == np.random.default_rng(0).integers(1 << 60)
