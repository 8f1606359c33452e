"""Damaged files are refused, read as they were meant, or read with a remark; nothing else comes out of them.

Every sample of `tests/file_samples.py` is damaged fifty times, and by the marker ``long`` some hundred times, each time
in one to three places of one file. What comes out is

* a ValueError or OSError, and no other exception; or
* the evaluation of the clean files; or
* another evaluation, with a note or a warning that the clean files do not give; or
* another evaluation without a word, if the sample lists the kind of damage as `undetectable`: what is there then is another
  correct file, such as one with another label, and no reader could know.

Damage to the encoding is never undetectable. By the marker there are at least 500 damaged files of every
format, all different.
"""

import random
import re
import subprocess
import sys
import warnings
from collections import Counter
from itertools import count

import pytest

from bayesf1.io.read import INPUT_FORMATS
from file_samples import SAMPLES

SEED = 20261116
# Damaged files of each sample that are always tried.
FEW = 50
STRANGE = (
    *("", "NaN", "abc", "-1", "1e400", "true", "null", "[]", "{}", "9" * 400, "\0", "½", "1,5", "日本"),
    *('"', "-", "0", "1", "2.5", "O", "B-", "_", "inf", "\u2028", "\u00a0", "#", "a b", "\ud7ff"),
    *("1_0", "0x1", "\r"),
)
BETWEEN = re.compile(r'([\t ,;|:"{}\[\]]+)')


def _on_lines(change):
    """A mutation of the lines, their ends kept."""

    def mutated(rng, data):
        rows = data.splitlines(keepends=True)
        return b"".join(change(rng, rows)) if rows else data

    return mutated


def _on_cells(change):
    """A mutation of the cells of one line, what stands between them kept: cells are at even places."""

    def mutated(rng, data):
        rows = data.decode().split("\n")
        at = rng.randrange(len(rows))
        rows[at] = "".join(change(rng, BETWEEN.split(rows[at])))
        return "\n".join(rows).encode("utf-8", "surrogatepass")

    return mutated


def _delete_cell(rng, parts):
    at = 2 * rng.randrange((len(parts) + 1) // 2)
    return parts[: max(at - 1, 0)] + parts[at + (at == 0) + 1 :]


def _duplicate_cell(rng, parts):
    at = 2 * rng.randrange((len(parts) + 1) // 2)
    between = parts[1] if len(parts) > 1 else " "
    return [*parts[: at + 1], between, *parts[at:]]


def _swap_cells(rng, parts):
    a, b = (2 * rng.randrange((len(parts) + 1) // 2) for _ in range(2))
    parts[a], parts[b] = parts[b], parts[a]
    return parts


def _wrong_type(rng, parts):
    parts[2 * rng.randrange((len(parts) + 1) // 2)] = rng.choice(STRANGE)
    return parts


def _swap_lines(rng, rows):
    a, b = rng.randrange(len(rows)), rng.randrange(len(rows))
    rows[a], rows[b] = rows[b], rows[a]
    return rows


def _without(rng, rows):
    at = rng.randrange(len(rows))
    return rows[:at] + rows[at + 1 :]


def _twice(rng, rows):
    at, to = rng.randrange(len(rows)), rng.randrange(len(rows) + 1)
    return [*rows[:to], rows[at], *rows[to:]]


def _byte(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randrange(2) :]


def _encoding(rng, data):
    text = data.decode()
    encoding = rng.choice(
        ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "cp037", "crlf", "cr"]
    )
    if encoding in ("crlf", "cr"):
        return text.replace("\n", "\r\n" if encoding == "crlf" else "\r").encode()
    return text.encode(encoding, "replace")


MUTATIONS = {
    "truncate": lambda rng, data: data[: rng.randrange(len(data))],
    "delete line": _on_lines(_without),
    "duplicate line": _on_lines(_twice),
    "swap lines": _on_lines(_swap_lines),
    "delete cell": _on_cells(_delete_cell),
    "duplicate cell": _on_cells(_duplicate_cell),
    "swap cells": _on_cells(_swap_cells),
    "wrong type": _on_cells(_wrong_type),
    "byte": _byte,
    "encoding": _encoding,
}
# What can be done to files that are no text.
OF_BYTES = ("truncate", "delete line", "duplicate line", "swap lines", "byte")


def _outcome(sample, folder):
    """The evaluation that is read, or none, and what is said of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            ev = sample.read(folder)
        except (ValueError, OSError) as error:
            if not str(error).strip():
                raise RuntimeError("an error without a word") from error
            return None, ()
    return ev, (*ev.notes, *(str(warning.message) for warning in caught))


def _shares():
    """Every sample, damaged a few times, and by the marker as often as it asks for."""
    for name, sample in SAMPLES.items():
        yield pytest.param(name, min(sample.n_damaged, FEW), id=name)
        yield pytest.param(name, sample.n_damaged, id=f"{name}-many", marks=pytest.mark.long)


@pytest.mark.parametrize(("name", "n_damaged"), [*_shares()])
def test_damaged_files_are_refused_or_read_as_meant_or_remarked_upon(name, n_damaged, tmp_path):
    sample = SAMPLES[name]
    sample.write(tmp_path)
    clean, said = _outcome(sample, tmp_path)
    assert clean is not None
    assert not said
    rng = random.Random(f"{SEED} {name} {n_damaged}")
    binary = any(b"\0" in data for data in sample.files.values())
    kinds, files, seen, faults = OF_BYTES if binary else [*MUTATIONS], [*sample.files], set(), []
    for i in count():
        if len(seen) == n_damaged:
            break
        kind, file = kinds[i % len(kinds)], rng.choice(files)
        data = sample.files[file]
        for _ in range(1 if kind == "encoding" else rng.choice((1, 1, 2, 3))):
            data = MUTATIONS[kind](rng, data) if data else data
        if data == sample.files[file] or (file, data) in seen:
            continue
        seen.add((file, data))
        (tmp_path / file).write_bytes(data)
        try:
            ev, remarks = _outcome(sample, tmp_path)
            if ev is None or remarks or kind in sample.undetectable or _same(ev, clean):
                continue
            fault = f"{ev} without a word"
        except Exception as error:
            fault = repr(error)
        finally:
            (tmp_path / file).write_bytes(sample.files[file])
        faults.append(f"seed {SEED}, mutation {i} ({kind}) of {file}: {fault}, of {data!r:.3000}")
    assert not faults, "\n".join([f"{len(faults)} of {len(seen)}", *faults[:5]])


def test_there_are_five_hundred_damaged_files_of_every_format():
    damaged = Counter[str]()
    for sample in SAMPLES.values():
        damaged[sample.format] += sample.n_damaged
    assert {fmt.name for fmt in INPUT_FORMATS} == damaged.keys()
    assert min(damaged.values()) >= 500


def _same(ev, clean):
    """Whether two evaluations are of the same models, in any order, and the same otherwise."""
    return {*ev.models} == {*clean.models} and ev.select(clean.models) == clean


def test_every_exemption_is_of_a_kind_of_damage_that_is_done_and_none_is_of_an_encoding():
    for sample in SAMPLES.values():
        assert sample.undetectable.keys() <= MUTATIONS.keys() - {"encoding"}


# A process that reads copies of a Parquet file, each with one other byte, and says at the end that it got there.
READ_DAMAGED = """
import random, sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
import bayesf1 as bf
path = Path(sys.argv[1])
gold = ["spam", "ham"] * 20
options = {"compression": "none", "use_dictionary": False} if sys.argv[2] == "plain" else {}
pq.write_table(pa.table({"label": gold, "crf": sorted(gold), "bert": gold[::-1], "x": [1, 2] * 20}), path, **options)
data, rng = path.read_bytes(), random.Random(1)
places = [data.index(b"PAR1", 4) + i for i in range(-900, 0)]
for i, place in enumerate(rng.sample(range(len(data)), 50) + [place for place in places if place > 0]):
    changed = bytearray(data)
    changed[place] = (changed[place] + rng.randrange(1, 256)) % 256
    path.write_bytes(changed)
    try:
        bf.read(path, gold="label", columns=["crf", "bert"], positive="spam")
    except (ValueError, OSError):
        pass
print("all were read or refused")
"""


@pytest.mark.parametrize("coding", ["packed", "plain"])
def test_no_changed_byte_of_a_parquet_file_ends_the_process(coding, tmp_path):
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ_DAMAGED, str(tmp_path / "t.parquet"), coding],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "all were read or refused\n"), ended.stderr[-2000:]
