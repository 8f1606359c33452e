import doctest
import re

import numpy as np
from matplotlib.image import imread

import bayesf1 as bf
from builders import ROOT

README = ROOT / "README.md"


def test_examples_of_the_readme_give_what_they_show():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=flags)
    assert tried >= 5
    assert failed == 0


def test_the_two_commands_stand_once_each_at_the_top():
    lines = re.findall(r"^python3 -m venv .*$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(lines) == 2
    assert lines[0].endswith("bayesf1 demo")
    assert "pytest" in lines[1]


def test_the_readme_is_as_long_as_a_newcomer_reads():
    assert len(README.read_text(encoding="utf-8").split()) <= 900


def test_the_figure_is_as_it_is_drawn_now(tmp_path):
    wnut = bf.load_example("wnut17")
    res = bf.compare(wnut, "SpinningBytes", "UH-RiTUAL", rope=0.01, rng=2017)
    bf.save_plot(bf.plot_difference(res), tmp_path / "drawn.png")
    quoted, drawn = (
        imread(path) for path in (README.parent / "docs/wnut17_difference.png", tmp_path / "drawn.png")
    )
    assert quoted.shape == drawn.shape
    # Versions of matplotlib set letters a little differently; other words or another axis change a twentieth of all dots.
    assert np.mean(np.abs(quoted - drawn).max(axis=-1) > 0.25) < 0.02
