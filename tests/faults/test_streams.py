"""Every command bears a reader that leaves, a closed or full output, a locale without letters, and a narrow terminal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bayesf1 as bf
from bayesf1.cli.main import BROKEN_PIPE, main
from builders import on_terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")

COMMANDS = {
    "compare": ("compare", "zählung.csv"),
    **{
        name: pytest.param(arguments, marks=pytest.mark.long)
        for name, arguments in {
            "rank": ("rank", "zählung.csv"),
            "interval": ("interval", "zählung.csv"),
            "test": ("test", "labels.csv", "--gold", "gold", "--positive", "gut"),
            "plan": ("plan", "--half-width", "0.02", "--prevalence", "0.3"),
            "hierarchical": ("hierarchical", "x=zählung.csv", "y=zählung.csv", "--draws", "500"),
            "show": ("show", "fit.nc"),
            "demo": ("demo",),
            "help": ("compare", "--help"),
        }.items()
    },
}
every_command = pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS.keys())
# Answers are written by one function, help by argparse, and a story before its answers.
WAYS = ("compare", "demo", "help")
every_way = pytest.mark.parametrize("arguments", [COMMANDS[name] for name in WAYS], ids=WAYS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("streams")
    (tmp_path / "zählung.csv").write_text("model,tp,fp,fn\nKäse,77,44,10\n日本,80,30,7\n", encoding="utf-8")
    rows = ["gold,Käse,日本", *(["gut,gut,übel", "gut,gut,gut", "übel,gut,übel", "übel,übel,übel"] * 10)]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ev = bf.from_counts(Käse=(77, 44, 10), 日本=(80, 30, 7))
    bf.hierarchical({"x": ev, "y": ev}, rng=1, draws=200).save(tmp_path / "fit.nc")
    return tmp_path


def spawn(arguments, folder, *, before=(), env=None, **streams):
    return subprocess.run(
        [*before, sys.executable, "-m", "bayesf1", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(bf.__file__).parents[1]), **(env or {})},
        timeout=120,
        check=False,
        stderr=subprocess.PIPE,
        **streams,
    )


@every_way
def test_a_reader_that_leaves_is_no_error(arguments, folder):
    read, write = os.pipe()
    os.close(read)
    done = spawn(arguments, folder, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr.decode()) == (BROKEN_PIPE, "")


@pytest.mark.long
@every_way
def test_a_closed_output_is_one_line(arguments, folder):
    done = spawn(arguments, folder, before=("sh", "-c", 'exec "$@" >&-', "sh"))
    said = done.stderr.decode()
    assert said.startswith("bayesf1: standard output is closed")
    assert (said.count("\n"), "--output" in said) == (1, True)
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@every_way
def test_a_full_output_is_one_line(arguments, folder):
    with Path("/dev/full").open("wb") as full:
        done = spawn(arguments, folder, stdout=full)
    assert (done.returncode, done.stderr.decode()) == (2, "bayesf1: No space left on device\n")


@every_way
def test_a_locale_without_letters_changes_no_byte(arguments, folder):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    bare = spawn(arguments, folder, env=plain, stdout=subprocess.PIPE)
    assert (bare.returncode, bare.stderr.decode()) == (0, "")
    rich = spawn(arguments, folder, env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}, stdout=subprocess.PIPE)
    assert bare.stdout.decode("utf-8") == rich.stdout.decode("utf-8")


@every_command
@pytest.mark.long
def test_a_terminal_of_20_columns_shows_every_number(arguments, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main([*arguments]) == 0
    narrow = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(*arguments, folder=folder, width=20))
    plain = capsys.readouterr().out
    assert {*re.findall(r"\d+\.\d+", narrow)} == {*re.findall(r"\d+\.\d+", plain)}
