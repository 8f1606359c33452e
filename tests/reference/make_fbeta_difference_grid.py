"""Reference values of differences of F-scores with weights other than 1, computed with mpmath.

Nothing here is shared with the package: the split V of the errors is integrated by Gauss's rule in θ with V = sin²θ, and
the score itself on twelve equal panels, in the variable t and not in its logit.

Run ``python tests/reference/make_fbeta_difference_grid.py`` to write fbeta_difference_grid.json beside this file (some
minutes).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.dps = 25

# Parameters of A and of B (tp, fp, fn, beta), and the margin.
POINTS = [
    ((7, 4, 2, 2.0), (8, 1, 2, 2.0), 0.0),
    ((7, 4, 2, 2.0), (8, 1, 2, 2.0), 0.1),
    ((78, 45, 11, 2.0), (84, 10, 15, 2.0), 0.0),
    ((78, 45, 11, 2.0), (84, 10, 15, 2.0), 0.05),
    ((78, 45, 11, 0.5), (84, 10, 15, 0.5), -0.1),
    ((20, 5, 30, 2.0), (40, 10, 3, 2.0), -0.1),
]


def distribution(
    tp: float, fp: float, fn: float, beta: float
) -> tuple[Callable[[mpf], mpf], Callable[[mpf], mpf]]:
    """Return survival function and density of an F-score."""
    square, hits, left, right = mpf(beta) ** 2, mpf(tp), mpf(fp), mpf(fn)
    errors = left + right
    rule = mpmath.calculus.quadrature.GaussLegendre(mp).calc_nodes(5, mp.prec)
    parts = []
    for x, w in rule:
        v = mpmath.sin((x + 1) * mpmath.pi / 4) ** 2
        density = 2 * v ** (left - mpf(1) / 2) * (1 - v) ** (right - mpf(1) / 2) / mpmath.beta(left, right)
        parts.append(((v + square * (1 - v)) / (1 + square), w * mpmath.pi / 4 * density))

    def sf(t: mpf) -> mpf:
        return mpmath.fsum(
            w * (1 - mpmath.betainc(hits, errors, 0, scale * t / (1 - t + scale * t), regularized=True))
            for scale, w in parts
        )

    def pdf(t: mpf) -> mpf:
        out = []
        for scale, w in parts:
            total = 1 - t + scale * t
            x = scale * t / total
            out.append(w * x ** (hits - 1) * (1 - x) ** (errors - 1) * scale / total**2)
        return mpmath.fsum(out) / mpmath.beta(hits, errors)

    return sf, pdf


def entry(a: tuple[float, ...], b: tuple[float, ...], d: float) -> list[object]:
    (sf_a, pdf_a), (sf_b, pdf_b), gap = distribution(*a), distribution(*b), mpf(d)
    low, high = max(mpf(0), -gap), min(mpf(1), 1 - gap)
    panels = [low + (high - low) * k / 12 for k in range(13)]

    def integral(g: Callable[[mpf], mpf]) -> mpf:
        return mpmath.quad(lambda t: pdf_a(t) * g(t + gap), panels, maxdegree=4)

    more = integral(sf_b) + (1 - sf_a(low) if d < 0 else 0)
    no_more = integral(lambda t: 1 - sf_b(t)) + (sf_a(high) if d > 0 else 0)
    return [list(a), list(b), d, *(mpmath.nstr(x, 18) for x in (no_more, more, mpmath.log(integral(pdf_b))))]


def main() -> None:
    entries = []
    for point in POINTS:
        entries.append(entry(*point))
        print(*entries[-1], flush=True)
    document = {
        "what": "law of B - A for independent F-scores: [tp, fp, fn, beta of A, of B, d, cdf, sf, logpdf]",
        "by": f"tests/reference/make_fbeta_difference_grid.py, mpmath {mpmath.__version__} with {mp.dps} digits",
        "entries": entries,
    }
    text = json.dumps(document, separators=(",", ":")).replace("[[", "\n[[").replace(",[[", ",\n[[")
    (Path(__file__).parent / "fbeta_difference_grid.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
