"""Corpora that a hierarchical model relates, its prior and what it gives; and the random-effects model of their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import check_known, listing, nearest, plural, quoted
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE, RandomEffects, robust_covariance, within
from bayesf1.evaluation import Evaluation, check_evaluation, defined_scores, headline, resolve_metrics
from bayesf1.inference.posterior import check_spread
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.arviz import Variables, dataset
from bayesf1.output.words.sampled import few_units
from bayesf1.sampling.model import SamplingModel, sampling_model
from bayesf1.task import Task
from bayesf1.units import Assumption

if TYPE_CHECKING:
    import xarray as xr

# The questions that are not about one corpus at hand.
QUESTIONS = ("average", "new", "suite")
MAX_R_HAT, MIN_ESS = 1.01, 400.0
# The axes of scores by question.
DIMS = ("chain", "draw", "system", "measure", "question")
# Draws of one corpus' posterior for its covariance, at most and at least; draws and gamma variates for all corpora.
_MOST, _LEAST, _DRAWS, _VARIATES = 8_000, 1_000, 400_000, 40_000_000
# Numbers that the draws of all corpora, models and metrics may be, if none was asked for.
_NUMBERS = 2_000_000
_WORDS = {
    "independent": "taken as independent",
    "paired": "paired on items",
    "clustered": "paired on {} as units",
}


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
            most = 100.0 if name == "cells" else 1e6
            if (value is not None or name != "cells") and not (is_number(value) and 0.0 < value <= most):
                raise ValueError(
                    f"{name} of the prior must be a number above 0, at most {most:g}, not {quoted(value)}"
                )

    def check(self, likelihood: str) -> None:
        """Say which part of the prior the likelihood does not have, if it was given."""
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
        """What is wrong and what to try, as a sentence; empty if all is well."""
        found = []
        if self.divergences:
            found.append(
                f"{self.divergences:,} of {self.n_draws:,} transitions diverged, so that parts of the posterior may "
                "be missing (try a target_accept nearer to 1, or a narrower prior)"
            )
        if not self.agree:
            found.append(
                f"the chains disagree, R-hat {self.r_hat:.3f} above {MAX_R_HAT} (double tune and draws)"
            )
        if self.ess < MIN_ESS:
            found.append(f"only {self.ess:.0f} effective draws, fewer than {MIN_ESS:.0f} (try more draws)")
        return f"Caution: {'; '.join(found)}." if found else ""

    @property
    def agree(self) -> bool:
        """Whether the chains agree."""
        return self.r_hat is None or self.r_hat <= MAX_R_HAT

    def __str__(self) -> str:
        if self.r_hat is None:
            return f"computed on a grid, {self.n_draws:,} independent draws"
        chains = f"{self.chains} chain{'s' * (self.chains > 1)} of NUTS ({self.sampler})"
        verdict = f"agree: R-hat {self.r_hat:.2f}" if self.agree else f"disagree: R-hat {self.r_hat:.3f}"
        effective = f"{self.ess:,.0f} effective draws of {self.n_draws:,}"
        return f"{chains} {verdict}, {self.divergences or 'no'} divergences, {effective}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fitted:
    """What either model found of several corpora.

    Attributes
    ----------
    groups
        The draws: Datasets by ArviZ's names of groups.
    ev, metrics
        The observed scores of all corpora, axes (dataset, model, metric), and the metrics.
    datasets, noun
        Names of the corpora, and what one is called.
    assumption, within
        What was assumed of the models within a corpus, if that is the same for all, and in words.
    diagnostics
        How well the posterior was sampled.
    note
        What should be known of the data.
    """

    groups: Mapping[str, xr.Dataset]
    ev: Evaluation
    metrics: tuple[Metric, ...]
    datasets: tuple[str, ...]
    noun: str
    assumption: Assumption
    within: str
    diagnostics: Diagnostics
    note: str = ""


def by_question(models: Sequence[str], score: FloatArray) -> Variables:
    """Return scores (chain, draw, model, metric, question), and differences of each model from the first, with their dims.

    Examples
    --------
    >>> {name: dims[2:] for name, (dims, _) in by_question(("A", "B"), np.zeros((4, 10, 2, 3, 5))).items()}
    {'score': ('system', 'measure', 'question'), 'difference': ('contrast', 'measure', 'question')}
    """
    differences = score[:, :, 1:] - score[:, :, :1]
    return {"score": (DIMS, score), "difference": ((*DIMS[:2], "contrast", *DIMS[3:]), differences)}


def coords_of(
    models: Sequence[str], metrics: Sequence[str], names: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Return the coordinates of all variables for ArviZ."""
    return {
        "system": models,
        "contrast": [f"{model} - {models[0]}" for model in models[1:]],
        "measure": metrics,
        "question": (*QUESTIONS, *names),
        "dataset": names,
    }


def read_corpora(data: Evaluation | Mapping[str, Evaluation]) -> tuple[str, dict[str, Evaluation]]:
    """Return what a corpus is called, and corpora, or folds, by name with their models in one order.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> noun, folds = read_corpora(load_example("wang-li-org"))
    >>> noun, [*folds][0]
    ('fold', 'repeat 1, fold 1')
    """
    if isinstance(data, Evaluation) and data.corpora is not None:
        return data.corpora.noun, dict(zip(data.corpora.names, data.corpora.parts, strict=True))
    if isinstance(data, Evaluation) and data.folds is not None and not data.task.final:
        tables = data.folds.counts
        return "fold", {
            f"repeat {r + 1}, fold {f + 1}": Evaluation(data.models, data.task, tables[r, f].copy())
            for r, f in np.ndindex(tables.shape[:2])
        }
    if isinstance(data, Evaluation) or len(data) < 2:
        raise ValueError(
            "a hierarchical model relates several corpora: give them as {'conll': ev1, 'wnut': ev2}, or one "
            "evaluation of folds; compare takes a single one"
        )
    first_name, first = next(iter(data.items()))
    for name, ev in data.items():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"corpus name {name!r} is not a non-empty string")
        if name in QUESTIONS:
            raise ValueError(f"a corpus cannot be called {name!r}, which names a question; rename it")
        check_evaluation(ev)
        if set(ev.names) != set(first.names):
            raise ValueError(
                f"corpus {name!r} has the models {listing(ev.names)}, but {first_name!r} has "
                f"{listing(first.names)}; select those that all have"
            )
    if len(first.names) < 2:
        raise ValueError(f"there is only one model ({first.names[0]}); a comparison needs two")
    return "corpus", {name: ev.select(first.names) for name, ev in data.items()}


def suite_weights(weights: Mapping[str, float], names: tuple[str, ...]) -> dict[str, float]:
    """Return the share of each corpus in a suite, equal ones if no weights are given.

    Examples
    --------
    >>> suite_weights({"x": 3, "y": 1}, ("x", "y"))
    {'x': 0.75, 'y': 0.25}
    """
    if not weights:
        return dict.fromkeys(names, 1.0 / len(names))
    for name in weights:
        check_known(name, "corpus in weights", names)
    values: list[Any] = [weights.get(name) for name in names]
    if not all(is_number(value) and 0.0 <= value < np.inf for value in values) or not any(values):
        raise ValueError(f"weights must be numbers from 0, one for each corpus, not all 0, not {weights}")
    total = float(sum(values))
    return {name: float(weights[name]) / total for name in names}


# ---- the random-effects model of scores -------------------------------------------------------------------


@dataclass(frozen=True)
class PlainScores(Task):
    """A score for each metric; whatever the corpora count, this is what they have in common.

    Attributes
    ----------
    metrics
        The metrics, each of its own cell.
    main
        The one that a summary speaks of.

    Examples
    --------
    >>> task = PlainScores.of([Metric("f1", "F1", ("tp", "fp", "fn"), None, lambda tables: tables)], "f1")
    >>> float(task.metric("f1", np.zeros(1))(np.array([0.75]), task.cells))
    0.75
    """

    name: ClassVar[str] = "plain scores"

    metrics: tuple[Metric, ...]
    main: str

    @property
    def main_metric(self) -> str:
        """The main metric of what the corpora count."""
        return self.main

    @classmethod
    def of(cls, metrics: Sequence[Metric], main: str) -> Self:
        """Return the task of the scores of some metrics of anything."""
        unknown: dict[str, Any] = dict.fromkeys(("distribution", "origin", "parts", "weigh"))
        return cls(
            tuple(replace(m, needs=(m.name,), function=itemgetter((..., 0)), **unknown) for m in metrics),
            main,
        )

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the metrics."""
        return tuple(metric.name for metric in self.metrics)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """All metrics."""
        return self.cells

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name."""
        for metric in self.metrics:
            if asked in (metric, metric.name):
                return metric
        raise ValueError(f"unknown metric {quoted(asked)}; {nearest(str(asked), self.cells)}")

    def draw(
        self, sampling: SamplingModel, *, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Refuse: of a plain score nothing is known but itself."""
        raise ValueError("plain scores have no draws of their own; those of the fit are fit.to_arviz()")


def fit_scores(
    data: Evaluation | Mapping[str, Evaluation],
    metrics: MetricLike | Sequence[MetricLike] | None,
    prior: HierarchicalPrior,
    *,
    assumption: str,
    weights: Mapping[str, float],
    draws: int | None,
    chains: int,
    rng: np.random.Generator,
) -> Fitted:
    """Fit the random-effects model of scores; draws are independent, and `chains` only how they are kept."""
    noun, evaluations = read_corpora(data)
    taken = {name: sampling_model(ev, assumption, prior=prior.cells) for name, ev in evaluations.items()}
    found = {name: resolve_metrics(metrics, sampling.ev) for name, sampling in taken.items()}
    common, names = _common(found, taken), tuple(taken)
    size = sum(1 if u.ev.units is None else u.ev.units.n_patterns for u in taken.values())
    n_pilot = int(np.clip(min(_VARIATES // size, _DRAWS // len(taken)), _LEAST, _MOST))
    parts = [_summary(taken[n], found[n], n_pilot, rng, f" on {noun} {n!r}") for n in names]
    plain, centres, covariances = (np.stack(column) for column in zip(*parts, strict=True))
    task = PlainScores.of(
        common, headline(taken[names[0]].ev, {metric.name: metric.label for metric in common})
    )
    ev = Evaluation(next(iter(evaluations.values())).names, task, plain)
    shares = np.array([*suite_weights(weights, names).values()])
    n = chains * (draws or int(np.clip(_NUMBERS // (chains * plain.size), 500, 5000)))
    scores, spreads = [], []
    for k, metric in enumerate(common):
        centre, covariance = centres[..., k], covariances[..., k]
        # What a prior's scale is a multiple of: 1 for shares, else the largest score.
        unit = max(1.0, float(np.abs(plain[..., k]).max()))
        scales = (unit * prior.spread, unit * prior.difficulty)
        effects = RandomEffects(centre, covariance, *scales, tails=prior.tails).draw(n, rng)
        # Of a suite nothing is shrunk.
        spread = np.tensordot(np.square(shares), covariance, axes=1)
        suite = rng.multivariate_normal(shares @ centre, spread, n, method="eigh")
        drawn = (effects.average, effects.new, suite, *np.moveaxis(effects.each, 1, 0))
        scores.append(np.stack([within(each, metric.support) for each in drawn], axis=-1))
        spreads.append((effects.spread, effects.difficulty))

    def chained(found: FloatArray) -> FloatArray:
        return found.reshape(chains, -1, *found.shape[1:])

    tau, tau_c = (chained(x.T) for x in np.moveaxis(np.array(spreads), 1, 0))
    dims = ("chain", "draw", "measure")
    posterior = by_question(ev.models, chained(np.stack(scores, axis=2)))
    posterior |= {"spread": (dims, tau), "difficulty": (dims, tau_c)}
    observed: Variables = {"score": (("dataset", "system", "measure"), plain)}
    coords = coords_of(ev.models, ev.cells, names)
    assumptions = {sampling.assumption for sampling in taken.values()}
    words = [_WORDS[each.assumption].format(plural(each.ev.unit)) for each in taken.values()]
    cautions = {name: few_units(each.settings(found[name][-1])) for name, each in taken.items()}
    few = [name for name, caution in cautions.items() if caution]
    return Fitted(
        groups={"posterior": dataset(posterior, coords), "observed_data": dataset(observed, coords)},
        ev=ev,
        metrics=task.metrics,
        datasets=names,
        noun=noun,
        assumption=assumptions.pop() if len(assumptions) == 1 else "independent",
        within=f"models {' or '.join(dict.fromkeys(words))} within {plural(noun)}",
        diagnostics=Diagnostics("grid", n, chains, n),
        note=f"on {listing(few, most=5)}: {cautions[few[0]].removesuffix('.')}" if few else "",
    )


def _summary(
    sampling: SamplingModel,
    metrics: Sequence[Metric],
    n_draws: int,
    rng: np.random.Generator,
    where: str,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return plain scores (model, metric), and medians and covariances (model, model, metric) of their posteriors.

    A plain score near 1 comes with a small variance, one below with a larger, so that plain scores of many small
    corpora would add up to too high an average.
    """
    ev = sampling.ev
    drawn = sampling.scores(metrics, n_draws=n_draws, rng=rng)
    for metric, scores in zip(metrics, drawn, strict=True):
        check_spread(sampling.settings(metric), scores, ev.names, metric.label + where)
    found = (
        [ev.mean_scores(defined_scores(ev, metric, where)) for metric in metrics],
        [np.median(each, axis=0) for each in drawn],
        [robust_covariance(each) for each in drawn],
    )
    plain, centre, covariance = (np.stack(each, axis=-1) for each in found)
    return plain, centre, covariance


def _common(found: Mapping[str, list[Metric]], taken: Mapping[str, SamplingModel]) -> list[Metric]:
    """Return the metrics, which must be the same on all corpora."""
    words = {n: [m.label + ", lower is better" * m.lower_is_better for m in own] for n, own in found.items()}
    first_name, first = next(iter(words.items()))
    for name, own in words.items():
        if own != first:
            raise ValueError(
                f"the metrics of corpus {name!r} are {listing(own)}, but those of {first_name!r} are {listing(first)}; "
                "name those that all have"
            )
    bootstrapped = any(sampling.ev.task.bootstraps_items for sampling in taken.values())
    metrics = []
    for alike in zip(*found.values(), strict=True):
        low, high = min(m.support[0] for m in alike), max(m.support[1] for m in alike)
        percent = all(m.percent for m in alike)
        if bootstrapped:
            # The scores that occurred are no limits of those that may.
            low, high = (0.0, 1.0) if percent else (0.0 if low >= 0.0 else -np.inf, np.inf)
        metrics.append(replace(alike[0], percent=percent, support=(low, high)))
    return metrics
