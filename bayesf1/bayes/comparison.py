"""What a Bayes test found on one measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import checked, is_number
from bayesf1.base.references import prose
from bayesf1.base.table import amount, printable
from bayesf1.bayes import verdict
from bayesf1.bayes.limits import notes_of
from bayesf1.bayes.posterior import claim_threshold
from bayesf1.bayes.rope import Rope, RopeLike
from bayesf1.bayes.variance import Variance, variance_of
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import PairingBounds
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Assumption, Target, Under
from bayesf1.laws.law import Posterior


@dataclass(frozen=True, eq=False)
class Comparison:
    r"""The Bayes test of one measure: :math:`H_0: \nu_B \le \nu_A` against :math:`H_1: \nu_B > \nu_A`.

    Attributes
    ----------
    metric, label
        Name of the measure, and how it is printed.
    model_a, model_b
        Names of the models; differences are B minus A.
    p_h0, p_h1
        Probabilities of the hypotheses.
    p_less, p_rope, p_greater
        Probabilities that B is worse than A by more than `rope`, within it, and better by more than it.
    rope
        The region of practical equivalence: its half-width, or a pair (low, high) of how much better B may be than A.
    posterior_a, posterior_b, difference
        What is believed about either score, and about B minus A.
    mcse
        Standard error of the computation of the probabilities, the largest; 0 where they are exact.
    method
        ``"exact"``, ``"quasi-montecarlo"`` or ``"montecarlo"``.
    assumption
        What is assumed of the two models: ``"independent"``, ``"paired"`` or ``"clustered"``.
    target
        What the claim is about: ``"models"``, these very ones, or ``"method"``, the way of training them.
    prior, prob
        λ of the Dirichlet prior, and the mass of intervals where the comparison is printed.
    ev
        The evaluation of the two models that was compared, at the level of its units.
    measure
        The measure itself.
    n_draws
        How many posterior draws there are, made when they are first asked for; 0 where there is a law for all.
    start
        The number that draws start from; None where it is not known, as after those of a Generator.
    beside
        What gives the answer under independence, where the models were taken as dependent.
    otherwise
        What gives the answer for the other target, where folds tell of models and of the way of training them.
    """

    metric: str
    label: str
    model_a: str
    model_b: str
    p_h0: Any
    p_h1: Any
    p_less: Any
    p_rope: Any
    p_greater: Any
    rope: RopeLike
    posterior_a: Posterior
    posterior_b: Posterior
    difference: Posterior
    mcse: Any
    method: str
    assumption: Assumption
    prior: float
    prob: float
    ev: Evaluation
    measure: Metric
    n_draws: int = 0
    start: int | None = None
    target: Target = "models"
    beside: Callable[[], Comparison] | None = None
    otherwise: Callable[[], Comparison] | None = None

    @property
    def under(self) -> Under:
        """The evaluation under the assumption that was taken."""
        return Under(self.ev, self.assumption, self.target)

    @property
    def folds(self) -> Folds | None:
        """The cross-validation and its discount, where there was one."""
        return self.ev.folds

    @cached_property
    def independent(self) -> Comparison | None:
        """The answer under independence, where the models were taken as dependent."""
        return None if self.beside is None else self.beside()

    @cached_property
    def other_target(self) -> Comparison | None:
        """The answer for the way of training where that for the models fitted in folds was asked for, or the reverse."""
        return None if self.otherwise is None else self.otherwise()

    @property
    def score_a(self) -> Any:
        """The plain score of A."""
        return plain(self._plain[..., 0])

    @property
    def score_b(self) -> Any:
        """The plain score of B."""
        return plain(self._plain[..., 1])

    @property
    def gap(self) -> Any:
        """The difference that is told: of the plain scores, B minus A."""
        return plain(np.asarray(self.score_b) - self.score_a)

    @cached_property
    def _plain(self) -> FloatArray:
        """The plain scores, models on the last axis; sentences and tables ask for them again and again."""
        return self.under.plain(self.measure)

    @property
    def threshold(self) -> float:
        """The probability from which on a model is called better: the central interval then excludes 0."""
        return claim_threshold(self.prob)

    @property
    def region(self) -> Rope:
        """The region of practical equivalence as a pair (low, high) of how much better B is than A."""
        return Rope.of(self.rope)

    @property
    def p_not_worse(self) -> Any:
        r"""Probability that B is worse than A by no more than the margin, :math:`P(\nu_B - \nu_A \ge \mathrm{low})`."""
        return plain(1.0 - np.asarray(self.p_less))

    @checked
    def p_better_by(self, least: float) -> Any:
        r"""Return :math:`P(\nu_B - \nu_A > x)`, the other way round where lower is better; x may be negative.

        It is as exact as the other probabilities: of a law where there is one, else of the draws that are kept.

        Examples
        --------
        >>> from bayesf1 import compare, from_counts
        >>> c = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14)), rope=(-0.01, 0.02))["f1"]
        >>> c.p_better_by(0.02) == c.p_greater, c.p_better_by(-0.01) == c.p_not_worse
        (True, True)
        >>> round(c.p_better_by(0.1), 4)
        0.794
        """
        if not is_number(least) or not math.isfinite(least):
            raise ValueError(f"better by what is a number such as 0.01 for one point, not {least!r}")
        known = {0.0: self.p_h1}
        if self.region:
            known |= {self.region.low: self.p_not_worse, self.region.high: self.p_greater}
        if least in known:
            return known[least]
        lower = self.measure.lower_is_better
        at = -least if lower else least
        found = self._paired_sf(at)
        if found is not None:
            return 1.0 - found if lower else found
        law = self.difference
        return plain(law.cdf(np.nextafter(at, -np.inf)) if lower else law.sf(at))

    def _paired_sf(self, at: float) -> float | None:
        """Return the probability of a difference above a value where the law of paired items gives it."""
        if self.method == "montecarlo" or not (self.under.closed and self.under.paired) or self.ev.shape:
            return None
        # The scrambling is fixed: one comparison always says the same.
        rng = np.random.default_rng(0)
        found = self.ev.kind.paired_sf(self.ev, self.measure, [at], prior=self.prior, rng=rng)
        return None if found is None else float(found.value[0])

    @property
    def verdict(self) -> Any:
        """What may be claimed, by the models' names.

        ``"B better"``, ``"A better"``, ``"equivalent"``, with a region also ``"B not worse by more than 0.5 points"`` (or
        A), else ``"undecided"``.
        """
        found = np.select(
            [
                bool(self.region) & (np.asarray(self.p_rope) >= self.prob),
                np.asarray(self.p_h1) >= self.threshold,
                np.asarray(self.p_h0) >= self.threshold,
                bool(self.region) & (np.asarray(self.p_not_worse) >= self.threshold),
                bool(self.region) & (1.0 - np.asarray(self.p_greater) >= self.threshold),
            ],
            [
                "equivalent",
                f"{self.model_b} better",
                f"{self.model_a} better",
                *(f"{model} not worse by more than {margin}" for model, margin in self._margins),
            ],
            "undecided",
        )
        return found if found.ndim else str(found)

    @property
    def _margins(self) -> tuple[tuple[str, str], ...]:
        """By how much either model may be worse, in few words."""
        said = (
            amount(x, percent=self.measure.percent).replace("percentage ", "")
            for x in (-self.region.low, self.region.high)
        )
        return tuple(zip((self.model_b, self.model_a), said, strict=True))

    @cached_property
    def variance(self) -> Variance | None:
        """Where the doubt about two methods comes from: from training, or from test items; None of models."""
        return variance_of(self) if self.ev.methods and self.target == "method" else None

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences: few units, folds that vary, unknown pairing, strange labels."""
        return notes_of(self)

    @property
    def decision(self) -> Any:
        """``"accept H0"`` or ``"accept H1"``: H0 iff P(H0) ≥ P(H1), the rule of Wang & Li (2019)."""
        words = np.where(np.asarray(self.p_h0) >= np.asarray(self.p_h1), "accept H0", "accept H1")
        return words if words.ndim else str(words)

    @property
    def odds(self) -> Any:
        """Posterior odds P(H1)/P(H0)."""
        with np.errstate(divide="ignore"):
            return plain(np.asarray(self.p_h1) / np.asarray(self.p_h0))

    @cached_property
    def pairing_bounds(self) -> PairingBounds:
        """Range of P(H1) over all pairings of items that the two tables allow; unpacks as (low, high).

        Raises ValueError where the tables cannot be of one test set, as their gold totals differ.
        """
        if self.ev.shape:
            raise ValueError("pairing bounds are computed for one experiment at a time, without leading axes")
        if not self.measure.needs:
            raise ValueError(f"pairing bounds need a named metric, and {self.metric!r} is a callable")
        # The scrambling is fixed: one comparison always gives the same bounds.
        rng = np.random.default_rng(0)
        found = self.ev.kind.pairing_bounds(self.ev.tables, self.measure, prior=self.prior, rng=rng)
        if not self.measure.lower_is_better:
            return found
        return PairingBounds(1.0 - found.high, 1.0 - found.low, found.error)

    @checked
    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict as a sentence for a paper, as ``"text"`` or ``"latex"``."""
        return prose(str(self), format)

    def __str__(self) -> str:
        return verdict.sentence(self) if np.ndim(self.p_h1) == 0 else repr(self)

    def __repr__(self) -> str:
        shape = np.shape(self.p_h1)
        p = f"{self.p_h1:.4g}" if not shape else f"{'×'.join(map(str, shape))} probabilities"
        return printable(
            f"<Comparison of {self.label}: {self.model_a} → {self.model_b}, P(H1) = {p}, {self.method}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain numbers and strings, with stable names."""

        def described(post: Posterior, score: Any) -> dict[str, Any]:
            low, high = post.interval(self.prob)
            found = {"score": score, "mean": post.mean(), "sd": post.std(), "low": low, "high": high}
            return {name: _listed(value) for name, value in found.items()}

        return {
            "metric": self.metric,
            "model_a": self.model_a,
            "model_b": self.model_b,
            "p_h0": _listed(self.p_h0),
            "p_h1": _listed(self.p_h1),
            "verdict": self.verdict if isinstance(self.verdict, str) else self.verdict.tolist(),
            "decision": self.decision if isinstance(self.decision, str) else self.decision.tolist(),
            "rope": self.region.written,
            "p_less": _listed(self.p_less),
            "p_rope": _listed(self.p_rope),
            "p_greater": _listed(self.p_greater),
            "p_not_worse": _listed(self.p_not_worse),
            "mcse": _listed(self.mcse),
            "method": self.method,
            "assumption": self.assumption,
            "target": self.target,
            "p_h1_independent": None if self.independent is None else _listed(self.independent.p_h1),
            "variance": None if self.variance is None else self.variance._asdict(),
            "a": described(self.posterior_a, self.score_a),
            "b": described(self.posterior_b, self.score_b),
            "difference": described(self.difference, self.gap),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the numbers in one flat row, or with leading axes in one for each experiment."""
        found = self.to_dict()
        laws = {where: found.pop(where) for where in ("a", "b", "difference")}
        parts = found.pop("variance") or {}
        found |= {f"variance_{name}": value for name, value in parts.items()}
        found |= {f"{name}_{where}": value for where, law in laws.items() for name, value in law.items()}
        if not np.ndim(self.p_h1):
            return [found]
        columns = [
            np.ravel(value).tolist() if isinstance(value, list) else [value] * np.size(self.p_h1)
            for value in found.values()
        ]
        return [
            {"experiment": i, **dict(zip(found, row, strict=True))}
            for i, row in enumerate(zip(*columns, strict=True))
        ]


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    # A t law of few contrasts may have no mean or no variance.
    return float(value) if np.isfinite(value) else None
