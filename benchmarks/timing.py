"""Wall times whose ratios mean something on a busy computer as well: the best of several, taken in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that one run takes, and what it returns."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_turns(*works: Callable[[], object], repeats: int = 5) -> list[float]:
    """Return the best time of each piece of work: after a run of each to warm up, all go by turns, `repeats` times."""
    for work in works:
        work()
    rounds = [[timed(work)[0] for work in works] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the best time of one piece of work, after a run to warm up."""
    return in_turns(work, repeats=repeats)[0]
