"""The parts that both hierarchical models have: corpora and their observed scores, questions, prior, diagnostics, draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import check_known, nearest, plural, quoted
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE
from bayesf1.evaluation import Evaluation, check_evaluation, check_pair, check_same_models
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.arviz import Variables
from bayesf1.output.words import fits as words
from bayesf1.units import Assumption

if TYPE_CHECKING:
    import xarray as xr

# The axes of scores by question.
DIMS = ("chain", "draw", "system", "measure", "question")
# The questions about a population of corpora from which the given corpora are a sample.
POPULATION_QUESTIONS = ("average", "new")
# The questions that are not about one corpus at hand.
QUESTIONS = (*POPULATION_QUESTIONS, "suite")


# ---- corpora ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ObservedScores:
    """The plain scores of several models on several corpora.

    Attributes
    ----------
    corpora, models, metrics
        Names of the corpora and of the models, and the metrics.
    values
        The scores, axes (corpus, model, metric).
    main_metric
        The metric used in a sentence or a ranking if none is named.
    """

    corpora: tuple[str, ...]
    models: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: FloatArray
    main_metric: Metric

    def __post_init__(self) -> None:
        self.values.setflags(write=False)

    @classmethod
    def of(
        cls,
        corpora: Sequence[str],
        models: Sequence[str],
        metrics: Sequence[Metric],
        values: FloatArray,
        main: str,
    ) -> Self:
        """Return the scores; `main` is the name of the main metric."""
        described = tuple(map(_without_function, metrics))
        main_metric = next(metric for metric in described if metric.name == main)
        return cls(tuple(corpora), tuple(models), described, values, main_metric)

    def metric(self, asked: MetricLike | None) -> Metric:
        """Return one of the metrics by its name; the main one if none is named."""
        if asked is None:
            return self.main_metric
        for metric in self.metrics:
            if asked == metric.name or asked == metric:
                return metric
        known = [metric.name for metric in self.metrics]
        raise ValueError(f"unknown metric {quoted(asked)}; {nearest(str(asked), known)}")

    def resolve(self, metrics: MetricLike | Sequence[MetricLike] | None) -> list[Metric]:
        """Return the metrics of one or several names; all of them if none is given."""
        if metrics is None:
            return list(self.metrics)
        if isinstance(metrics, str) or callable(metrics):
            return [self.metric(metrics)]
        return [self.metric(metric) for metric in metrics]

    def pair(self, a: str | None, b: str | None) -> tuple[str, str]:
        """Return the names of two models to compare, which may be left out if there are just two."""
        pair = check_pair(self.models, a, b)
        for name in pair:
            check_known(name, "model", self.models)
        return pair

    def on(self, question: str, weights: Sequence[float]) -> FloatArray:
        """Return the scores on one corpus, or their mean over the corpora, axes (model, metric).

        The mean for the suite is weighted, other means are not.
        """
        if question in self.corpora:
            return np.asarray(self.values[self.corpora.index(question)])
        if question == "suite":
            return np.asarray(np.average(self.values, axis=0, weights=weights))
        return np.asarray(self.values.mean(axis=0))


def _without_function(metric: Metric) -> Metric:
    """Return a metric without its functions, which may not be picklable; only its scores are needed."""
    return replace(
        metric,
        needs=(metric.name,),
        function=itemgetter((..., 0)),
        distribution=None,
        origin=None,
        parts=None,
        weigh=None,
        expand=None,
    )


class GivenCorpora(NamedTuple):
    """The given corpora: what one is called, their evaluations with models in the same order, and remarks on the data."""

    noun: str
    evaluations: dict[str, Evaluation]
    remarks: tuple[str, ...] = ()


def read_corpora(data: Evaluation | Mapping[str, Evaluation]) -> GivenCorpora:
    """Return the evaluations of a mapping, or of the data sets or else of the folds of one evaluation.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> folds = read_corpora(load_example("wang-li-org"))
    >>> folds.noun, [*folds.evaluations][0]
    ('fold', 'repeat 1, fold 1')
    """
    if isinstance(data, Evaluation):
        return _corpora_in(data)
    if len(data) < 2:
        raise ValueError(_ONE_CORPUS)
    for name, ev in data.items():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"corpus name {name!r} is not a non-empty string")
        if name in QUESTIONS:
            raise ValueError(f"a corpus cannot be called {name!r}, which names a question; rename it")
        check_evaluation(ev)
        if ev.corpora is not None:
            raise ValueError(
                f"corpus {name!r} holds {len(ev.corpora.names)} {plural(ev.unit)}, which are corpora themselves; pass that "
                "evaluation alone"
            )
    check_same_models("corpus", {name: ev.names for name, ev in data.items()})
    models = next(iter(data.values())).names
    _check_several(models)
    remarks = dict.fromkeys(remark for ev in data.values() for remark in ev.remarks)
    if _have_same_gold([*data.values()]):
        remarks[_SAME_GOLD] = None
    return GivenCorpora("corpus", {name: ev.select(models) for name, ev in data.items()}, tuple(remarks))


_SAME_GOLD = (
    "All corpora have equally many items of each gold label. If they are translations of the same items, or prompts, read "
    "them as one table with prompt=. Counted as different items, they give intervals that are too short."
)


def _have_same_gold(evaluations: Sequence[Evaluation]) -> bool:
    """Return whether corpora have equally many items of each gold label, unless all labels are balanced by design."""
    counts = []
    for ev in evaluations:
        of_models = ev.task.gold_counts(ev.tables)
        if of_models is None or ev.labelled:
            return False
        counts.extend(of_models.tolist())
    first = counts[0]
    return len(set(first)) > 1 and all(own == first for own in counts)


_ONE_CORPUS = (
    "a hierarchical model relates several corpora: give them as {'conll': ev1, 'wnut': ev2}, a table with the column "
    "corpus=, or one evaluation of folds; compare takes a single one"
)


def _check_several(models: Sequence[str]) -> None:
    if len(models) < 2:
        raise ValueError(f"there is only one model ({models[0]}); a comparison needs two")


def _corpora_in(ev: Evaluation) -> GivenCorpora:
    """Return the data sets, or else the folds, of one evaluation."""
    if ev.corpora is not None:
        named = zip(ev.corpora.names, ev.corpora.parts, strict=True)
        corpora = read_corpora(dict(named))
        # Remarks of the table on the same items are among the remarks of the evaluation.
        return GivenCorpora(ev.corpora.noun, corpora.evaluations, ev.remarks)
    if ev.folds is None or ev.task.final:
        raise ValueError(_ONE_CORPUS)
    _check_several(ev.models)
    # Axes (repeat, fold, model, cell).
    tables = ev.folds.counts
    folds = {}
    for repeat, fold in np.ndindex(tables.shape[:2]):
        name = f"repeat {repeat + 1}, fold {fold + 1}"
        folds[name] = Evaluation(ev.models, ev.task, tables[repeat, fold].copy())
    return GivenCorpora("fold", folds, ev.remarks)


def suite_weights(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """Return the share of each corpus in a suite; shares are equal if no weights are given.

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
    all_valid = all(is_number(value) and 0.0 <= value < np.inf for value in values)
    if not all_valid or not any(values):
        raise ValueError(f"weights must be numbers from 0, one for each corpus, not all 0, not {weights}")
    total = float(sum(values))
    return {name: float(weights[name]) / total for name in names}


# ---- prior, diagnostics and draws -------------------------------------------------------------------------


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
        Scores beyond 1, such as BLEU in percent, have the largest score as their unit. Few corpora that differ wildly need a
        wider spread: if differences vary by 10 points, the 95 % interval of the average over two to five corpora
        covers .92 to .93 at the default and .95 to .99 at 0.1, but intervals are longer if differences vary less.
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
        The total number of draws, and the number of chains.
    ess
        The smallest effective number of draws of any quantity, in the bulk or in the tails.
    divergences, r_hat
        Divergent transitions, and the worst disagreement of chains; None without Markov chains.

    Examples
    --------
    >>> print(Diagnostics("nutpie", 4000, 4, 1500.0, divergences=0, r_hat=1.002))
    4 chains of NUTS (nutpie) agree: R-hat 1.00, no divergences, 1,500 effective draws of 4,000
    >>> Diagnostics("nutpie", 4000, 4, 150.0, divergences=0, r_hat=1.002).caution
    'Caution: only 150 effective draws, fewer than 400 (try more draws).'
    """

    MAX_R_HAT: ClassVar[float] = 1.01
    MIN_ESS: ClassVar[float] = 400.0

    sampler: str
    n_draws: int
    chains: int
    ess: float
    divergences: int | None = None
    r_hat: float | None = None

    @property
    def caution(self) -> str:
        """The problems of the draws and their remedies, as a sentence; empty if there are none."""
        return words.sampling_caution(self)

    @property
    def independent(self) -> bool:
        """Whether draws are independent, rather than from Markov chains."""
        return self.r_hat is None

    @property
    def agree(self) -> bool:
        """Whether the chains agree."""
        return self.r_hat is None or self.r_hat <= self.MAX_R_HAT

    def __str__(self) -> str:
        return words.diagnostics(self)


class FitOptions(NamedTuple):
    """The options of both hierarchical models; `hierarchical` explains them."""

    metrics: MetricLike | Sequence[MetricLike] | None
    prior: HierarchicalPrior
    assumption: str
    weights: Mapping[str, float]
    draws: int | None
    chains: int
    rng: np.random.Generator

    def shares(self, corpora: Sequence[str]) -> FloatArray:
        """Return the share of each corpus in the suite."""
        return np.array([*suite_weights(self.weights, corpora).values()])


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
        What was assumed about the models within a corpus, if that is the same for all, and in words.
    diagnostics
        How well the posterior was sampled.
    note
        What a reader should know about the data.
    remarks
        Sentences about what was found while reading the data.
    exact
        Whether scores on the corpora at hand count as exact, as there is one final score of each model.
    """

    groups: Mapping[str, xr.Dataset]
    observed: ObservedScores
    noun: str
    assumption: Assumption
    within: str
    diagnostics: Diagnostics
    note: str = ""
    remarks: tuple[str, ...] = ()
    exact: bool = False


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
