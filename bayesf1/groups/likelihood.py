"""What a model of the counts of several corpora must say: its density for the samplers, and what follows from its draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.groups.corpora import Groups
from bayesf1.groups.prior import HierarchicalPrior

Draws: TypeAlias = dict[str, FloatArray]


@dataclass(frozen=True)
class Likelihood(ABC):
    """A multinomial model of corpora; all its draws hold ``pi`` (..., block, outcome), the shares of the population.

    A new one is a file of this room that obeys this protocol, its rows in `fitting` and `saved`, and its words
    in `wording`.
    """

    name: ClassVar[str]

    groups: Groups
    prior: HierarchicalPrior

    @property
    def alpha(self) -> FloatArray:
        """Parameters of the Dirichlet prior of the population's shares, axes (block, outcome)."""
        return self.groups.alpha(self.prior.cells)

    # ---- for samplers -------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def start(self) -> FloatArray:
        """A point near the middle of the posterior, in coordinates without bounds."""

    @property
    @abstractmethod
    def log_density(self) -> Callable[..., float]:
        """The log posterior of such coordinates as a function that numba compiles.

        It takes coordinates, `fixed`, and an array into which it writes its gradient.
        """

    @property
    @abstractmethod
    def fixed(self) -> tuple[FloatArray | float, ...]:
        """What the log density is given beside coordinates: counts, prior, designs."""

    @abstractmethod
    def read(self, q: FloatArray) -> Draws:
        """Return what coordinates (..., number) stand for."""

    @abstractmethod
    def pymc_model(self) -> Any:
        """Return the model as PyMC has it."""

    def draws_of(self, named: Draws) -> Draws:
        """Return what draws of PyMC's variables, by name, stand for."""
        return named

    # ---- what follows from draws --------------------------------------------------------------------------

    @abstractmethod
    def prior_draws(self, n: int, rng: np.random.Generator) -> Draws:
        """Draw from the prior; ``shares`` of the corpora at hand are among the draws."""

    @abstractmethod
    def new_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Draw the shares of a new corpus, axes (..., block, outcome)."""

    @abstractmethod
    def corpus_shares(self, draws: Draws, rng: np.random.Generator) -> FloatArray:
        """Return the shares of the corpora at hand, axes (..., group, block, outcome)."""

    @abstractmethod
    def log_likelihood(self, draws: Draws) -> FloatArray:
        """Return the log likelihood of each corpus, its own effects integrated out, axes (..., group)."""
