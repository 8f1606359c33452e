"""Runs of a method on the command line."""

from pathlib import Path

import numpy as np
import pytest

from bayesf1.cli.main import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run_main(*argv):
        assert main(list(argv)) == 0
        return capsys.readouterr().out

    return run_main


def test_a_name_that_comes_again_is_a_method(run):
    rng = np.random.default_rng(0)
    gold = rng.random(300) < 0.3
    for name, error in (("gold", 0.0), ("c1", 0.3), ("c2", 0.32), ("b1", 0.1), ("b2", 0.12)):
        said = np.where(rng.random(300) < error, ~gold, gold)
        lines = (f"w {'B-X' if x else 'O'}\n" + "\n" * (i % 5 == 4) for i, x in enumerate(said))
        Path(f"{name}.conll").write_text("".join(lines))
    files = "compare gold.conll crf=c1.conll crf=c2.conll bert=b1.conll"
    text = run(*files.split(), "bert=b2.conll")
    assert "when trained again, to judge by 2 runs each" in text
    assert "averaged over these 2 and 1 runs" in run(*files.split(), "--target", "models")


def test_columns_may_be_runs(run):
    rows = [
        "label,crf.1,crf.2,bert.1,bert.2",
        *(["yes,yes,no,yes,yes", "no,no,no,no,yes", "yes,no,yes,yes,yes"] * 20),
    ]
    Path("p.csv").write_text("\n".join(rows) + "\n")
    assert "to judge by 2 runs each" in run("compare", "p.csv", "--gold", "label", "--runs", "--rng", "1")
    assert "bert" in run("rank", "p.csv", "--gold", "label", "--runs", "--rng", "1")
