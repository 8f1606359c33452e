"""Tables with a row for each model and item: how they are named, and what leads there."""

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main

ITEMS = 12
GOLD = ["spam" if i % 3 else "ham" for i in range(ITEMS)]
SAID = {m: [g if (i + k) % 5 else "ham" for i, g in enumerate(GOLD)] for k, m in enumerate(("crf", "bert"))}


def rows(model="model", pred="pred", seeds=(1,)):
    return pd.DataFrame(
        [
            {"item": i, model: m, "seed": seed, "label": GOLD[i], pred: SAID[m][i]}
            for m in SAID
            for seed in seeds
            for i in range(ITEMS)
        ]
    )


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def said(frame, options):
        frame.to_csv("long.csv", index=False)
        assert main(["compare", "long.csv", "--gold", "label", *options.split()]) == 2
        return capsys.readouterr().err

    return said


def test_columns_of_any_name_hold_models_runs_and_what_they_said(tmp_path):
    rows("system", "answer", seeds=(1, 2)).to_csv(tmp_path / "long.csv", index=False)
    ev = bf.read(
        tmp_path / "long.csv",
        gold="label",
        id="item",
        positive="spam",
        model_column="system",
        run_column="seed",
        prediction="answer",
    )
    assert ev.names == ("crf", "bert")
    expected = bf.from_labels(GOLD, SAID, positive="spam").tables
    assert np.array_equal(ev.tables, np.repeat(expected, 2, axis=0))


@pytest.mark.parametrize("model", ["model", "system", "Model"])
@pytest.mark.parametrize("options", ["", "--id item", "--id item --columns pred"])
def test_what_is_said_of_rows_of_models_reads_them(model, options, refused, capsys):
    assert f"model_column={model!r}" in refused(rows(model), options)
    remedy = f"--model-column {model}"
    assert "prediction=: pred" in refused(rows(model).drop(columns="seed"), f"--id item {remedy}")
    assert (
        main(f"compare long.csv --gold label --positive spam --id item {remedy} --prediction pred".split())
        == 0
    )
    assert "bert" in capsys.readouterr().out


def test_without_a_name_of_a_models_column_none_is_made_up(refused):
    said = refused(rows("who"), "--id item --columns pred")
    assert "model_column=" in said
    assert "model_column=" not in refused(rows("who"), "--id item")


def test_columns_of_models_do_not_go_with_rows_of_models(refused):
    said = refused(rows(), "--id item --model-column model --columns pred")
    assert "columns= does not go with model_column=" in said
    assert said.rstrip().endswith("by prediction=")
