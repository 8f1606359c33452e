"""The random-effects model of scores: what each corpus says of all models, by its own posterior, whatever it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import listing, nearest, plural
from bayesf1.distributions.random_effects import RandomEffects, robust_covariance, within
from bayesf1.evaluation import Evaluation, Task, resolve_metrics
from bayesf1.hierarchical import corpora as given
from bayesf1.hierarchical.corpora import Diagnostics, Fitted, HierarchicalPrior, Variables
from bayesf1.metrics import Metric, MetricLike
from bayesf1.output.arviz import dataset
from bayesf1.output.text import few_units
from bayesf1.sampling import ASSUMPTIONS, SamplingModel, sampling_model

if TYPE_CHECKING:
    import xarray as xr

# Draws of one corpus' posterior for its covariance, at most and at least; draws and gamma variates for all corpora.
_MOST, _LEAST, _DRAWS, _VARIATES = 8_000, 1_000, 400_000, 40_000_000
# Numbers that the draws of all corpora, models and metrics may be, if none was asked for.
_NUMBERS = 2_000_000
# Predictions are for looking at; more draws of each chain would only take room.
_PREDICTED = 500


def _itself(tables: FloatArray) -> FloatArray:
    return tables[..., 0]


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
        plain: dict[str, Any] = {"distribution": None, "function": _itself, "origin": None}
        return cls(tuple(replace(m, needs=(m.name,), **plain) for m in metrics))

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
        raise ValueError("plain scores have no posterior of their own; ask the fit that holds them")

    @property
    def about(self) -> str:
        """What the scores are."""
        return f"plain scores ({', '.join(m.label for m in self.metrics)})"


def metrics_of(ev: Evaluation) -> tuple[Metric, ...]:
    """Return the metrics of plain scores."""
    assert isinstance(ev.task, PlainScores)
    return ev.task.metrics


class CorpusScores(NamedTuple):
    """What several corpora say of the same models.

    Attributes
    ----------
    ev
        The plain scores, an evaluation of axes (corpus, model, metric).
    centres, covariances
        Medians of the posteriors of the models' scores, axes (corpus, model, metric), and their covariances, axes
        (corpus, model, model, metric). A plain score near 1 comes with a small variance, one below with a larger, so
        that plain scores of many small corpora would add up to too high an average.
    taken, noun
        The corpora by name, under what was assumed of them, and what one is called.
    notes
        What should be known of the data.
    """

    ev: Evaluation
    centres: FloatArray
    covariances: FloatArray
    taken: Mapping[str, SamplingModel]
    noun: str
    notes: Sequence[str]


def read_scores(
    data: Evaluation | Mapping[str, Evaluation],
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    assumption: str = "auto",
    prior: float | None = None,
    rng: np.random.Generator,
) -> CorpusScores:
    """Return what corpora, or the folds of one evaluation, say of their models.

    Parameters
    ----------
    data
        Evaluations of the same models by name, of any kinds that have the metrics; or one of folds.
    metrics
        Names of metrics, or callables; those of the first corpus by default.
    assumption
        What is assumed of the models within a corpus, as in `compare`; or ``"items"``, for single items.
    prior
        λ of the Dirichlet prior on the cells of each corpus' tables.
    rng
        The source of randomness.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> found = read_scores(load_example("wang-li-org"), "f1", rng=np.random.default_rng(1))
    >>> found.ev.tables.shape, found.covariances.shape
    ((6, 2, 1), (6, 2, 2, 1))
    """
    if isinstance(data, Mapping):
        noun, evaluations = "corpus", given.check_corpora(data)
    else:
        noun, names, tables = given.parts_of(data)
        parts = zip(names, tables, strict=True)
        evaluations = {name: Evaluation(data.models, data.task, table.copy()) for name, table in parts}
    taken = {name: _under(ev, assumption) for name, ev in evaluations.items()}
    found = {name: resolve_metrics(metrics, sampling.ev) for name, sampling in taken.items()}
    common, notes = _common(found, taken)
    size = sum(1 if u.ev.units is None else u.ev.units.n_patterns for u in taken.values())
    n_draws = int(np.clip(min(_VARIATES // size, _DRAWS // len(taken)), _LEAST, _MOST))
    scores, centres, covariances = [], [], []
    for name, sampling in taken.items():
        weight = sampling.ev.check_prior(prior)
        blocks = list(sampling.scores(found[name], prior=weight, n_draws=n_draws, rng=rng))
        drawn = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        centres.append(np.stack([np.median(each, axis=0) for each in drawn], axis=-1))
        covariances.append(np.stack([robust_covariance(each) for each in drawn], axis=-1))
        plain = [sampling.ev.mean_scores(m(sampling.ev.tables, sampling.ev.cells)) for m in found[name]]
        scores.append(np.stack(plain, axis=-1))
    models = next(iter(evaluations.values())).names
    ev = Evaluation(models, PlainScores.of(common), np.stack(scores))
    notes += _cautions(taken, found)
    return CorpusScores(ev, np.stack(centres), np.stack(covariances), taken, noun, notes)


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
    corpora = read_scores(data, metrics, assumption=assumption, prior=prior.cells, rng=rng)
    n = chains * (draws or int(np.clip(_NUMBERS // (chains * corpora.ev.tables.size), 500, 5000)))
    names, kinds = tuple(corpora.taken), {sampling.assumption for sampling in corpora.taken.values()}
    return Fitted(
        datasets=names,
        noun=corpora.noun,
        ev=corpora.ev,
        groups=_groups(corpora, prior, n, chains, given.suite_weights(weights, names), rng),
        diagnostics=Diagnostics("grid", n, chains, n, n),
        assumption=kinds.pop() if len(kinds) == 1 else "independent",
        within=_within(corpora.taken, plural(corpora.noun)),
        note="; ".join(corpora.notes),
    )


def suite_draws(
    known: xr.Dataset, metrics: Sequence[Metric], weights: FloatArray, lead: tuple[int, ...]
) -> FloatArray:
    """Return draws of the weighted mean over the corpora, of which nothing is shrunk, axes (*lead, model, metric)."""
    mean = np.tensordot(weights, known["centre"].values, axes=1)
    spread = np.tensordot(np.square(weights), known["covariance"].values, axes=1)
    # The same draws each time that the fit is asked.
    rng = np.random.default_rng(0)
    found = []
    for k, metric in enumerate(metrics):
        drawn = rng.multivariate_normal(mean[:, k], spread[..., k], lead, method="eigh")
        found.append(within(drawn, metric.support))
    return np.stack(found, axis=-1)


def _groups(
    corpora: CorpusScores,
    prior: HierarchicalPrior,
    n: int,
    chains: int,
    weights: Mapping[str, float],
    rng: np.random.Generator,
) -> dict[str, xr.Dataset]:
    """Draw from the posterior of each metric, and return everything by ArviZ's names of groups."""
    metrics, models = metrics_of(corpora.ev), corpora.ev.models
    # What a prior's scale is a multiple of: 1 for shares, else the largest score.
    units = [max(1.0, float(np.abs(corpora.ev.tables[..., k]).max())) for k in range(len(metrics))]
    effects = []
    for k, (metric, unit) in enumerate(zip(metrics, units, strict=True)):
        scales = {"spread": unit * prior.spread, "difficulty": unit * prior.difficulty, "tails": prior.tails}
        drawn = RandomEffects(corpora.centres[..., k], corpora.covariances[..., k], **scales).draw(n, rng)
        average, new, each = (within(x, metric.support) for x in drawn[:3])
        effects.append(drawn._replace(average=average, new=new, each=each))

    def stacked(field: str) -> FloatArray:
        found = np.stack([getattr(e, field) for e in effects], axis=-1)
        return found.reshape(chains, -1, *found.shape[1:])

    def before(scale: float) -> FloatArray:
        drawn = np.abs(rng.standard_t(prior.tails, size=(1, _PREDICTED, len(units))))
        return np.asarray(scale * drawn * units)

    each = stacked("each")
    predicted = min(_PREDICTED, each.shape[1])
    roots, turn = np.linalg.eigh(np.moveaxis(corpora.covariances, -1, 0))
    z = rng.standard_normal((chains, predicted, *roots.shape)) * np.sqrt(np.maximum(roots, 0.0))
    noise = np.moveaxis((turn @ z[..., None])[..., 0], 2, -1)
    lead, of_corpora = ("chain", "draw"), ("dataset", "system", "measure")
    # With one model there is no difference that could vary.
    spreads = ("difficulty",) if len(models) == 1 else ("spread", "difficulty")
    coords = {**given.coords_of(models, corpora.ev.cells, tuple(weights)), "opponent": models}
    constant: Variables = {
        "centre": (of_corpora, corpora.centres),
        "covariance": (("dataset", "system", "opponent", "measure"), corpora.covariances),
    }
    groups = {"constant_data": dataset(constant, coords)}
    suite = suite_draws(groups["constant_data"], metrics, np.array([*weights.values()]), each.shape[:2])
    scores = given.by_question(models, [stacked("average"), stacked("new"), suite, *np.moveaxis(each, 2, 0)])
    variables: dict[str, Variables] = {
        "posterior": scores | {name: ((*lead, "measure"), stacked(name)) for name in spreads},
        "posterior_predictive": {"score": ((*lead, *of_corpora), each[:, :predicted] + noise)},
        "log_likelihood": {"score": ((*lead, "dataset", "measure"), stacked("log_likelihood"))},
        "prior": {name: ((*lead, "measure"), before(getattr(prior, name))) for name in spreads},
        "observed_data": {"score": (of_corpora, corpora.ev.tables.copy())},
    }
    return groups | {name: dataset(found, coords) for name, found in variables.items()}


def _under(ev: Evaluation, assumption: str) -> SamplingModel:
    """Return a corpus under an assumption; ``"items"`` takes single items, paired if they are known of all models."""
    known = (*ASSUMPTIONS, "items")
    if assumption not in known:
        raise ValueError(f"unknown assumption {assumption!r}; {nearest(str(assumption), known)}")
    if assumption == "items":
        single = sampling_model(ev).single or ev.items is not None
        assumption = "paired" if single and ev.units is not None and ev.units.shared else "independent"
    return sampling_model(ev, assumption)


def _common(
    found: Mapping[str, list[Metric]], taken: Mapping[str, SamplingModel]
) -> tuple[list[Metric], list[str]]:
    """Return the metrics that all corpora have, and what is to be said where a name means several things."""
    first_name, first = next(iter(found.items()))
    metrics, notes = [], []
    for name, own in found.items():
        if [m.name for m in own] != [m.name for m in first]:
            raise ValueError(
                f"the usual metrics of corpus {name!r} are {listing(m.name for m in own)}, but those of "
                f"{first_name!r} are {listing(m.name for m in first)}; name those that all have"
            )
    bootstrapped = any(sampling.ev.task.bootstraps_items for sampling in taken.values())
    for alike in zip(*found.values(), strict=True):
        metric, label = alike[0], alike[0].label
        labels = {m.label: name for name, m in reversed([*zip(found, alike, strict=True)])}
        if len(labels) > 1:
            label = metric.name
            means = ", ".join(f"{each} on {name}" for each, name in reversed(labels.items()))
            notes.append(f"{label} is not the same on all corpora ({means})")
        if len({m.percent for m in alike}) > 1:
            raise ValueError(
                f"{metric.name} is a share on some corpora and none on others; bring their scores to one scale"
            )
        low, high = min(m.support[0] for m in alike), max(m.support[1] for m in alike)
        if bootstrapped:
            # The scores that occurred are no limits of those that may.
            low, high = (0.0, 1.0) if metric.percent else (0.0 if low >= 0.0 else -np.inf, np.inf)
        metrics.append(replace(metric, label=label, support=(low, high)))
    return metrics, notes


_WORDS = {
    "independent": "models taken as independent",
    "paired": "models paired on items",
    "clustered": "models paired on {units} as units",
}


def _within(taken: Mapping[str, SamplingModel], nouns: str) -> str:
    """Say what was assumed of the models within the corpora."""
    if len(next(iter(taken.values())).ev.models) == 1:
        return "one model"
    kinds = Counter(_WORDS[each.assumption].format(units=plural(each.ev.unit)) for each in taken.values())
    if len(kinds) == 1:
        return f"{next(iter(kinds))} within {nouns}"
    return ", ".join(f"{words} within {n} of the {nouns}" for words, n in kinds.items())


def _cautions(taken: Mapping[str, SamplingModel], found: Mapping[str, list[Metric]]) -> list[str]:
    """Say where there are too few units to know well how much they vary."""
    cautions = {name: few_units(sampling.settings(found[name][-1])) for name, sampling in taken.items()}
    few = [name for name, caution in cautions.items() if caution]
    if not few:
        return []
    more = f" (and likewise on {listing(few[1:], most=5)})" if few[1:] else ""
    first = cautions[few[0]].removesuffix(".")
    return [f"on {few[0]}, {first[0].lower()}{first[1:]}{more}"]
