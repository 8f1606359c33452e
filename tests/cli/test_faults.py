"""What was found is told, and no file is harmed, when something goes wrong with a file or the program is ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bayesf1.cli.main import main


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("model,tp,fp,fn\nA,77,44,10\nB,80,30,7\n")
    return path


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_the_verdict_is_told_before_the_fit_is_saved(counts, tmp_path, capsys):
    target = tmp_path / "fit.nc"
    target.symlink_to("/dev/full")
    assert main(["hierarchical", f"x={counts}", f"y={counts}", "--rng", "1", "--save", str(target)]) == 2
    told = capsys.readouterr()
    assert "On the average corpus" in told.out
    assert "No space left" in told.err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".bayesf1")] == []


@pytest.mark.parametrize("option", ["--save", "--report", "--output"])
def test_a_folder_in_place_of_a_file_is_refused_before_anything_is_computed(option, counts, tmp_path, capsys):
    target = tmp_path / {"--save": "fit.nc", "--report": "fit.html", "--output": "fit.txt"}[option]
    target.mkdir()
    assert main(["hierarchical", f"x={counts}", f"y={counts}", option, str(target)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "which is a folder" in told.err


@pytest.mark.skipif(not hasattr(signal, "SIGTERM") or os.name != "posix", reason="needs POSIX pipes")
def test_a_program_that_is_ended_leaves_no_part_of_a_file(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from bayesf1.cli import main as m\n"
        "def run(args):\n"
        "    from bayesf1.base import text_files\n"
        "    text_files.os.fsync = lambda _: (print('writing', flush=True), time.sleep(60))\n"
        f"    text_files.write_atomic({str(tmp_path / 'out.txt')!r}, 'x' * 1000)\n"
        "m.COMMANDS['demo'] = m.COMMANDS['demo']._replace(run=run)\n"
        "sys.exit(m.main(['demo']))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "writing\n"
        assert list(tmp_path.iterdir())
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=60) == 143
    assert not list(tmp_path.iterdir())


def test_an_interruption_while_modules_load_prints_one_line():
    code = (
        "import sys, runpy\n"
        "class Interrupted:\n"
        "    def find_spec(name, *others):\n"
        "        if name == 'bayesf1.cli.commands':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted)\n"
        "runpy.run_module('bayesf1', run_name='__main__')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "bayesf1: interrupted\n")
