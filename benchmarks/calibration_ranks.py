"""Do rankings hold what they promise? Sets that may hold the best, and intervals of ranks.

    python benchmarks/calibration_ranks.py [--replicates 200]

Several models have normal scores on the same items. Their true means lie near each other, apart, or one is ahead. Each
data set is also put to two frequentist methods:

* Hsu's comparisons with the best (1984), by `scipy.stats.dunnett`: a model is in the set if, as the control, no other
  model is significantly better;
* ranks of Mogstad, Romano, Shaikh and Wilhelm (2024), by the largest of the studentised differences with one model in a
  bootstrap of the items.

Printed are, for each setting: how often the true best is in the set, and the size of the set; how often a rank is in its
interval, how often all of them are, and the length; and P(first) of the leader beside how often it is the best.
Seeded; some minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import stats

import bayesf1 as bf

Floats = np.ndarray
N_ITEMS = 100
STANDARD_ERROR = 1.0 / np.sqrt(N_ITEMS)


class Setting(NamedTuple):
    """True means of models, in standard errors of a mean."""

    name: str
    means: Floats


class Ranks(NamedTuple):
    """What a method says of the models: which may be the best, and ends of intervals of ranks."""

    tied: Floats
    low: Floats
    high: Floats


def settings() -> Iterator[Setting]:
    """Yield the settings; means that are near each other are quantiles of a normal distribution."""
    for k in (6, 12, 20):
        quantiles = stats.norm.ppf((np.arange(k) + 0.5) / k)
        yield Setting(f"{k} near each other", 0.3 * quantiles)
    yield Setting("12 in steps of half a standard error", 0.5 * np.arange(12))
    yield Setting("6 in steps of three standard errors", 3.0 * np.arange(6))
    yield Setting("10, one ahead by three standard errors", np.append(np.zeros(9), 3.0))


def by_package(scores: Floats, rng: np.random.Generator) -> tuple[Ranks, Floats]:
    """Return what `rank` says of scores, axes (item, model), and P(first)."""
    names = [str(i) for i in range(scores.shape[1])]
    ev = bf.from_scores(dict(zip(names, scores.T, strict=True)), name="score")
    ranking = bf.rank(ev, n_draws=4000, rng=rng)
    place = np.argsort([int(name) for name in ranking.models])
    ranks = Ranks(ranking.tied[place], ranking.rank_low[place], ranking.rank_high[place])
    return ranks, ranking.p_first[place]


def by_hsu(scores: Floats, rng: np.random.Generator) -> Floats:
    """Return which models may be the best by Dunnett's test with each as the control."""
    columns = list(scores.T)
    unbeaten = []
    for i, control in enumerate(columns):
        others = columns[:i] + columns[i + 1 :]
        p = stats.dunnett(*others, control=control, alternative="greater", rng=rng).pvalue
        unbeaten.append(p.min() > 0.025)
    return np.array(unbeaten)


def by_mogstad(scores: Floats, rng: np.random.Generator, resamples: int = 1000) -> Ranks:
    """Return intervals of ranks from a bootstrap of the largest studentised difference with each model."""
    n, k = scores.shape
    means = scores.mean(axis=0)
    weights = rng.multinomial(n, np.full(n, 1.0 / n), size=resamples) / n
    apart = weights @ scores - means
    low, high = np.empty(k, dtype=int), np.empty(k, dtype=int)
    for i in range(k):
        errors = np.std(scores - scores[:, [i]], axis=0, ddof=1) / np.sqrt(n)
        errors[i] = np.inf
        reach = np.quantile(np.abs((apart - apart[:, [i]]) / errors).max(axis=1), 0.95)
        leads = (means - means[i]) / errors
        low[i] = 1 + np.count_nonzero(leads > reach)
        high[i] = k - np.count_nonzero(leads < -reach)
    return Ranks(low == 1, low, high)


class Kept:
    """Shares of experiments in which a method's statements are true, one experiment after another."""

    def __init__(self, means: Floats) -> None:
        above = (means > means[:, None]).sum(axis=1)
        # A model that is as good as others has any of their ranks.
        self.first_rank = 1 + above
        self.last_rank = above + (means == means[:, None]).sum(axis=1)
        self.rows: list[tuple[float, ...]] = []

    def add(self, ranks: Ranks) -> None:
        """Count one experiment."""
        held = (ranks.low <= self.first_rank) & (self.last_rank <= ranks.high)
        length = ranks.high - ranks.low
        best = self.first_rank == 1
        self.rows.append((ranks.tied[best].all(), ranks.tied.sum(), held.mean(), held.all(), length.mean()))

    def __str__(self) -> str:
        best, size, each, all_ranks, length = np.mean(self.rows, axis=0)
        return f"best {best:.3f} / {size:.1f}   ranks {each:.3f} / {all_ranks:.3f} / {length:.1f}"


def study(setting: Setting, replicates: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield the lines of one setting."""
    means = STANDARD_ERROR * setting.means
    package, mogstad = Kept(means), Kept(means)
    hsu = []
    first = []
    for _ in range(replicates):
        # Items differ as much as models do on one item.
        items = rng.normal(size=(N_ITEMS, 1))
        own = rng.normal(size=(N_ITEMS, len(means)))
        ranks, p_first = by_package(items + means + own, rng)
        package.add(ranks)
        mogstad.add(by_mogstad(means + own, rng))
        in_set = by_hsu(means + own, rng)
        hsu.append((in_set[means == means.max()].all(), in_set.sum()))
        leader = int(np.argmax((means + own).mean(axis=0)))
        first.append((p_first[leader], means[leader] == means.max()))
    yield f"{setting.name}: true best in the set / size   a rank in its interval / all / length"
    yield f"  rank                 {package}"
    yield "  Hsu (1984)           best {:.3f} / {:.1f}".format(*np.mean(hsu, axis=0))
    yield f"  Mogstad et al. 2024  {mogstad}"
    yield "  P(first) of the leader {:.2f}, it is the best in {:.2f}".format(*np.mean(first, axis=0))


def main(replicates: int | None = None) -> None:
    if replicates is None:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--replicates", type=int, default=200)
        replicates = parser.parse_args().replicates
    rng = np.random.default_rng(1984)
    for setting in settings():
        for line in study(setting, replicates, rng):
            print(line, flush=True)


if __name__ == "__main__":
    main()
