"""The Bayes test: is model B better than model A, how sure are we, and by how much?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.comparison import Comparison, Comparisons
from bayesf1.difference import Difference, tail_probabilities
from bayesf1.distributions import Posterior, RNGLike, check_prob, plain
from bayesf1.draws import draw_tables
from bayesf1.evaluation import Assumption, Evaluation, FloatArray, check_evaluation
from bayesf1.metrics import Metric, MetricLike, find_metrics
from bayesf1.naming import nearest
from bayesf1.posterior import (
    KEPT_DRAWS,
    EmpiricalPosterior,
    check_draws,
    check_measure,
    check_prior,
    check_rng,
    check_rope,
    law_of,
    resolve_assumption,
    warn_if_few,
)

METHODS = ("auto", "exact", "montecarlo")
DEFAULT_METRICS = ("precision", "recall", "f1")


def compare(
    ev: Evaluation,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT_METRICS,
    rope: float = 0.0,
    prior: float = 1.0,
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
        Names of measures, or callables on tables (..., cell).
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
    measures = find_metrics(metrics)
    for measure in measures:
        check_measure(measure, ev)
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; {nearest(str(method), METHODS)}")
    settings = _Settings(
        rope=check_rope(rope),
        prior=check_prior(prior),
        prob=check_prob(prob),
        method=method,
        n_draws=None if n_draws is None else check_draws(n_draws),
        # Seeding from the system takes a tenth of an exact comparison's time.
        rng=None if rng is None else check_rng(rng),
    )
    units, taken = resolve_assumption(ev, assumption)
    warn_if_few(units, taken)
    return Comparisons(_compare_all(_Pair(units, taken), measures, settings))


@dataclass(frozen=True)
class _Settings:
    rope: float
    prior: float
    prob: float
    method: str
    n_draws: int | None
    rng: np.random.Generator | None


@dataclass(frozen=True)
class _Pair:
    """The evaluation of models A and B, in this order."""

    ev: Evaluation
    assumption: Assumption

    def result(self, measure: Metric, settings: _Settings, **parts: Any) -> Comparison:
        p = {name: plain(parts.pop(name)) for name in ("p_h0", "p_h1", "p_less", "p_greater")}
        rope = (
            np.clip(1.0 - np.asarray(p["p_less"]) - p["p_greater"], 0.0, 1.0)
            if settings.rope
            else np.zeros_like(p["p_h1"])
        )
        return Comparison(
            metric=measure.name,
            label=measure.label,
            model_a=self.ev.models[0],
            model_b=self.ev.models[1],
            **p,
            p_rope=plain(rope),
            rope=settings.rope,
            assumption=self.assumption,
            prior=settings.prior,
            prob=settings.prob,
            ev=self.ev,
            measure=measure,
            **parts,
        )


def _compare_all(pair: _Pair, measures: list[Metric], settings: _Settings) -> list[Comparison]:
    found: dict[str, Comparison] = {}
    if pair.assumption == "independent" and settings.method != "montecarlo":
        for measure in measures:
            exact = _exact(pair, measure, settings)
            if exact is not None:
                found[measure.name] = exact
    missing = [measure for measure in measures if measure.name not in found]
    if missing and settings.method == "exact" and not _closed_when_paired(pair, missing, settings):
        why = (
            f"{missing[0].name} has no closed-form law"
            if pair.assumption == "independent"
            else f"{pair.assumption} models have no closed-form law"
        )
        raise ValueError(f"{why}, so method 'exact' cannot compare it; use 'auto' or 'montecarlo'")
    if missing:
        found |= {c.metric: c for c in _by_draws(pair, missing, settings)}
    return [found[measure.name] for measure in measures]


def _closed_when_paired(pair: _Pair, measures: list[Metric], settings: _Settings) -> bool:
    from bayesf1.joint import CLOSED_WHEN_PAIRED

    return (
        pair.assumption == "paired"
        and not settings.rope
        and all(m.name in CLOSED_WHEN_PAIRED for m in measures)
    )


def _exact(pair: _Pair, measure: Metric, settings: _Settings) -> Comparison | None:
    laws = [law_of(measure, pair.ev.tables[..., i, :], pair.ev.cells, settings.prior) for i in (0, 1)]
    if laws[0] is None or laws[1] is None:
        return None
    p_h0, p_h1 = tail_probabilities(laws[0], laws[1], 0.0)
    p_less, p_greater = p_h0, p_h1
    if settings.rope:
        p_less, _ = tail_probabilities(laws[0], laws[1], -settings.rope)
        _, p_greater = tail_probabilities(laws[0], laws[1], settings.rope)
    return pair.result(
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


def _by_draws(pair: _Pair, measures: list[Metric], settings: _Settings) -> list[Comparison]:
    if pair.ev.shape:
        raise ValueError(
            f"{measures[0].name} is compared by draws here, which are made for one experiment at a time, "
            f"but the tables have leading axes {pair.ev.shape}"
        )
    # True negatives that no measure asks for would only keep patterns apart.
    unasked = all(measure.needs and "tn" not in measure.needs for measure in measures)
    ev = pair.ev.keep(("tp", "fp", "fn")) if unasked else pair.ev
    settings = replace(settings, rng=check_rng(settings.rng))
    n_draws = settings.n_draws or _default_draws(ev, pair.assumption)
    kept: dict[str, list[FloatArray]] = {m.name: [] for m in measures}
    counts = {m.name: np.zeros(3) for m in measures}
    stored = 0
    for tables in draw_tables(
        ev, pair.assumption, prior=settings.prior, n_draws=n_draws, rng=check_rng(settings.rng)
    ):
        for measure in measures:
            scores = measure(tables, ev.cells)
            gap = scores[:, 1] - scores[:, 0]
            counts[measure.name] += [
                (gap > 0).sum(),
                (gap < -settings.rope).sum(),
                (gap > settings.rope).sum(),
            ]
            if stored < KEPT_DRAWS:
                kept[measure.name].append(scores)
        stored += len(tables)
    return [
        _from_draws(
            pair, measure, settings, np.concatenate(kept[measure.name]), counts[measure.name], n_draws
        )
        for measure in measures
    ]


def _default_draws(ev: Evaluation, assumption: Assumption) -> int:
    if assumption == "independent" or ev.weights is None:
        return 1_000_000
    # A draw costs as much as there are patterns.
    return int(np.clip(50_000_000 // len(ev.weights), 20_000, 100_000))


def _from_draws(
    pair: _Pair, measure: Metric, settings: _Settings, scores: FloatArray, counts: FloatArray, n_draws: int
) -> Comparison:
    better, less, greater = counts / n_draws
    # One success and one failure more, so that 0 of n does not claim an error of 0.
    smoothed = (counts[0] + 1.0) / (n_draws + 2.0)
    probabilities = {"p_h0": 1.0 - better, "p_h1": better, "p_less": less, "p_greater": greater}
    mcse, method = float(np.sqrt(smoothed * (1.0 - smoothed) / n_draws)), "montecarlo"
    if pair.assumption == "paired" and settings.method != "montecarlo" and measure.needs:
        probabilities, mcse = _paired_probabilities(pair, measure, settings)
        method = "quasi-montecarlo" if mcse else "exact"
    low, high = measure.support
    laws: list[Posterior] = []
    for i in (0, 1):
        law = None
        if pair.assumption != "clustered":
            law = law_of(measure, pair.ev.tables[i], pair.ev.cells, settings.prior)
        laws.append(law or EmpiricalPosterior(scores[:, i], measure.support))
    independent = None
    if pair.assumption != "independent":
        alone = _Pair(pair.ev, "independent")
        independent = _compare_all(alone, [measure], settings)[0]
    return pair.result(
        measure,
        settings,
        **probabilities,
        posterior_a=laws[0],
        posterior_b=laws[1],
        difference=EmpiricalPosterior(scores[:, 1] - scores[:, 0], (low - high, high - low)),
        mcse=mcse,
        method=method,
        independent=independent,
    )


def _paired_probabilities(
    pair: _Pair, measure: Metric, settings: _Settings
) -> tuple[dict[str, float], float]:
    from bayesf1.joint import joint_counts, paired_sf

    counts = joint_counts(pair.ev, 0, 1)
    margins = [0.0, settings.rope, -settings.rope] if settings.rope else [0.0]
    found = paired_sf(
        counts, measure, pair.ev.cells, margins, prior=settings.prior, rng=check_rng(settings.rng)
    )
    p_h1 = float(found.value[0])
    p_less, p_greater = 1.0 - p_h1, p_h1
    if settings.rope:
        p_greater, p_less = float(found.value[1]), 1.0 - float(found.value[2])
    return {"p_h0": 1.0 - p_h1, "p_h1": p_h1, "p_less": p_less, "p_greater": p_greater}, float(found.error[0])
