"""Models that say yes or no to each item: their joint outcomes, and draws where some cells were left out."""

import pytest

from bayesf1.inference.compare import compare
from bayesf1.tasks.binary import BINARY_CELLS, Binary
from bayesf1.tasks.correctness import Correctness
from evaluations import EVALUATIONS


def test_an_item_that_adds_nothing_is_no_outcome():
    # Two models find or miss a gold item, and claim or leave alone another: 4 + 4, less one where tn is not counted.
    assert Binary(BINARY_CELLS).joint_outcomes(2).shape == (8, 2, 4)
    assert Binary(BINARY_CELLS[:3]).joint_outcomes(2).shape == (7, 2, 3)
    assert Correctness().joint_outcomes(3).shape == (8, 3, 2)


@pytest.mark.parametrize("name", ["items", "documents"])
def test_cells_that_a_measure_does_not_ask_for_may_be_left_out(name):
    whole = EVALUATIONS[name]().pair("A", "C")
    expected, found = (
        compare(ev, metrics="precision", method="montecarlo", n_draws=20_000, rng=0)["precision"]
        for ev in (whole, whole.keep(("tp", "fp")))
    )
    assert abs(found.p_h1 - expected.p_h1) < 4 * (found.mcse**2 + expected.mcse**2) ** 0.5
    assert found.posterior_a.mean() == pytest.approx(expected.posterior_a.mean(), abs=2e-3)
