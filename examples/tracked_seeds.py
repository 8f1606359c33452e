"""
Seeds from an experiment tracker
================================

One number for each training run: is the method better?

Trackers export a table with a row for each run, in which settings and results are columns. Here six seeds of two small
networks are trained to tell eights from other digits, and their runs are logged with the names that such exports have.
"""

from __future__ import annotations

import warnings

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

import bayesf1 as bf

SEEDS = range(6)

# %%
# Train, and log each run:

pictures, digits = load_digits(return_X_y=True)
parts = train_test_split(pictures / 16.0, digits == 8, test_size=0.5, random_state=0, stratify=digits == 8)
train, test, gold_train, gold_test = parts
runs = []
with warnings.catch_warnings():
    # The networks are stopped early.
    warnings.simplefilter("ignore", ConvergenceWarning)
    for activation in ("tanh", "relu"):
        for seed in SEEDS:
            network = MLPClassifier(
                (6,), activation=activation, max_iter=80, learning_rate_init=0.01, random_state=seed
            )
            network.fit(train, gold_train)
            f1 = f1_score(gold_test, network.predict(test))
            runs.append({"config.activation": activation, "config.seed": seed, "summary.f1": round(f1, 4)})
export = pd.DataFrame(runs)
print(export)

# %%
# The names of these columns are not the usual ones, so say what they stand for. On the command line:
# ``bayesf1 compare export.csv --model config.activation --run config.seed --scores summary.f1``

ev = bf.from_frame(export, model="config.activation", run="config.seed", score="summary.f1")
res = bf.compare(ev)
print(res)

# %%
# Runs that failed to learn have an F1 of 0. Training again may fail again, so they count.
#
# The answer is about training again on this split, tested on these items. These numbers cannot show whether another test set
# would give the same. Predictions can, as :ref:`sphx_glr_gallery_seeds.py` shows.

axes = bf.plot_posterior(ev)
