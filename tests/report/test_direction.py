"""Curves, figures and words of a measure of which less is better."""

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.report.pair_report import PairReport
from bayesf1.report.rope_curve import rope_curves


@pytest.fixture(scope="module")
def losses():
    rng = np.random.default_rng(1)
    a = rng.gamma(2.0, 1.0, 40)
    return {"A": a, "B": a * rng.uniform(0.7, 1.25, 40)}


def test_a_curve_says_how_likely_b_is_lower_by_more(losses):
    res = bf.compare(bf.from_scores(losses, lower_is_better=True), rng=1)["mean"]
    (curve,) = rope_curves([res])
    for i in (3, 8):
        assert curve.greater[i] == pytest.approx(res.difference.cdf(-curve.margins[i]), abs=1e-9)
        assert curve.less[i] == pytest.approx(res.difference.sf(curve.margins[i]), abs=1e-9)
    assert curve.greater[3] > 0.5


def test_a_figure_is_blue_where_b_is_lower(losses):
    for lower in (False, True):
        res = bf.compare(bf.from_scores(losses, lower_is_better=lower), rng=1)["mean"]
        (panel,) = bf.plot_difference(res)
        blue = next(
            c for c in panel.collections if len(c.get_facecolor()) and c.get_facecolor()[0][3] == 0.35
        )
        x = blue.get_paths()[0].vertices[:, 0]
        assert (x.max() <= 1e-9) if lower else (x.min() >= -1e-9)
        (side,) = (t.get_ha() for t in panel.texts if t.get_text().startswith("P(H1)"))
        assert side == ("left" if lower else "right")


def test_a_report_says_that_h1_is_lower(losses):
    res = bf.compare(bf.from_scores(losses, lower_is_better=True), rng=1)
    assert "H1 says that B scores lower than A" in PairReport(res, "p", level=2).html()
