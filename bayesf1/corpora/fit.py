"""Several corpora, folds or seeds, related but not equal: is B better on average, on a new one, on each?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import RNGLike, check_prob, check_rng, check_whole, start_of
from bayesf1.base.naming import capitalised, check_known, nearest, plural, printable
from bayesf1.base.text_files import StrPath
from bayesf1.corpora import files, multinomial
from bayesf1.corpora.comparison import HierarchicalComparison, HierarchicalComparisons
from bayesf1.corpora.model import (
    POPULATION_QUESTIONS,
    QUESTIONS,
    FitOptions,
    FittedModel,
    HierarchicalPrior,
    read_corpora,
    suite_weights,
)
from bayesf1.corpora.multinomial import Concentrations
from bayesf1.corpora.scores import ScoreSpreads, fit_scores
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.evaluation import Evaluation
from bayesf1.inference.comparison import Rope, RopeLike, Settings, check_rope
from bayesf1.inference.posterior import Posteriors
from bayesf1.inference.rank import Ranking, ranking_of
from bayesf1.inference.tails import Tails, share_error
from bayesf1.metrics import Estimates, Metric, MetricLike
from bayesf1.output import arviz
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import fits as words
from bayesf1.output.words.signature import signature_of, signed_metric

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

# The samplers that a likelihood may have, the usual one first.
SAMPLERS = {"scores": ("grid",), "multinomial": multinomial.SAMPLERS}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalFit(FittedModel, Answer):
    """The posterior of a hierarchical model of several corpora, folds or seeds, and the answers for two of the models.

    The answers that are printed are made once, when the fit is made; `compare`, `rank` and `summary` give others.

    Attributes
    ----------
    groups, observed, noun, assumption, within, diagnostics, note, remarks, exact
        The draws and the data, as `FittedModel` explains.
    likelihood
        The likelihood, ``"scores"`` or ``"multinomial"``.
    rope, prob
        Half-width or region of practical equivalence, and mass of printed intervals.
    prior
        The prior.
    weights
        The weight of each corpus in the suite that they make.
    start
        The number that draws started from; None if that was the state of a Generator.
    pair
        The models that were chosen to be printed, if any were.
    shown
        The models that are printed: the chosen ones, the only two, or the two with the best average scores.
    spreads, concentrations
        How much corpora differ, by the parameters of the random-effects model, or of the multinomial; the other is None.
    answers
        The comparisons of the models that are printed, by question.
    """

    json_format = "bayesf1.hierarchical/3"
    index_names = ("question", "metric")

    likelihood: str
    rope: RopeLike
    prob: float
    prior: HierarchicalPrior
    weights: Mapping[str, float]
    start: int | None = None
    pair: tuple[str, str] | None = None
    shown: tuple[str, str] = field(init=False)
    spreads: ScoreSpreads | None = field(init=False, default=None)
    concentrations: Concentrations | None = field(init=False, default=None)
    answers: Mapping[str, HierarchicalComparisons] = field(init=False)

    def __post_init__(self) -> None:
        # Fields of a frozen class, set once: what is printed only reads them.
        shown = self._choose_pair() if self.pair is None else self.pair
        object.__setattr__(self, "shown", shown)
        if self.likelihood == "scores":
            object.__setattr__(self, "spreads", ScoreSpreads.of(self.posterior, self.main_metric))
        else:
            object.__setattr__(self, "concentrations", Concentrations.of(self.posterior))
        a, b = shown
        answers = {question: self.compare(a, b, question=question) for question in self.questions}
        object.__setattr__(self, "answers", answers)

    def _choose_pair(self) -> tuple[str, str]:
        """Return the only two models, or the two with the best average scores, the best one last."""
        if len(self.models) == 2:
            return self.models[0], self.models[1]
        draws = self._draws("average", self.main_metric)
        # Axes (chain, draw, model) to (model,).
        means = draws.mean(axis=(0, 1))
        best, second_best = np.argsort(-self.main_metric.sign * means, kind="stable")[:2]
        return self.models[second_best], self.models[best]

    # ---- the model ----------------------------------------------------------------------------------------

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.observed.models

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics."""
        return self.observed.metrics

    @property
    def main_metric(self) -> Metric:
        """The metric used in a sentence or a ranking if none is named."""
        return self.observed.main_metric

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the corpora."""
        return self.observed.corpora

    @property
    def posterior(self) -> xr.Dataset:
        """The posterior draws."""
        return self.groups["posterior"]

    @property
    def model(self) -> Any:
        """The ``pymc.Model`` that was sampled, built anew from the data: look at it, change it, sample it again."""
        if self.likelihood == "scores":
            raise ValueError("the likelihood 'scores' has no PyMC model; use likelihood='multinomial'")
        return multinomial.model_of(self.groups, self.prior)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions: ``"average"``, ``"new"``, ``"suite"``, and the names of the corpora."""
        return (*QUESTIONS, *self.datasets)

    @property
    def nouns(self) -> str:
        """The noun of several corpora."""
        return plural(self.noun)

    @property
    def number(self) -> str:
        """The number of corpora with their noun."""
        return f"{len(self.datasets)} {self.nouns}"

    # ---- answers ------------------------------------------------------------------------------------------

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        question: str = "average",
        rope: RopeLike | None = None,
    ) -> HierarchicalComparisons:
        """Return the Bayes tests of B against A for one of the questions.

        Parameters
        ----------
        a, b
            Names of the models; may be left out if there are exactly two.
        question
            ``"average"`` for the average corpus of the population, ``"new"`` for a corpus not seen, ``"suite"`` for the
            mean over the corpora at hand, as a fixed suite and not as a sample of others, with the weights of the fit, or
            the name of a corpus. Under the likelihood ``"scores"`` each corpus is shrunk towards the others but the suite
            is not, so the suite's draws are not the means of the corpora's draws.
        rope
            Half-width or region of practical equivalence, as in `bayesf1.compare`; that of the fit by default.
        """
        pair = self.observed.pair(a, b)
        region = self._region(rope, self.metrics)
        check_known(question, "question", self.questions)
        settings = self._settings(region, question)
        comparisons = [self._comparison(metric, pair, question, settings) for metric in self.metrics]
        return HierarchicalComparisons(comparisons, self.main_metric.name)

    def _region(self, rope: RopeLike | None, metrics: Sequence[Metric]) -> Rope:
        """Return the given region of practical equivalence, or that of the fit."""
        asked = self.rope if rope is None else rope
        return check_rope(asked, *metrics)

    def _comparison(
        self, metric: Metric, pair: tuple[str, str], question: str, settings: Settings
    ) -> HierarchicalComparison:
        """Return the comparison of two models by one metric."""
        model_a, model_b = pair
        # Axes (chain, draw, model), and (chain, draw) of each model and of the difference.
        draws = self._draws(question, metric)
        draws_a = draws[..., self.models.index(model_a)]
        draws_b = draws[..., self.models.index(model_b)]
        differences = draws_b - draws_a
        gains = metric.sign * differences
        tails = Tails.from_draws(gains.ravel(), settings.rope)
        effective = float(gains.size)
        if not self.diagnostics.independent:
            effective = arviz.effective_draws((gains > 0).astype(float))

        posteriors = Posteriors(
            EmpiricalPosterior(draws_a, metric.support),
            EmpiricalPosterior(draws_b, metric.support),
            EmpiricalPosterior(differences, metric.difference_support),
        )
        middle = np.median if self.uses_median(question) else np.mean
        values = (float(middle(draws_a)), float(middle(draws_b)), float(middle(differences)))
        estimates = posteriors.estimates(metric, values, self.prob)
        if self.exact and question not in POPULATION_QUESTIONS:
            estimates = Estimates(*(estimate._replace(exact=True) for estimate in estimates))

        # Axes (model, metric) to (model,).
        observed = self.observed.on(question, [*self.weights.values()])[:, self.metrics.index(metric)]
        observed_a = float(observed[self.models.index(model_a)])
        observed_b = float(observed[self.models.index(model_b)])
        remarks = words.few_corpora(self) if question in POPULATION_QUESTIONS else []
        return HierarchicalComparison(
            definition=metric,
            model_a=model_a,
            model_b=model_b,
            estimates=estimates,
            **tails._asdict(),
            moments=posteriors.moments,
            posterior_a=posteriors.a,
            posterior_b=posteriors.b,
            difference=posteriors.difference,
            mcse=share_error(tails.p_h1 * effective, effective),
            settings=settings,
            sampling=None,
            remarks=tuple(remarks),
            question=question,
            scope=self.scope(question),
            estimate=self.estimate(question),
            observed=(observed_a, observed_b),
            caution=self.diagnostics.caution,
        )

    def _settings(self, rope: Rope, question: str) -> Settings:
        """Return what was asked, and what was done."""
        usual = HierarchicalPrior()
        changed = {name: value for name, value in vars(self.prior).items() if value != getattr(usual, name)}
        uneven = len({*self.weights.values()}) > 1
        weights = [f"{weight:g}" for weight in self.weights.values()] if uneven else []
        signed = {
            "question": question,
            "likelihood": self.likelihood,
            "sampler": self.diagnostics.sampler,
            "hyperprior": ",".join(f"{name}={value:g}" for name, value in changed.items()),
            "weights": ",".join(weights),
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
        """Return what is needed to repeat the answers to all questions, in one line."""
        settings = self._settings(self._region(None, self.metrics), "all")
        return signature_of([settings], list(map(signed_metric, self.metrics)))

    def rank(
        self, metric: str | None = None, *, question: str = "average", rope: RopeLike | None = None
    ) -> Ranking:
        """Rank all models for one of the questions, which `compare` explains, by one metric: the main one by default.

        Examples
        --------
        >>> from bayesf1 import from_counts, hierarchical
        >>> corpora = {n: from_counts(A=(77, 44, 10 + i), B=(83, 9, 14), C=(70, 30, 27)) for i, n in enumerate("xyz")}
        >>> hierarchical(corpora, rng=1).rank(question="suite").models
        ('B', 'A', 'C')
        """
        ranked = self.observed.metric(metric)
        check_known(question, "question", self.questions)
        region = self._region(rope, [ranked])
        # Axes (chain, draw, model) to (draw, model).
        scores = self._draws(question, ranked).reshape(-1, len(self.models))
        middle = np.median if self.uses_median(question) else np.mean
        return ranking_of(
            scores,
            middle(scores, axis=0),
            self.models,
            replace(ranked, label=f"{ranked.label} on {self.scope(question)}"),
            self._settings(region, question),
            remarks=(f"Scores are {self.estimate(question)}s.", *self.notes),
        )

    def posteriors(self) -> dict[tuple[str, str], EmpiricalPosterior]:
        """Return the posterior of each model's score on the average corpus by each metric, by the names of both."""
        found = {}
        for i, model in enumerate(self.models):
            for metric in self.metrics:
                draws = self._draws("average", metric)[..., i]
                found[model, metric.name] = EmpiricalPosterior(draws, metric.support)
        return found

    def uses_median(self, question: str) -> bool:
        """Return whether the posterior median is printed, as a posterior mean may not exist."""
        if self.likelihood != "scores":
            return False
        # Half-t spreads of few corpora have tails so heavy that there is no mean, or one that depends on the ends of the
        # scale.
        return question == "new" or (question == "average" and len(self.datasets) < 3)

    def estimate(self, question: str) -> str:
        """Return the name of the estimate that is printed: the mean, or the median if a mean may not exist."""
        return "posterior median" if self.uses_median(question) else "posterior mean"

    def _draws(self, question: str, metric: Metric) -> FloatArray:
        """Return draws of the scores of all models, axes (chain, draw, model)."""
        scores = self.posterior["score"].sel(question=question, measure=metric.name)
        return np.asarray(scores.values, dtype=float)

    def scope(self, question: str) -> str:
        """Return in words the corpus, or the corpora, that a question is about."""
        return words.scope(self, question)

    # ---- words and numbers --------------------------------------------------------------------------------

    def answer(self, a: str | None = None, b: str | None = None) -> HierarchicalFit:
        """Return the fit that prints two other models; without names, the models that are shown already."""
        pair = self.shown if a is None and b is None else self.observed.pair(a, b)
        return replace(self, pair=pair)

    @property
    def title(self) -> str:
        """The models that are compared, and the number of corpora."""
        return printable(words.title(self))

    @property
    def table(self) -> Table:
        """The answers to all questions in one table."""
        return words.answers_table(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        caution = self.diagnostics.caution
        notes = tuple(words.notes(self))
        return (*notes, caution) if caution else notes

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: the model, its prior, and how it was computed."""
        return [f"{capitalised(words.assumptions(self))}."]

    @property
    def verdicts(self) -> Sequence[str]:
        """The verdicts on the average corpus, a new one and the suite."""
        return [self.answers[question].sentence() for question in QUESTIONS]

    @property
    def below(self) -> Sequence[str]:
        """Verdicts, what limits them, and how the chains fared."""
        return [*self.verdicts, *words.notes(self), *words.chains_and_models(self)]

    def __repr__(self) -> str:
        return f"<HierarchicalFit of {len(self.models)} models on {self.number}, {self.likelihood}, {self.diagnostics}>"

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each question and metric."""
        return [{"question": q, **record} for q, res in self.answers.items() for record in res.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return all answers as plain numbers and strings, with stable names."""
        a, b = self.shown
        caution = self.diagnostics.caution if self.diagnostics.caution else None
        return {
            "format": self.json_format,
            "likelihood": self.likelihood,
            "model_a": a,
            "model_b": b,
            "diagnostics": {**asdict(self.diagnostics), "verdict": str(self.diagnostics)},
            "caution": caution,
            "notes": words.notes(self),
            "sentences": list(self.verdicts),
            "answers": {q: [c.to_dict() for c in res.values()] for q, res in self.answers.items()},
        }

    def to_html(self, path: StrPath, *, command: str | None = None) -> None:
        """Write a page that needs no other file: verdicts, table, corpora in a figure, and how to reproduce it.

        A `command` that made the fit is shown on it.
        """
        from bayesf1.output.html import write_report

        write_report(self, path, command=command)

    # ---- ArviZ --------------------------------------------------------------------------------------------

    def summary(self, prob: float | None = None) -> pd.DataFrame:
        """Return ArviZ's summary of scores and differences, with highest density intervals of mass `prob`."""
        mass = self.prob if prob is None else check_prob(prob)
        return arviz.summary(self.posterior[["score", "difference"]], mass)

    def to_arviz(self) -> Any:
        """Return all draws as the installed ArviZ has them: InferenceData under 0.23, DataTree under 1.x.

        The group ``posterior`` has ``score`` (chain, draw, system, measure, question) and ``difference``, each model minus
        the first (chain, draw, contrast, measure, question), beside the parameters of the model.
        """
        return arviz.container(files.described_groups(self))

    def save(self, path: StrPath) -> None:
        """Write the fit to a netCDF file, completely or not at all; `load_fit` reads it back."""
        files.save_groups(files.described_groups(self), str(path))


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
      difficulty by τ_c, and the difference of any two models varies by τ. The average corpus has the
      scores μ. Any metric of any kind of task; no Markov chain.
    - ``"multinomial"``: tables of corpus g and model m are Dirichlet-multinomial around the population's shares,
      :math:`y_{gm} \sim \mathrm{DirichletMultinomial}(n_{gm}, \kappa_m\pi_m)`, models and items independent. The average
      corpus has the shares π. A model of PyMC, sampled by NUTS; `fit.model` is the ``pymc.Model``.

    Parameters
    ----------
    data
        A mapping of names to evaluations of the same models; one evaluation of several corpora, as `from_frame` and `read`
        make of a table with ``corpus=``; or one evaluation of folds, which are then taken as separate test sets with all
        their counts, without a discount.
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
        table by itself; a multinomial needs it if units have several items.
    weights
        The weight of each corpus in the suite, by name; equal weights by default.
    sampler
        ``"pymc"`` (the default) or the faster ``"nutpie"``, for the same ``"multinomial"`` model; both come with the
        extra ``pymc``. Scores are computed on a ``"grid"`` and need neither.
    draws, chains
        Draws of each chain (up to 5000; 1000 of Markov chains), and number of chains.
    tune, target_accept
        Steps to tune a Markov chain, 1000 by default, and its target acceptance rate, 0.9 by default.
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
    samplers = SAMPLERS[likelihood]
    if sampler is not None and sampler not in samplers:
        raise ValueError(
            f"the likelihood {likelihood!r} has no sampler {sampler!r}; {nearest(sampler, samplers)}"
        )
    if assumption == "fixed":
        raise ValueError(
            "assumption='fixed' asks about these items, and a fit about corpora of others; leave it out"
        )
    if not isinstance(prior, HierarchicalPrior):
        prior = HierarchicalPrior(prior)
    prior.check(likelihood)
    if weights is None:
        weights = {}
    if draws is not None:
        draws = check_whole(draws, "draws", 100, 7)
    chains = check_whole(chains, "chains", 1, 7)
    options = FitOptions(metrics, prior, assumption, weights, draws, chains, check_rng(rng))
    check_prob(prob)
    corpora = read_corpora(data)
    if likelihood == "scores":
        for name, value in {"tune": tune, "target_accept": target_accept}.items():
            if value is not None:
                raise ValueError(f"the likelihood 'scores' has no Markov chain, and no {name}; leave it out")
        fitted = fit_scores(corpora, options)
    else:
        if sampler is None:
            sampler = samplers[0]
        fitted = multinomial.fit_counts(
            corpora, options, sampler=sampler, progress=progress, tune=tune, target_accept=target_accept
        )
    fit = HierarchicalFit(
        groups=fitted.groups,
        observed=fitted.observed,
        noun=fitted.noun,
        assumption=fitted.assumption,
        within=fitted.within,
        diagnostics=fitted.diagnostics,
        note=fitted.note,
        remarks=fitted.remarks,
        exact=fitted.exact,
        likelihood=likelihood,
        # A half-width stays a number, as it was given.
        rope=check_rope(rope, *fitted.observed.metrics).given,
        prob=check_prob(prob),
        prior=prior,
        weights=suite_weights(weights, fitted.observed.corpora),
        start=start_of(rng),
    )
    if fit.diagnostics.caution:
        warn_caller(fit.diagnostics.caution)
    return fit


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
    groups = files.load_groups(str(path))
    document = files.document_in(groups, str(path))
    try:
        fit = HierarchicalFit(**files.fields_of(document, groups))
        if files.document_of(fit) != document:
            raise ValueError("its parts contradict each other")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} holds a fit that is damaged: {reason:.200}") from None
    return fit
