"""How models were compared, for a paper's section on methods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import joined, printable
from bayesf1.metrics import in_prose
from bayesf1.output.words.citations import PACKAGE
from bayesf1.output.words.comparison import inside_region
from bayesf1.output.words.numbers import credible_intervals
from bayesf1.output.words.sampled import cited, dependence, design, draws_of, scope, with_prior

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Comparisons


def methods(res: Comparisons) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    c = res.headline
    parts = _compared_by(res)
    parts.append(_probabilities(res))
    if c.rope:
        parts.append(f"models count as practically equivalent if {inside_region(c)}")
    parts.append(f"a model was called better if that had a probability of at least {c.threshold:.4g}")
    return printable(f"{'; '.join(parts)}. Intervals are {credible_intervals(c.prob)}.")


def compared(res: Comparisons) -> str:
    """Write which models were compared, and by which metrics."""
    c = res.headline
    metrics = joined(in_prose(each.label) for each in res.values())
    return f"{c.model_b} was compared with {c.model_a} on {metrics}"


def _compared_by(res: Comparisons) -> list[str]:
    """Return what was compared, by which test, and how models depend on each other."""
    s = res.headline.settings
    if s.data_sets or s.final:
        scores = "data-set scores" if s.data_sets else "final scores"
        parts = [f"{compared(res)} by {scores} ({design(s)}) with {PACKAGE}{with_prior(s)}", dependence(s)]
    elif s.training:
        parts = [f"{compared(res)}, as methods{scope(s)}, with {PACKAGE}", dependence(s)]
    else:
        parts = [
            f"{compared(res)} by {cited(s)}, as implemented in {PACKAGE}{with_prior(s)}",
            dependence(s),
        ]
        if s.cv is not None:
            parts.append(f"counts of the {s.cv} were discounted by k = {s.discount:.4f} (rule {s.rule})")
    if s.runs and not s.data_sets:
        parts.append(f"a method's score is the mean of its runs' scores{_prior_of_runs(res)}")
    return parts


def _prior_of_runs(res: Comparisons) -> str:
    """Write the prior of how much runs of a method vary; "" if the claim is not about methods."""
    c = res.headline
    if c.settings.target != "method":
        return ""
    scale = "that of their spread"
    if all(math.isfinite(end) for end in c.definition.support):
        scale = "0.05 of the metric's range"
    return f" (half-Cauchy prior on how much they vary, scale {scale})"


def _probabilities(res: Comparisons) -> str:
    """Write how probabilities were computed, with the metrics if not all were computed alike."""
    drawn = [c for c in res.values() if c.settings.n_draws]
    exact = [in_prose(c.label) for c in res.values() if not c.settings.n_draws]
    if not drawn:
        return "probabilities were computed by quadrature, without sampling"
    error = max(c.mcse for c in drawn)
    n_draws = max(c.settings.n_draws for c in drawn)
    # An error of less than 1e-4 cannot be seen in printed probabilities.
    draws = draws_of(drawn[0].settings, n_draws, max(error, 1e-4))
    if exact:
        return f"probabilities rest on {draws}, and those of {joined(exact)} on quadrature"
    return f"probabilities rest on {draws}"
