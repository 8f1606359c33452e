"""How p-values are written."""

from __future__ import annotations


def p_equation(p: float) -> str:
    """Write a p-value with two digits, and never as 0.

    Examples
    --------
    >>> p_equation(0.03125), p_equation(1.0), p_equation(3e-7)
    ('p = 0.031', 'p = 1', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {plain_p(p)}"


def plain_p(p: float) -> str:
    """Write a p-value with two digits, or three decimals."""
    return f"{p:.2g}" if p < 0.0995 or p > 0.9995 else f"{p:.3f}"
