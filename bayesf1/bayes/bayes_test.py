"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from bayesf1.base.arrays import plain
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, checked, start_of
from bayesf1.base.naming import nearest
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.bayes.drawn import Drawn
from bayesf1.bayes.posterior import law_of
from bayesf1.bayes.rope import Rope, RopeLike, check_rope
from bayesf1.bayes.tails import Tails, shares_of, tails_of
from bayesf1.bayes.unpaired import Unpaired
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Target, Under
from bayesf1.laws.difference import Difference, tail_probabilities
from bayesf1.laws.law import lazy_property

METHODS = ("auto", "exact", "montecarlo")
# Draws that only intervals and figures are made from, as the probabilities are computed.
_INTERVALS = 50_000
# Draws of an answer that stands beside the one that was asked for.
_BESIDE = 10_000
# Draws are enough where the standard error of a probability is below what is printed of it.
_ENOUGH = 5e-4


@checked
def compare(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    rope: RopeLike = 0.0,
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
        The region of practical equivalence: its half-width, or a pair (low, high) of how much better B may be than A,
        such as ``(-0.005, 0.01)``, of which ``-low`` is the margin of `Comparison.p_not_worse`.
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
        pattern weights, 50,000 where only intervals need them.
    rng
        Source of randomness: a Generator or an integer, 0 by default, so that two runs print the same.

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

    rope: Rope
    prior: float
    prob: float
    method: str
    n_draws: int | None
    seed: tuple[int, ...]
    start: int | None


def read_settings(
    ev: Evaluation,
    measures: Sequence[Metric],
    rope: RopeLike,
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
        seed=_default_seed() if rng is None else _seed(rng),
        start=start_of(rng),
    )


def _seed(rng: RNGLike) -> tuple[int, ...]:
    return (int(check_rng(rng).integers(1 << 63)),)


@cache
def _default_seed() -> tuple[int, ...]:
    """Return the seed where no rng is given; making it takes a tenth of an exact comparison's time."""
    return _seed(None)


def _compare_all(
    under: Under, measures: list[Metric], settings: Settings, paired: Drawn | None = None
) -> list[Comparison]:
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
        found |= {c.metric: c for c in _by_draws(under, missing, settings, paired)}
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
        p_less, _ = tail_probabilities(a, b, settings.rope.low)
        _, p_greater = tail_probabilities(a, b, settings.rope.high)
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
    law, rope = known.law([-1.0, 1.0], (low - high, high - low)), settings.rope.differences(measure)
    tails = Tails(law.cdf(0.0), law.sf(0.0), law.cdf(rope.low), law.sf(rope.high))
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


def _by_draws(
    under: Under, measures: list[Metric], settings: Settings, paired: Drawn | None
) -> list[Comparison]:
    if under.ev.shape:
        raise ValueError(
            f"{measures[0].name} is compared by draws here, which are made for one experiment at a time, "
            f"but the tables have leading axes {under.ev.shape}"
        )
    seed = settings.seed
    closed = [_in_closed_form(under, measure, settings) for measure in measures]
    laws = [
        [law_of(measure, under.ev, i, settings.prior) if under.closed else None for i in (0, 1)]
        for measure in measures
    ]
    n_draws = settings.n_draws or under.default_draws
    if settings.n_draws is None and all(closed):
        n_draws = min(n_draws, _INTERVALS)
    drawn: Drawn | None = None if paired is None else Unpaired.of(paired, under, measures, n_draws)
    if drawn is None:
        drawn = Drawn(
            under,
            tuple(measures),
            settings.prior,
            settings.rope,
            n_draws,
            (*seed, 0),
            enough=0.0 if settings.n_draws or all(closed) else _ENOUGH,
            anchored=settings.method != "montecarlo",
            lawful=frozenset(measure.name for measure, pair in zip(measures, laws, strict=True) if all(pair)),
        )
    # Runs of a method share its units whatever else is assumed, and folds their training sets.
    several = bool(under.ev.methods) or under.retraining is not None
    beside = None
    if under.shared and not several and under.ev.kind.separable:
        alone = replace(under, assumption="independent")
        beside = Beside(alone, tuple(measures), replace(settings, seed=(*seed, 1)), drawn)
    found = []
    for measure, exact, (law_a, law_b) in zip(measures, closed, laws, strict=True):
        tails, mcse, method = exact or _counted(drawn, measure)
        found.append(
            result(
                under,
                measure,
                settings,
                tails,
                posterior_a=law_a or drawn.law(measure, 0),
                posterior_b=law_b or drawn.law(measure, 1),
                difference=drawn.difference(measure),
                mcse=mcse,
                method=method,
                n_draws=drawn.n_draws if exact else drawn.size(measure.name),
                beside=None if beside is None else partial(beside.of, measure.name),
            )
        )
    return found


def _in_closed_form(under: Under, measure: Metric, settings: Settings) -> tuple[Tails, float, str] | None:
    """Return the probabilities where the law of paired items gives them, with their error and how."""
    if not (under.closed and under.paired) or settings.method == "montecarlo":
        return None
    ev, rng = under.ev, np.random.default_rng((*settings.seed, 2))
    rope = settings.rope.differences(measure)
    margins = [0.0, rope.high, rope.low] if rope else [0.0]
    found = ev.kind.paired_sf(ev, measure, margins, prior=settings.prior, rng=rng)
    if found is None:
        return None
    above, *beyond = (float(p) for p in found.value)
    # Above 0, above the region, and not below it, of the second model minus the first.
    more, not_less = beyond or (above, above)
    if measure.lower_is_better:
        above, more, not_less = 1.0 - above, 1.0 - not_less, 1.0 - more
    mcse = float(found.error.max())
    tails = Tails(1.0 - above, above, 1.0 - not_less, more)
    return tails, mcse, "quasi-montecarlo" if mcse else "exact"


def _counted(drawn: Drawn, measure: Metric) -> tuple[Tails, float, str]:
    """Return the probabilities by the law of the difference, or shares of draws, with their standard error and how."""
    known = drawn.known(measure.name)
    if known is not None:
        tails, mcse = tails_of(known, measure, drawn.rope, swapped=drawn.swapped), 0.0
    else:
        tails = shares_of(drawn.counts(measure.name), drawn.size(measure.name), drawn.rope)
        mcse = drawn.error(measure.name)
    if drawn.under.ev.alike:
        # What is left is the noise of the draws.
        less, greater = tails.p_less, tails.p_greater
        if drawn.rope.symmetric:
            less = greater = 0.5 * (less + greater)
        tails = Tails(0.5, 0.5, less, greater)
    return tails, mcse, "exact" if known is not None else "montecarlo"


@dataclass(frozen=True, eq=False)
class Beside:
    """The answers for models taken as independent, found together when the first of them is asked for."""

    under: Under
    measures: tuple[Metric, ...]
    settings: Settings
    paired: Drawn

    def of(self, metric: str) -> Comparison:
        """Return the answer for one of the measures."""
        return self._found[metric]

    @lazy_property
    def _found(self) -> dict[str, Comparison]:
        answers = _compare_all(self.under, list(self.measures), self.settings, self.paired)
        return {c.metric: c for c in answers}


def _otherwise(under: Under, measure: Metric, settings: Settings) -> Comparison:
    """Return the answer for the method where the models were asked for, and the other way round."""
    target: Target = "models" if under.target == "method" else "method"
    settings = replace(settings, method="auto", seed=(*settings.seed, 3), n_draws=_BESIDE)
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
        rope=settings.rope.given,
        assumption=under.assumption,
        target=under.target,
        prior=settings.prior,
        prob=settings.prob,
        start=settings.start,
        ev=under.ev,
        measure=measure,
        otherwise=partial(_otherwise, under, measure, settings) if under.ev.folds is not None else None,
        **parts,
    )
