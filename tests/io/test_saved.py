"""Saved evaluations come back as they were, add up as they did, and damaged files are refused by name and key."""

import copy
import functools
import gzip
import json
import random
import re

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
import evaluations
from bayesf1.io.saved import TASKS, to_json
from builders import ROOT
from evaluations import EVALUATIONS, MODELS


def astray(seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abc"), 90)
    said = {m: np.where(rng.random(90) < 0.2, "z", gold) for m in MODELS}
    return bf.from_labels(gold, said)


def judged_astray(seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, 120)
    said = {m: np.where(rng.random(120) < 0.1, 9, gold) for m in MODELS}
    return bf.from_labels(np.where(np.arange(120) < 50, gold, np.nan), said, judge=gold)


def generations(seed=0, classes="abc"):
    rng = np.random.default_rng(seed)
    rows = [
        (m, f"q{i}", epoch, classes[i % len(classes)], classes[(i + rng.integers(0, 2)) % len(classes)])
        for m in MODELS
        for i in range(30)
        for epoch in range(rng.integers(1, 4))
    ]
    frame = pd.DataFrame(rows, columns=["model", "id", "epoch", "gold", "prediction"])
    return bf.from_frame(frame, gold="gold", generation="epoch")


def final(role, seed=0, **more):
    rng = np.random.default_rng(seed)
    rows = [(m, i, rng.normal(), rng.normal()) for m in MODELS for i in range(4)]
    frame = pd.DataFrame(rows, columns=["model", role, "gain", "cost"]).assign(**more)
    return frame if more else bf.from_frame(frame, score=["gain", "cost"])


def data_sets(seed=0):
    frames = [final("seed", seed + i, corpus=f"c{i}") for i in range(3)]
    return bf.from_frame(pd.concat(frames), score=["gain", "cost"])


# Final scores and data sets are no shards.
ALONE = {
    "another order": lambda seed=0: evaluations.judged(seed).select(["C", "A"]),
    "scores of folds": functools.partial(final, "fold"),
    "scores of runs": functools.partial(final, "seed"),
    "scores of data sets": functools.partial(final, "dataset"),
    "scores of runs on data sets": data_sets,
}
ALL = {
    **EVALUATIONS,
    **ALONE,
    "generations": generations,
    "generations of many classes": functools.partial(generations, classes="abcdefghijkl"),
    "labels that no item has": astray,
    "runs": lambda seed=0: evaluations.binary(seed).with_runs({"bert": ["A", "B"]}),
    "counted anew": lambda seed=0: evaluations.cross_validated(seed).scaled(0.7),
    "judged, and labels that no item has": lambda seed=0: judged_astray(seed).select(["A", "C"]),
    "odd scores": lambda seed=0: bf.from_scores(
        {"A": [0.1, -3.5, 1e-300], "B": [0.1, seed, 1e20], "C": [3, 4, 5.5]}
    ),
    "a pair as discount": lambda seed=0: bf.from_folds(
        {m: [[5 + seed - i, 1, i]] * 6 for i, m in enumerate(MODELS)}, cv=bf.BlockedCV(3), discount=(0.2, 0.3)
    ),
    "k folds": lambda seed=0: bf.cross_validate(
        {m: lambda x, y, i=i: lambda z: (z > i / 9).astype(int) for i, m in enumerate(MODELS)},
        *(np.random.default_rng(seed).normal(size=80).round(1), np.arange(80) % 2),
        cv=bf.KFoldCV(4, rng=1),
    ),
}


@pytest.fixture(params=ALL)
def ev(request):
    return ALL[request.param]()


def there_and_back(ev, folder, name="ev.json"):
    ev.save(folder / name)
    return bf.load(folder / name)


@pytest.mark.parametrize("name", ["ev.json", "ev.json.gz"])
def test_an_evaluation_comes_back_as_it_was(ev, name, tmp_path):
    again = there_and_back(ev, tmp_path, name)
    assert again == ev
    assert repr(again) == repr(ev)
    assert again.remarks == ev.remarks
    assert again.notes == ev.notes
    assert type(again.task) is type(ev.task)
    for mine, theirs in zip(
        (ev.units, ev.item_units, ev.folds and ev.folds.units),
        (again.units, again.item_units, again.folds and again.folds.units),
        strict=True,
    ):
        assert mine is None or (type(mine.rows), mine.each_an_item) == (
            type(theirs.rows),
            theirs.each_an_item,
        )
    assert bf.read(tmp_path / name) == ev


@pytest.mark.parametrize("name", sorted(ALL.keys() - ALONE))
def test_shards_that_were_saved_add_up_as_those_that_were_not(name, tmp_path):
    shards = [ALL[name](seed) for seed in (1, 2)]
    expected = shards[0] + shards[1]
    loaded = [there_and_back(shard, tmp_path, f"{i}.json") for i, shard in enumerate(shards)]
    assert sum(loaded) == expected
    assert bf.read(tmp_path) == expected
    assert there_and_back(expected, tmp_path) == expected


def test_a_file_of_the_first_version_is_still_read():
    ev = bf.load(ROOT / "tests" / "data" / "evaluation_1.json")
    assert (ev.models, ev.unit, ev.folds.cv, ev.folds.units.size) == (MODELS, "document", bf.BlockedCV(3), 25)


# Written by version 0.3.0: an evaluation of every task, and of every part that an evaluation can have.
OF_0_3 = json.loads((ROOT / "tests" / "data" / "saved_0.3.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", sorted(OF_0_3))
def test_files_of_version_0_3_are_read_and_written_as_they_were(kind, tmp_path):
    path = tmp_path / "ev.json"
    path.write_text(json.dumps(OF_0_3[kind]), encoding="utf-8")
    expected = copy.deepcopy(OF_0_3[kind])
    if expected["kind"]["name"] == "audited":
        expected["kind"]["name"] = "judged"
    assert json.loads(to_json(bf.load(path))) == expected


def test_files_of_version_0_3_name_every_task_that_it_had():
    names = {document["kind"]["name"].replace("audited", "judged") for document in OF_0_3.values()}
    assert names == TASKS.keys() - {"final scores"}


# Written by version 0.2.0: evaluations of every kind, and a look of a monitor.
OLD = json.loads((ROOT / "tests" / "data" / "saved_0.2.json").read_text(encoding="utf-8"))
HOSTILE = "\x1b[2J<script>[x](javascript:x)\u202e\n" + "y" * 300


@pytest.mark.parametrize("kind", sorted(OLD.keys() - {"monitor"}))
def test_files_of_version_0_2_are_read_and_hostile_strings_in_them_are_not_obeyed(kind, tmp_path):
    path = tmp_path / "ev.json"
    path.write_text(json.dumps(OLD[kind]))
    ev = bf.load(path)
    np.testing.assert_array_equal(ev.tables, OLD[kind]["tables"])
    assert there_and_back(ev, tmp_path) == ev
    text = json.dumps(OLD[kind])
    for string in dict.fromkeys(re.findall(r'"[^"]*"', text)):
        path.write_text(text.replace(string, json.dumps(HOSTILE)))
        try:
            said = repr(ev := bf.load(path)) + str(ev.notes)
        except ValueError as error:
            said = str(error)
        assert not {"\x1b", "\u202e"} & {*said}, string


def test_a_look_of_version_0_2_is_refused():
    ev = bf.from_correct({"A": [1, 0] * 20, "B": [1, 1] * 20})
    with pytest.raises(ValueError, match=r"format.*monitor"):
        bf.monitor(ev, previous=OLD["monitor"])


def test_a_function_of_ones_own_is_refused_and_a_named_measure_comes_back(tmp_path):
    sums = {"A": [(3, 10), (0, 8)], "B": [(1, 10), (1, 8)]}

    def rate(totals):
        return totals[..., 0] / totals[..., 1]

    for measure, name in (
        (rate, "rate"),
        (lambda x: x[..., 0] / x[..., 1], "<lambda>"),
        (functools.partial(rate), "partial"),
    ):
        with pytest.raises(ValueError, match=f"metric .*{name}.* is a function"):
            bf.from_statistics(sums, measure, name="WER").save(tmp_path / "ev.json")
    assert list(tmp_path.iterdir()) == []
    ev = there_and_back(bf.from_statistics(sums, bf.measures.ter), tmp_path)
    assert ev.task.function is bf.measures.ter


# ---- damage -----------------------------------------------------------------------------------------------


def changed(said, keys, value):
    found = copy.deepcopy(said)
    inner = found
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return found


CROSSED, JUDGED = (json.loads(to_json(ALL[name]())) for name in ("cross-validated items", "judged items"))
SPARSE, RUNS = (json.loads(to_json(ALL[name]())) for name in ("classes in documents", "runs"))
SCORED, STATED, PROBABLE = (
    json.loads(to_json(ALL[name]())) for name in ("scores", "statistics", "probabilities")
)
REPEATED, SPARSELY, DATA_SETS = (
    json.loads(to_json(ALL[name]()))
    for name in ("generations", "generations of many classes", "scores of data sets")
)
ONES = [1] * np.size(REPEATED["tables"])
N_VALUES = len(SPARSE["units"]["rows"]["values"])
N_STARTS = len(SPARSE["units"]["rows"]["starts"])


@pytest.mark.parametrize(
    ("said", "keys", "value", "message"),
    [
        (CROSSED, ["format"], "bayesf1.evaluation/2", "bayesf1.evaluation/2.*this version"),
        (CROSSED, ["models"], ["A", "A", "B"], "'A' is given twice"),
        (CROSSED, ["kind", "name"], "tree", "kind.name is unknown"),
        (CROSSED, ["tables", 0, 0], -1, "tables should be"),
        (CROSSED, ["tables", 0, 0], 99, "units.rows times units.weights give .* tables have 99"),
        (CROSSED, ["units", "name"], "", "units.name is empty"),
        (CROSSED, ["folds", "k"], 0.5, "folds.k is 0.5, which is not what the discount 'wang-li' makes"),
        (CROSSED, ["folds", "cv", "design"], "os.system", "os.system"),
        (CROSSED, ["units", "rows", 0], [1], "units.rows should be lists of equal length"),
        (CROSSED, ["units", "weights"], [[1]], "units.weights should be one list"),
        (SPARSE, ["finer", "rows", "columns", 0], 10**6, "finer.rows.columns should be whole numbers"),
        (SPARSE, ["finer", "rows", "columns", 0], 0.5, "finer.rows.columns should be whole numbers"),
        (SPARSE, ["units", "rows", "columns"], [0], f"1 columns for {N_VALUES} values"),
        (SPARSE, ["units", "rows", "starts", -1], 0, f"starts should be {N_STARTS} whole numbers that rise"),
        (SPARSE, ["units", "rows", "starts", 1], N_VALUES, "numbers that rise from 0"),
        (SPARSE, ["units", "rows", "starts"], [0, N_VALUES], f"starts should be {N_STARTS} whole numbers"),
        (SPARSE, ["units", "rows", "starts"], [], f"starts should be {N_STARTS} whole numbers"),
        (SPARSE, ["units", "rows", "values", 0], [1], "units.rows.values should be"),
        (
            SPARSELY,
            ["generations", "deviations", "rows", "starts", -1],
            0,
            "generations.deviations.rows.starts",
        ),
        (REPEATED, ["generations", "deviations", "weights", 0], -1, "deviations.weights should be"),
        (REPEATED, ["generations", "deviations", "rows", 0], ONES, "row of several models"),
        (
            REPEATED,
            ["generations", "freedom"],
            [1],
            "generations.freedom has shape",
        ),
        (REPEATED, ["generations", "least"], 9, "generations are from 9 to 3 an item"),
        (REPEATED, ["generations", "noun"], "", "generations.noun is empty"),
        (REPEATED, ["units"], None, "generations are of items, but units is null"),
        (DATA_SETS, ["corpora", "names", 0], "1", "corpora.names should be two or more different names"),
        (DATA_SETS, ["corpora", "parts"], [], "corpora.names should be two or more different names"),
        (DATA_SETS, ["corpora", "parts", 0, "models", 0], "X", "other models for '0'"),
        (DATA_SETS, ["corpora", "parts", 0, "tables", 0, 0], 50, "means of corpora.parts give"),
        (DATA_SETS, ["tables", 0, 0], -1e300, "tables should be .* from -1e.100"),
        (RUNS, ["methods", "bert"], ["A", "C"], "run of .bert. already"),
        (JUDGED, ["kind", "strata", "said", 0, 0], "zzz", "strata must say in order"),
        (SCORED, ["kind", "values", 0], 0.99, "values must be different scores in rising order"),
        (STATED, ["kind", "function"], "exec", "kind.function is 'exec'"),
        (STATED, ["kind", "function"], "ter", "totals are edits, words"),
        (PROBABLE, ["kind", "hits"], [True], "with as many hits"),
    ],
)
def test_a_damaged_file_is_refused_with_its_name_and_the_key(said, keys, value, message, tmp_path):
    path = tmp_path / "shard7.json"
    path.write_text(json.dumps(changed(said, keys, value)), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        bf.load(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("key", CROSSED)
def test_a_missing_key_is_named(key, tmp_path):
    path = tmp_path / "ev.json"
    path.write_text(json.dumps({k: v for k, v in CROSSED.items() if k != key}), encoding="utf-8")
    with pytest.raises(ValueError, match="holds no evaluation" if key == "format" else f"'{key}'"):
        bf.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1 column 1"),
        (b"[]", "holds no evaluation"),
        (b'{"format":"bayesf1.evaluation/1","tables":NaN}', "has NaN instead of a finite number"),
        (b'{"format":"bayesf1.evaluation/1","format":"x"}', "format is 'x'"),
        (b'{"format":"bayesf1.evaluation/1","x":' + b"[" * 100_000, "recursion|save it again"),
        (b'{"format":"bayesf1.evaluation/1","x":' + b"9" * 5000 + b"}", "digits|too large"),
        (b"\x80\x04\x95", "is not UTF-8|not UTF-8 text"),
        (b"\xff", "not UTF-8"),
        (gzip.compress(b"{}", mtime=0)[:-3], "damaged gzip file"),
    ],
)
def test_what_is_no_evaluation_is_refused(text, message, tmp_path):
    path = tmp_path / "ev.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message) as caught:
        bf.load(path)
    assert str(caught.value).startswith(str(path))


HOSTILE_VALUES = (
    *(None, True, -1, 0, 0.5, 1e308, 10**30, 2**40),
    *("", "a", "\x00", "nan", [], {}, [[]], [1, 2], {"name": "binary"}),
)


def places(value, keys=()):
    """The keys that lead to every part of a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield (*keys, key)
        yield from places(entry, (*keys, key))


def loaded(path):
    """The evaluation in a file, or what is said of it."""
    try:
        return bf.load(path), ""
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize("name", ALL)
def test_whatever_stands_in_a_file_an_evaluation_or_a_sentence_comes_of_it(name, tmp_path):
    said, rng, path = json.loads(to_json(ALL[name]())), random.Random(name), tmp_path / "ev.json"
    where = list(places(said))
    # Names of parts are few among numbers: each of them is tried.
    named = [keys for keys in where if not isinstance(keys[-1], int)]
    for keys in [*named, *rng.choices(where, k=40)]:
        path.write_text(json.dumps(changed(said, keys, rng.choice(HOSTILE_VALUES))), encoding="utf-8")
        ev, error = loaded(path)
        if ev is None:
            assert error.startswith(str(path))
            continue
        assert bf.Evaluation.__repr__(ev)
        assert ev == there_and_back(ev, tmp_path)


def test_shards_of_different_models_are_refused_by_the_file(tmp_path):
    evaluations.binary().save(tmp_path / "0.json")
    evaluations.binary().select(["A", "B"]).save(tmp_path / "1.json")
    with pytest.raises(ValueError, match=r"1\.json: evaluations of different models"):
        bf.read(tmp_path)
