"""What arguments must be: one sentence for each that is not."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import Argument, WordedError

RNGLike: TypeAlias = np.random.Generator | int | None


def is_number(value: Any) -> bool:
    """Say whether a value is a number, which True is not."""
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number by its type, which True is not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_whole(value: Any, name: str, least: int, exponent: int) -> int:
    """Return a whole number from `least` to a power of ten, or say that it is none."""
    if not is_whole(value) or not least <= value <= 10**exponent:
        raise WordedError(
            Argument(name), f" must be a whole number from {least} to 1e{exponent}, not {value!r}"
        )
    return int(value)


def check_prob(prob: float, name: str = "prob") -> float:
    """Return a credible mass, or say that it is not strictly between 0 and 1."""
    if isinstance(prob, bool) or not isinstance(prob, float | int | np.floating) or not 0.0 < prob < 1.0:
        raise WordedError(Argument(name), f" must lie strictly between 0 and 1 (0.95 for 95 %), not {prob!r}")
    return float(prob)


def check_unmasked(values: Any, where: str) -> None:
    """Say which entry of a masked array is masked: numpy would take what stands below the mask."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        place = ", ".join(str(int(i) + 1) for i in np.argwhere(np.ma.getmaskarray(values))[0])
        raise ValueError(f"{where} is masked at entry {place}; drop or fill it first")


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
