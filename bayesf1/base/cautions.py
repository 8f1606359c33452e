"""Warnings by bayesf1 itself, with their own class: tests treat them as errors, but not warnings by other packages."""

from __future__ import annotations

import inspect
import warnings


class Caution(UserWarning):
    """A warning by bayesf1 itself, and not by a package that it calls."""


def warn_caller(message: str, category: type[Caution] = Caution) -> None:
    """Warn at the line outside the package that called it, however many calls lie between."""
    level = 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "bayesf1":
        level += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)  # noqa: TID251
