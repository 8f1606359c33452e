"""Stand-off annotation: spans by document, type and offsets."""

import random

import pytest

import bayesf1 as bf
from file_samples import lines

TEXT = "André Müller was in New York, and Éva in Bonn; nobody else came along."


def annotate(folder, seed, n_documents=6):
    """Write random spans, and return them."""
    rng = random.Random(seed)
    folder.mkdir()
    spans = set()
    for d in range(n_documents):
        rows = []
        for i in range(rng.randrange(5) if d else 0):
            start = rng.randrange(5)
            span = (d, rng.choice(["PER", "LOC", "ORG"]), start, start + 2 + rng.randrange(2))
            if span in spans:
                continue
            spans.add(span)
            rows += [
                f"T{i + 1}\t{span[1]} {span[2]} {span[3]}\t{TEXT[span[2] : span[3]]}",
                f"#{i + 1}\tNote T{i + 1}\tx",
            ]
        (folder / f"{d}.ann").write_bytes(lines(*rows))
        (folder / f"{d}.txt").write_text(TEXT, encoding="utf-8")
    return spans


def test_counts_are_those_of_sets_of_spans(tmp_path):
    gold = annotate(tmp_path / "gold", 1)
    said = {name: annotate(tmp_path / name, seed) for name, seed in (("crf", 2), ("bert", 3))}
    where = {name: tmp_path / name for name in said}
    ev = bf.read(where, gold_file=tmp_path / "gold")
    want = [[len(own & gold), len(own - gold), len(gold - own)] for own in said.values()]
    assert ev.tables.tolist() == want
    assert (ev.unit, ev.units.size, ev.assumption) == ("document", 6, "clustered")
    by_document = {
        name: [
            [len(a & b), len(a - b), len(b - a)]
            for d in range(6)
            for a, b in [({s for s in own if s[0] == d}, {s for s in gold if s[0] == d})]
        ]
        for name, own in said.items()
    }
    assert ev.units == bf.from_units(by_document, unit="document").units
    one = bf.read(where, gold_file=tmp_path / "gold", types=["PER"])
    assert one.tables.tolist() == [
        [sum(s[1] == "PER" for s in part) for part in (own & gold, own - gold, gold - own)]
        for own in said.values()
    ]
    typed = bf.read(where, gold_file=tmp_path / "gold", by_type=True)
    assert bf.score(typed, "crf", "f1[PER]") == bf.score(one, "crf", "f1")


def test_what_is_left_out_or_odd_is_said(tmp_path):
    (tmp_path / "g.ann").write_bytes(
        lines(
            "T1\tPER 0 3;5 8\tAda Bob",
            "T2\tLOC 5 9\tRome",
            "T3\tLOC 5 9\tRome",
            "E1\tGo:T2",
            "*\tEquiv T2 T3",
        )
    )
    (tmp_path / "m.ann").write_bytes(lines("T1\tPlace 5 9\tRome", "T2\tLOC 5 9\tRöm", "T3\tLOC 10 12"))
    ev = bf.read({"m": tmp_path / "m.ann"}, gold_file=tmp_path / "g.ann")
    assert ev.tables.tolist() == [[1, 2, 0]]
    strange, parted, twice = ev.remarks
    assert "m has types of spans that gold never has: 'Place'" in strange
    assert "gold has 1 span with several parts" in parted
    assert "gold has 1 span twice" in twice


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("T2 PER 0 3 Ada", r"m.ann, line 2, has 'T2 PER 0 3 Ada', but a span looks like"),
        ("T2\tPER 3 x\tAda", "m.ann, line 2, has"),
        ("T2\tPER 3 3\t", "m.ann, line 2, has a span from 3 to 3; its end must be after its start"),
        ("T1\tPER 4 8\tRome", "m.ann, line 2, has T1 again; names of spans are unique"),
        ("X1\tPER 4 8\tRome", "m.ann, line 2, has"),
    ],
)
def test_a_bad_line_is_named(row, message, tmp_path):
    (tmp_path / "g.ann").write_bytes(lines("T1\tPER 0 3\tAda"))
    more = [f"T{i}\tPER {i} {i + 1}\tx" for i in range(10, 30)]
    (tmp_path / "m.ann").write_bytes(lines("T1\tPER 0 3\tAda", row, *more))
    with pytest.raises(ValueError, match=message):
        bf.read({"m": tmp_path / "m.ann"}, gold_file=tmp_path / "g.ann")


def test_gold_and_models_are_asked_for(tmp_path):
    annotate(tmp_path / "gold", 1), annotate(tmp_path / "crf", 2)
    crf, gold = {"crf": tmp_path / "crf"}, tmp_path / "gold"
    for source, how, words in (
        (crf, {}, "give the gold file"),
        (gold, {}, "is an annotation of one model"),
        ({"crf": crf["crf"] / "3.ann"}, {"gold_file": gold}, "not all folders, or not all files"),
        (crf, {"gold_file": gold, "types": ["PERS"]}, r"has type 'PERS'; did you mean 'PER'\?"),
    ):
        with pytest.raises(ValueError, match=words):
            bf.read(source, **how)
