"""A valid call of everything public, to change one argument at a time; and an object of every kind that has methods."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd

import bayesf1 as bf
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.distributions.student_t import StudentT
from bayesf1.io.read import ReadOptions
from bayesf1.metrics import find_metric
from builders import has
from evaluations import EVALUATIONS

GOLD = [1, 0, 1, 0, 1, 1, 0, 0]
SAID = {"A": [1, 0, 0, 0, 1, 1, 1, 0], "B": [1, 0, 1, 0, 1, 0, 0, 0]}
SCORED = [0.9, 0.2, 0.8, 0.3, 0.6, 0.7, 0.4, 0.1]
# Items of which half have a gold label.
GAPS = [1, None, 0, None, 1, 0, None, None] * 12
PLANNED = {"A": SAID["A"] * 12, "B": [1, 0, 1, 0, 1, 0, 0, 1] * 12}
TAGS = [["B-PER", "O"], ["O"], ["B-LOC", "I-LOC"]]
FRAME = pd.DataFrame({"gold": GOLD, **SAID, "doc": [1, 1, 2, 2, 3, 3, 4, 4]})
DESIGN = bf.BlockedCV(m=1, rng=0)

# Files that calls read, by name.
FILES = {
    "counts.csv": "model,tp,fp,fn,tn\nA,77,44,10,702\nB,80,30,7,716\n",
    "predictions.csv": FRAME.to_csv(index=False),
    "gold.conll": "a B-PER\nb O\n\nc B-LOC\n",
    "a.conll": "a B-PER\nb O\n\nc O\n",
    "b.conll": "a O\nb O\n\nc B-LOC\n",
    "a.run": "q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n",
    "b.run": "q1 Q0 d2 1 2.0 b\nq1 Q0 d1 2 1.0 b\n",
    "qrels.txt": "q1 0 d1 1\n",
}


def majority(X_train, y_train):
    return lambda X_test: np.full(len(X_test), 1)


def minority(X_train, y_train):
    return lambda X_test: np.full(len(X_test), 0)


def calls():
    """Return the arguments of a valid call of each public function and class, several where one leaves out too much."""
    counts, folds, items = COUNTS, evaluation("folds"), evaluation("items")
    documents, classes, judged = map(evaluation, ("documents", "classes", "judged items"))
    pair = {"ev": items, "a": "A", "b": "B"}
    flags = {m: [bool(x) for x in said] for m, said in SAID.items()}
    scores = {"A": [0.1, 0.5, 0.2, 0.3], "B": [0.2, 0.4, 0.5, 0.1]}
    tests = [bf.randomization_test(items, "A", m) for m in "BC"]
    labelled = {"y_true": GOLD, "scores": SCORED, "positive": 1}
    lists = [[1, 0, 1], [0, 1, 0]]
    ratings = [[1, 1, 2], [2, 2, 2], [1, 2, 1]]
    axes = bf.plot_posterior(counts, metrics="f1")
    return {
        "Beta": [{"a": 2, "b": 3}],
        "BlockedCV": [{"m": 3, "balance": None, "rng": 0}],
        "Difference": [{"a": bf.Beta(2, 3), "b": bf.Beta(3, 2)}],
        "FScore": [{"tp": 2, "fp": 3, "fn": 4, "beta": 1.0}],
        "HierarchicalPrior": [{}],
        "KFoldCV": [{"folds": 5, "repeats": 1, "rng": 0}],
        "adjust": [{"tests": tests}],
        "assumed_pilot": [{"prevalence": 0.3, "agreement": 0.9, "f1": 0.8, "n_items": 200}],
        "compare": [{"ev": counts, "a": "A", "b": "B"}, {**pair, "ev": documents, **DRAWN}, {"ev": folds, "a": "A", "b": "B", "metrics": "f1"}],
        "compare_classes": [{**pair, "ev": classes, "classes": ("a", "b"), **DRAWN}],
        "confusion": [{"ev": classes, "model": "A"}],
        "coverage_curve": [{"n": [10, 20], "p11": 0.3, "p10": 0.1, "p01": 0.1, "methods": ["wald"]}],
        "cross_validate": [
            {"models": {"A": majority, "B": minority}, "X": np.arange(40), "y": [0, 1] * 20, "cv": DESIGN,
             "positive": 1, "groups": np.arange(40) // 2},
        ],
        "difference_intervals": [{**pair, "n_resamples": 200}],
        "fold_tests": [{"ev": folds, "a": "A", "b": "B"}],
        "from_confusion": [{"matrices": {"A": [[8, 1], [2, 9]], "B": [[7, 2], [3, 8]]}, "labels": ["x", "y"]}],
        "from_conll": [{"gold": "gold.conll", "models": {"A": "a.conll", "B": "b.conll"}}],
        "from_correct": [{"correct": flags, "groups": FRAME["doc"]}],
        "from_counts": [{"counts": {"A": (1, 2, 3)}}, {"models": {"A": (1, 2, 3), "B": (2, 3, 2)}}],
        "from_folds": [{"folds": {m: [(8, 1, 2), (7, 2, 3)] for m in "AB"}, "cv": DESIGN}],
        "from_frame": [{"frame": FRAME, "gold": "gold", "models": ["A", "B"], "positive": 1, "group": "doc"}],
        "from_labels": [
            {"y_true": GOLD, "predictions": SAID, "positive": 1},
            {"y_true": GOLD, "predictions": SAID, "labels": [0, 1], "groups": FRAME["doc"]},
            {"y_true": [1, None] * 4, "predictions": SAID, "positive": 1, "judge": SAID["B"]},
        ],
        "from_patterns": [{"table": FRAME, "gold": "gold", "models": ["A"], "count": "doc", "positive": 1}],
        "from_probabilities": [{"y_true": GOLD, "probabilities": {"A": labelled["scores"]}, "positive": 1}],
        "from_scores": [{"scores": scores, "name": "NDCG"}],
        "from_statistics": [{"statistics": {"A": [(5, 1, 1, 0), (4, 1, 0, 1)]}, "measure": bf.measures.wer}],
        "from_tags": [{"gold": TAGS, "predictions": {"A": TAGS, "B": [*TAGS[:2], ["O", "O"]]}, "groups": [1, 1, 2]}],
        "from_units": [{"counts": {"A": [(1, 0, 2), (2, 1, 0)], "B": [(1, 1, 2), (2, 0, 0)]}, "unit": "page"}],
        "hierarchical": [
            {"data": {"x": counts, "y": items.pair("A", "B")}, **FIT},
            {"data": {"x": counts, "y": items.pair("A", "B")}, "weights": {"x": 1, "y": 2}, **FIT},
        ],
        "interval_table": [{"ev": items}],
        "intervals": [{"ev": items, "model": "A", "n_resamples": 200}],
        "load_example": [{"name": "wnut17"}],
        "load": [{"path": "evaluation.json"}],
        "load_fit": [{"path": "fit.nc"}],
        "monitor": [pair],
        "pairing_bounds": [{"ev": counts, "a": "A", "b": "B", "metric": "recall"}],
        "plan": [{"half_width": 0.05, "prevalence": 0.3}, {"half_width": 0.05, "pilot": counts, "model": "A"}],
        "plan_comparison": [{"pilot": items, "a": "A", "b": "B", "difference": 0.1, "n_sets": 200}],
        "plan_labels": [{**pair, "ev": judged, "budget": 50}],
        "plot_classes": [{"res": public_object("class comparisons")}],
        "plot_coverage": [{"curve": bf.coverage_curve([10, 20], 0.4, 0.1, 0.1)}],
        "plot_curves": [{"curves": bf.measures.roc_curve([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.8], rng=1)}],
        "plot_difference": [{"res": bf.compare(counts, metrics="f1")}],
        "plot_intervals": [{"res": bf.intervals(counts, "A", n_resamples=200)}],
        "plot_posterior": [{"ev": counts, "metrics": "f1"}],
        "plot_rank": [{"ranking": public_object("ranking")}],
        "posterior": [{"ev": items, "model": "A", **DRAWN}],
        "randomization_test": [{**pair, "n_trials": 200}],
        "rank": [{"ev": items, **DRAWN}],
        "read": [
            {"source": "predictions.csv", "options": {"gold": "gold", "columns": ["A", "B"], "positive": "1"}},
            {"source": {"a": "a.conll", "b": "b.conll"}, "gold_file": "gold.conll", "options": {"scheme": "IOB2"}},
            *[{"source": {"a": "a.run", "b": "b.run"}, "options": {"qrels": "qrels.txt", "measure": "nDCG@10"}}] * has("ir_measures"),
        ],
        "resolution": [{**pair, "n_sets": 200}],
        "save_plot": [{"ax": axes, "path": "figure.svg"}],
        "score": [{"ev": items, "model": "A"}],
        "scoreboard": [{"ev": items, "metrics": ["f1"], **DRAWN}],
        "summary": [{"ev": items, **DRAWN}],
        "measures.alpha_posterior": [{"ratings": ratings, "n_draws": 200}],
        "measures.average_precision": [{"relevance": lists, "n_relevant": [2, 1]}],
        "measures.cg": [{"gains": lists}],
        "measures.chrf": [{"totals": np.arange(1.0, 19.0)}],
        "measures.coincidence_matrix": [{"ratings": ratings}],
        "measures.corpus_bleu": [{"totals": np.arange(10.0, 20.0)}],
        "measures.dcg": [{"gains": lists}],
        "measures.err": [{"grades": lists, "max_grade": 1}],
        "measures.grade_probability": [{"grades": lists, "max_grade": 1}],
        "measures.krippendorff_alpha": [{"ratings": ratings}],
        "measures.mean_average_precision": [{"relevance": lists}],
        "measures.mean_reciprocal_rank": [{"relevance": lists}],
        "measures.ndcg": [{"gains": lists, "ideal": lists}],
        "measures.pair_scores": [{"gold": GOLD, "predicted": SAID["A"]}],
        "measures.pfound": [{"p_relevant": [[0.5, 0.1]]}],
        "measures.pr_ap": [labelled],
        "measures.pr_curve": [{**labelled, **DRAWN, "n_points": 11}],
        "measures.precision_at_k": [{"relevance": lists, "k": 2}],
        "measures.purity_scores": [{"gold": GOLD, "predicted": SAID["A"]}],
        "measures.reciprocal_rank": [{"relevance": lists}],
        "measures.roc_auc": [labelled],
        "measures.roc_curve": [{**labelled, **DRAWN, "n_points": 11}],
        "measures.soft_pair_scores": [{"gold": [{"a"}, {"a", "b"}], "predicted": [{"a", "b"}, {"b"}]}],
        "measures.soft_purity_scores": [{"gold": [{"a"}, {"b"}, {"a", "b"}], "predicted": [{1}, {2}, {1}]}],
        "measures.ter": [{"totals": [1.0, 5.0]}],
        "measures.wer": [{"totals": [5.0, 1.0, 1.0, 0.0]}],
    }  # fmt: skip


DRAWN = {"n_draws": 200, "rng": 0}
COUNTS = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
FIT = {"draws": 200, "rng": 0, "progress": False}


@functools.cache
def evaluation(name):
    return EVALUATIONS[name]()


# An object of each kind that public functions return, made where it is needed.
OBJECTS = {
    "law": lambda: bf.Beta(2, 3),
    "F-score": lambda: bf.FScore(20, 3, 4),
    "difference": lambda: bf.Difference(bf.Beta(2, 3), bf.Beta(3, 2)),
    "draws": lambda: EmpiricalPosterior([0.1, 0.2, 0.3]),
    "Student": lambda: StudentT(0.1, 0.2, 5),
    "blocked": lambda: bf.BlockedCV(m=1, rng=0),
    "k-fold": lambda: bf.KFoldCV(folds=2, rng=0),
    "evaluation": lambda: evaluation("documents"),
    "evaluation of counts": lambda: COUNTS,
    "comparisons": lambda: bf.compare(evaluation("documents"), "A", "B", metrics="f1", **DRAWN),
    "exact comparisons": lambda: bf.compare(COUNTS, metrics="f1"),
    "comparison": lambda: public_object("comparisons")["f1"],
    "exact comparison": lambda: public_object("exact comparisons")["f1"],
    "class comparisons": lambda: bf.compare_classes(evaluation("classes"), "A", "B", **DRAWN),
    "class comparison": lambda: next(iter(public_object("class comparisons").values())),
    "ranking": lambda: bf.rank(evaluation("items"), **DRAWN),
    "scoreboard": lambda: bf.scoreboard(evaluation("items"), ["f1", "recall"], **DRAWN),
    "intervals": lambda: bf.intervals(evaluation("items"), "A", n_resamples=200),
    "coverage curve": lambda: bf.coverage_curve([10, 20], 0.3, 0.1, 0.1, methods=["wald"]),
    "sample size": lambda: bf.plan(0.05, prevalence=0.3),
    "decision plan": lambda: bf.plan_comparison(evaluation("items"), "A", "B", difference=0.1, n_sets=200),
    "randomisation": lambda: bf.randomization_test(evaluation("items"), "A", "B", n_trials=200),
    "fold tests": lambda: bf.fold_tests(evaluation("folds"), "A", "B"),
    "monitor": lambda: bf.monitor(evaluation("items"), "A", "B"),
    "label plan": lambda: bf.plan_labels(
        bf.from_labels(GAPS, **MORE["label plan"]), "A", "B", budget=20, rng=0
    ),
    "fit": lambda: bf.hierarchical({"x": COUNTS, "y": evaluation("items").pair("A", "B")}, **FIT),
    "comparisons of corpora": lambda: public_object("fit").compare(),
    "comparison of corpora": lambda: public_object("fit").compare()["f1"],
    "ranking of corpora": lambda: public_object("fit").rank(),
    "answer of a fit": lambda: public_object("fit").answer(),
    "curve": lambda: bf.measures.roc_curve(GOLD, SCORED, positive=1, **DRAWN),
    "pairs of clusters": lambda: bf.measures.pair_scores(GOLD, SAID["A"]),
}


@functools.cache
def public_object(name):
    return OBJECTS[name]()


# The classes that people make objects of; objects of all others come from functions.
MADE = {"Beta", "BlockedCV", "Difference", "FScore", "HierarchicalPrior", "KFoldCV"}
# What the parameters of methods must be given, by name.
REQUIRED = {
    "x": 0.5,
    "q": 0.5,
    "least": 0.01,
    "index": (),
    "shape": (2,),
    "draw": lambda: [0.1, 0.2],
    "draws": [0.1, 0.2],
    "support": (0.0, 1.0),
    "model": "A",
    "models": ["A", "B"],
    "cells": ["tp", "fp", "fn"],
    "scores": np.ones((3, 2)),
    "k": 0.5,
    "runs": {"M": ["A", "B"]},
    "text": "3x2",
    "X": np.zeros(40),
    "y": [0, 1] * 20,
    "question": "average",
    "y_true": GOLD,
    "predictions": SAID,
    "name": "f1",
    "metric": find_metric("f1"),
}
# What some objects need besides.
MORE = {
    "evaluation": {"a": "A", "b": "B"},
    "label plan": {"predictions": PLANNED, "judge": PLANNED["B"], "positive": 1},
}
# Parts of the machinery that results share with the package; they take what the package itself made.
INTERNAL = {
    "logit_logpdf", "tail", "widened", "of_units", "measure", "function",
    "later", "clipped", "take", "spread", "check_prior",
}  # fmt: skip


def methods(thing):
    """Return the public methods of an object that this package defines."""
    for name in dir(type(thing)):
        found = inspect.getattr_static(type(thing), name)
        if (
            name.startswith("_")
            or name in INTERNAL
            or isinstance(found, property | functools.cached_property)
        ):
            continue
        method = getattr(thing, name)
        home = getattr(inspect.unwrap(method), "__module__", "") if callable(method) else ""
        if (home or "").startswith("bayesf1"):
            yield name, method


@functools.cache
def public_calls():
    return calls()


@dataclass(frozen=True)
class Site:
    """Something public that can be called, and the arguments of a call that works."""

    function: Callable
    given: dict

    @property
    def parameters(self):
        """The names of all arguments that it takes, those in a dictionary of options among them."""
        found = [name for name in inspect.signature(self.function).parameters if name != "options"]
        return found + list(ReadOptions.__annotations__) if "options" in self.given else found

    def call(self, **change):
        """Call it, with other arguments than given."""
        signature = inspect.signature(self.function)
        given = {**self.given, **{name: change[name] for name in change if name in signature.parameters}}
        if "options" in given:
            more = {name: value for name, value in change.items() if name not in signature.parameters}
            given["options"] = {**given["options"], **more}
        for name, said in signature.parameters.items():
            if said.kind is said.VAR_KEYWORD and name in change:
                given[name] = {"A": change[name]}
        bound = signature.bind_partial()
        bound.arguments.update({name: given[name] for name in signature.parameters if name in given})
        result = self.function(*bound.args, **bound.kwargs)
        return list(result) if inspect.isgenerator(result) else result


def public_names():
    """Return all public functions and the classes that people make objects of."""
    names = [name for name in bf.__all__ if name not in ("measures", "__version__")]
    names += [f"measures.{name}" for name in bf.measures.__all__]
    return [name for name in names if not inspect.isclass(attrgetter(name)(bf)) or name in MADE]


def sites_of_function(name):
    return [Site(attrgetter(name)(bf), given) for given in public_calls()[name]]


def sites_of_object(name):
    """Return the methods of an object that take arguments, by their names."""
    for method_name, method in methods(public_object(name)):
        parameters = inspect.signature(method).parameters
        if not parameters or (name == "comparisons of corpora" and method_name in ("to_html", "to_arviz")):
            continue  # nothing to give; or what says that the fit has the page
        given = {
            p: REQUIRED[p] for p, said in parameters.items() if said.default is said.empty and p in REQUIRED
        }
        given |= {p: value for p, value in MORE.get(name, {}).items() if p in parameters}
        if name == "label plan":
            given["y_true"] = GAPS
        if "path" in parameters:
            given["path"] = "out.nc" if method_name == "save" else "out.html"
        yield method_name, Site(method, given)


def write_files(folder):
    """Write what calls read."""
    for name, text in FILES.items():
        Path(folder, name).write_text(text, encoding="utf-8")
    public_object("fit").save(Path(folder, "fit.nc"))
    COUNTS.save(Path(folder, "evaluation.json"))
