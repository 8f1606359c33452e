"""``bayesf1 label``: which rows of a table of predictions to label next."""

import csv
import json

import numpy as np
import pytest

from bayesf1.cli.main import main


@pytest.fixture
def predictions(tmp_path):
    rng = np.random.default_rng(0)
    gold = rng.random(800) < 0.3
    words = np.array(["ham", "spam"])
    columns = {
        "id": [f"d{i}" for i in range(800)],
        "text": [f"some, text {i}" for i in range(800)],
        "label": [words[int(g)] if i < 100 else "" for i, g in enumerate(gold)],
    }
    for name, error in (("crf", 0.2), ("bert", 0.1), ("gpt", 0.1)):
        columns[name] = words[(gold ^ (rng.random(800) < error)).astype(int)].tolist()
    path = tmp_path / "predictions.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def test_rows_to_label_are_written_as_they_stand_in_the_file(predictions, tmp_path, capsys):
    out = tmp_path / "to_label.csv"
    asked = ["label", str(predictions), "--gold", "label", "--judge", "gpt", "--positive", "spam"]
    assert main([*asked, "--budget", "30", "--output", str(out), "--rng", "1"]) == 0
    assert "The next 30 items to label for F1 of bert minus crf" in capsys.readouterr().out
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with predictions.open(encoding="utf-8", newline="") as stream:
        every = list(csv.DictReader(stream))
    assert len(rows) == 30
    for row in rows:
        number = int(row.pop("row"))
        assert row == every[number - 1]
        assert row["label"] == ""


def test_rows_to_label_may_be_told_apart_by_id(predictions, tmp_path, capsys):
    out = tmp_path / "to_label.csv"
    asked = f"label {predictions} --gold label --judge gpt --positive spam --id id --budget 30 --output {out}"
    assert main([*asked.split(), "--format", "json"]) == 0
    every = {row["id"]: row for row in csv.DictReader(predictions.read_text(encoding="utf-8").splitlines())}
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert sorted(row["id"] for row in rows) == sorted(json.loads(capsys.readouterr().out)["items"])
    assert all(row == every[row["id"]] and row["label"] == "" for row in rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "has no column 'gold'"),
        (["--gold", "label", "--judge", "gpt"], "which label is positive?"),
        (["--gold", "label", "--positive", "spam", "--models", "crf", "bert", "--only", "crf"], "give one"),
    ],
)
def test_what_cannot_be_planned_is_one_line(predictions, capsys, options, message):
    assert main(["label", str(predictions), *options]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_filled_in_file_is_read_again(predictions, tmp_path, capsys):
    text = predictions.read_text(encoding="utf-8").replace("id,text,label,", "id,text,gold,", 1)
    predictions.write_text(text, encoding="utf-8")
    out = tmp_path / "to_label.csv"
    # A column called gold need not be named.
    asked = ["label", str(predictions), "--judge", "gpt", "--columns", "crf,bert", "--positive", "spam"]
    labelled = []
    for _ in range(3):
        assert main([*asked, "--budget", "25", "--output", str(out), "--format", "json"]) == 0
        document = json.loads(capsys.readouterr().out)
        labelled.append(sum(cell["labelled"] for cell in document["cells"]))
        rows = list(csv.DictReader(predictions.read_text(encoding="utf-8").splitlines()))
        chosen = [int(row["row"]) for row in csv.DictReader(out.read_text(encoding="utf-8").splitlines())]
        assert sorted(i + 1 for i in document["items"]) == chosen
        for number in chosen:
            rows[number - 1]["gold"] = rows[number - 1]["gpt"]
        with predictions.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    assert labelled == [100, 125, 150]
