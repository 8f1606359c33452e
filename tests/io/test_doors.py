"""The same experiment by every door: frames and files, long and wide, in one table or a file for each model."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, cross_val_predict, cross_validate

import bayesf1 as bf
from bayesf1.cli.main import main

RNG = np.random.default_rng(3)
MODELS = ("A", "B")
PARTS = ("u", "v", "w", "x")
THREE = (1, 2, 3)
# The role of each column, but for those that are called as their role is.
ROLES = {"id": "item", "epoch": "generation", "dataset": "corpus", "seed": "run"}


def rows_of(**columns):
    """A row for each model and each combination of values."""
    return [
        {"model": model, **dict(zip(columns, values, strict=True))}
        for model in MODELS
        for values in itertools.product(*columns.values())
    ]


def items(**columns):
    """What models answered to 24 items."""
    frame = pd.DataFrame(rows_of(id=[f"q{i}" for i in range(24)], **columns))
    label = frame.id.str[1:].astype(int) % 2
    ok = (RNG.random(len(frame)) < 0.7).astype(int)
    score = RNG.random(len(frame)).round(3)
    return frame.assign(label=label, prediction=np.where(ok == 1, label, 1 - label), ok=ok, score=score)


def rows_of_test_folds(**columns):
    """Answers of 4 folds, which are other ones in each repeat."""
    frame = items(**columns)
    shift = frame.get("repeat", 0)
    return frame.assign(fold=frame.id.str[1:].astype(int) * (1 + 4 * shift) // (1 + shift) % 4)


def final(**columns):
    """Scores of no items."""
    frame = pd.DataFrame(rows_of(**columns))
    return frame.assign(f1=(0.7 + 0.02 * RNG.normal(size=len(frame))).round(4))


GOLD = {"gold": "label", "positive": 1}
CORRECT = {"correct": "ok"}
SCORE = {"score": "score"}
F1 = {"score": "f1"}
EXPERIMENTS = {
    "items, labels": (items(), GOLD, ["id"], "24 items"),
    "items, answers": (items(), CORRECT, ["id"], "24 items"),
    "items, scores": (items(), SCORE, ["id"], "24 units"),
    "generations, labels": (items(epoch=THREE), GOLD, ["id", "epoch"], "24 examples, 3 generations each"),
    "generations, answers": (
        items(epoch=THREE),
        CORRECT,
        ["id", "epoch"],
        "24 examples, 3 generations each",
    ),
    "generations, scores": (items(epoch=THREE), SCORE, ["id", "epoch"], "24 examples, 3 generations each"),
    "prompts": (items(prompt=PARTS), CORRECT, ["id", "prompt"], "24 examples, 4 prompts each"),
    "runs, labels": (items(run=THREE), GOLD, ["id", "run"], "24 items, 3 runs of each"),
    "runs, answers": (items(run=THREE), CORRECT, ["id", "run"], "24 items, 3 runs of each"),
    "runs, scores": (items(run=THREE), SCORE, ["id", "run"], "24 units, 3 runs of each"),
    "out of fold, labels": (rows_of_test_folds(), GOLD, ["id", "fold"], "24 items in the 4 folds"),
    "out of fold, answers": (rows_of_test_folds(), CORRECT, ["id", "fold"], "24 items in the 4 folds"),
    "out of fold, repeats": (
        rows_of_test_folds(repeat=(0, 1)),
        GOLD,
        ["id", "repeat", "fold"],
        "24 items in the 8 folds of a 2×4",
    ),
    "folds": (final(fold=PARTS), F1, ["fold"], "in the 4 folds"),
    "folds, repeats": (final(repeat=(1, 2), fold=PARTS), F1, ["repeat", "fold"], "in the 8 folds"),
    "runs": (final(seed=PARTS), F1, ["seed"], "4 runs of each"),
    "data sets": (final(dataset=PARTS), F1, ["dataset"], "4 data sets"),
    "data sets, runs": (final(dataset=PARTS, run=THREE), F1, ["dataset", "run"], "4 data sets, 3 runs each"),
    "data sets, folds": (final(dataset=PARTS, fold=THREE), F1, ["dataset", "fold"], "4 data sets, 3 folds"),
    "data sets, items": (items(dataset=PARTS), CORRECT, ["id", "dataset"], "4 data sets, 24 items each"),
}


def written(frame, path):
    """Write a frame in the container that the path's ending names, and return the path."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_door_gives_the_same_evaluation(name, tmp_path, capsys):
    frame, options, keys, title = EXPERIMENTS[name]
    expected = bf.from_frame(frame, **options)
    by_door = {
        "polars": bf.from_frame(pl.from_pandas(frame), **options),
        "lazy": bf.from_frame(pl.from_pandas(frame).lazy(), **options),
        "pyarrow": bf.from_frame(pa.Table.from_pandas(frame), **options),
    }
    in_files = {"scores" if option == "score" else option: value for option, value in options.items()}
    value = options.get("score", options.get("correct", "prediction"))
    of_items = [*keys, "label"] if "gold" in options else keys
    wide = frame.pivot(index=of_items, columns="model", values=value).reset_index()
    roles = {ROLES.get(column, column): column for column in keys}
    models = {"correct": [*MODELS]} if "correct" in options else {"columns": [*MODELS]}
    for container in ("csv", "jsonl", "parquet"):
        path = written(frame, tmp_path / f"long.{container}")
        by_door[f"long {container}"] = bf.read(path, **in_files)
        files = {
            model: written(own.drop(columns="model"), tmp_path / f"{model}.{container}")
            for model, own in frame.groupby("model")
        }
        by_door[f"a {container} for each model"] = bf.read(files, **in_files)
        path = written(wide, tmp_path / f"wide.{container}")
        by_door[f"wide {container}"] = bf.read(path, **{**in_files, **models}, **roles)
    by_door["wide pandas"] = bf.from_frame(wide, models=MODELS, **options, **roles)
    by_door["wide, lazy"] = bf.from_frame(pl.from_pandas(wide).lazy(), models=MODELS, **options, **roles)
    assert [door for door, ev in by_door.items() if ev != expected] == []

    command = [f"--{option}={value}" for option, value in in_files.items()]
    assert main(["compare", str(tmp_path / "long.csv"), *command]) == 0
    assert title in capsys.readouterr().out.splitlines()[0]


# ---- predictions out of fold ------------------------------------------------------------------------------

X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
DOCUMENTS = np.arange(90) // 3
LEARNERS = {"weak": LogisticRegression(C=1e-3), "strong": LogisticRegression()}


def out_of_fold(folds, n_repeats=1):
    """Rows of predictions by scikit-learn, for folds in the order of their repeats."""
    n_folds = len(folds) // n_repeats
    parts = []
    for repeat in range(n_repeats):
        own = folds[repeat * n_folds : (repeat + 1) * n_folds]
        fold = np.zeros(len(Y), dtype=int)
        for k, (_, test) in enumerate(own):
            fold[test] = k
        for model, learner in LEARNERS.items():
            predicted = cross_val_predict(learner, X, Y, cv=own)
            columns = {"id": np.arange(len(Y)), "doc": DOCUMENTS, "fold": fold, "gold": Y}
            parts.append(pd.DataFrame({"model": model, "repeat": repeat, **columns, "prediction": predicted}))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("splitter", "n_repeats"),
    [(KFold(5), 1), (RepeatedKFold(n_splits=5, n_repeats=3, random_state=1), 3), (KFold(2), 1)],
)
def test_predictions_out_of_fold_have_the_scores_of_scikit_learn(splitter, n_repeats):
    folds = [*splitter.split(X, Y)]
    frame = out_of_fold(folds, n_repeats)
    ev = bf.from_frame(frame, gold="gold", positive=1)
    assert ev == bf.cross_validate(LEARNERS, X, Y, cv=folds)
    for m, learner in enumerate(LEARNERS.values()):
        by_fold = cross_validate(learner, X, Y, cv=folds, scoring="f1")["test_score"]
        tp, fp, fn, _ = np.moveaxis(ev.folds.counts[:, :, m], -1, 0)
        assert np.array_equal((2 * tp / (2 * tp + fp + fn)).ravel(), by_fold)
        own = frame[frame.model == [*LEARNERS][m]]
        assert bf.score(ev, ev.models[m]) == pytest.approx(f1_score(own.gold, own.prediction), abs=1e-15)


def test_groups_of_predictions_out_of_fold_stay_the_units():
    folds = [*GroupKFold(5).split(X, Y, DOCUMENTS)]
    ev = bf.from_frame(out_of_fold(folds), gold="gold", positive=1, group="doc")
    assert ev == bf.cross_validate(LEARNERS, X, Y, cv=folds, groups=DOCUMENTS)
    assert ev.unit == "document"


def test_even_halves_are_recognised_and_random_ones_are_asked_for():
    folds = [*bf.BlockedCV(m=3).split(X, Y)]
    ev = bf.from_frame(out_of_fold(folds, 3), gold="gold", positive=1)
    assert isinstance(ev.folds.cv, bf.BlockedCV)
    assert ev == bf.cross_validate(LEARNERS, X, Y, cv=folds)
    random = out_of_fold([*RepeatedKFold(n_splits=2, n_repeats=3, random_state=0).split(X, Y)], 3)
    with pytest.raises(ValueError, match=r"cv='blocked-3x2' or cv='random-3x2'"):
        bf.from_frame(random, gold="gold", positive=1)
    assert bf.from_frame(random, gold="gold", positive=1, cv="random-3x2").folds.cv == bf.KFoldCV(2, 3)
