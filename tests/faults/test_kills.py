"""A program that is killed at any moment leaves whole files, or none; and what it had fitted is not fitted again."""

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from killed_programs import fit_in

import bayesf1 as bf

SEED = 20261117
# A kill of each kind always, several where the marker asks for them.
MOMENTS = [0, pytest.param(1, marks=pytest.mark.long)]
PROGRAMS = {"fitting": 0.5, "saving": 3.0, "reporting": 3.0}
WHOLE = {
    ".json": json.loads,
    ".html": lambda data: data.rstrip().endswith(b"</html>"),
    ".svg": lambda data: data.rstrip().endswith(b"</svg>"),
    ".pdf": lambda data: data.rstrip().endswith(b"%%EOF"),
    ".png": lambda data: data.endswith(b"IEND\xaeB`\x82"),
    ".csv": lambda data: data.startswith(b"model"),
}
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")


def kill(program, folder, kill_signal, delay):
    """Start a program, and kill it some time after it is ready."""
    script = Path(__file__).with_name("killed_programs.py")
    command = [sys.executable, script, program, folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        ready = running.stdout.readline()
        time.sleep(delay)
        running.send_signal(kill_signal)
        # Python loses an interrupt in a callback of a library, and says so: whoever waits presses again.
        again = threading.Timer(15, running.send_signal, [kill_signal])
        again.start()
        try:
            said = running.communicate(timeout=60)[1]
        finally:
            again.cancel()
            running.kill()
    assert ready == "ready\n", said
    return running.returncode, re.sub(
        r"Exception ignored.*?KeyboardInterrupt[^\n]*\n", "", said, flags=re.DOTALL
    )


def hidden(folder):
    return [path for path in folder.rglob("*") if path.name.startswith(".bayesf1")]


def broken(folder):
    """Files that are there in part; what no name promises is none of them."""
    parts = hidden(folder)
    found = []
    for path in folder.rglob("*"):
        inside = [path, *path.parents]
        if any(part in inside for part in parts):
            continue
        try:
            if path.suffix == ".nc":
                bf.load_fit(path)
            elif path.is_file() and not WHOLE[path.suffix](path.read_bytes()):
                found.append(path.name)
        except ValueError as error:
            found.append(f"{path.name}: {error}")
    return found


@posix
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    "how", ["SIGTERM", *(pytest.param(s, marks=pytest.mark.long) for s in ("SIGKILL", "SIGINT"))]
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_killed_program_leaves_whole_files(program, how, moment, tmp_path):
    delay = random.Random(f"{SEED} {program} {how} {moment}").random() * PROGRAMS[program]
    where = f"{how} after {delay:.4f} s of {program}"
    code, said = kill(program, tmp_path, getattr(signal, how), delay)
    if how == "SIGINT":
        # What interrupts Python between two commands says so.
        assert "Traceback" not in said or said.rstrip().endswith("KeyboardInterrupt"), f"{where}: {said}"
    else:
        assert "Traceback" not in said, f"{where}: {said}"
    # Between two commands nobody catches the signal, and nothing is written.
    assert code in (-getattr(signal, how), 128 + getattr(signal, how)), f"{where}: {said}"
    assert not broken(tmp_path), where
    if how != "SIGKILL" and program != "fitting":
        assert not hidden(tmp_path), where
    if program == "fitting":
        expected = fit_in(tmp_path / "again")
        for begun in (path for path in tmp_path.iterdir() if path.name.isdigit()):
            assert fit_in(begun) == expected, where


@posix
@pytest.mark.long
@pytest.mark.parametrize(("how", "delay"), [("SIGINT", 14.0), ("SIGTERM", 8.0)])
def test_a_fit_by_pymc_that_is_interrupted_ends_without_a_file_or_a_traceback(how, delay, tmp_path):
    # While chains run, or on a slow machine the model is compiled.
    pytest.importorskip("pymc")
    code, said = kill("sampling", tmp_path, getattr(signal, how), delay)
    assert "Traceback" not in said, said
    assert code in (-getattr(signal, how), 128 + getattr(signal, how)), said
    assert [path.name for path in tmp_path.iterdir()] == ["counts.csv"]


def _fit(folder, out):
    out.put(fit_in(folder).folds.counts.tolist())


@posix
@pytest.mark.long
def test_of_several_processes_on_one_directory_one_may_be_killed(tmp_path):
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    running = [context.Process(target=_fit, args=(tmp_path / "shared", out)) for _ in range(3)]
    for process in running:
        process.start()
    killed = subprocess.Popen(
        [sys.executable, "-c", f"from killed_programs import fit_in; fit_in({str(tmp_path / 'shared')!r})"],
        cwd=Path(__file__).parent,
    )
    time.sleep(random.Random(SEED).random())
    killed.kill()
    killed.wait()
    found = [out.get(timeout=120) for _ in running]
    for process in running:
        process.join()
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert not broken(tmp_path)
    assert np.array_equal(fit_in(tmp_path / "alone").folds.counts, found[0])
