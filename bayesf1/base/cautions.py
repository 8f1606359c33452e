"""Warnings of bayesf1 itself, which have a class of their own: tests treat them as errors, whoever else warns."""

from __future__ import annotations

import inspect
import warnings


class Caution(UserWarning):
    """A warning that bayesf1 gives itself, unlike those of the packages that it calls."""


def warn_caller(message: str, category: type[Caution] = Caution) -> None:
    """Warn at the line outside of the package that called it, through however many functions."""
    level = 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bayesf1":
        level += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)  # noqa: TID251
