"""Speed of the paired path: seven models on sentences, a million labels, CoNLL reading against seqeval.

    python benchmarks/paired.py

Ratios are measured side by side in one run. The span counts of both readers are checked to be the same.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bayesf1 as bf
from bayesf1.io.tags import read_spans
from timing import best, in_turns, timed


def ranking() -> None:
    ev = bf.load_example("wnut17")
    ours, few = in_turns(
        lambda: bf.rank(ev, rng=0, n_draws=20_000),
        lambda: naive_bootstrap(ev, 200, np.random.default_rng(0)),
    )
    plain = 100 * few
    print(f"7 models on 1,287 sentences, 20,000 draws: {ours:.2f} s, goal 0.5 s;")
    print(
        f"  a loop that resamples sentences one by one: {plain:.0f} s by extrapolation, {plain / ours:.0f} times\n"
    )


def naive_bootstrap(ev: bf.Evaluation, n_draws: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Resample sentences with weights of their own, draw by draw, as a script would."""
    rows = np.repeat(ev.units.rows.reshape(-1, *ev.tables.shape), ev.units.weights.astype(int), axis=0)
    out = []
    for _ in range(n_draws):
        tp, fp, fn = np.tensordot(rng.exponential(size=len(rows)), rows, axes=1).T
        out.append(2 * tp / (2 * tp + fp + fn))
    return out


def labels() -> None:
    rng = np.random.default_rng(0)
    gold = rng.random(1_000_000) < 0.2
    models = {
        name: np.where(rng.random(gold.size) < rate, ~gold, gold)
        for name, rate in (("A", 0.1), ("B", 0.0995))
    }
    ev = bf.from_labels(gold, models)
    count, compare = in_turns(lambda: bf.from_labels(gold, models), lambda: bf.compare(ev, rng=0), repeats=3)
    print(f"10^6 labels counted in {count:.2f} s and compared in {compare:.2f} s, goal 1 s together")
    small = bf.from_labels(gold[:1000], {name: y[:1000] for name, y in models.items()})
    y, (a, b) = gold[:1000], (models[name][:1000] for name in "AB")
    counts = [int(((y == g) & (a == i) & (b == j)).sum()) for g in (1, 0) for i in (1, 0) for j in (1, 0)]
    one = best(lambda: bf.compare(small, metrics="f1", prior=1.0))
    found = bf.compare(small, metrics="f1", prior=1.0)["f1"]
    brute, wins = timed(lambda: drawn_wins(np.array(counts) + 0.5, 4_000_000))
    print(f"paired P(H1) of F1, 1000 items: {found.p_h1:.5f} ± {found.mcse:.0e} in {1e3 * one:.0f} ms;")
    error = np.sqrt(wins * (1 - wins) / 4e6)
    same_error = brute * (error / found.mcse) ** 2
    print(
        f"  4·10^6 Dirichlet draws: {wins:.5f} ± {error:.0e} in {brute:.2f} s, at the same error {same_error / one:.0f} times as long\n"
    )


def drawn_wins(alpha: np.ndarray, n_draws: int) -> float:
    """Return the share of Dirichlet draws of the joint outcomes in which B has the larger F1."""
    tables = np.random.default_rng(1).standard_gamma(alpha, size=(n_draws, 8))
    both, only_a, only_b, neither, cb, ca, cc, _ = tables.T
    tp_a, tp_b, gold_mass = both + only_a, both + only_b, both + only_a + only_b + neither
    return float(np.mean(tp_b / (tp_b + gold_mass + cb + cc) > tp_a / (tp_a + gold_mass + cb + ca)))


def reading() -> None:
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    rng = np.random.default_rng(0)
    kinds = ["PER", "LOC", "ORG", "MISC"]

    def sentence() -> list[str]:
        tags: list[str] = []
        while len(tags) < 20:
            if rng.random() < 0.15:
                kind = kinds[rng.integers(4)]
                tags += [f"B-{kind}"] + [f"I-{kind}"] * int(rng.integers(0, 3))
            else:
                tags.append("O")
        return tags

    gold = [sentence() for _ in range(10_000)]
    noisy = [[t if rng.random() > 0.05 else "O" for t in s] for s in gold]
    theirs, ours = in_turns(
        lambda: precision_recall_fscore_support(gold, noisy, average="micro"),
        lambda: read_spans(gold, {"A": noisy}).counts(),
        repeats=3,
    )
    p, r, _, _ = precision_recall_fscore_support(gold, noisy, average="micro")
    tp, fp, fn = read_spans(gold, {"A": noisy}).counts().sum(axis=(0, 1))
    assert np.isclose(tp / (tp + fp), p)
    assert np.isclose(tp / (tp + fn), r)
    tokens = sum(map(len, gold))
    print(
        f"{tokens} tokens: chunk counting {ours:.3f} s, seqeval {theirs:.3f} s, {theirs / ours:.1f} times, goal 5; same counts"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, tags in (("gold", gold), ("A", noisy)):
            text = "\n\n".join("\n".join(f"word\t{t}" for t in s) for s in tags)
            Path(folder, name).write_text(text + "\n", encoding="utf-8")

        def read_and_count() -> object:
            return bf.from_conll(Path(folder, "gold"), {"A": Path(folder, "A")})

        def read_plainly() -> object:
            files = [
                Path(folder, name).read_text(encoding="utf-8").strip().split("\n\n") for name in ("gold", "A")
            ]
            tags = [[[line.split("\t")[-1] for line in s.split("\n")] for s in file] for file in files]
            return precision_recall_fscore_support(*tags, average="micro")

        ours, theirs = in_turns(read_and_count, read_plainly, repeats=3)
        print(
            f"  with reading two files: {ours:.3f} s (checked line by line), plain split and seqeval {theirs:.3f} s, {theirs / ours:.1f} times"
        )


if __name__ == "__main__":
    ranking()
    labels()
    reading()
