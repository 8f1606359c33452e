"""Draws start from rng=0 unless another is given, and answers say so."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base.checks import check_rng, start_in_words, start_of

PAIRED = bf.from_labels(["x", "y"] * 60, {"A": ["x", "y", "y"] * 40, "B": ["x"] * 120}, positive="x")
CLUSTERED = bf.load_example("wnut17").select(["Arcada", "FLYTXT"])
THREE = bf.from_labels(list("aaabbbcccc") * 10, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
VERBS = {
    "compare": lambda **rng: bf.compare(CLUSTERED, n_draws=1000, **rng).to_text(),
    "compare_classes": lambda **rng: bf.compare_classes(THREE, n_draws=1000, **rng).to_text(),
    "rank": lambda **rng: bf.rank(CLUSTERED, n_draws=1000, **rng).to_text(),
    "scoreboard": lambda **rng: bf.scoreboard(CLUSTERED, n_draws=1000, **rng).to_text(),
}


@pytest.mark.parametrize("verb", VERBS)
def test_two_runs_print_the_same_and_say_what_they_start_from(verb):
    first = VERBS[verb]()
    assert first == VERBS[verb]() == VERBS[verb](rng=0)
    assert "|rng:0|" in first
    assert "|rng:7|" in VERBS[verb](rng=7)


@pytest.mark.parametrize("verb", VERBS)
def test_a_generator_moves_on_and_has_no_start_to_name(verb):
    rng = np.random.default_rng(3)
    first = VERBS[verb](rng=rng)
    # A scoreboard starts all its measures from one number of the generator.
    assert verb == "scoreboard" or "|rng:generator|" in first
    assert first != VERBS[verb](rng=rng)


def test_exact_answers_need_no_start():
    assert "rng" not in bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))).to_text()


def test_other_verbs_give_the_same_numbers_again():
    post = [bf.posterior(PAIRED, "A", "mcc", n_draws=1000).interval(0.9) for _ in range(2)]
    assert post[0] == post[1]
    assert bf.summary(CLUSTERED, n_draws=1000).equals(bf.summary(CLUSTERED, n_draws=1000))


def test_draws_from_a_law_are_fresh_each_time():
    # Two laws drawn from one seed would move together, and their difference would hardly vary.
    distribution = bf.Beta(3, 4)
    assert distribution.rvs() != distribution.rvs()


@pytest.mark.parametrize(
    ("given", "start"), [(None, 0), (5, 5), (np.int64(5), 5), (np.random.default_rng(1), None)]
)
def test_what_draws_start_from(given, start):
    assert start_of(given) == start
    assert start_in_words(start) == ("" if start is None else f"draws start from rng={start}")


def test_none_is_the_default_start():
    assert check_rng(None).integers(1 << 60) == np.random.default_rng(0).integers(1 << 60)
