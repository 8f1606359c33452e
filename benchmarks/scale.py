"""How time and memory grow with the number of items: every verb on every kind of data, at 10³, 10⁴ and 10⁵ items.

Hardly two units are alike, but for items of two labels, which are counted. Each verb and kind is a process of its own, so that
its peak memory is its own. Data are made before the clock starts; what is timed, in CPU seconds, is what a user does
with them, from building the evaluation to printing the answer. The exponent is the slope of a line through the
logarithms; below one, twice the data cost less than twice the time. `distributed.py` counts up to 10⁸ rows.

    python benchmarks/scale.py            # prints the table
    python benchmarks/scale.py --write    # and puts it into docs/guides/large_data.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (1_000, 10_000, 100_000)
PAGE = Path(__file__).parents[1] / "docs" / "guides" / "large_data.md"
BEGIN, END = "<!-- scale: begin -->", "<!-- scale: end -->"
# Returns the evaluation when it is called.
Build = Callable[[], Any]


def two_labels(n: int) -> Build:
    import bayesf1 as bf

    gold, said = labels(n, 2)
    return lambda: bf.from_labels(gold, said, positive=1)


def fifty_classes(n: int) -> Build:
    import bayesf1 as bf

    gold, said = labels(n, 50)
    return lambda: bf.from_labels(gold, said)


def labels(n: int, k: int) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(n)
    gold = rng.integers(0, k, size=n)
    shares = {"A": 0.80, "B": 0.81}
    return gold, {m: np.where(rng.random(n) < p, gold, rng.integers(0, k, size=n)) for m, p in shares.items()}


def documents(n: int) -> Build:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    gold, hard, counts = rng.integers(100, 1000, size=n), rng.beta(12, 3, size=n), {}
    for i, m in enumerate("AB"):
        tp = rng.binomial(gold, np.clip(hard + 0.0005 * i, 0.0, 1.0))
        counts[m] = np.stack([tp, rng.binomial(gold, 0.2), gold - tp], axis=1)
    return lambda: bf.from_units(counts, unit="document")


def scores(n: int, n_models: int = 2) -> Build:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    difficulty = rng.normal(size=n)
    found = {m: difficulty + rng.normal(0.002 * i, 0.5, size=n) for i, m in enumerate("ABCDEFG"[:n_models])}
    return lambda: bf.from_scores(found)


def probabilities(n: int) -> Build:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    gold, hard = (rng.random(n) < 0.3).astype(int), rng.normal(size=n)
    logits = {
        m: 2 * gold - 1.4 + 0.7 * hard + rng.normal(0.0, 0.70 + 0.01 * i, n) for i, m in enumerate("AB")
    }
    found = {m: 1.0 / (1.0 + np.exp(-x)) for m, x in logits.items()}
    return lambda: bf.from_probabilities(gold, found)


def translations(n: int) -> Build:
    import bayesf1 as bf

    rng = np.random.default_rng(n)
    length, found = rng.integers(8, 60, n), {}
    totals = np.stack([length - k for k in range(4)], axis=1)
    for i, m in enumerate("AB"):
        matches = rng.binomial(totals, np.array([0.7, 0.5, 0.4, 0.3]) + 0.0005 * i)
        found[m] = np.column_stack([length, length + rng.integers(0, 3, n), matches, totals])
    return lambda: bf.from_statistics(found, bf.measures.corpus_bleu)


KINDS: dict[str, Callable[[int], Build]] = {
    "items of two labels": two_labels,
    "items of 50 classes": fifty_classes,
    "documents": documents,
    "scores": scores,
    "scores of 7 models": lambda n: scores(n, 7),
    "probabilities": probabilities,
    "translations (BLEU)": translations,
}
VERBS: dict[str, Callable[[Any], object]] = {
    "compare": lambda ev: _bf().compare(ev, "A", "B"),
    "rank": lambda ev: _bf().rank(ev),
    "intervals": lambda ev: _bf().intervals(ev, "A"),
    "difference_intervals": lambda ev: _bf().difference_intervals(ev, "A", "B"),
    "randomization_test": lambda ev: _bf().randomization_test(ev, "A", "B"),
    "summary": lambda ev: _bf().summary(ev),
    "resolution": lambda ev: _bf().resolution(ev, "A", "B"),
}


def _bf() -> Any:
    import bayesf1

    return bayesf1


def grow(kind: str, verb: str) -> dict[str, Any]:
    """Return the CPU seconds of each size, and the peak memory of this process in megabytes."""
    import resource

    warnings.simplefilter("ignore")
    # Imports are no part of it.
    str(VERBS[verb](KINDS[kind](100)()))
    seconds = []
    for n in SIZES:
        build = KINDS[kind](n)
        start = time.process_time()
        str(VERBS[verb](build()))
        seconds.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "peak": peak / (1e6 if sys.platform == "darwin" else 1e3)}


def row(kind: str, verb: str) -> str:
    """Run a verb on a kind of data in a process of its own, and return a row of the table."""
    command = [sys.executable, __file__, "--step", kind, verb]
    # Threads that wait for each other on busy cores take CPU, too.
    alone = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    if done.returncode:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    slope = np.polyfit(np.log(SIZES), np.log(found["seconds"]), 1)[0]
    cells = [
        kind,
        f"`{verb}`",
        *(f"{s:.2f}" for s in found["seconds"]),
        f"{slope:.1f}",
        f"{found['peak']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        json.dump(grow(*options.step), sys.stdout)
        return
    table = ["| data | verb | 10³: CPU s | 10⁴ | 10⁵ | exponent | peak MB |", "|---|---|---|---|---|---|---|"]
    print(*table, sep="\n", flush=True)
    for kind in KINDS:
        for verb in VERBS:
            table.append(row(kind, verb))
            print(table[-1], flush=True)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        made = "\n".join([BEGIN, *table, END])
        PAGE.write_text(before + made + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
