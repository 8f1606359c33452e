r"""Which of two models' outputs was preferred: wins, losses and ties of pairs, and the strengths behind them.

In the model of Bradley and Terry with Davidson's ties, model i with strength :math:`\pi_i` is preferred to j, and both tie,
with probabilities

.. math:: \frac{\pi_i}{\pi_i + \pi_j + \nu\sqrt{\pi_i\pi_j}}, \qquad
          \frac{\nu\sqrt{\pi_i\pi_j}}{\pi_i + \pi_j + \nu\sqrt{\pi_i\pi_j}}.

A model's score is how probably it is preferred to another one drawn at random, ties aside: the mean of
:math:`\pi_i / (\pi_i + \pi_j)`. Of two models that is the share of wins among wins and losses, a Beta law.

What is known of a model is known beside all others, so that the table of each holds every pair, seen from that model: it
is number 0, the next one number 1, and so on around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import nearest
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.metric import Metric, MetricLike, metric_of, ratio
from bayesf1.kinds.draws import draw_bootstrap

if TYPE_CHECKING:
    from bayesf1.evaluation.under import Under

MEASURES = ("preference", "win_rate")
_ROUNDS = 60
# Logarithms of strengths beyond this are as good as infinite.
_FARTHEST = 20.0


@dataclass(frozen=True)
class Preferences(Kind):
    """Wins, ties and losses of pairs of models.

    Attributes
    ----------
    names
        Names of all models that were compared.
    """

    name: ClassVar[str] = "preferences"
    separable: ClassVar[bool] = False
    citation: ClassVar[str] = "the Bradley–Terry model with ties of Davidson (1970, JASA 65, 317–328)"

    names: tuple[str, ...]

    @cached_property
    def cells(self) -> tuple[str, ...]:  # type: ignore[override]
        """Outcomes of every pair, of which 0 is the model that the table is of."""
        return tuple(f"{i}{how}{j}" for i, j in self.pairs for how in ">=<")

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Numbers of the models of every pair."""
        return list(combinations(range(len(self.names)), 2))

    def seen_from(self, model: str) -> NDArray[np.intp]:
        """Return where a model's table has its cells among those that are seen from the first model."""
        k, own = len(self.names), self.names.index(model)
        place = {pair: 3 * i for i, pair in enumerate(self.pairs)}
        found = []
        for i, j in self.pairs:
            a, b = (own + i) % k, (own + j) % k
            cells = [place[min(a, b), max(a, b)] + step for step in range(3)]
            found += cells if a < b else cells[::-1]
        return np.array(found, dtype=np.intp)

    def keep(self, cells: tuple[str, ...]) -> Self:
        """Refuse: strengths need all outcomes."""
        raise ValueError(
            f"strengths need the outcomes of all pairs, but {', '.join(cells[:3])} alone was asked for"
        )

    def check(self, models: Sequence[str], tables: FloatArray) -> None:
        """Raise a ValueError where names come twice, or a model is none of them."""
        if len(self.names) < 2 or len({*self.names}) < len(self.names) or not {*models} <= {*self.names}:
            raise ValueError(f"names must be those of all models, each once, not {self.names!r:.60}")

    # ---- measures -----------------------------------------------------------------------------------------

    @property
    def default_metrics(self) -> tuple[str, ...]:
        """How probably a model is preferred to another."""
        return ("preference",)

    def measure(self, asked: MetricLike, tables: FloatArray) -> Metric:
        """Return the preference by strengths, the plain rate of wins, or a function of tables."""
        if not isinstance(asked, str):
            return metric_of(asked)
        name = asked.strip().lower().replace("-", "_").replace(" ", "_")
        if name not in MEASURES:
            raise ValueError(f"unknown metric {asked!r} of preferences; {nearest(asked, MEASURES)}")
        if name == "preference":
            return Metric(name, "Preference", self.cells, None, self._preference)
        return Metric(name, "Win rate", self.cells, None, self._win_rate)

    def _preference(self, tables: FloatArray) -> FloatArray:
        strengths = log_strengths(tables, len(self.names))
        return np.asarray((1.0 / (1.0 + np.exp(strengths[..., 1:] - strengths[..., :1]))).mean(axis=-1))

    def _win_rate(self, tables: FloatArray) -> FloatArray:
        """Wins and half the ties of all that a model was in."""
        own = tables[..., : 3 * (len(self.names) - 1)]
        wins, ties, losses = (own[..., i::3].sum(axis=-1) for i in range(3))
        return ratio(wins + 0.5 * ties, wins + ties + losses)

    # ---- prior and posterior ------------------------------------------------------------------------------

    def cell_priors(self, prior: float) -> float:
        """Return what a prior adds to each outcome of a pair: λ for each outcome that a model can have."""
        return prior / (len(self.names) - 1)

    def describe_prior(self, prior: float) -> str:
        """Say what was believed before the data."""
        shared = f", shared by {len(self.names) - 1} opponents" if len(self.names) > 2 else ""
        return f"Dirichlet({prior:g}) prior of wins, ties and losses{shared}"

    def draw(
        self, under: Under, *, prior: float, n_draws: int, rng: np.random.Generator
    ) -> Iterator[FloatArray]:
        """Yield draws: weights of what was judged, and of the prior's outcomes, the same for all models."""
        ev = under.ev
        frames = np.stack([self.seen_from(model) for model in ev.models])
        least = self.cell_priors(prior)
        for tables in draw_bootstrap(under, n_draws=n_draws, rng=rng):
            if under.shared:
                yield tables + rng.standard_gamma(least, (len(tables), len(self.cells)))[:, frames]
            else:
                yield tables + rng.standard_gamma(least, tables.shape)

    def default_draws(self, under: Under) -> int:
        """Return fewer draws where there are many strengths to fit."""
        return int(np.clip(4e7 // len(self.names) ** 4, 2000, 20_000))

    def notes(self, tables: FloatArray) -> tuple[str, ...]:
        """Say how ties enter, where there are some."""
        ties, judged = tables[0, 1::3].sum(), tables[0].sum()
        if not ties:
            return ()
        counted = f"{ties:,.0f} of {judged:,.0f} judgements are ties"
        meant = "a preference is how probably a model is the preferred one where one of two is preferred"
        return (f"{counted}: {meant}, and win_rate counts a tie as half a win.",)

    @property
    def about(self) -> str:
        """How many models were compared."""
        return f"preferences among {len(self.names)} models"


def log_strengths(tables: FloatArray, n_models: int) -> FloatArray:
    r"""Return the logarithms of the strengths that fit best, that of the first model 0, from outcomes (..., 3·pair).

    The likelihood is that of a multinomial logit in :math:`\log\pi` and :math:`\log\nu`, which Newton's steps climb.

    Examples
    --------
    Of two models the ratio of strengths is that of wins and losses.

    >>> np.exp(log_strengths(np.array([30.0, 5.0, 10.0]), 2)).round(6)
    array([1.        , 0.333333])
    """
    pairs = np.array(list(combinations(range(n_models), 2)))
    design = np.zeros((len(pairs), 3, n_models + 1))
    rows = np.arange(len(pairs))
    for i, side in enumerate(pairs.T):
        design[rows, 2 * i, side] = 1.0
        design[rows, 1, side] = 0.5
    design[:, 1, -1] = 1.0
    # The first strength is 1.
    design = design[:, :, 1:]
    seen = tables.reshape(-1, len(pairs), 3)
    seen = seen / np.maximum(seen.sum(axis=(1, 2), keepdims=True), 1e-300)
    games = seen.sum(axis=2)
    found = np.zeros((len(seen), n_models))
    outer = np.einsum("pcj,pck->pcjk", design, design).reshape(3 * len(pairs), -1)
    flat = design.reshape(3 * len(pairs), -1)
    ridge = 1e-9 * np.eye(n_models)
    for _ in range(_ROUNDS):
        logits = (found @ flat.T).reshape(seen.shape)
        p = np.exp(logits - logits.max(axis=2, keepdims=True))
        p /= p.sum(axis=2, keepdims=True)
        expected = games[..., None] * p
        slope = (seen - expected).reshape(len(seen), -1) @ flat
        mean = np.einsum("npc,pcj->npj", p, design)
        bend = (expected.reshape(len(seen), -1) @ outer).reshape(-1, n_models, n_models)
        bend -= np.einsum("np,npj,npk->njk", games, mean, mean, optimize=True)
        step = np.linalg.solve(bend + ridge, slope[..., None])[..., 0]
        before = found
        found = np.clip(found + np.clip(step, -2.0, 2.0), -_FARTHEST, _FARTHEST)
        if np.abs(found - before).max(initial=0.0) < 1e-10:
            break
    strengths = np.concatenate([np.zeros((len(seen), 1)), found[:, :-1]], axis=1)
    return np.asarray(strengths.reshape(*tables.shape[:-1], n_models))
