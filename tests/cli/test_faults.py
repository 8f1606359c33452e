"""What was found is told, and no file is harmed, when something goes wrong with a file or the program is ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bayesf1 as bf
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


WRITTEN = {"--output": "o.csv", "--report": "r.html", "--plot": "p.svg", "--save": "s.nc"}
# The options with files that a command writes.
WRITERS = {
    "compare": ("--output", "--report", "--plot"),
    "rank": ("--output", "--plot"),
    "hierarchical": ("--output", "--report", "--save"),
    "monitor": ("--output", "--save"),
}
SPELLINGS = {
    "as it is": lambda path: str(path),
    "with a dot": lambda path: f"{path.parent}/./{path.name}",
    "over a folder": lambda path: f"{path.parent}/../{path.parent.name}/{path.name}",
    "as a link": lambda path: link(path, os.symlink),
    "as a hard link": lambda path: link(path, os.link),
}


def link(path, make):
    other = path.with_name(f"other{path.suffix}")
    make(path, other)
    return str(other)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("command", "option"), [(c, option) for c, own in WRITERS.items() for option in own])
def test_no_option_writes_over_a_file_that_is_read(command, option, spelling, counts, tmp_path, capsys):
    path = counts.rename(tmp_path / f"counts{Path(WRITTEN[option]).suffix}")
    before = path.read_bytes()
    assert main([command, f"x={path}", f"y={path}", option, SPELLINGS[spelling](path)]) == 2
    told = capsys.readouterr()
    assert (told.out, path.read_bytes()) == ("", before)
    assert "is an input file" in told.err


@pytest.mark.parametrize(
    ("command", "read", "option"),
    # --save of the next look may replace --previous.
    [
        *(("compare", "--qrels", option) for option in WRITERS["compare"]),
        ("monitor", "--qrels", "--save"),
        ("monitor", "--previous", "--output"),
    ],
)
def test_no_option_writes_over_judgements_or_an_earlier_look(command, read, option, counts, tmp_path, capsys):
    other = tmp_path / f"other{Path(WRITTEN[option]).suffix}"
    other.write_text("q 0 d 1\n")
    assert main([command, str(counts), read, str(other), option, str(other)]) == 2
    assert "is an input file" in capsys.readouterr().err
    assert other.read_text() == "q 0 d 1\n"


@pytest.mark.parametrize(
    ("spelling", "exists"),
    # Only what exists can be linked.
    [*((spelling, True) for spelling in SPELLINGS), ("as it is", False), ("over a folder", False)],
)
@pytest.mark.parametrize(
    ("command", "one", "two"),
    [(c, one, two) for c, own in WRITERS.items() for i, one in enumerate(own) for two in own[i + 1 :]],
)
def test_two_options_never_write_one_file(command, one, two, spelling, exists, counts, tmp_path, capsys):
    path = tmp_path / "out.html"
    if exists:
        path.write_text("kept")
    words = [one, str(path), two, SPELLINGS[spelling](path)]
    assert main([command, f"x={counts}", f"y={counts}", *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "name one file" in told.err
    assert path.exists() == exists


def test_a_file_of_a_folder_that_is_read_is_not_written_over_but_another_may_be(tmp_path, capsys):
    for name in ("0.json", "1.json"):
        bf.from_counts(A=(7, 4, 1), B=(8, 3, 0)).save(tmp_path / name)
    (tmp_path / "table.csv").write_text("old")
    assert main(["compare", str(tmp_path), "--output", str(tmp_path / "1.json")]) == 2
    assert "is an input file" in capsys.readouterr().err
    assert main(["compare", str(tmp_path), "--output", str(tmp_path / "table.csv")]) == 0
    assert "f1" in (tmp_path / "table.csv").read_text()


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
