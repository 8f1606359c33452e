"""Evaluations of every kind, with all that they can hold, for golden numbers and for tests that run over all of them."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import bayesf1 as bf

MODELS = ("A", "B", "C")


def noisy(labels: Any, error: float, rng: np.random.Generator, choices: Any) -> Any:
    """Return labels of which a share is drawn anew."""
    labels = np.asarray(labels)
    return np.where(rng.random(labels.shape) < error, rng.choice(choices, labels.shape), labels)


def predicted(gold: Any, rng: np.random.Generator, choices: Any, error: float = 0.2) -> dict[str, Any]:
    """Return what three models predict, each worse than the one before."""
    return {m: noisy(gold, error + 0.1 * i, rng, choices) for i, m in enumerate(MODELS)}


def documents(n: int, groups: bool = True) -> Any:
    """Return the document of each item, 25 of unequal sizes, or None."""
    return np.random.default_rng(99).permutation(np.arange(n) ** 2 % 97 % 25) if groups else None


def binary(seed: int = 1, groups: bool = False, runs: bool = False, n: int = 160) -> bf.Evaluation:
    """Return items of two labels."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    found = predicted(gold, rng, [0, 1])
    if runs:
        found = {
            m: {f"seed{s}": noisy(y, 0.1, rng, [0, 1]) for s in range(4 - i)}
            for i, (m, y) in enumerate(found.items())
        }
    return bf.from_labels(gold, found, positive=1, groups=documents(n, groups))


def classes(seed: int = 2, groups: bool = False, n: int = 160) -> bf.Evaluation:
    """Return items of four classes."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    found = predicted(gold, rng, list("abcd"))
    return bf.from_labels(gold, found, labels=list("abcd"), groups=documents(n, groups))


def label_sets(seed: int = 3, groups: bool = False) -> bf.Evaluation:
    """Return items with sets of labels."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, (80, 3))
    found = predicted(gold, rng, [0, 1])
    return bf.from_labels(gold, found, multilabel=True, groups=documents(80, groups))


def tags(seed: int = 4, groups: bool = False, by_type: bool = False) -> bf.Evaluation:
    """Return sentences with spans of two types."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(["O", "B-PER", "B-LOC", "I-LOC"], (60, 7), p=[0.6, 0.2, 0.1, 0.1])
    found = {m: y.tolist() for m, y in predicted(gold, rng, ["O", "B-PER", "B-LOC"]).items()}
    return bf.from_tags(gold.tolist(), found, by_type=by_type, groups=documents(60, groups))


def correct(seed: int = 5, groups: bool = False) -> bf.Evaluation:
    """Return items that were solved or not."""
    rng = np.random.default_rng(seed)
    flags = {m: rng.random(60) < 0.9 - 0.1 * i for i, m in enumerate(MODELS)}
    return bf.from_correct(flags, groups=documents(60, groups))


def scores(seed: int = 6, lower: bool = False) -> bf.Evaluation:
    """Return a score of each query."""
    rng = np.random.default_rng(seed)
    found = {m: rng.integers(0, 20, 40) / 20 for m in MODELS}
    return bf.from_scores(found, name="NDCG", lower_is_better=lower)


def wer(seed: int = 8, groups: bool = False) -> bf.Evaluation:
    """Return utterances with hits, substitutions, deletions and insertions."""
    rng = np.random.default_rng(seed)
    words, found = rng.integers(5, 30, 60), {}
    for i, m in enumerate(MODELS):
        wrong = rng.binomial(words, 0.1 + 0.03 * i)
        deleted = rng.binomial(wrong, 0.3)
        found[m] = np.stack([words - wrong, wrong - deleted, deleted, rng.poisson(0.5, 60)], axis=1)
    return bf.from_statistics(found, bf.measures.wer, name="WER", groups=documents(60, groups))


def probabilities(seed: int = 9, groups: bool = False) -> bf.Evaluation:
    """Return a probability of each item."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, 60)
    logits = {m: 2.0 * gold - 1.0 + rng.normal(0, 1.0 + 0.5 * i, 60) for i, m in enumerate(MODELS)}
    found = {m: np.round(1 / (1 + np.exp(-x)), 2).clip(0.01, 0.99) for m, x in logits.items()}
    return bf.from_probabilities(gold, found, groups=documents(60, groups))


def judged(seed: int = 10, groups: bool = False, k: int = 2, n: int = 400) -> bf.Evaluation:
    """Return items of which two in five are labelled, and one judge of all."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    found, judge = predicted(gold, rng, range(k)), noisy(gold, 0.2, rng, range(k))
    known = [int(y) if seen else None for y, seen in zip(gold, rng.random(n) < 0.4, strict=True)]
    how = {"positive": 1} if k == 2 else {}
    return bf.from_labels(known, found, judge=judge, groups=documents(n, groups), **how)


def folds(seed: int = 11, cv: Any = None, tn: bool = False) -> bf.Evaluation:
    """Return counts of the folds of a cross-validation."""
    rng = np.random.default_rng(seed)
    tp = rng.integers(60, 90, (3, 6)) - np.array([0, 4, 9])[:, None]
    cells = {m: [t, 95 - t, 100 - t] + ([300 + t] if tn else []) for m, t in zip(MODELS, tp, strict=True)}
    found = {m: np.stack(c, axis=1) for m, c in cells.items()}
    if cv is None:
        found, cv = {m: c.reshape(3, 2, -1) for m, c in found.items()}, bf.BlockedCV(m=3)
    return bf.from_folds(found, cv=cv)


def cross_validated(seed: int = 12, groups: bool = False, n: int = 120) -> bf.Evaluation:
    """Return what three thresholds predict in a blocked cross-validation."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (x + rng.normal(size=n) > 0).astype(int)

    def threshold(at: float) -> Callable[..., Any]:
        return lambda X_train, y_train: lambda X_test: (X_test > at).astype(int)

    learners = {m: threshold(0.4 * i - 0.4) for i, m in enumerate(MODELS)}
    cv = bf.BlockedCV(m=3, rng=0)
    return bf.cross_validate(learners, x, y, cv=cv, groups=documents(n, groups))


def confusion(seed: int = 13) -> bf.Evaluation:
    """Return confusion matrices of four classes."""
    rng = np.random.default_rng(seed)
    found = {m: rng.integers(0, 9, (4, 4)) + (9 - i) * np.eye(4) for i, m in enumerate(MODELS)}
    return bf.from_confusion(found, labels=list("abcd"))


def counts(seed: int = 0) -> bf.Evaluation:
    """Return tables alone."""
    rng = np.random.default_rng(seed)
    return bf.from_counts({m: rng.integers(1, 90, 4) for m in MODELS})


GROUPED = {
    "items": binary,
    "classes": classes,
    "label sets": label_sets,
    "spans": tags,
    "types": functools.partial(tags, by_type=True),
    "right or wrong": correct,
    "statistics": wer,
    "probabilities": probabilities,
    "judged items": judged,
    "cross-validated items": cross_validated,
}
EVALUATIONS = {
    "counts": counts,
    "folds": folds,
    "matrices": confusion,
    "scores": scores,
    "judged classes": functools.partial(judged, k=3),
    **GROUPED,
    **{
        name.replace("items", "documents") if "items" in name else f"{name} in documents": functools.partial(
            build, groups=True
        )
        for name, build in GROUPED.items()
    },
}
