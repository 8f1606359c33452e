"""Preferences in files: what arenas write is what `from_preferences` takes."""

import json

import pytest

import bayesf1 as bf
from bayesf1.commands.main import main

SAID = ["bert", "crf", "tie", "bert", "bert", "crf", "bert", "bert"]
QUESTIONS = [1, 1, 2, 2, 3, 3, 4, 4]
EXPECTED = bf.from_preferences("crf", "bert", SAID)


def rows(written):
    return [
        {"q": q, "rater": "xy"[i % 2], "model_a": "crf", "model_b": "bert", "winner": written.get(w, w)}
        for i, (q, w) in enumerate(zip(QUESTIONS, SAID, strict=True))
    ]


@pytest.mark.parametrize("written", [{}, {"crf": "model_a", "bert": "model_b", "tie": "tie (bothbad)"}])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_names_and_places_and_ties_are_read_as_arenas_write_them(tmp_path, written, ending):
    path, found = tmp_path / f"arena.{ending}", rows(written)
    if ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in found))
    else:
        mark = {"csv": ",", "tsv": "\t"}[ending]
        table = [mark.join(found[0]), *(mark.join(map(str, row.values())) for row in found)]
        path.write_text("\n".join(table) + "\n")
    ev = bf.read(path)
    assert ev.models == EXPECTED.models
    assert ev.tables.tolist() == EXPECTED.tables.tolist()
    assert bf.read(path, group="q").units.size == 4
    assert (bf.read(path, group="rater").unit, bf.read(path, group="q").unit) == ("rater", "question")


def test_the_command_line_compares_ranks_and_gates_them(tmp_path, capsys):
    path = tmp_path / "arena.csv"
    path.write_text("first,second,preferred\n" + "crf,bert,bert\n" * 30 + "crf,bert,crf\n" * 12)
    assert main(["compare", str(path), "--fail-unless", "preference: bert better"]) == 0
    out = capsys.readouterr().out
    assert "bert outperforms crf in Preference" in out
    assert main(["rank", str(path)]) == 0


def test_a_stranger_is_named_with_its_file_and_row(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text("model_a,model_b,winner\ncrf,bert,crf\ncrf,bert,gru\n")
    with pytest.raises(ValueError, match=r"arena.csv.*judgement 2 of 'crf' and 'bert' prefers 'gru'"):
        bf.read(path)
    with pytest.raises(ValueError, match="a row for each; name it alone"):
        bf.read({"crf": path})


@pytest.mark.parametrize(
    "written",
    ['{"model_a": "crf", "model_b": "bert", "winner": null}', '{"model_a": "crf", "model_b": "bert"}'],
)
def test_a_judgement_that_is_not_there_is_no_tie(tmp_path, written):
    path = tmp_path / "arena.jsonl"
    path.write_text('{"model_a": "crf", "model_b": "bert", "winner": "crf"}\n' * 3 + written + "\n")
    with pytest.raises(ValueError, match=r"arena.jsonl.*winner"):
        bf.read(path)
