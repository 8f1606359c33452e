"""Gold labels with gaps, and what judges say, as lists and by id."""

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from builders import judged_items as items


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [None] * 6}, "none of 6 items has a gold label"),
        ({"judge": [1, 0]}, "judge 'judge' has 2 labels, but y_true has 6"),
        ({"judge": 3}, "judge must be one value for each item or None, not 3"),
        ({"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8], "bins": []}, "bins must be a whole number from 2"),
        ({"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8], "bins": [0.5, float("nan")]}, "or a list of edges"),
        ({"audit_probability": ["x"] * 6}, "audit_probability is a number for each item"),
        ({"covariates": [1, 2]}, "covariates must be a mapping"),
        ({"covariates": {"length": [1, 2]}}, r"covariate 'length' has shape \(2,\), but there are 6 items"),
        ({"covariates": {"text": list("abcdef")}}, "covariate 'text' has values that are no numbers"),
        ({"judge": None, "covariates": {"length": [1] * 6}}, "allow gaps by judge="),
        ({"judge": {"A": [1, 0, 1, 0, 1, 0]}}, "'A' names a model and a judge"),
        ({"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8]}, "say bins=5 where they are scores"),
        ({"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8], "bins": 1}, "bins must be a whole number from 2"),
        ({"judge": {}, "bins": 3}, "bins= says how to read a judge's scores"),
        ({"judge": None, "bins": 3}, "bins= says how to read a judge's scores"),
        ({"audit_probability": [0.5, 0.5, 0.5, 0.5, 0.5, 1.5]}, "audit_probability is 1.5 for item 6"),
        ({"audit_probability": [0.0, 0.5, 0.5, 0.5, 0.5, 0.5]}, "0 for item 1, which is labelled"),
        ({"judge": None}, "y_true has no label for item 3"),
        ({"multilabel": True}, "judge= is for items of one label"),
        ({"predictions": {"A": ["x"] * 6}}, "numbers and strings are never equal"),
        ({"labels": [0, 1], "positive": 1}, "positive= makes a binary task"),
    ],
)
def test_what_cannot_be_read_is_said(change, message):
    given = {
        "y_true": [1, 0, None, None, 1, 0],
        "predictions": {"A": [1, 0, 1, 0, 0, 1], "B": [1, 1, 1, 0, 0, 0]},
    }
    given |= {"judge": [1, 0, 1, 0, 1, 0]} | change
    with pytest.raises(ValueError, match=message):
        bf.from_labels(given.pop("y_true"), given.pop("predictions"), **given)


def test_gold_may_be_missing_by_id():
    gold, _, said, judge = items(n=600)
    names = [f"d{i}" for i in range(600)]
    by_id = {name: dict(zip(names, word.tolist(), strict=True)) for name, word in said.items()}
    judged = dict(zip(names, judge.tolist(), strict=True))
    some = {names[i]: int(gold[i]) for i in range(400, 500)}
    known = np.where((np.arange(600) >= 400) & (np.arange(600) < 500), gold.astype(object), None)
    expected = bf.from_labels(known, said, judge={"j": judge}, positive=1)
    found = bf.from_labels(some, by_id, judge={"j": judged}, positive=1)
    assert found == expected
    assert bf.from_labels(pd.Series(some), by_id, judge={"j": judged}, positive=1) == expected
    ids = {"y_true": list(some), **dict.fromkeys((*said, "judge 'j'"), names)}
    values = list(some.values())
    assert bf.from_labels(values, said, judge={"j": judge}, positive=1, ids=ids) == expected
    chosen = bf.plan_labels(found, budget=20, rng=1).items
    assert not set(chosen) & set(some)
    with pytest.raises(ValueError, match="'x', which y_true have"):
        bf.from_labels({**some, "x": 1}, by_id, judge={"j": judged}, positive=1)


def test_whole_numbers_are_scores_where_they_are_no_labels():
    gold, known, said, _ = items(n=900)
    score = np.clip(60 * gold + np.random.default_rng(1).integers(0, 40, 900), 0, 100)
    ev = bf.from_labels(known, said, judge=score, bins=4, positive=1)
    assert len({row[2] for row in ev.kind.strata.said}) == 4
    # Beside scores a judge of labels stays one.
    both = bf.from_labels(known, said, judge={"s": score, "l": gold}, bins=4, positive=1)
    assert {row[3] for row in both.kind.strata.said} == {"0", "1"}


def test_labelled_items_that_differ_otherwise_are_a_caution():
    gold, _, said, judge = items(n=6000)
    rng = np.random.default_rng(4)
    length = rng.gamma(2.0, 50.0, 6000)
    score = np.clip(rng.normal(0.3 + 0.4 * gold, 0.15), 0, 1)
    fair = np.where(rng.random(6000) < 0.1, gold.astype(object), None)
    longer = np.where(rng.random(6000) < 0.001 * length, gold.astype(object), None)
    sure = np.where(rng.random(6000) < np.abs(score - 0.5), gold.astype(object), None)
    how = {"positive": 1, "covariates": {"length": length}, "bins": 3}

    def cautions(known):
        ev = bf.from_labels(known, said, judge={"score": score}, **how)
        return [note for note in ev.notes if "differ in" in note]

    assert cautions(fair) == []
    (note,) = cautions(longer)
    assert "differ in length from others on which the same was said" in note
    assert any("differ in score" in note for note in cautions(sure))
    (note,) = bf.from_labels(longer, said, judge=judge, covariates={"length": length}, positive=1).notes[1:]
    assert "length" in note


def test_files_of_gold_may_lack_what_nobody_has_labelled(tmp_path):
    gold, known, said, judge = items(n=300, labelled=80)
    names = [f"d{i}" for i in range(300)]
    some = [i for i, label in enumerate(known) if label is not None]
    pd.DataFrame({"id": [names[i] for i in some], "label": gold[some]}).to_csv(
        tmp_path / "gold.csv", index=False
    )
    files = {}
    for name, word in said.items():
        # Each file has an order of its own.
        frame = pd.DataFrame({"id": names, "said": word, "gpt": judge}).iloc[:: 1 if name == "A" else -1]
        frame.to_csv(files.setdefault(name, tmp_path / f"{name}.csv"), index=False)
    how = {"gold": "label", "prediction": "said", "id": "id", "judge": "gpt", "positive": 1}
    ev = bf.read(files, gold_file=tmp_path / "gold.csv", **how)
    assert ev == bf.from_labels(known, said, judge={"gpt": judge}, positive=1)
    chosen = bf.plan_labels(ev, budget=20, rng=1).items.tolist()
    assert set(chosen) <= {names[i] for i in range(300) if i not in some}
    with pytest.raises(ValueError, match="has no id"):
        bf.read(files, gold_file=tmp_path / "gold.csv", **{k: v for k, v in how.items() if k != "judge"})


def test_a_file_with_ids_names_items_by_them(tmp_path):
    _, known, said, judge = items(n=300, labelled=80)
    names = [f"d{i}" for i in range(300)]
    pd.DataFrame({"id": names, "label": known, **said, "gpt": judge}).to_csv(tmp_path / "p.csv", index=False)
    how = {"gold": "label", "judge": "gpt", "positive": 1, "columns": ["A", "B"]}
    by_id, by_row = (
        bf.plan_labels(bf.read(tmp_path / "p.csv", **how, **which), budget=20, rng=1).items.tolist()
        for which in ({"id": "id"}, {})
    )
    assert by_id == [names[i] for i in by_row]
    assert all(known[i] is None for i in by_row)
