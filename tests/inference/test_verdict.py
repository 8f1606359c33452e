"""What a comparison says in words."""

import json

import pytest

import bayesf1 as bf


def sentence(a, b, **options):
    return bf.compare(bf.from_counts(A=a, B=b), **options).sentence()


@pytest.mark.parametrize("counts", [(79, 25, 8), (80, 30, 7), (84, 20, 5), (70, 60, 17), (83, 9, 14)])
def test_a_model_outperforms_another_just_where_the_interval_excludes_zero(counts):
    res = bf.compare(bf.from_counts(A=(77, 44, 10), B=counts))
    low, high = res["f1"].difference.interval(0.95)
    assert ("outperforms" in res.sentence()) == (low > 0 or high < 0)


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
