"""Every command of the page on files runs on files such as it names."""

import gzip
import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.io.read import INPUT_FORMATS
from builders import needed
from file_samples import SAMPLES, conllu, inspect_log, lines, lm_eval_samples

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"
COMMANDS = re.findall(r"\| `(bayesf1 [^`]+)` \|", PAGE.read_text(encoding="utf-8"))
N = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all files that the page names."""
    here = tmp_path_factory.mktemp("page")
    gold = ["spam" if i % 3 else "ham" for i in range(N)]
    said = {
        m: [g if (i + k) % 5 else "ham" for i, g in enumerate(gold)] for k, m in enumerate(("crf", "bert"))
    }
    frame = pd.DataFrame({"item": [f"q{i}" for i in range(N)], "label": gold, **said})
    frame.to_csv(here / "predictions.csv", index=False)
    (here / "predictions.csv.gz").write_bytes(gzip.compress((here / "predictions.csv").read_bytes()))
    frame.to_parquet(here / "predictions.parquet")
    frame.assign(doc=[f"d{i // 3}" for i in range(N)]).to_csv(here / "documents.csv", index=False)
    frame[["item", "label"]].to_csv(here / "gold.csv", index=False)
    parts = {m: frame[["item", "label", m]].rename(columns={m: "said"}) for m in said}
    for m, part in parts.items():
        part.sample(frac=1, random_state=1).to_csv(here / f"{m}.csv", index=False)
    rows = pd.concat(
        [part.rename(columns={"said": "prediction"}).assign(model=m) for m, part in parts.items()]
    )
    rows.to_json(here / "long.jsonl", orient="records", lines=True)
    systems = [part.assign(system=m) for m, part in parts.items()]
    pd.concat(systems).to_csv(here / "systems.csv", index=False)
    answers = [{"q": i, "a": {"is_correct": i % 3 > 0}, "b": {"is_correct": i % 4 > 0}} for i in range(N)]
    (here / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    scores = pd.DataFrame(
        {"query": frame["item"], "a": [i % 7 / 10 for i in range(N)], "b": [i % 5 / 10 for i in range(N)]}
    )
    scores.to_csv(here / "scores.csv", index=False)
    scores.to_csv(here / "wer.csv", index=False)
    scores.assign(topic=[f"t{i // 3}" for i in range(N)]).to_csv(here / "topics.csv", index=False)
    bf.from_labels(gold, said, positive="spam").save(here / "saved.json")
    (here / "counts.csv").write_text("model,tp,fp,fn\ncrf,30,8,10\nbert,34,7,6\n")
    folds = [
        f"{m},{r},{f},{30 + k + r},{8 + f},{10 - k - r}"
        for k, m in enumerate(said)
        for r in (1, 2, 3)
        for f in (1, 2)
    ]
    (here / "folds.csv").write_text("\n".join(["model,repeat,fold,tp,fp,fn", *folds]))
    for run, right in (("run1", [1.0, 0.0, 1.0, 1.0]), ("run2", [1.0, 1.0, 0.0, 1.0])):
        (here / run).mkdir()
        (here / run / "samples_sums_2026-01-02T03-04-05.678.jsonl").write_bytes(lm_eval_samples(right))
        (here / "logs" / run).mkdir(parents=True)
        for task in ("arc", "piqa"):
            (here / "logs" / run / f"samples_{task}_2026-01-02T03-04-05.678.jsonl").write_bytes(
                lm_eval_samples(right)
            )
    (here / "a.json").write_bytes(inspect_log("a", {"q1": "C", "q2": "I", "q3": "C"}))
    (here / "b.json").write_bytes(inspect_log("b", {"q1": "C", "q2": "C", "q3": "I"}))
    words, tags = ["In", "Rome", "", "Ada", "ran"], ["O", "B-LOC", "", "B-PER", "O"]
    other = {"crf": ["O", "B-LOC", "", "O", "O"], "bert": ["O", "B-PER", "", "B-PER", "O"], "bert2": tags}
    for name, column in {"gold": tags, **other}.items():
        (here / f"{name}.conll").write_bytes(
            lines(*(f"{w} {t}".strip() for w, t in zip(words, column, strict=True)))
        )
        (here / "tags" / name).mkdir(parents=True)
        for part in ("one", "two"):
            (here / "tags" / name / part).write_bytes((here / f"{name}.conll").read_bytes())
        both = zip(words, tags, column, strict=True)
        triples = [" ".join(t) if t[0] else "" for t in both]
        (here / f"{name}.eval").write_bytes(lines(*triples))
        (here / f"{name}.pos").write_bytes(
            lines(*(re.sub(r"^(\S+) (.*)", r"\1 X \2 0.5", t) for t in triples))
        )
    for name, said in (("ref", "old cat"), ("a", "cat"), ("b", "old dog")):
        (here / f"{name}.en").write_bytes(lines("a dog sees the tree", f"the {said} sleeps", "a house"))
    for name, data in (SAMPLES["trec"].files | SAMPLES["conlleval"].files).items():
        (here / name).write_bytes(data)
    for name, last in (("gold", "NOUN"), ("crf", "VERB"), ("bert", "NOUN")):
        (here / f"{name}.conllu").write_bytes(
            conllu("A/DET dog/NOUN", "ran/VERB", "the/DET cat/NOUN", f"sat/{last}")
        )
        (here / "brat" / name).mkdir(parents=True)
        for document in ("one.ann", "two.ann"):
            (here / "brat" / name / document).write_bytes(lines("T1\tPER 0 3\tAda", f"T2\t{last} 7 11\tRome"))
    return here


def test_the_page_has_a_command_for_every_format():
    assert len(COMMANDS) == len(set(COMMANDS)) > 20
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{fmt.name}`" in text for fmt in INPUT_FORMATS)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command, folder, monkeypatch, capsys):
    if "--qrels" in command:
        needed("ir_measures")
    if "ref.en" in command:
        needed("sacrebleu")
    if "b.json" in command:
        needed("inspect_ai")
    monkeypatch.chdir(folder)
    code = main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "P(H1)" in out
