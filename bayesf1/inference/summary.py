"""All models and measures in one DataFrame, with the columns of ArviZ's summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, checked
from bayesf1.evaluation import Evaluation, check_evaluation, resolve_metrics
from bayesf1.inference.posterior import posteriors
from bayesf1.metrics import MetricLike

if TYPE_CHECKING:
    import pandas as pd


@checked
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

    The columns are those of ``arviz.summary(kind="stats", hdi_prob=prob)``, from the closed forms wherever
    there is one.

    Parameters
    ----------
    ev
        The evaluation.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
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
    system metric
    A      precision  0.635  0.043     0.550      0.719
           recall     0.881  0.034     0.812      0.944
           f1         0.737  0.034     0.670      0.803
    """
    import pandas as pd

    check_prob(prob)
    check_evaluation(ev)
    metrics = resolve_metrics(metrics, ev)
    beliefs = posteriors(
        ev,
        metrics,
        prior=ev.check_prior(prior),
        assumption=assumption,
        target=target,
        n_draws=None if n_draws is None else check_draws(n_draws),
        rng=check_rng(rng),
    )
    tail = 50.0 * (1.0 - prob)
    rows = {}
    for model in ev.names:
        for metric in metrics:
            post = beliefs[model, metric.name]
            rows[model, metric.name] = (post.mean(), post.std(), *post.hdi(prob))
    index = pd.MultiIndex.from_tuples(list(rows), names=["system", "metric"])
    columns = ["mean", "sd", f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"]
    return pd.DataFrame(list(rows.values()), index=index, columns=columns)
