"""What bad input gets: one sentence with the value, the place and the remedy; never a NaN, never a file."""

import itertools
import json
import math
import re

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.designs import read_design
from bayesf1.distributions.empirical import EmpiricalPosterior

FULL = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
SPAN = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
FOLD = (1, 2, 3)
CV = bf.BlockedCV(3)

COUNT_RULE = r"counts are finite, not negative and at most 1e\+15"
CELLS_RULE = r"give tp, fp, fn and optionally tn, or gold, predicted, correct"
TN_RULE = r"needs true negatives, but this evaluation has none \(span tasks count no tn\); use f1 or jaccard"

PYTHON = {
    # ---- from_counts
    "no model": (lambda: bf.from_counts(), r"no model given; write from_counts\(A=\(tp, fp, fn\), B="),
    "a list of counts": (
        lambda: bf.from_counts([1, 2, 3]),
        r"counts must be a mapping such as \{'A': …\} or None, not \[1, 2, 3\]",
    ),
    "too few counts": (
        lambda: bf.from_counts(A=(1, 2)),
        r"model 'A' has 2 numbers where counts \(tp, fp, fn\) or \(tp, fp, fn, tn\) belong",
    ),
    "too many counts": (lambda: bf.from_counts(A=(1, 2, 3, 4, 5)), r"model 'A' has 5 numbers where counts"),
    "one number": (lambda: bf.from_counts(A=5), r"model 'A' has a single number where counts"),
    "a negative count": (lambda: bf.from_counts(A=(8, -1, 2)), rf"model 'A' has fp = -1; {COUNT_RULE}"),
    "a nan count": (lambda: bf.from_counts(A=(math.nan, 1, 2)), rf"model 'A' has tp = nan; {COUNT_RULE}"),
    "an infinite count": (
        lambda: bf.from_counts(A=(8, 1, math.inf)),
        rf"model 'A' has fn = inf; {COUNT_RULE}",
    ),
    "a count beyond doubles": (
        lambda: bf.from_counts(A=(1e300, 1, 2)),
        rf"model 'A' has tp = 1e\+300; {COUNT_RULE}",
    ),
    "a huge integer": (
        lambda: bf.from_counts(A=(10**400, 1, 2)),
        r"model 'A' has .* where numbers belong",
    ),
    "a negative count in a batch": (
        lambda: bf.from_counts(A=[[8, 1, 2], [8, 1, -2]]),
        rf"model 'A', row 2, has fn = -2; {COUNT_RULE}",
    ),
    "a string": (lambda: bf.from_counts(A=("8", 1, 2)), r"model 'A' has .* where numbers belong"),
    "a missing count": (lambda: bf.from_counts(A=(8, None, 2)), r"model 'A' has .* where numbers belong"),
    "booleans": (lambda: bf.from_counts(A=[True, False, True]), r"model 'A' has .* where numbers belong"),
    "a complex number": (lambda: bf.from_counts(A=(1j, 1, 2)), r"model 'A' has .* where numbers belong"),
    "a date": (
        lambda: bf.from_counts(A=(np.datetime64("2020-01-01"), 1, 2)),
        r"model 'A' has .* where numbers belong",
    ),
    "ragged counts": (
        lambda: bf.from_counts(A=(1, (2, 3), 4)),
        r"model 'A' has .* where numbers belong",
    ),
    "a lacking cell": (
        lambda: bf.from_counts(A={"tp": 1, "fp": 2}),
        rf"model 'A' has cells tp, fp; {CELLS_RULE}",
    ),
    "an unknown cell": (
        lambda: bf.from_counts(A={"tp": 1, "fp": 2, "fn": 3, "xx": 4}),
        rf"model 'A' has cells tp, fp, fn, xx; {CELLS_RULE}",
    ),
    "a cell twice": (
        lambda: bf.from_counts(A={"tp": 1, "TP": 1, "fp": 2, "fn": 3}),
        r"model 'A' has cells tp, TP, fp, fn; give .* each once",
    ),
    "more correct than gold": (
        lambda: bf.from_counts(A={"gold": 1, "predicted": 5, "correct": 2}),
        r"model 'A' has more correct than gold or predicted; correct cannot be larger",
    ),
    "more correct than predicted": (
        lambda: bf.from_counts(A={"gold": 5, "predicted": 1, "correct": 2}),
        r"model 'A' has more correct than gold or predicted; correct cannot be larger",
    ),
    "cells of different shapes": (
        lambda: bf.from_counts(A={"gold": [3, 2], "predicted": [1, 2, 3], "correct": 1}),
        r"model 'A' has cells of different shapes; give",
    ),
    "tn for one model alone": (
        lambda: bf.from_counts(A=(1, 2, 3), B=(1, 2, 3, 4)),
        r"tables have shapes A \(3,\), B \(4,\); .* tn of all or of none",
    ),
    "models of different shapes": (
        lambda: bf.from_counts(A=np.ones((2, 3)), B=(1, 2, 3)),
        r"tables have shapes A \(2, 3\), B \(3,\); give all models as many",
    ),
    "an empty array": (
        lambda: bf.from_counts(A=np.ones((0, 3))),
        r"tables have shapes A \(0, 3\)",
    ),
    "a model twice": (lambda: bf.from_counts({"A": FOLD}, A=FOLD), r"model 'A' is given twice"),
    "an empty name": (lambda: bf.from_counts({" ": FOLD}), r"model name ' ' is not a non-empty string"),
    "a number for a name": (lambda: bf.from_counts({1: FOLD}), r"model name 1 is not a non-empty string"),
    # ---- from_folds, BlockedCV, discount
    "too few folds": (
        lambda: bf.from_folds({"A": [FOLD] * 5}),
        r"model 'A' has 5 fold tables, but 3×2 cross-validation has 6",
    ),
    "folds that do not fit the cv": (
        lambda: bf.from_folds({"A": [FOLD] * 6}, cv=bf.BlockedCV(2)),
        r"model 'A' has 6 fold tables, but 2×2 cross-validation has 4",
    ),
    "models with different numbers of folds": (
        lambda: bf.from_folds({"A": [FOLD] * 6, "B": [FOLD] * 4}),
        r"model 'B' has 4 fold tables, but 3×2 cross-validation has 6",
    ),
    "folds with different gold": (
        lambda: bf.from_folds({"A": [FOLD] * 6, "B": [FOLD] * 5 + [(1, 2, 4)]}),
        r"repeat 3, fold 2 has 4 gold positives \(tp\+fn\) for 'A' but 5 for 'B'; both models must be",
    ),
    "folds with and without tn": (
        lambda: bf.from_folds({"A": [FOLD] * 5 + [(1, 2, 3, 4)]}),
        r"model 'A' has folds with and without tn; give tn for all of them or for none",
    ),
    "a negative count in a fold": (
        lambda: bf.from_folds({"A": [FOLD] * 5 + [(1, -2, 3)]}),
        rf"model 'A', fold 6 has fp = -2; {COUNT_RULE}",
    ),
    "no folds": (
        lambda: bf.from_folds({}),
        r"no model given; write from_folds\(\{'A': tables, 'B': tables\}\) with",
    ),
    "a number for folds": (
        lambda: bf.from_folds({"A": 5}),
        r"model 'A' has 5 where a sequence of 6 fold tables belongs",
    ),
    "a string for a cv": (
        lambda: bf.from_folds({"A": [FOLD] * 6}, cv="3x2"),
        r"cv must be a BlockedCV, a KFoldCV or None, not '3x2'",
    ),
    "no repeats": (lambda: bf.BlockedCV(0), r"m must be a whole number from 1 to 1e6, not 0"),
    "half a repeat": (
        lambda: bf.BlockedCV(2.5),
        r"m must be a whole number from 1 to 1e6, not 2\.5",
    ),
    "a true repeat": (
        lambda: bf.BlockedCV(True),
        r"m must be a whole number from 1 to 1e6, not True",
    ),
    "a design of three folds": (
        lambda: read_design("blocked-3x3"),
        r"cv design 'blocked-3x3' is not understood",
    ),
    "an unknown discount": (
        lambda: CV.discount("wangli"),
        r"discount 'wangli' is none of 3×2 BCV; .*wang-li",
    ),
    "a discount of zero": (lambda: CV.discount(0), "discount 0 is none"),
    "a discount of two": (lambda: CV.discount(2.0), r"discount 2\.0 is none"),
    "a nan discount": (lambda: CV.discount(math.nan), "discount nan is none"),
    "no discount": (lambda: CV.discount(None), "discount None is none"),
    "three correlations": (
        lambda: CV.discount((0.1, 0.2, 0.3)),
        r"\(0\.1, 0\.2, 0\.3\) is not a pair of correlations",
    ),
    "a nan correlation": (
        lambda: CV.discount((0.1, math.nan)),
        r"\(0\.1, nan\) is not a pair of correlations",
    ),
    "negative correlations": (lambda: CV.discount((-0.5, -0.5)), "each from 0 to 1"),
    # ---- adding evaluations
    "evaluations that do not add up": (
        lambda: FULL + SPAN,
        r"do not add up: 2 models \(A, B\) on",
    ),
    # ---- score, compare, posterior
    "an unknown model": (
        lambda: bf.score(bf.from_counts(bert=FOLD), "brt"),
        r"unknown model 'brt'; did you mean 'bert'\? \(known: bert\)",
    ),
    "an unknown metric": (
        lambda: bf.score(FULL, "A", "presicion"),
        r"unknown metric 'presicion'; did you mean 'precision'\? \(known: precision, recall",
    ),
    "a metric without its tn": (lambda: bf.score(SPAN, "A", "mcc"), rf"mcc {TN_RULE}"),
    "one of two models": (lambda: bf.compare(FULL, "A"), r"name both models to compare, not only 'A'"),
    "a model against itself": (
        lambda: bf.compare(FULL, "A", "A"),
        r"model 'A' cannot be compared with itself; name two different models",
    ),
    "three models": (
        lambda: bf.compare(bf.from_counts(A=FOLD, B=FOLD, C=FOLD)),
        r"there are 3 models \(A, B, C\); name the two to compare",
    ),
    "no metric": (lambda: bf.compare(FULL, metrics=[]), r"no metric given; name one such as 'f1'"),
    "a metric twice": (lambda: bf.compare(FULL, metrics=["f1", "F1"]), r"metric 'f1' is given twice"),
    "a number for a metric": (
        lambda: bf.compare(FULL, metrics=[3]),
        r"metric 3 is neither a name such as 'f1' nor a callable on tables",
    ),
    "an F-score of weight zero": (
        lambda: bf.compare(FULL, metrics="f0"),
        r"metric 'f0' has a weight of 0; F-beta needs one from 0.1 to 10",
    ),
    "accuracy without its tn": (lambda: bf.compare(SPAN, metrics="accuracy"), rf"accuracy {TN_RULE}"),
    "a negative rope": (
        lambda: bf.compare(FULL, rope=-0.1),
        r"rope is a half-width from 0 to below 1, such as 0\.01 for one point, or a pair such as .*, not -0\.1",
    ),
    "a rope in percent": (
        lambda: bf.compare(FULL, rope=1),
        r"rope is a half-width from 0 to below 1.*, not 1",
    ),
    "a nan rope": (
        lambda: bf.compare(FULL, rope=math.nan),
        r"rope is a half-width from 0 to below 1.*, not nan",
    ),
    "no prior": (
        lambda: bf.compare(FULL, prior=0),
        r"prior must be between 0\.1 and 1e6, such as 1 \(uniform\) or 0\.5 \(Jeffreys\), not 0",
    ),
    "a nan prior": (
        lambda: bf.compare(FULL, prior=math.nan),
        r"prior must be between 0\.1 and 1e6.*, not nan",
    ),
    "a named prior": (
        lambda: bf.compare(FULL, prior="jeffreys"),
        r"prior must be a number or None, not 'jeffreys'",
    ),
    "a mass in percent": (
        lambda: bf.compare(FULL, prob=95),
        r"prob must lie strictly between 0 and 1 \(0\.95 for 95 %\), not 95",
    ),
    "an unknown method": (
        lambda: bf.compare(FULL, method="monte-carlo"),
        r"unknown method 'monte-carlo'; did you mean 'montecarlo'\? \(known: auto, exact, montecarlo\)",
    ),
    "an exact method without a law": (
        lambda: bf.compare(FULL, metrics="mcc", method="exact"),
        r"mcc cannot be compared by method 'exact', without draws; use 'auto' or 'montecarlo'",
    ),
    "an unknown assumption": (
        lambda: bf.compare(FULL, assumption="pair"),
        r"unknown assumption 'pair'; did you mean 'paired'\? \(known: auto, independent, paired, clustered\)",
    ),
    "pairs of totals": (
        lambda: bf.compare(FULL, assumption="paired"),
        r"'paired' needs to know what each unit adds, but only totals are known; build the evaluation",
    ),
    "too few draws": (
        lambda: bf.compare(FULL, method="montecarlo", n_draws=5),
        r"n_draws must be a whole number from 100 to 1e9, not 5",
    ),
    "a measure that gives nan": (
        lambda: bf.compare(FULL, metrics=lambda t: t[..., 0] * math.nan),
        r"metric '<lambda>' gave nan for a table of counts",
    ),
    "a measure of the wrong shape": (
        lambda: bf.compare(FULL, metrics=lambda t: t),
        r"metric '<lambda>' gave an array of shape .* a metric works on leading axes and returns one number",
    ),
    "many experiments": (
        lambda: bf.from_counts(A=np.ones((2, 4)), B=np.ones((2, 4))),
        r"one table, but .* shape \(2,\) .*; loop over the experiments",
    ),
    "a posterior of an unknown model": (lambda: bf.posterior(FULL, "C"), r"unknown model 'C'; known: A, B"),
    "a posterior without its tn": (lambda: bf.posterior(SPAN, "A", "sba"), rf"sba {TN_RULE}"),
    "an interval of all mass": (
        lambda: bf.posterior(FULL, "A").interval(1.0),
        r"prob must lie strictly between 0 and 1 \(0\.95 for 95 %\), not 1\.0",
    ),
    "a quantile beyond one": (
        lambda: bf.posterior(FULL, "A").ppf(2),
        r"probabilities lie between 0 and 1, not 2",
    ),
    "a nan quantile": (
        lambda: bf.posterior(FULL, "A").ppf(math.nan),
        r"probabilities lie between 0 and 1, not nan",
    ),
    # ---- laws
    "a law of zero": (lambda: bf.Beta(0, 1), r"parameter a must be finite and above 0, not 0"),
    "a law of minus one": (lambda: bf.Beta(1, -1), r"parameter b must be finite and above 0, not -1"),
    "a law of nan": (lambda: bf.FScore(1, math.nan, 1), r"parameter fp must be finite and above 0, not nan"),
    "a law of infinity": (
        lambda: bf.FScore(math.inf, 1, 1),
        r"parameter tp must be finite and above 0, not inf",
    ),
    "a negative weight": (
        lambda: bf.FScore(1, 1, 1, beta=-1),
        r"beta must be from 0.1 to 10.* not -1",
    ),
    "a nan weight": (
        lambda: bf.FScore(1, 1, 1, beta=math.nan),
        r"beta must be from 0.1 to 10.* not nan",
    ),
    "no draws": (lambda: EmpiricalPosterior([]), r"draws of a posterior are finite numbers, at least one"),
    "a nan draw": (
        lambda: EmpiricalPosterior([0.1, math.nan]),
        r"draws of a posterior are finite numbers, at least one",
    ),
    # ---- files
    "an unknown example": (
        lambda: bf.load_example("wang-li-orgs"),
        r"unknown example 'wang-li-orgs'; did you mean 'wang-li-org'\? \(known: wang-li-cws, wang-li-ner",
    ),
    "a list for an example": (lambda: bf.load_example(["x"]), r"name must be a string, not \['x'\]"),
    "a number for a path": (lambda: bf.load(3), r"path must be the name of a file, not 3"),
}


@pytest.mark.parametrize(("bad", "message"), PYTHON.values(), ids=PYTHON)
def test_bad_arguments_get_one_sentence(bad, message):
    with pytest.raises(ValueError, match=message) as caught:
        bad()
    assert "\n" not in str(caught.value)


HEADER = "model,tp,fp,fn\n"
FOLDS = "model,repeat,fold,tp,fp,fn\n"

# Content, name, and the message after "FILE"; other options last.
FILES = {
    "empty": (
        b"",
        "x.csv",
    ),
    "header alone": (HEADER, "x.csv"),
    "no header": (
        "A,8,1,2\n",
        "x.csv",
    ),
    "blanks between columns": (
        "model tp fp fn\nA 1 2 3\n",
        "x.csv",
    ),
    "a mistyped column": (
        "modle,tp,fp,fn\nA,8,1,2\n",
        "x.csv",
    ),
    "a column too many": (
        "model,tp,fp,fn,note\nA,8,1,2,x\n",
        "x.csv",
    ),
    "a column without a name": (
        ",model,tp,fp,fn\n0,A,8,1,2\n",
        "x.csv",
    ),
    "a column twice": ("model,tp,tp,fn\nA,8,1,2\n", "x.csv"),
    "no model": (
        "tp,fp,fn\n8,1,2\n",
        "x.csv",
    ),
    "a repeat without folds": (
        "model,repeat,tp,fp,fn\nA,1,8,1,2\n",
        "x.csv",
    ),
    "no counts": ("model,task\nA,x\n", "x.csv"),
    "counts of two kinds": (
        "model,tp,fp,gold\nA,8,1,2\n",
        "x.csv",
    ),
    "a row too short": (
        HEADER + "A,8,1,2\nB,8,1\n",
        "x.csv",
    ),
    "a negative count": (HEADER + "A,8,-1,2\n", "x.csv"),
    "a nan count": (HEADER + "A,nan,1,2\n", "x.csv"),
    "a count beyond doubles": (HEADER + "A,8,1,1e16\n", "x.csv"),
    "a word for a count": (HEADER + "A,8,one,2\n", "x.csv"),
    "a missing count": (
        HEADER + "A,8, ,2\n",
        "x.csv",
    ),
    "more correct than gold": (
        "model,gold,predicted,correct\nA,5,9,6\n",
        "x.csv",
    ),
    "a missing name": (HEADER + '" ",8,1,2\n', "x.csv"),
    "a model twice": (
        HEADER + "A,8,1,2\n\nA,8,1,2\n",
        "x.csv",
    ),
    "a fold twice": (
        FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\nA,1,1,8,1,2\n",
        "x.csv",
    ),
    "a missing fold": (
        FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\nA,1,3,8,1,2\nA,2,1,8,1,2\nA,2,2,8,1,2\n",
        "x.csv",
    ),
    "a model without a repeat": (
        FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\nB,1,1,8,1,2\n",
        "x.csv",
    ),
    "folds that do not fit the cv": (
        FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\n",
        "x.csv",
        {"cv": bf.BlockedCV(3)},
    ),
    "folds counted from zero": (
        FOLDS + "A,1,0,8,1,2\nA,1,1,8,1,2\n",
        "x.csv",
    ),
    "a named fold": (
        FOLDS + "A,1,one,8,1,2\n",
        "x.csv",
    ),
    "folds with different gold": (
        FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\nB,1,1,8,1,2\nB,1,2,8,1,3\n",
        "x.csv",
    ),
    "a cv without folds": (
        HEADER + "A,8,1,2\n",
        "x.csv",
        {"cv": bf.BlockedCV(3)},
    ),
    "a discount without folds": (
        HEADER + "A,8,1,2\n",
        "x.csv",
        {"discount": "once"},
    ),
    "several tasks": (
        "task,model,tp,fp,fn\nNER,A,8,1,2\nPOS,A,8,1,2\n",
        "x.csv",
    ),
    "an unknown task": (
        "task,model,tp,fp,fn\nNER,A,8,1,2\nPOS,A,8,1,2\n",
        "x.csv",
        {"task": "NRE"},
    ),
    "a task where there are none": (
        HEADER + "A,8,1,2\n",
        "x.csv",
        {"task": "NER"},
    ),
    "a row without task": (
        "task,model,tp,fp,fn\n,A,8,1,2\n",
        "x.csv",
    ),
    "an open quote": (
        HEADER + '"A,8,1,2\n',
        "x.csv",
    ),
    "old line ends": (HEADER.strip() + "\rA,8,1,2\r", "x.csv"),
    "invalid UTF-8": (
        HEADER.encode() + b"caf\xe9,8,1,2\n",
        "x.csv",
    ),
    "UTF-16": (HEADER.encode("utf-16"), "x.csv"),
    "zero bytes": (b"model,tp\x00,fp,fn\n", "x.csv"),
    "a packed file": (
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
        "x.csv",
    ),
    "an endless line": (
        b"m" * 1_000_002,
        "x.csv",
    ),
    "endless lines": (b"\n" * 1_000_001, "x.csv"),
    # ---- JSON
    "empty JSON": (
        b" ",
        "x.json",
    ),
    "broken JSON": (
        '[{"model": "A",\n',
        "x.json",
    ),
    "broken JSON by content": ('{"A": [8, 1, 2]', "x.txt"),
    "a JSON number": (
        "3",
        "x.json",
    ),
    "an empty list": ("[]", "x.json"),
    "an empty mapping": ("{}", "x.json"),
    "a list of numbers": (
        "[8, 1, 2]",
        "x.json",
    ),
    "a JSON NaN": ('{"A": [NaN, 1, 2]}', "x.json"),
    "a JSON Infinity": (
        '{"A": [8, 1, -Infinity]}',
        "x.json",
    ),
    "a JSON overflow": (
        '{"A": [8, 1, 1e400]}',
        "x.json",
    ),
    "endless digits": (
        f'{{"A": [8, 1, {"9" * 5000}]}}',
        "x.json",
    ),
    "a key twice": (
        '{"A": [8, 1, 2], "A": [9, 1, 2]}',
        "x.json",
    ),
    "deep nesting": (
        "[" * 200_000,
        "x.json",
    ),
    "a string for a count": (
        '[{"model": "A", "tp": "8", "fp": true, "fn": 2}]',
        "x.json",
    ),
    "null for a count": (
        '[{"model": "A", "tp": 8, "fp": null, "fn": 2}]',
        "x.json",
    ),
    "a negative JSON count": (
        '[{"model": "A", "tp": 8, "fp": -1, "fn": 2}]',
        "x.json",
    ),
    "a number for a model": (
        '[{"model": 1, "tp": 8, "fp": 1, "fn": 2}]',
        "x.json",
    ),
    "half a character": (
        '[{"model": "\\ud800", "tp": 8, "fp": 1, "fn": 2}]',
        "x.json",
    ),
    "records unlike each other": (
        json.dumps([{"model": "A", "tp": 8, "fp": 1, "fn": 2}, {"model": "B", "tp": 8, "fp": 1}]),
        "x.json",
    ),
    "a key too many": (
        json.dumps([{"model": "A", "tp": 8, "fp": 1, "fn": 2, "when": 0}]),
        "x.json",
    ),
    "keys that differ in case": (
        '[{"model": "A", "tp": 8, "TP": 9, "fp": 1, "fn": 2}]',
        "x.json",
    ),
    "a record twice": (
        json.dumps([{"model": "A", "tp": 8, "fp": 1, "fn": 2}] * 2),
        "x.json",
    ),
    "a mapping of words": (
        '{"model": "A", "tp": 8}',
        "x.json",
    ),
}


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_a_bad_file_gets_one_sentence_in_python_and_one_line_on_the_command_line(case, tmp_path, capsys):
    content, name, options = (*case, {})[:3]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        bf.read(path, input_format="counts", **options)
    sentence = str(caught.value)
    assert len(sentence) < 600

    argv = ["compare", str(path), "--output", str(tmp_path / "out.txt")]
    for option, value in options.items():
        argv += [f"--{option}", "blocked-3x2" if option == "cv" else value]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bayesf1: ")
    assert err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == [name]


GOOD = "model,tp,fp,fn,tn\ncrf,77,44,10,702\nbert,80,30,7,716\n"

# Arguments after the program's name, and the line after "bayesf1: ".
COMMANDS = {
    "nothing": ([], r"name a command: compare, .*; see bayesf1 --help"),
    "an unknown command": (["compar"], r"unknown command 'compar'; did you mean 'compare'\?"),
    "a file for a command": (["good.csv"], r"unknown command 'good\.csv'; known: compare"),
    "an unknown option": (
        ["compare", "good.csv", "--ropes", "1"],
        r"unknown option --ropes; did you mean --rope\?; see bayesf1 compare --help",
    ),
    "no file": (["compare"], r"the following arguments are required: FILE; see bayesf1 compare --help"),
    "a missing file": (["compare", "god.csv"], r"there is no file god\.csv; did you mean good\.csv\?"),
    "a missing file unlike any": (["compare", "zzzzzz"], r"there is no file zzzzzz"),
    "a missing folder": (["compare", "no/good.csv"], r"there is no file no/good\.csv"),
    "a folder": (
        ["compare", "."],
        r"\. holds 4 files, as folds\.csv, .*, of no format that comes in folders",
    ),
    "a single model": (["compare", "one.csv"], r"one\.csv has one model \(crf\); comparing takes two"),
    "too many models": (
        ["compare", "many.csv"],
        r"many\.csv has 40 models \(m0, m1, m2 and 37 more\), too many to compare all pairs; choose two by",
    ),
    "an unknown model": (
        ["compare", "good.csv", "--models", "crf", "brt"],
        r"unknown model 'brt'; did you mean 'bert'\? \(known: crf, bert\)",
    ),
    "one model": (
        ["compare", "good.csv", "--models", "crf"],
        r"--models: expected 2 arguments; see bayesf1 compare --help",
    ),
    "the same model": (
        ["compare", "good.csv", "--models", "crf", "crf"],
        r"model 'crf' cannot be compared with itself",
    ),
    "an unknown metric": (
        ["compare", "good.csv", "--metrics", "f1,mc"],
        r"unknown metric 'mc'; did you mean 'mcc'\? \(known: precision",
    ),
    "an empty metric": (["compare", "good.csv", "--metrics", "f1,"], r"unknown metric ''; known: precision"),
    "a word for a rope": (
        ["compare", "good.csv", "--rope", "wide"],
        r"--rope: 'wide' is not a number such as 0\.01; see bayesf1 compare --help",
    ),
    "a nan rope": (["compare", "good.csv", "--rope", "nan"], r"--rope: 'nan' is not a number such as 0\.01"),
    "a wide rope": (
        ["compare", "good.csv", "--rope", "5"],
        r"rope is a half-width from 0 to below 1, such as 0\.01",
    ),
    "no prior": (["compare", "good.csv", "--prior", "0"], r"prior must be between 0\.1 and 1e6"),
    "a mass in percent": (
        ["compare", "good.csv", "--prob", "95"],
        r"prob must lie strictly between 0 and 1 \(0\.95 for 95 %\)",
    ),
    "a negative rng": (
        ["compare", "good.csv", "--rng", "-1"],
        r"--rng: '-1' is not a whole number such as 1000",
    ),
    "an unknown format": (
        ["compare", "good.csv", "--format", "jsn"],
        r"--format: invalid choice: 'jsn' \(choose from .*table.*json.*csv.*markdown.*latex",
    ),
    "a bad design": (
        ["compare", "good.csv", "--cv", "3-fold"],
        r"cv design '3-fold' is not understood; write 10 for ten folds",
    ),
    "a design without folds": (
        ["compare", "good.csv", "--cv", "blocked-3x2"],
        r"good\.csv: there is no column 'fold'",
    ),
    "an output folder": (
        ["compare", "good.csv", "--output", "."],
        r"cannot write to \., which is a folder; name a file in it",
    ),
    "a missing output folder": (
        ["compare", "good.csv", "--output", "no/out.txt"],
        r"cannot write to no/out\.txt, as there is no folder .*no; create it first",
    ),
    "the input for output": (
        ["compare", "good.csv", "--output", "./good.csv"],
        r"output \./good\.csv is an input file; name another",
    ),
    "an option of a demo": (["demo", "--rope", "0.01"], r"unknown option --rope; see bayesf1 demo --help"),
    "a name with a line break": (["compare", "a\nb.csv"], r"there is no file a�b\.csv"),
}


@pytest.mark.parametrize(("argv", "message"), COMMANDS.values(), ids=COMMANDS)
def test_a_bad_command_gets_one_line_and_exit_code_2_and_no_file(
    argv, message, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    files = {
        "good.csv": GOOD,
        "one.csv": "model,tp,fp,fn\ncrf,77,44,10\n",
        "many.csv": "model,tp,fp,fn\n" + "".join(f"m{i},77,44,10\n" for i in range(40)),
        "folds.csv": FOLDS + "A,1,1,8,1,2\nA,1,2,8,1,2\nB,1,1,8,1,2\nB,1,2,8,1,2\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    if argv[:1] == ["compare"] and "--output" not in argv:
        argv = [*argv, "--output", "out.txt"]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"bayesf1: {message}.*\n", err)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == files


@pytest.mark.parametrize(
    "tables",
    [
        ((1e15, 1e15, 1e15, 1e15), (1e15, 0, 0, 1e15)),
        ((1e15, 0, 0, 0), (0, 1e15, 1e15, 0)),
        ((1e-300, 1e-300, 1e-300, 0), (5e-324, 0, 0, 0)),
        ((1e15, 1e-9, 1e-9, 1e15), (1e-9, 1e15, 1e15, 1e-9)),
        ((1, 0, 0, 0), (0, 0, 0, 1)),
    ],
)
@pytest.mark.parametrize("prior", [0.1, 1.0])
def test_counts_that_are_allowed_however_extreme_give_no_nan(tables, prior):
    ev = bf.from_counts(A=tables[0], B=tables[1])
    res = bf.compare(ev, metrics=["precision", "recall", "f1", "accuracy"], prior=prior, rope=0.01)
    for c in res.values():
        assert c.p_h0 + c.p_h1 == pytest.approx(1.0, abs=1e-9)
        assert c.p_less + c.p_rope + c.p_greater == pytest.approx(1.0, abs=1e-9)
        for post in (c.posterior_a, c.posterior_b):
            low, high = post.interval(0.95)
            assert 0.0 <= low <= post.median() <= high <= 1.0
            assert 0.0 <= post.mean() <= 1.0


def test_measures_that_never_end_are_refused_at_the_first_that_comes_again():
    with pytest.raises(ValueError, match="metric 'f1' is given twice"):
        bf.compare(FULL, metrics=itertools.repeat("f1"))
    with pytest.raises(ValueError, match=r"metrics 'f1' and 'f1\.0' are the same here|'f1' is given twice"):
        bf.compare(FULL, metrics=["f1", "recall", "f1.0"])
