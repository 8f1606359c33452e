"""CRFs on the People's Daily, five training samples of each method: what do intervals of the methods' difference cover?

Two ways of writing names as tags, IOB2 and IOBES, are each trained on many samples of paragraphs, and all runs tested on
the same paragraphs. These runs and paragraphs are the population: an experiment draws five runs of each method and some
paragraphs, and the truth is known. Coverage / length of 95 % intervals as in `method.py`. Needs '.[examples]'; a few
minutes, most of them training.

    python benchmarks/method_crf.py [--replicates 200] [--pool 40]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import bayesf1 as bf
from bayesf1.io.tags import read_spans
from method import interval, t_interval

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "papers"))
import peoples_daily as pd

SCHEMES = ("IOB2", "IOBES")
RUNS, TRAINED, TESTED, DRAWN = 5, 120, 800, 200


def counts_of_runs(pool: int, rng: np.random.Generator) -> np.ndarray:
    """Train all runs, and return tp, fp and fn of each paragraph and run, axes (paragraph, method, run, cell)."""
    path = pd.corpus_file()
    if path is None:
        raise SystemExit("the corpus and crfsuite come with pip install '.[examples]'")
    paragraphs = [words for words in pd.read_corpus(path) if 10 <= sum(len(w) for w, _ in words) <= 120]
    texts = ["".join(word for word, _ in words) for words in paragraphs]
    gold = [
        [
            tag if tag == "O" else f"{tag}-NAME"
            for tag in pd.write_tags(pd.name_spans(words), len(text), pd.COMMON)
        ]
        for words, text in zip(paragraphs, texts, strict=True)
    ]
    plain = [[tag.removesuffix("-NAME") for tag in tags] for tags in gold]
    order = rng.permutation(len(texts))
    tested, rest = order[:TESTED], order[TESTED:]
    said: dict[str, list[list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for scheme in SCHEMES:
            for run in range(pool):
                sample = rng.choice(rest, TRAINED, replace=False)
                crf = pd.CRF(scheme, iterations=60, c2=0.1, notes=Path(folder))
                crf.fit([texts[i] for i in sample], [plain[i] for i in sample])
                found = crf.predict([texts[i] for i in tested])
                said[f"{scheme}/{run}"] = [
                    [tag if tag == "O" else f"{tag}-NAME" for tag in tags] for tags in found
                ]
    table = read_spans([gold[i] for i in tested], said, scheme=pd.COMMON, mode="lenient", types=None)
    return np.asarray(table.counts(), dtype=float).reshape(TESTED, len(SCHEMES), pool, 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--pool", type=int, default=40, help="runs of each method")
    args = parser.parse_args()
    rng, start = np.random.default_rng(1998), time.perf_counter()
    counts = counts_of_runs(args.pool, rng)
    tp, fp, fn = np.moveaxis(counts.sum(axis=0), -1, 0)
    f1 = 2 * tp / (2 * tp + fp + fn)
    truth = float(f1[1].mean() - f1[0].mean())
    print(
        f"{args.pool} runs of each, F1 {100 * f1[0].mean():.2f} and {100 * f1[1].mean():.2f}, sd of a run ",
        end="",
    )
    print(f"{100 * f1[0].std():.2f} and {100 * f1[1].std():.2f} points; {time.perf_counter() - start:.0f} s")
    ends: dict[str, list[tuple[float, float]]] = {
        name: [] for name in ("one run", "mean of runs", "t over runs", "runs × items")
    }
    for _ in range(args.replicates):
        runs = [rng.integers(0, args.pool, RUNS) for _ in SCHEMES]
        drawn = counts[rng.integers(0, TESTED, DRAWN)]
        rows = np.concatenate([drawn[:, m, which] for m, which in enumerate(runs)], axis=1)
        names = [f"{scheme}/{i}" for scheme in SCHEMES for i in range(RUNS)]
        ev = bf.from_units(rows, models=names, unit="paragraph")
        ev = ev.with_runs({s: [f"{s}/{i}" for i in range(RUNS)] for s in SCHEMES})
        ends["one run"].append(interval(ev.select([names[0], names[RUNS]]), "models", rng))
        ends["mean of runs"].append(interval(ev, "models", rng))
        ends["t over runs"].append(t_interval(ev))
        ends["runs × items"].append(interval(ev, "method", rng))
    print(
        f"{RUNS} runs of each, {DRAWN} paragraphs, true difference {100 * truth:+.2f} points, {args.replicates} replicates"
    )
    for name, found in ends.items():
        low, high = np.array(found).T
        print(f"  {name:<14}{np.mean((low <= truth) & (truth <= high)):.3f} / {np.mean(high - low):.3f}")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
