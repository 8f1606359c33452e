"""Signatures: in one line what was asked and done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1 import __version__
from bayesf1.base import naming
from bayesf1.base.naming import printable
from bayesf1.output.words.sampled import design, has_roles, sampled

if TYPE_CHECKING:
    from bayesf1.frequentist import intervals
    from bayesf1.inference.comparison import Settings


def signature_of(settings: Sequence[Settings], metrics: Sequence[str]) -> str:
    """Return in one line what was asked, and what was done: the same of all metrics, but for the method and draws."""
    s, n_draws = settings[0], max(one.n_draws for one in settings)
    drawn = {"draws": n_draws, "rng": s.rng} if n_draws else {}
    methods = ["exact" if one.method == "exact" else "mc" for one in settings]
    method = methods[0] if len({*methods}) == 1 else methods
    asked = {"rope": s.rope, "prob": s.prob, "method": method, **drawn, "target": s.target}
    return in_one_line(metric=metrics, **sampling_parts(s), **asked, **dict(s.signed))


def signed_name(of: Any) -> str:
    """Return the name of a metric, or of a result's, and of what it scores: two kinds of accuracy may share a name."""
    name, scored = (of.name, of.alias) if hasattr(of, "alias") else (of.metric, getattr(of, "label", ""))
    return f"{name}({scored})" if scored and not naming.same_name(name, scored) else name


def sampling_parts(s: Settings | intervals.IntervalSettings) -> dict[str, Any]:
    """Return the parts of a signature that say what was sampled, and the prior."""
    return {
        "units": design(s).replace(",", "") if has_roles(s) else sampled(s).replace(",", "") or "totals",
        "sampling": "random-effects" if s.within else "final" if s.final else s.assumption,
        "prior": s.signed_prior,
        "cv": None
        if s.cv is None or s.final
        else ("x".join(map(str, s.cv.shape)), s.rule, f"{s.discount:.4g}"),
    }


def in_one_line(**parts: Any) -> str:
    """Write a signature: the version, and all parts that are known; several values of one have commas between.

    Examples
    --------
    >>> in_one_line(metric=["f1", "recall"], rope=(-0.01, 0.01), prior=None, rng=None).partition("metric")[2]
    ':f1,recall|rope:-0.01,0.01|rng:generator'
    """

    def written(value: Any) -> str:
        if isinstance(value, np.ndarray | list | tuple):
            return ",".join(map(written, value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    # Draws of a Generator have no number to start from.
    unknown = {name: "generator" for name in ("rng", "start") if parts.get(name, "") is None}
    known = {"v": __version__, **parts, **unknown}
    shown = {name: written(value).replace("|", "/") for name, value in known.items()}
    # What was not given, and a region of no width, say nothing.
    kept = (f"{name}:{value}" for name, value in shown.items() if value not in ("", "None", "0,0"))
    return printable("|".join(("bayesf1", *kept)))
