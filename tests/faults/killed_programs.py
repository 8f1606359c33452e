"""Programs that write until they are killed; `python tests/faults/killed_programs.py NAME FOLDER` says ready, and begins."""

import contextlib
import itertools
import os
import sys
import time
from pathlib import Path

import numpy as np

import bayesf1 as bf
from bayesf1.cli.main import main

COUNTS = "model,tp,fp,fn\nA,77,44,10\nB,80,30,7\n"


def slow(at):
    """A model that takes a moment to fit."""

    def fit(X_train, y_train):
        time.sleep(0.002)
        return lambda X_test: (np.asarray(X_test) > at).astype(int)

    return fit


def fit_in(folder, n=60):
    """Cross-validate two models in a folder."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    y = (x + rng.normal(size=n) > 0).astype(int)
    models = {"low": ("1", slow(-0.5)), "mid": ("1", slow(0))}
    return bf.cross_validate(models, x, y, cv=bf.BlockedCV(m=5, rng=1), directory=folder)


def run(*arguments):
    """Run a command, and fail where it does."""
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        code = main([*map(str, arguments)])
    if code:
        sys.exit(code)


def fitting(folder):
    for i in itertools.count():
        fit_in(folder / str(i))


def saving(folder):
    files = [f"{name}={folder / 'counts.csv'}" for name in "xy"]
    for _ in itertools.count():
        run("hierarchical", *files, "--draws", 1000, "--save", folder / "fit.nc")


def sampling(folder):
    files = [f"{name}={folder / 'counts.csv'}" for name in "xy"]
    how = ("--likelihood", "multinomial", "--draws", 20_000)
    run("hierarchical", *files, *how, "--save", folder / "fit.nc")


def reporting(folder):
    counts = folder / "counts.csv"
    for suffix in itertools.cycle(("svg", "pdf", "png")):
        files = ("--plot", folder / f"fig.{suffix}", "--report", folder / "page.html")
        run("compare", counts, *files, "--output", folder / "table.json")


if __name__ == "__main__":
    program, place = globals()[sys.argv[1]], Path(sys.argv[2])
    (place / "counts.csv").write_text(COUNTS)
    print("ready", flush=True)
    try:
        program(place)
    except SystemExit as end:
        # As the command line does: threads of libraries may crash an interpreter that shuts down under a signal.
        os._exit(end.code)
