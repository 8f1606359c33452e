"""Counting runs where the data are, and inference does not know how many items there were.

Parquet files of 10^4 to 10^7 predictions (10^8 with ``--max 1e8``) are written by DuckDB, counted by
`from_frame` on a DuckDB relation, and compared. The smaller files are also read into pandas and their labels
given to `from_labels`. Every step is a process of its own, so that its peak memory is its own; ratios are to
the smallest size of the same run. With ``--group`` documents are the units, and inference grows with the number
of kinds of documents, though not with that of documents.

With ``--growth`` it is told instead how time and memory grow where hardly two units are alike (`growth.py`).

    python benchmarks/scale.py --max 1e8
    python benchmarks/scale.py --growth
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from growth import CASES, grow, growth_table
from timing import best, timed

# Reading labels into memory is shown up to this many rows.
IN_MEMORY = 10**6
# Rows written at a time, in a file each, so that memory stays bounded.
ROWS_PER_FILE = 10**7

# Hashes of the row number make the same data on every machine: a third of the items are spam, the models are
# right on 90 and 91 %, and wrong on the same items more often than by chance.
QUERY = """
    select label, if(u < 0.90, label, other) as bert, if((u + 0.3 * v) % 1.0 < 0.91, label, other) as crf, doc
    from (
        select
            if(hash(i, 'gold') % 3 = 0, 'spam', 'ham') as label,
            if(hash(i, 'gold') % 3 = 0, 'ham', 'spam') as other,
            hash(i, 'u') % 1000003 / 1000003.0 as u,
            hash(i, 'v') % 1000003 / 1000003.0 as v,
            i // 20 as doc
        from range({start}, {stop}) t(i)
    )
"""
COLUMNS: dict[str, Any] = {"gold": "label", "models": ["bert", "crf"], "positive": "spam"}


def write(rows: int, folder: Path) -> dict[str, Any]:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set preserve_insertion_order = false")
    for start in range(0, rows, ROWS_PER_FILE):
        query = QUERY.format(start=start, stop=min(start + ROWS_PER_FILE, rows))
        connection.sql(query).write_parquet(str(folder / f"{start}.parquet"), row_group_size=500_000)
    return {"megabytes": sum(path.stat().st_size for path in folder.glob("*.parquet")) / 1e6}


def count(folder: Path, group: str | None) -> dict[str, Any]:
    import duckdb
    import narwhals  # noqa: F401  imported before the clock starts

    from bayesf1 import from_frame

    relation = duckdb.connect().read_parquet(str(folder / "*.parquet"))
    seconds, ev = timed(lambda: from_frame(relation, group=group, **COLUMNS))
    return {"seconds": seconds, "patterns": ev.patterns.tolist(), "weights": ev.weights.tolist()}


def load(folder: Path, group: str | None) -> dict[str, Any]:
    import pandas as pd

    from bayesf1 import from_labels

    def read() -> Any:
        frame = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
        predictions = {name: frame[name] for name in COLUMNS["models"]}
        return from_labels(
            frame["label"], predictions, positive="spam", groups=None if group is None else frame[group]
        )

    seconds, ev = timed(read)
    return {"seconds": seconds, "patterns": ev.patterns.tolist(), "weights": ev.weights.tolist()}


def infer(patterns: list[Any], weights: list[float], group: str | None) -> dict[str, Any]:
    import numpy as np

    from bayesf1 import compare
    from bayesf1.evaluation import Evaluation, Units
    from bayesf1.tasks.binary import BINARY_CELLS, Binary

    unit = "item" if group is None else "document"
    names = tuple(COLUMNS["models"])
    ev = Evaluation.of_units(
        names, Binary(BINARY_CELLS), Units.merge(np.array(patterns), np.array(weights), unit)
    )
    return {"seconds": best(lambda: compare(ev, rng=0), 3)}


def alone(step: str, **arguments: Any) -> dict[str, Any]:
    """Run one step in a process of its own, and report its peak memory in megabytes."""
    # What a child is started from counts as its own memory: this process imports nothing large.
    command = [sys.executable, __file__, "--step", step]
    done = subprocess.run(command, input=json.dumps(arguments), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def run_step(step: str) -> None:
    import resource

    arguments = json.load(sys.stdin)
    if "folder" in arguments:
        arguments["folder"] = Path(arguments["folder"])
    steps: dict[str, Callable[..., dict[str, Any]]]
    steps = {"write": write, "count": count, "load": load, "infer": infer, "grow": grow}
    result = steps[step](**arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    json.dump({**result, "peak": peak / (1e6 if sys.platform == "darwin" else 1e3)}, sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--max", type=lambda text: int(float(text)), default=10**7, help="rows of the largest file"
    )
    parser.add_argument("--group", action="store_true", help="take documents of 20 items as units")
    parser.add_argument(
        "--growth", nargs="*", metavar="CASE", help="show growth with distinct units, of all cases or of some"
    )
    parser.add_argument("--step", choices=["write", "count", "load", "infer", "grow"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        run_step(options.step)
        return
    if options.growth is not None:
        show_growth(options.growth or list(CASES))
        return
    group = "doc" if options.group else None
    header = (
        f"{'rows':>11} {'file MB':>8} | {'count s':>8} {'ratio':>6} {'Mrow/s':>7} {'peak MB':>8} "
        f"{'ratio':>6} | {'patterns':>8} {'infer s':>8} {'ratio':>6} {'peak MB':>8} {'ratio':>6} | "
        f"{'from_labels s':>13} {'× count':>8} {'peak MB':>8} {'× count':>8}"
    )
    print(header, "-" * len(header), sep="\n", flush=True)
    first: tuple[dict[str, Any], dict[str, Any]] | None = None
    rows = 10**4
    while rows <= options.max:
        with tempfile.TemporaryDirectory() as name:
            file = alone("write", rows=rows, folder=name)
            counted = alone("count", folder=name, group=group)
            loaded = alone("load", folder=name, group=group) if rows <= IN_MEMORY else None
        found = {key: counted[key] for key in ("patterns", "weights")}
        if loaded is not None and found != {key: loaded[key] for key in found}:
            raise SystemExit("from_frame and from_labels disagree")
        inferred = alone("infer", **found, group=group)
        first = first or (counted, inferred)
        print(line(rows, file, counted, inferred, loaded, first), flush=True)
        rows *= 10


def show_growth(names: list[str]) -> None:
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        for size in CASES[name].sizes:
            step = alone("grow", case=name, size=size)
            found.setdefault(name, []).append(step)
            print(
                f"{name:>14} {size:>9,} {step['seconds']:>8.2f} s {step['cpu']:>8.2f} s of processors "
                f"{step['peak']:>7.0f} MB",
                flush=True,
            )
    print(growth_table(found))


def line(
    rows: int,
    file: dict[str, Any],
    counted: dict[str, Any],
    inferred: dict[str, Any],
    loaded: dict[str, Any] | None,
    first: tuple[dict[str, Any], dict[str, Any]],
) -> str:
    def against(one: dict[str, Any], other: dict[str, Any], key: str) -> str:
        return f"{one[key] / other[key]:.2f}"

    speed = rows / counted["seconds"] / 1e6
    memory = f"{'':>13} {'':>8} {'':>8} {'':>8}"
    if loaded is not None:
        memory = (
            f"{loaded['seconds']:>13.3f} {against(loaded, counted, 'seconds'):>8} "
            f"{loaded['peak']:>8.0f} {against(loaded, counted, 'peak'):>8}"
        )
    return (
        f"{rows:>11,} {file['megabytes']:>8.1f} | {counted['seconds']:>8.3f} "
        f"{against(counted, first[0], 'seconds'):>6} {speed:>7.1f} {counted['peak']:>8.0f} "
        f"{against(counted, first[0], 'peak'):>6} | {len(counted['weights']):>8} {inferred['seconds']:>8.3f} "
        f"{against(inferred, first[1], 'seconds'):>6} {inferred['peak']:>8.0f} "
        f"{against(inferred, first[1], 'peak'):>6} | {memory}"
    )


if __name__ == "__main__":
    main()
