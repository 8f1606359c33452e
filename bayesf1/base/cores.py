"""Random blocks on all cores, with the same digits however many there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import Future

Block = TypeVar("Block")
T = TypeVar("T")

# More would only hold more blocks in memory.
_MOST = 8


def n_cores() -> int:
    """Return how many cores this process may use, at most eight."""
    try:
        return min(len(os.sched_getaffinity(0)), _MOST)
    except AttributeError:
        # Only Linux can tell.
        return min(os.cpu_count() or 1, _MOST)


def in_blocks(
    work: Callable[[Block, np.random.Generator], T], blocks: Iterable[Block], rng: np.random.Generator
) -> Iterator[T]:
    """Yield what a function makes of each block and of a source of randomness of its own, in order.

    Numpy's generators and products let go of Python's lock, so that threads draw side by side. Every block has a source
    that hangs on `rng` and its place alone, which is why neither the number of cores nor who comes first changes a digit.
    A single block is drawn from `rng` itself.

    Parameters
    ----------
    work
        A function of a block and a source of randomness, called in threads.
    blocks
        The blocks: how many draws each is, or a slice of what is drawn for.
    rng
        The source of randomness, from which those of the blocks are made.

    Examples
    --------
    >>> def draw(n, rng):
    ...     return rng.random(n)
    >>> once, again = (np.concatenate(list(in_blocks(draw, [2, 2, 1], np.random.default_rng(1)))) for _ in range(2))
    >>> once.shape, bool((once == again).all())
    ((5,), True)
    """
    listed = list(blocks)
    if len(listed) < 2:
        yield from (work(block, rng) for block in listed)
        return
    seeds = np.random.SeedSequence(rng.integers(1 << 63, size=2).tolist()).spawn(len(listed))
    # Exponential variates take little more than half the time of those of numpy's default.
    jobs = (
        (block, np.random.Generator(np.random.SFC64(seed))) for block, seed in zip(listed, seeds, strict=True)
    )
    cores = min(n_cores(), len(listed))
    if cores == 1:
        yield from (work(*job) for job in jobs)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(cores)
    try:
        ahead: deque[Future[T]] = deque(pool.submit(work, *job) for job in islice(jobs, cores + 1))
        while ahead:
            found = ahead.popleft().result()
            ahead.extend(pool.submit(work, *job) for job in islice(jobs, 1))
            yield found
    finally:
        pool.shutdown(cancel_futures=True)
