"""One fit by PyMC for all tests that need some fit: it is compiled once."""

import warnings

import pytest

import bayesf1 as bf
from builders import FOUR_CORPORA


@pytest.fixture(scope="session")
def sampled():
    pytest.importorskip("pymc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return bf.hierarchical(
            FOUR_CORPORA,
            likelihood="multinomial",
            rope=0.02,
            draws=250,
            tune=250,
            chains=2,
            rng=1,
            progress=False,
        )
