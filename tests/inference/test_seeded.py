"""Draws start from rng=0 unless another is given, and answers say so."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base.checks import check_rng

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


def test_exact_answers_need_no_start():
    assert "rng" not in bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))).to_text()


def test_draws_from_a_law_are_fresh_each_time():
    # Two laws drawn from one seed would move together, and their difference would hardly vary.
    distribution = bf.Beta(3, 4)
    assert distribution.rvs() != distribution.rvs()


def test_none_is_the_default_start():
    assert check_rng(None).integers(1 << 60) == np.random.default_rng(0).integers(1 << 60)
