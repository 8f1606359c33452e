"""Posterior distributions of the models' scores: closed forms, or draws if there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
from bayesf1.metrics import (
    Estimates,
    FMeasure,
    Metric,
    MetricLike,
    Moments,
    PairMoments,
    Proportion,
    in_prose,
)
from bayesf1.output.words.sampled import few_units, same_everywhere
from bayesf1.sampling.model import SamplingModel, SamplingSettings, sampling_model
from bayesf1.sampling.training import Contrasts

if TYPE_CHECKING:
    import pandas as pd

# With smaller shapes, quadrature in double precision loses mass at 0 or 1: with shapes of .01, P = 1/2 comes out as .5009.
_MIN_SHAPE = 0.02
# At most this many draws are kept; probabilities are counted over all of them.
KEPT_DRAWS = 1 << 20
# Equal scores differ by less than this, by rounding alone.
_ROUNDING = 1e-9


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
        the default of folds. If every item has one of several classes, it is the number of items that the prior adds to
        each class. The share of these items that are right is centred on the model's accuracy, which itself has
        Jeffreys' prior.
    assumption
        ``"auto"`` respects clusters if units are clusters; ``"independent"`` and ``"paired"`` take single
        items as units.
    target
        ``"models"`` or ``"method"``, as in `compare`; a method's score is the mean of its runs' or folds' scores.
    n_draws
        Number of draws, if draws are needed; by default 100,000, or as few as 2,000 if there are many units.
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
    from_own_folds = target == "method" and ev.folds is not None
    if model not in ev.names or from_own_folds:
        # A run then counts as a model by itself, and a method's spread is estimated from its own folds.
        ev = ev.select([model])
    sampling = sampling_model(ev, assumption, target, prior)
    by_score = posteriors(sampling, [metric], n_draws, rng)
    if (model, metric.name) not in by_score:
        # The model is selected alone, so that the error is about it; neither plain scores nor settings depend on the
        # prior.
        alone = sampling_model(ev.select([model]), assumption, target)
        place = "" if alone.training_variance is None else " in a fold"
        # This raises if the score is undefined; otherwise the score has no posterior because it does not vary.
        defined_scores(alone.ev, metric, place, alone.plain(metric))
        raise unvaried(f"{in_prose(metric.label)} of {model}", alone.settings(metric))
    return by_score[model, metric.name]


def posteriors(
    sampling: SamplingModel, metrics: Sequence[Metric], n_draws: int | None, rng: RNGLike
) -> dict[tuple[str, str], Posterior]:
    """Return posteriors of all defined scores, by model and metric; scores without a closed form share draws.

    A score that is the same in all folds, or on all units if there are only a few, has no posterior either.
    """
    n_draws = number_of_draws(sampling, metrics, n_draws)
    warn_if_few(sampling, *metrics)
    by_score = {}
    for of_metric in score_posteriors(sampling, metrics, n_draws, rng):
        metric = of_metric.metric
        settings = sampling.settings(metric)
        for i, (model, score) in enumerate(zip(sampling.ev.names, sampling.plain(metric), strict=True)):
            post = of_metric.score(i)
            if not np.isnan(score) and shows_spread(settings, post):
                by_score[model, metric.name] = post
    return by_score


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
    sampling = sampling_model(ev, assumption, target, prior)
    by_score = posteriors(sampling, metrics, n_draws, rng)
    tail = 50.0 * (1.0 - prob)
    columns = ["mean", "sd", f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"]
    rows = {score: (post.mean(), post.std(), *post.hdi(prob)) for score, post in by_score.items()}
    names = [metric.name for metric in metrics]
    index = pd.MultiIndex.from_product([ev.names, names], names=["model", "metric"])
    unknown = (np.nan,) * len(columns)
    values = [rows.get(score, unknown) for score in index]
    return pd.DataFrame(values, index, columns).rename(index=cleaned)


class Posteriors(NamedTuple):
    """The posteriors of the scores of two models, and of their difference, B minus A."""

    a: Posterior
    b: Posterior
    difference: Posterior

    def estimates(self, metric: Metric, values: tuple[float, float, float], prob: float) -> Estimates:
        """Return the printed values of both scores and of the difference, with their intervals."""
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
    """The posteriors of the scores of all models, or methods, by one metric: in closed form if there is one, else by draws.

    Attributes
    ----------
    sampling, metric
        The sampling model, with its prior, and the metric.
    draws
        Joint draws of the scores, axes (draw, name); None if they are not needed, or not yet made.
    """

    sampling: SamplingModel
    metric: Metric
    draws: FloatArray | None = None

    @cached_property
    def exact(self) -> list[Posterior | None]:
        """The closed forms of the scores; None for each that has none."""
        ev = self.sampling.ev
        contrasts = self._contrasts
        if contrasts is not None:
            return [
                contrasts.distribution(weights, self.metric.support) for weights in np.eye(len(ev.models))
            ]
        if not self.sampling.closed:
            return [None for _ in ev.names]
        return [distribution_of(self.metric, ev, i, self.sampling.prior) for i in range(len(ev.names))]

    @cached_property
    def _contrasts(self) -> Contrasts | None:
        """The t distribution of the scores of methods, if folds alone show how they vary."""
        trained = self.sampling.training_variance
        if trained is None or trained.mixed:
            return None
        return trained.contrasts(self.metric)

    def score(self, i: int) -> Posterior:
        """Return the posterior of one of the scores."""
        exact = self.exact[i]
        if exact is not None:
            return exact
        assert self.draws is not None
        return EmpiricalPosterior.clipped(self.draws[:, i], self.metric.support)

    @property
    def exact_pair(self) -> Posteriors | None:
        """The posteriors of the first two scores and of their difference without draws, or None."""
        a, b = self.exact[:2]
        if a is None or b is None:
            return None
        contrasts = self._contrasts
        if contrasts is not None:
            return Posteriors(a, b, contrasts.distribution([-1.0, 1.0], self.metric.difference_support))
        if self.sampling.shared:
            return None
        assert isinstance(a, UnitDistribution)
        assert isinstance(b, UnitDistribution)
        return Posteriors(a, b, Difference(a, b))

    def pair(self, differences: FloatArray) -> Posteriors:
        """Return the posteriors of the first two scores, and of their difference as it was drawn."""
        drawn = EmpiricalPosterior.clipped(differences, self.metric.difference_support)
        return Posteriors(self.score(0), self.score(1), drawn)


def score_posteriors(
    sampling: SamplingModel, metrics: Sequence[Metric], n_draws: int, rng: RNGLike
) -> list[ScorePosterior]:
    """Return the posteriors of the scores by each metric; scores without closed forms share draws."""
    by_metric = {metric.name: ScorePosterior(sampling, metric) for metric in metrics}
    to_draw = [metric for metric in metrics if None in by_metric[metric.name].exact]
    if to_draw:
        drawn = sampling.scores(to_draw, n_draws=n_draws, rng=check_rng(rng))
        for metric, draws in zip(to_draw, drawn, strict=True):
            by_metric[metric.name] = ScorePosterior(sampling, metric, draws)
    return [*by_metric.values()]


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
            a = total(successes)
            b = total(failures)
            return Beta(a, b) if min(a, b) >= _MIN_SHAPE else None
        case FMeasure(beta, tp_cells, fp_cells, fn_cells):
            tp = total(tp_cells)
            fp = total(fp_cells)
            fn = total(fn_cells)
            return FScore(tp, fp, fn, beta) if min(tp, fp + fn) >= _MIN_SHAPE else None
    return None


def shows_spread(s: SamplingSettings, post: Posterior) -> bool:
    """Return whether a score varies, or enough was sampled to say that it does not."""
    if not s.hides_spread:
        return True
    low, high = post.interval(0.95)
    return bool(varies(low, high))


def varies(low: Any, high: Any) -> Any:
    """Return whether intervals are longer than rounding alone makes them."""
    # Rounding is relative to the ends, or to 0.1 if both are near 0.
    return high - low > _ROUNDING * (0.1 + np.maximum(np.abs(low), np.abs(high)))


def check_spread(s: SamplingSettings, scores: FloatArray, names: Sequence[str], what: str) -> None:
    """Refuse scores if too little was sampled and two of them differ by the same amount in nearly all draws.

    Parameters
    ----------
    s
        What was sampled.
    scores, names
        Draws of the scores, axes (draw, model), and the names of the models.
    what
        The metric, in words.
    """
    if not s.hides_spread:
        return
    centre = np.median(scores, axis=0)
    deviations = scores - centre
    # Two models that always differ by the same amount are neighbours in any draw.
    order = np.argsort(deviations[0])
    gaps = np.abs(np.diff(deviations[:, order], axis=1))
    for i in np.flatnonzero(np.quantile(gaps, 0.95, axis=0) <= _ROUNDING):
        worse, better = sorted(order[i : i + 2], key=lambda model: float(centre[model]))
        if centre[better] - centre[worse] > _ROUNDING:
            raise unvaried(f"{names[better]} minus {names[worse]} in {in_prose(what)}", s)


def unvaried(what: str, s: SamplingSettings) -> UndefinedScore:
    """Return the error for a score, in words, that does not vary over the few units or folds."""
    more = "folds" if s.training else plural(s.unit)
    return UndefinedScore(f"{same_everywhere(what, s)}; give more {more}")


def number_of_draws(sampling: SamplingModel, metrics: Sequence[Metric], asked: int | None) -> int:
    """Return how many draws are made and kept: those asked for, else the usual number, or fewer if these take too long."""
    if asked is None:
        return sampling.n_draws(metrics)
    return min(check_draws(asked), KEPT_DRAWS)


def warn_if_few(sampling: SamplingModel, *metrics: Metric) -> None:
    """Warn once if there are too few units to show well how much they vary."""
    for metric in metrics:
        caution = few_units(sampling.settings(metric))
        if caution:
            warn_caller(caution)
            return
