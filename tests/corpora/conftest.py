"""One fit by PyMC for all tests that need some fit: it is compiled once."""

import warnings

import pytest

import bayesf1 as bf
from builders import FOUR_CORPORA, SHORT_CHAINS


@pytest.fixture(scope="session")
def sampled():
    pytest.importorskip("pymc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return bf.hierarchical(FOUR_CORPORA, **SHORT_CHAINS, rope=0.02, rng=1)
