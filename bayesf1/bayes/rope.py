r"""The region of practical equivalence: by how much B may be worse than A, and by how much better, so that nobody minds.

A region (low, high) is one of how much better B is than A, :math:`g = \pm(\nu_B - \nu_A)` with the minus sign where lower
is better. B is *not worse* where :math:`g \ge \mathrm{low}`, A where :math:`g \le \mathrm{high}`, and both are equivalent
where both hold; swapping the models mirrors the region.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, TypeAlias

from bayesf1.base.checks import is_number
from bayesf1.base.naming import shown
from bayesf1.base.table import amount
from bayesf1.evaluation.metric import Metric

RopeLike: TypeAlias = float | tuple[float, float]


class Rope(NamedTuple):
    """The least and the most that B may be better than A to count as equivalent to it.

    Examples
    --------
    >>> Rope.of(0.01), bool(Rope.of(0.0))
    (Rope(low=-0.01, high=0.01), False)
    >>> Rope(-0.005, 0.01).words(), Rope.of(0.01).words()
    ('−0.5 to +1 percentage points', '±1 percentage point')
    """

    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, rope: RopeLike) -> Rope:
        """Return the region that a half-width, or a pair, stands for."""
        return cls(*rope) if isinstance(rope, tuple | list) else cls(-rope or 0.0, rope)

    def __bool__(self) -> bool:
        return self.high > self.low

    @property
    def symmetric(self) -> bool:
        """Whether B may be worse by as much as it may be better."""
        return self.low == -self.high

    @property
    def given(self) -> RopeLike:
        """The region as it is given and kept: a half-width where it is symmetric, else the pair."""
        return self.high if self.symmetric else self

    @property
    def written(self) -> float | tuple[float, float]:
        """The region as plain numbers, for a file."""
        return self.high if self.symmetric else (self.low, self.high)

    @property
    def mirrored(self) -> Rope:
        """The region of A against B."""
        return Rope(-self.high or 0.0, -self.low or 0.0)

    @property
    def widest(self) -> float:
        """The larger of the two margins."""
        return max(-self.low, self.high)

    def differences(self, measure: Metric) -> Rope:
        """Return the region as one of score differences, B minus A."""
        return self.mirrored if measure.lower_is_better else self

    def beyond(self, *, percent: bool = True) -> str:
        """Write by how much more than nothing one must be better, after "better"; nothing without a margin."""
        return f" by more than {amount(self.high, percent=percent)}" if self.high else ""

    def words(self, *, percent: bool = True) -> str:
        """Write the region with its unit."""
        if self.symmetric:
            return f"±{amount(self.high, percent=percent)}"
        low, high = (f"{(100.0 if percent else 1.0) * x:+.4g}".replace("-", "−") for x in self)
        return (
            f"{low.replace('+0', '0')} to {high.replace('+0', '0')}{' percentage points' if percent else ''}"
        )


def check_rope(rope: Any, *measures: Metric) -> Rope:
    """Return a region on the scale of the measures, or say that it is none."""
    bounded = all(m.support[0] >= -1.0 and m.support[1] <= 1.0 for m in measures)
    most = 1.0 if bounded else sys.float_info.max
    if isinstance(rope, tuple | list):
        if len(rope) == 2 and all(map(is_number, rope)) and -most < rope[0] <= 0.0 <= rope[1] < most:
            return Rope(float(rope[0]) or 0.0, float(rope[1]))
        raise ValueError(
            "rope as a pair is how much better B may be than A, from at most 0 to at least 0, such as (-0.005, 0.01) "
            f"for half a point worse to one better, not {shown(rope)}"
        )
    if not is_number(rope) or not 0.0 <= rope < most:
        raise ValueError(
            f"rope is a half-width from 0{' to below 1' if bounded else ''}, such as 0.01 for one point, or a pair such "
            f"as (-0.005, 0.01), not {shown(rope)}"
        )
    return Rope.of(float(rope))
