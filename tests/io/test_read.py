"""Files of every container and layout: the same data give the same evaluation."""

import bz2
import functools
import gzip
import io
import json
import os
import pickle
import random
import subprocess
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import bayesf1 as bf
from bayesf1.base.input_files import input_files
from bayesf1.io.read import INPUT_FORMATS
from file_samples import SAMPLES, lines, lm_eval_samples

N = 60
MODELS = ("crf", "bert", "t5")


def labels(kind):
    rng = random.Random(7)
    two = {"text": ["ham", "spam"], "number": [0, 1], "truth": [False, True]}.get(kind)
    names = two or ["loc", "org", "per", "x"]
    gold = [rng.choice(names) for _ in range(N)]
    said = {m: [g if rng.random() < 0.7 else rng.choice(names) for g in gold] for m in MODELS}
    return gold, said, {"text": "spam", "number": 1, "truth": True}.get(kind)


def wide(kind):
    gold, said, _ = labels(kind)
    return pd.DataFrame(
        {"item": [f"q{i}" for i in range(N)], "doc": [f"d{i // 4}" for i in range(N)], "label": gold, **said}
    )


def write(frame, path, container):
    """Write a frame in a container, and return its path."""
    path = path.with_suffix(f".{container.partition('-')[0]}")
    if container == "csv":
        frame.to_csv(path, index=False)
    elif container == "tsv":
        path.write_bytes(b"\xef\xbb\xbf" + frame.to_csv(index=False, sep="\t").encode())
    elif container == "csv-index":
        frame.to_csv(path)
    elif container == "csv-gz":
        path = path.with_suffix(".csv.gz")
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif container == "json":
        frame.to_json(path, orient="records")
    elif container == "jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    elif container == "parquet":
        frame.to_parquet(path)
    elif container == "arrow":
        pa.feather.write_feather(pa.Table.from_pandas(frame), path, compression="uncompressed")
    elif container == "arrow-stream":
        table = pa.Table.from_pandas(frame)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return path


CONTAINERS = (*("csv", "tsv", "csv-index", "csv-gz", "json", "jsonl", "parquet"), *("arrow", "arrow-stream"))


@pytest.mark.parametrize(
    ("kind", "group"), [("text", "doc"), ("number", None), ("truth", None), ("classes", "doc")]
)
@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_and_layout_gives_the_same_evaluation(tmp_path, container, kind, group):
    frame = wide(kind)
    gold, said, positive = labels(kind)
    expected = bf.from_labels(
        gold, said, positive=positive, groups=None if group is None else frame["doc"].tolist()
    )
    options = {"gold": "label", "group": group, "positive": positive}
    path = write(frame, tmp_path / "wide", container)
    assert bf.read(path, id="item", columns=None if kind == "text" else MODELS, **options) == expected

    shuffled = {
        m: frame[["item", "doc", "label", m]].rename(columns={m: "said"}).sample(frac=1, random_state=i)
        for i, m in enumerate(MODELS)
    }
    files = {m: write(part.reset_index(drop=True), tmp_path / m, container) for m, part in shuffled.items()}
    assert bf.read(files, id="item", prediction="said", **options) == expected

    truth = write(
        frame[["item", "label", "doc"]].iloc[::-1].reset_index(drop=True), tmp_path / "truth", container
    )
    bare = {
        m: write(part[["said", "item"]].reset_index(drop=True), tmp_path / m, container)
        for m, part in shuffled.items()
    }
    assert bf.read(bare, gold_file=truth, id="item", prediction="said", **options) == expected

    rows = pd.concat(
        [part.assign(model=m, prediction=part["said"]).drop(columns="said") for m, part in shuffled.items()]
    )
    long = write(rows.reset_index(drop=True), tmp_path / "long", container)
    assert bf.read(long, id="item", **options) == expected


@pytest.mark.parametrize("container", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("content", ["correct", "scores"])
@pytest.mark.parametrize("group", [None, "doc"])
def test_answers_and_scores_come_in_every_layout(tmp_path, container, content, group):
    rng = np.random.default_rng(3)
    values = {m: rng.random(N).round(6) if content == "scores" else rng.random(N) < 0.7 for m in MODELS}
    frame = pd.DataFrame(
        {"item": [f"q{i}" for i in range(N)], "doc": [f"d{i // 4}" for i in range(N)], **values}
    )
    groups = None if group is None else frame["doc"].tolist()
    if content == "scores":
        expected = bf.from_scores(values, name="ndcg", groups=groups)
    else:
        expected = bf.from_correct(values, groups=groups)
    given = {"scores": "ndcg", "columns": MODELS} if content == "scores" else {"correct": list(MODELS)}
    assert bf.read(write(frame, tmp_path / "wide", container), group=group, **given) == expected
    given = {"group": group, content: "ndcg"}
    parts = {m: frame[["item", "doc"]].assign(ndcg=frame[m]).sample(frac=1, random_state=5) for m in MODELS}
    files = {m: write(part.reset_index(drop=True), tmp_path / m, container) for m, part in parts.items()}
    assert sorted_units(bf.read(files, id="item", **given)) == sorted_units(expected)
    rows = pd.concat([part.assign(model=m) for m, part in parts.items()]).reset_index(drop=True)
    assert sorted_units(
        bf.read(write(rows, tmp_path / "long", container), id="item", **given)
    ) == sorted_units(expected)


def sorted_units(ev):
    return ev.models, ev.task.name, ev.tables.tolist(), ev.units.weights.sum(), repr(ev)


def test_a_column_of_runs_makes_methods(tmp_path):
    gold, said, _ = labels("text")
    rows = [
        {"model": method, "run": run, "item": i, "label": gold[i], "prediction": said[source][i]}
        for method, run, source in [("a", 1, "crf"), ("a", 2, "bert"), ("b", 1, "t5")]
        for i in range(N)
    ]
    ev = bf.read(
        write(pd.DataFrame(rows), tmp_path / "long", "jsonl"), id="item", gold="label", positive="spam"
    )
    nested = {"a": {"1": said["crf"], "2": said["bert"]}, "b": {"1": said["t5"]}}
    assert ev == bf.from_labels(gold, nested, positive="spam")
    assert [str(m) for m in ev.methods] == ["a: 2 runs", "b: 1 run"]


def test_nested_fields_are_named_by_dots(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"q": f"Why {i}?", "a.1": {"right": i % 2 == 0}, "b": {"right": i % 3 == 0}} for i in range(30)]
    path.write_text("\n".join(map(json.dumps, rows)))
    expected = bf.from_correct({"a.1": [i % 2 == 0 for i in range(30)], "b": [i % 3 == 0 for i in range(30)]})
    for asked in (["a.1.right", "b.right"], "*.right", {"a.1": "a.1.right", "b": "b.right"}):
        assert bf.read(path, correct=asked) == expected
    assert bf.read(path, correct="x=b.right").models == ("x",)
    frame = pd.DataFrame(rows).drop(columns="a.1")
    frame.to_parquet(tmp_path / "answers.parquet")
    assert bf.read(tmp_path / "answers.parquet", correct="b.right").tables.tolist() == [[10.0, 20.0]]


def test_standard_input_and_pipes_are_read(tmp_path, monkeypatch):
    data = wide("text").to_csv(index=False).encode()
    expected = bf.read(
        write(wide("text"), tmp_path / "wide", "csv"), gold="label", group="doc", positive="spam"
    )
    for content in (data, gzip.compress(data)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert bf.read("-", gold="label", group="doc", positive="spam") == expected


# ---- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "is a table with columns item, doc, label, crf, bert, t5; name the column of gold labels"),
        (["--gold", "lable"], "has no column 'lable'; did you mean 'label'"),
        (["--gold", "label", "--group", "doc", "--positive", "spma"], "'spma'; did you mean 'spam'?"),
        (["--gold", "label", "--scores"], "--scores does not apply if --gold is given"),
        (["--gold", "label", "--columns", "label,crf"], "column 'label' is named twice"),
        (["--gold", "label", "--group", "label"], "column 'label' is named twice"),
        (["--gold", "label", "--prediction", "crf"], "--prediction says what each row of a model holds"),
        (["--correct", "crf"], "row 1 of 'crf' has 'spam', which is no right"),
    ],
)
def test_what_does_not_fit_a_table_is_refused_in_a_line(tmp_path, refused, options, said):
    path = write(wide("text"), tmp_path / "wide", "csv")
    assert said in refused(path, *options)


def test_files_of_models_must_hold_the_same_items(tmp_path, refused):
    frame = wide("text")[["item", "label", "crf"]].rename(columns={"crf": "prediction"})
    a = write(frame, tmp_path / "a", "csv")
    cases = [
        (frame.drop(index=7), "have no value for 'q7'"),
        (pd.concat([frame, frame.iloc[[3]]]), "2 rows have model 'b', item 'q3'; keep one"),
        (
            frame.assign(label=["eggs", *frame["label"][1:]]),
            "item 'q0' has label 'spam' in one row and 'eggs' in another",
        ),
        (frame.rename(columns={"prediction": "said"}), "has no column 'prediction'"),
        (frame.rename(columns={"item": "id"}), "names no column of"),
    ]
    for i, (other, said) in enumerate(cases):
        b = write(other, tmp_path / f"b{i}", "csv")
        assert said in refused(f"a={a}", f"b={b}", "--gold", "label", "--id", "item")
    bare = write(frame.drop(columns="item"), tmp_path / "bare", "csv")
    assert "which column tells items apart?" in refused(f"a={bare}", f"b={bare}", "--correct", "prediction")


def test_rows_matched_by_their_order_are_told(tmp_path):
    frame = wide("text")[["label", "crf"]].rename(columns={"crf": "prediction"})
    files = {"a": write(frame, tmp_path / "a", "csv"), "b": write(frame, tmp_path / "b", "jsonl")}
    ev = bf.read(files, gold="label", positive="spam")
    assert ev.notes == ("Items were matched by their order in the files, as no column identifies them.",)
    assert "matched by their order" in str(bf.compare(ev))
    assert "matched by their order" in bf.compare(ev).to_latex()
    write(frame.iloc[::-1].reset_index(drop=True), tmp_path / "b", "jsonl")
    with pytest.raises(ValueError, match="it should be the same for all models"):
        bf.read(files, gold="label", positive="spam")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\x02\x01\x01\x00", "begins with the bytes 7f 45 4c 46"),
        (b"", "is empty"),
        (b"Dear reader,\n\nhow are you?\n", "begins with 'Dear reader,', which is not a known format"),
        ("label,a\n1,1\n".encode("utf-16"), "not UTF-8"),
        (pickle.dumps([1, 2, 3]), "not UTF-8"),
        (bz2.compress(b"label,a\n1,1\n"), "which is not a known format"),
        (b"PAR1 and no more", "cannot be read as Parquet"),
        (b"\x1f\x8b\x08 and no more", "is a damaged gzip file"),
        (b'{"label": 1\n', "is not JSON"),
    ],
)
def test_an_unknown_file_is_answered_by_what_it_looks_like(tmp_path, refused, content, said):
    path = tmp_path / "what"
    path.write_bytes(content)
    assert said in refused(path)


def test_files_of_two_kinds_are_named(tmp_path, refused):
    a, b = write(wide("text"), tmp_path / "a", "csv"), tmp_path / "b.conll"
    b.write_text("In O O\nRome B-LOC O\n")
    said = refused(f"a={a}", f"b={b}")
    assert "a.csv looks like a table" in said
    assert "b.conll like a column file of tags" in said


def test_options_of_the_command_line_are_those_of_read():
    from bayesf1.cli.options import READ
    from bayesf1.io.read import ReadOptions

    assert set(READ) <= set(ReadOptions.__annotations__)
    assert {name for fmt in INPUT_FORMATS for name in fmt.options} <= set(ReadOptions.__annotations__)


CASES = [(name, file) for name, sample in SAMPLES.items() for file in sample.own]


def recognised(path, options):
    """The names of all formats that recognise a file, the chosen one first."""
    with input_files() as take:
        file = take(path)
        return [fmt.name for fmt in INPUT_FORMATS if fmt.recognises(file, options)]


@pytest.mark.parametrize("written", ["plain", "gz", "bom", "crlf"])
@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_file_is_of_its_own_format_whatever_it_is_called(name, file, written, tmp_path):
    sample = SAMPLES[name]
    data = sample.files[file]
    path = tmp_path / "x.txt"
    path.write_bytes(
        {
            "plain": data,
            "gz": gzip.compress(data),
            "bom": b"\xef\xbb\xbf" + data,
            "crlf": data.replace(b"\n", b"\r\n"),
        }[written]
    )
    found = recognised(path, sample.options)
    assert found[0] == sample.format
    # A table is any JSON, and what looks like a header with rows; it is asked last. Counts may be any JSON object.
    assert {*found[1:]} <= {"counts", "table"}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_reads_the_same_from_compressed_files(name, tmp_path):
    sample = SAMPLES[name]
    sample.write(tmp_path)
    clean = sample.read(tmp_path)
    for file, data in sample.files.items():
        (tmp_path / file).write_bytes(gzip.compress(data))
    assert sample.read(tmp_path) == clean
    assert clean.remarks == ()


@pytest.fixture
def piped(monkeypatch):
    return lambda data: monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_gold_of_tags_is_a_file_and_one_document_is_none_to_tell_from_others(tmp_path, refused):
    (tmp_path / "crf").write_bytes(lines("In O O", "Rome B-LOC B-LOC"))
    assert "a first FILE, without a name" in refused(f"crf={tmp_path / 'crf'}", "--gold", "x")
    assert "single document" in refused(f"crf={tmp_path / 'crf'}", "--unit", "document")


def test_a_folder_is_what_it_holds_whatever_the_options(tmp_path, refused):
    for name in ("run1", "run2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_sums.jsonl").write_bytes(lm_eval_samples([1.0, 0.0]))
    said = refused(f"a={tmp_path / 'run1'}", f"b={tmp_path / 'run2'}", "--gold", "label")
    assert "--gold does not apply to a log of samples of lm-evaluation-harness" in said


def test_standard_input_is_named_once(piped, refused):
    piped(b"label,crf\ny,n\n")
    assert "standard input (-) is named twice" in refused("a=-", "b=-", "--gold", "label")


def test_zeros_without_end_are_not_waited_for(piped, refused):
    piped(bytes(3 << 20))
    assert "standard input begins with nothing but zero bytes" in refused("-")


def test_of_a_wrong_folder_no_file_is_opened_but_the_first(tmp_path, refused):
    (tmp_path / "a.txt").write_text("some words\nand others here\n")
    # Unpacking it would fail.
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8bno gzip")
    assert "holds 2 files, as a.txt, b.gz, of no format that comes in folders" in refused(tmp_path)


# The rest of a line of CoNLL-U behind the part of speech.
TAIL = "\t_" * 6 + "\n"
FAULTS = {
    "tags": ("a O\nb B-X\n", "a O\nb 0\n", "line 2, has tag '0', which is outside IOB2"),
    "conllu": (f"1\ta\t_\tX{TAIL}2\tb\t_\tY{TAIL}", f"1\ta\t_\tX{TAIL}2\tb\n", "line 2, has 2 columns"),
    "brat": ("T1\tPER 0 3\tAda\n", "T1 PER 0 3 Ada\n", "line 1, has 'T1 PER 0 3 Ada', but a span looks like"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_first_lines_is_told_by_what_the_other_files_are(name, tmp_path, refused):
    good, bad, said = FAULTS[name]
    (tmp_path / "good").write_text(good)
    (tmp_path / "bad").write_text(bad)
    assert said in refused(tmp_path / "good", f"a={tmp_path / 'good'}", f"b={tmp_path / 'bad'}")
    assert "input_format=" in refused(tmp_path / "bad")


@pytest.mark.parametrize("read", [bf.read, bf.load])
def test_a_file_that_is_not_there_is_named_with_one_like_it(read, tmp_path):
    (tmp_path / "one.json").write_text("{}")
    with pytest.raises(
        FileNotFoundError, match=r"^there is no file .*one2\.json; did you mean .*one\.json\?$"
    ):
        read(tmp_path / "one2.json")
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*x.one\.json$"):
        read(tmp_path / "x" / "one.json")


# Bounds of a file, of a text that is held whole, and of a line.
MOST = 1 << 20
TEXTS = [name for name in SAMPLES if "archive" not in name and "Arrow" not in name]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    ("n_bytes", "why"),
    [(MOST // 32, r"larger than 16,384 bytes"), (8 * MOST, r"when unpacked is larger than 1 MB")],
    ids=["line", "file"],
)
def test_every_reader_bounds_lines_and_files_before_it_holds_them(name, n_bytes, why, tmp_path):
    sample = SAMPLES[name]
    sample.write(tmp_path)
    for file in sample.files:
        whole = (tmp_path / file).read_bytes()
        *before, last = whole.splitlines(keepends=True)
        long = b"".join([*before, b"x" * n_bytes, b"\n", last])
        (tmp_path / file).write_bytes(gzip.compress(long))
        bounded = replace(sample, options={**sample.options, "max_bytes": MOST})
        tracemalloc.start()
        with pytest.raises(ValueError, match=rf"{why}; .* max_bytes="):
            bounded.read(tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 6 * MOST
        (tmp_path / file).write_bytes(whole)


@pytest.mark.parametrize("pack", ["parquet", "arrow"])
def test_a_table_that_says_it_unpacks_to_too_much_is_refused(pack, tmp_path):
    table = pa.table({"label": ["y", "n"], "a": ["y", "x" * MOST]})
    if pack == "parquet":
        pa.parquet.write_table(table, tmp_path / "a", compression="zstd")
    else:
        packing = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_file(tmp_path / "a", table.schema, options=packing) as writer:
            writer.write_table(table)
    with pytest.raises(ValueError, match="when unpacked is larger than 131,072 bytes"):
        bf.read(tmp_path / "a", gold="label", positive="y", max_bytes=MOST)
    assert bf.read(tmp_path / "a", gold="label", positive="y").tables[0, 0] == 1


@pytest.mark.parametrize(
    "call",
    [
        *(functools.partial(bf.read, input_format=fmt.name) for fmt in INPUT_FORMATS),
        *(lambda path, fmt=fmt: bf.read({"A": path}, input_format=fmt.name) for fmt in INPUT_FORMATS),
        *(bf.load, bf.load_fit, lambda path: bf.from_conll(path, {"A": path})),
    ],
)
def test_no_function_takes_a_device(call):
    with pytest.raises(ValueError, match="device"):
        call("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_never_ends_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'yes label,a > "$0"', tmp_path / "pipe"]) as endless:
        try:
            with pytest.raises(ValueError, match="when unpacked is larger than 1 MB"):
                bf.read(tmp_path / "pipe", gold="label", max_bytes=MOST)
            with pytest.raises(ValueError, match="pipe or socket"):
                bf.load_fit(tmp_path / "pipe")
        finally:
            endless.kill()
