"""The figures of a page, which are written as SVG, show what those of matplotlib show, and where."""

import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.ticker import MaxNLocator

import bayesf1 as bf
from bayesf1.report.density_svg import difference_svg, round_numbers, scores_svg
from bayesf1.report.plot_style import COLOURS, STEPS
from bayesf1.report.plots import plot_difference

SVG = "{http://www.w3.org/2000/svg}"
LONG = ("bert-base-multilingual-cased-finetuned-conll03", "a-rather-long-name-of-another-model")


def paired():
    rng = np.random.default_rng(1)
    gold = rng.random(400) < 0.4
    said = {
        name: np.where(rng.random(400) < share, gold, ~gold).astype(int)
        for name, share in (("A", 0.8), ("B", 0.83))
    }
    return bf.from_labels(gold.astype(int), said, positive=1)


COMPARISONS = {
    "exact": lambda: bf.compare(bf.load_example("wang-li-org"), rope=0.01)["f1"],
    "paired": lambda: bf.compare(paired(), metrics="precision", rope=0.02)["precision"],
    "no percent": lambda: bf.compare(paired(), metrics="mcc")["mcc"],
    "lower is better": lambda: bf.compare(
        bf.from_correct({"A": [1, 0, 1, 1, 0] * 9, "B": [0, 1, 1, 1, 0] * 9}), metrics="error_rate"
    )["error_rate"],
    "long names": lambda: bf.compare(
        bf.from_counts(dict(zip(LONG, ((77, 44, 10), (83, 9, 14)), strict=True))), metrics="f1"
    )["f1"],
    "alike": lambda: bf.compare(
        bf.from_units({"A": [(3, 0, 0)] * 9, "B": [(3, 0, 0)] * 9}, unit="sentence"), metrics="f1"
    )["f1"],
}


def parsed(svg):
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def points(path):
    return np.array([[float(x) for x in pair.split()] for pair in re.split("[ML]", path)[1:]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMPARISONS)
def test_the_difference_is_where_matplotlib_draws_it(name):
    c = COMPARISONS[name]()
    svg, frame = difference_svg(c, "f")
    root = parsed(svg)
    # The region is drawn by the slider of the page.
    (panel,) = plot_difference(replace(c, rope=0.0))
    panel.figure.draw_without_rendering()
    low, high = panel.get_xlim()
    assert frame.zero + frame.scale * np.array([low, high]) == pytest.approx(
        [frame.left, frame.right], abs=1e-6
    )
    shown = texts(root)
    inside = [tick for tick in panel.get_xticks() if low <= tick <= high]
    assert [float(text.replace("−", "-")) for text in shown[3 : 3 + len(inside)]] == pytest.approx(
        (100.0 if c.measure.percent else 1.0) * np.array(inside)
    )
    assert shown[:3] == [text.get_text() for text in panel.texts]
    assert shown[3 + len(inside) : 5 + len(inside)] == [panel.get_xlabel(), panel.get_ylabel()]
    assert " ".join(shown[5 + len(inside) :]) == panel.figure.get_supxlabel().replace("\n", " ")
    curve, bar = panel.lines if len(panel.lines) == 2 else (None, *panel.lines)
    drawn = {path.get("stroke-width"): path.get("d") for path in root.iter(f"{SVG}path")}
    scale = (frame.bottom - frame.top) / panel.get_ylim()[1]
    for line, width in ((curve, "1.2"), (bar, "2.5")):
        if line is not None:
            x, y = line.get_data()
            at = np.transpose(
                [frame.zero + frame.scale * np.asarray(x), frame.bottom - scale * np.asarray(y)]
            )
            assert points(drawn[width]) == pytest.approx(at, abs=0.006)
    plt.close("all")


def _within(numbers, low, high):
    return [x for x in numbers if low - 1e-9 * (high - low) <= x <= high + 1e-9 * (high - low)]


@pytest.mark.parametrize(
    "span", [(-0.058, 0.066), (0.3, 0.31), (-1.0, 1.0), (0.0, 0.004), (12.0, 250.0), (-3e-5, 2e-5)]
)
def test_numbers_of_an_axis_are_those_of_matplotlib(span):
    found = MaxNLocator(nbins=4, steps=STEPS, min_n_ticks=2).tick_values(*span)
    assert round_numbers(*span) == pytest.approx(_within(found, *span), abs=1e-12)


def test_the_blue_side_is_where_b_is_better():
    for name, side in (("exact", 1.0), ("lower is better", -1.0)):
        c = COMPARISONS[name]()
        svg, frame = difference_svg(c, "f")
        fills = {
            path.get("fill"): path.get("d") for path in parsed(svg).iter(f"{SVG}path") if path.get("fill")
        }
        for fill, sign in ((COLOURS[0], side), ("url(#f-hatch)", -side)):
            x = points(fills[fill].partition("H")[0])[:, 0]
            assert (sign * (x - frame.zero) >= -0.006).all()


@pytest.mark.parametrize(("name", "rows"), [("exact", 1), ("long names", 2)])
def test_scores_are_marked_at_their_peaks_and_named_below(name, rows):
    c = COMPARISONS[name]()
    root = parsed(scores_svg(c, "f"))
    first, second = (
        points(path.get("d")) for path in root.iter(f"{SVG}path") if (path.get("d") or "").count("L") > 99
    )
    disk, square = next(root.iter(f"{SVG}circle")), next(root.iter(f"{SVG}rect"))
    # Rounding leaves several points at the top.
    assert float(disk.get("cy")) == first[:, 1].min()
    assert float(disk.get("cx")) in first[first[:, 1] == first[:, 1].min(), 0]
    assert float(square.get("y")) + 2.5 == pytest.approx(second[:, 1].min(), abs=0.011)
    *_, one, two = root.iter(f"{SVG}text")
    assert len({one.get("y"), two.get("y")}) == rows
    assert two.text == c.model_b


def test_runs_of_a_method_are_points_below_its_curve():
    rng = np.random.default_rng(0)
    gold = rng.random(300) < 0.5
    said = {
        name: {f"s{i}": np.where(rng.random(300) < 0.8, gold, ~gold).astype(int) for i in range(3)}
        for name in "AB"
    }
    ev = bf.from_labels(gold.astype(int), said, positive=1)
    c = bf.compare(ev, metrics="f1", n_draws=2000)["f1"]
    root = parsed(scores_svg(c, "f"))
    # One marks the peak, one stands in the legend.
    assert len(list(root.iter(f"{SVG}circle"))) == len(list(root.iter(f"{SVG}rect"))) == 3 + 2


def test_a_name_is_no_markup():
    c = bf.compare(bf.from_counts({"<b>&": (77, 44, 10), "B": (83, 9, 14)}), metrics="f1")["f1"]
    for svg in (difference_svg(c, "f")[0], scores_svg(c, "f")):
        assert "<b>" not in svg
        assert any("<b>&" in text for text in texts(parsed(svg)))


def test_a_page_of_models_without_classes_needs_no_matplotlib():
    program = (
        "import sys; from bayesf1 import compare, load_example; from bayesf1.report.html import report_html; "
        "report_html(compare(load_example('wang-li-org'), rope=0.01)); sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
