"""What the labelled items tell of the others: cell by cell, and what the judges are worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesf1.base.answer import Answer
from bayesf1.base.checks import checked
from bayesf1.base.table import Table, printable
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.metric import MetricLike
from bayesf1.evaluation.scoring import find_measure
from bayesf1.kinds.audited import Audited
from bayesf1.kinds.judges import Agreement, agreement, judge_words, labels_worth


@dataclass(frozen=True)
class AuditedCell:
    """Items of which the same is known.

    Attributes
    ----------
    known
        What models and judges said of them.
    items, labelled
        How many there are, and how many of them have a gold label.
    gold
        Shares of gold labels among the labelled ones, by label; None where none is labelled.
    agrees
        Share of the labelled ones on which each judge says what gold says, by judge; None where none is labelled.
    """

    known: str
    items: float
    labelled: float
    gold: dict[str, float] | None
    agrees: dict[str, float] | None


@dataclass(frozen=True)
class Audit(Answer):
    """What the labelled items tell of the others.

    Attributes
    ----------
    models, label
        Whose score, or whose difference in it, `worth` is for, and how the measure is printed.
    cells
        The items by what is known of them, the largest cells first.
    judges
        How far each judge agrees with gold on all items.
    worth
        How many gold labels the judges replace; None where there is no judge.
    notes
        What a reader should know.
    """

    models: tuple[str, ...]
    label: str
    cells: tuple[AuditedCell, ...]
    judges: tuple[Agreement, ...]
    worth: float | None
    notes: tuple[str, ...]

    json_format = "bayesf1.audit/1"

    @property
    def title(self) -> str:
        """How many items are labelled."""
        labelled, items = (sum(getattr(cell, name) for cell in self.cells) for name in ("labelled", "items"))
        return f"{labelled:,.0f} of {items:,.0f} items are labelled"

    @property
    def table(self) -> Table:
        """What is known of items, how many there are and are labelled, their gold labels, and what judges get right."""
        golds = list(next((cell.gold for cell in self.cells if cell.gold), {}))
        shown = golds[1:] if len(golds) == 2 else golds
        judges = [found.judge for found in self.judges]
        header = (
            "Known",
            "Items",
            "Labelled",
            *(f"Gold {g} (%)" for g in shown),
            *(f"{j} right (%)" for j in judges),
        )

        def percent(shares: dict[str, float] | None, name: str) -> str:
            return "–" if shares is None else f"{100 * shares[name]:.1f}"

        rows = tuple(
            (
                printable(cell.known),
                f"{cell.items:,.0f}",
                f"{cell.labelled:,.0f}",
                *(percent(cell.gold, g) for g in shown),
                *(percent(cell.agrees, j) for j in judges),
            )
            for cell in self.cells
        )
        return Table(tuple(map(printable, header)), rows)

    @property
    def below(self) -> Sequence[str]:
        """What the judges are worth, and what a reader should know."""
        return self.notes

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each kind of items."""
        return [
            {
                "known": cell.known,
                "items": cell.items,
                "labelled": cell.labelled,
                **{f"gold {name}": share for name, share in (cell.gold or {}).items()},
                **{f"{name} right": share for name, share in (cell.agrees or {}).items()},
            }
            for cell in self.cells
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        return {
            "models": list(self.models),
            "metric": self.label,
            "worth": self.worth,
            "judges": [found._asdict() for found in self.judges],
            "cells": self.records(),
            "notes": list(self.notes),
        }


@checked
def audit(
    ev: Evaluation, a: str | None = None, b: str | None = None, *, metric: MetricLike | None = None
) -> Audit:
    r"""Tell what the labelled items say of the others, cell by cell, and what the judges are worth.

    A judge replaces :math:`n\,(V_0/V_1 - 1)` of n gold labels, where V are posterior variances without and with it.

    Parameters
    ----------
    ev
        An evaluation with gaps, from `from_labels` or `from_frame` with ``judge=``.
    a, b
        Names of the models whose difference the judges' worth is for; may be left out where there are one or two. `a`
        alone asks for its score.
    metric
        Name of a measure; F1 by default.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 5000)
    >>> said = {name: np.where(rng.random(5000) < 0.2, 1 - truth, truth) for name in ("A", "B")}
    >>> gold = np.where(np.arange(5000) < 200, truth, np.nan)
    >>> found = audit(from_labels(gold, said, judge={"gpt": truth}, positive=1))
    >>> found.title, found.judges[0].share > 0.99, found.worth > 200
    ('200 of 5,000 items are labelled', True, True)
    """
    check_evaluation(ev)
    kind = ev.kind
    if not isinstance(kind, Audited):
        raise ValueError(
            "an audit is of items of which some have no gold label, and here all have one; build the evaluation by "
            "from_labels or from_frame with judge=, or judge={} without one"
        )
    pair = ev.select([a]) if a is not None and b is None else ev if len(ev.names) == 1 else ev.pair(a, b)
    measure, under = find_measure(metric, pair), pair.under()
    strata, counts = kind.strata, kind.counts(pair.tables)
    judges = agreement(kind, pair.tables)
    right = {found.judge: judge_words(strata, found.judge) for found in judges}
    cells = []
    for c in np.argsort(-counts.sum(axis=1), kind="stable").tolist():
        labelled = float(counts[c, :-1].sum())
        shares = counts[c, :-1] / labelled if labelled else None
        cells.append(
            AuditedCell(
                strata.words(c),
                float(counts[c].sum()),
                labelled,
                None if shares is None else dict(zip(strata.golds, shares.tolist(), strict=True)),
                None
                if shares is None
                else {j: float(np.append(shares, 0.0)[words[c]]) for j, words in right.items()},
            )
        )
    notes = (*pair.notes, *kind.notes_on(under, measure))
    worth = labels_worth(under, kind, measure) if strata.judges and measure.origin is not None else None
    return Audit(pair.names, measure.label, tuple(cells), judges, worth, tuple(map(printable, notes)))
