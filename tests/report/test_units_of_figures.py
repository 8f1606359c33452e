"""Figures, tables and sentences have one unit and one kind of interval: points, and equal-tailed."""

import re

import matplotlib as mpl
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

import bayesf1 as bf
from bayesf1.report.units_of_figures import ends_of, signed

COUNTS = bf.from_counts(A=(77, 44, 10), B=(80, 30, 7))


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def ticks(axis):
    axis.get_figure().draw_without_rendering()
    return [
        (float(x), label.get_text())
        for x, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
    ]


def test_a_figure_a_table_and_a_sentence_say_the_same_interval():
    res = bf.compare(COUNTS)
    panel = bf.plot_difference(res)[2]
    (drawn,) = (text.get_text() for text in panel.texts if "%" in text.get_text())
    ends = re.search(r"\[(.*), (.*)\]", drawn).groups()
    assert f"[{ends[0]}, {ends[1]}]" in res.table.rows[2][3]
    assert f"{ends[0]} to {ends[1]}" in res.sentence()


def test_axes_are_in_percent_and_say_so():
    res = bf.compare(COUNTS)
    for panel, name in (
        (bf.plot_difference(res)[2], "Difference in F1 (points)"),
        (bf.plot_posterior(COUNTS)[2], "F1 (%)"),
        (bf.plot_intervals(bf.intervals(COUNTS, "A", rng=1)), "F1 (%)"),
        (bf.plot_intervals(bf.difference_intervals(COUNTS, "A", "B", rng=1)), "Difference in F1 (points)"),
        (bf.plot_classes({"x": res["f1"]}), "Difference in F1 (points)"),
    ):
        assert panel.get_xlabel().splitlines()[0] == name
        for x, text in ticks(panel.xaxis):
            assert float(text.replace("−", "-")) == pytest.approx(100 * x, abs=1e-6)


def test_a_density_over_points_integrates_to_one():
    panel = bf.plot_posterior(COUNTS, "f1")[0]
    for y, text in ticks(panel.yaxis):
        assert float(text.replace("−", "-")) == pytest.approx(0.01 * y)


def test_scores_of_another_scale_keep_it():
    ev = bf.from_scores({"A": [310.0, 290.0, 305.0] * 5, "B": [300.0, 280.0, 301.0] * 5}, name="Perplexity")
    panel = bf.plot_difference(bf.compare(ev))[0]
    assert panel.get_xlabel().startswith("Difference in Mean Perplexity")
    assert "points" not in panel.get_xlabel()
    assert any(abs(float(text.replace("−", "-"))) >= 1 for _, text in ticks(panel.xaxis))


def test_highest_density_is_drawn_where_asked_for():
    res = bf.compare(COUNTS)["precision"]
    (panel,) = bf.plot_difference(res, interval="hdi")
    low, high = res.difference.hdi(0.95)
    assert f"95 % HDI {signed(low, high)}" in [text.get_text() for text in panel.texts]
    assert ends_of(res.difference, 0.95, "equal-tailed") == res.difference.interval(0.95)
    with pytest.raises(ValueError, match=r"unknown interval 'HPD'; .*known: equal-tailed, hdi"):
        bf.plot_difference(res, interval="HPD")
