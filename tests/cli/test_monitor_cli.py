"""``bayesf1 monitor``: looks at files, kept between two runs."""

import json

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main

GOLD = ["--gold", "label", "--positive", "x"]


@pytest.fixture
def look(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, 600)
    old, new, third = (np.where(rng.random(600) < error, 1 - gold, gold) for error in (0.3, 0.1, 0.2))
    rows = [f"{'xy'[g]},{'xy'[a]},{'xy'[b]}" for g, a, b in zip(gold, old, new, strict=True)]
    for n in (60, 200, 600):
        (tmp_path / f"{n}.csv").write_text("\n".join(["label,old,new", *rows[:n]]) + "\n")
    wide = [f"{row},{'xy'[c]}" for row, c in zip(rows, third, strict=True)]
    (tmp_path / "three.csv").write_text("\n".join(["label,old,new,third", *wide]) + "\n")

    def run(file, *argv):
        code = main(["monitor", file, *GOLD, *argv])
        return code, *capsys.readouterr()

    return run


def test_looks_are_those_of_python_whoever_has_kept_them(look, tmp_path):
    assert look("60.csv", "--save", "looks.json")[0] == 0
    kept = json.loads((tmp_path / "looks.json").read_text(encoding="utf-8"))
    state = bf.monitor(bf.read("200.csv", gold="label", positive="x"), previous=kept)
    code, out, _ = look("200.csv", "--previous", "looks.json", "--save", "looks.json")
    assert (code, out) == (0, f"{state}\n")
    assert "2 looks" in out
    assert json.loads((tmp_path / "looks.json").read_text(encoding="utf-8")) == json.loads(state.to_json())


def test_it_may_fail_as_long_as_nothing_is_decided(look):
    for file, decided in (("60.csv", False), ("600.csv", True)):
        assert look(file)[0] == 0
        assert look(file, "--fail-unless-decided")[0] == int(not decided)


def test_options_are_those_of_monitor(look):
    options = ["--metric", "accuracy", "--rope", "-0.1,0.2", "--confidence-level", "0.9", "--largest", "3"]
    found = json.loads(look("200.csv", *options, "--format", "json")[1])
    ev = bf.read("200.csv", gold="label", positive="x")
    state = bf.monitor(ev, metric="accuracy", rope=(-0.1, 0.2), confidence_level=0.9, largest=3)
    assert found == json.loads(state.to_json())


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["60.csv", "--previous", "none.json"], "leave --previous out at the first look"),
        (["60.csv", "--previous", "60.csv"], "60.csv: not the JSON that --save writes"),
        (["60.csv", "--previous", "other.json"], "format of --previous is"),
        (
            ["60.csv", "--previous", "cut.json"],
            "--previous is not what the last look kept; it has no 'looks'",
        ),
        (["60.csv", "--previous", "looks.json"], "the last look had 200 items, and this one has 60"),
        (["three.csv"], "--models A B"),
        (["60.csv", "--largest", "0"], "largest"),
        (["60.csv", "--save", "60.csv"], "is an input file"),
        (["60.csv", "--save", "a.json", "--output", "a.json"], "name one file, a.json"),
        (["60.csv", "--metric", "mcc"], "cannot be monitored"),
    ],
)
def test_what_cannot_be_looked_at_is_one_line(look, tmp_path, argv, message):
    look("200.csv", "--save", "looks.json")
    (tmp_path / "other.json").write_text('{"format": "bayesf1.compare/1"}')
    (tmp_path / "cut.json").write_text('{"format": "bayesf1.monitor/2"}')
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = look(*argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
