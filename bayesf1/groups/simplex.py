"""Points of a simplex: shares of outcomes, drawn and in coordinates without bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray


def softmax(logits: FloatArray) -> FloatArray:
    """Return the shares that logits along the last axis stand for."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_softmax(logits: FloatArray) -> FloatArray:
    """Return the logarithms of the shares that logits along the last axis stand for."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def contrasts(n: int) -> FloatArray:
    """Return an orthonormal basis (n - 1, n) of the logits that sum to 0, Helmert's.

    Examples
    --------
    >>> basis = contrasts(3)
    >>> np.abs(basis @ basis.T - np.eye(2)).max() < 1e-15, np.abs(basis.sum(axis=1)).max() < 1e-15
    (np.True_, np.True_)
    """
    rows = np.arange(1, n)[:, None]
    columns = np.arange(n)
    helmert = np.where(columns < rows, 1.0, np.where(columns == rows, -rows, 0.0))
    return np.asarray(helmert / np.sqrt(rows * (rows + 1.0)))


def draw_dirichlet(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw shares with Dirichlet parameters along the last axis, however small they are."""
    # log of Gamma(a) = log of Gamma(a + 1) + log(U)/a, which does not underflow.
    logs = np.log(rng.standard_gamma(alpha + 1.0))
    return softmax(logs - rng.standard_exponential(alpha.shape) / np.maximum(alpha, 1e-300))


def draw_counts(totals: ArrayLike, shares: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw multinomial counts for totals, rounded to whole numbers, and shares along the last axis."""
    whole = np.rint(np.asarray(totals, dtype=np.float64)).astype(np.int64)
    return rng.multinomial(whole, shares / shares.sum(axis=-1, keepdims=True)).astype(np.float64)
