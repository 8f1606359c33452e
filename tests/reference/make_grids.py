"""Reference values of Beta and F-score distributions and of differences to 22 digits, computed with mpmath.

Nothing here is shared with the package. The incomplete beta function is the continued fraction DLMF 8.17.22;
F-scores with a weight other than 1 are conditioned on precision (the package conditions on how errors split):
with gamma variates G of the cells, P = G_tp/(G_tp+G_fp) and U = G_fn/(G_tp+G_fp+G_fn) are independent, and
F_beta > t iff U/(1-U) < ((1+beta^2)(1-t)/t P - (1-P))/beta^2. Probabilities and densities
of a difference B - A are integrated over A's score. Integrals are sums over nodes that are doubled until the halves
agree. Points and parameters are doubles, taken as exact.

Run ``python tests/reference/make_grids.py`` to compute law_grid.json and difference_grid.json beside this file anew (some
twenty minutes): what they ask for, parameters, points and levels, is taken from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp, mpf
from scipy import special

GOAL = mpf(10) ** -30
DIGITS = 22
HERE = Path(__file__).parent


def log_beta(a: mpf, b: mpf) -> mpf:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def beta_tails(a: mpf, b: mpf, x: mpf, xc: mpf) -> tuple[mpf, mpf]:
    """Return both tails of Be(a, b) at x, the smaller to full relative precision."""
    if x * (a + b + 2) > a + 1:
        return beta_tails(b, a, xc, x)[::-1]
    # DLMF 8.17.22 by Lentz's method
    d = 1 / (1 - (a + b) * x / (a + 1))
    c, fraction, m = mpf(1), d, 0
    change = mpf(0)
    while abs(change - 1) > GOAL:
        m += 1
        change = mpf(1)
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            change *= c * d
        fraction *= change
    low = mp.exp(a * mp.log(x) + b * mp.log(xc) - log_beta(a, b)) / a * fraction
    return low, 1 - low


def trapezoid(log_f: Callable[[mpf], mpf], start: float = 0.0) -> mpf:
    """Integrate exp(log_f) with one maximum over the line, doubling the nodes until 25 digits stand."""
    peak = maximise(log_f, mpf(start))
    top = log_f(peak)
    ends = []
    for sign in (-1, 1):
        reach = mpf(1) / 2**20
        while top - log_f(peak + sign * reach) < 70:
            reach *= 2
        low = reach / 2
        for _ in range(6):
            middle = (low + reach) / 2
            low, reach = (middle, reach) if top - log_f(peak + sign * middle) < 70 else (low, middle)
        ends.append(peak + sign * reach)
    low, high = ends
    n = 24
    step = (high - low) / n
    total = mp.fsum(mp.exp(log_f(low + step * i) - top) for i in range(n + 1))
    while True:
        more = mp.fsum(mp.exp(log_f(low + step * (i + mpf(1) / 2)) - top) for i in range(n))
        converged = abs(more / total - 1) < mpf(10) ** -13
        total, n, step = total + more, 2 * n, step / 2
        # The rule converges geometrically: halves that agree to 13 digits make a sum good to about 26.
        if converged:
            return total * step * mp.exp(top)


def maximise(log_f: Callable[[mpf], mpf], start: mpf) -> mpf:
    reach = mpf(1)
    while log_f(start - reach) > log_f(start) or log_f(start + reach) > log_f(start):
        start += reach if log_f(start + reach) > log_f(start) else -reach
        reach *= mpf(3) / 2
    low, high = start - reach, start + reach
    while high - low > mpf(10) ** -8:
        left, right = low + (high - low) * mpf("0.382"), low + (high - low) * mpf("0.618")
        low, high = (low, right) if log_f(left) > log_f(right) else (left, high)
    return (low + high) / 2


class BetaLaw:
    """Be(a, b), or the law of 2X/(1+X)."""

    def __init__(self, a: mpf, b: mpf, *, f1: bool) -> None:
        self.a, self.b, self.f1 = a, b, f1

    def tails(self, t: mpf, tc: mpf) -> tuple[mpf, mpf]:
        x, xc = (t / (1 + tc), 2 * tc / (1 + tc)) if self.f1 else (t, tc)
        return beta_tails(self.a, self.b, x, xc)

    def log_pdf(self, t: mpf, tc: mpf) -> mpf:
        x, xc = (t / (1 + tc), 2 * tc / (1 + tc)) if self.f1 else (t, tc)
        inner = (self.a - 1) * mp.log(x) + (self.b - 1) * mp.log(xc) - log_beta(self.a, self.b)
        return inner + (mp.log(2 / (1 + tc) ** 2) if self.f1 else 0)

    def rough(self, q: float, upper: bool) -> mpf:
        a, b = float(self.a), float(self.b)
        x = mpf(float(special.betainccinv(a, b, q) if upper else special.betaincinv(a, b, q)))
        return 2 * x / (1 + x) if self.f1 else x

    def expectation(self, log_g: Callable[[mpf, mpf], mpf]) -> mpf:
        """E[exp(log_g(T, 1 - T))], integrated over the logit."""

        def log_f(z: mpf) -> mpf:
            x, xc = expit(z)
            t, tc = (2 * x / (1 + x), xc / (1 + x)) if self.f1 else (x, xc)
            return self.a * mp.log(x) + self.b * mp.log(xc) - log_beta(self.a, self.b) + log_g(t, tc)

        return trapezoid(log_f, float(mp.log(self.a / self.b)))

    def summaries(self) -> dict[str, str]:
        a, b = self.a, self.b
        n = a + b
        mean, mean_c = (self.expectation(lambda t, tc, i=i: mp.log((t, tc)[i])) for i in (0, 1))
        # The smaller of T and 1-T keeps the variance's digits.
        pick = 0 if mean < mean_c else 1
        small = (mean, mean_c)[pick]
        square = self.expectation(lambda t, tc: 2 * mp.log((t, tc)[pick]))
        out = {"mean": mean, "var": square - small**2}
        if a > 1 and b > 1:
            if self.f1:
                # (a-1)/t - (b-1)/(1-t) + (a+b)/(2-t) = 0
                m = 2 * a + b - 5
                out["mode"] = (mp.sqrt(m * m + 16 * (a - 1)) - m) / 4
            else:
                out["mode"] = (a - 1) / (n - 2)
        return {name: digits(value) for name, value in out.items()}


class WeightedF:
    """F_beta for any weight, conditioned on precision."""

    def __init__(self, tp: mpf, fp: mpf, fn: mpf, beta: mpf) -> None:
        self.tp, self.fp, self.fn, self.square = tp, fp, fn, beta * beta

    def _integral(self, t: mpf, tc: mpf, what: str) -> mpf:
        tp, fp, fn, square = self.tp, self.fp, self.fn, self.square
        gain = (1 + square) * tc / t
        least = 1 / (1 + gain)
        norm, norm_u = log_beta(tp, fp), log_beta(fn, tp + fp)

        def log_f(y: mpf) -> mpf:
            s, sc = expit(y)
            p, pc = least + (1 - least) * s, (1 - least) * sc
            # odds of U at the limit: (gain p - (1-p))/square = (gain + 1)(p - least)/square
            c = (gain + 1) * (1 - least) * s / square
            u, uc = c / (1 + c), 1 / (1 + c)
            log_w = (tp - 1) * mp.log(p) + (fp - 1) * mp.log(pc) - norm + mp.log((1 - least) * s * sc)
            if what == "pdf":
                rate = (1 + square) / (square * t * t) * p * uc**2
                return log_w + (fn - 1) * mp.log(u) + (tp + fp - 1) * mp.log(uc) - norm_u + mp.log(rate)
            tails = beta_tails(fn, tp + fp, u, uc)
            return log_w + mp.log(tails[0] if what == "sf" else tails[1])

        return trapezoid(log_f)

    def tails(self, t: mpf, tc: mpf) -> tuple[mpf, mpf]:
        low = self._integral(t, tc, "cdf")
        # Precision below `least` gives F below t whatever the recall.
        gain = (1 + self.square) * tc / t
        low += beta_tails(self.tp, self.fp, 1 / (1 + gain), gain / (1 + gain))[0]
        high = self._integral(t, tc, "sf")
        assert abs(low + high - 1) < mpf(10) ** -20, low + high
        return low, high

    def log_pdf(self, t: mpf, tc: mpf) -> mpf:
        return mp.log(self._integral(t, tc, "pdf"))

    def rough(self, q: float, upper: bool) -> mpf:
        a, b = float(self.tp), float(self.fp + self.fn)
        x = mpf(float(special.betainccinv(a, b, q) if upper else special.betaincinv(a, b, q)))
        w = (self.fp + self.square * self.fn) / ((self.fp + self.fn) * (1 + self.square))
        return x / (x + w * (1 - x))


def expit(z: mpf) -> tuple[mpf, mpf]:
    return 1 / (1 + mp.exp(-z)), 1 / (1 + mp.exp(z))


def quantile(distribution: BetaLaw | WeightedF, q: mpf, *, upper: bool) -> mpf:
    """Solve for a quantile by Newton steps on the log of the tail, over the logit."""
    t = distribution.rough(float(q), upper)
    z = mp.log(t / (1 - t)) if t < 1 else mpf(36)
    for _ in range(60):
        t, tc = expit(z)
        tail = distribution.tails(t, tc)[int(upper)]
        slope = mp.exp(distribution.log_pdf(t, tc)) * t * tc / tail
        step = (mp.log(q) - mp.log(tail)) / slope * (-1 if upper else 1)
        z += step
        if abs(step) < mpf(10) ** -25:
            return expit(z)[0]
    raise ArithmeticError("no quantile")


def hdi(distribution: BetaLaw, prob: mpf) -> list[mpf]:
    def gaps(y: mpf, z: mpf) -> tuple[mpf, mpf]:
        low, high = (distribution.tails(*expit(v))[0] for v in (y, z))
        heights = [distribution.log_pdf(*expit(v)) for v in (y, z)]
        return high - low - prob, heights[1] - heights[0]

    start = [distribution.rough(float(1 - prob) / 2, upper) for upper in (False, True)]
    return [expit(z)[0] for z in mp.findroot(gaps, [mp.log(t / (1 - t)) for t in start])]


def digits(value: mpf) -> str:
    return mpmath.nstr(value, DIGITS)


def distribution_of(parameters: list[float]) -> BetaLaw | WeightedF:
    """Return a Beta distribution of two parameters, an F1 of three, or another F-score of four."""
    first, *rest = (mpf(p) for p in parameters)
    return WeightedF(first, *rest) if len(rest) == 3 else BetaLaw(first, sum(rest), f1=len(rest) == 2)


def describe(known: dict[str, Any]) -> dict[str, Any]:
    """Compute an entry anew: at its points, and whatever else it has."""
    distribution, entry = distribution_of(known["parameters"]), dict(known)
    entry["points"] = []
    for t, *_ in known["points"]:
        pair = mpf(t), 1 - mpf(t)
        entry["points"].append([t, *map(digits, (distribution.log_pdf(*pair), *distribution.tails(*pair)))])
    if "summaries" in known:
        entry["summaries"] = distribution.summaries()
    if "hdi" in known:
        entry["hdi"] = [digits(end) for end in hdi(distribution, mpf("0.95"))]
    if "quantiles" in known:
        entry["quantiles"] = [
            [q, *(digits(quantile(distribution, mpf(q), upper=upper)) for upper in (False, True))]
            for q, *_ in known["quantiles"]
        ]
    return entry


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


def compare(known: list[Any]) -> list[Any]:
    """Compute an entry of differences anew."""
    a, b, d = known[:3]
    below, above, density = evaluate(distribution_of(a), distribution_of(b), mpf(d))
    return [a, b, d, digits(below), digits(above), digits(mp.log(density))]


def main() -> None:
    mp.dps = 50
    for name, again, start in (("law_grid", describe, '{"law"'), ("difference_grid", compare, "[[")):
        path = HERE / f"{name}.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        document["by"] = f"tests/reference/make_grids.py, mpmath {mpmath.__version__} with {mp.dps} digits"
        document["entries"] = [again(entry) for entry in document["entries"]]
        text = json.dumps(document, separators=(",", ":")).replace(start, f"\n{start}")
        path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
