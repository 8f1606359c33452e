"""Whose warnings fail a test: our own always, those of other packages only with ``-W error``, as in the build."""

import os
import re
import subprocess
import sys

from builders import ROOT

SMALL = """
import warnings
import bayesf1 as bf

def test_ours():
    bf.from_counts(A=(0, 0, 0), B=(1, 2, 3))

def test_theirs():
    # SciPy, for one, attributes deprecations to the module that called it.
    warnings.warn_explicit("gone in 1.20", DeprecationWarning, "units.py", 1, module="bayesf1.units")

def test_elsewhere():
    warnings.warn("gone in 4.0", FutureWarning)
"""


def report(folder, *options):
    """What pytest prints of a small file of tests, under the settings of the project and these options."""
    (folder / "test_small.py").write_text(SMALL)
    pytest = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider"]
    # The build gives its options by this variable.
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    ran = subprocess.run(
        [*pytest, "-rfp", *options, folder], check=False, capture_output=True, text=True, env=env, cwd=ROOT
    )
    return ran.stdout


def outcomes(printed):
    lines = re.findall(r"^(PASSED|FAILED) \S+::test_(\w+)", printed, flags=re.MULTILINE)
    return {name: outcome for outcome, name in lines}


def test_in_the_first_run_of_a_newcomer_only_our_own_warnings_fail_and_others_are_shown(tmp_path):
    printed = report(tmp_path)
    assert outcomes(printed) == {"ours": "FAILED", "theirs": "PASSED", "elsewhere": "PASSED"}
    assert "Caution: all counts of A are 0" in printed
    assert "DeprecationWarning: gone in 1.20" in printed
    assert "FutureWarning: gone in 4.0" in printed


def test_in_the_build_every_warning_fails(tmp_path):
    assert "export PYTEST_ADDOPTS='-W error'" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    printed = report(tmp_path, "-W", "error")
    assert outcomes(printed) == {"ours": "FAILED", "theirs": "FAILED", "elsewhere": "FAILED"}
