"""The mean over the corpora at hand, of which nothing is shrunk towards the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.evaluation.metric import Metric
from bayesf1.laws.random_effects import within

if TYPE_CHECKING:
    import xarray as xr


def suite_draws(
    groups: Mapping[str, xr.Dataset], measures: Sequence[Metric], shares: FloatArray
) -> FloatArray:
    """Return draws of the weighted mean, axes (chain, draw, model, measure); of the corpora's own posteriors, where known."""
    known, posterior = groups["constant_data"], groups["posterior"]
    if "covariance" not in known:
        return np.asarray(posterior["score_dataset"].values @ shares)
    mean = np.tensordot(shares, known["centre"].values, axes=1)
    spread = np.tensordot(np.square(shares), known["covariance"].values, axes=1)
    # The same draws each time that the fit is asked.
    rng = np.random.default_rng(0)
    lead = (posterior.sizes["chain"], posterior.sizes["draw"])
    drawn = [
        rng.multivariate_normal(mean[:, k], spread[..., k], lead, method="eigh") for k in range(mean.shape[1])
    ]
    return np.stack([within(each, m.support) for each, m in zip(drawn, measures, strict=True)], axis=-1)
