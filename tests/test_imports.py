"""What `import bayesf1` costs: numpy and scipy.special, and nothing that is heavier."""

import subprocess
import sys

import pytest


def loaded_by(code):
    command = [sys.executable, "-c", f"import sys, {code}; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


BASE, PACKAGE = loaded_by("numpy, scipy.special"), loaded_by("bayesf1")
HEAVY = (
    "scipy.stats",
    "scipy.optimize",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
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
def test_the_package_does_not_load(module):
    assert module not in PACKAGE - BASE


def test_the_package_loads_what_it_computes_with():
    assert {"bayesf1", "numpy", "scipy.special"} <= PACKAGE
