"""Columns of several models: aligned by index, refused where they do not fit, of units that are independent."""

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.evaluation import resolve_metric

SCORES = {"A": [0.1, 0.5, 0.4, 0.9], "B": [0.2, 0.6, 0.4, 0.7]}
FLAGS = {"A": [1, 0, 1, 1], "B": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"A": [1, float("nan")]}, "answers of 'A' have nan for item 2"),
        ({"A": [True, None]}, "answers of 'A' have nan for item 2"),
        ({"A": [1, 0], "B": [1, 0.5]}, "answers of 'B' have 0.5 for item 2.*from_scores"),
        ({"A": ["yes", "no"]}, "answers of 'A' must be True or False"),
        ({"A": [1, 0], "B": [1]}, "answers of 'B' have 1 values, but"),
        ({"A": np.ma.array([1, 0], mask=[0, 1])}, "answers of 'A' is masked at entry 2"),
    ],
)
def test_answers_that_are_neither_right_nor_wrong_are_named(flags, words):
    with pytest.raises(ValueError, match=words):
        bf.from_correct(flags)


def table(path, rows, header="query,a,b"):
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("true", "false")])
def test_a_column_of_0_and_1_in_a_file_is_right_or_wrong(tmp_path, capsys, yes, no):
    path = table(tmp_path / "em.csv", [f"q{i},{yes if i % 9 else no},{yes}" for i in range(18)])
    assert main(["compare", path, "--scores", "EM", "--rng", "1"]) == 0
    printed = capsys.readouterr().out
    assert "units:18 queries|sampling:paired" in printed
    assert main(["test", path, "--scores", "--metrics", "mean"]) == 0
    assert "p = 0.500, exact" in capsys.readouterr().out
    for command in (["rank"], ["interval"], ["plan", "--difference", "0.05"]):
        assert main([*command, path, "--scores", "EM"]) == 0


# ---- lower is better --------------------------------------------------------------------------------------


def test_scores_say_which_way_they_point():
    ev = bf.from_scores(SCORES, lower_is_better=True)
    for name in ("mean", "median"):
        assert resolve_metric(name, ev).sign == -1.0
        assert resolve_metric(name, bf.from_scores(SCORES)).sign == 1.0

    def best(scores, weights):
        return np.where(weights > 0, scores, -np.inf).max(axis=-1)

    assert resolve_metric(best, ev).lower_is_better
    best.lower_is_better = False
    assert not resolve_metric(best, ev).lower_is_better
    with pytest.raises(ValueError, match="lower_is_better must be True or False, not 'yes'"):
        bf.from_scores(SCORES, lower_is_better="yes")
    with pytest.raises(ValueError, match="do not add up"):
        ev + bf.from_scores(SCORES)


def test_a_randomisation_test_of_losses_asks_who_loses_less():
    a, b = [4, 5, 5, 4, 3, 2, 1], [1, 2, 1, 2, 2, 2, 0]
    better = bf.randomization_test(
        bf.from_scores({"A": a, "B": b}, lower_is_better=True), alternative="greater"
    )
    assert (
        better.p_value
        == bf.randomization_test(bf.from_scores({"A": a, "B": b}), alternative="less").p_value
        == 1 / 64
    )
    assert better.difference < 0 < better.statistic
    assert "lower is better" in str(better)
    both = bf.randomization_test(bf.from_scores({"A": a, "B": b}, lower_is_better=True))
    assert both.p_value == bf.randomization_test(bf.from_scores({"A": a, "B": b})).p_value


@pytest.mark.parametrize(("build", "data"), [(bf.from_scores, SCORES), (bf.from_correct, FLAGS)])
def test_a_label_that_comes_twice_cannot_be_aligned_and_folds_are_no_units(build, data):
    labels = ["q1", "q1", "q2", "q3"]
    first = pd.Series(data["A"], index=labels)
    assert build({"A": first, "B": pd.Series(data["B"], index=labels)}) == build(data)
    with pytest.raises(ValueError, match="two values for 'q1'"):
        build({"A": first, "B": pd.Series(data["B"], index=labels[::-1])})
    with pytest.raises(ValueError, match=r"no independent units.*bf\.fold_tests"):
        build(data, unit="folds")
