"""What is read and may not be meant is noted: labels that no item has, slips in gold, runs taken for models, devices."""

import gzip

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf

GOLD = ["spam"] * 12 + ["ham"] * 12 + ["spma"]
SAID = ["spam"] * 11 + ["refused"] + ["ham"] * 13


def readers(**how):
    frame = pd.DataFrame({"gold": GOLD, "A": SAID})
    yield bf.from_labels(GOLD, {"A": SAID}, **how)
    yield bf.from_frame(frame, gold="gold", models=["A"], **how)
    yield bf.from_patterns([(g, a, 1) for g, a in zip(GOLD, SAID, strict=True)], models=["A"], **how)


def test_a_label_that_no_item_has_and_a_slip_in_gold_are_noted_by_every_reader():
    for ev in readers(positive="spam"):
        slip, unknown = ev.notes
        assert "'spma', which looks like 'spam'" in slip
        assert unknown.startswith("A predicts 'refused' for 1 item, which no gold label is")
    for ev in readers():
        assert any("which looks like 'spam'" in note for note in ev.notes)


def test_models_that_are_called_as_runs_are_noted(tmp_path):
    names = [f"{m}.seed{i}" for m in ("sgd", "svm") for i in range(2)]
    rows = [",".join(["label", *names]), *(",".join(np.roll(["y", "n", "n", "y", "n"], i)) for i in range(9))]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    ev = bf.read(tmp_path / "a.csv", gold="label", positive="y")
    assert "runs=True (--runs)" in ev.notes[-1]
    assert len(bf.read(tmp_path / "a.csv", gold="label", positive="y", runs=True).names) == 2


@pytest.mark.parametrize(
    ("name", "row", "how"),
    [
        ("a.csv", b'y,y,"%s"\n', {"gold": "label", "columns": ["a"], "positive": "y"}),
        (
            "a.jsonl",
            b'{"label": "y", "a": "y", "text": "%s"}\n',
            {"gold": "label", "columns": ["a"], "positive": "y"},
        ),
        ("a.conll", b"%s B-PER B-PER\n", {}),
    ],
)
def test_devices_long_lines_and_what_unpacks_to_too_much_are_refused(tmp_path, name, row, how):
    header = b"label,a,text\n" if name == "a.csv" else b""
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(header + row % b"x" + row % (b"x" * 100_000)))
    for most, what in (
        (6_000_000, f"line {3 if header else 2}, is larger"),
        (9_000, "when unpacked is larger"),
    ):
        with pytest.raises(ValueError, match=rf"{what} than [\d,]+ bytes; .* max_bytes="):
            bf.read(tmp_path / f"{name}.gz", max_bytes=most, **how)
    assert bf.read(tmp_path / f"{name}.gz", **how).tables[0, 0] == 2
    for call in (bf.read, bf.load, lambda path: bf.from_conll(path, {"A": path})):
        with pytest.raises(ValueError, match="device"):
            call("/dev/zero")
