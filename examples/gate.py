"""
A gate in front of a release
============================

May the new model be shipped?

A classifier of handwritten digits is in production, and there are two candidates to replace it: one that is as good, and one
that saw a twentieth of the data. Their predictions for the test digits are written to files, as your own evaluation would do,
and the command line asks of them that the candidate is not worse in accuracy by more than two points. The exit code is 0 if that
holds, 1 if it does not, and 2 if a file cannot be read. `examples/ci/github-workflow.yml` is the gate as a workflow.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import bayesf1 as bf

GATE = ["--metrics", "accuracy", "--rope", "0.02", "--fail-unless", "not-worse"]


def write_predictions(folder: Path) -> dict[str, Path]:
    """Train the model in production and both candidates, and write a table of test digits for each candidate."""
    x, y = load_digits(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.5, random_state=1)
    production = KNeighborsClassifier().fit(x_train, y_train).predict(x_test)
    candidates = {
        "as good": SVC().fit(x_train, y_train),
        "hastily trained": SVC().fit(x_train[:45], y_train[:45]),
    }
    paths = {}
    for name, model in candidates.items():
        table = {"label": y_test, "production": production, "candidate": model.predict(x_test)}
        paths[name] = folder / f"{name.replace(' ', '_')}.csv"
        pd.DataFrame(table).to_csv(paths[name], index=False)
    return paths


def main() -> None:
    with TemporaryDirectory() as folder:
        paths = write_predictions(Path(folder))
        for name, path in paths.items():
            call = [sys.executable, "-m", "bayesf1", "compare", str(path), "--gold", "label", *GATE]
            done = subprocess.run(call, check=False, capture_output=True, text=True)
            print(f"A candidate that is {name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")

        ev = bf.read(paths["as good"], gold="label")
        res = bf.compare(ev, "production", "candidate", metrics="accuracy", rope=0.02)
        print("In Python:", res["accuracy"].p_not_worse >= res["accuracy"].threshold)
        print("\nHow many digits such a gate takes, where both are equally good:")
        print(bf.plan_comparison(ev, "production", "candidate", metric="accuracy", not_worse_by=0.02, rng=1))
        bf.plot_difference(res)


if __name__ == "__main__":
    main()
