"""Several models and several measures in one table: rows are models, columns measures with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.answer import Answer
from bayesf1.base.checks import RNGLike, checked
from bayesf1.base.naming import joined
from bayesf1.base.references import prose
from bayesf1.base.table import Table, digits_of, interval, points, printable
from bayesf1.bayes.outside import Told, outside
from bayesf1.bayes.ranking import Ranking, rank
from bayesf1.bayes.verdict import HEADLINES
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measures


@dataclass(frozen=True, eq=False)
class Scoreboard(Answer):
    """Every model's score in every measure, with intervals; the best stands out where none is tied with it.

    Attributes
    ----------
    rankings
        The ranking of the models by each measure, by name, in order.
    """

    captioned = True
    json_format = "bayesf1.scoreboard/1"
    index_names = ("system", "metric")

    rankings: dict[str, Ranking]

    @property
    def first(self) -> Ranking:
        """The ranking by F1, or an average of it, else by the first measure; rows are in its order."""
        found = next((name for name in HEADLINES if name in self.rankings), next(iter(self.rankings)))
        return self.rankings[found]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, the best first."""
        return tuple(map(str, self.first["system"].values))

    @property
    def title(self) -> str:
        """What the table shows."""
        what = joined(str(ranking.attrs["label"]) for ranking in self.rankings.values())
        return f"{what} of {len(self.models)} systems, {100 * self.first.attrs['prob']:g} % equal-tailed credible intervals"

    @property
    def table(self) -> Table:
        """A row for each model, a column for each measure."""
        header, columns = ["System"], []
        for ranking in self.rankings.values():
            percent = bool(ranking.attrs["percent"])
            header.append(f"{ranking.attrs['label']}{' (%)' if percent else ''}")
            found = {record["system"]: record for record in ranking.records()}
            columns.append([_scored(found[name], percent=percent) for name in self.models])
        bold = frozenset(
            (self.models.index(str(ranking["system"].values[0])), j)
            for j, ranking in enumerate(self.rankings.values(), 1)
            if not ranking["tied"].values[1:].any()
        )
        rows = tuple(zip(self.models, *columns, strict=True))
        return Table(tuple(header), rows, bold=bold, note=self._note, limits=self.limits)

    @property
    def limits(self) -> tuple[str, ...]:
        """What limits the conclusion, in sentences."""
        told = (
            Told(r["system"], str(ranking.attrs["label"]), r["score"], r["low"], r["high"])
            for ranking in self.rankings.values()
            for r in ranking.records()
        )
        said = (note for ranking in self.rankings.values() for note in ranking.attrs["notes"])
        return (*dict.fromkeys(said), *outside(told))

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what was assumed, and what limits the conclusion."""
        return [self.sentence(), self.first.note(), *self.limits]

    @checked
    def sentence(self, *, format: str = "text") -> str:
        """Return the verdict in the measure that rows are sorted by, ``"text"`` or ``"latex"``."""
        return self.first.sentence(format=format)

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how the models were ranked, for a paper's section on methods, with the citation."""
        told = self.first.methods_sentence()
        label = str(self.first.attrs["label"])
        labels = joined(str(ranking.attrs["label"]) for ranking in self.rankings.values())
        return prose(
            printable(told.replace(f"ranked by {label} from", f"ranked by {labels} from", 1)), format
        )

    @property
    def _note(self) -> str:
        level = f"{self.first.attrs['threshold']:g}"
        return f"{self.first.note()} The best score in bold: better than each of the others with probability {level} or more."

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each model and measure."""
        return [
            {"system": name, "metric": metric, **{k: v for k, v in record.items() if k != "system"}}
            for name in self.models
            for metric, ranking in self.rankings.items()
            for record in ranking.records()
            if record["system"] == name
        ]


@checked
def scoreboard(
    ev: Evaluation,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    prior: float | None = None,
    prob: float = 0.95,
    assumption: str = "auto",
    target: str = "auto",
    n_draws: int | None = None,
    rng: RNGLike = None,
) -> Scoreboard:
    """Return all models and measures of an evaluation in one table, for a paper.

    A score is the plain one, its interval equal-tailed, and the best of a measure stands out where it is better than
    each of the others as surely as `compare` asks for.

    Parameters
    ----------
    ev
        The evaluation, of at least two models.
    metrics
        Names of measures, or callables on tables (..., cell); precision, recall and F1 by default.
    prior, prob, assumption, target, n_draws, rng
        As in `rank`.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> print(scoreboard(from_counts(A=(77, 44, 10), B=(83, 9, 14), C=(70, 30, 27))).table)
    System  P (%)              R (%)              F1 (%)
    ──────  ─────────────────  ─────────────────  ─────────────────
    B       90.2 [82.4, 94.7]  85.6 [77.2, 91.2]  87.8 [81.5, 91.6]
    A       63.6 [54.7, 71.7]  88.5 [80.1, 93.6]  74.0 [66.5, 79.8]
    C       70.0 [60.4, 78.1]  72.2 [62.5, 80.1]  71.1 [63.0, 77.3]
    """
    measures = find_measures(metrics, ev)
    settings: Any = {"prior": prior, "prob": prob, "assumption": assumption, "target": target}
    # The same draws for every measure, as far as a source of randomness can give them again.
    start = int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else rng
    found = {measure.name: rank(ev, measure, n_draws=n_draws, rng=start, **settings) for measure in measures}
    return Scoreboard(found)


def _scored(record: dict[str, Any], *, percent: bool) -> str:
    low, high = record["low"], record["high"]
    score = points(record["score"], digits_of(low, high, percent=percent), percent=percent)
    return f"{score} {interval(low, high, percent=percent)}"
