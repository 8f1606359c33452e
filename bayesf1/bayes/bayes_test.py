"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray, plain
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng
from bayesf1.base.naming import nearest
from bayesf1.bayes.comparison import Comparison, Comparisons
from bayesf1.bayes.posterior import KEPT_DRAWS, check_rope, law_of
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.kind import Estimate
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Under
from bayesf1.laws.difference import Difference, tail_probabilities
from bayesf1.laws.empirical import EmpiricalPosterior
from bayesf1.laws.law import Posterior

METHODS = ("auto", "exact", "montecarlo")


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
    settings = _Settings(
        rope=check_rope(rope, *measures),
        prior=ev.kind.check_prior(prior),
        prob=check_prob(prob),
        method=method,
        n_draws=None if n_draws is None else check_draws(n_draws),
        # Seeding from the system takes a tenth of an exact comparison's time.
        rng=None if rng is None else check_rng(rng),
    )
    under = ev.under(assumption)
    under.warn(*measures)
    return Comparisons(_compare_all(under, measures, settings))


def compare_classes(
    ev: Evaluation, a: str | None = None, b: str | None = None, *, metric: str = "f1", **settings: Any
) -> Comparisons:
    """Test class by class whether model B is better than model A: where it gains and where it loses.

    Parameters
    ----------
    ev
        An evaluation of several classes, labels or types of spans.
    a, b
        Names of the models; may be left out where there are exactly two.
    metric
        The measure of each class.
    **settings
        As in `compare`: rope, prior, prob, assumption, n_draws, rng.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> gold = list("aaabbbcccc") * 10
    >>> ev = from_labels(gold, {"A": list("aabbbcccca") * 10, "B": list("aaabbbccca") * 10})
    >>> list(compare_classes(ev, rng=1))
    ['f1[a]', 'f1[b]', 'f1[c]']
    """
    check_evaluation(ev)
    if not ev.classes:
        raise ValueError(
            "there are no classes to compare one by one; build the evaluation by from_labels with more than "
            "two labels, or by from_tags with by_type=True"
        )
    return compare(ev, a, b, metrics=[f"{metric}[{name}]" for name in ev.classes], **settings)


@dataclass(frozen=True)
class _Settings:
    rope: float
    prior: float
    prob: float
    method: str
    n_draws: int | None
    rng: np.random.Generator | None


def _result(under: Under, measure: Metric, settings: _Settings, **parts: Any) -> Comparison:
    p = {name: plain(parts.pop(name)) for name in ("p_h0", "p_h1", "p_less", "p_greater")}
    rope = (
        np.clip(1.0 - np.asarray(p["p_less"]) - p["p_greater"], 0.0, 1.0)
        if settings.rope
        else np.zeros_like(p["p_h1"])
    )
    return Comparison(
        metric=measure.name,
        label=measure.label,
        model_a=under.ev.models[0],
        model_b=under.ev.models[1],
        **p,
        p_rope=plain(rope),
        rope=settings.rope,
        assumption=under.assumption,
        prior=settings.prior,
        prob=settings.prob,
        ev=under.ev,
        measure=measure,
        **parts,
    )


def _compare_all(under: Under, measures: list[Metric], settings: _Settings) -> list[Comparison]:
    found: dict[str, Comparison] = {}
    if not under.shared and settings.method != "montecarlo":
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


def _closed_when_paired(under: Under, measures: list[Metric], settings: _Settings) -> bool:
    closed = all(under.ev.kind.is_closed_when_paired(m) for m in measures)
    return under.paired and not settings.rope and closed


def _exact(under: Under, measure: Metric, settings: _Settings) -> Comparison | None:
    laws = [law_of(measure, under.ev, i, settings.prior) for i in (0, 1)]
    if laws[0] is None or laws[1] is None:
        return None
    p_h0, p_h1 = tail_probabilities(laws[0], laws[1], 0.0)
    p_less, p_greater = p_h0, p_h1
    if settings.rope:
        p_less, _ = tail_probabilities(laws[0], laws[1], -settings.rope)
        _, p_greater = tail_probabilities(laws[0], laws[1], settings.rope)
    return _result(
        under,
        measure,
        settings,
        p_h0=p_h0,
        p_h1=p_h1,
        p_less=p_less,
        p_greater=p_greater,
        posterior_a=laws[0],
        posterior_b=laws[1],
        difference=Difference(laws[0], laws[1]),
        mcse=0.0,
        method="exact",
    )


def _by_draws(under: Under, measures: list[Metric], settings: _Settings) -> list[Comparison]:
    if under.ev.shape:
        raise ValueError(
            f"{measures[0].name} is compared by draws here, which are made for one experiment at a time, "
            f"but the tables have leading axes {under.ev.shape}"
        )
    settings = replace(settings, rng=check_rng(settings.rng))
    n_draws = settings.n_draws or under.ev.kind.default_draws(under)
    kept: dict[str, list[FloatArray]] = {m.name: [] for m in measures}
    counts = {m.name: np.zeros(3) for m in measures}
    stored = 0
    for block in under.scores(measures, prior=settings.prior, n_draws=n_draws, rng=check_rng(settings.rng)):
        for measure, scores in zip(measures, block, strict=True):
            gap = scores[:, 1] - scores[:, 0]
            # A Dirichlet has no ties; they are shares of a class too small for a number, as often B's as A's.
            ties = 0.5 * (gap == 0).sum() if under.ev.classes else 0.0
            counts[measure.name] += [
                (gap > 0).sum() + ties,
                (gap < -settings.rope).sum(),
                (gap > settings.rope).sum(),
            ]
            if stored < KEPT_DRAWS:
                kept[measure.name].append(scores)
        stored += len(block[0])
    alone: dict[str, Comparison] = {}
    if under.shared:
        beside = _compare_all(replace(under, assumption="independent"), measures, settings)
        alone = {c.metric: c for c in beside}
    return [
        _from_draws(
            under,
            measure,
            settings,
            np.concatenate(kept[measure.name]),
            counts[measure.name],
            n_draws,
            alone.get(measure.name),
        )
        for measure in measures
    ]


def _from_draws(
    under: Under,
    measure: Metric,
    settings: _Settings,
    scores: FloatArray,
    counts: FloatArray,
    n_draws: int,
    independent: Comparison | None,
) -> Comparison:
    better, less, greater = counts / n_draws
    # One success and one failure more, so that 0 of n does not claim an error of 0.
    smoothed = (counts[0] + 1.0) / (n_draws + 2.0)
    if under.ev.alike:
        # What is left is the noise of the draws.
        better, less, greater = 0.5, 0.5 * (less + greater), 0.5 * (less + greater)
    if not settings.rope:
        less, greater = 1.0 - better, better
    probabilities = {"p_h0": 1.0 - better, "p_h1": better, "p_less": less, "p_greater": greater}
    mcse, method = float(np.sqrt(smoothed * (1.0 - smoothed) / n_draws)), "montecarlo"
    found = None
    if under.paired and settings.method != "montecarlo":
        margins = [0.0, settings.rope, -settings.rope] if settings.rope else [0.0]
        found = under.ev.kind.paired_sf(
            under.ev, measure, margins, prior=settings.prior, rng=check_rng(settings.rng)
        )
    if found is not None:
        probabilities, mcse = _in_closed_form(found), float(found.error.max())
        method = "quasi-montecarlo" if mcse else "exact"
    low, high = measure.support
    laws: list[Posterior] = []
    for i in (0, 1):
        law = law_of(measure, under.ev, i, settings.prior) if not under.bootstraps else None
        laws.append(law or EmpiricalPosterior.within(scores[:, i], measure.support))
    return _result(
        under,
        measure,
        settings,
        **probabilities,
        posterior_a=laws[0],
        posterior_b=laws[1],
        difference=EmpiricalPosterior.within(scores[:, 1] - scores[:, 0], (low - high, high - low)),
        mcse=mcse,
        method=method,
        independent=independent,
        n_draws=n_draws,
    )


def _in_closed_form(found: Estimate) -> dict[str, float]:
    """Return the probabilities of both hypotheses, and beyond the region of practical equivalence if there is one."""
    p_h1, *beyond = (float(p) for p in found.value)
    p_greater, p_not_less = beyond or (p_h1, p_h1)
    return {"p_h0": 1.0 - p_h1, "p_h1": p_h1, "p_less": 1.0 - p_not_less, "p_greater": p_greater}
