"""What an exact comparison imports: numpy and scipy.special, and nothing that is heavier."""

import subprocess
import sys

import pytest


def loaded_by(code):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


BASE = loaded_by("import numpy, scipy.special")
COMPARED = "import bayesf1 as bf; bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)))"
PACKAGE = loaded_by(COMPARED)
HEAVY = (
    "scipy.stats",
    "scipy.optimize",
    "scipy.integrate",
    "scipy.interpolate",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "xarray",
    "arviz",
    "matplotlib",
    "pymc",
    "rich",
    "concurrent.futures.thread",
)


@pytest.mark.parametrize("module", HEAVY)
def test_a_comparison_does_not_load(module):
    assert module not in PACKAGE - BASE


def test_a_comparison_loads_what_it_computes_with():
    assert {"bayesf1", "numpy", "scipy.special"} <= PACKAGE


def test_the_bare_import_loads_no_numerics():
    assert "numpy" not in loaded_by("import bayesf1")
