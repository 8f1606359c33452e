"""Several corpora, folds or seeds, related but not equal: is B better on average, on a new one, on each?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayesf1.base import arviz_data
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_prob, check_rng
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import nearest
from bayesf1.bayes.posterior import check_rope
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.groups import importance, nuts
from bayesf1.groups.corpora import Groups, read_groups
from bayesf1.groups.diagnostics import MAX_PARETO_K, MIN_ESS, Diagnostics
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial, Draws
from bayesf1.groups.fit import HierarchicalFit
from bayesf1.groups.logistic_normal import LogisticNormal
from bayesf1.groups.named_arrays import arviz_groups
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.saved import describe

LIKELIHOODS: dict[str, Callable[[Groups, HierarchicalPrior], nuts.Likelihood]] = {
    "dirichlet": DirichletMultinomial,
    "logistic-normal": LogisticNormal,
}
SAMPLERS = ("importance", "pymc", "nutpie")
_MAX_DRAWS = 10**7


def hierarchical(
    data: Mapping[str, Evaluation] | Evaluation,
    *,
    likelihood: str = "dirichlet",
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    rope: float = 0.0,
    prior: float | HierarchicalPrior | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    sampler: str | None = None,
    draws: int | None = None,
    tune: int = 1000,
    chains: int = 4,
    target_accept: float = 0.9,
    rng: RNGLike = None,
    progress: bool = True,
) -> HierarchicalFit:
    r"""Fit one model to the tables of several corpora, folds or seeds.

    Three questions are answered: is B better on the *average* corpus of the population, on a *new* corpus, and on
    *each* corpus at hand, shrunk towards the others?

    - ``"dirichlet"``: shares of corpus g and model m are :math:`\mathrm{Dirichlet}(\kappa_m \pi_m)`, models
      independent. The average corpus has the shares π.
    - ``"logistic-normal"``: logits are the population's, plus effects of the corpus that are shared by all models,
      so that a hard corpus is hard for all, plus interactions. Where single items are known, outcomes are joint, so
      that models are paired within a corpus, too. The average corpus is one whose effects are 0.

    Parameters
    ----------
    data
        A mapping of names to evaluations of the same models; or one evaluation of folds, which are then taken as
        separate test sets with all their counts, without a discount.
    likelihood
        ``"dirichlet"`` or ``"logistic-normal"``.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
    rope
        Half-width of the region of practical equivalence.
    prior
        λ of the Dirichlet prior on the cells of the population's table, or a `HierarchicalPrior`, which says what is
        believed of the spread between corpora, too.
    prob
        Mass of the intervals that are printed.
    assumption
        ``"auto"`` pairs models where it can, ``"independent"`` takes each model's table by itself.
    sampler
        ``"importance"``, the default for ``"dirichlet"``, needs no other package and no Markov chain. ``"nutpie"``,
        the default for ``"logistic-normal"``, and ``"pymc"`` come with the extra ``pymc``.
    draws, tune, chains, target_accept
        Draws of each chain (1000, or 5000 by importance sampling), steps to tune, number of chains, and how
        carefully they step.
    rng
        Source of randomness: a Generator or an integer.
    progress
        Whether samplers show their progress.

    Returns
    -------
    HierarchicalFit
        Prints all three answers; ``compare`` gives one as `Comparisons`, ``to_arviz`` all draws.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> fit = hierarchical(load_example("wang-li-org"), rng=1)
    >>> fit.compare(question="new")["f1"].assumption
    'independent'
    >>> fit.diagnostics.ok
    True

    References
    ----------
    Minka (2000), *Estimating a Dirichlet distribution*; Aitchison & Shen (1980), *Logistic-normal distributions*.
    """
    if likelihood not in LIKELIHOODS:
        raise ValueError(f"unknown likelihood {likelihood!r}; {nearest(str(likelihood), LIKELIHOODS)}")
    chosen = _check_sampler(sampler, likelihood)
    if draws is None:
        draws = 5000 if chosen == "importance" else 1000
    run = nuts.Run(
        draws=_whole("draws", draws, 100, _MAX_DRAWS),
        tune=_whole("tune", tune, 100, _MAX_DRAWS),
        chains=_whole("chains", chains, 1, 1000),
        target_accept=_check_accept(target_accept),
        progress=progress,
    )
    groups = read_groups(data, paired=likelihood == "logistic-normal", assumption=assumption)
    measures = find_measures(metrics, groups.ev)
    if not isinstance(prior, HierarchicalPrior):
        prior = HierarchicalPrior(None if prior is None else groups.ev.kind.check_prior(prior))
    width, mass, generator = check_rope(rope, *measures), check_prob(prob), check_rng(rng)
    model = LIKELIHOODS[likelihood](groups, prior)
    found, stats, quality = _sample(model, chosen, run, generator, fall_back=sampler is None)
    built = arviz_groups(model, found, measures, generator, stats)
    if quality.pareto_k is None:
        r_hat, bulk, tail = arviz_data.convergence(built["posterior"])
        quality = replace(quality, ess_bulk=bulk, ess_tail=tail, r_hat=r_hat)
    fit = HierarchicalFit(
        groups=built,
        likelihood=likelihood,
        assumption=groups.assumption,
        ev=groups.ev,
        datasets=groups.names,
        noun=groups.noun,
        metrics=tuple(measures),
        rope=width,
        prob=mass,
        prior=prior,
        diagnostics=quality,
        note=groups.note,
    )
    built["posterior"].attrs["bayesf1"] = describe(fit)
    if not quality.ok:
        warnings.warn(quality.caution, stacklevel=2)
    return fit


def _sample(
    model: nuts.Likelihood, sampler: str, run: nuts.Run, rng: np.random.Generator, *, fall_back: bool
) -> tuple[Draws, dict[str, FloatArray], Diagnostics]:
    """Draw from the posterior; by NUTS where importance sampling was not asked for and fails."""
    if sampler == "importance" and isinstance(model, DirichletMultinomial):
        n = run.draws * run.chains
        flat, pareto_k, ess = importance.sample(model, n, rng)
        quality = Diagnostics(sampler, n, ess, ess, pareto_k=max(pareto_k, -99.0))
        bad = pareto_k > MAX_PARETO_K or ess < min(MIN_ESS, 0.05 * n)
        if not (bad and fall_back):
            shaped = {name: x.reshape(run.chains, run.draws, *x.shape[1:]) for name, x in flat.items()}
            return shaped, {}, quality
        warnings.warn(
            f"importance sampling is not to be trusted here (Pareto k {pareto_k:.2f}, {ess:.0f} effective draws); "
            "sampling by NUTS instead",
            stacklevel=3,
        )
        sampler, run = "nutpie", replace(run, draws=1000)
    chains = nuts.sample(model, sampler, run, rng)
    n = run.chains * run.draws
    quality = Diagnostics(sampler, n, n, n, divergences=int(chains.diverging.sum()), r_hat=1.0)
    return chains.draws, {"diverging": chains.diverging}, quality


def _check_sampler(sampler: str | None, likelihood: str) -> str:
    if sampler is None:
        return "importance" if likelihood == "dirichlet" else "nutpie"
    if sampler not in SAMPLERS:
        raise ValueError(f"unknown sampler {sampler!r}; {nearest(str(sampler), SAMPLERS)}")
    if sampler == "importance" and likelihood != "dirichlet":
        raise ValueError(
            f"importance sampling is for the likelihood 'dirichlet', not {likelihood!r}; use 'nutpie' or 'pymc'"
        )
    return sampler


def _check_accept(value: float) -> float:
    number = isinstance(value, float | int | np.number) and not isinstance(value, bool)
    if not number or not 0.5 <= value < 1.0:
        raise WordedError(
            Argument("target_accept"), f" is a share from 0.5 to below 1, such as 0.9, not {value!r}"
        )
    return float(value)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most:,}, not {value!r}")
    return int(value)
