"""What is believed about one model's score: a closed-form law, or draws where there is none."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.naming import nearest, plural
from bayesf1.evaluation.evaluation import Assumption, Evaluation, FloatArray
from bayesf1.evaluation.metric import Harmonic, Metric, MetricLike, Proportion
from bayesf1.evaluation.scoring import find_measure
from bayesf1.kinds.classes import cell_priors, default_prior
from bayesf1.kinds.draws import draw_tables
from bayesf1.laws.distributions import (
    Beta,
    FScore,
    Posterior,
    RNGLike,
    UnitLaw,
    check_levels,
    check_prob,
    plain,
)

# A quadrature needs Beta parameters whose mass does not underflow in the logit.
MIN_PRIOR = 0.1
# Below, a quadrature in double precision loses mass at 0 or 1: P = 1/2 comes out as .5009 at .01.
_MIN_SHAPE = 0.02
# At most this many draws are kept; probabilities are counted over all of them.
KEPT_DRAWS = 1 << 20

# Units from which a bootstrap over them can be trusted, roughly.
FEW_UNITS = 20

ASSUMPTIONS = ("auto", "independent", "paired", "clustered")


class EmpiricalPosterior(Posterior):
    """A posterior known by its draws.

    Parameters
    ----------
    draws
        Draws, in any order.
    support
        Smallest and largest value that the quantity can take; the density is reflected there.

    Examples
    --------
    >>> post = EmpiricalPosterior(np.linspace(0, 1, 1001), support=(0.0, 1.0))
    >>> post.mean(), post.cdf(0.25), post.interval(0.5)
    (0.5, 0.25..., (0.25, 0.75))
    """

    def __init__(self, draws: ArrayLike, support: tuple[float, float] = (-math.inf, math.inf)) -> None:
        self.draws: FloatArray = np.sort(np.asarray(draws, dtype=np.float64).ravel())
        self.support = support
        if not len(self.draws) or not np.isfinite(self.draws).all():
            raise ValueError("draws of a posterior are finite numbers, at least one")

    def __repr__(self) -> str:
        return f"EmpiricalPosterior({len(self.draws)} draws, mean {self.mean():.4g}, sd {self.std():.2g})"

    @cached_property
    def _density(self) -> tuple[FloatArray, FloatArray]:
        """Kernel density on a grid: Gaussian kernel with Scott's width, reflected at the support."""
        x = self.draws
        quartiles = np.quantile(x, [0.25, 0.75])
        spread = min(x.std(), (quartiles[1] - quartiles[0]) / 1.349) or x.std() or 1e-12
        width = 1.06 * spread * len(x) ** -0.2
        low, high = max(x[0] - 4 * width, self.support[0]), min(x[-1] + 4 * width, self.support[1])
        n = int(np.clip(np.ceil(6 * (high - low) / width), 64, 8192))
        counts, edges = np.histogram(x, bins=n, range=(low, high))
        step = edges[1] - edges[0]
        reach = min(n, int(np.ceil(5 * width / step)))
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
        padded = np.pad(counts.astype(float), reach, mode="symmetric")
        # Draws are never closer than four widths to a cut that is not an end of the support.
        density = np.convolve(padded, kernel / kernel.sum(), mode="valid")
        return 0.5 * (edges[1:] + edges[:-1]), density / (density.sum() * step)

    def pdf(self, x: ArrayLike) -> Any:
        """Density at `x`, estimated."""
        points = np.asarray(x, dtype=np.float64)
        grid, density = self._density
        inside = (points >= self.support[0]) & (points <= self.support[1])
        half = 0.5 * (grid[1] - grid[0])
        near = (points >= grid[0] - half) & (points <= grid[-1] + half)
        return plain(np.where(inside & near, np.interp(points, grid, density), 0.0))

    def cdf(self, x: ArrayLike) -> Any:
        """Probability of at most `x`."""
        return plain(np.searchsorted(self.draws, x, side="right") / len(self.draws))

    def sf(self, x: ArrayLike) -> Any:
        """Probability of more than `x`."""
        return plain((len(self.draws) - np.searchsorted(self.draws, x, side="right")) / len(self.draws))

    def ppf(self, q: ArrayLike) -> Any:
        """Quantile: the point with probability `q` below it."""
        return plain(np.quantile(self.draws, check_levels(q)))

    def isf(self, q: ArrayLike) -> Any:
        """Point with probability `q` above it."""
        return plain(np.quantile(self.draws, 1.0 - check_levels(q)))

    def rvs(self, size: int | tuple[int, ...] | None = None, *, rng: RNGLike = None) -> Any:
        """Draw again from the draws."""
        return np.random.default_rng(rng).choice(self.draws, size)

    def mean(self) -> Any:
        """Mean."""
        return float(self.draws.mean())

    def var(self) -> Any:
        """Variance."""
        return float(self.draws.var())

    def mode(self) -> Any:
        """Point of the highest estimated density."""
        grid, density = self._density
        return float(grid[np.argmax(density)])

    def entropy(self) -> Any:
        """Differential entropy in nats, of the estimated density."""
        grid, density = self._density
        used = density > 0
        return float(-np.sum(density[used] * np.log(density[used])) * (grid[1] - grid[0]))

    def hdi(self, prob: float = 0.95) -> tuple[Any, Any]:
        """Shortest interval that holds a share `prob` of the draws."""
        n = len(self.draws)
        inside = min(n - 1, max(1, math.ceil(check_prob(prob) * n) - 1)) if n > 1 else 0
        widths = self.draws[inside:] - self.draws[: n - inside]
        start = int(np.argmin(widths))
        return float(self.draws[start]), float(self.draws[start + inside])


def posterior(
    ev: Evaluation,
    model: str,
    metric: MetricLike | None = None,
    *,
    prior: float | None = None,
    assumption: str = "auto",
    n_draws: int = 100_000,
    rng: RNGLike = None,
) -> Posterior:
    r"""Return what is believed about one model's score.

    With cells :math:`\sim \mathrm{Dirichlet}(\text{counts}+\lambda)`, precision is
    :math:`\mathrm{Be}(TP+\lambda, FP+\lambda)`, recall :math:`\mathrm{Be}(TP+\lambda, FN+\lambda)`, and
    F-scores follow `FScore`; measures without a law, and all measures of clustered data, are drawn.

    Parameters
    ----------
    ev
        The evaluation.
    model
        Name of the model.
    metric
        Name of a measure, or a callable on tables (..., cell); F1 by default.
    prior
        λ of the Dirichlet prior: 1, the default, is uniform (Wang & Li), ½ is Jeffreys'. For K classes λ is that
        of each of the K×K cells, by default 4/K², so that all cells together weigh as much as four items.
    assumption
        ``"auto"`` respects clusters where units are clusters; ``"independent"`` and ``"paired"`` take single
        items as units.
    n_draws, rng
        Number of draws and source of randomness, where draws are needed.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> post = posterior(from_counts(A=(77, 44, 10)), "A", metric="f1")
    >>> post.interval(0.95)
    (0.664769..., 0.798068...)

    References
    ----------
    Wang & Li (2019), ACL, Eqs. 25-30; Goutte & Gaussier (2005), ECIR.
    """
    measure = find_measure(metric, ev)
    prior = check_prior(prior, ev)
    index = ev.index(model)
    ev, taken = resolve_assumption(ev, assumption)
    warn_if_few(ev, taken)
    law = None if taken == "clustered" else law_of(measure, ev, index, prior)
    if law is not None:
        return law
    _check_single(ev, measure.name)
    generator = check_rng(rng)
    n_draws = check_draws(n_draws)
    kept = []
    for tables in draw_tables(ev, taken, prior=prior, n_draws=min(n_draws, KEPT_DRAWS), rng=generator):
        kept.append(measure(tables[:, index], ev.cells))
    return EmpiricalPosterior(np.concatenate(kept), support=measure.support)


def posteriors(
    ev: Evaluation,
    measures: Sequence[Metric],
    *,
    prior: float,
    assumption: str,
    n_draws: int,
    rng: np.random.Generator,
) -> dict[tuple[str, str], Posterior]:
    """Return what is believed of every model and measure, by their names; measures without a law share draws."""
    units, taken = resolve_assumption(ev, assumption)
    warn_if_few(units, taken)
    found: dict[tuple[str, str], Posterior] = {}
    drawn: list[Metric] = []
    for measure in measures:
        for i, model in enumerate(ev.models):
            law = None if taken == "clustered" else law_of(measure, units, i, prior)
            if law is not None:
                found[model, measure.name] = law
            elif measure not in drawn:
                drawn.append(measure)
    if drawn:
        _check_single(units, drawn[0].name)
        blocks = draw_tables(units, taken, prior=prior, n_draws=min(n_draws, KEPT_DRAWS), rng=rng)
        scores = [[m(tables, units.cells) for m in drawn] for tables in blocks]
        for measure, parts in zip(drawn, zip(*scores, strict=True), strict=True):
            for model, values in zip(ev.models, np.concatenate(parts).T, strict=True):
                found.setdefault((model, measure.name), EmpiricalPosterior(values, measure.support))
    return found


def law_of(measure: Metric, ev: Evaluation, index: int, prior: float) -> UnitLaw | None:
    """Return the closed-form law of a measure of one of the models, or None where there is none."""
    if measure.law is None:
        return None
    counts = ev.tables[..., index, :] + cell_priors(ev, prior)
    place = {cell: i for i, cell in enumerate(ev.cells)}

    def total(cells: tuple[str, ...]) -> FloatArray:
        return np.asarray(counts[..., [place[cell] for cell in cells]].sum(axis=-1))

    match measure.law:
        case Proportion(successes, failures):
            shapes = total(successes), total(failures)
            return Beta(*shapes) if np.min(shapes) >= _MIN_SHAPE else None
        case Harmonic(beta, tp, fp, fn):
            shapes = total(tp), total(fp) + total(fn)
            return FScore(total(tp), total(fp), total(fn), beta) if np.min(shapes) >= _MIN_SHAPE else None


def resolve_assumption(ev: Evaluation, assumption: str) -> tuple[Evaluation, Assumption]:
    """Return the evaluation at the level of units that an assumption speaks of, and the assumption."""
    if assumption not in ASSUMPTIONS:
        raise ValueError(f"unknown assumption {assumption!r}; {nearest(str(assumption), ASSUMPTIONS)}")
    if assumption == "auto":
        return ev, ev.assumption
    if assumption == "independent":
        return ev, "independent"
    if ev.assumption == "independent":
        raise ValueError(
            f"{assumption!r} needs to know what each unit adds, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame) or ask for 'independent'"
        )
    if assumption == "clustered":
        if ev.unit == "item":
            raise ValueError(
                "'clustered' needs units of several items, but here every item is its own unit; "
                "give groups= when building the evaluation"
            )
        return ev, "clustered"
    if ev.unit == "item":
        return ev, "paired"
    if ev.items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; "
            "ask for 'clustered'"
        )
    return ev.items, "paired"


def warn_if_few(ev: Evaluation, assumption: Assumption) -> None:
    """Warn where a bootstrap has too few units to know how much they vary."""
    if assumption == "clustered" and ev.weights is not None and ev.weights.sum() < FEW_UNITS:
        warnings.warn(
            f"there are only {ev.weights.sum():.4g} {plural(ev.unit)}; a bootstrap over so few is too sure of itself",
            stacklevel=3,
        )


def check_prior(prior: float | None, ev: Evaluation) -> float:
    """Return λ, the evaluation's default where none was given, or say that it is none."""
    if prior is None:
        return default_prior(ev)
    if isinstance(prior, bool) or not isinstance(prior, float | int | np.number):
        raise ValueError(f"prior must be a number such as 1 (uniform) or 0.5 (Jeffreys), not {prior!r}")
    value = float(prior)
    least = 1e-9 if ev.classes else MIN_PRIOR
    if not least <= value <= 1e6:
        raise ValueError(
            f"prior must be between {least:g} and 1e6, such as 1 (uniform) or 0.5 (Jeffreys), not {prior!r}"
        )
    return value


def check_rope(rope: float, *measures: Metric) -> float:
    """Return a half-width on the scale of the measures, or say that it is none."""
    bounded = all(m.support[0] >= -1.0 and m.support[1] <= 1.0 for m in measures)
    number = isinstance(rope, float | int | np.number) and not isinstance(rope, bool)
    if not number or not 0.0 <= rope < (1.0 if bounded else math.inf):
        most = " to below 1" if bounded else ""
        raise ValueError(f"rope is a half-width from 0{most}, such as 0.01 for one point, not {rope!r}")
    return float(rope)


def check_rng(rng: RNGLike) -> np.random.Generator:
    """Return a source of randomness, or say that it is none."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(
            f"rng must be a numpy Generator, a whole number from 0, or None, not {rng!r}"
        ) from None


def check_draws(n_draws: int) -> int:
    """Return a number of draws, or say that it is none."""
    whole = (
        isinstance(n_draws, int | np.integer | float) and not isinstance(n_draws, bool) and n_draws % 1 == 0
    )
    if not whole or not 100 <= n_draws <= 10**9:
        raise ValueError(f"n_draws must be a whole number from 100 to 1e9, not {n_draws!r}")
    return int(n_draws)


def _check_single(ev: Evaluation, name: str) -> None:
    if ev.shape:
        raise ValueError(
            f"{name} has no closed form here, and draws are made for one experiment at a time, "
            f"but the tables have leading axes {ev.shape}"
        )
