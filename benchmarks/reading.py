"""Speed and memory of reading: JSON lines, CSV, Parquet, CoNLL and TREC files against the parsers and tools that others use.

``python benchmarks/reading.py [jsonl csv long parquet conll trec]``. Everything is written into a temporary folder first; every
ratio is of two times taken in turns in one run, the best of three each. CPU seconds of the process, all threads.
"""

import gc
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bayesf1 as bf

ROWS = 1_000_000
LONG_ROWS = 200_000
PARQUET_ROWS = 10_000_000
SENTENCES = 40_000
QUERIES = 250
DEPTH = 1000


def in_turns(**tasks: Callable[[], Any]) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the best of three times of each task, taken in turns, and what each gave."""
    times, results = {name: [] for name in tasks}, {}
    for _ in range(3):
        for name, task in tasks.items():
            gc.collect()
            start = time.process_time()
            results[name] = task()
            times[name].append(time.process_time() - start)
    return {name: min(found) for name, found in times.items()}, results


def said(what: str, times: dict[str, float], ours: str, note: str = "") -> None:
    others = ", ".join(
        f"{name} {t:.2f} s ({t / times[ours]:.2f})" for name, t in times.items() if name != ours
    )
    print(f"{what}: {ours} {times[ours]:.2f} s; {others}{note}", flush=True)


def peak(call: str) -> int:
    """Return by how many megabytes a fresh process grows at most, in which everything is imported and warm."""
    code = f"""
import bayesf1 as bf, pandas, polars, narwhals
from pathlib import Path
from pyarrow import parquet as pq
bf.from_frame(polars.LazyFrame({{"a": ["x", "y"], "b": ["x", "x"]}}), gold="a", models=["b"], positive="x")
# What the system reports as the peak of a process begins with that of its parent, hence Linux' own account.
def peak():
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
before = peak()
{call}
print((peak() - before) >> 10)
"""
    return int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)


def columns(n: int) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    gold = rng.random(n) < 0.3
    return gold, {m: gold ^ (rng.random(n) < p) for m, p in (("crf", 0.1), ("bert", 0.08))}


def jsonl(folder: Path) -> None:
    gold, models = columns(ROWS)
    path = folder / "predictions.jsonl"
    names = np.array(["ham", "spam"])
    with path.open("w") as out:
        for i, row in enumerate(
            zip(names[gold.astype(int)], *(names[m.astype(int)] for m in models.values()), strict=True)
        ):
            texts = dict(zip(("label", "crf", "bert"), map(str, row), strict=True))
            out.write(json.dumps({"id": i, "text": f"item {i} of a list", **texts}) + "\n")

    def parser(denominator_weights: Callable[[bytes], Any]) -> Callable[[], None]:
        def run() -> None:
            with path.open("rb") as stream:
                for line in stream:
                    denominator_weights(line)

        return run

    import orjson
    from pyarrow import json as arrow

    options = {"gold": "label", "columns": ["crf", "bert"], "positive": "spam"}
    times, results = in_turns(
        read=lambda: bf.read(path, **options),
        json=parser(json.loads),
        orjson=parser(orjson.loads),
        pyarrow=lambda: arrow.read_json(path),
    )
    assert results["read"] == bf.from_labels(gold, models, positive=True)
    said(
        f"JSON lines, {ROWS:,} rows, {path.stat().st_size >> 20} MB",
        times,
        "read",
        "; the parsers alone, and nothing counted",
    )


def csv(folder: Path) -> None:
    import pandas as pd

    gold, models = columns(ROWS)
    path = folder / "predictions.csv"
    pd.DataFrame(
        {"id": np.arange(ROWS), "label": gold.astype(int), **{m: v.astype(int) for m, v in models.items()}}
    ).to_csv(path, index=False)
    times, results = in_turns(
        read=lambda: bf.read(path, gold="label", columns=["crf", "bert"]),
        pandas=lambda: pd.read_csv(path, dtype=str, keep_default_na=False),
    )
    assert results["read"] == bf.from_labels(gold, models, positive=True)
    said(f"CSV, {ROWS:,} rows", times, "read", "; the parser alone")


def long(folder: Path) -> None:
    """Read a row for each model and item, whose roles are recognised, and the same labels from a column for each model."""
    import pandas as pd

    gold, models = columns(LONG_ROWS // 2)
    ids = np.array([f"q{i}" for i in range(len(gold))], dtype=object)
    wide = pd.DataFrame({"id": ids, "label": gold.astype(int)})
    rows = pd.concat(
        [wide.assign(model=name, prediction=own.astype(int)) for name, own in models.items()],
        ignore_index=True,
    )
    path = folder / "long.csv"
    rows.to_csv(path, index=False)
    wide_path = folder / "wide.csv"
    wide.assign(**{name: own.astype(int) for name, own in models.items()}).to_csv(wide_path, index=False)
    times, results = in_turns(
        read=lambda: bf.read(path, gold="label"),
        frame=lambda: bf.from_frame(rows, gold="label"),
        wide=lambda: bf.read(wide_path, gold="label", columns=["crf", "bert"], id="id"),
        pandas=lambda: pd.read_csv(path, dtype=str, keep_default_na=False),
    )
    assert results["read"] == results["frame"] == results["wide"]
    said(f"CSV, {LONG_ROWS:,} rows of two models", times, "read", "; pandas is the parser alone")


def parquet(folder: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet as pq

    gold, models = columns(PARQUET_ROWS)
    path = folder / "predictions.parquet"
    names = pa.array(["ham", "spam"])
    noise = np.random.default_rng(2).random(PARQUET_ROWS)
    table = {"label": gold, **models}
    pq.write_table(
        pa.table(
            {name: names.take(pa.array(v.astype(np.int32))) for name, v in table.items()} | {"id": noise}
        ),
        path,
        compression="none",
    )
    times, results = in_turns(
        read=lambda: bf.read(path, gold="label", columns=["crf", "bert"], positive="spam"),
        load=lambda: pq.read_table(path, columns=["label", "crf", "bert"]).num_rows,
    )
    assert results["read"] == bf.from_labels(gold, models, positive=True)
    read = f"bf.read({str(path)!r}, gold='label', columns=['crf', 'bert'], positive='spam')"
    load = f"pq.read_table({str(path)!r}, columns=['label', 'crf', 'bert'])"
    said(
        f"Parquet, {PARQUET_ROWS:,} rows, {path.stat().st_size >> 20} MB",
        times,
        "read",
        f"; a process of its own grew by {peak(read)} MB at most, and by {peak(load)} where it loads the columns",
    )


def conll(folder: Path) -> None:
    from seqeval.metrics.sequence_labeling import precision_recall_fscore_support

    rng = random.Random(5)
    words = [f"word{i}" for i in range(5000)]

    def tags(n: int) -> list[str]:
        out, kind = [], None
        for _ in range(n):
            kind = kind if kind and rng.random() < 0.4 else None
            if kind:
                out.append(f"I-{kind}")
            elif rng.random() < 0.1:
                kind = rng.choice(["PER", "LOC", "ORG"])
                out.append(f"B-{kind}")
            else:
                out.append("O")
        return out

    sentences = [[rng.choice(words) for _ in range(rng.randint(8, 40))] for _ in range(SENTENCES)]
    for name in ("gold", "crf"):
        text = "\n\n".join(
            "\n".join(f"{w} {t}" for w, t in zip(s, tags(len(s)), strict=True)) for s in sentences
        )
        (folder / f"{name}.conll").write_text(text + "\n")

    def split(path: Path) -> list[list[str]]:
        return [
            [line.split()[-1] for line in part.split("\n")] for part in path.read_text().strip().split("\n\n")
        ]

    def plain() -> Any:
        gold, said = split(folder / "gold.conll"), split(folder / "crf.conll")
        return precision_recall_fscore_support(gold, said, average="micro")

    times, results = in_turns(
        read=lambda: bf.read({"crf": folder / "crf.conll"}, gold_file=folder / "gold.conll"), seqeval=plain
    )
    assert np.isclose(bf.score(results["read"], "crf", "f1"), results["seqeval"][2])
    said(
        f"CoNLL, {sum(map(len, sentences)):,} tokens, read and counted",
        times,
        "read",
        "; plain split and seqeval, goal 5",
    )


def trec(folder: Path) -> None:
    import ir_measures

    rng = np.random.default_rng(3)
    with (folder / "qrels.txt").open("w") as out:
        for q in range(QUERIES):
            out.writelines(f"{q} 0 d{d} {rng.integers(0, 3)}\n" for d in rng.choice(5000, 100, replace=False))
    for name in ("bm25", "dense"):
        with (folder / f"{name}.run").open("w") as out:
            for q in range(QUERIES):
                docs, scores = rng.choice(5000, DEPTH, replace=False), np.sort(rng.random(DEPTH))[::-1]
                out.writelines(
                    f"{q} Q0 d{d} {i} {s:.6f} {name}\n"
                    for i, (d, s) in enumerate(zip(docs, scores, strict=True), 1)
                )
    runs = {name: folder / f"{name}.run" for name in ("bm25", "dense")}
    measure = ir_measures.parse_measure("nDCG@10")

    def alone() -> dict[str, dict[str, float]]:
        qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))
        found = {}
        for name, path in runs.items():
            run = ir_measures.read_trec_run(str(path))
            found[name] = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        return found

    times, results = in_turns(
        read=lambda: bf.read(runs, qrels=folder / "qrels.txt", measure="nDCG@10"), ir_measures=alone
    )
    mean = np.mean(list(results["ir_measures"]["dense"].values()))
    assert np.isclose(bf.score(results["read"], "dense", "mean"), mean)
    said(f"TREC, 2 runs of {QUERIES} × {DEPTH:,}", times, "read")


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["jsonl", "csv", "long", "parquet", "conll", "trec"]
    for name in chosen:
        with tempfile.TemporaryDirectory() as made:
            globals()[name](Path(made))
