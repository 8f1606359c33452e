"""A small clean sample of every format of files, in every layout that is worth breaking: a new format is a row here."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import bayesf1 as bf
from builders import needed

# Packages that read a format, and that not everybody has.
NEEDED = {"inspect": "inspect_ai", "segments": "jiwer", "trec": "ir_measures"}


@dataclass(frozen=True)
class Sample:
    """Files of one format, and how they are read.

    Attributes
    ----------
    format
        The name of the format that recognises each of them.
    files
        The files by their names; those that `models` and `gold` name hold the format.
    models
        The file or folder of each model, or one file that holds all.
    gold
        The file or folder of gold.
    options
        Options of `bf.read`; a file among them is named in `paths`.
    paths
        Options that name a file.
    undetectable
        Kinds of mutations, as `tests/io/test_mutated_files.py` names them, that may yield another correct file, and why.
    n_damaged
        How many damaged files, all different, are made of them there; fewer where a format has several samples.
    """

    format: str
    files: Mapping[str, bytes]
    models: Mapping[str, str] | str
    gold: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    undetectable: Mapping[str, str] = field(default_factory=dict)
    n_damaged: int = 500

    def write(self, folder: Path) -> None:
        """Write all files."""
        if self.format in NEEDED:
            needed(NEEDED[self.format])
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)

    def read(self, folder: Path) -> bf.Evaluation:
        """Read what lies in a folder."""
        alone = isinstance(self.models, str)
        source = folder / self.models if alone else {m: folder / f for m, f in self.models.items()}
        paths = {name: folder / file for name, file in self.paths.items()}
        gold = None if self.gold is None else folder / self.gold
        return bf.read(source, gold_file=gold, **self.options, **paths)

    @property
    def own(self) -> list[str]:
        """The files that are of the format, and not judgements or the like beside it."""
        return [name for name in self.files if name not in self.paths.values()]


def lines(*rows: str) -> bytes:
    """Return lines of a file."""
    return "".join(f"{row}\n" for row in rows).encode()


def lm_eval_samples(right, *, measure="acc", filters=("none",), hashed=True, **more) -> bytes:
    """Return samples of lm-evaluation-harness with what each document scored."""
    return lines(
        *(
            json.dumps(
                {
                    "doc_id": i,
                    "doc": {"question": f"Où est {i} ?", "subject": "abc"[i % 3]},
                    "target": "A",
                    "arguments": {"gen_args_0": {"arg_0": f"{i}", "arg_1": "A"}},
                    "resps": [[["-0.5", "True"]]],
                    "filtered_resps": [["-0.5", "True"]],
                    "filter": name,
                    "metrics": [measure, *more],
                    **({"doc_hash": f"{i:064x}"} if hashed else {}),
                    measure: score,
                    **{key: values[i] for key, values in more.items()},
                },
                ensure_ascii=False,
            )
            for name in filters
            for i, score in enumerate(right)
        )
    )


def run_lines(name: str, ranked: Mapping[str, str]) -> bytes:
    """Return a TREC run of documents that are letters."""
    return lines(
        *(
            f"{query} Q0 dé{document} {i} {10 - 0.5 * i:g} {name}"
            for query, documents in ranked.items()
            for i, document in enumerate(documents, 1)
        )
    )


def conllu(*sentences: str, documents=(0,), column=3) -> bytes:
    """Return CoNLL-U of sentences such as ``"Ada/PROPN ran/VERB"``, with what stands behind the slash in one column."""
    out = []
    for s, sentence in enumerate(sentences):
        out += [f"# newdoc id = d{s}"] if s in documents else []
        out += [f"# sent_id = {s}", f"# text = {sentence}", "1-2\tdû\t" + "\t".join("_" * 8)]
        for i, word in enumerate(sentence.split(), 1):
            form, _, value = word.partition("/")
            row = [str(i), form, form.lower(), "X", "Y", "_", "0", "dep", "_", "_"]
            row[column] = value
            out.append("\t".join(row))
        out += ["1.1\t_\t" + "\t".join("_" * 8), ""]
    return lines(*out)


def conlleval_output(tokens: int, gold: int, found: int, correct: int) -> bytes:
    """Return what conlleval prints of one type, as its format strings have it."""
    p, r = 100 * correct / found, 100 * correct / gold
    shares = f"precision: {p:6.2f}%; recall: {r:6.2f}%; FB1: {2 * p * r / (p + r):6.2f}"
    return lines(
        f"processed {tokens} tokens with {gold} phrases; found: {found} phrases; correct: {correct}.",
        f"accuracy: {97.5:6.2f}%; {shares}",
        f"              Café: {shares}  {found}",
    )


def inspect_log(model: str, scored: Mapping[str, Any], *, epochs=1, status="success") -> bytes:
    """Return a log of Inspect in JSON, with what two scorers gave to each sample and epoch."""
    log = {
        "version": 2,
        "status": status,
        "eval": {
            "eval_id": "e",
            "run_id": "r",
            "created": "2026-01-02T03:04:05+00:00",
            "task": "sums",
            "task_id": "t",
            "dataset": {"samples": len(scored), "sample_ids": [*scored]},
            "model": model,
            "config": {"epochs": epochs},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {"total_samples": len(scored), "completed_samples": len(scored), "scores": []},
        "stats": {"started_at": "", "completed_at": "", "model_usage": {}},
        "samples": [
            {
                "id": name,
                "epoch": epoch,
                "input": f"Où est {name} ?",
                "target": "1",
                "metadata": {"subject": "abc"[i % 3]},
                "scores": {"match": {"value": values[epoch - 1] if epochs > 1 else values}},
            }
            for epoch in range(1, epochs + 1)
            for i, (name, values) in enumerate(scored.items())
        ],
    }
    return lines(json.dumps(log, ensure_ascii=False, indent=1))


def arrow_table(text: bytes, format: str) -> bytes:
    """Return a table of comma-separated values as Parquet, or as a file or stream of Arrow."""
    table, out = pa.csv.read_csv(io.BytesIO(text)), io.BytesIO()
    if format == "parquet":
        pa.parquet.write_table(table, out)
    else:
        with (pa.ipc.new_file if format == "file" else pa.ipc.new_stream)(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


def inspect_archive(model: str, scored: Mapping[str, Any]) -> bytes:
    """Return a log of Inspect as it packs them, but for transcripts."""
    header, out = json.loads(inspect_log(model, scored)), io.BytesIO()
    kept = ("id", "epoch", "input", "target", "scores")
    samples = [{key: sample[key] for key in kept} for sample in header.pop("samples")]
    with zipfile.ZipFile(out, "w") as archive:
        for name, part in (("_journal/start.json", {}), ("summaries.json", samples), ("header.json", header)):
            archive.writestr(zipfile.ZipInfo(name), json.dumps(part))
    return out.getvalue()


# Why another correct file may come out of damage.
VALUES = dict.fromkeys(("wrong type", "byte", "swap cells"), "another value of the same type")
FEWER = dict.fromkeys(("truncate", "delete line"), "a file of fewer entries is a file, too")
# Without check sums, bytes that were exchanged are other bytes.
BYTES = dict.fromkeys(
    ("byte", "swap lines", "duplicate line", "delete line"), "another value of the same type"
)
LAST = {"truncate": "the last tag may be cut to another"}

ROWS = "q1,spam,spam,ham q2,ham,ham,ham q3,spam,ham,spam q4,ham,spam,ham q5,spam,spam,spam q6,ham,ham,spam"
TABLE_OF_COLUMNS = lines("item,étiquette,crf,bert", *ROWS.split())

RECORD = '{"model": "%s", "item": "é%d", "label": "%s", "prediction": "%s"}'

# As ev.save writes it, with a part on each line.
SAVED = lines(
    '{"format":"bayesf1.evaluation/1",',
    '"models":["crfé","bert"],"methods":{},',
    '"kind":{"name":"binary","cells":["tp","fp","fn","tn"]},',
    '"tables":[[2,1,1,2],[2,1,1,2]],',
    '"units":{"name":"item","shared":true,"each_an_item":false,"weights":[1,1,1,1,2],',
    '"rows":[[0,0,0,1,0,0,0,1],[0,0,1,0,1,0,0,0],[1,0,0,0,0,0,1,0],[0,1,0,0,0,1,0,0],[0.5,0,0,0.5,0.5,0,0,0.5]]},',
    '"finer":null,"folds":null,"remarks":[]}',
)

SAMPLES = {
    "lm-eval": Sample(
        "lm-eval",
        {
            "crf/samples_arith_2026-01-02T03-04-05.678.jsonl": lm_eval_samples([1.0, 0.0, 1.0, 1.0]),
            "bert/samples_arith_2026-02-02T03-04-05.678.jsonl": lm_eval_samples([1.0, 1.0, 0.0, 1.0]),
        },
        {"crf": "crf", "bert": "bert"},
        undetectable=VALUES,
    ),
    "inspect": Sample(
        "inspect",
        {
            "crf.json": inspect_log("crf", {"q1": "C", "q2": "I", "q3": "C"}),
            "bert.json": inspect_log("bert", {"q1": "C", "q2": "C", "q3": "I"}),
        },
        {"crf": "crf.json", "bert": "bert.json"},
        undetectable=VALUES,
    ),
    "inspect archive": Sample(
        "inspect",
        {
            "crf.eval": inspect_archive("crf", {"q1": "C", "q2": "I", "q3": "C"}),
            "bert.eval": inspect_archive("bert", {"q1": "C", "q2": "C", "q3": "I"}),
        },
        {"crf": "crf.eval", "bert": "bert.eval"},
        n_damaged=125,
    ),
    "trec": Sample(
        "trec",
        {
            "bm25.run": run_lines("bm25", {"1": "abcd", "2": "cbad", "3": "dcba"}),
            "dense.run": run_lines("dense", {"1": "bacd", "2": "abcd", "3": "badc"}),
            "qrels.txt": lines("1 0 déa 1", "1 0 déb 2", "2 0 déa 1", "2 0 déd 0", "3 0 déd 1", "3 0 déb 0"),
        },
        {"bm25": "bm25.run", "dense": "dense.run"},
        options={"measure": "nDCG@3"},
        paths={"qrels": "qrels.txt"},
        undetectable=VALUES | FEWER,
    ),
    "segments": Sample(
        "segments",
        {
            "ref.txt": lines("das alte Haus", "ein grüner Baum", "der Hund schläft heute"),
            "old.txt": lines("das Haus", "ein grüner Hund", "der Hund läuft heute"),
            "new.txt": lines("das alte Haus", "ein Baum", "der Hund schläft"),
        },
        {"old": "old.txt", "new": "new.txt"},
        gold="ref.txt",
        options={"measure": "wer"},
        undetectable=VALUES
        | FEWER
        | dict.fromkeys(("swap lines", "delete cell", "duplicate cell"), "another text is a text"),
    ),
    "brat": Sample(
        "brat",
        {
            "gold/a.ann": lines(
                "T1\tPER 0 6\tAndrée", "T2\tLOC 12 17\tParis", "R1\tlives Arg1:T1 Arg2:T2", "#1\tNote T1\tsûr"
            ),
            "gold/b.ann": lines("T1\tLOC 0 4\tRome", "T2\tPER 8 11\tÉva", "A1\tSure T2"),
            "crf/a.ann": lines("T1\tPER 0 6\tAndrée", "T2\tPER 12 17\tParis"),
            "crf/b.ann": lines("T1\tLOC 0 4\tRome", "T7\tPER 8 11\tÉva", "T8\tLOC 20 24\tBonn"),
        },
        {"crf": "crf"},
        gold="gold",
        undetectable=VALUES | FEWER | {"delete cell": "the text of a span may be left out"},
    ),
    "conllu": Sample(
        "conllu",
        {
            "gold.conllu": conllu("Aé/DET bé/NOUN", "cé/VERB dé/NOUN eé/DET", "fé/VERB"),
            "crf.conllu": conllu("Aé/DET bé/VERB", "cé/VERB dé/NOUN eé/NOUN", "fé/VERB"),
        },
        {"crf": "crf.conllu"},
        gold="gold.conllu",
        options={"positive": "NOUN"},
        undetectable=VALUES,
    ),
    "conlleval": Sample(
        "conlleval",
        {"crf.txt": conlleval_output(200, 40, 38, 30), "bert.txt": conlleval_output(200, 40, 41, 34)},
        {"crf": "crf.txt", "bert": "bert.txt"},
        undetectable=VALUES | LAST,
    ),
    "tags": Sample(
        "tags",
        {
            "gold.conll": lines("Aé B-PER", "bé O", "", "cé O", "dé B-LOC", "eé I-LOC"),
            "crf.conll": lines("Aé B-PER", "bé O", "", "cé B-LOC", "dé B-LOC", "eé O"),
        },
        {"crf": "crf.conll"},
        gold="gold.conll",
        undetectable=VALUES | LAST,
    ),
    "counts": Sample(
        "counts",
        {"counts.csv": lines("model,tp,fp,fn", "crfé,30,8,10", "bert,34,7,6")},
        "counts.csv",
        undetectable=VALUES | FEWER,
    ),
    "evaluation": Sample(
        "evaluation",
        {"saved.json": SAVED},
        "saved.json",
        undetectable=dict.fromkeys(
            ("wrong type", "byte", "swap cells"), "another name, or another value beside its sum"
        ),
    ),
    "table of columns": Sample(
        "table",
        {"predictions.csv": TABLE_OF_COLUMNS},
        "predictions.csv",
        options={"gold": "étiquette", "positive": "spam", "id": "item"},
        undetectable=VALUES | FEWER | {"delete cell": "of a header, a model's name"},
        n_damaged=65,
    ),
    **{
        f"table in Arrow's {format}": Sample(
            "table",
            {"predictions": arrow_table(TABLE_OF_COLUMNS, format)},
            "predictions",
            options={"gold": "étiquette", "positive": "spam", "id": "item"},
            undetectable=BYTES,
            n_damaged=65,
        )
        for format in ("parquet", "file", "stream")
    },
    "table of classes": Sample(
        "table",
        {"predictions.csv": TABLE_OF_COLUMNS.replace(b"q6,ham", b"q6,eggs")},
        "predictions.csv",
        options={"gold": "étiquette", "id": "item"},
        undetectable=VALUES | FEWER | {"delete cell": "of a header, a model's name"},
        n_damaged=65,
    ),
    "table of records": Sample(
        "table",
        {
            "long.jsonl": lines(
                *(
                    RECORD % (m, i, "yn"[i % 3 > 0], "yn"[(i + k) % 3 > 0])
                    for k, m in enumerate(("crf", "bert"))
                    for i in range(6)
                )
            )
        },
        "long.jsonl",
        options={"gold": "label", "positive": "y", "id": "item"},
        undetectable=VALUES
        | {"truncate": "of the last rows, all of a model's", "delete line": "both rows of an item"},
        n_damaged=65,
    ),
    "table for each model": Sample(
        "table",
        {
            f"{m}.csv": lines("item,réponse", *(f"q{i},{'yn'[(i + k) % 3 > 0]}" for i in range(6)))
            for k, m in enumerate(("gold", "crf", "bert"))
        },
        {"crf": "crf.csv", "bert": "bert.csv"},
        gold="gold.csv",
        options={"gold": "réponse", "prediction": "réponse", "positive": "y", "id": "item"},
        undetectable=VALUES | {"truncate": "the last label may be cut to another"},
        n_damaged=65,
    ),
    "table of scores": Sample(
        "table",
        {"scores.csv": lines("query,bm25,dense", *(f"é{i},0.{i + 1}5,0.{7 - i}5" for i in range(6)))},
        "scores.csv",
        options={"scores": "NDCG", "id": "query"},
        undetectable=VALUES | FEWER | {"delete cell": "of a header, a model's name"},
        n_damaged=65,
    ),
}
