"""One evaluation of every kind, with all that it can hold, for tests that run over all of them."""

import functools

import numpy as np

import bayesf1 as bf

MODELS = ("A", "B", "C")


def noisy(labels, error, rng, choices):
    """Labels of which a share is drawn anew."""
    labels = np.asarray(labels)
    return np.where(rng.random(labels.shape) < error, rng.choice(choices, labels.shape), labels)


def documents(n, rng):
    return rng.permutation(np.arange(n) % 25)


def binary(seed=0, n=160, groups=False):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    predictions = {m: noisy(gold, 0.2 + 0.1 * i, rng, [0, 1]) for i, m in enumerate(MODELS)}
    return bf.from_labels(gold, predictions, positive=1, groups=documents(n, rng) if groups else None)


def multiclass(seed=0, n=160, groups=False):
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    predictions = {m: noisy(gold, 0.3 + 0.1 * i, rng, list("abcd")) for i, m in enumerate(MODELS)}
    where = documents(n, rng) if groups else None
    return bf.from_labels(gold, predictions, labels=list("abcd"), groups=where)


def label_sets(seed=0, n=80, groups=False):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, (n, 3))
    predictions = {m: noisy(gold, 0.2 + 0.1 * i, rng, [0, 1]) for i, m in enumerate(MODELS)}
    return bf.from_labels(gold, predictions, multilabel=True, groups=documents(n, rng) if groups else None)


def tags(seed=0, n=60, groups=False, by_type=False):
    rng = np.random.default_rng(seed)
    gold = rng.choice(["O", "B-PER", "B-LOC"], (n, 6), p=[0.7, 0.2, 0.1])
    predictions = {
        m: noisy(gold, 0.2 + 0.1 * i, rng, ["O", "B-PER", "B-LOC"]).tolist() for i, m in enumerate(MODELS)
    }
    return bf.from_tags(
        gold.tolist(), predictions, by_type=by_type, groups=documents(n, rng) if groups else None
    )


def correct(seed=0, n=60, groups=False):
    rng = np.random.default_rng(seed)
    flags = {m: rng.random(n) < 0.9 - 0.1 * i for i, m in enumerate(MODELS)}
    return bf.from_correct(flags, groups=documents(n, rng) if groups else None)


def scores(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return bf.from_scores({m: rng.integers(0, 20, n) / 20 for m in MODELS}, name="NDCG")


def statistics(seed=0, n=60, groups=False):
    rng = np.random.default_rng(seed)
    words = rng.integers(5, 30, n)
    found = {}
    for i, m in enumerate(MODELS):
        wrong = rng.binomial(words, 0.1 + 0.03 * i)
        deleted = rng.binomial(wrong, 0.3)
        found[m] = np.stack([words - wrong, wrong - deleted, deleted, rng.poisson(0.5, n)], axis=1)
    where = documents(n, rng) if groups else None
    return bf.from_statistics(found, bf.measures.wer, name="WER", groups=where)


def probabilities(seed=0, n=60, groups=False):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    logits = {m: 2.0 * gold - 1.0 + rng.normal(0, 1.0 + 0.5 * i, n) for i, m in enumerate(MODELS)}
    found = {m: np.round(1 / (1 + np.exp(-x)), 2).clip(0.01, 0.99) for m, x in logits.items()}
    return bf.from_probabilities(gold, found, groups=documents(n, rng) if groups else None)


def folds(seed=0):
    rng = np.random.default_rng(seed)
    tp = rng.integers(60, 90, (3, 6))
    return bf.from_folds(
        {m: np.stack([t, 100 - t, 100 - t], axis=1) for m, t in zip(MODELS, tp, strict=True)}
    )


def gaps(seed=0, n=400, groups=False, k=2):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    predictions = {m: noisy(gold, 0.2 + 0.1 * i, rng, range(k)) for i, m in enumerate(MODELS)}
    known = np.where(rng.random(n) < 0.4, gold, np.nan)
    judge, where = noisy(gold, 0.2, rng, range(k)), documents(n, rng) if groups else None
    how = {"positive": 1} if k == 2 else {}
    return bf.from_labels(known, predictions, judge=judge, groups=where, **how)


def cross_validated(seed=0, n=120, groups=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (x + rng.normal(size=n) > 0).astype(int)

    def threshold(at):
        return lambda X_train, y_train: lambda X_test: (X_test > at).astype(int)

    learners = {m: threshold(0.4 * i - 0.4) for i, m in enumerate(MODELS)}
    where = documents(n, rng) if groups else None
    return bf.cross_validate(learners, x, y, cv=bf.BlockedCV(m=3, rng=seed), groups=where)


def confusion(seed=0):
    rng = np.random.default_rng(seed)
    return bf.from_confusion(
        {m: rng.integers(0, 9, (4, 4)) + 5 * np.eye(4) for m in MODELS}, labels=list("abcd")
    )


def counts(seed=0):
    rng = np.random.default_rng(seed)
    return bf.from_counts({m: rng.integers(1, 90, 4) for m in MODELS})


EVALUATIONS = {
    "counts": counts,
    "folds": folds,
    "items": binary,
    "documents": functools.partial(binary, groups=True),
    "classes": multiclass,
    "classes in documents": functools.partial(multiclass, groups=True),
    "matrices": confusion,
    "label sets": label_sets,
    "label sets in documents": functools.partial(label_sets, groups=True),
    "spans": tags,
    "spans in documents": functools.partial(tags, groups=True),
    "types": functools.partial(tags, by_type=True),
    "types in documents": functools.partial(tags, by_type=True, groups=True),
    "right or wrong": correct,
    "right or wrong in documents": functools.partial(correct, groups=True),
    "scores": scores,
    "statistics": statistics,
    "statistics in documents": functools.partial(statistics, groups=True),
    "probabilities": probabilities,
    "probabilities in documents": functools.partial(probabilities, groups=True),
    "items with gaps": gaps,
    "documents with gaps": functools.partial(gaps, groups=True),
    "classes with gaps": functools.partial(gaps, k=3),
    "cross-validated items": cross_validated,
    "cross-validated documents": functools.partial(cross_validated, groups=True),
}
