"""What arguments must be: one sentence for each that is not."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import Argument, WordedError

RNGLike: TypeAlias = np.random.Generator | int | None


def check_prob(prob: float, name: str = "prob") -> float:
    """Return a credible mass, or say that it is not strictly between 0 and 1."""
    if isinstance(prob, bool) or not isinstance(prob, float | int | np.floating) or not 0.0 < prob < 1.0:
        raise WordedError(Argument(name), f" must lie strictly between 0 and 1 (0.95 for 95 %), not {prob!r}")
    return float(prob)


def check_levels(q: ArrayLike) -> FloatArray:
    """Return probabilities as an array, or say which is none."""
    array = np.asarray(q, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        raise ValueError(f"probabilities lie between 0 and 1, not {array[bad].flat[0]:g}")
    return array


def check_rng(rng: RNGLike) -> np.random.Generator:
    """Return a source of randomness, or say that it is none."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(
            f"rng must be a numpy Generator, a whole number from 0, or None, not {rng!r}"
        ) from None


def check_draws(n_draws: int) -> int:
    """Return a number of draws, or say that it is none."""
    whole = (
        isinstance(n_draws, int | np.integer | float) and not isinstance(n_draws, bool) and n_draws % 1 == 0
    )
    if not whole or not 100 <= n_draws <= 10**9:
        raise ValueError(f"n_draws must be a whole number from 100 to 1e9, not {n_draws!r}")
    return int(n_draws)
