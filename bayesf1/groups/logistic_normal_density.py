r"""The log posterior of the logistic-normal model and its gradient, as loops that numba compiles in seconds.

The logits of outcome j in block b of corpus g are

.. math:: x_{bj} + \sum_c D_{jc}\,(u_{gc} - \bar u_c) + \sum_k V_{kj}\,(v_{gbk} - \bar v_{bk}),

with effects u of the corpus on all models, mixed by the design D, and interactions v, in contrasts V. In place of
the population's mean logits, their average x over the corpora is a coordinate, which the data determine whatever
the scales are. Effects are rotated, into their average and Helmert's contrasts between corpora, and scaled,
:math:`z s/\sqrt{1 + i s^2}` with standard deviation σ = |s|, where i is about what the data know of them: non-centred
where they know little, as of the average, and free of s where they know much. The same holds for v and τ. As s is
normal of either sign, nothing narrows where σ is near 0.
"""

from __future__ import annotations

import math

import numpy as np

from bayesf1.base.arrays import FloatArray


def log_density(
    q: FloatArray,
    counts: FloatArray,
    alpha: FloatArray,
    design: FloatArray,
    basis: FloatArray,
    known: FloatArray,
    group_sd: float,
    interaction_sd: float,
    slope: FloatArray,
) -> float:
    """Return the log posterior at `q` and write its gradient into `slope`.

    `q` has contrasts of x (block, k), s of u (cell) and of v, z of rotated u (group, cell) and of v (group, block, k).
    Axes are (group, block, outcome) for `counts`, (block, outcome) for `alpha`, (outcome, cell) for D, the `design`,
    and (k, outcome) for V, the `basis`. What the data know of the effects, as precisions, is in the order of `q`; the
    priors of both s are normal with the standard deviations given.
    """
    n_groups, n_blocks, n_outcomes = counts.shape
    n_cells, n_contrasts = design.shape[1], n_outcomes - 1
    at_s = n_blocks * n_contrasts
    at_u = at_s + n_cells + 1
    value: float = 0.0
    for c in range(n_cells + 1):
        scale = group_sd if c < n_cells else interaction_sd
        value -= 0.5 * (q[at_s + c] / scale) ** 2
        slope[at_s + c] = -q[at_s + c] / (scale * scale)

    # Effects, and how free of the data their scale is.
    n_u, n_effects = n_groups * n_cells, len(q) - at_u
    effects = np.empty(n_effects)
    free = np.empty(n_effects)
    for i in range(n_effects):
        s = q[at_s + i % n_cells] if i < n_u else q[at_u - 1]
        z = q[at_u + i]
        free[i] = 1.0 / (1.0 + known[i] * s * s)
        effects[i] = z * s * math.sqrt(free[i])
        value += 0.5 * math.log(free[i]) - 0.5 * z * z * free[i]
    turned_u = effects[:n_u].reshape(n_groups, n_cells)
    turned_v = effects[n_u:].reshape(n_groups, n_blocks, n_contrasts)
    root = math.sqrt(n_groups)
    u_mean, v_mean = turned_u[0] / root, turned_v[0] / root
    # Rotated back by sums from the last corpus on: the rows of Helmert's matrix are constant up to the diagonal.
    u = np.zeros((n_groups, n_cells))
    v = np.zeros((n_groups, n_blocks, n_contrasts))
    for g in range(n_groups - 1, 0, -1):
        weight = 1.0 / math.sqrt(g * (g + 1.0))
        u[g - 1] = u[g] + weight * turned_u[g]
        v[g - 1] = v[g] + weight * turned_v[g]
        u[g] -= g * weight * turned_u[g]
        v[g] -= g * weight * turned_v[g]

    # The population's mean logits, with the Dirichlet prior of their shares.
    average = np.zeros((n_blocks, n_outcomes))
    in_average = np.zeros((n_blocks, n_outcomes))
    mean = np.zeros((n_blocks, n_outcomes))
    in_mean = np.zeros((n_blocks, n_outcomes))
    logits = np.empty(n_outcomes)
    powers = np.empty(n_outcomes)
    for b in range(n_blocks):
        for j in range(n_outcomes):
            for k in range(n_contrasts):
                average[b, j] += basis[k, j] * q[b * n_contrasts + k]
                mean[b, j] -= basis[k, j] * v_mean[b, k]
            mean[b, j] += average[b, j]
            for c in range(n_cells):
                mean[b, j] -= design[j, c] * u_mean[c]
        highest = mean[b].max()
        total = 0.0
        weight = 0.0
        for j in range(n_outcomes):
            powers[j] = math.exp(mean[b, j] - highest)
            total += powers[j]
            weight += alpha[b, j]
        log_total = highest + math.log(total)
        for j in range(n_outcomes):
            value += alpha[b, j] * (mean[b, j] - log_total)
            in_mean[b, j] = alpha[b, j] - weight * powers[j] / total

    in_u = np.zeros((n_groups, n_cells))
    in_v = np.zeros((n_groups, n_blocks, n_contrasts))
    for g in range(n_groups):
        for b in range(n_blocks):
            highest = -math.inf
            items = 0.0
            for j in range(n_outcomes):
                logit = average[b, j]
                for c in range(n_cells):
                    logit += design[j, c] * u[g, c]
                for k in range(n_contrasts):
                    logit += basis[k, j] * v[g, b, k]
                logits[j] = logit
                highest = max(highest, logit)
                items += counts[g, b, j]
            total = 0.0
            for j in range(n_outcomes):
                powers[j] = math.exp(logits[j] - highest)
                total += powers[j]
            log_total = highest + math.log(total)
            for j in range(n_outcomes):
                value += counts[g, b, j] * (logits[j] - log_total)
                surplus = counts[g, b, j] - items * powers[j] / total
                in_average[b, j] += surplus
                for c in range(n_cells):
                    in_u[g, c] += surplus * design[j, c]
                for k in range(n_contrasts):
                    in_v[g, b, k] += surplus * basis[k, j]

    turned_in_u = np.zeros((n_groups, n_cells))
    turned_in_v = np.zeros((n_groups, n_blocks, n_contrasts))
    sum_u, sum_v = in_u[0].copy(), in_v[0].copy()
    for g in range(1, n_groups):
        weight = 1.0 / math.sqrt(g * (g + 1.0))
        turned_in_u[g] = weight * (sum_u - g * in_u[g])
        turned_in_v[g] = weight * (sum_v - g * in_v[g])
        sum_u += in_u[g]
        sum_v += in_v[g]
    # Averages of the effects act through the population's mean alone.
    for b in range(n_blocks):
        for k in range(n_contrasts):
            slope[b * n_contrasts + k] = 0.0
            for j in range(n_outcomes):
                slope[b * n_contrasts + k] += basis[k, j] * (in_mean[b, j] + in_average[b, j])
                turned_in_v[0, b, k] -= basis[k, j] * in_mean[b, j] / root
        for c in range(n_cells):
            for j in range(n_outcomes):
                turned_in_u[0, c] -= design[j, c] * in_mean[b, j] / root
    of_u, of_v = turned_in_u.reshape(-1), turned_in_v.reshape(-1)
    for i in range(n_effects):
        at = at_s + i % n_cells if i < n_u else at_u - 1
        s, z = q[at], q[at_u + i]
        pull = (of_u[i] if i < n_u else of_v[i - n_u]) * math.sqrt(free[i])
        slope[at_u + i] = pull * s - z * free[i]
        slope[at] += (pull * z + known[i] * s * (z * z * free[i] - 1.0)) * free[i]
    return value
