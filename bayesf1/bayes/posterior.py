"""What is believed about one model's score: a closed-form law, or draws where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_rng, checked
from bayesf1.evaluation.anchors import anchor_of
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Harmonic, Metric, MetricLike, Proportion
from bayesf1.evaluation.scoring import find_measure
from bayesf1.evaluation.under import Under
from bayesf1.laws.distributions import Beta, FScore
from bayesf1.laws.empirical import EmpiricalPosterior, QuantilePosterior
from bayesf1.laws.law import Posterior
from bayesf1.laws.unit_law import UnitLaw

# Below, a quadrature in double precision loses mass at 0 or 1: P = 1/2 comes out as .5009 at .01.
_MIN_SHAPE = 0.02
# At most this many draws are kept; probabilities are counted over all of them.
KEPT_DRAWS = 1 << 20
# Draws where no number was asked for, and units are few.
_DRAWS = 100_000
# Quantiles that stand for a law that needs no draws.
QUANTILES = 20_000


@checked
def posterior(
    ev: Evaluation,
    model: str,
    metric: MetricLike | None = None,
    *,
    prior: float | None = None,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Posterior:
    r"""Return what is believed about one model's score.

    With cells :math:`\sim \mathrm{Dirichlet}(\text{counts}+\lambda)`, precision is
    :math:`\mathrm{Be}(TP+\lambda, FP+\lambda)`, recall :math:`\mathrm{Be}(TP+\lambda, FN+\lambda)`, and
    F-scores follow `FScore`; measures without a law, and all measures of clustered data, are drawn.

    Parameters
    ----------
    ev
        The evaluation.
    model
        Name of the model.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    prior
        λ of the Dirichlet prior: 1, the default, is uniform (Wang & Li), ½ is Jeffreys'. Where every item has one of
        several classes it is how many items each class has before the data, by default 3, centred on the model's
        own rates and more or less as its classes are alike; accuracy has Jeffreys' prior.
    assumption
        ``"auto"`` respects clusters where units are clusters; ``"independent"`` and ``"paired"`` take single
        items as units.
    target
        ``"models"`` or ``"method"``, as in `compare`; a method's score is the mean of its runs' or folds' scores.
    n_draws
        Number of draws, where draws are needed; by default 100,000, or as few as 4,000 where units are many.
    rng
        Source of randomness, where draws are needed.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> post = posterior(from_counts(A=(77, 44, 10)), "A", metric="f1")
    >>> post.interval(0.95)
    (0.664769..., 0.798068...)

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 25-30; Goutte & Gaussier (2005), ECIR.
    """
    measure = find_measure(metric, ev)
    prior = ev.kind.check_prior(prior)
    if ev.methods:
        # A method is spoken of beside the others, whose runs tell of its training, too; a run by itself.
        ev = ev if model in ev.names else ev.select([model])
    index = ev.names.index(model) if ev.methods else ev.index(model)
    under = ev.under(assumption, target)
    if under.retraining is not None:
        # Of one way of training its own contrasts tell.
        under, index = ev.select([model]).under(assumption, target), 0
    under.warn(measure)
    law = law_under(under, measure, index, prior)
    if law is not None:
        return law
    _check_single(ev, measure.name)
    generator = check_rng(rng)
    if n_draws is None and (known := known_law(under, measure, index, prior)) is not None:
        return known
    n_draws = number_of_draws(under, n_draws)
    drawn = under.scores([measure], prior=prior, n_draws=n_draws, rng=generator)
    return EmpiricalPosterior.within(
        np.concatenate([scores[:, index] for (scores,) in drawn]), measure.support
    )


def posteriors(
    ev: Evaluation,
    measures: Sequence[Metric],
    *,
    prior: float,
    assumption: str,
    n_draws: int | None,
    rng: np.random.Generator,
    target: str = "auto",
) -> dict[tuple[str, str], Posterior]:
    """Return what is believed of every model and measure, by their names; measures without a law share draws."""
    under = ev.under(assumption, target)
    under.warn(*measures)
    found: dict[tuple[str, str], Posterior] = {}
    drawn: list[Metric] = []
    for measure in measures:
        for i, model in enumerate(ev.names):
            law = law_under(under, measure, i, prior)
            if law is None and n_draws is None:
                law = known_law(under, measure, i, prior)
            if law is not None:
                found[model, measure.name] = law
            elif measure not in drawn:
                drawn.append(measure)
    if drawn:
        _check_single(ev, drawn[0].name)
        n_draws = number_of_draws(under, n_draws)
        scores = under.scores(drawn, prior=prior, n_draws=n_draws, rng=rng)
        for measure, parts in zip(drawn, zip(*scores, strict=True), strict=True):
            for model, values in zip(ev.names, np.concatenate(parts).T, strict=True):
                found.setdefault((model, measure.name), EmpiricalPosterior.within(values, measure.support))
    return found


def law_under(under: Under, measure: Metric, index: int, prior: float) -> Posterior | None:
    """Return the law of one of the scores that are compared, or None where only draws will do."""
    trained = under.retraining
    if trained is not None and not trained.mixed:
        return trained.contrasts(measure).law(np.eye(len(under.ev.models))[index], measure.support)
    return law_of(measure, under.ev, index, prior) if under.closed else None


def known_law(under: Under, measure: Metric, index: int, prior: float) -> EmpiricalPosterior | None:
    """Return quantiles of the law of a score that a bootstrap over units has without draws, None where it has none."""
    if under.ev.methods or under.ev.shape or not under.bootstraps:
        return None
    if len(under.ev.models) > 2:
        # The outcomes of many models together are too many to be listed in a prior.
        under, index = replace(under, ev=under.ev.select([under.ev.models[index]])), 0
    known = anchor_of(under, measure, np.eye(len(under.ev.models))[index], prior)
    if known is None or not known.exact:
        return None
    return QuantilePosterior.within(known.quantiles(QUANTILES), measure.support)


def law_of(measure: Metric, ev: Evaluation, index: int, prior: float) -> UnitLaw | None:
    """Return the closed-form law of a measure of one of the models, or None where there is none."""
    if not ev.kind.has_law(measure):
        return None
    counts = ev.tables[..., index, :] + ev.kind.cell_priors(prior)
    place = {cell: i for i, cell in enumerate(ev.cells)}

    def total(cells: tuple[str, ...]) -> FloatArray:
        return np.asarray(counts[..., [place[cell] for cell in cells]].sum(axis=-1))

    match measure.law:
        case Proportion(successes, failures):
            shapes = total(successes), total(failures)
            return Beta(*shapes) if np.min(shapes) >= _MIN_SHAPE else None
        case Harmonic(beta, tp, fp, fn):
            shapes = total(tp), total(fp) + total(fn)
            return FScore(total(tp), total(fp), total(fn), beta) if np.min(shapes) >= _MIN_SHAPE else None
    return None


def claim_threshold(prob: float) -> float:
    """Return the probability from which on one model is called better: that of a central interval without 0.

    Examples
    --------
    >>> claim_threshold(0.95)
    0.975
    """
    return 0.5 * (1.0 + prob)


def number_of_draws(under: Under, asked: int | None, usual: int = _DRAWS) -> int:
    """Return how many draws are made and kept: as many as were asked for, else the usual number if time allows."""
    return under.affordable_draws(usual) if asked is None else min(check_draws(asked), KEPT_DRAWS)


def _check_single(ev: Evaluation, name: str) -> None:
    if ev.shape:
        raise ValueError(
            f"{name} has no closed form here, and draws are made for one experiment at a time, "
            f"but the tables have leading axes {ev.shape}"
        )
