"""Verbs that take every gold label as known."""

from __future__ import annotations

from bayesf1.evaluation.evaluation import Evaluation


def check_no_gaps(ev: Evaluation, what: str, instead: str = "compare allows for that") -> None:
    """Raise a ValueError where items without a gold label were given to what would take filled in ones for known.

    Examples
    --------
    >>> from bayesf1 import from_labels
    >>> check_no_gaps(from_labels([1, 0, None], {"A": [1, 0, 0], "B": [1, 1, 0]}, judge={}), "a randomisation test")
    Traceback (most recent call last):
    ...
    ValueError: a randomisation test takes gold labels of all items, but there are 3 items (2 of them labelled); compare ...
    """
    if ev.kind.gaps(ev.tables):
        raise ValueError(
            f"{what} takes gold labels of all items, but there are {ev.under().sampled}; {instead}"
        )
