"""A disk that is full or read-only costs no verdict and harms no file, and what is wrong is said in one line."""

import errno
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from killed_programs import COUNTS, fit_in

import bayesf1 as bf
from bayesf1.cli.main import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")

EV = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))


def _mount(*options):
    if os.geteuid() or shutil.which("mount") is None:
        return False
    return subprocess.run(["mount", *options], capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path):
    """A disk of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)):
        pytest.skip("needs the right to mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(disk):
    with (disk / "filler").open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(b"x" * 4096)
    return sorted(path.name for path in disk.iterdir())


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(COUNTS)
    return path


SAVED = {
    "fit.nc": lambda path: fit().save(path),
    "fig.png": lambda path: bf.save_plot(bf.plot_posterior(EV), path),
}


every_file = pytest.mark.parametrize("name", ["fit.nc", pytest.param("fig.png", marks=pytest.mark.long)])


def fit():
    return bf.hierarchical({"x": EV, "y": EV}, rng=1, draws=200)


@every_file
def test_what_a_full_disk_holds_is_not_replaced_by_a_part(name, disk):
    SAVED[name](disk / name)
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    fill(disk)
    with pytest.raises(OSError, match="No space left on device"):
        SAVED[name](disk / name)
    assert {
        path: path.read_bytes() for path in disk.rglob("*") if path.is_file() and path in before
    } == before
    assert not [path for path in disk.iterdir() if path.name.startswith(".bayesf1")]


def test_the_verdict_is_told_though_the_disk_is_full(disk, counts, capsys):
    there = fill(disk)
    code = main(
        ["hierarchical", f"x={counts}", f"y={counts}", "--draws", "500", "--save", str(disk / "fit.nc")]
    )
    told = capsys.readouterr()
    assert code == 2
    assert "On the average corpus" in told.out
    assert told.err.splitlines()[-1].endswith("No space left on device")
    assert "Traceback" not in told.err
    assert sorted(path.name for path in disk.iterdir()) == there


def test_fits_that_were_kept_before_the_disk_was_full_are_kept(disk):
    folder = disk / "fits"
    expected = fit_in(folder)
    lost = sorted(folder.iterdir())[-3:]
    kept = [path for path in folder.iterdir() if path not in lost]
    for path in lost:
        path.unlink()
    fill(disk)
    with pytest.raises(OSError, match="No space left on device"):
        fit_in(folder)
    assert sorted(folder.iterdir()) == sorted(kept)
    (disk / "filler").unlink()
    assert fit_in(folder) == expected


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_table_to_a_full_device_is_one_line(counts, capsys):
    assert main(["compare", str(counts), "--format", "csv", "--output", "/dev/full"]) == 2
    assert capsys.readouterr().err == "bayesf1: /dev/full: No space left on device\n"


@every_file
def test_a_read_only_disk_stays_as_it_is(name, disk):
    SAVED[name](disk / name)
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    assert _mount("-o", "remount,ro", str(disk))
    with pytest.raises(OSError, match=r"Read-only file system|Permission denied"):
        SAVED[name](disk / name)
    assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before


def test_fits_on_a_read_only_disk_are_read(disk):
    folder = disk / "fits"
    expected = fit_in(folder)
    assert _mount("-o", "remount,ro", str(disk))
    assert np.array_equal(fit_in(folder).folds.counts, expected.folds.counts)


def test_a_fit_needs_no_folder_for_temporary_files(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    fit().save(tmp_path / "fit.nc")
    assert bf.load_fit(tmp_path / "fit.nc").datasets == ("x", "y")
