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
        ({"judge": {"x": [1] * 6, "y": [0] * 6}}, "one judge, not 2.*majority vote"),
        ({"judge": {"A": [1, 0, 1, 0, 1, 0]}}, "'A' names a model and a judge"),
        ({"judge": [0.1, 0.5, 0.3, 0.2, 0.9, 0.8]}, "put scores into classes before"),
        ({"judge": None}, "y_true has no label for item 3"),
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
    chosen = bf.plan_labels(found, budget=20, rng=1).items
    assert not set(chosen) & set(some)
    with pytest.raises(ValueError, match="'x', which y_true have"):
        bf.from_labels({**some, "x": 1}, by_id, judge={"j": judged}, positive=1)


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
    with pytest.raises(ValueError, match="have no value for"):
        bf.read(files, gold_file=tmp_path / "gold.csv", **{k: v for k, v in how.items() if k != "judge"})
