"""Tests see the same examples and draws in every run; ``--hypothesis-profile=random`` asks for other examples."""

import os
from itertools import count

# Tests run side by side: threads of BLAS would wait for each other's cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import bayesf1 as bf
from browser import browser  # noqa: F401

# What a terminal or a build says of colours and width is none of a test's business.
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PY_COLORS", "CLICOLOR_FORCE"):
    os.environ.pop(name, None)

# A busy computer is no reason to fail.
patient = settings(
    deadline=None, database=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("same", patient, derandomize=True)
settings.register_profile("random", patient, max_examples=300, print_blob=True)
settings.load_profile("same")

# A function checks its arguments once its public name was used: whichever test comes first, all were.
for package in (bf, bf.measures):
    for name in package.__all__:
        getattr(package, name)

default_rng = np.random.default_rng


def pytest_runtest_setup():
    # Who asks for no seed gets another one at each call, but the same ones in every run.
    seeds = count()
    np.random.default_rng = lambda seed=None: default_rng(next(seeds) if seed is None else seed)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        """The tests of a file go to one process, as what they share takes seconds to make; those of PyMC half a minute."""

        def _split_scope(self, nodeid):
            scope = super()._split_scope(nodeid)
            return scope.rpartition("/")[0] if "/corpora/" in scope else scope

    return ByFile(config, log)
