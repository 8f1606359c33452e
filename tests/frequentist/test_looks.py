"""Looks that another process goes on from: the same answer, and nothing is taken on trust."""

import json

import pytest

import bayesf1 as bf

A, B = [1, 0] * 100, [1, 1, 1, 0] * 50


def look(n, **options):
    return bf.monitor(bf.from_correct({"A": A[:n], "B": B[:n]}), **options)


def test_it_was_decided_at_the_first_look_that_decided():
    state = None
    for n in (40, 60, 80, 200):
        state = look(n, previous=state)
    assert (state.n_units, state.decided_after, state.to_dict()["decided_after"]) == (200, 60, 60)
    assert state.sentence().startswith("Decided after 60 items: B better in Accuracy (difference +")
    assert "percentage points after 200 items, B minus A" in state.sentence()
    assert "after" not in look(80).sentence().partition("(")[2]
    assert look(40).decided_after is None


@pytest.mark.parametrize("keep", [lambda s: s.to_dict(), lambda s: json.loads(s.to_json())])
def test_what_was_kept_goes_on_as_what_was_returned(keep):
    units = {"A": [(1, 0, 1), (2, 0, 0)] * 40, "B": [(2, 0, 0), (2, 0, 0)] * 40}
    first, ev = (
        bf.from_units({name: rows[:n] for name, rows in units.items()}, unit="sentence") for n in (40, 80)
    )
    before = bf.monitor(first, largest=8)
    plain = bf.monitor(ev, largest=8, previous=before)
    kept = bf.monitor(ev, largest=8, previous=keep(before))
    assert kept.to_dict() == plain.to_dict()
    assert kept.looks == plain.looks
    assert len(kept.looks) == 2


def changed(document, path, value):
    *way, last = path
    place = document
    for key in way:
        place = place[key]
    place[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ["format"],
            "bayesf1.compare/1",
            r"previous.format is 'bayesf1.compare/1' where 'bayesf1.monitor/2'",
        ),
        (["looks"], [], "previous.looks is empty"),
        (["looks", 0, "n_units"], -5, "n_units is -5"),
        (["largest"], 5.0, r"the last look had largest 5\.0, and this one has None"),
        (["metric"], "f1", "the last look had metric 'f1'"),
    ],
)
def test_what_was_damaged_is_named(path, value, said):
    document = changed(json.loads(look(40).to_json()), path, value)
    with pytest.raises(ValueError, match=said):
        look(80, previous=document)
