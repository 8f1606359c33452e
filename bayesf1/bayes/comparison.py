"""What a Bayes test found: one `Comparison` for each measure, `Comparisons` for a pair of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.answer import Answer, paragraphs
from bayesf1.base.arrays import plain
from bayesf1.base.checks import RNGLike
from bayesf1.base.naming import nearest
from bayesf1.base.table import Table, printable
from bayesf1.bayes import verdict
from bayesf1.bayes.limits import notes_of
from bayesf1.bayes.posterior import claim_threshold
from bayesf1.bayes.variance import Variance, variance_of
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.kind import PairingBounds
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.under import Assumption, Target, Under
from bayesf1.laws.law import Posterior

if TYPE_CHECKING:
    from os import PathLike

    import xarray as xr


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
        Half-width of the region of practical equivalence.
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
    rope: float
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
        """The answer for the way of training where that for the rules fitted in folds was asked for, or the reverse."""
        return None if self.otherwise is None else self.otherwise()

    @property
    def score_a(self) -> Any:
        """The plain score of A."""
        return self._plain(0)

    @property
    def score_b(self) -> Any:
        """The plain score of B."""
        return self._plain(1)

    @property
    def gap(self) -> Any:
        """The difference that is told: of the plain scores, B minus A."""
        return plain(np.asarray(self.score_b) - self.score_a)

    def _plain(self, model: int) -> Any:
        return plain(self.under.plain(self.measure)[..., model])

    @property
    def threshold(self) -> float:
        """The probability from which on a model is called better: the central interval then excludes 0."""
        return claim_threshold(self.prob)

    @property
    def verdict(self) -> Any:
        """What may be claimed: ``"B better"``, ``"A better"`` (by their names), ``"equivalent"`` or ``"undecided"``."""
        found = np.select(
            [
                (self.rope > 0) & (np.asarray(self.p_rope) >= self.prob),
                np.asarray(self.p_h1) >= self.threshold,
                np.asarray(self.p_h0) >= self.threshold,
            ],
            ["equivalent", f"{self.model_b} better", f"{self.model_a} better"],
            "undecided",
        )
        return found if found.ndim else str(found)

    @cached_property
    def variance(self) -> Variance | None:
        """Where the doubt about two methods comes from: from training, or from test items; None of models."""
        return variance_of(self) if self.ev.methods and self.target == "method" else None

    @property
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
            "rope": self.rope,
            "p_less": _listed(self.p_less),
            "p_rope": _listed(self.p_rope),
            "p_greater": _listed(self.p_greater),
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


class Comparisons(Answer, Mapping[str, Comparison]):
    """The Bayes tests of several measures for one pair of models, by name of the measure, in order."""

    json_format = "bayesf1.compare/1"
    json_list = ("bayesf1.pairs/1", "pairs")
    index_names = ("experiment", "metric")

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._by_name = {c.metric: c for c in comparisons}

    def __getitem__(self, metric: str) -> Comparison:
        if metric in self._by_name:
            return self._by_name[metric]
        # As it is printed, too: "macro_f1" where plain "f1" is the macro average.
        asked = str(metric).lower().replace("_", " ")
        for c in self._by_name.values():
            if c.label.lower() == asked:
                return c
        raise KeyError(f"no metric {metric!r} here; {nearest(str(metric), self._by_name)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def title(self) -> str:
        """Which models were compared, and what the intervals are."""
        c = self._headline
        return printable(
            f"Bayes test of {c.model_b} against {c.model_a}, {100 * c.prob:.4g} % equal-tailed credible intervals"
        )

    @property
    def table(self) -> Table:
        """Metric, both models' scores and intervals, the difference, P(H0), P(H1) and the verdict."""
        return verdict.table(self._all, () if self._many else self.notes)

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what was assumed, and what limits the conclusion."""
        return [self.sentence(), verdict.assumptions(self._all), *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences; of several measures that on which the verdict is given."""
        return self._headline.notes

    def to_text(self) -> str:
        """Return table, verdict and assumptions as plain text; only a line for each measure with leading axes."""
        return repr(self) if self._many else super().to_text()

    def __repr__(self) -> str:
        return "\n".join(repr(c) for c in self.values())

    def _repr_html_(self) -> str:
        if self._many:
            return f"<pre>{escape(repr(self))}</pre>"
        return self.table.to_html() + paragraphs(self.below)

    def sentence(self, metric: str | None = None) -> str:
        """Return a sentence for a paper: on F1, else on the first measure, or class by class."""
        if self._many:
            raise ValueError("a sentence speaks of one experiment, but these have leading axes; use to_frame")
        return verdict.sentence(self[metric]) if metric else verdict.verdict(self._all)

    def methods_sentence(self) -> str:
        """Return how the answer was found, for a paper's section on methods, with the citation."""
        from bayesf1.bayes.methods_sentence import of_comparison

        return of_comparison(self._all, self.notes)

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each measure (and experiment, with leading axes)."""
        return [record for c in self.values() for record in c.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        first = self._all[0]
        folds = first.folds
        return {
            "format": self.json_format,
            "model_a": first.model_a,
            "model_b": first.model_b,
            "prior": first.prior,
            "prob": first.prob,
            "rope": first.rope,
            "cv": None if folds is None else "x".join(map(str, folds.cv.shape)),
            "discount": None if folds is None else folds.k,
            "comparisons": [c.to_dict() for c in self.values()],
            "threshold": first.threshold,
            "sentence": None if self._many else verdict.verdict(self._all),
            "notes": [] if self._many else list(self.notes),
        }

    def to_html(self, path: str | PathLike[str], *, command: str | None = None) -> None:
        """Write a page that needs no other file: verdict, tables, figures, and a slider for the ROPE.

        A `command` that made the comparison is shown on it.
        """
        # By name, as the report itself compares, class by class.
        import_module("bayesf1.report.html").write_report(self, path, command=command)

    def to_xarray(self) -> xr.Dataset:
        """Return the numbers of `to_dict` as a Dataset over ``metric`` (and ``experiment``)."""
        numbers = self.to_frame().select_dtypes("number")
        data = numbers.to_xarray()
        return data.assign_attrs(system_a=self._all[0].model_a, system_b=self._all[0].model_b)

    def to_arviz(self, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
        """Return posterior draws of both scores and their difference, as ArviZ keeps them.

        That is InferenceData under ArviZ 0.x and a DataTree under 1.x, with groups posterior, observed_data and
        constant_data, and dims chain, draw, system and metric.
        """
        from bayesf1.report.inference_data import comparisons_to_arviz

        return comparisons_to_arviz(self, n_draws=n_draws, rng=rng)

    @property
    def _all(self) -> tuple[Comparison, ...]:
        return tuple(self._by_name.values())

    @property
    def _headline(self) -> Comparison:
        return verdict.headline(self._all)

    @property
    def _many(self) -> bool:
        return np.ndim(self._all[0].p_h1) > 0
