r"""Planning for a decision between methods: how many test items, and how many runs.

With R runs of each method and n units the variance of their difference is

.. math:: s^2 = \frac{n_0}{n}\Bigl(V_0 - \frac{2v}{R_0} + \frac{2v}{R}\Bigr) + \frac{2\tau^2}{R},

from a pilot of :math:`n_0` units and :math:`R_0` runs: :math:`V_0` is what its units leave open, v what they do to a
single run beside the others, and τ how much training varies. A difference δ is called one with probability
:math:`P(t_\nu > t_{\nu,p} - \delta/s)`, averaged over what the pilot says of τ; the degrees of freedom ν are those of
Satterthwaite, as runs tell of training with :math:`2R - 2` of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import plural
from bayesf1.base.roots import crossing
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.training import variance_apart

_DRAWS = 4000
_MOST = 1e9


@dataclass(frozen=True, eq=False)
class MethodPilot:
    """What a pilot says of the difference of two methods.

    Attributes
    ----------
    n_units
        How many units it had.
    shared, single
        Variance that its units give to the methods' difference whatever the number of runs, and to one run by itself.
    training
        Draws of τ.
    """

    n_units: float
    shared: float
    single: float
    training: FloatArray

    def power(self, difference: float, n_units: float, runs: float, p_h1: float) -> float:
        """Return the probability with which a difference is called one."""
        items = self.n_units / n_units * (self.shared + 2.0 * self.single / runs)
        trained = 2.0 * self.training**2 / runs
        total = items + trained
        with np.errstate(divide="ignore"):
            freedom = np.minimum((2.0 * runs - 2.0) * (total / trained) ** 2, 1e9)
        reach = special.stdtrit(freedom, p_h1) - difference / np.sqrt(total)
        return float(special.stdtr(freedom, -reach).mean())


def method_pilot(ev: Evaluation, measure: Metric, prior: float, rng: np.random.Generator) -> MethodPilot:
    """Return what an evaluation of two methods says of their difference."""
    under = ev.under("auto", "method")
    (known,) = under.training([measure], prior=prior, rng=rng)
    models = ev.under("auto", "models")
    if not models.shared:
        raise ValueError(
            "a pilot must tell what the runs did on each unit, but only totals are known; build it from predictions"
        )
    drawn = np.concatenate(
        [measure(tables, ev.cells) for tables in models.draw(prior=prior, n_draws=_DRAWS, rng=rng)]
    )
    gaps = np.diff(ev.mean_scores(drawn), axis=1)[:, 0]
    single = variance_apart(drawn, [[ev.models.index(run) for run in method.runs] for method in ev.methods])
    both = single * sum(1.0 / len(method.runs) for method in ev.methods)
    return MethodPilot(
        under.n_units, max(float(gaps.var()) - both, 0.0), single, known.spread.draw(_DRAWS, rng)
    )


def units_for(pilot: MethodPilot, difference: float, runs: int, p_h1: float, goal: float, unit: str) -> int:
    """Return how many units it takes to call a difference one, or say that it takes more runs."""
    if pilot.power(difference, _MOST, runs, p_h1) < goal:
        enough = next(
            (r for r in range(runs + 1, 1001) if pilot.power(difference, _MOST, r, p_h1) >= goal), None
        )
        more = "more than 1000 runs" if enough is None else f"at least {enough} runs"
        raise ValueError(
            f"a difference of {difference:g} cannot be seen with {runs} runs of each method, however many "
            f"{plural(unit)} there are, as training varies too much; it takes {more} of each"
        )
    root = crossing(
        lambda x: np.asarray(pilot.power(difference, math.exp(float(x)), runs, p_h1) - goal),
        np.asarray(0.0),
        np.asarray(math.log(_MOST)),
    )
    return max(1, math.ceil(math.exp(float(root))))


def smallest_difference(pilot: MethodPilot, runs: int, p_h1: float, goal: float) -> float:
    """Return the smallest difference that the pilot's units and so many runs call one."""
    scale = math.sqrt(
        pilot.shared + 2.0 * pilot.single / runs + 2.0 * float((pilot.training**2).mean()) / runs
    )
    root = crossing(
        lambda x: np.asarray(pilot.power(float(x), pilot.n_units, runs, p_h1) - goal),
        np.asarray(0.0),
        np.asarray(100.0 * scale),
    )
    return float(root)
