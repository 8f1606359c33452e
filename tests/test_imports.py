"""What an exact comparison imports: numpy and scipy.special, and nothing that is heavier."""

import subprocess
import sys


def loaded_by(code):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


COMPARED = "import bayesf1 as bf; bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)))"
HEAVY = """scipy.stats scipy.optimize scipy.integrate scipy.interpolate pandas polars pyarrow narwhals xarray arviz matplotlib
pymc rich concurrent.futures.thread"""


def test_a_comparison_loads_what_it_computes_with_and_nothing_heavy():
    loaded = loaded_by(COMPARED)
    assert {"bayesf1", "numpy", "scipy.special"} <= loaded
    assert not (loaded - loaded_by("import numpy, scipy.special")) & set(HEAVY.split())


def test_the_bare_import_loads_no_numerics():
    assert "numpy" not in loaded_by("import bayesf1")
