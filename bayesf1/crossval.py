"""Block-regularised m×2 cross-validation: what its folds are worth."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bayesf1.naming import nearest

Discount: TypeAlias = str | float | tuple[float, float]

DISCOUNTS = ("wang-li", "once", "nadeau-bengio", "wang-2015")


@dataclass(frozen=True)
class BlockedCV:
    r"""``m`` repeats of two-fold cross-validation on a common partition into blocks.

    Every item is tested ``m`` times, and the training sets of different repeats share half of their items,
    so the ``2m`` confusion tables are correlated: their sum must be discounted before it enters a posterior.

    Parameters
    ----------
    m
        Number of repeats; 3 for the 3×2 design of Wang & Li (2019).

    Examples
    --------
    >>> BlockedCV(m=3).discount()
    0.3688021103...
    >>> BlockedCV.parse("3x2")
    BlockedCV(m=3)

    References
    ----------
    Wang & Li (2019), *Bayes test of precision, recall, and F1 measure*, ACL, Eqs. 14-24.
    """

    m: int = 3

    def __post_init__(self) -> None:
        m: object = self.m
        if isinstance(m, bool) or not isinstance(m, int | np.integer) or m < 1:
            raise ValueError(f"m must be a whole number of repeats, at least 1, not {m!r}")
        object.__setattr__(self, "m", int(m))

    @classmethod
    def parse(cls, text: str) -> BlockedCV:
        """Read a design written as ``"3x2"`` or ``"3×2"``."""
        match = re.fullmatch(r"\s*([0-9]{1,4})\s*[x×*]\s*2\s*", str(text), flags=re.IGNORECASE)
        if match is None:
            raise ValueError(
                f"cv design {text!r} is not of the form mx2; write 3x2 for three repeats of two folds"
            )
        return cls(m=int(match[1]))

    def __str__(self) -> str:
        return f"{self.m}×2 BCV"

    def discount(self, rule: Discount = "wang-li") -> float:
        r"""Return the factor ``k`` that turns summed counts into effective counts.

        With correlation :math:`\rho_1` between the two folds of a repeat and :math:`\rho_2` between folds of
        different repeats, :math:`k = 1/(1+\rho_1+2(m-1)\rho_2)`.

        Parameters
        ----------
        rule
            ``"wang-li"`` averages k over 0 ≤ ρ₁ ≤ ½, ¼ ≤ ρ₂ ≤ ½ in closed form (the paper's Eq. 22 for m=3);
            ``"once"`` counts each item once, k = 1/m; ``"nadeau-bengio"`` is conservative, k = 1/(2m+1);
            ``"wang-2015"`` takes all correlations as 1, k = 1/(2m); a number is k itself; a pair is (ρ₁, ρ₂).

        Examples
        --------
        >>> cv = BlockedCV(m=3)
        >>> cv.discount("once"), cv.discount((0.0, 0.0)), cv.discount(0.25)
        (0.333..., 1.0, 0.25)
        """
        if isinstance(rule, str):
            return self._named_discount(rule)
        if isinstance(rule, tuple | list):
            return self._correlated_discount(rule)
        k = _real(rule)
        if k is None or not 0.0 < k <= 1.0:
            raise ValueError(
                f"discount {rule!r} is not above 0 and at most 1; give such a number, a pair of correlations "
                f"or one of {', '.join(DISCOUNTS)}"
            )
        return k

    def _named_discount(self, rule: str) -> float:
        match rule:
            case "wang-li":
                return _mean_discount(self.m)
            case "once":
                return 1.0 / self.m
            case "nadeau-bengio":
                return 1.0 / (2 * self.m + 1)
            case "wang-2015":
                return 1.0 / (2 * self.m)
        raise ValueError(f"unknown discount {rule!r}; {nearest(rule, DISCOUNTS)}")

    def _correlated_discount(self, pair: tuple[float, ...] | list[float]) -> float:
        rho = [_real(r) for r in pair]
        if len(rho) != 2 or any(r is None or not -1.0 <= r <= 1.0 for r in rho):
            raise ValueError(
                f"discount {pair!r} is not a pair of correlations (rho1, rho2), each from -1 to 1"
            )
        inflation = 1.0 + float(rho[0] or 0.0) + 2.0 * (self.m - 1) * float(rho[1] or 0.0)
        if inflation < 1.0:
            raise ValueError(
                f"correlations {tuple(pair)!r} give a variance below that of independent folds "
                f"(1+rho1+2(m-1)rho2 = {inflation:g}); use correlations of at least 0"
            )
        return 1.0 / inflation


def _real(value: object) -> float | None:
    """Return a finite real number as float, and None for anything else."""
    if isinstance(value, bool | str | bytes):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _mean_discount(m: int) -> float:
    # Eq. 22 for any m: 8 ∫∫ dρ₁ dρ₂ / (1+ρ₁+cρ₂) over [0, ½]×[¼, ½], where c = 2(m-1) and G' = 1 + ln.
    if m == 1:
        return 2.0 * math.log(1.5)
    c = 2.0 * (m - 1)

    def g(u: float) -> float:
        return u * math.log(u)

    return 8.0 / c * (g(1.5 + c / 2) - g(1.5 + c / 4) - g(1 + c / 2) + g(1 + c / 4))
