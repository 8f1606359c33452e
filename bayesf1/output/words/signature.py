"""Signatures: one line with everything that was asked and done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1 import __version__
from bayesf1.base.naming import printable, same_name
from bayesf1.metrics import Metric
from bayesf1.output.words.sampled import design, has_roles, sampled

if TYPE_CHECKING:
    from bayesf1.frequentist.intervals import IntervalSettings
    from bayesf1.inference.comparison import Settings

_METHODS = {"exact": "exact", "montecarlo": "mc"}
# A Generator has no number to start from.
_SEEDS = ("rng", "start")


def signature_of(settings: Sequence[Settings], metrics: Sequence[str]) -> str:
    """Return one line with what was asked and done, the same for all metrics except the method and the draws."""
    s = settings[0]
    methods = [_METHODS[each.method] for each in settings]
    if len({*methods}) == 1:
        methods = methods[:1]
    n_draws = max(each.n_draws for each in settings)
    drawn = {"draws": n_draws, "rng": s.rng} if n_draws > 0 else {}
    return in_one_line(
        metric=metrics,
        **sampling_parts(s),
        rope=s.rope,
        prob=s.prob,
        method=methods,
        **drawn,
        target=s.target,
        **dict(s.signed),
    )


def signed_metric(metric: Metric) -> str:
    """Return the name of a metric, and of the scores that it is the mean of."""
    return signed_name(metric.name, metric.alias)


def signed_name(name: str, scored: str) -> str:
    """Return the name of a metric together with the name of the scores, as two kinds of accuracy may share a name.

    Examples
    --------
    >>> signed_name("f1", "F1"), signed_name("accuracy", "Exact match")
    ('f1', 'accuracy(Exact match)')
    """
    return f"{name}({scored})" if scored and not same_name(name, scored) else name


def sampling_parts(s: Settings | IntervalSettings) -> dict[str, Any]:
    """Return the parts of a signature that say what was sampled, and the prior."""
    units = "totals"
    if has_roles(s):
        units = design(s)
    elif s.n_units:
        units = sampled(s)
    sampling: str = s.assumption
    if s.data_sets:
        sampling = "random-effects"
    elif s.final:
        sampling = "final"
    cv = None
    if s.cv is not None and not s.final:
        cv = ("x".join(map(str, s.cv.shape)), s.rule, f"{s.discount:.4g}")
    # Commas separate the values of a part.
    units = units.replace(",", "")
    return {
        "units": units,
        "sampling": sampling,
        "prior": s.signed_prior,
        "cv": cv,
    }


def in_one_line(**parts: Any) -> str:
    """Write a signature: the version, and all parts that were given; several values of a part have commas between.

    Examples
    --------
    >>> in_one_line(metric=["f1", "recall"], rope=(-0.01, 0.01), prior=None, rng=None).partition("metric")[2]
    ':f1,recall|rope:-0.01,0.01|rng:generator'
    """
    written = ["bayesf1", f"v:{__version__}"]
    for name, value in parts.items():
        if value is None and name in _SEEDS:
            written.append(f"{name}:generator")
        elif _was_given(value):
            written.append(f"{name}:{_value(value).replace('|', '/')}")
    return printable("|".join(written))


def _was_given(value: Any) -> bool:
    """Return whether a part says anything: a region of no width says nothing."""
    if isinstance(value, str | list | np.ndarray):
        return len(value) > 0
    if isinstance(value, tuple):
        return len(value) > 0 and value != (0.0, 0.0)
    return value is not None


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray | list | tuple):
        return ",".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
