"""The random-effects model of scores: what each corpus says of all models, by its own posterior, whatever it counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, ClassVar, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest, plural
from bayesf1.distributions.random_effects import RandomEffects, robust_covariance, within
from bayesf1.evaluation import Evaluation, Task, defined_scores, resolve_metrics
from bayesf1.hierarchical import corpora as given
from bayesf1.hierarchical.corpora import Diagnostics, Fitted, HierarchicalPrior, Variables
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.arviz import dataset
from bayesf1.output.text import few_units
from bayesf1.sampling import SamplingModel, sampling_model

# Draws of one corpus' posterior for its covariance, at most and at least; draws and gamma variates for all corpora.
_MOST, _LEAST, _DRAWS, _VARIATES = 8_000, 1_000, 400_000, 40_000_000
# Numbers that the draws of all corpora, models and metrics may be, if none was asked for.
_NUMBERS = 2_000_000


@dataclass(frozen=True)
class PlainScores(Task):
    """A score for each metric; whatever the corpora count, this is what they have in common.

    Attributes
    ----------
    metrics
        The metrics, each of its own cell.

    Examples
    --------
    >>> task = PlainScores.of([Metric("f1", "F1", ("tp", "fp", "fn"), None, lambda tables: tables)])
    >>> float(task.metric("f1", np.zeros(1))(np.array([0.75]), task.cells))
    0.75
    """

    name: ClassVar[str] = "plain scores"

    metrics: tuple[Metric, ...]

    @classmethod
    def of(cls, metrics: Sequence[Metric]) -> Self:
        """Return the task of the scores of some metrics of anything."""
        unknown: dict[str, Any] = dict.fromkeys(("distribution", "origin", "parts", "weigh"))
        return cls(
            tuple(replace(m, needs=(m.name,), function=itemgetter((..., 0)), **unknown) for m in metrics)
        )

    @property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the metrics."""
        return tuple(metric.name for metric in self.metrics)

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """All metrics."""
        return self.cells

    def metric(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the metric of a name."""
        for metric in self.metrics:
            if asked in (metric, metric.name):
                return metric
        raise ValueError(f"unknown metric {asked!r}; {nearest(str(asked), self.cells)}")

    def draw(
        self, sampling: SamplingModel, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Refuse: of a plain score nothing is known but itself."""
        raise ValueError("plain scores have no draws of their own; those of the fit are fit.to_arviz()")


def fit_scores(
    data: Evaluation | Mapping[str, Evaluation],
    metrics: MetricLike | Sequence[MetricLike] | None,
    prior: HierarchicalPrior,
    *,
    assumption: str,
    weights: Mapping[str, float],
    draws: int | None,
    chains: int,
    rng: np.random.Generator,
) -> Fitted:
    """Fit the random-effects model of scores; draws are independent, and `chains` only how they are kept."""
    noun, evaluations = given.read_corpora(data)
    taken = {name: sampling_model(ev, assumption) for name, ev in evaluations.items()}
    found = {name: resolve_metrics(metrics, sampling.ev) for name, sampling in taken.items()}
    common, names = _common(found, taken), tuple(taken)
    size = sum(1 if u.ev.units is None else u.ev.units.n_patterns for u in taken.values())
    n_pilot = int(np.clip(min(_VARIATES // size, _DRAWS // len(taken)), _LEAST, _MOST))
    parts = [_summary(taken[n], found[n], prior.cells, n_pilot, rng, f" on {noun} {n!r}") for n in names]
    plain, centres, covariances = (np.stack(column) for column in zip(*parts, strict=True))
    task = PlainScores.of(common)
    ev = Evaluation(next(iter(evaluations.values())).names, task, plain)
    shares = np.array([*given.suite_weights(weights, names).values()])
    n = chains * (draws or int(np.clip(_NUMBERS // (chains * plain.size), 500, 5000)))
    scores, spreads = [], []
    for k, metric in enumerate(common):
        centre, covariance = centres[..., k], covariances[..., k]
        # What a prior's scale is a multiple of: 1 for shares, else the largest score.
        unit = max(1.0, float(np.abs(plain[..., k]).max()))
        scales = (unit * prior.spread, unit * prior.difficulty)
        effects = RandomEffects(centre, covariance, *scales, tails=prior.tails).draw(n, rng)
        # Of a suite nothing is shrunk.
        spread = np.tensordot(np.square(shares), covariance, axes=1)
        suite = rng.multivariate_normal(shares @ centre, spread, n, method="eigh")
        drawn = (effects.average, effects.new, suite, *np.moveaxis(effects.each, 1, 0))
        scores.append(np.stack([within(each, metric.support) for each in drawn], axis=-1))
        spreads.append((effects.spread, effects.difficulty))

    def chained(found: FloatArray) -> FloatArray:
        return found.reshape(chains, -1, *found.shape[1:])

    tau, tau_c = (chained(x.T) for x in np.moveaxis(np.array(spreads), 1, 0))
    dims = ("chain", "draw", "measure")
    posterior = given.by_question(ev.models, chained(np.stack(scores, axis=2)))
    posterior |= {"spread": (dims, tau), "difficulty": (dims, tau_c)}
    observed: Variables = {"score": (("dataset", "system", "measure"), plain)}
    coords = given.coords_of(ev.models, ev.cells, names)
    assumptions = {sampling.assumption for sampling in taken.values()}
    words = [_WORDS[each.assumption].format(plural(each.ev.unit)) for each in taken.values()]
    cautions = {name: few_units(each.settings(found[name][-1])) for name, each in taken.items()}
    few = [name for name, caution in cautions.items() if caution]
    return Fitted(
        groups={"posterior": dataset(posterior, coords), "observed_data": dataset(observed, coords)},
        ev=ev,
        metrics=task.metrics,
        datasets=names,
        noun=noun,
        assumption=assumptions.pop() if len(assumptions) == 1 else "independent",
        within=f"models {' or '.join(dict.fromkeys(words))} within {plural(noun)}",
        diagnostics=Diagnostics("grid", n, chains, n),
        note=f"on {listing(few, most=5)}: {cautions[few[0]].removesuffix('.')}" if few else "",
    )


def _summary(
    sampling: SamplingModel,
    metrics: Sequence[Metric],
    prior: float | None,
    n_draws: int,
    rng: np.random.Generator,
    where: str,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return plain scores (model, metric), and medians and covariances (model, model, metric) of their posteriors.

    A plain score near 1 comes with a small variance, one below with a larger, so that plain scores of many small
    corpora would add up to too high an average.
    """
    ev = sampling.ev
    blocks = sampling.scores(metrics, prior=ev.check_prior(prior), n_draws=n_draws, rng=rng)
    drawn = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    found = (
        [ev.mean_scores(defined_scores(ev, metric, where)) for metric in metrics],
        [np.median(each, axis=0) for each in drawn],
        [robust_covariance(each) for each in drawn],
    )
    plain, centre, covariance = (np.stack(each, axis=-1) for each in found)
    return plain, centre, covariance


def _common(found: Mapping[str, list[Metric]], taken: Mapping[str, SamplingModel]) -> list[Metric]:
    """Return the metrics, which must be the same on all corpora."""
    first_name, first = next(iter(found.items()))
    for name, own in found.items():
        if [(m.name, m.label, m.percent) for m in own] != [(m.name, m.label, m.percent) for m in first]:
            raise ValueError(
                f"the metrics of corpus {name!r} are {listing(m.label for m in own)}, but those of {first_name!r} are "
                f"{listing(m.label for m in first)}; name those that all have, on one scale"
            )
    bootstrapped = any(sampling.ev.task.bootstraps_items for sampling in taken.values())
    metrics = []
    for alike in zip(*found.values(), strict=True):
        low, high = min(m.support[0] for m in alike), max(m.support[1] for m in alike)
        if bootstrapped:
            # The scores that occurred are no limits of those that may.
            low, high = (0.0, 1.0) if alike[0].percent else (0.0 if low >= 0.0 else -np.inf, np.inf)
        metrics.append(replace(alike[0], support=(low, high)))
    return metrics


_WORDS = {
    "independent": "taken as independent",
    "paired": "paired on items",
    "clustered": "paired on {} as units",
}
