"""All models and measures in one DataFrame, with the columns of ArviZ's summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng, checked
from bayesf1.bayes.posterior import posteriors
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measures

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
    A      precision  0.634  0.043     0.549      0.718
           recall     0.876  0.035     0.807      0.941
           f1         0.735  0.034     0.667      0.800
    """
    import pandas as pd

    check_prob(prob)
    check_evaluation(ev)
    if ev.shape:
        raise ValueError(f"a summary shows one experiment, but the tables have leading axes {ev.shape}")
    measures = find_measures(metrics, ev)
    beliefs = posteriors(
        ev,
        measures,
        prior=ev.kind.check_prior(prior),
        assumption=assumption,
        target=target,
        n_draws=None if n_draws is None else check_draws(n_draws),
        rng=check_rng(rng),
    )
    tail = 50.0 * (1.0 - prob)
    rows = {}
    for model in ev.names:
        for measure in measures:
            post = beliefs[model, measure.name]
            rows[model, measure.name] = (post.mean(), post.std(), *post.hdi(prob))
    index = pd.MultiIndex.from_tuples(list(rows), names=["system", "metric"])
    columns = ["mean", "sd", f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"]
    return pd.DataFrame(list(rows.values()), index=index, columns=columns)
