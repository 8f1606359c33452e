"""Options and files that are wrong in odd ways: exit code 2 and one line, no traceback, no hang, no memory without end."""

import os
import threading
from pathlib import Path

import pytest

from bayesf1.cli.main import main

ROWS = "".join(f"{i % 2},{(i + i // 5) % 2},{i % 2},d{i // 3}\n" for i in range(40))
LABELS = f"label,a,b,doc\n{ROWS}"
COUNTS = "model,tp,fp,fn,tn\nA,77,44,10,702\nB,80,30,7,716\n"
FILES = {
    "labels.csv": LABELS,
    "returns.csv": LABELS.replace("\n", "\r"),
    "long.csv": LABELS.replace("doc", "x" * 131_100, 1),
    "wide.csv": ",".join(f"c{i}" for i in range(30_000)) + "\n" + ROWS,
    "counts.csv": COUNTS,
    "signature.nc": b"\x89HDF\r\n\x1a\n" + bytes(5000),
    "classic.nc": b"CDF\x01" + b"\xff" * 500,
}
LOOPS = ("circle", "circle.svg", "circle.html", "circle.nc")
TASK = ["labels.csv", "--gold", "label", "--columns", "a,b", "--positive", "1"]

# Arguments after the program's name, and what the one line says.
COMMANDS = {
    "a model twice": (["compare", "labels.csv", "--gold", "label", "--columns", "a,a"], "'a' twice"),
    "an option twice": (["compare", *TASK, "--group", "doc", "--group", "a"], "--group is given twice"),
    "carriage returns": (["compare", "returns.csv", "--gold", "label"], "carriage return"),
    "a long header": (["compare", "long.csv", "--gold", "label"], "line 1"),
    "a wide header": (["compare", "wide.csv", "--gold", "label"], "no column 'label'"),
    "no confidence": (
        ["plan", "--half-width", "0.05", "--prevalence", "0.3", "--confidence-level", "1e-300"],
        "confidence_level is 1e-300",
    ),
    "no positives": (["plan", "--half-width", "0.05", "--prevalence", "5e-324"], "prevalence is a share above 0"),
    "no difference": (["plan", *TASK, "--difference", "1e-300"], "would take more than"),
    "a circle to read": (["compare", "circle"], "circle: Too many levels"),
    "a circle to write": (["compare", "counts.csv", "--output", "circle"], "circle: Too many levels"),
    "a circle for a figure": (["compare", "counts.csv", "--plot", "circle.svg"], "circle.svg: Too many levels"),
    "a circle for a page": (["compare", "counts.csv", "--report", "circle.html"], "circle.html: Too many levels"),
    "no folder to write to": (["compare", "counts.csv", "--plot", "no/fig.svg"], "there is no folder"),
    "a circle for a fit": (
        ["hierarchical", "x=counts.csv", "y=counts.csv", "--save", "circle.nc"],
        "circle.nc: Too many levels",
    ),
    "a fit of zeros": (["show", "signature.nc"], "signature.nc is not a netCDF file of draws"),
    "a fit of another kind": (["show", "classic.nc"], "classic.nc is not a netCDF file of draws"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name in LOOPS:
        (tmp_path / name).symlink_to(f"again-{name}")
        (tmp_path / f"again-{name}").symlink_to(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize(("argv", "message"), COMMANDS.values(), ids=COMMANDS)
def test_what_is_odd_gets_one_line_and_exit_code_2(argv, message, folder, capsys):
    before = sorted(path.name for path in folder.iterdir())
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bayesf1: ")
    assert err.count("\n") == 1
    assert message in err
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("option", ["--plot=full.svg", "--report=full.html"])
def test_the_answer_stands_where_a_figure_cannot_be_written(option, folder, capsys):
    (folder / option.partition("=")[2]).symlink_to("/dev/full")
    assert main(["compare", "counts.csv", option]) == 2
    out, err = capsys.readouterr()
    assert "P(H1)" in out
    assert err.endswith(": No space left on device\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(("content", "options"), [(COUNTS, []), (LABELS, TASK[1:])])
def test_a_pipe_is_read_once(content, options, folder, capsys):
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text(content), daemon=True)
    writer.start()
    assert main(["compare", "pipe", *options]) == 0
    assert "P(H1)" in capsys.readouterr().out
    writer.join(timeout=60)


def test_files_apart_are_told_to_stand_together(capsys):
    assert main(["compare", "a=a.csv", "--gold", "label", "b=b.csv"]) == 2
    assert (
        "unrecognized arguments: b=b.csv; give all files in a row, with no option between them"
        in capsys.readouterr().err
    )
