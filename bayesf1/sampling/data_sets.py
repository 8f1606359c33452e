"""Several data sets as the units that were sampled: a random-effects model of the scores on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.distributions.random_effects import DIFFICULTY, SCALE, RandomEffects, robust_covariance
from bayesf1.evaluation import Evaluation
from bayesf1.metrics import Metric

if TYPE_CHECKING:
    from bayesf1.sampling.model import SamplingModel

# The number of draws of the scores on each data set, for their covariance.
_PILOT = 4_000
# Scores are printed to a tenth of a point; such rounding has this standard deviation.
_ROUNDED = 3e-4


class ScoreEstimates(NamedTuple):
    """Estimates of the models' scores on several data sets, axes (data set, model), and the covariances of each."""

    centres: FloatArray
    covariances: FloatArray


def random_effects_of(
    parts: Sequence[SamplingModel], metric: Metric, rng: np.random.Generator
) -> RandomEffects:
    """Return the random-effects model of the scores by a metric on several data sets, each with its own covariance."""
    centres, covariances = estimates_of(parts, metric, rng)
    # Scores beyond 1, such as losses, have wider priors in proportion.
    unit = max(1.0, float(np.abs(centres).max()))
    spread = unit * SCALE
    difficulty = unit * DIFFICULTY
    return RandomEffects(centres, covariances, spread=spread, difficulty=difficulty, tails=1.0, own_mean=True)


def estimates_of(parts: Sequence[SamplingModel], metric: Metric, rng: np.random.Generator) -> ScoreEstimates:
    """Return the scores by a metric on several data sets, with the covariance of each, to which rounding is added."""
    centres = []
    covariances = []
    run_variances = _pooled_run_variances([part.ev for part in parts], metric)
    fold_covariance = _pooled_fold_covariance(parts, metric)
    for part in parts:
        # A metric may depend on the labels of a data set.
        metric_here = part.ev.task.metric(metric.name, part.ev.tables)
        if run_variances is not None:
            n_runs = np.array([len(method.runs) for method in part.ev.methods], dtype=float)
            centres.append(part.plain(metric_here))
            covariances.append(np.diag(run_variances / n_runs))
        elif fold_covariance is not None:
            centres.append(part.plain(metric_here))
            covariances.append(fold_covariance)
        else:
            (drawn,) = part.scores([metric_here], n_draws=_PILOT, rng=rng)
            # The stretched draws of few units may have no mean.
            centres.append(np.median(drawn, axis=0))
            covariances.append(robust_covariance(drawn))
    unit = max(1.0, float(np.abs(centres).max()))
    rounding = np.square(_ROUNDED * unit) * np.eye(len(centres[0]))
    return ScoreEstimates(np.stack(centres), np.stack(covariances) + rounding)


def _pooled_run_variances(parts: Sequence[Evaluation], metric: Metric) -> FloatArray | None:
    """Return the variance of each method's final scores between its runs, pooled over all data sets.

    It is None if scores are not the final ones of runs. A few runs on one data set alone would hardly show a variance.
    """
    if any(not part.task.final or not part.methods for part in parts):
        return None
    n_methods = len(parts[0].names)
    squares = np.zeros(n_methods)
    freedom = np.zeros(n_methods)
    for part in parts:
        scores = part.scores(part.task.metric(metric.name, part.tables))
        for i, method in enumerate(part.methods):
            of_runs = scores[[part.models.index(run) for run in method.runs]]
            squares[i] += float(np.square(of_runs - of_runs.mean()).sum())
            freedom[i] += len(of_runs) - 1.0
    return np.asarray(squares / np.maximum(freedom, 1.0))


def _pooled_fold_covariance(parts: Sequence[SamplingModel], metric: Metric) -> FloatArray | None:
    """Return the covariance of mean final scores of folds, corrected as by Nadeau & Bengio, averaged over all data sets.

    It is None if scores are not the final ones of folds. On one data set alone, two models may differ equally in all folds.
    """
    covariances = []
    for part in parts:
        trained = part.training_variance
        if trained is None or not part.ev.task.final:
            return None
        contrasts = trained.contrasts(part.ev.task.metric(metric.name, part.ev.tables)).parts
        # The squared standard errors: a t distribution with this scale would have a larger variance.
        covariances.append(contrasts.T @ contrasts)
    return np.asarray(np.mean(covariances, axis=0))
