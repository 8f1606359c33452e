"""Several corpora at the level of scores: what each says of all models, by its own posterior, whatever it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.arviz_data import dataset
from bayesf1.base.naming import listing, plural
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import Metric, MetricLike
from bayesf1.evaluation.scoring import find_measures
from bayesf1.evaluation.under import Assumption, Under
from bayesf1.groups.corpora import check_corpora, parts_of, under_of
from bayesf1.groups.named_arrays import Variables
from bayesf1.groups.plain_scores import PlainScores
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.laws.random_effects import Effects, RandomEffects, robust_covariance, within

if TYPE_CHECKING:
    import xarray as xr

# Draws of one corpus' posterior for its covariance, at most and at least; draws and gamma variates for all corpora.
_MOST, _LEAST, _DRAWS, _VARIATES = 8_000, 1_000, 400_000, 40_000_000
# Predictions are for looking at; more draws of each chain would only take room.
_PREDICTED = 500


@dataclass(frozen=True, eq=False)
class CorpusScores:
    """What several corpora say of the same models.

    Attributes
    ----------
    names, noun
        Names of the corpora, and what one is called.
    ev
        The plain scores, an evaluation of axes (corpus, model, measure).
    centres, covariances
        Medians of the posteriors of the models' scores, axes (corpus, model, measure), and their covariances, axes
        (corpus, model, model, measure). A plain score near 1 comes with a small variance, one below with a larger, so
        that plain scores of many small corpora would add up to too high an average.
    assumption, within
        What was assumed of the models within a corpus, where that is the same for all, and in words.
    note
        What should be known of the data.
    """

    names: tuple[str, ...]
    noun: str
    ev: Evaluation
    centres: FloatArray
    covariances: FloatArray
    assumption: Assumption
    within: str
    note: str = ""

    @property
    def measures(self) -> tuple[Metric, ...]:
        """The measures."""
        assert isinstance(self.ev.kind, PlainScores)
        return self.ev.kind.measures

    def unit(self, measure: int) -> float:
        """Return what a prior's scale is a multiple of: 1 for shares, else the largest score."""
        return max(1.0, float(np.abs(self.ev.tables[..., measure]).max()))

    def draw(self, prior: HierarchicalPrior, n: int, rng: np.random.Generator) -> list[Effects]:
        """Draw from the posterior, for each measure; scores are kept within its support."""
        found = []
        for k, measure in enumerate(self.measures):
            unit = self.unit(k)
            model = RandomEffects(
                self.centres[..., k],
                self.covariances[..., k],
                spread=unit * prior.spread,
                difficulty=unit * prior.difficulty,
                tails=prior.tails,
            )
            drawn = model.draw(n, rng)
            average, new, each = (within(x, measure.support) for x in drawn[:3])
            found.append(drawn._replace(average=average, new=new, each=each))
        return found


def read_scores(
    data: Evaluation | Mapping[str, Evaluation],
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    assumption: str = "auto",
    prior: float | None = None,
    rng: np.random.Generator,
) -> CorpusScores:
    """Return what corpora, or the folds or experiments of one evaluation, say of their models.

    Parameters
    ----------
    data
        Evaluations of the same models by name, of any kinds that have the measures; or one of folds or experiments.
    metrics
        Names of measures, or callables; those of the first corpus by default.
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
    noun, evaluations = _evaluations(data)
    taken = {name: under_of(ev, assumption) for name, ev in evaluations.items()}
    found = {name: find_measures(metrics, under.ev) for name, under in taken.items()}
    measures, notes = _common(found, taken)
    size = sum(1 if u.ev.units is None else u.ev.units.n_patterns for u in taken.values())
    n_draws = int(np.clip(min(_VARIATES // size, _DRAWS // len(taken)), _LEAST, _MOST))
    scores, centres, covariances = [], [], []
    for name, under in taken.items():
        weight = under.ev.kind.check_prior(prior)
        blocks = list(under.scores(found[name], prior=weight, n_draws=n_draws, rng=rng))
        drawn = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
        centres.append(np.stack([np.median(each, axis=0) for each in drawn], axis=-1))
        covariances.append(np.stack([robust_covariance(each) for each in drawn], axis=-1))
        plain = [under.ev.mean_scores(m(under.ev.tables, under.ev.cells)) for m in found[name]]
        scores.append(np.stack(plain, axis=-1))
    models = next(iter(evaluations.values())).names
    ev = Evaluation(models, PlainScores.of(measures), np.stack(scores))
    kinds = {under.assumption for under in taken.values()}
    return CorpusScores(
        names=tuple(evaluations),
        noun=noun,
        ev=ev,
        centres=np.stack(centres),
        covariances=np.stack(covariances),
        assumption=kinds.pop() if len(kinds) == 1 else "independent",
        within=_within(taken, plural(noun)),
        note="; ".join([*notes, *_cautions(taken, found)]),
    )


def _evaluations(data: Evaluation | Mapping[str, Evaluation]) -> tuple[str, dict[str, Evaluation]]:
    """Return what a group is called, and the groups by name."""
    if isinstance(data, Mapping):
        return "corpus", check_corpora(data)
    check_evaluation(data)
    noun, names, tables = parts_of(data)
    each = [Evaluation(data.models, data.kind, table.copy()) for table in tables]
    return noun, dict(zip(names, each, strict=True))


def _common(found: Mapping[str, list[Metric]], taken: Mapping[str, Under]) -> tuple[list[Metric], list[str]]:
    """Return the measures that all corpora have, and what is to be said where a name means several things."""
    first_name, first = next(iter(found.items()))
    measures, notes = [], []
    for name, own in found.items():
        if [m.name for m in own] != [m.name for m in first]:
            raise ValueError(
                f"the usual measures of corpus {name!r} are {listing(m.name for m in own)}, but those of "
                f"{first_name!r} are {listing(m.name for m in first)}; name those that all have"
            )
    for i, measure in enumerate(first):
        alike = [each[i] for each in found.values()]
        labels: dict[str, str] = {}
        for name, each in zip(found, alike, strict=True):
            labels.setdefault(each.label, name)
        label = measure.label if len(labels) == 1 else measure.name
        if len(labels) > 1:
            means = ", ".join(f"{label} on {name}" for label, name in labels.items())
            notes.append(f"{measure.name} is not the same on all corpora ({means})")
        percent = {m.percent for m in alike}
        if len(percent) > 1:
            raise ValueError(
                f"{measure.name} is a share on some corpora and none on others, so that their scores do not go "
                "together; bring them to one scale"
            )
        low, high = min(m.support[0] for m in alike), max(m.support[1] for m in alike)
        if any(under.ev.kind.bootstraps_items for under in taken.values()):
            # The scores that occurred are no limits of those that may.
            low, high = (0.0, 1.0) if measure.percent else (0.0 if low >= 0.0 else -np.inf, np.inf)
        measures.append(replace(measure, label=label, support=(low, high)))
    return measures, notes


_WORDS = {
    "independent": "models taken as independent",
    "paired": "models paired on items",
    "clustered": "models paired on {units} as units",
}


def _within(taken: Mapping[str, Under], nouns: str) -> str:
    """Say what was assumed of the models within the corpora."""
    if len(next(iter(taken.values())).ev.models) == 1:
        return "one model"
    told = Counter(_WORDS[under.assumption].format(units=plural(under.ev.unit)) for under in taken.values())
    if len(told) == 1:
        return f"{next(iter(told))} within {nouns}"
    return ", ".join(f"{words} within {n} of the {nouns}" for words, n in told.items())


def _cautions(taken: Mapping[str, Under], found: Mapping[str, list[Metric]]) -> list[str]:
    """Say where there are too few units to know well how much they vary."""
    told = {name: under.caution(found[name][-1]) for name, under in taken.items()}
    few = [name for name, caution in told.items() if caution]
    if not few:
        return []
    more = f" (and likewise on {listing(few[1:], most=5)})" if few[1:] else ""
    return [f"on {few[0]} {told[few[0]]}{more}"]


def spreads_of(n_models: int) -> tuple[str, ...]:
    """Return the names of the spreads that a fit has: with one model there is no difference that could vary."""
    return ("difficulty",) if n_models == 1 else ("spread", "difficulty")


def arviz_groups_of_scores(
    corpora: CorpusScores,
    effects: Sequence[Effects],
    prior: HierarchicalPrior,
    chains: int,
    rng: np.random.Generator,
) -> dict[str, xr.Dataset]:
    """Return all that ArviZ is to know of a fit of scores, by its names of groups."""
    from bayesf1 import __version__
    from bayesf1.laws.spread import Spread, log_half_t, spread_edges

    def stacked(arrays: Sequence[FloatArray], axis: int) -> FloatArray:
        found = np.stack(arrays, axis=axis)
        return found.reshape(chains, -1, *found.shape[1:])

    lead = ("chain", "draw")
    each = np.moveaxis(stacked([e.each for e in effects], -1), 2, -1)
    n = min(_PREDICTED, each.shape[1])
    roots, turn = np.linalg.eigh(np.moveaxis(corpora.covariances, -1, 0))
    z = rng.standard_normal((chains, n, *roots.shape)) * np.sqrt(np.maximum(roots, 0.0))
    noise = np.moveaxis((turn @ z[..., None])[..., 0], (2, 3), (3, 4))
    scales = [corpora.unit(k) for k in range(len(effects))]

    def before(scale: float) -> FloatArray:
        law = Spread.of(
            lambda x: log_half_t(x, scale=scale, tails=prior.tails), spread_edges(0.02 * scale, 1e4 * scale)
        )
        drawn = [unit * law.draw(_PREDICTED, rng) for unit in scales]
        return np.stack(drawn, axis=-1)[None]

    wide = (*lead, "system", "measure")
    variables: dict[str, Variables] = {
        "posterior": {
            "score": (wide, stacked([e.average for e in effects], -1)),
            "score_new": (wide, stacked([e.new for e in effects], -1)),
            "score_dataset": ((*wide, "dataset"), each),
            **{
                name: ((*lead, "measure"), stacked([getattr(e, name) for e in effects], -1))
                for name in spreads_of(len(corpora.ev.models))
            },
        },
        "posterior_predictive": {
            "score": ((*lead, "dataset", "system", "measure"), np.moveaxis(each[:, :n] + noise, -1, 2))
        },
        "log_likelihood": {
            "score": ((*lead, "dataset", "measure"), stacked([e.log_likelihood for e in effects], -1))
        },
        "prior": {
            name: ((*lead, "measure"), before(getattr(prior, name)))
            for name in spreads_of(len(corpora.ev.models))
        },
        "observed_data": {"score": (("dataset", "system", "measure"), corpora.ev.tables.copy())},
        "constant_data": {
            "centre": (("dataset", "system", "measure"), corpora.centres.copy()),
            "covariance": (("dataset", "system", "opponent", "measure"), corpora.covariances.copy()),
        },
    }
    coords = {
        "system": corpora.ev.models,
        "opponent": corpora.ev.models,
        "measure": corpora.ev.cells,
        "dataset": corpora.names,
    }
    return {
        name: dataset(found, coords, {"bayesf1_version": __version__}) for name, found in variables.items()
    }
