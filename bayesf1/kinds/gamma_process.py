"""Gamma processes cut to the atoms that carry mass: priors over more outcomes than could be listed."""

from __future__ import annotations

import math

import numpy as np

from bayesf1.base.arrays import FloatArray

# A process is cut where e^-14, a millionth, of its mass is left; that goes to its last atom.
_CUT = 14.0


def atoms_of(mass: float) -> int:
    """Return how many atoms of a gamma process of this mass carry all of it that matters."""
    return math.ceil(_CUT / math.log1p(1.0 / mass))


def break_sticks(mass: float, atoms: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw the atoms of a gamma process by stick-breaking (Sethuraman 1994), axes (draw, atom)."""
    left = rng.beta(mass, 1.0, size=(n, atoms)).cumprod(axis=1)
    left[:, -1] = 0.0
    return -np.diff(left, axis=1, prepend=1.0) * rng.standard_gamma(mass, size=(n, 1))
