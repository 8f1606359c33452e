"""What a hierarchical model found: is B better on average, on a new corpus, and on each at hand?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base import arviz_data
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob
from bayesf1.base.naming import nearest, plural
from bayesf1.base.table import Table
from bayesf1.bayes.comparison import Comparisons
from bayesf1.bayes.posterior import check_rope
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Assumption
from bayesf1.groups import wording
from bayesf1.groups.corpora import QUESTIONS
from bayesf1.groups.diagnostics import Diagnostics
from bayesf1.groups.group_comparison import GroupComparison, GroupComparisons
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.groups.wording import PairAnswer
from bayesf1.laws.empirical import EmpiricalPosterior

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

FILE_FORMAT = PairAnswer.json_format


@dataclass(frozen=True, eq=False)
class HierarchicalFit:
    """The posterior of a hierarchical model of several corpora, folds or seeds.

    Attributes
    ----------
    groups
        The draws: Datasets by ArviZ's names of groups.
    likelihood, assumption
        The model, and whether the models were paired within a corpus.
    ev
        The tables of all corpora, axes (dataset, model, cell).
    datasets, noun
        Names of the corpora, and what one is called.
    metrics
        The measures.
    rope, prob
        Half-width of practical equivalence, and mass of printed intervals.
    prior
        The prior.
    diagnostics
        How well the posterior was sampled.
    note
        What should be known of the data, such as why models were not paired.
    """

    groups: Mapping[str, xr.Dataset]
    likelihood: str
    assumption: Assumption
    ev: Evaluation
    datasets: tuple[str, ...]
    noun: str
    metrics: tuple[Metric, ...]
    rope: float
    prob: float
    prior: HierarchicalPrior
    diagnostics: Diagnostics
    note: str = ""

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
        """What can be asked: ``"population"``, ``"new"``, and the names of the corpora."""
        return (*QUESTIONS, *self.datasets)

    # ---- answers ------------------------------------------------------------------------------------------

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        question: str = "population",
        rope: float | None = None,
    ) -> Comparisons:
        """Return the Bayes tests of B against A for one of the three questions.

        Parameters
        ----------
        a, b
            Names of the models; may be left out where there are exactly two.
        question
            ``"population"`` for the average corpus, ``"new"`` for a corpus not seen, or a corpus' name.
        rope
            Half-width of practical equivalence; that of the fit by default.
        """
        if question == "average" and question not in self.datasets:
            question = "population"
        if question not in self.questions:
            raise ValueError(f"unknown question {question!r}; {nearest(str(question), self.questions)}")
        pair = self.ev.pair(a, b)
        width = self.rope if rope is None else check_rope(rope, *self.metrics)
        index = [self.models.index(name) for name in pair.models]
        scores = self._scores(question)[..., index, :]
        return GroupComparisons(
            [self._compare(pair, m, scores[..., i], question, width) for i, m in enumerate(self.metrics)]
        )

    def _scores(self, question: str) -> FloatArray:
        """Return draws of scores, axes (chain, draw, model, metric)."""
        name = {"population": "score", "new": "score_new"}.get(question, "score_dataset")
        scores = np.asarray(self.posterior[name].values, dtype=float)
        return scores[..., self.datasets.index(question)] if question in self.datasets else scores

    def _compare(
        self, pair: Evaluation, measure: Metric, draws: FloatArray, question: str, rope: float
    ) -> GroupComparison:
        gap = draws[..., 1] - draws[..., 0]
        better, less, greater = (float(x.mean()) for x in (gap > 0, gap < -rope, gap > rope))
        if self.diagnostics.pareto_k is None:
            effective = arviz_data.effective((gap > 0).astype(float))
        else:
            effective = min(self.diagnostics.ess_bulk, gap.size)
        smoothed = (better * effective + 1.0) / (effective + 2.0)
        low, high = measure.support
        at = [self.datasets.index(question)] if question in self.datasets else slice(None)
        return GroupComparison(
            metric=measure.name,
            label=measure.label,
            model_a=pair.models[0],
            model_b=pair.models[1],
            p_h0=1.0 - better,
            p_h1=better,
            p_less=less,
            p_rope=max(0.0, 1.0 - less - greater) if rope else 0.0,
            p_greater=greater,
            rope=rope,
            posterior_a=EmpiricalPosterior(draws[..., 0], measure.support),
            posterior_b=EmpiricalPosterior(draws[..., 1], measure.support),
            difference=EmpiricalPosterior(gap, (low - high, high - low)),
            mcse=math.sqrt(smoothed * (1.0 - smoothed) / effective),
            method="montecarlo",
            assumption=self.assumption,
            prior=self.ev.kind.outcome_prior(None) if self.prior.cells is None else self.prior.cells,
            prob=self.prob,
            ev=replace(pair, tables=pair.tables[at].copy()),
            measure=measure,
            question=question,
            scope=self.scope(question),
            caution=self.diagnostics.caution,
            note=wording.assumptions(self),
            scores=draws,
        )

    def scope(self, question: str) -> str:
        """Say of which corpus a question asks."""
        scopes = {"population": f"the average {self.noun}", "new": f"a new {self.noun}"}
        return scopes.get(question, f"{question}, shrunk towards the other {self.nouns}")

    @property
    def nouns(self) -> str:
        """What several of the corpora are called."""
        return "corpora" if self.noun == "corpus" else plural(self.noun)

    def main_pair(self, a: str | None = None, b: str | None = None) -> tuple[str, str]:
        """Return the two models that were named, or that there are, or that score best on average."""
        if a is not None or b is not None or len(self.models) == 2:
            model_a, model_b = self.ev.pair(a, b).models
            return model_a, model_b
        if len(self.models) == 1:
            raise ValueError(f"there is one model ({self.models[0]}); comparing takes two")
        names = [m.name for m in self.metrics]
        at = names.index("f1") if "f1" in names else -1
        mean = self._scores("population")[..., at].mean(axis=(0, 1))
        second_best, best = np.argsort(mean)[-2:]
        return self.models[second_best], self.models[best]

    # ---- words --------------------------------------------------------------------------------------------

    def answer(self, a: str | None = None, b: str | None = None) -> PairAnswer:
        """Return what is said of two models, those that score best by default, with all its forms."""
        return PairAnswer(self, *self.main_pair(a, b), chosen=a is not None)

    def table(self, a: str | None = None, b: str | None = None) -> Table:
        """Return the answers to all three questions in one table."""
        return self.answer(a, b).table

    def parts(self, a: str | None = None, b: str | None = None) -> tuple[str, Table, list[str]]:
        """Return title, table, and what is said below it: verdicts, assumptions, notes."""
        answer = self.answer(a, b)
        return answer.title, answer.table, list(answer.below)

    def sentences(self, a: str | None = None, b: str | None = None) -> list[str]:
        """Return the verdicts: on the average corpus, on a new one, and on those at hand."""
        return self.answer(a, b).sentences

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

    # ---- numbers ------------------------------------------------------------------------------------------

    def to_frame(self, a: str | None = None, b: str | None = None) -> pd.DataFrame:
        """Return a DataFrame with a row for each question and measure."""
        return self.answer(a, b).to_frame()

    def to_dict(self, a: str | None = None, b: str | None = None) -> dict[str, Any]:
        """Return all answers for a pair of models as plain numbers and strings, with stable names."""
        return self.answer(a, b).to_dict()

    # ---- ArviZ --------------------------------------------------------------------------------------------

    def summary(self, prob: float | None = None) -> pd.DataFrame:
        """Return ArviZ's summary of parameters and scores, with highest density intervals of mass `prob`."""
        names = [name for name in self.posterior.data_vars if name not in {m.name for m in self.metrics}]
        return arviz_data.summary(self.posterior[names], self.prob if prob is None else check_prob(prob))

    @property
    def inference_data(self) -> Any:
        """All draws as the installed ArviZ has them: InferenceData under 0.23, DataTree under 1.x."""
        return arviz_data.container(self.groups)

    def to_arviz(self) -> Any:
        """Return `inference_data`."""
        return self.inference_data

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fit to a netCDF file, whole or not at all; `load_fit` reads it back."""
        arviz_data.save(self.groups, str(path))
