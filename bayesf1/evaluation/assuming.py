"""Which assumptions and targets an evaluation supports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayesf1.base.naming import nearest
from bayesf1.evaluation.under import ASSUMPTIONS, TARGETS, Target, Under

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation


def under(ev: Evaluation, assumption: str, target: str = "auto") -> Under:
    """Return an evaluation under an assumption, and for a target, or say why the data do not support it."""
    found = _assumed(ev, assumption)
    return replace(found, target=check_target(ev, target))


def check_target(ev: Evaluation, target: str) -> Target:
    """Return what a conclusion is to speak of, or say why the data do not tell."""
    if target not in TARGETS:
        raise ValueError(f"unknown target {target!r}; {nearest(str(target), TARGETS)}")
    if target == "method" and not ev.methods and ev.folds is None:
        raise ValueError(
            "of a method one can speak where it was trained several times; give runs, as {'bert': {'seed1': …, "
            "'seed2': …}} or by ev.with_runs, or a cross-validation"
        )
    if target == "auto":
        return "method" if ev.methods else "models"
    return "method" if target == "method" else "models"


def _assumed(ev: Evaluation, assumption: str) -> Under:
    if assumption not in ASSUMPTIONS:
        raise ValueError(f"unknown assumption {assumption!r}; {nearest(str(assumption), ASSUMPTIONS)}")
    if assumption == "auto":
        return Under(ev, ev.assumption)
    if assumption == "independent":
        return Under(ev, "independent")
    if ev.units is None or not ev.units.shared:
        raise ValueError(
            f"{assumption!r} needs to know what each unit adds, but only totals are known; build the "
            "evaluation from predictions (from_labels, from_tags, from_frame) or ask for 'independent'"
        )
    if assumption == "clustered":
        if ev.units.single:
            raise ValueError(
                "'clustered' needs units of several items, but here every item is its own unit; "
                "give groups= when building the evaluation"
            )
        return Under(ev, "clustered")
    if ev.units.single:
        return Under(ev, "paired")
    if ev.items is None:
        raise ValueError(
            f"'paired' needs single items, but only the sums over each {ev.unit} are known; "
            "ask for 'clustered'"
        )
    return Under(ev.items, "paired")
