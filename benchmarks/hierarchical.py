"""Speed of hierarchical models: a grid, importance sampling, nutpie and PyMC side by side, cold and warm.

    python benchmarks/hierarchical.py [quick]

Each engine runs in a process of its own, first with empty compile caches (cold), then with filled ones (warm). Times
are from a running Python with bayesf1 imported to a finished fit: import of the sampler, compilation, sampling,
diagnostics, predictions. Effective draws are those of the difference in F1, for each second of a warm fit. ``quick``
leaves out PyMC, which compiles for a minute.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from functools import partial

import numpy as np

import bayesf1 as bf
from bayesf1.base.arviz_data import effective
from timing import timed


def corpora(n_groups: int, n_models: int) -> dict[str, bf.Evaluation]:
    rng = np.random.default_rng(1)
    found = {}
    for g in range(n_groups):
        hard = rng.normal(scale=0.2)
        tables = {}
        for m in range(n_models):
            odds = np.exp([1.0 + hard + 0.02 * m, 0.1 * rng.normal(), -0.5 - hard])
            tables[f"m{m}"] = rng.multinomial(rng.integers(300, 2000), odds / odds.sum())
        found[f"c{g}"] = bf.from_counts(tables)
    return found


def measure(likelihood: str, sampler: str, groups: int, models: int, draws: int) -> None:
    """Fit twice in this process and print what it took."""
    data, warm = corpora(groups, models), {}
    settings = {"likelihood": likelihood, "sampler": sampler, "draws": draws, "metrics": "f1"}
    settings |= {"rng": 1, "progress": False}
    for run in ("first", "second"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warm[run], fit = timed(partial(bf.hierarchical, data, **settings))
    scores = fit.posterior["score"].sel(measure="f1").values
    ess = effective(scores[..., 1] - scores[..., 0])
    print(
        json.dumps({**warm, "ess": ess, "divergences": fit.diagnostics.divergences, "ok": fit.diagnostics.ok})
    )


def in_process(folder: str, *arguments: object) -> dict[str, float]:
    flags = {"NUMBA_CACHE_DIR": f"{folder}/numba", "PYTENSOR_FLAGS": f"base_compiledir={folder}/pytensor"}
    command = [sys.executable, __file__, "measure", *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **flags}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def main(quick: bool) -> None:
    engines = [
        ("scores", "grid", 6, 2, 2000),
        ("dirichlet", "importance", 6, 2, 2000),
        ("dirichlet", "nutpie", 6, 2, 2000),
        ("dirichlet", "pymc", 6, 2, 2000),
        ("logistic-normal", "nutpie", 6, 2, 2000),
        ("logistic-normal", "pymc", 6, 2, 2000),
        ("scores", "grid", 50, 5, 1000),
        ("scores", "grid", 200, 7, 500),
        ("dirichlet", "importance", 50, 5, 1000),
        ("dirichlet", "nutpie", 50, 5, 1000),
        ("logistic-normal", "nutpie", 50, 5, 1000),
    ]
    print(
        f"{'likelihood, sampler':<30}{'size':<9}{'cold':>7}{'warm':>8}{'again':>8}{'ESS':>8}{'ESS/s':>8}  diagnostics"
    )
    for likelihood, sampler, groups, models, draws in engines:
        if quick and sampler == "pymc":
            continue
        with tempfile.TemporaryDirectory() as folder:
            arguments = (likelihood, sampler, groups, models, draws)
            cold, warm = in_process(folder, *arguments), in_process(folder, *arguments)
        print(
            f"{f'{likelihood}, {sampler}':<30}{f'{groups} × {models}':<9}{cold['first']:>6.1f}s{warm['first']:>7.1f}s"
            f"{warm['second']:>7.1f}s{warm['ess']:>8.0f}{warm['ess'] / warm['second']:>8.0f}  "
            f"{'good' if warm['ok'] else 'bad'}, {warm['divergences'] or 0} divergences",
            flush=True,
        )
    print("cold: empty caches; warm: filled caches, new process; again: second fit of that process")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:7]))
    else:
        main("quick" in sys.argv[1:])
