"""Benchmarks that others rely on: peers are asked what they are said to be asked, and engines count alike."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from builders import ROOT, load_script, needed

PAGE = (ROOT / "docs" / "background" / "peers.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def peers():
    return load_script("benchmarks/peers.py")


@pytest.mark.long
def test_the_answers_here_are_the_exact_ones(peers):
    # A bootstrap of 9,999 resamples has ends with a standard error of .05 points.
    allowed = {"points": 0.002, "": 1e-9}
    for question in peers.QUESTIONS:
        first = question.calls[0]
        assert first.module == "bayesf1"
        if question.exact is not None:
            assert np.abs(np.asarray(first.work()) - question.exact()).max() < allowed[question.unit], (
                question.title
            )


@pytest.mark.long
def test_intervals_of_a_judge_hold_the_truth_as_often_as_they_say(peers):
    ends = np.array([peers.ask_judged(seed) for seed in range(12)])
    held = ((ends[:, 0] <= peers.TRUTH) & (ends[:, 1] >= peers.TRUTH)).sum()
    # Fewer than 8 of 12 intervals of 95 % hold the truth once in 2,000 times.
    assert stats.binom.cdf(7, 12, 0.95) < 5e-4
    assert held >= 8


def test_the_page_has_every_question_and_every_peer(peers):
    made = PAGE.partition(peers.BEGIN)[2].partition(peers.END)[0]
    assert all(f"### {question.title}\n" in made for question in peers.QUESTIONS)
    calls = [*(call for question in peers.QUESTIONS for call in question.calls), *peers.JUDGED]
    assert all(f"| {call.module} | `{call.what}` |" in made for call in calls)
    assert {call.module for call in calls} == peers.PEERS.keys()
    assert re.search(r"bayesf1 \d+\.\d+\.\d+", made)


@pytest.mark.long
def test_engines_and_processes_with_files_count_alike():
    needed("duckdb")
    command = "benchmarks/distributed.py --rows 3e4 --shards 3 --only duckdb,polars,files"
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.findall(r"^(\S+).* (yes|NO)$", done.stdout, flags=re.MULTILINE) == [
        ("DuckDB", "yes"),
        ("Polars,", "yes"),
        ("two", "yes"),
    ]
