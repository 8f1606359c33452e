"""Text files that are written whole or not at all."""

import os
import stat
import sys
from pathlib import Path

import pytest

from bayesf1.base.text_files import write_atomic


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_is_written_and_written_over(tmp_path):
    path = tmp_path / "table.md"
    write_atomic(path, "first")
    write_atomic(str(path), "zweite λ\n")
    assert path.read_bytes() == "zweite λ\n".encode()
    assert names_in(tmp_path) == ["table.md"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    path = tmp_path / "table.md"
    path.write_text("old")

    def fail(*_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error), match=r"No space left on device.*table\.md|^$"):
        write_atomic(path, "new")
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_atomic(path, "\ud800")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["table.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")
def test_permissions_are_those_of_the_umask_or_of_the_old_file(tmp_path):
    path = tmp_path / "table.md"
    old = os.umask(0o027)
    try:
        write_atomic(path, "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_atomic(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.md").write_text("old")
    link = tmp_path / "link.md"
    link.symlink_to("real.md")
    write_atomic(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "real.md").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_device_is_written_to_and_not_replaced():
    write_atomic("/dev/null", "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize(("name", "message"), [(".", "is a folder"), ("no/where.md", "there is no folder")])
def test_a_folder_or_a_missing_one_is_refused(tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        write_atomic(tmp_path / name, "x")
    assert names_in(tmp_path) == []
