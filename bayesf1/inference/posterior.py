"""Posterior distributions of the models' scores: closed forms, or draws if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng
from bayesf1.base.naming import cleaned, plural
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.difference import Difference
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.distributions.fscore import Beta, FScore, UnitDistribution
from bayesf1.evaluation import Evaluation, UndefinedScore, defined_scores, resolve_metric, resolve_metrics
from bayesf1.metrics import Estimates, FMeasure, Metric, MetricLike, Moments, PairMoments, Proportion
from bayesf1.output.words.prose import in_prose
from bayesf1.output.words.sampled import few_units, same_everywhere
from bayesf1.sampling.model import SamplingModel, SamplingSettings, sampling_model

if TYPE_CHECKING:
    import pandas as pd

# Below, a quadrature in double precision loses mass at 0 or 1: P = 1/2 comes out as .5009 at .01.
_MIN_SHAPE = 0.02
# At most this many draws are kept; probabilities are counted over all of them.
KEPT_DRAWS = 1 << 20
# Rounding alone makes what is the same differ by less.
_SAME = 1e-9


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
    r"""Return the posterior distribution of one model's score.

    With cells :math:`\sim \mathrm{Dirichlet}(\text{counts}+\lambda)`, precision is
    :math:`\mathrm{Be}(TP+\lambda, FP+\lambda)`, recall :math:`\mathrm{Be}(TP+\lambda, FN+\lambda)`, and
    F-scores follow `FScore`; metrics without a closed form, and all metrics of clustered data, are drawn.

    Parameters
    ----------
    ev
        The evaluation.
    model
        Name of the model.
    metric
        Name of a metric, or a callable on tables (..., cell); F1 by default.
    prior
        λ of the Dirichlet prior on each model's cells: ½, the default, is Jeffreys'; 1 is uniform, as in Wang & Li, and
        the default of folds. If every item has one of several classes, it is how many items each class has before the
        data, centred on the model's accuracy, which itself has Jeffreys' prior.
    assumption
        ``"auto"`` respects clusters if units are clusters; ``"independent"`` and ``"paired"`` take single
        items as units.
    target
        ``"models"`` or ``"method"``, as in `compare`; a method's score is the mean of its runs' or folds' scores.
    n_draws
        Number of draws, if draws are needed; by default 100,000, or as few as 2,000 if units are many.
    rng
        Source of randomness, if draws are needed.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> post = posterior(from_counts(A=(77, 44, 10)), "A", metric="f1")
    >>> post.interval(0.95)
    (0.666887..., 0.800336...)

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 25-30; Goutte & Gaussier (2005), ECIR.
    """
    metric = resolve_metric(metric, ev)
    alone = target == "method" and ev.folds is not None
    if model not in ev.names or alone:
        # A run is a model of its own, and a method's spread is estimated from its own folds.
        ev = ev.select([model])
    how: Any = {"prior": prior, "assumption": assumption, "target": target, "n_draws": n_draws, "rng": rng}
    found = posteriors(ev, [metric], **how)
    if (model, metric.name) not in found:
        one = sampling_model(ev.select([model]), assumption, target)
        defined_scores(one.ev, metric, " in a fold" * (one.training_variance is not None), one.plain(metric))
        raise _unvaried(f"{in_prose(metric.label)} of {model}", one.settings(metric))
    return found[model, metric.name]


def posteriors(
    ev: Evaluation,
    metrics: Sequence[Metric],
    *,
    prior: float | None = None,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> dict[tuple[str, str], Posterior]:
    """Return posteriors of all scores that are defined, by model and metric; those without a closed form share draws.

    Of a score that is the same on all of few units, or in all folds, nothing is believed either.
    """
    sampling = sampling_model(ev, assumption, target, prior)
    n_draws = number_of_draws(sampling, metrics, n_draws)
    warn_if_few(sampling, *metrics)
    found = {}
    for known in score_posteriors(sampling, metrics, n_draws, rng):
        metric, settings = known.metric, sampling.settings(known.metric)
        for i, (model, score) in enumerate(zip(ev.names, sampling.plain(metric), strict=True)):
            post = known.score(i)
            if not np.isnan(score) and shows_spread(settings, post):
                found[model, metric.name] = post
    return found


def summary(
    ev: Evaluation,
    *,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Summarise every model's posterior: mean, sd and highest density interval.

    The columns are those of ``arviz.summary(kind="stats", hdi_prob=prob)``, from the closed forms if
    there are any. They are NaN for an undefined score.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of metrics, or callables on tables (..., cell); precision, recall and F1 by default.
    prior
        λ of the Dirichlet prior on each model's cells.
    prob
        Mass of the intervals.
    assumption, target, n_draws, rng
        As in `posterior`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> summary(from_counts(A=(77, 44, 10))).round(3)
                      mean     sd  hdi_2.5%  hdi_97.5%
    model metric
    A     precision  0.635  0.043     0.550      0.719
          recall     0.881  0.034     0.812      0.944
          f1         0.737  0.034     0.670      0.803
    """
    import pandas as pd

    check_prob(prob)
    metrics = resolve_metrics(metrics, ev)
    how: Any = {"prior": prior, "assumption": assumption, "target": target, "n_draws": n_draws, "rng": rng}
    distributions = posteriors(ev, metrics, **how)
    tail = 50.0 * (1.0 - prob)
    rows = {}
    for model in ev.names:
        for metric in metrics:
            post = distributions.get((model, metric.name))
            rows[model, metric.name] = (
                (np.nan,) * 4 if post is None else (post.mean(), post.std(), *post.hdi(prob))
            )
    index = pd.MultiIndex.from_tuples(list(rows), names=["model", "metric"])
    columns = ["mean", "sd", f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"]
    return pd.DataFrame(list(rows.values()), index, columns).rename(index=cleaned)


class Posteriors(NamedTuple):
    """What is believed of the scores of two models and of their difference, B minus A."""

    a: Posterior
    b: Posterior
    difference: Posterior

    def estimates(self, metric: Metric, values: tuple[float, float, float], prob: float) -> Estimates:
        """Return the numbers that are printed of both scores and of the difference, with their intervals."""
        a, b, difference = values
        return Estimates(
            metric.estimate(a, self.a, prob),
            metric.estimate(b, self.b, prob),
            metric.estimate(difference, self.difference, prob, difference=True),
        )

    @property
    def moments(self) -> PairMoments:
        """The means and standard deviations."""
        return PairMoments(moments_of(self.a), moments_of(self.b), moments_of(self.difference))


def moments_of(post: Posterior) -> Moments:
    """Return the mean and the standard deviation of a posterior; either may not exist, and is then not finite."""
    return Moments(float(post.mean()), float(post.std()))


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """What is believed of the scores of all that is compared, by one metric: in closed form if there is one, else by draws.

    Attributes
    ----------
    sampling, metric
        What was sampled and believed, and what is scored.
    draws
        Joint draws of the scores, axes (draw, name); None if they are not needed, or not yet made.
    """

    sampling: SamplingModel
    metric: Metric
    draws: FloatArray | None = None

    @cached_property
    def exact(self) -> list[Posterior | None]:
        """The closed forms of the scores; None of one that has none."""
        sampling, metric = self.sampling, self.metric
        ev, trained = sampling.ev, sampling.training_variance
        if trained is not None and not trained.mixed:
            contrasts = trained.contrasts(metric)
            return [contrasts.distribution(weights, metric.support) for weights in np.eye(len(ev.models))]
        if not sampling.closed:
            return [None] * len(ev.names)
        return [distribution_of(metric, ev, i, sampling.prior) for i in range(len(ev.names))]

    def score(self, i: int) -> Posterior:
        """Return the posterior of one of the scores."""
        if (exact := self.exact[i]) is not None:
            return exact
        assert self.draws is not None
        return EmpiricalPosterior.within(self.draws[:, i], self.metric.support)

    @property
    def exact_pair(self) -> Posteriors | None:
        """The posteriors of the first two scores and of their difference without draws, or None."""
        sampling, (low, high) = self.sampling, self.metric.support
        trained = sampling.training_variance
        a, b = self.exact[:2]
        if (trained is None and sampling.shared) or a is None or b is None:
            return None
        if trained is not None:
            contrast = trained.contrasts(self.metric).distribution([-1.0, 1.0], (low - high, high - low))
            return Posteriors(a, b, contrast)
        return Posteriors(a, b, Difference(cast("UnitDistribution", a), cast("UnitDistribution", b)))

    def pair(self, differences: FloatArray) -> Posteriors:
        """Return the posteriors of the first two scores, and of their difference as it was drawn."""
        low, high = self.metric.support
        drawn = EmpiricalPosterior.within(differences, (low - high, high - low))
        return Posteriors(self.score(0), self.score(1), drawn)


def score_posteriors(
    sampling: SamplingModel, metrics: Sequence[Metric], n_draws: int, rng: RNGLike
) -> list[ScorePosterior]:
    """Return what is believed of the scores by each metric; those without closed forms share draws."""
    found = [ScorePosterior(sampling, metric) for metric in metrics]
    missing = [known.metric for known in found if None in known.exact]
    if not missing:
        return found
    drawn = iter(sampling.scores(missing, n_draws=n_draws, rng=check_rng(rng)))
    return [replace(known, draws=next(drawn)) if None in known.exact else known for known in found]


def distribution_of(metric: Metric, ev: Evaluation, index: int, prior: float) -> UnitDistribution | None:
    """Return the closed-form distribution of a metric of one of the models, or None if there is none."""
    added = ev.task.cell_priors(metric, prior)
    if added is None:
        return None
    counts = ev.tables[index] + added
    place = {cell: i for i, cell in enumerate(ev.cells)}

    def total(cells: tuple[str, ...]) -> float:
        return float(counts[[place[cell] for cell in cells]].sum())

    match metric.distribution:
        case Proportion(successes, failures):
            shapes = total(successes), total(failures)
            return Beta(*shapes) if min(shapes) >= _MIN_SHAPE else None
        case FMeasure(beta=beta) as f:
            tp, fp, fn = map(total, (f.tp, f.fp, f.fn))
            return FScore(tp, fp, fn, beta) if min(tp, fp + fn) >= _MIN_SHAPE else None
    return None


def shows_spread(s: SamplingSettings, post: Posterior) -> bool:
    """Return whether a score varies; of one that does not, whether enough was sampled to say so."""
    return not s.hides_spread or bool(varies(*post.interval(0.95)))


def varies(low: Any, high: Any) -> Any:
    """Return whether intervals are longer than rounding makes them."""
    return high - low > _SAME * (0.1 + np.maximum(np.abs(low), np.abs(high)))


def check_spread(s: SamplingSettings, scores: FloatArray, names: Sequence[str], what: str) -> None:
    """Refuse draws of scores, axes (draw, model), of which two differ by the same in all, if too little was sampled."""
    if not s.hides_spread:
        return
    centre = np.median(scores, axis=0)
    # Two models that always differ by the same are neighbours in any draw.
    order = np.argsort(scores[0] - centre)
    apart = np.diff((scores - centre)[:, order], axis=1)
    for i in np.flatnonzero(np.quantile(np.abs(apart), 0.95, axis=0) <= _SAME):
        a, b = sorted(order[i : i + 2], key=lambda model: float(centre[model]))
        if centre[b] - centre[a] > _SAME:
            raise _unvaried(f"{names[b]} minus {names[a]} in {in_prose(what)}", s)


def _unvaried(what: str, s: SamplingSettings) -> UndefinedScore:
    more = "folds" if s.training else plural(s.unit)
    return UndefinedScore(f"{same_everywhere(what, s)}; give more {more}")


def claim_threshold(prob: float) -> float:
    """Return the probability from which on one model is called better: that of a central interval without 0.

    Examples
    --------
    >>> claim_threshold(0.95)
    0.975
    """
    return 0.5 * (1.0 + prob)


def number_of_draws(sampling: SamplingModel, metrics: Sequence[Metric], asked: int | None) -> int:
    """Return how many draws are made and kept: as many as were asked for, else the usual number if time allows."""
    return sampling.n_draws(metrics) if asked is None else min(check_draws(asked), KEPT_DRAWS)


def warn_if_few(sampling: SamplingModel, *metrics: Metric) -> None:
    """Warn once if there are too few units to know well how much they vary."""
    if caution := next(filter(None, (few_units(sampling.settings(metric)) for metric in metrics)), ""):
        warn_caller(caution)
