"""Samples of lm-evaluation-harness: what is an item, which score it has, and what is no pair of logs."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from file_samples import lines, lm_eval_samples

A, B = [1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]
NAME = "samples_{}_2026-01-02T03-04-05.678901.jsonl"


def write(folder, model, task="arith", data=None, name=NAME):
    path = folder / model / name.format(task)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(lm_eval_samples(A if model == "a" else B) if data is None else data)
    return path


def test_items_are_paired_by_document_and_accuracy_is_the_mean_of_the_log(tmp_path):
    shuffled = lines(*reversed(lm_eval_samples(B).decode().splitlines()))
    write(tmp_path, "a"), write(tmp_path, "b", data=shuffled)
    ev = bf.read({"a": tmp_path / "a", "b": tmp_path / "b"})
    assert ev == bf.from_correct({"a": A, "b": B}, name="acc")
    assert bf.score(ev, "a", "accuracy") == np.mean(A)


def test_a_file_a_folder_and_a_folder_of_folders_are_the_same(tmp_path):
    files = {model: write(tmp_path, model) for model in "ab"}
    ev = bf.read(files)
    assert bf.read(tmp_path) == ev
    assert bf.read({"a": tmp_path / "a", "b": files["b"]}) == ev


def test_several_measures_and_filters_must_be_chosen_from(tmp_path):
    data = lm_eval_samples(A, filters=("strict-match", "flexible-extract"), acc_norm=B)
    write(tmp_path, "a", data=data)
    for asked, words in (
        ({}, r"line 1, has several measures \(acc, acc_norm\); choose one .* measure="),
        ({"measure": "acc"}, r"several filters \(strict-match, flexible-extract\); choose one .* filter="),
        ({"measure": "acc", "filter": "strict"}, r"no filter 'strict'; did you mean 'strict-match'\?"),
        ({"measure": "acc_nrm"}, r"has no measure 'acc_nrm'; did you mean 'acc_norm'\?"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.read({"a": tmp_path / "a"}, **asked)
    ev = bf.read({"a": tmp_path / "a"}, measure="acc_norm", filter="flexible-extract")
    assert ev == bf.from_correct({"a": B}, name="acc_norm")


def test_a_measure_that_is_a_list_in_each_sample_is_said_to_be_one(tmp_path):
    write(tmp_path, "a", data=lm_eval_samples(A, micro_f1=[["x", "y"]] * len(A)))
    with pytest.raises(ValueError, match=r"line 1, has micro_f1 .* needs its own .*known: acc"):
        bf.read({"a": tmp_path / "a"}, measure="micro_f1")


def generated(scores, filters=("none",)):
    """A log in which each document has as many rows as scores, in order of the generations, for each filter."""
    samples = [json.loads(line) for line in lm_eval_samples([0.0] * len(scores)).splitlines()]
    rows = []
    for generation in range(max(map(len, scores))):
        for sample, own in zip(samples, scores, strict=True):
            if generation < len(own):
                rows += [sample | {"filter": name, "acc": own[generation]} for name in filters]
    return lines(*map(json.dumps, rows))


@pytest.mark.parametrize("value", [1.0, 0.7])
@pytest.mark.parametrize("group", [None, "doc.subject"])
def test_documents_that_come_again_are_generations_as_in_a_long_table(value, group, tmp_path):
    scores = {
        "a": [[1.0, 0.0, value], [0.0, 0.0], [value, value, 0.0], [1.0]],
        "b": [[value, value], [1.0, 0.0], [0.0], [1.0, 0.0, 0.0, value]],
    }
    for model, own in scores.items():
        write(tmp_path, model, data=generated(own))
    rows = [
        (model, item, generation, score, "abca"[item])
        for model, own in scores.items()
        for item, of_item in enumerate(own)
        for generation, score in enumerate(of_item)
    ]
    frame = pd.DataFrame(rows, columns=["model", "item", "generation", "acc", "subject"])
    roles = {"model": "model", "item": "item", "generation": "generation", "score": "acc"}
    if group is not None:
        roles["group"] = "subject"
    ev = bf.read(tmp_path, group=group, unit="example" if group is None else "document")
    assert ev == bf.from_frame(frame, **roles)
    assert (ev.generations.least, ev.generations.most) == (1, 4)


def test_rows_of_another_filter_are_no_generations(tmp_path):
    filters = ("strict-match", "flexible-extract")
    write(tmp_path, "a", data=generated([[1.0], [0.0]], filters))
    with pytest.raises(ValueError, match=r"several filters \(strict-match, flexible-extract\)"):
        bf.read({"a": tmp_path / "a"})
    ev = bf.read({"a": tmp_path / "a"}, filter="strict-match")
    assert ev == bf.from_correct({"a": [1.0, 0.0]}, name="acc")
    write(tmp_path, "a", data=generated([[1.0, 0.0], [0.0, 0.0]], filters))
    assert bf.read({"a": tmp_path / "a"}, filter="strict-match").generations.most == 2


def test_several_responses_with_one_score_are_no_generations(tmp_path):
    write(
        tmp_path,
        "a",
        data=lm_eval_samples(A, resps=[["x", "y"]] * len(A), filtered_resps=[["x", "y"]] * len(A)),
    )
    assert bf.read({"a": tmp_path / "a"}) == bf.from_correct({"a": A}, name="acc")


def test_tasks_are_told_apart_and_may_be_groups(tmp_path):
    for model in "ab":
        write(tmp_path, model, "x"), write(tmp_path, model, "y_z", data=lm_eval_samples([0.0, 1.0, 1.0]))
    ev = bf.read(tmp_path)
    assert ev.tables.tolist() == [[5, 2], [5, 2]]
    grouped = bf.read(tmp_path, group="task")
    assert (grouped.unit, grouped.units.size) == ("task", 2)
    assert grouped.assumption == "clustered"
    assert bf.read(tmp_path, task="y_z").tables.tolist() == [[2, 1], [2, 1]]
    with pytest.raises(ValueError, match=r"has no task 'yz'; did you mean 'y_z'\?"):
        bf.read(tmp_path, task="yz")


def test_a_field_of_the_document_may_be_the_group(tmp_path):
    write(tmp_path, "a"), write(tmp_path, "b")
    ev = bf.read(tmp_path, group="doc.subject")
    assert ev == bf.from_correct({"a": A, "b": B}, groups=list("abca"), name="acc", unit="subject")
    with pytest.raises(ValueError, match=r"at group='doc.sujet'; did you mean 'doc.subject'"):
        bf.read(tmp_path, group="doc.sujet")


def test_documents_that_differ_are_no_pairs(tmp_path):
    write(tmp_path, "a")
    write(tmp_path, "b", data=lm_eval_samples(B).replace(f"{2:064x}".encode(), f"{9 << 248:064x}".encode()))
    with pytest.raises(ValueError, match=r"document 2 of task 'arith' has the input '090+' in 'b', but"):
        bf.read(tmp_path)
    write(tmp_path, "b", data=lm_eval_samples(B[:3]))
    with pytest.raises(ValueError, match=r"'b' have no value for \"document 3 of task 'arith'\""):
        bf.read(tmp_path)
    write(tmp_path, "b", data=lm_eval_samples(B, hashed=False).replace(b'"subject": "c"', b'"subject": "d"'))
    assert bf.read(tmp_path).models == ("a", "b")
    with pytest.raises(ValueError, match=r"document 2 of task 'arith' has the group 'd' in 'b', but 'c' in"):
        bf.read(tmp_path, group="doc.subject")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            lm_eval_samples(A)
            + lm_eval_samples(A[:1]).replace(f"{0:064x}".encode(), f"{9 << 248:064x}".encode()),
            "line 5, has document 0 of task 'arith' again with another doc_hash",
        ),
        (lm_eval_samples(A)[:-40], "line 4, is not JSON"),
        (lm_eval_samples([1.0, float("nan")]), "line 2, has acc nan"),
        (lm_eval_samples([None, 1.0]), "line 1, has no measure that is a number"),
    ],
)
def test_a_bad_sample_is_named_with_its_file_and_line(data, message, tmp_path):
    write(tmp_path, "a", data=data)
    with pytest.raises(ValueError, match=message):
        bf.read({"a": tmp_path / "a"})


def test_a_line_longer_than_the_head_is_recognised(tmp_path):
    samples = map(json.loads, lm_eval_samples(A).decode().splitlines())
    long = [sample | {"doc": {"text": "é" * 100_000}} for sample in samples]
    write(tmp_path, "a", data=lines(*(json.dumps(record, ensure_ascii=False) for record in long)))
    assert bf.read({"a": tmp_path / "a"}).tables.tolist() == [[3, 1]]
