"""What bad input gets: one sentence with the value, the place and the remedy; never a NaN, never a file."""

import itertools
import math
import re

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main

FULL = bf.from_counts(A=(77, 44, 10, 702), B=(80, 30, 7, 716))
SPAN = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))
FOLD = (1, 2, 3)
CV = bf.BlockedCV(3)
NAN = math.nan

# What is of the wrong type is tests/faults/test_hostile_arguments.py's; here values are out of range or do not fit each other.
PYTHON = {
    "too few counts": (lambda: bf.from_counts(A=(1, 2)), "'A' has 2 numbers"),
    "a negative count": (lambda: bf.from_counts(A=(8, -1, 2)), "fp = -1"),
    "a count beyond doubles": (lambda: bf.from_counts(A=(8, 1, 1e300)), r"fn = 1e\+300"),
    "a string": (lambda: bf.from_counts(A=("8", 1, 2)), "instead of numbers"),
    "ragged counts": (lambda: bf.from_counts(A=(1, (2, 3), 4)), "instead of numbers"),
    "an unknown cell": (lambda: bf.from_counts(A={"tp": 1, "fp": 2, "fn": 3, "xx": 4}), "xx"),
    "a cell twice": (lambda: bf.from_counts(A={"tp": 1, "TP": 1, "fp": 2, "fn": 3}), "each once"),
    "tn for one model alone": (lambda: bf.from_counts(A=(1, 2, 3), B=(1, 2, 3, 4)), "tn for all or for none"),
    "many experiments": (lambda: bf.from_counts(A=np.ones((2, 4)), B=np.ones((2, 4))), "one table"),
    "a model twice": (lambda: bf.from_counts({"A": FOLD}, A=FOLD), "'A' is given twice"),
    "folds of no design": (lambda: bf.from_folds({"A": [FOLD] * 6}), r"BlockedCV\(m=3\) for .* KFoldCV\(2, 3\)"),
    "too few folds": (lambda: bf.from_folds({"A": [FOLD] * 5}, cv=bf.BlockedCV(3)), "'A' has 5 fold tables, but .* has 6"),
    "folds with and without tn": (lambda: bf.from_folds({"A": [FOLD] * 5 + [(1, 2, 3, 4)]}, cv=bf.BlockedCV(3)), "with and without tn"),
    "a negative count in a fold": (lambda: bf.from_folds({"A": [FOLD] * 5 + [(1, -2, 3)]}, cv=bf.BlockedCV(3)), "fold 6 has fp = -2"),
    "half a repeat": (lambda: bf.BlockedCV(2.5), r"m must .* not 2\.5"),
    "an unknown discount": (lambda: CV.discount("wangli"), "wang-li"),
    "a discount of zero": (lambda: CV.discount(0), "discount 0"),
    "negative correlations": (lambda: CV.discount((-0.5, -0.5)), "from 0 to 1"),
    "evaluations that cannot be added": (lambda: FULL + SPAN, "cannot be added"),
    "shards of two positive labels": (lambda: spam(positive="spam") + spam(positive="ham"), "positive= is 'spam' in one and 'ham'"),
    "shards of two scores": (lambda: scored("BLEU") + scored("nDCG"), "name= is 'BLEU' in one and 'nDCG' in the other"),
    "shards of two rates": (lambda: scored("EM", 1) + scored("F1", 1), "name= is 'EM' in one and 'F1' in the other"),
    "an unknown model": (lambda: bf.score(bf.from_counts(bert=FOLD), "brt"), "did you mean 'bert'"),
    "an unknown metric": (lambda: bf.score(FULL, "A", "presicion"), "did you mean 'precision'"),
    "a metric without its tn": (lambda: bf.score(SPAN, "A", "mcc"), "mcc needs true negatives"),
    "an average of types that were not read": (lambda: bf.score(SPAN, "A", "macro_f1"), "by_type=True"),
    "the same difference in all folds": (lambda: bf.fold_tests(bf.from_folds({"a": [(5, 1, 1)] * 5, "b": [(5, 3, 1)] * 5}, cv=bf.KFoldCV(5))), "in all folds"),
    "one of two models": (lambda: bf.compare(FULL, "A"), "both models"),
    "a model against itself": (lambda: bf.compare(FULL, "A", "A"), "with itself"),
    "three models": (lambda: bf.compare(bf.from_counts(A=FOLD, B=FOLD, C=FOLD)), "there are 3 models"),
    "no metric": (lambda: bf.compare(FULL, metrics=[]), "no metric given"),
    "a metric twice": (lambda: bf.compare(FULL, metrics=["f1", "F1"]), "given twice"),
    "metrics without end": (lambda: bf.compare(FULL, metrics=itertools.repeat("f1")), "given twice"),
    "a negative rope": (lambda: bf.compare(FULL, rope=-0.1), r"rope .* not -0\.1"),
    "an unknown method": (lambda: bf.compare(FULL, method="monte-carlo"), "did you mean 'montecarlo'"),
    "an exact method without a law": (lambda: bf.compare(FULL, metrics="mcc", method="exact"), "'exact'"),
    "too few draws": (lambda: bf.compare(FULL, method="montecarlo", n_draws=5), "n_draws must .* not 5"),
    "a metric that is no ratio": (lambda: bf.compare(FULL, metrics=lambda t: 5 * t[..., 2] + t[..., 1]), "for twice as much"),
    "a prior that drowns the data": (lambda: bf.compare(FULL, prior=101), "prior must be between 0.1 and 100"),
    "a prior of what has none": (lambda: bf.compare(scored("BLEU"), prior=1), "there is no prior of BLEU; leave prior= out"),
    "more counts than a distribution resolves": (lambda: bf.from_counts(A=(2e10, 1, 1)), r"tp = 2e\+10; counts are"),
    "a distribution of zero": (lambda: bf.Beta(0, 1), "a must .* not 0"),
}  # fmt: skip


def spam(**options):
    return bf.from_labels(["spam", "ham"], {"A": ["spam", "ham"]}, **options)


def scored(name, half=0.5):
    return bf.from_scores({"A": [half, 0], "B": [0, half]}, name=name)


@pytest.mark.parametrize(("bad", "message"), PYTHON.values(), ids=PYTHON)
def test_bad_arguments_get_one_sentence(bad, message):
    with pytest.raises(ValueError, match=message) as caught:
        bad()
    assert "\n" not in str(caught.value)


FILES = {
    "good.csv": "model,tp,fp,fn,tn\ncrf,77,44,10,702\nbert,80,30,7,716\n",
    "one.csv": "model,tp,fp,fn\ncrf,77,44,10\n",
    "many.csv": "model,tp,fp,fn\n" + "".join(f"m{i},77,44,10\n" for i in range(40)),
}
# The command line, and what is said of it.
COMMANDS = {
    "": "name a command",
    "compar": "did you mean 'compare'",
    "good.csv": "unknown command 'good.csv'",
    "compare good.csv --ropes 1": "did you mean --rope",
    "compare god.csv": "did you mean good.csv",
    "compare .": "no format that comes in folders",
    "compare one.csv": "one model (crf)",
    "compare many.csv": "40 models (m0, m1, m2 and 37 more)",
    "compare good.csv --models crf brt": "did you mean 'bert'",
    "compare good.csv --models crf": "expected 2 arguments",
    "compare good.csv --metrics f1,mc": "did you mean 'mcc'",
    "compare good.csv --rope wide": "'wide' is not a number",
    "compare good.csv --rope 5": "rope is a half-width",
    "compare good.csv --prob 95": "prob must",
    "compare good.csv --rng -1": "'-1' is not a whole number",
    "compare good.csv --format jsn": "invalid choice: 'jsn'",
    "compare good.csv --cv 3-fold": "'3-fold' is not understood",
    "compare good.csv --cv blocked-3x2": "no column 'fold'",
    "compare good.csv --output .": "which is a folder",
    "compare good.csv --output ./good.csv": "is an input file",
    "demo --rope 0.01": "unknown option --rope",
    "compare a\x00b.csv": "there is no file a�b.csv",
}


@pytest.mark.parametrize(("line", "message"), COMMANDS.items())
def test_a_bad_command_gets_one_line_and_exit_code_2_and_no_file(
    line, message, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    argv = [word.replace("\0", "\n") for word in line.split()]
    if argv[:1] == ["compare"] and "--output" not in argv:
        argv = [*argv, "--output", "out.txt"]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"bayesf1: .*\n", err)
    assert message in err
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == FILES


@pytest.mark.parametrize(
    "tables",
    [
        ((1e10, 1e10, 1e10, 1e10), (1e10, 0, 0, 1e10)),
        ((1e10, 0, 0, 0), (0, 1e10, 1e10, 0)),
        ((1e-300, 1e-300, 1e-300, 0), (5e-324, 0, 0, 0)),
        ((1e10, 1e-9, 1e-9, 1e10), (1e-9, 1e10, 1e10, 1e-9)),
        ((1, 0, 0, 0), (0, 0, 0, 1)),
    ],
)
@pytest.mark.parametrize("prior", [0.1, 1.0])
def test_counts_that_are_allowed_however_extreme_give_no_nan_for_scores_that_exist(tables, prior):
    ev = bf.from_counts(A=tables[0], B=tables[1])
    res = bf.compare(ev, metrics=["precision", "recall", "f1", "accuracy"], prior=prior, rope=0.01)
    for c in (c for c in res.values() if c.verdict != "undefined"):
        assert c.p_h0 + c.p_h1 == pytest.approx(1.0, abs=1e-9)
        assert c.p_less + c.p_rope + c.p_greater == pytest.approx(1.0, abs=1e-9)
        for post in (c.posterior_a, c.posterior_b):
            low, high = post.interval(0.95)
            assert 0.0 <= low <= post.median() <= high <= 1.0
            assert 0.0 <= post.mean() <= 1.0


def test_the_largest_counts_of_two_equal_models_leave_it_open_which_is_better():
    res = bf.compare(bf.from_counts(A=(1e10, 5e9, 3e9), B=(1e10, 5e9, 3e9)))
    assert [c.p_h1 for c in res.values()] == pytest.approx([0.5] * 3, abs=1e-7)
