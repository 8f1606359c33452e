"""Evaluations of every kind on generated data, and what every verb says of them: numbers by keys, public names only."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import bayesf1 as bf
import evaluations as kinds
from evaluations import MODELS, documents, predicted

TESTS = Path(__file__).parents[1]
# Files that other tools wrote are not part of the project; their numbers are left out where there are none.
SAMPLES = Path(os.environ.get("BAYESF1_SAMPLES", TESTS.parents[1] / "shared" / "data"))


class Entry(NamedTuple):
    """Numbers under one key, and how near they must stay.

    Attributes
    ----------
    rule
        ``"exact"``: 1e-9, absolute or relative. ``"pair"``, ``"draws"``: probabilities with a standard error, of a computation
        that may become draws, and of draws. ``"near"``: within a tolerance. ``"same"``: names. ``"free"``: may change.
    values
        The numbers, or names.
    scale
        The standard error of probabilities, or the tolerance.
    """

    rule: str
    values: list[Any]
    scale: float = 0.0


Entries = Iterator[tuple[str, Entry]]


# ---- data -------------------------------------------------------------------------------------------------


def bleu(groups: bool = False) -> bf.Evaluation:
    """Return sentences with matches and totals of n-grams and the lengths, as sacrebleu counts them."""
    rng = np.random.default_rng(7)
    length = rng.integers(8, 30, 60)
    totals = np.stack([length - k for k in range(4)], axis=1)
    found = {}
    for i, m in enumerate(MODELS):
        matches = rng.binomial(totals, np.array([0.7, 0.5, 0.4, 0.3]) - 0.03 * i)
        found[m] = np.column_stack([length, length + rng.integers(0, 3, 60), matches, totals])
    return bf.from_statistics(found, bf.measures.corpus_bleu, groups=documents(60, groups))


def units() -> bf.Evaluation:
    """Return counts of documents."""
    rng = np.random.default_rng(14)
    tp = rng.integers(2, 9, (3, 30))
    return bf.from_units(
        {m: np.stack([t, rng.integers(0, 4, 30), 9 - t], axis=1) for m, t in zip(MODELS, tp, strict=True)}
    )


def frame() -> Any:
    """Return a frame of labels in documents."""
    import pandas as pd

    rng = np.random.default_rng(15)
    gold = rng.choice(["spam", "ham"], 120)
    found = predicted(gold, rng, ["spam", "ham"])
    return pd.DataFrame({"id": np.arange(120), "doc": documents(120), "label": gold, **found})


def patterns() -> bf.Evaluation:
    """Return a table of how often which pattern of labels occurred."""
    table = frame().groupby(["label", *MODELS]).size().rename("n").reset_index()
    return bf.from_patterns(table, gold="label", models=list(MODELS), count="n", positive="spam")


COUNTS = {"A": (77, 44, 10, 702), "B": (80, 30, 7, 716), "C": (70, 20, 17, 726)}
AVERAGES = ("macro_f1", "macro_f1_star", "weighted_f1", "balanced_accuracy")
MACRO = ("precision", "recall", "f1", *AVERAGES, "mcc", "kappa", "f1[a]")
SPANS = ("precision", "recall", "f1", "f0.5", "f2", "jaccard")
OF_ALL_CELLS = "accuracy specificity npv mcc kappa balanced_accuracy fowlkes_mallows sba"
TWO = (*SPANS, *OF_ALL_CELLS.split())
TYPED = ("precision", "recall", "f1", "micro_f1", "macro_f1")

# Builder, metrics, and those of which the posterior may change.
EVALUATIONS: dict[str, tuple[Callable[[], bf.Evaluation], tuple[str, ...], tuple[str, ...]]] = {
    "counts": (lambda: bf.from_counts(COUNTS), TWO, ()),
    "counts without tn": (lambda: bf.from_counts({m: c[:3] for m, c in COUNTS.items()}), SPANS, ()),
    "few counts": (lambda: bf.from_counts(A=(0, 2, 3), B=(3, 0, 0), C=(1, 0, 4)), SPANS, ()),
    "many counts": (lambda: bf.from_counts(A=(90_000, 5_000, 7_000), B=(90_300, 4_900, 6_700)), SPANS, ()),
    "blocked folds": (kinds.folds, SPANS, ()),
    "k folds": (lambda: kinds.folds(cv=bf.KFoldCV(6), tn=True), (*SPANS, "accuracy"), ()),
    "items": (kinds.binary, TWO, ()),
    "documents": (lambda: kinds.binary(groups=True), TWO, ()),
    "runs": (lambda: kinds.binary(runs=True), SPANS, ()),
    "runs in documents": (lambda: kinds.binary(groups=True, runs=True), SPANS, ()),
    "classes": (kinds.classes, ("accuracy", "micro_f1", *MACRO), MACRO),
    "classes in documents": (lambda: kinds.classes(groups=True), ("accuracy", *MACRO), MACRO),
    "matrices": (kinds.confusion, ("accuracy", *MACRO), MACRO),
    "label sets": (kinds.label_sets, TYPED, ("macro_f1",)),
    "label sets in documents": (lambda: kinds.label_sets(groups=True), TYPED, ("macro_f1",)),
    "spans": (kinds.tags, SPANS, ()),
    "spans in documents": (lambda: kinds.tags(groups=True), SPANS, ()),
    "types": (lambda: kinds.tags(by_type=True), TYPED, ("macro_f1",)),
    "correct": (kinds.correct, ("accuracy", "error_rate"), ()),
    "correct in documents": (lambda: kinds.correct(groups=True), ("accuracy",), ()),
    "scores": (kinds.scores, ("mean", "median"), ()),
    "losses": (lambda: kinds.scores(lower=True), ("mean",), ()),
    "bleu": (bleu, ("corpus_bleu",), ()),
    "bleu in documents": (lambda: bleu(groups=True), ("corpus_bleu",), ()),
    "wer": (kinds.wer, ("wer",), ()),
    "probabilities": (kinds.probabilities, ("roc_auc", "average_precision", "brier", "log_loss"), ()),
    "probabilities in documents": (lambda: kinds.probabilities(groups=True), ("roc_auc", "brier"), ()),
    "judged items": (kinds.judged, ("precision", "recall", "f1", "accuracy"), ()),
    "judged documents": (lambda: kinds.judged(groups=True), ("precision", "recall", "f1"), ()),
    "judged classes": (lambda: kinds.judged(k=3), ("accuracy", "f1"), ("f1",)),
    "cross-validated items": (kinds.cross_validated, SPANS, ()),
    "cross-validated documents": (lambda: kinds.cross_validated(groups=True), SPANS, ()),
    "units": (units, SPANS, ()),
    "frame": (
        lambda: bf.from_frame(frame(), gold="label", models=list(MODELS), positive="spam", group="doc"),
        SPANS,
        (),
    ),
    "patterns": (patterns, SPANS, ()),
    **{
        name: (lambda name=name: bf.load_example(name), SPANS, ())
        for name in ("wang-li-cws", "wang-li-ner", "wang-li-org", "wnut17")
    },
    "sleep-stages": (lambda: bf.load_example("sleep-stages"), ("accuracy", *MACRO[:-1]), MACRO),
}


# ---- how an answer becomes numbers ------------------------------------------------------------------------


def floats(values: Any) -> list[float]:
    """Return numbers as a plain list."""
    return [float(x) for x in np.ravel(np.asarray(values, dtype=float))]


def totals(ev: bf.Evaluation, judged: bool = False) -> Entries:
    """Yield models, tables and number of units; the tables behind a judge are nobody's business."""
    yield "models", Entry("same", list(ev.models))
    if not judged:
        yield "tables", Entry("exact", floats(ev.tables))
    if ev.units is not None:
        yield "units", Entry("exact", [float(np.sum(ev.units.weights))])


def distribution(post: Any, exact: bool, wider: int = 1) -> Entries:
    """Yield mean, standard deviation and the ends of the 95 % interval of a posterior; few draws need a wider tolerance."""
    low, high = floats(post.interval(0.95))
    moments = floats([post.mean(), post.std()])
    rule, length = ("exact", 0.0) if exact else ("near", high - low)
    yield "mean", Entry(rule, moments, wider * 0.01 * length)
    yield "ends", Entry(rule, [low, high], wider * 0.03 * length)


def comparisons(
    res: Any, free: tuple[str, ...] = (), *, shared: bool = False, scores: bool = False
) -> Entries:
    """Yield what a comparison says of every metric, and of either score if asked for."""
    for i, (metric, c) in enumerate(res.items()):
        may, wider = metric in free, 3 if shared else 2 if metric.endswith("bleu") else 1
        exact = c.method == "exact" and (c.assumption == "independent" or c.target == "method") and not shared
        rule = "free" if may else "exact" if exact else "pair" if c.method != "montecarlo" else "draws"
        shares = floats([c.p_h0, c.p_h1, c.p_less, c.p_rope, c.p_greater])
        yield f"{metric}/p", Entry(rule, shares, 0.0 if exact else float(c.mcse))
        yield f"{metric}/as", Entry("same", [*(["exact"] if exact else []), c.assumption, c.target])
        yield f"{metric}/score", Entry("exact", floats([c.score_a, c.score_b]))
        for name in ("posterior_a", "posterior_b", "difference")[0 if scores and i < 3 else 2 :]:
            for what, entry in distribution(getattr(c, name), exact, wider) if not may else ():
                yield f"{metric}/{name}/{what}", entry


def ranking(found: Any, n_draws: int, free: bool = False) -> Entries:
    """Yield the order of the models, and how often each comes first."""
    told = json.loads(found.to_json())
    rows = sorted(told.get("models") or told["systems"], key=lambda row: row.get("model") or row["system"])
    rule, error = "free" if free else "draws", 0.5 / np.sqrt(n_draws)
    yield "score", Entry("exact", [row["score"] for row in rows])
    yield "p_first", Entry(rule, [row["p_first"] for row in rows], error)
    ranks = [row["expected_rank"] for row in rows]
    yield "expected_rank", Entry("free" if free else "near", ranks, 8 * len(rows) * error)
    beats = [p for row in rows for _, p in sorted(row["p_beats"].items())]
    yield "p_beats", Entry(rule, beats, error)


def table(found: Any, names: tuple[str, ...], rule: str = "exact", scale: float = 0.0) -> Entries:
    """Yield fields of an answer."""
    values = [getattr(found, name) for name in names]
    yield "numbers", Entry(rule, [None if v is None else float(v) for v in values], scale)


def interval_rows(found: Any) -> Entries:
    """Yield every interval, of which those by resampling may move a little."""
    for row in json.loads(found.to_json())["intervals"]:
        ends, name = [row["low"], row["high"]], row["method"]
        drawn = name.startswith(("bootstrap", "credible"))
        # The ends of 999 resamples move by a seventh of the length.
        width = 0.15 if name.startswith("bootstrap") else 0.06 if name == "credible_hdi" else 0.03
        length = abs(ends[1] - ends[0]) if None not in ends else 0.0
        yield name, Entry("near" if drawn else "exact", ends, width * length if drawn else 0.0)


def rows_of_tests(found: Any) -> Entries:
    """Yield the statistics and p-values of tests on folds or runs."""
    for row in json.loads(found.to_json())["rows"]:
        yield row["name"], Entry("exact", [row[k] for k in ("statistic", "df", "p_value", "p_greater")])


def posteriors(ev: bf.Evaluation, metrics: tuple[str, ...], free: tuple[str, ...], **how: Any) -> Entries:
    """Yield moments, interval and quantiles of the posteriors of the first model."""
    for metric in metrics:
        post = bf.posterior(ev, ev.models[0], metric=metric, **how)
        exact = type(post).__name__ in ("Beta", "FScore", "StudentT")
        low, high = floats(post.interval(0.95))
        if metric in free:
            yield f"{metric}/mean", Entry("free", floats([post.mean(), post.std()]))
            continue
        for what, entry in distribution(post, exact, 2 if metric.endswith("bleu") else 1):
            yield f"{metric}/{what}", entry
        rule, wide = ("exact", 0.0) if exact else ("near", 0.04 * (high - low))
        yield f"{metric}/quantiles", Entry(rule, floats(post.ppf([0.01, 0.25, 0.5, 0.9])), wide)
        yield f"{metric}/hdi", Entry("near", floats(post.hdi(0.9)), 1e-6 if exact else 0.08 * (high - low))


def pairing_bounds(ev: bf.Evaluation, metric: str) -> Entries:
    """Yield the range of P(H1) over all pairings."""
    low, high, *_ = bf.pairing_bounds(ev, metric=metric)
    yield metric, Entry("pair", floats([low, high]), 5e-4)


# ---- what is asked ----------------------------------------------------------------------------------------


def asked_of_every(name: str, **rng: Any) -> dict[str, Callable[[], Entries]]:
    """Return the questions that every evaluation is asked, by their names."""
    build, metrics, free = EVALUATIONS[name]
    ev = build()
    first, main = metrics[:2], metrics[0] if len(metrics) < 3 else "f1" if "f1" in metrics else metrics[0]
    found: dict[str, Callable[[], Entries]] = {
        "totals": lambda: totals(ev, judged="judged" in name),
        "posterior": lambda: posteriors(ev, first + (main,) * (main not in first), free, **rng),
        "score": lambda: iter(
            [(m, Entry("exact", floats([bf.score(ev, x, m) for x in ev.models]))) for m in metrics]
        ),
        "intervals": lambda: interval_rows(bf.intervals(ev, ev.models[0], main, n_resamples=999, **rng)),
    }
    if len(ev.models) < 2:
        return found
    a, b, *_ = ev.models
    # Where an average is the same as the plain name, one of them is compared.
    same = {"macro_f1"} & {*free} if "f1" in free else {"micro_f1"} & {*metrics}
    compares = [m for m in metrics if m not in same]

    def compared(**how: Any) -> Callable[[], Entries]:
        return lambda: comparisons(
            bf.compare(ev, a, b, **{"metrics": list(compares), **rng, **how}), free, scores=not how
        )

    found |= {
        "compare": compared(),
        "compare rope": compared(rope=(-0.01, 0.02), metrics=[main]),
        "compare independent": compared(assumption="independent", metrics=list(metrics[:3])),
        "compare montecarlo": compared(method="montecarlo", n_draws=40_000, metrics=[main]),
        "rank": lambda: ranking(bf.rank(ev, main, n_draws=10_000, **rng), 10_000, main in free),
        "difference": lambda: interval_rows(bf.difference_intervals(ev, a, b, main, n_resamples=999, **rng)),
    }
    if "fold" in name or "cross" in name or "wang" in name:
        found |= {
            "compare method": compared(target="method", metrics=list(metrics[:3])),
            "fold tests": lambda: rows_of_tests(bf.fold_tests(ev, a, b, main)),
        }
    if "runs" in name:
        found["compare models"] = compared(target="models", metrics=list(metrics[:3]))
    if ev.units is not None and not re.search("matrices|judged|runs|cross", name):
        fields = ("score_a", "score_b", "n_units", "n_discordant")

        def randomized() -> Entries:
            test = bf.randomization_test(ev, a, b, main, **rng)
            yield from table(test, fields)
            error = 0.0 if test.exact else float(np.sqrt(test.p_value / test.n_trials))
            yield "p", Entry("pair" if test.exact else "draws", [test.p_value], error)

        found["randomization"] = randomized
    return found


def look(ev: bf.Evaluation, **how: Any) -> Entries:
    """Yield what monitoring says after one batch, and after a second."""
    first = bf.monitor(ev, "A", "B", **how)
    for name, found in (("first", first), ("second", bf.monitor(ev + ev, "A", "B", previous=first, **how))):
        for key, entry in table(
            found, ("score_a", "score_b", "low", "high", "e_value", "p_value", "n_units")
        ):
            yield f"{name}/{key}", entry


def labels_to_buy(ev: bf.Evaluation, **rng: Any) -> Entries:
    """Yield a plan of labels: lengths of intervals now and after, and the cells."""
    found = bf.plan_labels(ev, "A", "B", budget=50, **rng)
    lengths = [found.length, found.length_after, found.length_random]
    yield "length", Entry("near", lengths, 0.05 * found.length)
    cells = [(cell.items, cell.labelled) for cell in found.cells]
    yield "cells", Entry("exact", floats(sorted(cells)))


def planned(found: Any) -> Entries:
    """Yield a plan by simulation."""
    n, d = float(found.n_units), float(found.difference)
    yield "n", Entry("near", [n], 0.08 * n)
    yield "difference", Entry("near", [d], 0.05 * d)


def corpora() -> dict[str, bf.Evaluation]:
    """Return three corpora."""
    return {
        n: bf.from_counts(A=(60 + 9 * i, 12 + i, 10), B=(62 + 9 * i, 10, 9 + i))
        for i, n in enumerate(("conll", "wnut", "forum"))
    }


def fitted(data: Any, questions: tuple[str, ...], **rng: Any) -> Entries:
    """Yield the answers of the hierarchical model of scores."""
    fit = bf.hierarchical(data, progress=False, **rng)
    for question in questions:
        for key, entry in comparisons(fit.compare(question=question), shared=True):
            # The digits of scores on average corpora are posterior ones.
            near = entry._replace(rule="near", scale=0.002) if key.endswith("/score") else entry
            yield f"{question}/{key}", near
    for key, entry in ranking(fit.rank(), 20_000):
        yield f"rank/{key}", entry._replace(rule="near", scale=0.002) if key == "score" else entry


def six_folds(repeats: int) -> bf.Evaluation:
    """Return scores of six test folds: halves of three partitions, or one partition."""
    scores = {"A": [0.8, 0.82, 0.79, 0.83, 0.81, 0.8], "B": [0.81, 0.85, 0.8, 0.83, 0.84, 0.82]}
    k = 6 // repeats
    rows = [
        {"model": model, "repeat": i // k, "fold": i % k, "f1": score}
        for model, folds in scores.items()
        for i, score in enumerate(folds)
    ]
    cv = bf.BlockedCV(m=3) if repeats == 3 else bf.KFoldCV(6)
    return bf.from_frame(pd.DataFrame(rows), score="f1", cv=cv)


def of_verbs(**rng: Any) -> dict[str, Callable[[], Entries]]:
    """Return questions for evaluations that suit them."""
    pair = bf.from_counts(A=COUNTS["A"], B=COUNTS["B"])
    sizes = ("standard_error", "n_positives", "n_units")
    pilot = {"prevalence": 0.3, "agreement": 0.9, "f1": 0.8}

    def summaries() -> Entries:
        found = bf.summary(bf.from_counts(COUNTS))
        for (model, metric), row in found.iterrows():
            mean, sd, *hdi = floats(row)
            yield f"{model}/{metric}/mean", Entry("exact", [mean, sd])
            yield f"{model}/{metric}/hdi", Entry("near", hdi, 1e-6)

    def adjusted() -> Entries:
        ev = kinds.binary()
        tests = bf.adjust([bf.randomization_test(ev, "A", b, "accuracy") for b in "BC"])
        yield "p", Entry("pair", floats([[t.p_value, t.p_holm, t.p_bh] for t in tests]))

    return {
        **{f"bounds {m}": lambda m=m: pairing_bounds(pair, m) for m in ("precision", "recall", "f1")},
        "summary": summaries,
        "adjust": adjusted,
        "prior": lambda: comparisons(bf.compare(pair, prior=0.5, prob=0.9, metrics=["f1", "mcc"], **rng)),
        "classes": lambda: comparisons(
            bf.compare_classes(kinds.classes(), "A", "B", **rng), tuple(f"f1[{c}]" for c in "abcd")
        ),
        "types": lambda: comparisons(bf.compare_classes(kinds.tags(by_type=True), "A", "B", **rng)),
        "labels": lambda: comparisons(bf.compare_classes(kinds.label_sets(), "A", "B", **rng)),
        "fold tests blocked": lambda: rows_of_tests(bf.fold_tests(six_folds(repeats=3))),
        "fold tests k": lambda: rows_of_tests(bf.fold_tests(six_folds(repeats=1), rope=0.01)),
        "plan": lambda: table(bf.plan(half_width=0.02, metric="f1", prevalence=0.3), sizes),
        "plan precision": lambda: table(
            bf.plan(half_width=0.02, metric="precision", pilot=pair, model="A"), sizes
        ),
        "plan comparison": lambda: planned(
            bf.plan_comparison(kinds.binary(), "A", "B", difference=0.05, **rng)
        ),
        "plan not worse": lambda: planned(
            bf.plan_comparison(kinds.binary(), "A", "B", not_worse_by=0.05, **rng)
        ),
        "plan assumed": lambda: planned(
            bf.plan_comparison(bf.assumed_pilot(**pilot), difference=0.03, **rng)
        ),
        "resolution": lambda: planned(bf.resolution(kinds.binary(), "A", "B", **rng)),
        "resolution of documents": lambda: planned(bf.resolution(kinds.binary(groups=True), "A", "B", **rng)),
        "plan labels": lambda: labels_to_buy(kinds.judged(), **rng),
        "monitor": lambda: look(kinds.binary(), metric="accuracy"),
        "monitor correct": lambda: look(kinds.correct(), rope=0.02),
        "monitor scores": lambda: look(kinds.scores()),
        "hierarchical": lambda: fitted(corpora(), ("average", "new", "suite", "conll"), **rng),
        "hierarchical folds": lambda: fitted(bf.load_example("wang-li-org"), ("average",), **rng),
        "confusion": lambda: iter([("B", Entry("exact", floats(bf.confusion(kinds.classes(), "B"))))]),
        "shards": lambda: totals(kinds.binary() + kinds.binary(n=80)),
    }


def of_files() -> dict[str, Callable[[], Entries]]:
    """Return what is read from sample files of every format."""
    from file_samples import SAMPLES as SMALL

    def small(sample: Any) -> Entries:
        with tempfile.TemporaryDirectory() as folder:
            sample.write(Path(folder))
            yield from totals(sample.read(Path(folder)))

    def of(source: Any, **how: Any) -> Callable[[], Entries]:
        return lambda: totals(bf.read(source, **how))

    data, given = TESTS / "data", SAMPLES
    found: dict[str, Callable[[], Entries]] = {
        **{name: lambda s=s: small(s) for name, s in SMALL.items()},
        "data/conll": lambda: totals(
            bf.from_conll(
                data / "gold.conll", {m: data / f"{m}.conll" for m in ("bert", "crf")}, by_type=True
            )
        ),
        "data/saved": lambda: totals(bf.load(data / "evaluation_1.json")),
    }
    if given.is_dir():
        wnut, more = given / "wnut17", given / "formats"
        teams = {p.stem: p for p in sorted(wnut.glob("*.conll")) if p.stem != "gold"}
        runs = {m: next((more / "lm-eval" / m).glob("*.jsonl")) for m in ("run1", "run2")}
        solved = [
            f"{size}_{way}.is_correct" for size in ("6b", "175b") for way in ("finetuning", "verification")
        ]
        trec = {m: more / "trec" / f"{m}.run" for m in ("THUIRr0301", "UIUC03Rd1")}
        found |= {
            "samples/counts": of(given / "wang_li_2019_folds.csv", task="ORG", cv="blocked-3x2"),
            "samples/wnut17": lambda: totals(bf.from_conll(wnut / "gold.conll", teams)),
            "samples/conlleval": of({m: more / "conlleval" / f"wnut16_{m}.txt" for m in ("elmo", "flair")}),
            "samples/brat": of({"crf": more / "brat" / "crf"}, gold_file=more / "brat" / "gold"),
            "samples/lm-eval": of(runs),
            "samples/trec": of(trec, qrels=more / "trec" / "qrels.txt", measure="nDCG@10"),
            "samples/gsm8k": of(more / "correct" / "gsm8k_solutions.jsonl", correct=solved),
        }
    return found


def questions(only: str = "", seed: int | None = None) -> dict[str, Callable[[], Entries]]:
    """Return every question by its key; ``only`` limits them to keys that begin so."""
    rng = {} if seed is None else {"rng": seed}
    found: dict[str, Callable[[], Entries]] = {}
    for name in EVALUATIONS:
        if f"ev/{name}/".startswith(only) or only.startswith(f"ev/{name}/"):
            found |= {f"ev/{name}/{q}": ask for q, ask in asked_of_every(name, **rng).items()}
    for prefix, some in {"verb": of_verbs(**rng), "file": of_files()}.items():
        found |= {f"{prefix}/{name}": ask for name, ask in some.items()}
    return {key: ask for key, ask in found.items() if key.startswith(only)}
