"""Several corpora, folds or seeds, related but not equal: is B better on average, on a new one, on each?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base import arviz_data
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_prob, check_rng, checked, is_number, is_whole, start_of
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import nearest
from bayesf1.bayes.rope import RopeLike, check_rope
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.groups import importance, nuts
from bayesf1.groups.corpora import Groups, read_groups, suite_weights
from bayesf1.groups.corpus_scores import CorpusScores, arviz_groups_of_scores, read_scores
from bayesf1.groups.diagnostics import MAX_PARETO_K, MIN_ESS, Diagnostics
from bayesf1.groups.dirichlet_multinomial import DirichletMultinomial
from bayesf1.groups.fit import HierarchicalFit
from bayesf1.groups.likelihood import Draws, Likelihood
from bayesf1.groups.logistic_normal import LogisticNormal
from bayesf1.groups.named_arrays import arviz_groups
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.saved import describe

# Models of counts; beside them stands that of scores, which takes anything.
MULTINOMIALS: dict[str, Callable[[Groups, HierarchicalPrior], Likelihood]] = {
    "dirichlet": DirichletMultinomial,
    "logistic-normal": LogisticNormal,
}
LIKELIHOODS = ("scores", *MULTINOMIALS)
# The samplers that a likelihood may have, the usual one first.
SAMPLERS = {
    "scores": ("grid",),
    "dirichlet": ("importance", "nutpie", "pymc"),
    "logistic-normal": ("nutpie", "pymc"),
}
_MAX_DRAWS = 10**7
# Numbers that the draws of all corpora, models and measures may be, where none was asked for.
_NUMBERS = 2_000_000


@checked
def hierarchical(
    data: Mapping[str, Evaluation] | Evaluation,
    *,
    likelihood: str = "scores",
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    rope: RopeLike = 0.0,
    prior: float | HierarchicalPrior | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    weights: Mapping[str, float] | None = None,
    sampler: str | None = None,
    draws: int | None = None,
    tune: int = 1000,
    chains: int = 4,
    target_accept: float = 0.9,
    rng: RNGLike = None,
    progress: bool = True,
) -> HierarchicalFit:
    r"""Fit one model to several corpora, folds or seeds.

    Four questions are answered: is B better on the *average* corpus of a population, on a *new* corpus, on the *suite*
    of the corpora at hand, taken as all there are, and on *each* of them, shrunk towards the others?

    - ``"scores"``: corpus g gives all models' scores with the sampling covariance of its own posterior, paired and
      clustered as its data are, :math:`y_g \sim N(\mu, \tau_c^2 11^\top + \tfrac12\tau^2 I + S_g)`: corpora differ in
      difficulty by τ_c, and the difference of two models varies by τ, of all pairs alike. The average corpus has the
      scores μ. Any measure of any kind of task; no Markov chain.
    - ``"dirichlet"``: shares of corpus g and model m are :math:`\mathrm{Dirichlet}(\kappa_m \pi_m)`, models and items
      independent. The average corpus has the shares π.
    - ``"logistic-normal"``: logits are the population's, plus effects of the corpus that are shared by all models,
      so that a hard corpus is hard for all, plus interactions; items independent. Where single items are known,
      outcomes are joint, so that models are paired within a corpus, too. The average corpus is one whose effects are 0.

    Parameters
    ----------
    data
        A mapping of names to evaluations of the same models; or one evaluation of folds, which are then taken as
        separate test sets with all their counts, without a discount.
    likelihood
        ``"scores"``, ``"dirichlet"`` or ``"logistic-normal"``.
    metrics
        Names of measures, or callables on tables (..., cell); the usual ones of the task by default.
    rope
        Half-width of the region of practical equivalence.
    prior
        λ of the Dirichlet prior on the cells of a table, or a `HierarchicalPrior`, which says what is believed of the
        spread between corpora, too.
    prob
        Mass of the intervals that are printed.
    assumption
        ``"auto"`` respects units of several items and pairs models where it can, ``"independent"`` takes each model's
        table by itself, ``"items"`` takes all items as independent, without which multinomials refuse units of several.
    weights
        The weight of each corpus in the suite, by name; equal ones by default.
    sampler
        ``"grid"`` for ``"scores"`` and ``"importance"``, the default for ``"dirichlet"``, need no other package and no
        Markov chain. ``"nutpie"``, the default for ``"logistic-normal"``, and ``"pymc"`` come with the extra ``pymc``.
    draws, tune, chains, target_accept
        Draws of each chain (up to 5000; 1000 of Markov chains), steps to tune, number of chains, and how carefully
        they step.
    rng
        Source of randomness: a Generator or an integer.
    progress
        Whether samplers show their progress.

    Returns
    -------
    HierarchicalFit
        Prints all answers; ``compare`` gives one as `Comparisons`, ``to_arviz`` all draws.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> fit = hierarchical(load_example("wang-li-org"), rng=1)
    >>> fit.compare(question="new")["f1"].assumption
    'independent'
    >>> fit.diagnostics
    Diagnostics(sampler='grid', n_draws=20000, ...)

    References
    ----------
    Gelman (2006), *Prior distributions for variance parameters in hierarchical models*; Minka (2000), *Estimating a
    Dirichlet distribution*; Aitchison & Shen (1980), *Logistic-normal distributions*.
    """
    if likelihood not in LIKELIHOODS:
        raise ValueError(f"unknown likelihood {likelihood!r}; {nearest(str(likelihood), LIKELIHOODS)}")
    chosen = _check_sampler(sampler, likelihood)
    run = nuts.Run(
        draws=0 if draws is None else _whole("draws", draws, 100, _MAX_DRAWS),
        tune=_whole("tune", tune, 100, _MAX_DRAWS),
        chains=_whole("chains", chains, 1, 1000),
        target_accept=_check_accept(target_accept),
        progress=progress,
    )
    mass, generator = check_prob(prob), check_rng(rng)
    belief = prior if isinstance(prior, HierarchicalPrior) else HierarchicalPrior(_check_cells(prior))
    if likelihood == "scores":
        found = _fit_scores(data, metrics, assumption, belief, run, generator)
    else:
        groups = read_groups(data, paired=likelihood == "logistic-normal", assumption=assumption)
        if belief.cells is not None:
            groups.ev.kind.check_prior(belief.cells)
        measures = find_measures(metrics, groups.ev)
        model = MULTINOMIALS[likelihood](groups, belief)
        found = _fit_counts(model, measures, chosen, run, generator, fall_back=sampler is None)
    fit = HierarchicalFit(
        groups=found.built,
        likelihood=likelihood,
        assumption=found.corpora.assumption,
        ev=found.corpora.ev,
        datasets=found.corpora.names,
        noun=found.corpora.noun,
        metrics=found.measures,
        rope=check_rope(rope, *found.measures).given,
        prob=mass,
        prior=belief,
        diagnostics=found.quality,
        note=found.corpora.note,
        within=found.within,
        weights=suite_weights({} if weights is None else weights, found.corpora.names),
    )
    if (start := start_of(rng)) is not None:
        found.built["posterior"].attrs["start"] = start
    found.built["posterior"].attrs["bayesf1"] = describe(fit)
    if not found.quality.ok:
        warnings.warn(found.quality.caution, stacklevel=2)
    return fit


@dataclass(frozen=True)
class _Found:
    """What either kind of model found."""

    built: dict[str, Any]
    corpora: Groups | CorpusScores
    measures: tuple[Metric, ...]
    quality: Diagnostics
    within: str = ""


def _fit_scores(
    data: Mapping[str, Evaluation] | Evaluation,
    metrics: MetricLike | Sequence[MetricLike] | None,
    assumption: str,
    prior: HierarchicalPrior,
    run: nuts.Run,
    rng: np.random.Generator,
) -> _Found:
    corpora = read_scores(data, metrics, assumption=assumption, prior=prior.cells, rng=rng)
    usual = int(np.clip(_NUMBERS // (run.chains * corpora.ev.tables.size), 500, 5000))
    n = run.chains * (run.draws or usual)
    effects = corpora.draw(prior, n, rng)
    built = arviz_groups_of_scores(corpora, effects, prior, run.chains, rng)
    return _Found(built, corpora, corpora.measures, Diagnostics("grid", n, n, n), corpora.within)


def _fit_counts(
    model: Likelihood,
    measures: list[Metric],
    sampler: str,
    run: nuts.Run,
    rng: np.random.Generator,
    *,
    fall_back: bool,
) -> _Found:
    run = replace(run, draws=run.draws or (5000 if sampler == "importance" else 1000))
    found, stats, quality = _sample(model, sampler, run, rng, fall_back=fall_back)
    built = arviz_groups(model, found, measures, rng, stats)
    if quality.chained:
        r_hat, bulk, tail = arviz_data.convergence(built["posterior"])
        quality = replace(quality, ess_bulk=bulk, ess_tail=tail, r_hat=r_hat)
    return _Found(built, model.groups, tuple(measures), quality)


def _sample(
    model: Likelihood, sampler: str, run: nuts.Run, rng: np.random.Generator, *, fall_back: bool
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
    known = SAMPLERS[likelihood]
    if sampler is None or sampler in known:
        return sampler or known[0]
    if not any(sampler in names for names in SAMPLERS.values()):
        every = dict.fromkeys(name for names in SAMPLERS.values() for name in names)
        raise ValueError(f"unknown sampler {sampler!r}; {nearest(str(sampler), every)}")
    raise ValueError(
        f"the sampler {sampler!r} is not for the likelihood {likelihood!r}; use {' or '.join(map(repr, known))}"
    )


def _check_cells(prior: float | None) -> float | None:
    if prior is None or (is_number(prior) and 0.0 < prior < np.inf):
        return None if prior is None else float(prior)
    raise ValueError(f"prior must be a number above 0, such as 1, or a HierarchicalPrior, not {prior!r}")


def _check_accept(value: float) -> float:
    if not is_number(value) or not 0.5 <= value < 1.0:
        raise WordedError(
            Argument("target_accept"), f" is a share from 0.5 to below 1, such as 0.9, not {value!r}"
        )
    return float(value)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if not is_whole(value) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most:,}, not {value!r}")
    return int(value)
