"""Runs of a method: how they are given, and what an evaluation makes of them."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import dotted_runs, flatten, resolve_metric
from bayesf1.metrics import find_metric
from bayesf1.sampling import run_variance_of

GOLD = [1, 1, 1, 0, 0, 0, 1, 0]
SAID = {
    "bert": {"s1": [1, 1, 1, 0, 0, 1, 1, 0], "s2": [1, 1, 0, 0, 0, 0, 1, 0]},
    "crf": {"s1": [1, 0, 1, 0, 1, 0, 0, 0], "s2": [0, 0, 1, 0, 1, 0, 1, 0], "s3": [1, 0, 1, 1, 1, 0, 1, 0]},
}


@pytest.fixture
def ev():
    return bf.from_labels(GOLD, SAID, positive=1)


def test_nested_mappings_are_runs_of_methods(ev):
    assert ev.names == ("bert", "crf")
    assert ev.models == ("bert/s1", "bert/s2", "crf/s1", "crf/s2", "crf/s3")
    assert "2 methods (bert: 2 runs, crf: 3 runs)" in repr(ev)


TAGS = [["B-PER", "O"], ["O", "B-LOC"]]
BUILDERS = {
    "from_labels": lambda: bf.from_labels(GOLD, SAID, positive=1),
    "from_labels classes": lambda: bf.from_labels(
        list("abcab"), {"A": {"1": list("abcaa"), "2": list("abccb")}, "B": list("aacab")}
    ),
    "from_tags": lambda: bf.from_tags(TAGS, {"A": {"1": TAGS, "2": TAGS}, "B": TAGS}),
    "from_scores": lambda: bf.from_scores({"A": {"1": [0.1, 0.5], "2": [0.2, 0.4]}, "B": [0.3, 0.9]}),
    "from_correct": lambda: bf.from_correct({"A": {"1": [1, 0], "2": [1, 1]}, "B": [0, 1]}),
    "from_units": lambda: bf.from_units({"A": {"1": [(1, 0, 1)], "2": [(2, 0, 0)]}, "B": [(1, 1, 1)]}),
    "from_counts": lambda: bf.from_counts(
        {"A": {"1": (3, 4, 5), "2": {"tp": 4, "fp": 4, "fn": 4}}, "B": (3, 4, 5)}
    ),
    "from_confusion": lambda: bf.from_confusion({"A": {"1": np.eye(3), "2": np.eye(3)}, "B": np.eye(3)}),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_every_reader_takes_runs(build):
    ev = build()
    first = ev.methods[0]
    assert len(first.runs) == 2
    assert all(run.startswith(f"{first.name}/") for run in first.runs)
    assert len(ev.names) == 2


def test_column_files_and_frames_take_runs(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(
        {"gold": GOLD, "b1": SAID["bert"]["s1"], "b2": SAID["bert"]["s2"], "c": SAID["crf"]["s1"]}
    )
    ev = bf.from_frame(frame, gold="gold", models={"bert": {"1": "b1", "2": "b2"}, "crf": "c"})
    assert [len(m.runs) for m in ev.methods] == [2, 1]
    for name in ("gold", "b1", "b2", "c"):
        (tmp_path / f"{name}.conll").write_text(
            "".join(f"w{i} {'B-X' if x else 'O'}\n" for i, x in enumerate(frame[name]))
        )
    ev = bf.from_conll(
        tmp_path / "gold.conll",
        {"bert": {"1": tmp_path / "b1.conll", "2": tmp_path / "b2.conll"}, "crf": tmp_path / "c.conll"},
    )
    assert [len(m.runs) for m in ev.methods] == [2, 1]


def test_models_already_read_may_be_runs(ev):
    flat, runs = flatten(SAID)
    assert bf.from_labels(GOLD, flat, positive=1).with_runs(runs) == ev
    assert bf.from_labels(GOLD, flat, positive=1) != ev


def test_an_item_that_one_run_skipped_is_named():
    with pytest.raises(ValueError, match=r"bert/s2"):
        bf.from_labels(GOLD, {"bert": {"s1": GOLD, "s2": GOLD[:-1]}}, positive=1)


def test_a_methods_score_is_the_mean_of_its_runs_and_not_that_of_the_pooled_table(ev):
    f1 = resolve_metric("f1", ev)
    each = f1(ev.tables, ev.cells)
    assert bf.score(ev, "bert") == pytest.approx(each[:2].mean())
    assert bf.score(ev, "crf") == pytest.approx(each[2:].mean())
    assert bf.score(ev, "crf") != pytest.approx(float(f1(ev.tables[2:].sum(axis=0), ev.cells)))
    assert bf.score(ev, "crf/s1") == pytest.approx(each[2])


def test_parts_keep_their_runs(ev):
    assert ev.select(["crf"]).methods == (ev.methods[1],)
    assert ev.select(["crf", "bert"]).names == ("crf", "bert")
    assert ev.select(["bert/s1", "crf/s3"]).methods == ()
    assert ev.pair("bert/s1", "crf").names == ("bert/s1", "crf")
    assert (ev + ev).methods == ev.methods
    assert ev.keep(("tp", "fp", "fn")).methods == ev.methods
    with pytest.raises(ValueError, match="do not add up"):
        ev + bf.from_labels(GOLD, flatten(SAID)[0], positive=1)


def test_dotted_names_are_runs():
    assert dotted_runs(["bert.1", "bert.2", "v1.5"]) == {"bert": ["bert.1", "bert.2"], "v1": ["v1.5"]}
    with pytest.raises(ValueError, match="no two of a, b are runs"):
        dotted_runs(["a", "b"])


def test_the_spread_of_training_is_what_units_do_not_explain():
    rng = np.random.default_rng(0)
    f1 = find_metric("f1")
    groups = [range(40), range(40, 80)]
    noise, tau = 0.01, 0.03
    scores = 0.7 + rng.normal(0, np.hypot(noise, tau), 80)
    drawn = rng.normal(0, noise, (4000, 80))
    known = run_variance_of(f1, scores, drawn, groups)
    assert known.medians == pytest.approx(tau, rel=0.3)
    # What units explain is not taken for training.
    only = run_variance_of(f1, 0.7 + rng.normal(0, noise, 80), drawn, groups)
    assert (only.medians < 0.6 * noise).all()
    draws = known.draw(100_000, rng)
    assert draws.std(axis=0) == pytest.approx(known.medians / np.sqrt(40), rel=0.05)


def test_a_loss_has_the_scale_of_its_runs():
    mean = resolve_metric("mean", bf.from_scores({"A": [100.0, 900.0, 500.0]}))
    wide = run_variance_of(mean, np.array([400.0, 420, 410, 500, 510, 505]), None, [range(3), range(3, 6)])
    assert ((wide.medians > 3) & (wide.medians < 20)).all()
