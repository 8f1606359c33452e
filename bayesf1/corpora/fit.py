"""Several corpora, folds or seeds, related but not equal: is B better on average, on a new one, on each?"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, start_of
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import capitalised, check_known, cleaned, nearest, plural, printable
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.corpora import multinomial, scores as given
from bayesf1.corpora.scores import QUESTIONS, Diagnostics, Fitted, HierarchicalPrior
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.evaluation import Evaluation
from bayesf1.inference.comparison import Comparison, Comparisons, Rope, RopeLike, Settings, check_rope
from bayesf1.inference.posterior import Posteriors
from bayesf1.inference.rank import Ranking, ranking_of
from bayesf1.inference.tails import Tails, share_error
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output import arviz
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import fits as words
from bayesf1.output.words.comparison import legend, table
from bayesf1.output.words.numbers import digits_of, points
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import signature_of, signed_name

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

# The samplers that a likelihood may have, the usual one first.
SAMPLERS = {"scores": ("grid",), "multinomial": multinomial.SAMPLERS}
# What a file says of a fit in words.
TEXTS = ("likelihood", "assumption", "noun", "note", "within")


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalComparison(Comparison):
    """A comparison that says of which corpus it speaks, and how far it can be trusted.

    Its scores and its difference are the mean, or median, of their posteriors, which belong to their intervals.

    Attributes
    ----------
    question, scope
        ``"average"``, ``"new"``, ``"suite"`` or the name of a corpus, and the same in words.
    estimate
        ``"posterior mean"``, or ``"posterior median"`` if a mean may not exist.
    observed
        The plain scores of both models, averaged over the corpora if the question is not about one.
    caution
        What is wrong with the draws, empty if nothing is.
    """

    question: str = "average"
    scope: str = ""
    estimate: str = "posterior mean"
    observed: tuple[float, float] = (0.0, 0.0)
    caution: str = ""

    @property
    def observed_gap(self) -> float:
        """The difference of the plain scores, B minus A."""
        return self.observed[1] - self.observed[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion: what is wrong with the draws, and how few corpora there are."""
        return tuple(filter(None, (self.caution, *self.remarks)))

    def __str__(self) -> str:
        return words.sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain numbers and strings; each ``score`` is the estimate, beside ``observed``."""
        found = super().to_dict()
        for name, score in zip(("a", "b", "difference"), (*self.observed, self.observed_gap), strict=True):
            found[name]["observed"] = float(score)
        return {**found, "estimate": self.estimate}


def _with_observed(comparisons: Sequence[Any]) -> Table:
    """Return the table of comparisons with the plain scores beside, all with as many decimals."""
    plain, rows = table(comparisons), []
    digits = max(digits_of(*c.intervals[0], percent=c.definition.percent) for c in comparisons)
    for row, c in zip(plain.rows, comparisons, strict=True):
        observed = " / ".join(points(x, digits, percent=c.definition.percent) for x in c.observed)
        rows.append((*row[:4], observed, *row[4:]))
    return replace(plain, header=(*plain.header[:4], "Observed", *plain.header[4:]), rows=tuple(rows))


class HierarchicalComparisons(Comparisons):
    """The tests of several metrics for one pair of models and one question."""

    @property
    def title(self) -> str:
        """Which models were compared, and on which corpus."""
        first: Any = self.headline
        pair = f"{first.model_b} against {first.model_a}"
        return printable(f"Hierarchical Bayes test of {pair} on {first.scope}")

    @property
    def table(self) -> Table:
        """The table, with the observed scores."""
        return _with_observed([*self.values()])

    @property
    def explained(self) -> Sequence[str]:
        """What limits the verdict, and what its words mean."""
        return [*self.headline.remarks, *legend(self)]

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods."""
        return formatted(words.methods(self), format)

    def to_html(self, path: StrPath, *, command: str | None = None) -> None:
        """Not offered: the page shows all questions, and is made by the fit."""
        raise ValueError("the page of a hierarchical fit shows all questions; use fit.to_html(path)")

    def to_arviz(self, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
        """Not offered: the draws of all questions are kept by the fit."""
        raise ValueError("draws of a hierarchical fit are in fit.to_arviz(), by question")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with the question and what is wrong with the draws."""
        first: Any = self.headline
        return {**super().to_dict(), "question": first.question, "caution": first.caution or None}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalFit(Fitted, Answer):
    """The posterior of a hierarchical model of several corpora, folds or seeds, and what it says of two models.

    Attributes
    ----------
    groups, ev, metrics, datasets, noun, assumption, within, diagnostics, note
        What the model found, as `Fitted` explains.
    likelihood
        The model.
    rope, prob
        Half-width or region of practical equivalence, and mass of printed intervals.
    prior
        The prior.
    weights
        The weight of each corpus in the suite that they make.
    pair
        The models that are printed; None for those that score best.
    """

    json_format = "bayesf1.hierarchical/3"
    index_names = ("question", "metric")

    likelihood: str
    rope: RopeLike
    prob: float
    prior: HierarchicalPrior
    weights: Mapping[str, float]
    pair: tuple[str, str] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.ev.models

    @property
    def main_metric(self) -> Metric:
        """The metric that a summary speaks of."""
        return self.ev.task.metric(self.ev.task.main_metric, self.ev.tables)

    @property
    def posterior(self) -> xr.Dataset:
        """The posterior draws."""
        return self.groups["posterior"]

    @property
    def start(self) -> int | None:
        """The number that draws start from; None where that was the state of a Generator."""
        known = self.posterior.attrs.get("start")
        return None if known is None else int(known)

    @property
    def model(self) -> Any:
        """The ``pymc.Model`` that was sampled, built anew from the data: look at it, change it, sample it again."""
        if self.likelihood == "scores":
            raise ValueError("the likelihood 'scores' has no PyMC model; use likelihood='multinomial'")
        return multinomial.model_of(self.groups, self.prior)

    @property
    def questions(self) -> tuple[str, ...]:
        """What can be asked: ``"average"``, ``"new"``, ``"suite"``, and the names of the corpora."""
        return (*QUESTIONS, *self.datasets)

    @property
    def nouns(self) -> str:
        """What several of the corpora are called."""
        return plural(self.noun)

    @property
    def number(self) -> str:
        """How many corpora there are, in words."""
        return f"{len(self.datasets)} {self.nouns}"

    # ---- answers ------------------------------------------------------------------------------------------

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        question: str = "average",
        rope: RopeLike | None = None,
    ) -> Comparisons:
        """Return the Bayes tests of B against A for one of the questions.

        Parameters
        ----------
        a, b
            Names of the models; may be left out if there are exactly two.
        question
            ``"average"`` for the average corpus of the population, ``"new"`` for a corpus not seen, ``"suite"`` for the
            mean over the corpora at hand, taken as a fixed suite and not as a sample of others, weighted as the fit
            says, or a corpus' name. Under the likelihood ``"scores"`` nothing of a suite is shrunk, while each corpus is
            drawn to the others, so that the suite's draws are not the means of the corpora's.
        rope
            Half-width or region of practical equivalence, as in `bayesf1.compare`; that of the fit by default.
        """
        pair = self.ev.pair(a, b)
        region = check_rope(self.rope if rope is None else rope, *self.metrics)
        index = [self.models.index(name) for name in pair.models]
        draws, observed = self._scores(question)[..., index, :], self._observed(question)[index]
        middle = np.median if self.estimate(question) == "posterior median" else np.mean
        settings = self._settings(region, question)
        found = []
        for k, metric in enumerate(self.metrics):
            both = draws[..., k]
            gap = both[..., 1] - both[..., 0]
            ahead = metric.sign * gap
            tails = Tails.from_draws(ahead.ravel(), region)
            effective = gap.size if self.diagnostics.r_hat is None else _effective((ahead > 0).astype(float))
            low, high = metric.support
            posteriors = Posteriors(
                EmpiricalPosterior(both[..., 0], metric.support),
                EmpiricalPosterior(both[..., 1], metric.support),
                EmpiricalPosterior(gap, (low - high, high - low)),
            )
            values = float(middle(both[..., 0])), float(middle(both[..., 1])), float(middle(gap))
            found.append(
                HierarchicalComparison(
                    definition=metric,
                    model_a=pair.models[0],
                    model_b=pair.models[1],
                    estimates=posteriors.estimates(metric, values, self.prob),
                    **tails._asdict(),
                    moments=posteriors.moments,
                    posterior_a=posteriors.a,
                    posterior_b=posteriors.b,
                    difference=posteriors.difference,
                    mcse=share_error(tails.p_h1 * effective, effective),
                    settings=settings,
                    ev=pair,
                    remarks=tuple(words.few_corpora(self)) if question in QUESTIONS[:2] else (),
                    question=question,
                    scope=self.scope(question),
                    estimate=self.estimate(question),
                    observed=(float(observed[0, k]), float(observed[1, k])),
                    caution=self.diagnostics.caution,
                )
            )
        return HierarchicalComparisons(found)

    def _settings(self, rope: Rope, question: str) -> Settings:
        """Return what was asked, and what was done."""
        usual = HierarchicalPrior()
        changed = {name: value for name, value in vars(self.prior).items() if value != getattr(usual, name)}
        uneven = len(set(self.weights.values())) > 1
        signed = {
            "question": question,
            "likelihood": self.likelihood,
            "sampler": self.diagnostics.sampler,
            "hyperprior": ",".join(f"{name}={value:g}" for name, value in changed.items()),
            "weights": ",".join(f"{weight:g}" for weight in self.weights.values() if uneven),
        }
        return Settings(
            assumption=self.assumption,
            target="models",
            unit=self.noun,
            n_units=float(len(self.datasets)),
            prior=self.prior.cells,
            prior_name=f"hierarchical model of {self.number}",
            signed_prior="hierarchical",
            prob=self.prob,
            rope=rope,
            method="montecarlo",
            n_draws=self.diagnostics.n_draws,
            rng=self.start,
            citation="a hierarchical model",
            model=words.assumptions(self),
            signed=tuple(signed.items()),
        )

    def signature(self) -> str:
        """Return in one line what is needed to get the answers to all questions again."""
        settings = self._settings(check_rope(self.rope, *self.metrics), "all")
        return signature_of([settings], list(map(signed_name, self.metrics)))

    def rank(
        self, metric: str | None = None, *, question: str = "average", rope: RopeLike | None = None
    ) -> Ranking:
        """Rank all models for one of the questions, which `compare` explains, on one metric: F1 or the last by default.

        Examples
        --------
        >>> from bayesf1 import from_counts, hierarchical
        >>> corpora = {n: from_counts(A=(77, 44, 10 + i), B=(83, 9, 14), C=(70, 30, 27)) for i, n in enumerate("xyz")}
        >>> hierarchical(corpora, rng=1).rank(question="suite").models
        ('B', 'A', 'C')
        """
        ranked = self.main_metric if metric is None else self.ev.task.metric(metric, self.ev.tables)
        at, estimate = self.metrics.index(ranked), self.estimate(question)
        middle = np.median if estimate == "posterior median" else np.mean
        scores = self._scores(question)[..., at].reshape(-1, len(self.models))
        return ranking_of(
            scores,
            middle(scores, axis=0),
            self.models,
            replace(ranked, label=f"{ranked.label} on {self.scope(question)}"),
            self._settings(check_rope(self.rope if rope is None else rope, ranked), question),
            remarks=(f"Scores are {estimate}s.", *self.notes),
        )

    def posteriors(self) -> dict[tuple[str, str], EmpiricalPosterior]:
        """Return the posterior of each model's score on the average corpus in each metric, by the names of both."""
        draws = self._scores("average")
        return {
            (model, metric.name): EmpiricalPosterior(draws[..., i, k], metric.support)
            for i, model in enumerate(self.models)
            for k, metric in enumerate(self.metrics)
        }

    def estimate(self, question: str) -> str:
        """Return what is printed of a posterior: its mean, or its median if a mean may not exist."""
        # Half-t spreads of few corpora have tails so heavy that there is no mean, or one that the ends of a scale make.
        heavy = question == "new" or (question == "average" and len(self.datasets) < 3)
        return "posterior median" if self.likelihood == "scores" and heavy else "posterior mean"

    def _scores(self, question: str) -> FloatArray:
        """Return draws of scores, axes (chain, draw, model, metric), or say that there is no such question."""
        check_known(question, "question", self.questions)
        return np.asarray(self.posterior["score"].sel(question=question).values, dtype=float)

    def _observed(self, question: str) -> FloatArray:
        """Return the observed scores, axes (model, metric), averaged over corpora if the question is not about one."""
        if question in self.datasets:
            return np.asarray(self.ev.tables[self.datasets.index(question)])
        weights = [*self.weights.values()] if question == "suite" else None
        return np.asarray(np.average(self.ev.tables, axis=0, weights=weights))

    def scope(self, question: str) -> str:
        """Say of which corpus a question asks."""
        scopes = {
            "average": f"the average {self.noun}",
            "new": f"a new {self.noun}",
            "suite": f"the suite of these {len(self.datasets)} {self.nouns}",
        }
        return scopes.get(question, f"{question}, shrunk towards the other {self.nouns}")

    # ---- words and numbers --------------------------------------------------------------------------------

    def answer(self, a: str | None = None, b: str | None = None) -> HierarchicalFit:
        """Return the fit with two of its models to be printed; without names, with those that score best."""
        model_a, model_b = self.main_pair if a is None and b is None else self.ev.pair(a, b).models
        return replace(self, pair=(model_a, model_b))

    @property
    def main_pair(self) -> tuple[str, str]:
        """The two models that are printed: those that were chosen, or there are, or score best on average."""
        if self.pair is not None:
            return self.pair
        if len(self.models) == 2:
            return self.models[0], self.models[1]
        means = self._scores("average")[..., self.metrics.index(self.main_metric)].mean(axis=(0, 1))
        best, second_best = np.argsort(-self.main_metric.sign * means, kind="stable")[:2]
        return self.models[second_best], self.models[best]

    @cached_property
    def answers(self) -> dict[str, Comparisons]:
        """The answers for the two models that are printed, by question."""
        a, b = self.main_pair
        return {question: self.compare(a, b, question=question) for question in self.questions}

    @property
    def title(self) -> str:
        """Which models were compared, on how many corpora."""
        a, b = self.main_pair
        mass = f"{100 * self.prob:.4g} % equal-tailed credible intervals"
        return printable(f"Hierarchical Bayes test of {b} against {a} on {self.number}, {mass}")

    @property
    def table(self) -> Table:
        """The answers to all questions in one table."""
        # Of each corpus the main metric; `to_frame` has all.
        shown = {q: [*res.values()] if q in QUESTIONS else [res.headline] for q, res in self.answers.items()}
        where = [self.scope(q) if q in QUESTIONS else q for q, found in shown.items() for _ in found]
        table = _with_observed([c for found in shown.values() for c in found])
        return replace(
            table,
            header=("On", *table.header),
            rows=tuple((name, *row) for name, row in zip(where, table.rows, strict=True)),
            bold=frozenset(),
            # Nothing is sure if the draws cannot be trusted.
            sure=(not self.diagnostics.caution,) * len(where),
            bars_after=1 + table.bars_after,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        return (*words.notes(self), *filter(None, [self.diagnostics.caution]))

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: the model, its prior, and how it was computed."""
        return [f"{capitalised(words.assumptions(self))}."]

    @property
    def below(self) -> Sequence[str]:
        """Verdicts, what limits them, and how the chains fared."""
        lines = [*(self.answers[question].sentence() for question in QUESTIONS), *words.notes(self)]
        if self.diagnostics.r_hat is not None:
            lines.append(f"{self.diagnostics}.")
        if len(self.models) > 2 and self.pair is None:
            lines.append(
                f"Of {len(self.models)} models, the two that score best are shown; name others to see them."
            )
        return lines

    def __repr__(self) -> str:
        return f"<HierarchicalFit of {len(self.models)} models on {self.number}, {self.likelihood}, {self.diagnostics}>"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each question and metric."""
        return [{"question": q, **record} for q, res in self.answers.items() for record in res.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return all answers as plain numbers and strings, with stable names."""
        a, b = self.main_pair
        return {
            "format": self.json_format,
            "likelihood": self.likelihood,
            "model_a": a,
            "model_b": b,
            "diagnostics": {**asdict(self.diagnostics), "verdict": str(self.diagnostics)},
            "caution": self.diagnostics.caution or None,
            "notes": words.notes(self),
            "sentences": [self.answers[question].sentence() for question in QUESTIONS],
            "answers": {q: [c.to_dict() for c in res.values()] for q, res in self.answers.items()},
        }

    def to_html(self, path: StrPath, *, command: str | None = None) -> None:
        """Write a page that needs no other file: verdicts, table, corpora in a figure, and how to get it again.

        A `command` that made the fit is shown on it.
        """
        from bayesf1.output.html import write_report

        write_report(self, path, command=command)

    # ---- ArviZ --------------------------------------------------------------------------------------------

    def summary(self, prob: float | None = None) -> pd.DataFrame:
        """Return ArviZ's summary of scores and differences, with highest density intervals of mass `prob`."""
        data = self.posterior[["score", "difference"]]
        return summary_of(data, self.prob if prob is None else check_prob(prob))

    def to_arviz(self) -> Any:
        """Return all draws as the installed ArviZ has them: InferenceData under 0.23, DataTree under 1.x.

        The group ``posterior`` has ``score`` (chain, draw, system, measure, question) and ``difference``, of each model
        from the first (chain, draw, contrast, measure, question), beside the parameters of the model.
        """
        return arviz.container(self.groups)

    def save(self, path: StrPath) -> None:
        """Write the fit to a netCDF file, whole or not at all; `load_fit` reads it back."""
        save_groups(self.groups, str(path))


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
    tune: int | None = None,
    chains: int = 4,
    target_accept: float | None = None,
    rng: RNGLike = None,
    progress: bool = True,
) -> HierarchicalFit:
    r"""Fit one model to several corpora, folds or seeds.

    Four questions are answered: is B better on the *average* corpus of a population, on a *new* corpus, on the *suite*
    of the corpora at hand, taken as all there are, and on *each* of them, shrunk towards the others?

    - ``"scores"``: corpus g gives all models' scores with the sampling covariance of its own posterior, paired and
      clustered as its data are, :math:`y_g \sim N(\mu, \tau_c^2 11^\top + \tfrac12\tau^2 I + S_g)`: corpora differ in
      difficulty by τ_c, and the difference of two models varies by τ, of all pairs alike. The average corpus has the
      scores μ. Any metric of any kind of task; no Markov chain.
    - ``"multinomial"``: tables of corpus g and model m are Dirichlet-multinomial around the population's shares,
      :math:`y_{gm} \sim \mathrm{DirichletMultinomial}(n_{gm}, \kappa_m\pi_m)`, models and items independent. The average
      corpus has the shares π. A model of PyMC, sampled by NUTS; `fit.model` is the ``pymc.Model``.

    Parameters
    ----------
    data
        A mapping of names to evaluations of the same models; or one evaluation of folds, which are then taken as
        separate test sets with all their counts, without a discount.
    likelihood
        ``"scores"`` or ``"multinomial"``.
    metrics
        Names of metrics, or callables on tables (..., cell); the usual ones of the task by default.
    rope
        Half-width of the region of practical equivalence.
    prior
        λ of the Dirichlet prior on the cells of a table, or a `HierarchicalPrior`, which says what is believed of the
        spread between corpora, too.
    prob
        Mass of the intervals that are printed.
    assumption
        ``"auto"`` respects units of several items and pairs models if it can, ``"independent"`` takes each model's
        table by itself, without which a multinomial refuses units of several items.
    weights
        The weight of each corpus in the suite, by name; equal ones by default.
    sampler
        ``"pymc"`` (the default) or the faster ``"nutpie"``, of the same model, for ``"multinomial"``; both come with the
        extra ``pymc``. Scores are computed on a ``"grid"`` and need neither.
    draws, chains
        Draws of each chain (up to 5000; 1000 of Markov chains), and number of chains.
    tune, target_accept
        Steps to tune a Markov chain, 1000 by default, and how carefully it steps, 0.9.
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
    >>> print(fit.diagnostics)
    computed on a grid, 20,000 independent draws

    References
    ----------
    Gelman (2006), *Prior distributions for variance parameters in hierarchical models*; Minka (2000), *Estimating a
    Dirichlet distribution*.
    """
    check_known(likelihood, "likelihood", SAMPLERS)
    known = SAMPLERS[likelihood]
    if sampler is not None and sampler not in known:
        raise ValueError(
            f"the likelihood {likelihood!r} has no sampler {sampler!r}; {nearest(sampler, known)}"
        )
    if not isinstance(prior, HierarchicalPrior):
        prior = HierarchicalPrior(prior)
    prior.check(likelihood)
    run: dict[str, Any] = {
        "draws": None if draws is None else check_whole(draws, "draws", 100, 7),
        "chains": check_whole(chains, "chains", 1, 7),
        "assumption": assumption,
        "weights": weights or {},
        "rng": check_rng(rng),
    }
    mass, steps = check_prob(prob), {"tune": tune, "target_accept": target_accept}
    if likelihood == "scores":
        for name in (name for name, value in steps.items() if value is not None):
            raise ValueError(f"the likelihood 'scores' has no Markov chain, and no {name}; leave it out")
        found = given.fit_scores(data, metrics, prior, **run)
    else:
        run |= {"sampler": sampler or known[0], "progress": progress, **steps}
        found = multinomial.fit_counts(data, metrics, prior, **run)
    fit = HierarchicalFit(
        likelihood=likelihood,
        rope=check_rope(rope, *found.metrics).given,
        prob=mass,
        prior=prior,
        weights=given.suite_weights(weights or {}, found.datasets),
        **vars(found),
    )
    if (start := start_of(rng)) is not None:
        fit.posterior.attrs["start"] = start
    fit.posterior.attrs["bayesf1"] = _described(fit)
    if fit.diagnostics.caution:
        warn_caller(fit.diagnostics.caution)
    return fit


def summary_of(data: xr.Dataset, prob: float = 0.95) -> pd.DataFrame:
    """Return ArviZ's summary with highest density intervals of mass `prob`, its columns named as in 0.23.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(4, 500))
    >>> list(summary_of(arviz.dataset({"x": (("chain", "draw"), draws)}, {})).columns)[:4]
    ['mean', 'sd', 'hdi_2.5%', 'hdi_97.5%']
    """
    tail = 50.0 * (1.0 - check_prob(prob))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="In a future version of xarray", category=FutureWarning)
        kind = {"hdi_prob": prob} if arviz.is_old() else {"ci_prob": prob, "ci_kind": "hdi"}
        table: pd.DataFrame = arviz.load_arviz().summary(data, **kind, round_to="none")
    ends = [column for column in table.columns if column.startswith("hdi")]
    named = dict(zip(ends, (f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"), strict=True))
    # ArviZ 1.x gives strings for some columns where it rounds.
    return table.rename(index=cleaned, columns=named).astype(float)


def _effective(draws: FloatArray) -> float:
    """Return the effective number of draws (chain, draw) for their mean."""
    with np.errstate(invalid="ignore"):
        found = float(arviz.load_arviz().ess(draws, method="mean"))
    return found if np.isfinite(found) else float(draws.size)


# ---- files ------------------------------------------------------------------------------------------------


def save_groups(groups: Mapping[str, xr.Dataset], path: str | Path) -> None:
    """Write groups to a netCDF file, whole or not at all."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    if Path(path).suffix == ".zarr":
        raise ValueError(f"draws are saved as netCDF, not Zarr; end {printable(str(path))} with .nc")
    # In memory, as HDF5 may end the program if a disk is full.
    made = BytesIO()
    with h5netcdf.File(made, "w") as file:
        for name, data in groups.items():
            data.dump_to_store(H5NetCDFStore(file.create_group(name)))
    write_atomic(path, made.getvalue())


def load_groups(path: str | Path) -> dict[str, xr.Dataset]:
    """Read all groups of a netCDF file that `save_groups`, or ArviZ, has written."""
    import xarray as xr

    file = InputFile.of(path)
    # A damaged file complains once more when it is dropped, which is before the hook is put back.
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with xr.open_datatree(path, engine="h5netcdf") as tree:
            file.check_size(tree.nbytes)
            return {name: node.to_dataset().load() for name, node in tree.children.items()}
    # h5py raises a RuntimeError for groups that cannot be read.
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
    finally:
        sys.unraisablehook = hook
    why = f"is not a netCDF file of draws, as bayesf1 or ArviZ write: {reason}"
    raise ValueError(f"{printable(str(path))} {why}")


def load_fit(path: StrPath) -> HierarchicalFit:
    """Read a fit that was saved.

    Examples
    --------
    >>> import tempfile
    >>> from bayesf1 import from_counts, hierarchical
    >>> corpora = {"a": from_counts(A=(77, 44, 10), B=(83, 9, 14)), "b": from_counts(A=(9, 5, 3), B=(10, 4, 2))}
    >>> fit = hierarchical(corpora, draws=500, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit.save(f"{folder}/fit.nc")
    ...     again = load_fit(f"{folder}/fit.nc")
    >>> str(again) == str(fit)
    True
    """
    groups = load_groups(str(path))
    written = str(groups["posterior"].attrs.get("bayesf1")) if "posterior" in groups else ""
    if f'"{HierarchicalFit.json_format}"' not in written:
        raise ValueError(f"{path} holds no fit that this version of bayesf1 saved; fit it again")
    try:
        document = json.loads(written)
        fit = _restored(document, groups)
        # What is of another type fails to be printed, or is written otherwise.
        if not str(fit) or json.loads(_described(fit)) != document:
            raise ValueError("its parts contradict each other")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds a fit that is damaged: {' '.join(str(error).split()):.200}") from None
    return fit


def _restored(document: Mapping[str, Any], groups: Mapping[str, Any]) -> HierarchicalFit:
    """Return the fit of a file's words and draws, or raise an error if they do not go together."""
    check_known(document["likelihood"], "likelihood", SAMPLERS)
    check_known(document["assumption"], "assumption", ("independent", "paired", "clustered"))
    metrics = []
    for entry in document["metrics"]:
        low, high = map(float, entry["support"])
        named = Metric(entry["name"], entry["label"], (), None, lambda tables: tables, (low, high))
        more = {name: entry[name] for name in ("percent", "lower_is_better", "alias")}
        metrics.append(replace(named, **more))
    models, names, weights = tuple(document["models"]), tuple(document["datasets"]), document["weights"]
    given.suite_weights(weights, names)
    coords = given.coords_of(models, [m.name for m in metrics], names)
    for group in groups.keys() & {"posterior", "constant_data", "observed_data"}:
        for name, data in groups[group].items():
            in_order = all(data[dim].values.tolist() == [*coords[dim]] for dim in data.dims if dim in coords)
            if not data.size or not in_order or not np.isfinite(data.values).all():
                raise ValueError(f"{name} is not an array of finite numbers with the dims of the fit")
    observed = groups["observed_data" if document["likelihood"] == "scores" else "constant_data"]["score"]
    if groups["posterior"]["score"].dims != given.DIMS or observed.dims != ("dataset", "system", "measure"):
        raise ValueError(f"the dims of scores are {groups['posterior']['score'].dims!r:.100}")
    return HierarchicalFit(
        groups=groups,
        ev=Evaluation(
            models,
            (task := given.PlainScores.of(metrics, document["main_metric"])),
            np.array(observed.values, float),
        ),
        metrics=task.metrics,
        datasets=names,
        prior=HierarchicalPrior(**document["prior"]),
        prob=check_prob(document["prob"]),
        rope=check_rope(document["rope"], *metrics).given,
        diagnostics=Diagnostics(**document["diagnostics"]),
        weights={name: weights[name] for name in names},
        **{name: document[name] for name in TEXTS},
    )


def _described(fit: HierarchicalFit) -> str:
    """Return as JSON what a file must say of a fit beside its draws."""
    metrics = [
        {name: getattr(m, name) for name in ("name", "label", "percent", "lower_is_better", "alias")}
        | {"support": [*map(str, m.support)]}
        for m in fit.metrics
    ]
    document = {
        "format": fit.json_format,
        **{name: getattr(fit, name) for name in (*TEXTS, "rope", "prob", "datasets", "weights", "models")},
        "metrics": metrics,
        "main_metric": fit.main_metric.name,
        "prior": asdict(fit.prior),
        "diagnostics": asdict(fit.diagnostics),
    }
    return json.dumps(document, allow_nan=False)
