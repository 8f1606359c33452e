"""Conditions: what they say, what is wrong with them, and whether they hold."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

import bayesf1 as bf
from bayesf1.bayes.condition import ConditionError, parse
from bayesf1.bayes.gate import gate

RES = bf.compare(bf.from_counts(crf=(77, 44, 10, 702), bert=(80, 30, 7, 716)))
F1 = RES["f1"]


@pytest.mark.parametrize(
    ("condition", "p", "level"),
    [
        ("f1: bert not worse by 0.005", F1.p_better_by(-0.005), 0.975),
        ("f1: B not worse by 0.005", F1.p_better_by(-0.005), 0.975),
        ("f1: crf not worse than bert by 0.005", 1 - F1.p_better_by(0.005), 0.975),
        ("f1: bert better", F1.p_h1, 0.975),
        ("f1: P(B better) >= 0.9", F1.p_h1, 0.9),
        ("f1: P(A better) >= .9", F1.p_h0, 0.9),
        ("f1: P(bert better than crf by 0.02) > 5e-1", F1.p_better_by(0.02), 0.5),
        ('recall: P("bert" better) < 0.9', RES["recall"].p_h1, 0.9),
        ("F1: equivalent within 0.1", F1.p_better_by(-0.1) - F1.p_better_by(0.1), 0.95),
        (" f1 :P( equivalent within 0.1 )<=0.99", F1.p_better_by(-0.1) - F1.p_better_by(0.1), 0.99),
    ],
)
def test_a_condition_is_on_the_probability_that_it_names(condition, p, level):
    (claim,) = RES.check(condition).claims
    assert (claim.p, claim.level) == pytest.approx((p, level), abs=1e-15)


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("f1: P(B better) >= 0.9", True),
        ("f1: P(B better) >= 0.95", False),
        ("f1: P(B better) < 0.95", True),
        ("f1: B better", False),
        ("f1: B not worse by 0.02", True),
    ],
)
def test_it_holds_or_it_does_not_and_says_why(condition, held):
    check = RES.check(condition)
    assert check.passed is held
    assert bool(check) is held
    assert ("needed" in check.why) is held


@pytest.mark.parametrize("above", [True, False])
def test_what_is_close_to_the_level_is_told_with_the_digits_that_it_takes(above):
    level = F1.p_h1 - 1e-5 if above else F1.p_h1 + 1e-5
    check = RES.check(f"f1: P(B better) >= {level:.8f}")
    told, needed = re.search(r"= ([0-9.]+), (?:as|not) >= ([0-9.]+)", check.why.removesuffix(".")).groups()
    assert (float(told) > float(needed.rstrip("."))) is above is check.passed


def test_of_several_measures_each_condition_finds_its_own():
    other = bf.compare(F1.ev, metrics="jaccard")
    checks = gate([RES, other], ["f1: P(B better) > 0.5", "jaccard: P(B better) > 0.5"]).checks
    assert [claim.metric for check in checks for claim in check.claims] == ["f1", "jaccard"]


def test_the_verdict_and_the_condition_agree():
    c = bf.compare(F1.ev, rope=(-0.01, 0.0))["f1"]
    assert bf.compare(F1.ev, rope=(-0.01, 0.0)).check("f1: B not worse by 0.01").claims[0].p == c.p_not_worse


@pytest.mark.parametrize(
    ("condition", "sentence", "at"),
    [
        ("B not worse by 0.005", "a condition begins with a metric and a colon", 0),
        ("f1:", "expected the name of a model, not the end", 3),
        ("f1: bert bettr", 'expected "better" or "not worse", not "bettr"', 9),
        ("f1: bert not worse", 'expected "by", not the end', 18),
        ("f1: bert not worse by much", 'expected a margin such as 0.005, not "much"', 22),
        ("f1: bert not worse by -0.1", 'expected a margin such as 0.005, not "-0.1"', 22),
        ("f1: bert better by 0.1 or so", 'expected the end, not "or"', 23),
        ("f1: P(bert better", 'expected ")", not the end', 17),
        ("f1: P(bert better) = 0.9", 'expected "<=" or ">=" or "<" or ">", not "="', 19),
        ("f1: P(bert better) >= 90", "the probability must lie strictly between 0 and 1", 22),
        ("f1: bart better", "there is no model 'bart' here; did you mean 'bert'?", 4),
        ("f2: bert better", "'f2' was not compared; did you mean 'f1'?", 0),
        ("f1: bert better than bert", "a model is compared with another, not with itself", 21),
        ("f1: not better", "expected the name of a model", 4),
        ('f1: "better" better than "no', 'expected the name of a model, not """', 25),
        ("f1: bert not worse by 5", "a margin of 5 is more than any two scores in F1 differ by", 22),
        ("f1: bert better by 1", "a margin of 1 is more than any two scores in F1 differ by", 19),
        ("f1: equivalent within 0", "models are equivalent within a margin above 0", 22),
        ("f1: os.system()", 'expected "better" or "not worse", not "("', 13),
    ],
)
def test_an_error_points_to_its_place(condition, sentence, at):
    with pytest.raises(ConditionError) as caught:
        RES.check(condition)
    said, text, caret = str(caught.value).splitlines()
    assert sentence in said
    assert text == f"  {condition}"
    assert caret == f"  {' ' * at}^"


@given(st.text(max_size=40))
def test_whatever_is_written_is_read_or_refused(text):
    for condition in (text, f"f1: {text}", f"f1: P({text}) >= 0.9"):
        with suppress(ConditionError):
            assert parse(condition).text == condition


def test_names_with_blanks_stand_in_quotes():
    res = bf.compare(bf.from_counts({"old model": (77, 44, 10), "by 2": (80, 30, 7)}))
    assert res.check('f1: P("by 2" better than "old model") > 0.5')


def test_models_that_are_called_A_and_B_are_these_and_not_the_first_and_second():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)), "B", "A")
    assert res.check("f1: P(B better) > 0.5")


def test_of_several_pairs_those_are_checked_that_have_the_models():
    ev = bf.from_counts(a=(77, 44, 10), b=(80, 30, 7), c=(83, 9, 14))
    results = [bf.compare(ev, *pair) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert len(gate(results, ["f1: P(c better) > 0.5"]).checks[0].claims) == 2
    assert len(gate(results, ["f1: P(c better than a) > 0.5"]).checks[0].claims) == 1
    assert len(gate(results, ["f1: P(B better) > 0.5"]).checks[0].claims) == 3
    with pytest.raises(ConditionError, match="a and c were not compared with each other"):
        gate(results[:1] + results[2:], ["f1: c better than a"])


def test_a_star_is_every_class():
    gold = list("aaabbbcccc") * 20
    ev = bf.from_labels(gold, {"A": list("aabbbcccca") * 20, "B": list("aaabbbccca") * 20})
    res = bf.compare_classes(ev, rng=1)
    check = res.check("f1[*]: B not worse by 0.05")
    assert [claim.metric for claim in check.claims] == ["f1[a]", "f1[b]", "f1[c]"]
    assert check.passed == all(res[f"f1[{k}]"].p_better_by(-0.05) >= 0.975 for k in "abc")
    assert len(res.check("f1[b]: B better").claims) == 1


def test_a_gate_is_an_answer_with_all_forms():
    found = gate([RES], ["f1: B better", "f1: P(B better) >= 0.9"])
    assert not found.passed
    assert found.title == "1 of 2 conditions hold"
    assert [row[-1] for row in found.table.rows] == ["no", "yes"]
    assert found.to_dict()["passed"] is False


def test_a_condition_on_every_class_is_refused_where_one_was_not_compared():
    gold = ["a", "b", "c"] * 40
    ev = bf.from_labels(gold, {"old": ["b", "b", "c"] * 40, "new": ["a", "b", "a"] * 40})
    res = bf.compare(ev, metrics=["f1[a]", "f1[b]"])
    assert res.check("f1[a]: new better").passed
    with pytest.raises(ConditionError, match=re.escape("every class, but f1[c] was not compared")):
        res.check("f1[*]: new not worse by 0.01")


def test_a_caret_stands_below_its_place_behind_characters_of_two_columns():
    with pytest.raises(ConditionError) as error:
        parse("f1: 模型 bettr")
    # Both characters take two columns of a terminal.
    assert str(error.value).splitlines()[1:] == ["  f1: 模型 bettr", "  " + " " * len("f1: ____ ") + "^"]
