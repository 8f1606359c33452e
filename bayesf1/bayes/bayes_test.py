"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import plain
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng
from bayesf1.base.naming import nearest
from bayesf1.bayes.comparison import Comparison, Comparisons
from bayesf1.bayes.drawn import Counts, Drawn
from bayesf1.bayes.posterior import check_rope, law_of
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Target, Under
from bayesf1.laws.difference import Difference, tail_probabilities

METHODS = ("auto", "exact", "montecarlo")
# Draws of an answer that stands beside the one that was asked for.
_BESIDE = 10_000


def compare(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    rope: float = 0.0,
    prior: float | None = None,
    prob: float = 0.95,
    method: str = "auto",
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Comparisons:
    r"""Test whether model B is better than model A.

    For independent models with closed-form laws the answer is exact by one-dimensional quadrature,

    .. math:: P(\nu_B - \nu_A > d) = \int f_A(t)\, P(\nu_B > t + d)\, dt.

    Parameters
    ----------
    ev
        The evaluation.
    a, b
        Names of the models; may be left out where there are exactly two.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
    rope
        Half-width of the region of practical equivalence.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals that are printed.
    method
        ``"exact"``, ``"montecarlo"`` as in the paper, or ``"auto"``: exact wherever a law is known.
    assumption
        ``"auto"`` takes the strongest that the data support: ``"clustered"`` where units are sentences or
        documents, ``"paired"`` where they are items, ``"independent"`` where only totals are known.
    target
        What the claim is about: ``"models"``, these very trained models; ``"method"``, the way of training them, as
        several runs or the folds of a cross-validation show it, on as many training items as there were. ``"auto"``
        takes the method where there are runs, and the models elsewhere, with the other answer in the notes.
    n_draws
        Number of draws where draws are made; by default 1,000,000 tables, or 20,000 to 100,000 sets of
        pattern weights.
    rng
        Source of randomness: a Generator or an integer.

    Returns
    -------
    Comparisons
        A mapping from the measures' names, in order, to `Comparison` objects.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> res = compare(from_counts(A=(77, 44, 10), B=(83, 9, 14)), rope=0.02)
    >>> res["f1"].p_h1, res["f1"].p_rope
    (0.99918984..., 0.00336288...)
    >>> res["f1"].decision
    'accept H1'

    References
    ----------
    Wang & Li (2019), ACL, Algorithm 1; its line 17 has the hypotheses the wrong way round.
    """
    check_evaluation(ev)
    ev = ev.pair(a, b)
    measures = find_measures(metrics, ev)
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; {nearest(str(method), METHODS)}")
    settings = read_settings(ev, measures, rope, prior, prob, method, n_draws, rng)
    under = ev.under(assumption, target)
    under.warn(*measures)
    return Comparisons(_compare_all(under, measures, settings))


@dataclass(frozen=True)
class Settings:
    """What was asked of a test, checked."""

    rope: float
    prior: float
    prob: float
    method: str
    n_draws: int | None
    seed: tuple[int, ...] | None

    @property
    def seeded(self) -> tuple[int, ...]:
        """The seed, or one from the system."""
        return self.seed or (int(np.random.default_rng().integers(1 << 63)),)


def read_settings(
    ev: Evaluation,
    measures: Sequence[Metric],
    rope: float,
    prior: float | None,
    prob: float,
    method: str,
    n_draws: int | None,
    rng: RNGLike,
) -> Settings:
    """Return what was asked of a test, or say what cannot be."""
    return Settings(
        rope=check_rope(rope, *measures),
        prior=ev.kind.check_prior(prior),
        prob=check_prob(prob),
        method=method,
        n_draws=None if n_draws is None else check_draws(n_draws),
        # Seeding from the system takes a tenth of an exact comparison's time.
        seed=None if rng is None else (int(check_rng(rng).integers(1 << 63)),),
    )


def _compare_all(under: Under, measures: list[Metric], settings: Settings) -> list[Comparison]:
    found: dict[str, Comparison] = {}
    if under.retraining is not None and not under.retraining.mixed and settings.method != "montecarlo":
        return [_by_contrasts(under, measure, settings) for measure in measures]
    if under.closed and not under.shared and settings.method != "montecarlo":
        for measure in measures:
            exact = _exact(under, measure, settings)
            if exact is not None:
                found[measure.name] = exact
    missing = [measure for measure in measures if measure.name not in found]
    if missing and settings.method == "exact" and not _closed_when_paired(under, missing, settings):
        why = (
            f"{under.assumption} models have no closed-form law"
            if under.shared
            else f"{missing[0].name} has no closed-form law"
        )
        raise ValueError(f"{why}, so method 'exact' cannot compare it; use 'auto' or 'montecarlo'")
    if missing:
        found |= {c.metric: c for c in _by_draws(under, missing, settings)}
    return [found[measure.name] for measure in measures]


def _closed_when_paired(under: Under, measures: list[Metric], settings: Settings) -> bool:
    closed = all(under.ev.kind.is_closed_when_paired(m) for m in measures)
    return under.closed and under.paired and not settings.rope and closed


def _exact(under: Under, measure: Metric, settings: Settings) -> Comparison | None:
    laws = [law_of(measure, under.ev, i, settings.prior) for i in (0, 1)]
    if laws[0] is None or laws[1] is None:
        return None
    a, b = (laws[1], laws[0]) if measure.lower_is_better else (laws[0], laws[1])
    p_h0, p_h1 = tail_probabilities(a, b, 0.0)
    p_less, p_greater = p_h0, p_h1
    if settings.rope:
        p_less, _ = tail_probabilities(a, b, -settings.rope)
        _, p_greater = tail_probabilities(a, b, settings.rope)
    return result(
        under,
        measure,
        settings,
        Tails(p_h0, p_h1, p_less, p_greater),
        posterior_a=laws[0],
        posterior_b=laws[1],
        difference=Difference(laws[0], laws[1]),
        mcse=0.0,
        method="exact",
    )


def _by_contrasts(under: Under, measure: Metric, settings: Settings) -> Comparison:
    """Return what the fold scores alone say of two ways of training: a t law of the difference."""
    assert under.retraining is not None
    known = under.retraining.contrasts(measure)
    low, high = measure.support
    law, rope = known.law([-1.0, 1.0], (low - high, high - low)), settings.rope
    tails = Tails(law.cdf(0.0), law.sf(0.0), law.cdf(-rope), law.sf(rope))
    if measure.lower_is_better:
        tails = Tails(tails.p_h1, tails.p_h0, tails.p_greater, tails.p_less)
    return result(
        under,
        measure,
        settings,
        tails,
        posterior_a=known.law([1.0, 0.0], measure.support),
        posterior_b=known.law([0.0, 1.0], measure.support),
        difference=law,
        mcse=0.0,
        method="exact",
    )


def _by_draws(under: Under, measures: list[Metric], settings: Settings) -> list[Comparison]:
    if under.ev.shape:
        raise ValueError(
            f"{measures[0].name} is compared by draws here, which are made for one experiment at a time, "
            f"but the tables have leading axes {under.ev.shape}"
        )
    seed = settings.seeded
    n_draws = settings.n_draws or under.default_draws
    drawn = Drawn(under, tuple(measures), settings.prior, settings.rope, n_draws, (*seed, 0))
    # Runs of a method share its units whatever else is assumed, and folds their training sets.
    several = bool(under.ev.methods) or under.retraining is not None
    beside, alone = under.shared and not several, replace(settings, seed=(*seed, 1))
    found = []
    for measure in measures:
        closed = None
        if under.closed and under.paired and settings.method != "montecarlo":
            closed = _in_closed_form(under, measure, settings, np.random.default_rng((*seed, 2)))
        tails, mcse, method = closed or _counted(drawn, measure)
        laws = [law_of(measure, under.ev, i, settings.prior) if under.closed else None for i in (0, 1)]
        found.append(
            result(
                under,
                measure,
                settings,
                tails,
                posterior_a=laws[0] or drawn.law(measure, 0),
                posterior_b=laws[1] or drawn.law(measure, 1),
                difference=drawn.difference(measure),
                mcse=mcse,
                method=method,
                n_draws=n_draws,
                beside=partial(_independent, under, measure, alone) if beside else None,
            )
        )
    return found


class Tails(NamedTuple):
    """Probabilities of both hypotheses, and that B is worse or better by more than the margin."""

    p_h0: Any
    p_h1: Any
    p_less: Any
    p_greater: Any


def _in_closed_form(
    under: Under, measure: Metric, settings: Settings, rng: np.random.Generator
) -> tuple[Tails, float, str] | None:
    """Return the probabilities where the law of paired items gives them, with their error and how."""
    ev = under.ev
    margins = [0.0, settings.rope, -settings.rope] if settings.rope else [0.0]
    found = ev.kind.paired_sf(ev, measure, margins, prior=settings.prior, rng=rng)
    if found is None:
        return None
    above, *beyond = (float(p) for p in found.value)
    # Above 0, above the margin, and not below minus the margin, of the second model minus the first.
    more, not_less = beyond or (above, above)
    if measure.lower_is_better:
        above, more, not_less = 1.0 - above, 1.0 - not_less, 1.0 - more
    mcse = float(found.error.max())
    tails = Tails(1.0 - above, above, 1.0 - not_less, more)
    return tails, mcse, "quasi-montecarlo" if mcse else "exact"


def _counted(drawn: Drawn, measure: Metric) -> tuple[Tails, float, str]:
    """Return the shares of draws, their standard error and how they were made."""
    counts = drawn.counts(measure.name)
    tails, mcse = shares_of(counts, drawn.n_draws, drawn.rope)
    if drawn.under.ev.alike:
        # What is left is the noise of the draws.
        beyond = 0.5 * (counts.worse_by + counts.better_by) / drawn.n_draws if drawn.rope else 0.5
        tails = Tails(0.5, 0.5, beyond, beyond)
    return tails, mcse, "montecarlo"


def shares_of(counts: Counts, n_draws: int, rope: float) -> tuple[Tails, float]:
    """Return the shares of draws that favour either model, and the standard error of that of B."""
    better, worse_by, better_by = (count / n_draws for count in counts)
    if not rope:
        worse_by, better_by = 1.0 - better, better
    # One success and one failure more, so that 0 of n does not claim an error of 0.
    smoothed = (counts.better + 1.0) / (n_draws + 2.0)
    mcse = float(np.sqrt(smoothed * (1.0 - smoothed) / n_draws))
    return Tails(1.0 - better, better, worse_by, better_by), mcse


def _independent(under: Under, measure: Metric, settings: Settings) -> Comparison:
    """Return the answer under independence."""
    (found,) = _compare_all(replace(under, assumption="independent"), [measure], settings)
    return found


def _otherwise(under: Under, measure: Metric, settings: Settings) -> Comparison:
    """Return the answer for the method where the models were asked for, and the other way round."""
    target: Target = "models" if under.target == "method" else "method"
    settings = replace(settings, method="auto", seed=(*(settings.seed or (0,)), 3), n_draws=_BESIDE)
    (found,) = _compare_all(replace(under, target=target), [measure], settings)
    return replace(found, otherwise=None)


def result(under: Under, measure: Metric, settings: Settings, tails: Tails, **parts: Any) -> Comparison:
    """Return a comparison from its probabilities and laws."""
    p = {name: plain(value) for name, value in tails._asdict().items()}
    rope = np.zeros_like(p["p_h1"])
    if settings.rope:
        rope = np.clip(1.0 - np.asarray(p["p_less"]) - p["p_greater"], 0.0, 1.0)
    return Comparison(
        metric=measure.name,
        label=measure.label,
        model_a=under.ev.names[0],
        model_b=under.ev.names[1],
        **p,
        p_rope=plain(rope),
        rope=settings.rope,
        assumption=under.assumption,
        target=under.target,
        prior=settings.prior,
        prob=settings.prob,
        ev=under.ev,
        measure=measure,
        otherwise=partial(_otherwise, under, measure, settings) if under.ev.folds is not None else None,
        **parts,
    )
