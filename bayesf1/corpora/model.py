"""The parts that both hierarchical models have: a prior, posterior draws of scores by question, and diagnostics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import counted as number_of, quoted
from bayesf1.corpora.data import QUESTIONS, ObservedScores
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE
from bayesf1.output.arviz import Variables
from bayesf1.units import Assumption

if TYPE_CHECKING:
    import xarray as xr

MAX_R_HAT = 1.01
MIN_ESS = 400.0
# The axes of scores by question.
DIMS = ("chain", "draw", "system", "measure", "question")


@dataclass(frozen=True)
class HierarchicalPrior:
    """The prior of a hierarchical model.

    Attributes
    ----------
    cells
        λ of the Dirichlet(λ) on every cell of a model's table: in each corpus under the likelihood ``"scores"``, by default
        as in `compare`; in the population under ``"multinomial"``, by default 1, and 4/K² for the K×K cells of K classes.
    spread, difficulty, tails
        Scales and degrees of freedom of the half-t priors under the likelihood ``"scores"``: of how much the difference
        of two models varies from corpus to corpus, 5 points, and of how much corpora differ in difficulty, 20 points.
        Scores beyond 1, as BLEU in percent, take the largest as their unit. Few corpora that differ wildly need a
        wider spread: where differences vary by 10 points, the 95 % interval of the average over two to five corpora
        covers .92 to .93 at the default and .95 to .99 at 0.1, at the price of longer ones where they vary less.
    kappa, log_kappa_sd
        Median of κ, how alike corpora are under the likelihood ``"multinomial"``, and the standard deviation of log κ,
        which is normal. At κ = 100 a recall of 80 % varies by 4 points from corpus to corpus; two standard deviations
        reach from κ = 2, where corpora have hardly anything in common, to κ = 5,000, where they are alike.

    Examples
    --------
    >>> HierarchicalPrior(kappa=1000, log_kappa_sd=0.1).kappa
    1000
    """

    cells: float | None = None
    spread: float = SCALE
    difficulty: float = DIFFICULTY
    tails: float = 1.0
    kappa: float = 100.0
    log_kappa_sd: float = 2.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name == "cells" and value is None:
                continue
            most = 100.0 if name == "cells" else 1e6
            if not is_number(value) or not 0.0 < value <= most:
                raise ValueError(
                    f"{name} of the prior must be a number above 0, at most {most:g}, not {quoted(value)}"
                )

    def check(self, likelihood: str) -> None:
        """Raise a ValueError if a part of the prior was given that the likelihood does not have."""
        others = ("kappa", "log_kappa_sd") if likelihood == "scores" else ("spread", "difficulty", "tails")
        for name in others:
            if getattr(self, name) != getattr(HierarchicalPrior, name):
                raise ValueError(f"the likelihood {likelihood!r} has no {name} in its prior; leave it out")


@dataclass(frozen=True)
class Diagnostics:
    """How well a posterior was sampled.

    Attributes
    ----------
    sampler
        ``"grid"``, ``"pymc"`` or ``"nutpie"``.
    n_draws, chains
        How many draws in all, and of how many chains.
    ess
        The least effective number of draws of any quantity, in the middle or in the tails.
    divergences, r_hat
        Divergent transitions, and the worst disagreement of chains; None without Markov chains.

    Examples
    --------
    >>> print(Diagnostics("nutpie", 4000, 4, 1500.0, divergences=0, r_hat=1.002))
    4 chains of NUTS (nutpie) agree: R-hat 1.00, no divergences, 1,500 effective draws of 4,000
    >>> Diagnostics("nutpie", 4000, 4, 150.0, divergences=0, r_hat=1.002).caution
    'Caution: only 150 effective draws, fewer than 400 (try more draws).'
    """

    sampler: str
    n_draws: int
    chains: int
    ess: float
    divergences: int | None = None
    r_hat: float | None = None

    @property
    def caution(self) -> str:
        """The problems of the draws and their remedies, as a sentence; empty if there are none."""
        problems = []
        if self.divergences:
            problems.append(
                f"{self.divergences:,} of {self.n_draws:,} transitions diverged, so that parts of the posterior may "
                "be missing (try a target_accept nearer to 1, or a narrower prior)"
            )
        if not self.agree:
            problems.append(
                f"the chains disagree, R-hat {self.r_hat:.3f} above {MAX_R_HAT} (double tune and draws)"
            )
        if self.ess < MIN_ESS:
            problems.append(f"only {self.ess:.0f} effective draws, fewer than {MIN_ESS:.0f} (try more draws)")
        return f"Caution: {'; '.join(problems)}." if problems else ""

    @property
    def independent(self) -> bool:
        """Whether draws are independent, and not those of Markov chains."""
        return self.r_hat is None

    @property
    def agree(self) -> bool:
        """Whether the chains agree."""
        return self.r_hat is None or self.r_hat <= MAX_R_HAT

    def __str__(self) -> str:
        if self.independent:
            return f"computed on a grid, {self.n_draws:,} independent draws"
        chains = f"{number_of(self.chains, 'chain')} of NUTS ({self.sampler})"
        verdict = f"agree: R-hat {self.r_hat:.2f}" if self.agree else f"disagree: R-hat {self.r_hat:.3f}"
        divergences = self.divergences if self.divergences else "no"
        effective = f"{self.ess:,.0f} effective draws of {self.n_draws:,}"
        return f"{chains} {verdict}, {divergences} divergences, {effective}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FittedModel:
    """A hierarchical model that was fitted to several corpora.

    Attributes
    ----------
    groups
        The draws: Datasets by ArviZ's names of groups.
    observed
        The plain scores on all corpora, with the names of corpora and models, and the metrics.
    noun
        The name of one corpus, such as ``"corpus"`` or ``"fold"``.
    assumption, within
        What was assumed of the models within a corpus, if that is the same for all, and in words.
    diagnostics
        How well the posterior was sampled.
    note
        What should be known of the data.
    """

    groups: Mapping[str, xr.Dataset]
    observed: ObservedScores
    noun: str
    assumption: Assumption
    within: str
    diagnostics: Diagnostics
    note: str = ""


def by_question(score: FloatArray) -> Variables:
    """Return scores (chain, draw, model, metric, question), and differences of each model from the first, with their dims.

    Examples
    --------
    >>> import numpy as np
    >>> {name: dims[2:] for name, (dims, _) in by_question(np.zeros((4, 10, 2, 3, 5))).items()}
    {'score': ('system', 'measure', 'question'), 'difference': ('contrast', 'measure', 'question')}
    """
    differences = score[:, :, 1:] - score[:, :, :1]
    return {
        "score": (DIMS, score),
        "difference": (("chain", "draw", "contrast", "measure", "question"), differences),
    }


def coords_of(
    models: Sequence[str], metrics: Sequence[str], corpora: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Return the coordinates of all variables for ArviZ."""
    return {
        "system": models,
        "contrast": [f"{model} - {models[0]}" for model in models[1:]],
        "measure": metrics,
        "question": (*QUESTIONS, *corpora),
        "dataset": corpora,
    }
