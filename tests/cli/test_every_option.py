"""Every option of every command changes what is printed or written, or is refused; none is ignored."""

import json
import shlex
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from bayesf1.cli.commands import COMMANDS
from bayesf1.cli.main import main
from bayesf1.cli.options import READING
from builders import ROOT, has
from evaluations import noisy
from file_samples import SAMPLES, lm_eval_samples

N = 60
CONLL = "gold.conll crf=crf.conll bert=bert.conll"
RUNS = "bm25=bm25.run dense=dense.run --measure P@2"
LABELS = "items.csv --gold label --positive y --columns crf,bert,gpt"
# What each command is asked without the option.
BASES = {
    "compare": (
        f"{LABELS} --models crf bert --metrics f1 --rng 1",
        "classes.csv --gold label",
        "folds.csv --cv blocked-3x2 --rope 0.02",
    ),
    "rank": (f"{LABELS} --rng 1", "folds.csv --cv blocked-3x2"),
    "interval": (f"{LABELS} --rng 1 --resamples 200", "counts.csv --difference crf bert --rng 1"),
    "test": (
        f"{LABELS} --models crf bert",
        "scores.csv --scores NDCG --alternative greater --trials 200 --rng 1 --models crf bert",
        "classes.csv --gold label",
    ),
    "plan": (
        f"{LABELS} --models crf bert --rng 1",
        "--half-width 0.1 --f1 0.8 --prevalence 0.2",
        f"{LABELS} --half-width 0.1 --only crf",
        "--difference 0.1 --prevalence 0.2 --agreement 0.9 --f1 0.8 --rng 1",
        "--n-items 300 --prevalence 0.2 --agreement 0.9 --precision 0.8 --recall 0.7",
        f"{LABELS} --models crf bert --difference 0.1",
    ),
    "label": (
        "half.csv --gold label --positive y --columns crf,bert --rng 1",
        "half.csv --gold label --positive y --columns crf,bert --judge gpt --models crf bert",
    ),
    "monitor": (f"{LABELS} --models crf bert",),
    "hierarchical": ("counts.csv others.csv --draws 200 --rng 1",),
    "show": ("fit.nc",),
    "demo": ("",),
}
VALUES = {
    "--runs": "",
    "--task": "x",
    "--cv": "random-3x2",
    "--item": "doc",
    **dict.fromkeys(
        ["--group", "--generation", "--prompt", "--run", "--repeat", "--corpus", "--model"], "lang"
    ),
    "--fold": "lang",
    "--gold": "doc",
    "--correct": "crf",
    "--scores": "MAP",
    "--columns": "crf,gpt",
    "--prediction": "crf",
    "--positive": "n",
    "--judge": "lang",
    "--lower-is-better": "",
    "--measure": "acc",
    "--filter": "strict",
    "--qrels": "counts.csv",
    "--scheme": "IOBES",
    "--by-type": "",
    "--unit": "document",
    "--only": "bert",
    "--models": "bert crf",
    "--metric": "recall",
    "--metrics": "recall",
    "--per-class": "",
    "--fail-unless": "equivalent",
    "--rope": "0.03",
    "--prior": "2",
    "--prob": "0.8",
    "--target": "method",
    "--rng": "2",
    "--confidence-level": "0.8",
    "--resamples": "300",
    "--alternative": "less",
    "--trials": "300",
    "--half-width": "0.07",
    "--difference": "0.11",
    "--not-worse-by": "0.05",
    "--assurance": "0.7",
    "--prevalence": "0.3",
    "--agreement": "0.92",
    "--f1": "0.7",
    "--precision": "0.7",
    "--recall": "0.75",
    "--n-items": "400",
    "--budget": "20",
    "--previous": "looks.json",
    "--save": "saved.nc",
    "--largest": "9",
    "--fail-unless-decided": "",
    "--likelihood": "multinomal",
    "--draws": "300",
    "--format": "csv",
    "--output": "out.txt",
    "--verbose": "",
    "--plot": "figure.svg",
    "--report": "page.html",
}
# Commands whose tables are asked different questions, not the same one.
SEVERAL_QUESTIONS = ("interval", "plan")
OTHER_VALUES = {("interval", "--difference"): "bert crf"}
# Options that change nothing on some tables, and why that is right; and options that no table here may change.
UNMOVED = {
    ("compare", "--rng"): "counts and folds are compared without draws",
    ("test", "--rng"): "few swaps are all counted",
    ("test", "--trials"): "few swaps are all counted",
    ("plan", "--judge"): "a judge adds nothing to items that all have gold labels",
    ("monitor", "--judge"): "a judge adds nothing to items that all have gold labels",
}
REFUSED_EVERYWHERE = {
    ("hierarchical", "--likelihood"): "the other likelihood takes PyMC half a minute to compile"
}
# What makes each option of reading work: arguments without it, with it, and perhaps the package that reads the file.
READ_WITH = {
    "--runs": ("runs.csv --gold label", "runs.csv --gold label --runs"),
    "--task": ("tasks.csv --cv blocked-3x2 --task x", "tasks.csv --cv blocked-3x2 --task y"),
    "--cv": ("folds.csv", "folds.csv --cv random-3x2"),
    "--item": ("rows.csv --model who --correct ok", "rows.csv --model who --correct ok --item question"),
    "--group": (LABELS, f"{LABELS} --group doc"),
    "--generation": ("again.csv --correct ok", "again.csv --correct ok --generation nth"),
    "--prompt": ("again.csv --correct ok --generation nth", "again.csv --correct ok --prompt nth"),
    "--run": ("final.csv --scores acc", "final.csv --scores acc --run nth"),
    "--fold": ("final.csv --scores acc --run nth", "final.csv --scores acc --fold nth"),
    "--repeat": (
        "repeats.csv --scores acc --cv random-3x2",
        "repeats.csv --scores acc --cv random-3x2 --repeat nth",
    ),
    "--corpus": ("final.csv --scores acc --run nth", "final.csv --scores acc --corpus nth"),
    "--model": ("rows.csv --item question --correct ok", "rows.csv --item question --correct ok --model who"),
    "--gold": ("items.csv --gold label --columns crf,bert", "items.csv --gold gpt --columns crf,bert"),
    "--correct": ("right.csv --correct crf,bert", "right.csv --correct crf,gpt"),
    "--scores": ("scores.csv --scores NDCG", "scores.csv --scores MAP"),
    "--columns": (
        "items.csv --gold label --columns crf,bert",
        "items.csv --gold label --columns crf,new=bert",
    ),
    "--prediction": (
        "a=labels.csv b=others.jsonl --gold label --prediction crf",
        "a=labels.csv b=others.jsonl --gold label --prediction bert",
    ),
    "--positive": (
        "items.csv --gold label --columns crf,bert --positive y",
        "items.csv --gold label --columns crf,bert --positive n",
    ),
    "--judge": (
        "half.csv --gold label --columns crf,bert --positive y --judge",
        "half.csv --gold label --columns crf,bert --positive y --judge gpt",
    ),
    "--lower-is-better": ("scores.csv --scores NDCG", "scores.csv --scores NDCG --lower-is-better"),
    "--measure": ("a=a b=b --measure acc --filter strict", "a=a b=b --measure acc_norm --filter strict"),
    "--filter": ("a=a b=b --measure acc --filter strict", "a=a b=b --measure acc --filter loose"),
    "--qrels": (f"{RUNS} --qrels qrels.txt", f"{RUNS} --qrels fewer.txt"),
    "--scheme": ("gold.tags a=a.tags b=b.tags", "gold.tags a=a.tags b=b.tags --scheme IOBES"),
    "--by-type": (CONLL, f"{CONLL} --by-type"),
    "--unit": (CONLL, f"{CONLL} --unit document"),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with small tables of every kind."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(3)

    def write(name, header, *columns):
        rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
        (folder / name).write_text("\n".join([header, *rows]) + "\n")

    ids, documents = [f"i{i}" for i in range(N)], [f"d{i % 25}" for i in range(N)]
    languages = ["de", "en"] * (N // 2)
    gold = np.array(["n", "y"])[rng.integers(0, 2, N)]
    predicted = [noisy(gold, error, rng, ["n", "y"]) for error in (0.4, 0.25, 0.5)]
    header = "id,doc,lang,label,crf,bert,gpt"
    write("items.csv", header, ids, documents, languages, gold, *predicted)
    write("half.csv", header, ids, documents, languages, np.where(np.arange(N) % 2, gold, ""), *predicted)
    write("right.csv", "id,crf,bert,gpt", ids, *[(column == gold).astype(int) for column in predicted])
    write("scores.csv", "id,crf,bert,gpt", ids, *rng.random((3, N)).round(3))
    write("labels.csv", "label,crf,bert", gold, *predicted[:2])
    write("runs.csv", "label,crf.1,crf.2,bert", gold, *predicted)
    classes = np.array(list("abc"))[rng.integers(0, 3, N)]
    write("classes.csv", "label,crf,bert", classes, *[noisy(classes, 0.4, rng, list("abc")) for _ in "ab"])
    others = [
        json.dumps({"label": y, "crf": other, "bert": same})
        for y, other, same in zip(gold.tolist(), predicted[2].tolist(), predicted[0].tolist(), strict=True)
    ]
    (folder / "others.jsonl").write_text("\n".join(others))
    write("counts.csv", "model,tp,fp,fn,tn", ["crf", "bert"], [77, 80], [44, 30], [10, 7], [702, 716])
    write("others.csv", "model,tp,fp,fn,tn", ["crf", "bert"], [50, 51], [20, 21], [10, 17], [302, 316])
    cells = [
        (m, r, f, 100, 90 + r * f, 60 + 5 * (m == "b") + r + 2 * f)
        for m in "ab"
        for r in (1, 2, 3)
        for f in (1, 2)
    ]
    columns = [*zip(*cells, strict=True)]
    write("folds.csv", "model,repeat,fold,gold,predicted,correct", *columns)
    tasks = [["x"] * len(cells) + ["y"] * len(cells), *[[*column, *column] for column in columns]]
    tasks[-1][-1] += 9
    write("tasks.csv", "task,model,repeat,fold,gold,predicted,correct", *tasks)
    who, which, nth = ["a"] * 40 + ["b"] * 40, [*range(40)] * 2, [*range(4)] * 20
    marks = rng.integers(0, 2, 80)
    write("rows.csv", "who,question,ok", who, which, marks)
    write("again.csv", "model,id,nth,ok", who, [i // 4 for i in which], nth, marks)
    accuracies = rng.random(12).round(2)
    write("final.csv", "model,nth,acc", list("aaaaaabbbbbb"), [*range(6)] * 2, accuracies)
    write(
        "repeats.csv",
        "model,fold,nth,acc",
        list("aaaaaabbbbbb"),
        [1, 2] * 6,
        [1, 1, 2, 2, 3, 3] * 2,
        accuracies,
    )
    for name in ("gold", "crf", "bert"):
        (folder / f"{name}.conll").write_bytes((ROOT / "tests" / "data" / f"{name}.conll").read_bytes())
    for name, tags in (("gold", "SOBE"), ("a", "SOOO"), ("b", "OOBE")):
        rows = [f"word {tag}" if tag == "O" else f"word {tag}-PER" for tag in tags * 8]
        (folder / f"{name}.tags").write_text("\n".join(rows) + "\n")
    for model, right in (("a", [1.0, 0.0, 1.0, 1.0]), ("b", [1.0, 1.0, 0.0, 1.0])):
        log = lm_eval_samples(right, filters=("strict",), acc_norm=[0.0, 1.0, 1.0, 1.0])
        log += lm_eval_samples([1.0, 0.0, 0.0, float(model == "a")], filters=("loose",), acc_norm=right)
        (folder / model).mkdir()
        (folder / model / "samples_arith_2026-01-02T03-04-05.678901.jsonl").write_bytes(log)
    for name, data in SAMPLES["trec"].files.items():
        (folder / name).write_bytes(data)
    judgements = SAMPLES["trec"].files["qrels.txt"].splitlines(keepends=True)
    (folder / "fewer.txt").write_bytes(b"".join(judgements[2:]))
    return folder


class Outcome(NamedTuple):
    """What a command came to: its exit code, what it printed and what it wrote."""

    code: int
    printed: str
    errors: str
    written: dict[str, bytes]

    @property
    def answer(self):
        return self.code, self.printed, self.written


@pytest.fixture
def outcome(tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)

    def run(command, arguments):
        before = {path: path.stat().st_mtime_ns for path in Path().iterdir()}
        code = main([command, *shlex.split(arguments)])
        printed, errors = capsys.readouterr()
        new = [path for path in Path().iterdir() if path not in before]
        written = {path.name: path.read_bytes() for path in new}
        for path in new:
            path.unlink()
        return Outcome(code, printed, errors, written)

    return run


def options_of(command):
    return [
        name for listed in COMMANDS[command].groups.values() for name in listed.split() if name != "files"
    ]


def with_option(arguments, option, value):
    """Arguments with another value of the option, wherever it stood."""
    words = shlex.split(arguments)
    if option in words:
        start = words.index(option)
        end = next((i for i in range(start + 1, len(words)) if words[i].startswith("--")), len(words))
        del words[start:end]
    return shlex.join([*words, option, *value.split()])


def prepare(command, tables, outcome):
    """Write the files that a command reads and another one writes."""
    if command == "show":
        made = outcome("hierarchical", "counts.csv others.csv --draws 200 --rng 1 --save fit.nc")
        (tables / "fit.nc").write_bytes(made.written["fit.nc"])
    if command == "monitor":
        few = (tables / "items.csv").read_text().splitlines(keepends=True)[:60]
        (tables / "few.csv").write_text("".join(few))
        made = outcome("monitor", f"{BASES['monitor'][0].replace('items', 'few')} --save looks.json")
        (tables / "looks.json").write_bytes(made.written["looks.json"])


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_is_ignored(command, tables, outcome):
    prepare(command, tables, outcome)
    own = [option for option in options_of(command) if option not in READ_WITH]
    moved, ignored = set(), []
    for arguments in BASES[command]:
        plain = outcome(command, arguments)
        assert plain.code in (0, 1), plain.errors
        options = options_of(command)
        if arguments != BASES[command][0]:
            # How files are read has a test of its own, below.
            options = (
                own if command in SEVERAL_QUESTIONS else [option for option in own if option not in moved]
            )
        for option in options:
            value = OTHER_VALUES.get((command, option), VALUES[option])
            found = outcome(command, with_option(arguments, option, value))
            if found.code == 2:
                assert found.printed == ""
                assert found.errors.startswith("bayesf1: ")
                assert found.errors.count("\n") == 1
            elif found.answer != plain.answer:
                moved.add(option)
            elif (command, option) not in UNMOVED:
                ignored.append((arguments, option))
    assert ignored == []
    unmoved = {option for option in own if option not in moved}
    assert unmoved == {option for name, option in REFUSED_EVERYWHERE if name == command}


@pytest.mark.parametrize("option", READ_WITH)
def test_every_option_of_reading_changes_an_answer(option, outcome):
    if option == "--qrels" and not has("ir_measures"):
        pytest.skip("ir_measures is not installed")
    without, with_it = [outcome("compare", f"{arguments} --rng 1") for arguments in READ_WITH[option]]
    assert with_it.code == 0, with_it.errors
    assert with_it.answer != without.answer


def test_every_option_has_a_value_that_is_tried():
    assert {option for command in COMMANDS for option in options_of(command)} == {*VALUES}
    assert {name.split()[0] for options in READING.values() for name in options} | {"--runs"} == {*READ_WITH}
