"""What the labelled items tell of the others."""

import json

import numpy as np
import pytest

import bayesf1 as bf


def evaluation(n=8000, labelled=400, judge_error=0.05, judge=True):
    rng = np.random.default_rng(0)
    gold = (rng.random(n) < 0.3).astype(int)
    said = {name: np.where(rng.random(n) < 0.12, 1 - gold, gold) for name in "AB"}
    judged = np.where(rng.random(n) < judge_error, 1 - gold, gold)
    known = np.where(np.arange(n) < labelled, gold, np.nan)
    return (
        bf.from_labels(known, said, judge={"gpt": judged} if judge else {}, positive=1),
        gold,
        known,
        said,
        judged,
    )


def test_cells_hold_what_was_labelled_in_them():
    ev, _, known, said, judged = evaluation()
    found = bf.audit(ev)
    assert sum(cell.items for cell in found.cells) == 8000
    (cell,) = [cell for cell in found.cells if cell.known == "A 1, B not 1, gpt 1"]
    here = (said["A"] == 1) & (said["B"] == 0) & (judged == 1)
    labelled = here & ~np.isnan(known)
    assert (cell.items, cell.labelled) == (here.sum(), labelled.sum())
    assert cell.gold["1"] == pytest.approx(known[labelled].mean())
    assert cell.agrees == pytest.approx(known[labelled].mean())


def test_a_better_judge_is_worth_more_and_noise_is_worth_nothing():
    good, middling, noise = (
        bf.audit(evaluation(judge_error=e)[0]).effective_sample for e in (0.02, 0.1, 0.5)
    )
    assert good > middling > 50
    assert noise < 0.15 * good
    assert bf.audit(evaluation(judge=False)[0]).effective_sample is None


def test_an_audit_is_printed_and_written():
    found = bf.audit(evaluation()[0], metric="recall")
    text = found.to_text()
    assert "400 of 8,000 items are labelled" in text
    assert "Judge right (%)" in text
    assert "gpt is worth about" in text
    document = json.loads(found.to_json())
    assert document["format"] == "bayesf1.audit/1"
    assert document["judge"]["share"] == pytest.approx(0.95, abs=0.03)


def test_an_audit_of_what_has_no_gaps_is_refused():
    with pytest.raises(ValueError, match="of which some have no gold label"):
        bf.audit(bf.from_counts(A=(1, 2, 3)))
