"""The log posterior of the Dirichlet-multinomial and its gradient, as loops that numba compiles in seconds."""

from __future__ import annotations

import math

import numpy as np

from bayesf1.base.arrays import FloatArray


def log_density(
    q: FloatArray,
    counts: FloatArray,
    alpha: FloatArray,
    basis: FloatArray,
    log_kappa_mean: float,
    log_kappa_sd: float,
    slope: FloatArray,
) -> float:
    """Return the log posterior at `q` and write its gradient into `slope`.

    `q` has contrasts of the logits of π (block, k), then log κ (block), whose prior is normal; `counts` have axes
    (group, block, outcome), `alpha` (block, outcome), and the contrasts in `basis` (k, outcome).
    """
    n_groups, n_blocks, n_outcomes = counts.shape
    n_contrasts = n_outcomes - 1
    logits = np.empty(n_outcomes)
    shares = np.empty(n_outcomes)
    pull = np.empty(n_outcomes)
    # Logarithms of the gamma function at a and a + y, and their derivatives.
    gamma = np.empty(2)
    psi = np.empty(2)
    value = 0.0
    for b in range(n_blocks):
        at = n_blocks * n_contrasts + b
        kappa = math.exp(q[at])
        highest = -math.inf
        for j in range(n_outcomes):
            logits[j] = 0.0
            for k in range(n_contrasts):
                logits[j] += basis[k, j] * q[b * n_contrasts + k]
            highest = max(highest, logits[j])
        total = 0.0
        for j in range(n_outcomes):
            shares[j] = math.exp(logits[j] - highest)
            total += shares[j]
        z = (q[at] - log_kappa_mean) / log_kappa_sd
        value -= 0.5 * z * z
        slope[at] = -z / log_kappa_sd
        for j in range(n_outcomes):
            shares[j] /= total
            value += alpha[b, j] * (logits[j] - highest - math.log(total))
            pull[j] = alpha[b, j]
        for g in range(n_groups):
            items = counts[g, b].sum()
            for j in range(n_outcomes + 1):
                # The last round is that of kappa itself, which counts the other way.
                whole = j == n_outcomes
                a = kappa if whole else max(kappa * shares[j], 1e-300)
                y = items if whole else counts[g, b, j]
                if y == 0.0:
                    continue
                for i in range(2):
                    # Raised by recurrence to where Stirling's series holds to 12 digits.
                    x = a + i * y
                    gamma[i] = 0.0
                    psi[i] = 0.0
                    while x < 8.0:
                        gamma[i] -= math.log(x)
                        psi[i] -= 1.0 / x
                        x += 1.0
                    r = 1.0 / (x * x)
                    gamma[i] += (
                        (x - 0.5) * math.log(x)
                        - x
                        + (1.0 - r * (1.0 / 30.0 - r * (1.0 / 105.0 - r * (1.0 / 140.0 - r / 99.0))))
                        / (12.0 * x)
                    )
                    psi[i] += (
                        math.log(x)
                        - 0.5 / x
                        - r
                        * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r / 132.0))))
                    )
                rise = gamma[1] - gamma[0]
                seen = a * (psi[1] - psi[0])
                if whole:
                    value -= rise
                    slope[at] -= seen
                else:
                    value += rise
                    slope[at] += seen
                    pull[j] += seen
        pulls = pull.sum()
        for k in range(n_contrasts):
            inner = 0.0
            for j in range(n_outcomes):
                inner += basis[k, j] * (pull[j] - shares[j] * pulls)
            slope[b * n_contrasts + k] = inner
    return value
