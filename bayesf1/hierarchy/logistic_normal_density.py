r"""The log posterior of the logistic-normal model and its gradient, as loops that numba compiles in seconds.

The logits of outcome j in block b of corpus g are

.. math:: x_{bj} + \sum_c D_{jc}\,(u_{gc} - \bar u_c) + \sum_k V_{kj}\,(v_{gbk} - \bar v_{bk}),

with effects u of the corpus on all models, mixed by the design D, and interactions v, in contrasts V. In place of
the population's mean logits, their average x over the corpora is a coordinate, which the data determine whatever
the scales are. Effects are :math:`u = r z`, :math:`r^{-2} = \sigma^{-2} + i`, where i is about what the data know
of them: non-centred, r = σ, where they know little, and free of σ where they know much. The same holds for v and τ.
"""

from __future__ import annotations

import math

import numpy as np

from bayesf1.evaluation import FloatArray


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

    Parameters
    ----------
    q
        Contrasts of x (block, k), log σ (cell), log τ, z of u (group, cell), z of v (group, block, k).
    counts, alpha
        Axes (group, block, outcome) and (block, outcome).
    design, basis
        D, axes (outcome, cell), and V, axes (k, outcome).
    known
        What the data know of the effects, as precisions, in the order of `q`.
    group_sd, interaction_sd
        Scales of the half-normal priors of σ and τ.
    slope
        Where the gradient goes, as long as `q`.
    """
    n_groups, n_blocks, n_outcomes = counts.shape
    n_cells, n_contrasts = design.shape[1], n_outcomes - 1
    at_sigma = n_blocks * n_contrasts
    at_tau = at_sigma + n_cells
    at_u = at_tau + 1
    value: float = 0.0
    for c in range(n_cells + 1):
        scale = group_sd if c < n_cells else interaction_sd
        ratio = (math.exp(q[at_sigma + c]) / scale) ** 2
        value += q[at_sigma + c] - 0.5 * ratio
        slope[at_sigma + c] = 1.0 - ratio

    # Effects, their scales r, and how much r follows the standard deviation.
    n_u, n_effects = n_groups * n_cells, len(q) - at_u
    precision = np.exp(-2.0 * q[at_sigma:at_u])
    effects = np.empty(n_effects)
    r = np.empty(n_effects)
    for i in range(n_effects):
        c = i % n_cells if i < n_u else n_cells
        r[i] = 1.0 / math.sqrt(precision[c] + known[i])
        effects[i] = r[i] * q[at_u + i]
        value += math.log(r[i]) - q[at_sigma + c] - 0.5 * effects[i] * effects[i] * precision[c]
    u = effects[:n_u].reshape(n_groups, n_cells)
    v = effects[n_u:].reshape(n_groups, n_blocks, n_contrasts)
    u_mean = np.zeros(n_cells)
    v_mean = np.zeros((n_blocks, n_contrasts))
    for g in range(n_groups):
        u_mean += u[g] / n_groups
        v_mean += v[g] / n_groups

    # The population's mean logits, with the Dirichlet prior of their shares.
    mean = np.zeros((n_blocks, n_outcomes))
    in_mean = np.zeros((n_blocks, n_outcomes))
    logits = np.empty(n_outcomes)
    powers = np.empty(n_outcomes)
    for b in range(n_blocks):
        for j in range(n_outcomes):
            for k in range(n_contrasts):
                mean[b, j] += basis[k, j] * (q[b * n_contrasts + k] - v_mean[b, k])
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
                logit = mean[b, j]
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
                in_mean[b, j] += surplus
                for c in range(n_cells):
                    in_u[g, c] += surplus * design[j, c]
                for k in range(n_contrasts):
                    in_v[g, b, k] += surplus * basis[k, j]

    # Effects act through the mean logits, too, from which their average is taken.
    for b in range(n_blocks):
        for k in range(n_contrasts):
            inner = 0.0
            for j in range(n_outcomes):
                inner += basis[k, j] * in_mean[b, j]
            slope[b * n_contrasts + k] = inner
            for g in range(n_groups):
                in_v[g, b, k] -= inner / n_groups
    for c in range(n_cells):
        inner = 0.0
        for b in range(n_blocks):
            for j in range(n_outcomes):
                inner += design[j, c] * in_mean[b, j]
        for g in range(n_groups):
            in_u[g, c] -= inner / n_groups
    of_u, of_v = in_u.reshape(-1), in_v.reshape(-1)
    for i in range(n_effects):
        c = i % n_cells if i < n_u else n_cells
        square = effects[i] * effects[i] * precision[c]
        pull = (of_u[i] if i < n_u else of_v[i - n_u]) - effects[i] * precision[c]
        follows = precision[c] * r[i] * r[i]
        slope[at_u + i] = pull * r[i]
        slope[at_sigma + c] += pull * effects[i] * follows + square - 1.0 + follows
    return value
