"""Logs of Inspect: samples are the units, epochs their generations, and scores are what Inspect takes them for."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from builders import has
from file_samples import inspect_log

pytestmark = pytest.mark.skipif(not has("inspect_ai"), reason="inspect_ai is not installed")

# In a process of its own, as Inspect leaves streams unclosed when it evaluates.
EVALUATE = """
import json, sys
from pathlib import Path
from inspect_ai.analysis import samples_df
from inspect_ai.log import write_eval_log
from inspect_ai import Epochs, Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes, match
from inspect_ai.solver import solver

ANSWERS = {"a": ["1", "2", "so 3 it is", "9"], "b": ["1", "0", "3", "4"]}

@solver
def answer(model):
    async def solve(state, generate):
        i = int(state.sample_id[1:])
        state.output = ModelOutput.from_content("m", "7" if (i, state.epoch) == (1, 2) else ANSWERS[model][i])
        return state
    return solve

accuracy = []
for model, form, epochs in (("a", "eval", 1), ("b", "json", 1), ("a", "json", 2), ("b", "eval", 2)):
    samples = [Sample(id=f"q{i}", input=f"{i} + 1?", target=f"{i + 1}", metadata={"subject": "uv"[i % 2]}) for i in range(4)]
    task = Task(dataset=samples, solver=answer(model), scorer=[match(), includes()], name="sums", epochs=Epochs(epochs))
    folder = f"{sys.argv[1]}/{model}{epochs}"
    (log,) = evaluate(task, model=f"mockllm/{model}", log_dir=folder, log_format=form, display="none")
    other = {"eval": "json", "json": "eval"}[form]
    Path(f"{folder}-other").mkdir()
    write_eval_log(log, f"{folder}-other/log.{other}", format=other)
    frame = samples_df(folder, quiet=True)
    means = (frame["score_match"] == "C").groupby(frame["id"]).mean()
    accuracy.append([model, epochs, "samples_df", means.sort_index().tolist()])
    accuracy += [[model, epochs, score.name, score.metrics["accuracy"].value] for score in log.results.scores]
json.dump(accuracy, open(f"{sys.argv[1]}/accuracy", "w"))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Logs that Inspect itself wrote, without a model, and its own accuracies by model, epochs and scorer."""
    folder = tmp_path_factory.mktemp("logs")
    subprocess.run([sys.executable, "-c", EVALUATE, str(folder)], check=True, cwd=folder, capture_output=True)
    accuracy = json.loads((folder / "accuracy").read_text())
    return folder, {(model, epochs, scorer): value for model, epochs, scorer, value in accuracy}


@pytest.mark.parametrize("scorer", ["match", "includes"])
@pytest.mark.parametrize("epochs", [1, 2])
def test_accuracies_are_those_of_inspect(epochs, scorer, logs):
    folder, accuracy = logs
    ev = bf.read({model: folder / f"{model}{epochs}" for model in "ab"}, measure=scorer)
    for model in "ab":
        assert bf.score(ev, model, "mean") == pytest.approx(accuracy[model, epochs, scorer], abs=1e-15)
    assert ev.units.size == 4
    assert ev.task.name == "correct"
    assert (ev.generations is None) == (epochs == 1)


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("model", ["a", "b"])
def test_one_log_is_the_same_in_both_formats_and_in_the_frame_of_inspect(model, epochs, logs):
    folder, found = logs
    written, other = (folder / f"{model}{epochs}{end}" for end in ("", "-other"))
    assert {path.suffix for place in (written, other) for path in place.iterdir()} == {".eval", ".json"}
    ev = bf.read({"m": written}, measure="match")
    assert ev == bf.read({"m": other}, measure="match")
    # An epoch is a repeat of its sample, which is scored by the mean.
    means = found[model, epochs, "samples_df"]
    assert bf.score(ev, "m", "accuracy") == pytest.approx(np.mean(means))
    if epochs == 1:
        assert ev == bf.from_correct({"m": means}, name="match")


def test_a_scorer_must_be_chosen_where_there_are_several(logs):
    folder, _ = logs
    for asked, words in (
        ({}, r"several measures \(match, includes\); choose one .* measure="),
        ({"measure": "include"}, r"no measure 'include'; did you mean 'includes'\?"),
        ({"measure": "match", "task": "sum"}, r"model 'a' has no task 'sum'; did you mean 'sums'\?"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.read({"a": folder / "a1"}, **asked)


def write(folder, name, *args, **options):
    (folder / f"{name}.json").write_bytes(inspect_log(name, *args, **options))
    return folder / f"{name}.json"


def test_values_are_what_inspect_takes_them_for(tmp_path):
    from inspect_ai.scorer import value_to_float

    values = ["C", "I", "P", "N", "yes", "No", "TRUE", "false", "0.25", " 1 ", True, False, 1, 0.5, -3]
    path = write(tmp_path, "a", {f"q{i}": value for i, value in enumerate(values)})
    expected = bf.from_scores({"a": [value_to_float()(v) for v in values]}, name="match", unit="sample")
    assert bf.read({"a": path}) == expected


def test_what_inspect_would_take_for_0_is_refused(tmp_path):
    path = write(tmp_path, "a", {"q1": "C", "q2": "excellent"})
    with pytest.raises(ValueError, match=r"sample 'q2' of task 'sums', epoch 1, is scored 'excellent'"):
        bf.read({"a": path})
    path = write(tmp_path, "a", {"q1": [1, 0]})
    with pytest.raises(ValueError, match=r"is scored \[1, 0\], which is neither a number"):
        bf.read({"a": path})


def test_scores_of_several_values_are_chosen_by_their_keys(tmp_path):
    path = write(tmp_path, "a", {"q1": {"fluent": 0.5, "true": 1}, "q2": {"fluent": 0.25, "true": 0}})
    with pytest.raises(ValueError, match=r"several measures \(match.fluent, match.true\)"):
        bf.read({"a": path})
    assert bf.read({"a": path}, measure="match.true").tables.tolist() == [[1, 1]]


def test_samples_without_a_score_are_left_out_for_all_and_said(tmp_path):
    a = write(tmp_path, "a", {"q1": "C", "q2": float("nan"), "q3": "I"})
    b = write(tmp_path, "b", {"q1": "C", "q2": "C", "q3": "C"})
    ev = bf.read({"a": a, "b": b})
    assert ev.tables.tolist() == [[1, 1], [2, 0]]
    assert ev.remarks == ("a has 1 sample without a score by match, such as 'q2': left out for all.",)


def test_a_try_gives_way_to_the_log_that_succeeded(tmp_path):
    done = write(tmp_path, "a", {"q1": "C", "q2": "C"})
    tried = tmp_path / "tried.json"
    tried.write_bytes(inspect_log("a", {"q1": "C"}, status="error"))
    ev = bf.read(tmp_path)
    assert ev.tables.tolist() == [[2, 0]]
    assert ev.remarks == (f"{tried} has status 'error', and was left out for {done}.",)
    (remark,) = bf.read(tried).remarks
    assert remark.endswith("of a has status 'error', and may lack samples.")


def test_logs_of_other_samples_are_no_pairs(tmp_path):
    a = write(tmp_path, "a", {"q1": "C", "q2": "I"})
    b = write(tmp_path, "b", {"q1": "C"})
    with pytest.raises(ValueError, match="'b' have no value for \"sample 'q2' of task 'sums'\", which"):
        bf.read({"a": a, "b": b})
    b.write_bytes(a.read_bytes().replace(b" est q2", b" est q9"))
    with pytest.raises(ValueError, match=r"sample 'q2' of task 'sums' has the input 'Où est q9 .*samples"):
        bf.read({"a": a, "b": b})


def test_without_inspect_the_remedy_is_said(tmp_path, monkeypatch):
    path = write(tmp_path, "a", {"q1": "C"})
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(ValueError, match=r"pip install 'bayesf1\[inspect\]'"):
        bf.read({"a": path})


def test_epochs_are_the_generations_of_a_table(tmp_path):
    answers = np.random.default_rng(1).random((2, 40, 3)) < 0.6
    files = {}
    rows = []
    for model, own in zip("ab", answers, strict=True):
        scored = {f"q{i}": ["C" if right else "I" for right in of_item] for i, of_item in enumerate(own)}
        files[model] = tmp_path / f"{model}.json"
        files[model].write_bytes(inspect_log(model, scored, epochs=3))
        rows += [(model, f"q{i}", k, own[i, k]) for i in range(40) for k in range(3)]
    frame = pd.DataFrame(rows, columns=["model", "id", "epoch", "ok"])
    ev = bf.read(files)
    expected = bf.from_frame(frame, correct="ok")
    assert np.array_equal(ev.tables, expected.tables)
    assert "40 samples, 3 generations each" in bf.compare(ev).title
    assert bf.compare(ev)["accuracy"].p_h1 == bf.compare(expected)["accuracy"].p_h1
