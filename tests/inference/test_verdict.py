"""What a comparison says in words."""

import json

import numpy as np
import pytest

import bayesf1 as bf


def sentence(a, b, **options):
    return bf.compare(bf.from_counts(A=a, B=b), **options).sentence()


@pytest.mark.parametrize("counts", [(79, 25, 8), (80, 30, 7), (84, 20, 5), (70, 60, 17), (83, 9, 14)])
def test_a_model_outperforms_another_just_where_the_interval_excludes_zero(counts):
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=counts))
    low, high = res["f1"].difference.interval(0.95)
    assert ("outperforms" in res.sentence()) == (low > 0 or high < 0)


def test_a_difference_that_is_surely_small_is_called_equivalence():
    text = sentence((77_000, 44_000, 10_000), (77_010, 44_000, 9_990), rope=0.02)
    assert text.startswith(
        "A and B are practically equivalent in F1: the difference is within ±2 percentage points"
    )


def test_a_precision_that_does_not_exist_is_undefined_and_not_compared():
    ev = bf.from_counts(A=(0, 0, 12), B=(9, 2, 3))
    res = bf.compare(ev)
    assert res["precision"].verdict == "undefined"
    assert res["precision"].winner is None
    assert "precision of A is undefined" in res.sentence("precision")
    assert "undefined" in res.to_text()
    assert json.loads(res.to_json())["comparisons"][0]["a"]["score"] is None
    assert res["recall"].verdict == "B better"
    for answer in (bf.rank(ev, "precision"), bf.scoreboard(ev)):
        assert "undefined" in answer.to_text()
        json.loads(answer.to_json())


def test_a_rope_without_equivalence_is_reported_after_the_verdict():
    assert "within ±1 percentage point (P = .054)" in sentence((77, 44, 10), (80, 30, 7), rope=0.01, prior=1)


def test_models_that_did_the_same_are_not_told_apart():
    gold = [["B-PER", "O"], ["O", "B-LOC"]] * 20
    said = [["B-PER", "O"], ["O", "O"]] * 20
    text = bf.compare(bf.from_tags(gold, {"A": said, "B": said}), rng=0).sentence()
    assert text == "A and B did the same on all sentences: nothing tells them apart."


def test_a_bootstrap_over_few_units_is_warned_of():
    gold = [["B-PER", "O"], ["O", "B-LOC"]] * 2
    ev = bf.from_tags(gold, {"A": gold, "B": [["O", "O"]] * 4})
    for ask in (
        lambda: bf.compare(ev, rng=0),
        lambda: bf.rank(ev, rng=0),
        lambda: bf.posterior(ev, "A", rng=0),
    ):
        with pytest.warns(UserWarning, match="only 4 sentences"):
            ask()


def test_units_are_counted_before_the_discount_of_a_cross_validation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    y = (x[:, 0] > 0).astype(int)

    def above(at):
        return lambda x_train, y_train: lambda x_test: (x_test[:, 0] > at).astype(int)

    ev = bf.cross_validate({"A": above(0.5), "B": above(0.2)}, x, y, cv=bf.BlockedCV(m=3, rng=0))
    assert "units:200 items|sampling:paired" in str(bf.compare(ev, rng=0))


def test_bounds_over_pairings_that_print_alike_are_left_out():
    assert "Paired item by item" not in str(bf.compare(bf.from_counts(A=(10, 900, 900), B=(900, 10, 10))))


def test_the_decision_is_the_papers_rule_whatever_the_words_say():
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=(80, 30, 7)))
    assert res["f1"].decision == "accept H1"
    assert "do not decide" in res.sentence()
