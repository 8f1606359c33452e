"""Reference values of the law of a difference of two scores to 20 digits, computed with mpmath.

P(B - A <= d), P(B - A > d) and the density at d are integrated over A's score in 50-digit arithmetic, on nodes
that are doubled until the halves agree; incomplete beta functions are continued fractions (see
make_law_grid.py). Parameters and margins are doubles, taken as exact.

Run ``python tests/reference/make_difference_grid.py`` to write difference_grid.json beside this file (some
minutes).
"""

from __future__ import annotations

import json
from pathlib import Path

import mpmath
from make_law_grid import BetaLaw, digits, expit, trapezoid
from mpmath import mp, mpf

# Parameters of A and of B (two of a Beta law, three of an F1), and margins; not 0 where the density is infinite there.
CASES = [
    ((0.5, 0.5), (0.5, 0.5), (0.01, -0.01, 0.5, 0.9)),
    ((0.5, 0.5), (2, 3), (0.0, -0.3)),
    ((78, 56), (84, 25), (0.0, 0.02, -0.02, 0.3)),
    ((78, 45, 11), (84, 10, 15), (0.0, 0.02, -0.02, 0.1, 0.6)),
    ((21, 1), (1.5, 20), (-0.9, -0.2, 0.1)),
    ((2, 50), (50, 2), (0.999, 0.9, -0.5, -0.9)),
    ((100, 900), (900, 100), (0.0, 0.5, 0.8)),
    ((2000, 2600), (2600, 2000), (0.0, 0.05)),
    ((1000001, 10001), (1001, 2), (0.01, 0.0, 0.0099)),
    ((1e6, 0.5), (0.5, 1e6), (-0.999999, -0.9999)),
    ((0.5, 1e6), (0.5, 1e6), (1e-7, -3e-6, -4e-5)),
    ((5e5, 4e5), (7, 9), (0.0, 0.2)),
    # Both laws crowd at an end: the density has a pole at 0, or comes from far out.
    ((1, 0.5352614285189903), (1, 0.5352614285189903), (1e-3,)),
    ((0.5, 0.5), (0.5, 0.5), (-1e-6,)),
    ((0.3, 0.8), (0.8, 1), (1e-10, -1e-3)),
    ((1, 0.1), (0.1, 1), (1e-6,)),
    ((1, 0.5, 0.1), (0.5, 0.3, 0.3), (-1e-6,)),
]


def distribution_of(parameters: tuple[float, ...]) -> BetaLaw:
    a, *rest = (mpf(p) for p in parameters)
    return BetaLaw(a, sum(rest), f1=len(rest) == 2)


def evaluate(law_a: BetaLaw, law_b: BetaLaw, d: mpf) -> tuple[mpf, mpf, mpf]:
    low, high_c, span = max(-d, mpf(0)), max(d, mpf(0)), 1 - abs(d)

    def integral(what: str) -> mpf:
        def log_f(y: mpf) -> mpf:
            s, sc = expit(y)
            t, tc, u, uc = low + span * s, high_c + span * sc, high_c + span * s, low + span * sc
            log_w = law_a.log_pdf(t, tc) + mp.log(span * s * sc)
            if what == "pdf":
                return log_w + law_b.log_pdf(u, uc)
            return log_w + mp.log(law_b.tails(u, uc)[int(what == "sf")])

        return trapezoid(log_f)

    below, above, density = (integral(what) for what in ("cdf", "sf", "pdf"))
    if d > 0:
        below += law_a.tails(1 - d, d)[1]
    elif d < 0:
        above += law_a.tails(-d, 1 + d)[0]
    assert abs(below + above - 1) < mpf(10) ** -20, below + above
    return below, above, density


def main() -> None:
    mp.dps = 50
    entries = []
    for a, b, margins in CASES:
        for d in margins:
            below, above, density = evaluate(distribution_of(a), distribution_of(b), mpf(d))
            entries.append([a, b, d, digits(below), digits(above), digits(mp.log(density))])
            print(*entries[-1], flush=True)
    document = {
        "what": "law of B - A for independent scores: [parameters of A, of B, d, cdf, sf, logpdf]; two "
        "parameters are those of a Beta law, three those of an F1",
        "by": f"tests/reference/make_difference_grid.py, mpmath {mpmath.__version__} with {mp.dps} digits",
        "entries": entries,
    }
    text = json.dumps(document, separators=(",", ":")).replace("[[", "\n[[").replace(",[[", ",\n[[")
    (Path(__file__).parent / "difference_grid.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
