"""The same shards counted by every engine that is installed, by a cluster, and by processes that leave nothing but files.

Rows of labels lie in Parquet shards. DuckDB, Polars, Dask (a cluster of two workers on this computer), PySpark and Ibis
count them by `from_frame`; Dask also a shard a task, and two processes by themselves, which save what they counted by
`ev.save`. Every evaluation must equal the first. A way is a process of its own; its memory is that of the process and all
that it started, with what several share counted once (Linux tells). Ratios are to the first engine of the same run.
Then `cross_validate` runs on joblib's Dask backend, and must give what it gives in one process.

    python benchmarks/distributed.py --rows 1e7
    python benchmarks/distributed.py --rows 1e8 --only duckdb,polars,files
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# The folder of this file comes last: Dask imports a package that is called as the file is.
if __name__ == "__main__":
    sys.path.append(sys.path.pop(0))

from timing import timed

WORKERS = 2
PARTS = ["label", "bert", "crf"]
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


def write(folder: Path, rows: int, shards: int) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set preserve_insertion_order = false")
    for i in range(shards):
        query = QUERY.format(start=rows * i // shards, stop=rows * (i + 1) // shards)
        connection.sql(query).write_parquet(str(folder / f"{i:04}.parquet"), row_group_size=500_000)


# ---- one engine -------------------------------------------------------------------------------------------


def duckdb_way(folder: Path) -> Any:
    import duckdb

    import bayesf1 as bf

    return bf.from_frame(duckdb.connect().read_parquet(str(folder / "*.parquet")), **COLUMNS)


def polars_way(folder: Path) -> Any:
    import polars as pl

    import bayesf1 as bf

    pl.Config.set_engine_affinity("streaming")
    return bf.from_frame(pl.scan_parquet(folder / "*.parquet"), **COLUMNS)


def ibis_way(folder: Path) -> Any:
    import ibis

    import bayesf1 as bf

    return bf.from_frame(ibis.duckdb.connect().read_parquet(str(folder / "*.parquet")), **COLUMNS)


# ---- a cluster --------------------------------------------------------------------------------------------


@contextmanager
def dask_cluster() -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def dask_way(folder: Path) -> Any:
    import dask.dataframe as dd

    import bayesf1 as bf

    with dask_cluster():
        # A row group a partition: what a worker holds at a time.
        frame = dd.read_parquet(folder, columns=PARTS, split_row_groups=True)
        return bf.from_frame(frame, **COLUMNS)


def count_shard(path: Path) -> Any:
    import duckdb

    import bayesf1 as bf

    # Workers are many: each counts on one thread.
    connection = duckdb.connect(config={"threads": 1})
    return bf.from_frame(connection.read_parquet(str(path)), **COLUMNS)


def dask_shards_way(folder: Path) -> Any:
    with dask_cluster() as client:
        return sum(client.gather(client.map(count_shard, sorted(folder.glob("*.parquet")))))


def pyspark_way(folder: Path) -> Any:
    from pyspark.sql import SparkSession

    import bayesf1 as bf

    settings = {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": WORKERS,
    }
    builder = SparkSession.builder.master(f"local[{WORKERS}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        return bf.from_frame(session.read.parquet(str(folder)), **COLUMNS)
    finally:
        session.stop()


# ---- shards and files -------------------------------------------------------------------------------------


def save_shard(path: Path) -> None:
    count_shard(path).save(path.with_suffix(".json"))


def files_way(folder: Path) -> Any:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    import bayesf1 as bf

    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        list(pool.map(save_shard, sorted(folder.glob("*.parquet"))))
    found = sum(map(bf.load, sorted(folder.glob("*.json"))))
    for path in folder.glob("*.json"):
        path.unlink()
    return found


# What each way is called, what it needs, and what it is.
WAYS: dict[str, tuple[str, tuple[str, ...], Callable[[Path], Any]]] = {
    "duckdb": ("DuckDB", ("duckdb",), duckdb_way),
    "polars": ("Polars, streaming", ("polars",), polars_way),
    "ibis": ("Ibis on DuckDB", ("ibis", "duckdb"), ibis_way),
    "dask": ("Dask, a frame", ("dask.dataframe", "distributed"), dask_way),
    "dask-shards": ("Dask, a shard a task", ("distributed", "duckdb"), dask_shards_way),
    "pyspark": ("PySpark", ("pyspark",), pyspark_way),
    "files": ("two processes and files", ("duckdb",), files_way),
}


def crossed() -> tuple[float, float, bool]:
    """Cross-validate in one process and on a cluster: seconds of both, and whether they agree."""
    import joblib
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    import bayesf1 as bf

    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 20))
    y = (x[:, :5].sum(axis=1) + rng.normal(size=4000) > 0).astype(int)
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression()}

    def run(n_jobs: int) -> Any:
        return bf.cross_validate(models, x, y, cv=bf.BlockedCV(m=3, rng=1), n_jobs=n_jobs)

    alone, expected = timed(lambda: run(1))
    with dask_cluster(), joblib.parallel_config(backend="dask"):
        run(WORKERS)
        together, found = timed(lambda: run(WORKERS))
    return alone, together, found == expected


# ---- measuring --------------------------------------------------------------------------------------------


def is_installed(modules: tuple[str, ...]) -> bool:
    try:
        return all(importlib.util.find_spec(name) is not None for name in modules)
    except ModuleNotFoundError:
        return False


def children(pid: int) -> Iterator[int]:
    """Yield all that a process started, and what these started."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in found:
            yield child
            yield from children(child)


def memory_of(family: list[int]) -> float:
    """Return megabytes of some processes; what several share is counted once."""
    total = 0.0
    for pid in family:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3
    return total


def work_of(family: list[int]) -> dict[int, float]:
    """Return seconds that each of some processes has worked so far."""
    found = {}
    for pid in family:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def alone(way: str, folder: Path, saved: Path) -> tuple[float, float, float]:
    """Run a way in a process of its own: seconds by the clock and of all processors, and the peak of memory in megabytes."""
    command = [sys.executable, __file__, "--way", way, "--folder", str(folder), "--saved", str(saved)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak, worked, done = 0.0, dict[int, float](), threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.1):
            family = [process.pid, *children(process.pid)]
            peak = max(peak, memory_of(family))
            worked.update(work_of(family))

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, err = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{way}: {err[-2000:]}")
    return float(out.split()[-1]), sum(worked.values()), peak


def measure(rows: int, shards: int, ways: list[str]) -> Iterator[str]:
    """Yield a line for each way."""
    import bayesf1 as bf

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "shards")
        folder.mkdir()
        write(folder, rows, shards)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        yield f"{rows:,} rows in {shards} shards, {size:,.0f} MB of Parquet\n"
        yield f"{'way':<24} {'seconds':>8} {'ratio':>6} {'CPU s':>7} {'peak MB':>8}  equal"
        first: tuple[float, Any] | None = None
        for way in ways:
            title, needs, _ = WAYS[way]
            if not is_installed(needs):
                yield f"{title:<24} not installed"
                continue
            saved = Path(name, f"{way}.json")
            seconds, worked, peak = alone(way, folder, saved)
            ev = bf.load(saved)
            first = first or (seconds, ev)
            equal = "yes" if ev == first[1] else "NO"
            yield f"{title:<24} {seconds:>8.2f} {seconds / first[0]:>6.2f} {worked:>7.1f} {peak:>8.0f}  {equal}"
        assert first is not None
        start = time.perf_counter()
        bf.compare(first[1], metrics="f1", rng=0)
        yield f"\ninference on what was counted: {time.perf_counter() - start:.3f} s"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    number = {"type": lambda text: int(float(text))}
    parser.add_argument("--rows", default=10**6, help="how many rows there are", **number)
    parser.add_argument("--shards", default=10, help="in how many files", **number)
    parser.add_argument("--only", help=f"some of {','.join(WAYS)},crossed")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--saved", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        seconds, ev = timed(lambda: WAYS[options.way][2](options.folder))
        ev.save(options.saved)
        print(seconds)
        return
    asked = options.only.split(",") if options.only else [*WAYS, "crossed"]
    if strange := [name for name in asked if name not in (*WAYS, "crossed")]:
        parser.error(f"--only knows {', '.join(WAYS)} and crossed, not {', '.join(strange)}")
    for line in measure(options.rows, options.shards, [way for way in WAYS if way in asked]):
        print(line, flush=True)
    if "crossed" in asked and is_installed(("distributed", "sklearn")):
        here, there, equal = crossed()
        print(
            f"cross_validate on {WORKERS} workers of Dask: {there:.2f} s, in one process {here:.2f} s "
            f"({there / here:.2f}), {'equal' if equal else 'NOT EQUAL'}"
        )


if __name__ == "__main__":
    main()
