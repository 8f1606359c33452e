"""The comparison of two models, as data: the settings, the numbers, and the claim that they support."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from bayesf1.base.arrays import finite
from bayesf1.base.checks import Checked, RNGLike, check_draws, check_rng, is_number, start_of
from bayesf1.base.naming import nearest, printable, quoted, same_name
from bayesf1.base.text_files import StrPath
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import Undefined
from bayesf1.evaluation import Evaluation, headline
from bayesf1.inference.variance import GenerationShare, Variance
from bayesf1.metrics import Estimate, Estimates, Metric, Moments, PairMoments
from bayesf1.output.answer import Answer
from bayesf1.output.table import Table
from bayesf1.output.words import comparison as words
from bayesf1.output.words.methods import methods
from bayesf1.output.words.notes import notes
from bayesf1.output.words.prose import formatted
from bayesf1.output.words.signature import signature_of, signed_metric
from bayesf1.sampling.model import SamplingModel, SamplingSettings

RopeLike: TypeAlias = float | tuple[float, float]
Algorithm: TypeAlias = Literal["exact", "montecarlo"]
# The number of margins: about as many as a slider on a phone can distinguish.
_STEPS = 200
# The widest margin leaves this much of the posterior on either side.
_TAIL = 5e-4
# Draws are given to ArviZ in this many chains.
_CHAINS = 4


class Rope(NamedTuple):
    """The region of practical equivalence: the least and the most that B may be better than A.

    Examples
    --------
    >>> Rope.of(0.01), bool(Rope.of(0.0)), Rope(-0.005, 0.01).symmetric
    (Rope(low=-0.01, high=0.01), False, False)
    """

    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, half_width: float) -> Rope:
        """Return the region of a half-width."""
        # A plain minus sign would turn 0.0 into -0.0.
        return cls(0.0 - half_width, half_width)

    def __bool__(self) -> bool:
        return self.high > self.low

    @property
    def symmetric(self) -> bool:
        """Whether B may be worse by as much as it may be better."""
        return self.low == -self.high

    @property
    def given(self) -> RopeLike:
        """The region as plain numbers: a half-width if it is symmetric, else the pair."""
        return self.high if self.symmetric else (self.low, self.high)

    @property
    def widest(self) -> float:
        """The larger of the two margins."""
        return max(-self.low, self.high)

    def differences(self, metric: Metric) -> Rope:
        """Return the region of score differences, B minus A, which is mirrored if lower is better."""
        return Rope(0.0 - self.high, 0.0 - self.low) if metric.lower_is_better else self


def check_rope(rope: Any, *metrics: Metric) -> Rope:
    """Return a region on the scale of the metrics, or raise a ValueError if it is not one."""
    bounded = all(metric.support[0] >= -1.0 and metric.support[1] <= 1.0 for metric in metrics)
    limit = 1.0 if bounded else sys.float_info.max
    if isinstance(rope, tuple | list):
        if len(rope) == 2 and all(map(is_number, rope)):
            low, high = rope
            if -limit < low <= 0.0 <= high < limit:
                # Adding 0.0 turns -0.0 into 0.0.
                return Rope(0.0 + low, float(high))
        raise ValueError(
            "rope as a pair is how much better B may be than A, from at most 0 to at least 0, such as (-0.005, 0.01) "
            f"for half a point worse to one better, not {quoted(rope)}"
        )
    if not is_number(rope) or not 0.0 <= rope < limit:
        bounds = "from 0 to below 1" if bounded else "from 0"
        raise ValueError(
            f"rope is a half-width {bounds}, such as 0.01 for one point, or a pair such as (-0.005, 0.01), not {quoted(rope)}"
        )
    return Rope.of(float(rope))


def claim_threshold(prob: float) -> float:
    """Return the probability from which one model is called better: the central interval then excludes 0.

    Examples
    --------
    >>> claim_threshold(0.95)
    0.975
    """
    return 0.5 * (1.0 + prob)


@dataclass(frozen=True, kw_only=True)
class Settings(SamplingSettings):
    """What was asked and done, besides what was sampled (`SamplingSettings`).

    Attributes
    ----------
    prior, prior_name, signed_prior
        The concentration of the Dirichlet prior (None in a hierarchical model with its usual one), and the prior in words
        and in a signature ("" if there is none).
    prob
        The probability of the intervals.
    rope
        The region of practical equivalence.
    method
        ``"exact"`` if the probabilities were computed by quadrature, ``"montecarlo"`` if by draws.
    n_draws, rng
        The number of draws (0 if none were made), and their seed (None after a Generator).
    citation
        Where the posterior was published.
    model
        What a hierarchical fit assumed, in words; "" of other results.
    signed
        Further parts of the signature, each a name and a value.
    """

    prior: float | None
    prior_name: str
    signed_prior: str
    prob: float
    rope: Rope
    method: Algorithm
    n_draws: int
    rng: int | None
    citation: str = ""
    model: str = ""
    signed: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, sampling: SamplingModel, metric: Metric, **asked: Any) -> Settings:
        """Return the settings of a comparison by one metric, with the prior in words and its citation."""
        task = sampling.ev.task
        prior_name = "No prior"
        signed_prior = ""
        if sampling.has_prior:
            prior_name = task.describe_prior(sampling.prior)
            signed_prior = task.sign_prior(sampling.prior)
        return cls(
            **vars(sampling.settings(metric)),
            prior=sampling.prior,
            prior_name=prior_name,
            signed_prior=signed_prior,
            citation=sampling.citation,
            **asked,
        )


class Claim(Enum):
    """The kinds of claims that a comparison supports."""

    BETTER = "better"
    BETTER_YET_EQUIVALENT = "better, yet practically equivalent"
    EQUIVALENT = "practically equivalent"
    NOT_WORSE = "not worse by more than the margin"
    UNDECIDED = "undecided"
    UNDEFINED = "undefined"


class Conclusion(NamedTuple):
    """The claim that a comparison supports, and the model that it calls better, or not worse; None if it names no model."""

    claim: Claim
    model: str | None = None


class NotWorse(NamedTuple):
    """A model that is shown not to be worse than its rival by more than a margin, with the probability of that."""

    model: str
    rival: str
    margin: float
    probability: float


class RopeCurve(NamedTuple):
    """Regions of practical equivalence, and the probabilities that B is worse, or better, by more than each of them."""

    ropes: list[Rope]
    less: list[float]
    greater: list[float]


@dataclass(frozen=True, eq=False)
class Comparison(Checked):
    r"""The Bayes test of one metric: :math:`H_0: \nu_B \le \nu_A` against :math:`H_1: \nu_B > \nu_A`.

    Attributes
    ----------
    definition
        The metric.
    model_a, model_b
        Names of the models; differences are B minus A.
    estimates
        The estimates that are printed, of both scores and of B minus A: plain scores, or posterior means, with intervals
        of mass `prob`. If a score is undefined, such as the precision of a model that never says yes, nothing is
        compared: everything that depends on it is NaN. If the difference is the same in all folds, or on each of only a
        few units, its probabilities and interval are NaN.
    p_h0, p_h1
        Probabilities of the hypotheses.
    p_less, p_greater
        Probabilities that B is worse than A, or better, by more than the region of practical equivalence.
    moments
        The means and standard deviations of these posteriors.
    posterior_a, posterior_b, difference
        Posterior distributions of either score, and of B minus A.
    mcse
        Monte Carlo standard error of `p_h1`; 0 if it is exact.
    settings
        What was asked, and what was done.
    sampling
        What was sampled and believed; None if models are compared on several corpora, each with a sample of its own.
    alike
        Whether the models did the same on every unit.
    variance
        How much of the uncertainty comes from training, and how much from items; None unless methods are compared.
    other_target
        The answer for the method if that for the models fitted in folds was asked for, or the reverse.
    size_correlation
        Spearman's correlation of the difference with the size of documents, if it is evident; else 0.
    gold_positives
        How many gold positives the totals of A and B have; None if units are shared, or positives are not counted.
    pairing_unknown
        Whether only the totals of one test set are known, so that pairing its items could change the answer.
    remarks
        What a reader should know about the data, in sentences.
    generations
        The part of the variance that comes from generations of the same items; None unless there are several of an item.
    """

    definition: Metric
    model_a: str
    model_b: str
    estimates: Estimates
    p_h0: float
    p_h1: float
    p_less: float
    p_greater: float
    moments: PairMoments
    posterior_a: Posterior
    posterior_b: Posterior
    difference: Posterior
    mcse: float
    settings: Settings
    sampling: SamplingModel | None
    alike: bool = False
    variance: Variance | None = None
    other_target: Comparison | None = None
    size_correlation: float = 0.0
    gold_positives: tuple[float, float] | None = None
    pairing_unknown: bool = False
    remarks: tuple[str, ...] = ()
    generations: GenerationShare | None = None

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.definition.name

    @property
    def label(self) -> str:
        """The name of the metric in print."""
        return self.definition.label

    @property
    def ev(self) -> Evaluation | None:
        """The evaluation of the two models; None if they are compared on several corpora."""
        return None if self.sampling is None else self.sampling.ev

    @property
    def score_a(self) -> float:
        """The score of A that is printed."""
        return self.estimates.a.value

    @property
    def score_b(self) -> float:
        """The score of B that is printed."""
        return self.estimates.b.value

    @property
    def gap(self) -> float:
        """The difference that is printed, B minus A."""
        return self.estimates.difference.value

    @property
    def prob(self) -> float:
        """The probability of the intervals."""
        return self.settings.prob

    @property
    def rope(self) -> Rope:
        """The region of practical equivalence."""
        return self.settings.rope

    @property
    def method(self) -> str:
        """How the probabilities were found: ``"exact"`` or ``"montecarlo"``."""
        return self.settings.method

    @property
    def assumption(self) -> str:
        """The units that were sampled: ``"independent"`` tables, ``"paired"`` items or ``"clustered"`` units."""
        return self.settings.assumption

    @property
    def target(self) -> str:
        """What the claim is about: ``"models"``, ``"method"`` or ``"corpora"``."""
        return self.settings.target

    @property
    def p_rope(self) -> float:
        """Probability of a difference within the region of practical equivalence; 0 without a region."""
        return min(max(1.0 - self.p_less - self.p_greater, 0.0), 1.0) if self.rope else 0.0

    @property
    def p_not_worse(self) -> float:
        r"""Probability that B is worse than A by no more than the margin, :math:`P(\nu_B - \nu_A \ge \mathrm{low})`."""
        return 1.0 - self.p_less

    @property
    def threshold(self) -> float:
        """The probability from which a model is called better: the central interval then excludes 0."""
        return claim_threshold(self.prob)

    @property
    def equivalent(self) -> bool:
        """Whether the models are shown to be practically equivalent."""
        return bool(self.rope) and self.p_rope >= self.prob

    @property
    def not_worse(self) -> NotWorse | None:
        """The model that is shown not to be worse than the other by more than the margin, B first; None if neither is."""
        if not self.rope:
            return None
        if self.p_not_worse >= self.threshold:
            return NotWorse(self.model_b, self.model_a, -self.rope.low, self.p_not_worse)
        p_a_not_worse = 1.0 - self.p_greater
        if p_a_not_worse >= self.threshold:
            return NotWorse(self.model_a, self.model_b, self.rope.high, p_a_not_worse)
        return None

    @property
    def same_in_every_draw(self) -> bool:
        """Whether the difference is 0 in every draw."""
        difference = self.estimates.difference
        zero = difference.value == difference.low == difference.high == 0.0
        return zero and self.moments.difference.sd < 1e-12

    @property
    def spread_unknown(self) -> bool:
        """Whether the difference is the same in all folds, or on only a few units, so that its spread is unknown."""
        return math.isnan(self.p_h1) and not math.isnan(self.gap)

    @property
    def winner(self) -> str | None:
        """The model that may be called better, if any."""
        if math.isnan(self.p_h1) or max(self.p_h0, self.p_h1) < self.threshold:
            return None
        return self.model_b if self.p_h1 > self.p_h0 else self.model_a

    @property
    def conclusion(self) -> Conclusion:
        """The claim that the data support, and the model that it names."""
        if math.isnan(self.p_h1):
            claim = Claim.UNDECIDED if self.spread_unknown else Claim.UNDEFINED
            return Conclusion(claim)
        if self.winner is not None:
            claim = Claim.BETTER_YET_EQUIVALENT if self.equivalent else Claim.BETTER
            return Conclusion(claim, self.winner)
        if self.equivalent:
            return Conclusion(Claim.EQUIVALENT)
        not_worse = self.not_worse
        if not_worse is not None:
            return Conclusion(Claim.NOT_WORSE, not_worse.model)
        return Conclusion(Claim.UNDECIDED)

    @property
    def verdict(self) -> str:
        """What may be claimed, by the models' names.

        ``"B better"``, ``"A better"``, ``"equivalent"``, with a region also ``"B not worse by more than 0.5 points"`` (or
        A), else ``"undecided"``.
        """
        return words.verdict(self)

    @property
    def decision(self) -> str:
        """``"accept H0"`` or ``"accept H1"``: H0 iff P(H0) ≥ P(H1), the rule of Wang & Li (2019); ``"none"`` if unknown."""
        if math.isnan(self.p_h1):
            return "none"
        return "accept H0" if self.p_h0 >= self.p_h1 else "accept H1"

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences: few units, folds that vary, unknown pairing, strange labels."""
        return tuple(printable(note) for note in notes(self))

    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence for a paper, as ``"text"`` or ``"latex"``."""
        return formatted(str(self), format)

    def signature(self) -> str:
        """Return what is needed to repeat the test, in one line."""
        return Comparisons([self]).signature()

    def __str__(self) -> str:
        return words.sentence(self)

    def _repr_html_(self) -> str:
        return Comparisons([self])._repr_html_()

    def __repr__(self) -> str:
        return printable(
            f"<Comparison of {self.label}: {self.model_a} → {self.model_b}, P(H1) = {self.p_h1:.4g}, {self.method}>"
        )

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """The intervals of mass `prob` that are printed: of A's score, of B's, and of the difference."""
        return tuple((e.low, e.high) for e in self.estimates)

    def rope_curve(self) -> RopeCurve:
        r"""Return regions of this one's shape that grow from nothing, and both probabilities of each.

        They are :math:`P(\nu_B - \nu_A < lr)` and :math:`P(\nu_B - \nu_A > hr)` for margins r and a region of shape
        (l, h), the other way round if lower is better. Without a region its shape is (-1, 1).

        Examples
        --------
        >>> from bayesf1 import compare, from_counts
        >>> c = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14)), metrics="f1", rope=0.02)["f1"]
        >>> curve = c.rope_curve()
        >>> curve.greater[curve.ropes.index(c.rope)] == round(c.p_greater, 8)
        True
        """
        if math.isnan(self.p_h1):
            raise ValueError(str(self))
        shape = self.rope if self.rope else Rope(-1.0, 1.0)
        low = shape.low / shape.widest
        high = shape.high / shape.widest
        margin = self.rope.widest
        reach = max(-self.difference.ppf(_TAIL), self.difference.isf(_TAIL), 2.0 * margin)
        if reach == 0.0:
            reach = 0.01
        step = float(f"{reach / _STEPS:.0e}")
        # Without rounding, 3 * 0.01 would not be 0.03.
        margins = np.round(step * np.arange(math.ceil(reach / step)), 12)
        margins = np.union1d(margins, [margin])
        ropes = [Rope(0.0 + low * r, high * r) for r in margins.tolist()]
        regions = np.array([rope.differences(self.definition) for rope in ropes])
        # Draws may equal an end exactly, and "less" is strict.
        below = self.difference.cdf(np.nextafter(regions[:, 0], -np.inf))
        above = self.difference.sf(regions[:, 1])
        less = above if self.definition.lower_is_better else below
        greater = below if self.definition.lower_is_better else above
        less[0] = self.p_h0
        greater[0] = self.p_h1
        own = int(np.searchsorted(margins, margin))
        ropes[own] = self.rope
        less[own] = self.p_less
        greater[own] = self.p_greater
        return RopeCurve(ropes, less.round(8).tolist(), greater.round(8).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain numbers and strings, with stable names."""

        def described(estimate: Estimate, moments: Moments) -> dict[str, float | None]:
            values = {
                "score": estimate.value,
                "mean": moments.mean,
                "sd": moments.sd,
                "low": estimate.low,
                "high": estimate.high,
            }
            # A t distribution of few contrasts may have no mean or no variance.
            return {name: finite(value) for name, value in values.items()}

        variance = None if self.variance is None else self.variance._asdict()
        generations = None if self.generations is None else self.generations.to_dict()
        return {
            "metric": self.metric,
            "model_a": self.model_a,
            "model_b": self.model_b,
            "p_h0": finite(self.p_h0),
            "p_h1": finite(self.p_h1),
            "verdict": self.verdict,
            "decision": self.decision,
            "rope": self.rope.given,
            "p_less": finite(self.p_less),
            "p_rope": finite(self.p_rope),
            "p_greater": finite(self.p_greater),
            "p_not_worse": finite(self.p_not_worse),
            "mcse": self.mcse,
            "method": self.method,
            "assumption": self.assumption,
            "target": self.target,
            "variance": variance,
            "generations": generations,
            "a": described(self.estimates.a, self.moments.a),
            "b": described(self.estimates.b, self.moments.b),
            "difference": described(self.estimates.difference, self.moments.difference),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the numbers in one flat row."""
        row = self.to_dict()
        estimates = {of: row.pop(of) for of in ("a", "b", "difference")}
        for source in ("variance", "generations"):
            parts = row.pop(source)
            if parts is not None:
                row |= {f"{source}_{name}": value for name, value in parts.items()}
        for of, values in estimates.items():
            row |= {f"{name}_{of}": value for name, value in values.items()}
        return [row]


class Comparisons(Answer, Mapping[str, Comparison]):
    """The Bayes tests of several metrics for one pair of models, by the metrics' names, in order."""

    json_format = "bayesf1.compare/1"
    json_list = ("bayesf1.pairs/1", "pairs")
    index_names = ("metric",)

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._by_name = {c.metric: c for c in comparisons}

    def __getitem__(self, metric: str) -> Comparison:
        if metric in self._by_name:
            return self._by_name[metric]
        # Printed names are found, too: "macro_f1" if plain "f1" is the macro average, "nDCG@10" if it is their mean.
        for c in self._by_name.values():
            if same_name(str(metric), c.label) or same_name(str(metric), c.definition.alias):
                return c
        raise KeyError(f"no metric {metric!r} here; {nearest(str(metric), self._names)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def _names(self) -> list[str]:
        """The names by which metrics are found: their own, and that of the scores that a metric is the mean of."""
        return [name for c in self._by_name.values() for name in (c.metric, c.definition.alias) if name]

    @property
    def headline(self) -> Comparison:
        """The comparison that a summary uses: that by the task's main metric if it is there, else the first."""
        first = next(iter(self.values()))
        if first.ev is None:
            return first
        return self._by_name[headline(first.ev, {name: c.label for name, c in self.items()})]

    @property
    def title(self) -> str:
        """Which models were compared, and what the intervals are."""
        return words.title(self)

    @property
    def subject(self) -> str:
        """The two models, which distinguish the answer from those about other pairs."""
        return words.subject(self)

    @property
    def table(self) -> Table:
        """Metric, both models' scores and intervals, the difference, P(H0), P(H1) and the verdict."""
        return words.table([*self.values()])

    @property
    def verdicts(self) -> Sequence[str]:
        """The verdict."""
        return (self.sentence(),)

    @property
    def explained(self) -> Sequence[str]:
        """What the verdict's words mean, and what limits the conclusion."""
        return [*words.legend(self), *self.notes]

    @property
    def more(self) -> Sequence[str]:
        """What `details` adds: how the answer was computed."""
        return (self.methods_sentence(),)

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        return self.headline.notes

    def __repr__(self) -> str:
        return "\n".join(repr(c) for c in self.values())

    def sentence(self, metric: str | None = None, *, format: str = "text") -> str:
        """Return a sentence for a paper: on F1, else on the first metric, or class by class.

        The `format` is ``"text"`` or ``"latex"``.
        """
        if metric is None:
            return formatted(words.summary(self), format)
        if metric not in self:
            raise ValueError(f"unknown metric {quoted(metric)}; {nearest(metric, self._names)}")
        return self[metric].sentence(format=format)

    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the answer was found, for a paper's section on methods, in the format ``"text"`` or ``"latex"``."""
        return formatted(methods(self), format)

    def signature(self) -> str:
        """Return what is needed to repeat the tests, in one line."""
        names = [signed_metric(c.definition) for c in self.values()]
        return signature_of([c.settings for c in self.values()], names)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each metric."""
        return [record for c in self.values() for record in c.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        first = self.headline
        design = first.settings.cv
        cv = None if design is None else "x".join(map(str, design.shape))
        return {
            "format": self.json_format,
            "model_a": first.model_a,
            "model_b": first.model_b,
            "prior": first.settings.prior,
            "prob": first.prob,
            "rope": first.rope.given,
            "cv": cv,
            "discount": first.settings.discount,
            "comparisons": [c.to_dict() for c in self.values()],
            "threshold": first.threshold,
            "sentence": words.summary(self),
            "notes": list(self.notes),
            "signature": self.signature(),
        }

    def to_html(self, path: StrPath, *, command: str | None = None) -> None:
        """Write a page that needs no other file: verdict, table and figures.

        A `command` that made the comparison is shown on it.
        """
        from bayesf1.output.html import write_report

        write_report(self, path, command=command)

    def to_arviz(self, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
        """Return posterior draws of both scores and their difference, as ArviZ keeps them.

        That is InferenceData under ArviZ 0.x and a DataTree under 1.x, with groups posterior, observed_data and
        constant_data, and dims chain, draw, system and measure: ``score`` of both models (if models are runs of methods,
        of the methods), ``difference``, B minus A, and the tables.

        Examples
        --------
        >>> from bayesf1 import compare, from_counts
        >>> idata = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14))).to_arviz(rng=1)
        >>> idata["posterior"]["difference"].dims
        ('chain', 'draw', 'measure')
        """
        from bayesf1.output.arviz import Variables, container, dataset

        metrics = [c.definition for c in self.values()]
        sampling = self.headline.sampling
        assert sampling is not None, "a comparison on several corpora has draws in its fit"
        ev = sampling.ev
        n_each = math.ceil(check_draws(n_draws) / _CHAINS)
        n = _CHAINS * n_each
        drawn = sampling.scores(metrics, n_draws=n, rng=check_rng(rng))
        clipped = [np.clip(values, *metric.support) for values, metric in zip(drawn, metrics, strict=True)]
        # Axes (chain, draw, model, metric), then (chain, draw, metric).
        scores = np.stack(clipped, axis=-1).reshape(_CHAINS, n_each, -1, len(metrics))
        differences = scores[..., 1, :] - scores[..., 0, :]
        for k, c in enumerate(self.values()):
            # The draws of an undefined score come from the prior alone.
            undefined = [isinstance(post, Undefined) for post in (c.posterior_a, c.posterior_b)]
            scores[..., undefined, k] = np.nan
            if isinstance(c.difference, Undefined):
                differences[..., k] = np.nan
        trained = "run" if ev.methods else "system"
        n_units = 0.0 if ev.units is None else ev.units.size
        groups: dict[str, Variables] = {
            "posterior": {
                "score": (("chain", "draw", "system", "measure"), scores),
                "difference": (("chain", "draw", "measure"), differences),
            },
            "observed_data": {"counts": ((trained, "cell"), np.array(ev.tables))},
            "constant_data": {"n_units": ((), np.array(n_units))},
        }
        names = [metric.name for metric in metrics]
        coords = {"system": ev.names, "measure": names, "cell": ev.cells, "run": ev.models}
        settings = replace(self.headline.settings, method="montecarlo", n_draws=n, rng=start_of(rng))
        attrs = {"signature": Comparisons([replace(c, settings=settings) for c in self.values()]).signature()}
        return container({group: dataset(variables, coords, attrs) for group, variables in groups.items()})
