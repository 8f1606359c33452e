"""What a hierarchical model found: is B better on average, on a new corpus, and on each at hand?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base import arviz_data
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob, checked
from bayesf1.base.naming import nearest, plural
from bayesf1.base.table import Table
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.bayes.drawn import Counts, share_error
from bayesf1.bayes.rope import Rope, RopeLike, check_rope
from bayesf1.bayes.tails import shares_of
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Assumption
from bayesf1.groups import wording
from bayesf1.groups.corpora import ALIASES, QUESTIONS, suite_weights
from bayesf1.groups.diagnostics import Diagnostics
from bayesf1.groups.group_comparison import GroupComparison, GroupComparisons
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.suite import suite_draws
from bayesf1.groups.wording import PairAnswer
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.law import lazy_property

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayesf1.bayes.ranking import Ranking

FILE_FORMAT = PairAnswer.json_format


@dataclass(frozen=True, eq=False)
class HierarchicalFit:
    """The posterior of a hierarchical model of several corpora, folds or seeds.

    Attributes
    ----------
    groups
        The draws: Datasets by ArviZ's names of groups.
    likelihood, assumption
        The model, and what was assumed of the models within a corpus, where that is the same for all.
    ev
        The tables of all corpora, axes (dataset, model, cell); plain scores under the likelihood ``"scores"``.
    datasets, noun
        Names of the corpora, and what one is called.
    metrics
        The measures.
    rope, prob
        Half-width or region of practical equivalence, and mass of printed intervals.
    prior
        The prior.
    diagnostics
        How well the posterior was sampled.
    note, within
        What should be known of the data, such as why models were not paired, and what was assumed within corpora.
    weights
        The weight of each corpus in the suite that they make.
    """

    groups: Mapping[str, xr.Dataset]
    likelihood: str
    assumption: Assumption
    ev: Evaluation
    datasets: tuple[str, ...]
    noun: str
    metrics: tuple[Metric, ...]
    rope: RopeLike
    prob: float
    prior: HierarchicalPrior
    diagnostics: Diagnostics
    note: str = ""
    within: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.ev.models

    @property
    def posterior(self) -> xr.Dataset:
        """The posterior draws."""
        return self.groups["posterior"]

    @property
    def questions(self) -> tuple[str, ...]:
        """What can be asked: ``"average"``, ``"new"``, ``"suite"``, and the names of the corpora."""
        return (*QUESTIONS, *self.datasets)

    # ---- answers ------------------------------------------------------------------------------------------

    @checked
    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        question: str = "average",
        rope: RopeLike | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Comparisons:
        """Return the Bayes tests of B against A for one of the questions.

        Parameters
        ----------
        a, b
            Names of the models; may be left out where there are exactly two.
        question
            ``"average"`` for the average corpus of the population (``"population"`` is the same), ``"new"`` for a
            corpus not seen, ``"suite"`` for the mean over the corpora at hand, taken as a fixed suite and not as a
            sample of others, or a corpus' name.
        rope
            Half-width or region of practical equivalence, as in `bayesf1.compare`; that of the fit by default.
        weights
            For the suite, the weight of each corpus by name; those of the fit by default.
        """
        question = self._check_question(question, weights)
        pair = self.ev.pair(a, b)
        region = check_rope(self.rope if rope is None else rope, *self.metrics)
        index = [self.models.index(name) for name in pair.models]
        scores = self._scores(question, weights)[..., index, :]
        return GroupComparisons(
            [self._compare(pair, m, scores[..., i], question, region) for i, m in enumerate(self.metrics)]
        )

    @checked
    def rank(
        self,
        metric: str | None = None,
        *,
        question: str = "average",
        rope: RopeLike | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Ranking:
        """Rank all models for one of the questions, which `compare` explains, on one measure: F1 or the last by default.

        Examples
        --------
        >>> from bayesf1 import from_counts, hierarchical
        >>> corpora = {n: from_counts(A=(77, 44, 10 + i), B=(83, 9, 14), C=(70, 30, 27)) for i, n in enumerate("xyz")}
        >>> hierarchical(corpora, rng=1).rank(question="suite").system.values.tolist()
        ['B', 'A', 'C']
        """
        from bayesf1.groups.group_ranking import ranking_of

        question = self._check_question(question, weights)
        names = [m.name for m in self.metrics]
        if metric is not None and metric not in names:
            raise ValueError(f"no metric {metric!r} in this fit; {nearest(str(metric), names)}")
        at = self.main_measure if metric is None else names.index(metric)
        region = check_rope(self.rope if rope is None else rope, self.metrics[at])
        scores = self._scores(question, weights)[..., at]
        return ranking_of(self, self.metrics[at], question, region, scores.reshape(-1, len(self.models)))

    def _check_question(self, question: str, weights: Mapping[str, float] | None) -> str:
        found = ALIASES.get(question, question)
        if found not in self.questions:
            raise ValueError(f"unknown question {question!r}; {nearest(str(question), self.questions)}")
        if weights is not None and found != "suite":
            raise ValueError(f"weights are those of the question 'suite', not of {question!r}")
        return found

    def _scores(self, question: str, weights: Mapping[str, float] | None = None) -> FloatArray:
        """Return draws of scores, axes (chain, draw, model, measure)."""
        if question == "suite":
            shares = suite_weights(self.weights if weights is None else weights, self.datasets)
            return suite_draws(self.groups, self.metrics, np.array(list(shares.values())))
        name = {"average": "score", "new": "score_new"}.get(question, "score_dataset")
        scores = np.asarray(self.posterior[name].values, dtype=float)
        return scores[..., self.datasets.index(question)] if question in self.datasets else scores

    @lazy_property
    def _assumed(self) -> str:
        """Say what was assumed, once for all of hundreds of answers."""
        return wording.assumptions(self)

    def _compare(
        self, pair: Evaluation, measure: Metric, draws: FloatArray, question: str, rope: Rope
    ) -> GroupComparison:
        gap = draws[..., 1] - draws[..., 0]
        ahead = measure.sign * gap
        if self.diagnostics.chained:
            effective = arviz_data.effective((ahead > 0).astype(float))
        else:
            effective = min(self.diagnostics.ess_bulk, gap.size)
        tails = shares_of(Counts.of(ahead, rope), gap.size, rope)
        low, high = measure.support
        at = [self.datasets.index(question)] if question in self.datasets else slice(None)
        return GroupComparison(
            metric=measure.name,
            label=measure.label,
            model_a=pair.models[0],
            model_b=pair.models[1],
            **tails._asdict(),
            p_rope=max(0.0, 1.0 - tails.p_less - tails.p_greater) if rope else 0.0,
            rope=rope.given,
            posterior_a=EmpiricalPosterior(draws[..., 0], measure.support),
            posterior_b=EmpiricalPosterior(draws[..., 1], measure.support),
            difference=EmpiricalPosterior(gap, (low - high, high - low)),
            mcse=share_error(tails.p_h1 * effective, effective),
            method="montecarlo",
            assumption=self.assumption,
            prior=self.ev.kind.outcome_prior(None) if self.prior.cells is None else self.prior.cells,
            prob=self.prob,
            ev=replace(pair, tables=pair.tables[at].copy()),
            measure=measure,
            question=question,
            scope=self.scope(question),
            caution=self.diagnostics.caution,
            note=self._assumed,
            scores=draws,
        )

    @checked
    def scope(self, question: str) -> str:
        """Say of which corpus a question asks."""
        scopes = {
            "average": f"the average {self.noun}",
            "new": f"a new {self.noun}",
            "suite": f"the suite of these {len(self.datasets)} {self.nouns}",
        }
        if len(self.datasets) == 1:
            # There is nothing to shrink it towards.
            scopes |= {self.datasets[0]: self.datasets[0], "suite": f"this one {self.noun}"}
        return scopes.get(question, f"{question}, shrunk towards the other {self.nouns}")

    @property
    def nouns(self) -> str:
        """What several of the corpora are called."""
        return plural(self.noun)

    @property
    def main_measure(self) -> int:
        """The place of F1, or of the last measure where there is none."""
        names = [m.name for m in self.metrics]
        return names.index("f1") if "f1" in names else len(names) - 1

    @checked
    def main_pair(self, a: str | None = None, b: str | None = None) -> tuple[str, str]:
        """Return the two models that were named, or that there are, or that score best on average."""
        if a is not None or b is not None or len(self.models) == 2:
            model_a, model_b = self.ev.pair(a, b).models
            return model_a, model_b
        if len(self.models) == 1:
            raise ValueError(f"there is one model ({self.models[0]}); comparing takes two")
        measure = self.metrics[self.main_measure]
        mean = measure.sign * self._scores("average")[..., self.main_measure].mean(axis=(0, 1))
        second_best, best = np.argsort(mean)[-2:]
        return self.models[second_best], self.models[best]

    # ---- words --------------------------------------------------------------------------------------------

    @checked
    def answer(self, a: str | None = None, b: str | None = None) -> PairAnswer:
        """Return what is said of two models, those that score best by default, with all its forms."""
        return PairAnswer(self, *self.main_pair(a, b), chosen=a is not None)

    @checked
    def table(self, a: str | None = None, b: str | None = None) -> Table:
        """Return the answers to all three questions in one table."""
        return self.answer(a, b).table

    @checked
    def parts(self, a: str | None = None, b: str | None = None) -> tuple[str, Table, list[str]]:
        """Return title, table, and what is said below it: verdicts, assumptions, notes."""
        answer = self.answer(a, b)
        return answer.title, answer.table, list(answer.below)

    @checked
    def sentences(self, a: str | None = None, b: str | None = None) -> list[str]:
        """Return the verdicts: on the average corpus, on a new one, and on those at hand."""
        return self.answer(a, b).sentences

    @checked
    def text(self, a: str | None = None, b: str | None = None) -> str:
        """Return table, verdicts and assumptions as plain text."""
        return self.answer(a, b).to_text()

    def __str__(self) -> str:
        return self.text() if len(self.models) > 1 else wording.one_model(self)

    def __repr__(self) -> str:
        return (
            f"<HierarchicalFit of {len(self.models)} models on {len(self.datasets)} {self.nouns}, "
            f"{self.likelihood}, {self.diagnostics}>"
        )

    def _repr_html_(self) -> str:
        alone = len(self.models) == 1
        return f"<pre>{escape(str(self))}</pre>" if alone else self.answer()._repr_html_()

    @checked
    def sentence(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        question: str = "average",
        format: str = "text",
    ) -> str:
        """Return the verdict on one of the questions as a sentence, ``"text"`` or ``"latex"``."""
        return self.compare(*self.main_pair(a, b), question=question).sentence(format=format)

    @checked
    def methods_sentence(self, a: str | None = None, b: str | None = None, *, format: str = "text") -> str:
        """Return how the answers were found, for a paper's section on methods."""
        return self.compare(*self.main_pair(a, b)).methods_sentence(format=format)

    def bibtex(self) -> str:
        """Return BibTeX entries of what the sentence on the methods cites."""
        return self.compare(*self.main_pair()).bibtex()

    @checked
    def to_latex(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        siunitx: bool = False,
        columns: Sequence[str] | None = None,
        width: str | None = None,
    ) -> str:
        """Return the table of all answers in LaTeX, as `Answer` does."""
        return self.answer(a, b).to_latex(
            caption=caption, label=label, siunitx=siunitx, columns=columns, width=width
        )

    @checked
    def to_html(
        self,
        path: str | PathLike[str],
        a: str | None = None,
        b: str | None = None,
        *,
        command: str | None = None,
    ) -> None:
        """Write a page that needs no other file: verdicts, table, corpora in a figure, and how to get it again.

        A `command` that made the fit is shown on it.
        """
        # By name, as the page is made of all rooms.
        import_module("bayesf1.report.fit_report").write_fit_report(self.answer(a, b), path, command=command)

    # ---- numbers ------------------------------------------------------------------------------------------

    @checked
    def to_frame(self, a: str | None = None, b: str | None = None) -> pd.DataFrame:
        """Return a DataFrame with a row for each question and measure."""
        return self.answer(a, b).to_frame()

    @checked
    def to_dict(self, a: str | None = None, b: str | None = None) -> dict[str, Any]:
        """Return all answers for a pair of models as plain numbers and strings, with stable names."""
        return self.answer(a, b).to_dict()

    # ---- ArviZ --------------------------------------------------------------------------------------------

    @checked
    def summary(self, prob: float | None = None) -> pd.DataFrame:
        """Return ArviZ's summary of parameters and scores, with highest density intervals of mass `prob`."""
        return arviz_data.summary(self.posterior, self.prob if prob is None else check_prob(prob))

    @property
    def inference_data(self) -> Any:
        """All draws as the installed ArviZ has them: InferenceData under 0.23, DataTree under 1.x."""
        return arviz_data.container(self.groups)

    def to_arviz(self) -> Any:
        """Return `inference_data`."""
        return self.inference_data

    @checked
    def save(self, path: str | PathLike[str]) -> None:
        """Write the fit to a netCDF file, whole or not at all; `load_fit` reads it back."""
        arviz_data.save(self.groups, str(path))
