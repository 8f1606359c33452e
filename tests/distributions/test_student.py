import math

import numpy as np
import pytest
from scipy import stats

from bayesf1.distributions.student_t import StudentT

LAWS = [(0.02, 0.01, 3), (-1.0, 2.5, 5), (0.7, 0.03, 29), (0.0, 1e-6, 2), (0.3, 0.2, 1)]
X = np.array([-3.0, -0.5, 0.0, 0.015, 0.2, 0.9])
Q = np.array([1e-6, 0.025, 0.3, 0.5, 0.975])


@pytest.mark.parametrize(("location", "scale", "df"), LAWS)
def test_it_is_scipys_law(location, scale, df):
    ours, theirs = StudentT(location, scale, df), stats.t(df, location, scale)
    for name in ("pdf", "logpdf", "cdf", "sf"):
        np.testing.assert_allclose(getattr(ours, name)(X), getattr(theirs, name)(X), rtol=1e-10, err_msg=name)
    for name in ("ppf", "isf"):
        np.testing.assert_allclose(
            getattr(ours, name)(Q), getattr(theirs, name)(Q), rtol=1e-9, atol=1e-12 * scale
        )
    assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9), rel=1e-9)
    assert ours.hdi(0.9) == ours.interval(0.9)
    assert (ours.mode(), ours.median()) == pytest.approx((location, location), abs=1e-12)
    assert stats.kstest(ours.rvs(4000, rng=1), theirs.cdf).pvalue > 1e-3


def test_moments_are_as_the_law_has_them():
    assert StudentT(0.5, 0.1, 5).var() == pytest.approx(float(stats.t(5, 0.5, 0.1).var()))
    assert (StudentT(0.5, 0.1, 2).mean(), StudentT(0.5, 0.1, 2).var()) == (0.5, math.inf)
    assert math.isnan(StudentT(0.5, 0.1, 1).mean())
    assert math.isnan(StudentT(0.5, 0.1, 1).var())


def test_quantiles_end_at_the_support():
    distribution = StudentT(0.95, 0.1, 2, support=(0.0, 1.0))
    assert distribution.interval(0.95)[1] == 1.0
    assert (distribution.sf(0.99) > 0.2, distribution.sf(1.0), distribution.pdf(1.1)) == (True, 0.0, 0.0)
