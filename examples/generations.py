"""
Five answers to each question
=============================

Two language models answered each question five times. Is one better, and what would make the answer surer?

A question answered five times is one item with five generations. The table has a row for each model, question and
generation, with the names that evaluation harnesses use. The answers are simulated.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import bayesf1 as bf

N_QUESTIONS = 150
N_GENERATIONS = 5

# %%
# The table. Questions differ in how often they are answered well:

rng = np.random.default_rng(5)
chance = rng.beta(1.0, 1.0, N_QUESTIONS)
columns = {"model": ["base", "tuned"], "question_id": range(N_QUESTIONS), "epoch": range(N_GENERATIONS)}
rows = pd.MultiIndex.from_product(columns.values(), names=columns).to_frame(index=False)
skill = rows["model"].map({"base": 0.0, "tuned": 0.05})
right = chance[rows["question_id"]] + skill
rows["ok"] = (rng.random(len(rows)) < right).astype(int)
print(rows.head(7).to_string(index=False))

# %%
# The columns are recognised, as in ``bayesf1 compare answers.csv --correct ok``. The notes say where the uncertainty comes
# from, and what more questions or generations would bring:

ev = bf.from_frame(rows, correct="ok")
res = bf.compare(ev)
print(res)

# %%
# With one generation each, the same questions would have said less:

for n in range(1, N_GENERATIONS + 1):
    fewer = bf.from_frame(rows[rows["epoch"] < n], correct="ok")
    low, high = bf.compare(fewer)["accuracy"].difference.interval(0.95)
    print(f"{n} of {N_GENERATIONS} generations: {100 * low:+.1f} to {100 * high:+.1f} points")

# %%
# If questions come in groups, such as the passages that they are about, and these were sampled, name their column:

grouped = bf.from_frame(rows.assign(passage=rows["question_id"] // 5), correct="ok", group="passage")
print(bf.compare(grouped).title)

# %%

axes = bf.plot_difference(res)
