"""Blocks of draws on several cores."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.base import cores
from bayesf1.evaluation import samples


def drawn(n, rng):
    return rng.standard_exponential(n)


@pytest.mark.parametrize("sizes", [[], [5], [3, 3, 1], [2] * 40])
def test_digits_do_not_hang_on_the_number_of_cores(sizes, monkeypatch):
    found = []
    for n in (1, 2, 7):
        monkeypatch.setattr(cores, "n_cores", lambda n=n: n)
        found.append([part.tolist() for part in cores.in_blocks(drawn, sizes, np.random.default_rng(1))])
    assert found[0] == found[1] == found[2]
    assert list(map(len, found[0])) == sizes


def test_blocks_are_drawn_independently_of_each_other():
    parts = np.stack(list(cores.in_blocks(drawn, [4000] * 8, np.random.default_rng(1))))
    off = np.corrcoef(parts)[np.triu_indices(8, 1)]
    # Twenty-eight correlations, each with standard error 1/63.
    assert np.abs(off).max() < 4.5 / np.sqrt(4000)


def test_an_error_in_a_block_is_told_and_ends_the_others():
    def fails(n, rng):
        raise ValueError("no draws today")

    with pytest.raises(ValueError, match="no draws today"):
        list(cores.in_blocks(fails, [1, 1, 1], np.random.default_rng(1)))


def test_a_comparison_that_takes_all_cores_agrees_with_one_that_takes_one(monkeypatch):
    rng = np.random.default_rng(3)
    hard = rng.normal(size=300)
    ev = bf.from_scores({name: hard + rng.normal(gain, 1.0, 300) for name, gain in (("A", 0.0), ("B", 0.05))})
    one = bf.compare(ev, n_draws=20_000, rng=1)["mean"]
    monkeypatch.setattr(samples, "_LONG", 0)
    found = []
    for n in (1, 3):
        monkeypatch.setattr(cores, "n_cores", lambda n=n: n)
        found.append(bf.compare(ev, n_draws=20_000, rng=1)["mean"])
    assert found[0].p_h1 == found[1].p_h1
    assert found[0].p_h1 == pytest.approx(one.p_h1, abs=5 * (one.mcse + found[0].mcse))
    assert found[0].difference.interval(0.95) == pytest.approx(one.difference.interval(0.95), abs=0.01)
