"""Plain scores outside their own intervals are told, and a sentence says why."""

import json

import bayesf1 as bf

PERFECT = bf.from_counts(A=(20, 0, 3), B=(18, 2, 4))
SAID = "The plain score of A in P lies outside its equal-tailed interval, which allows for what these data did not show."


def test_every_form_of_a_comparison_says_so():
    res = bf.compare(PERFECT)
    assert "100.0 [83.9, 99.9]" in res.to_text()
    for text in (res.to_text(), res.to_markdown(), res.to_latex(), res.methods_sentence(), res._repr_html_()):
        assert SAID in text
    assert SAID in json.loads(res.to_json())["notes"]


def test_a_ranking_says_so():
    assert SAID in bf.rank(PERFECT, "precision").to_text()


def test_several_are_one_sentence():
    res = bf.compare(bf.from_counts(A=(20, 0, 0), B=(18, 0, 4)))
    (note,) = (note for note in res.notes if "plain" in note)
    assert note.startswith(
        "The plain scores of A in P, of B in P, of A in R and of A in F1 lie outside their equal-tailed"
    )


def test_nothing_is_said_where_nothing_is_odd():
    assert not any(
        "plain" in note for note in bf.compare(bf.from_counts(A=(77, 44, 10), B=(83, 9, 14))).notes
    )
