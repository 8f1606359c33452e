"""
Five seeds of two learners
==========================

Is the method better, or only these trained models?

Two small networks are trained five times each, with different seeds and nothing else changed, to tell eights from other
digits. Every run is tested on the same items. From training to the sentence, the table and the figure.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import bayesf1 as bf

SEEDS = range(5)


def learners(seed: int) -> dict[str, Pipeline]:
    """Return both learners, as a seed makes them."""
    small = {"hidden_layer_sizes": (3,), "max_iter": 40, "learning_rate_init": 0.01, "random_state": seed}
    return {
        "tanh": make_pipeline(StandardScaler(), MLPClassifier(activation="tanh", **small)),
        "relu": make_pipeline(StandardScaler(), MLPClassifier(activation="relu", **small)),
    }


# %%
# Train, and test every run on the same items:

pictures, digits = load_digits(return_X_y=True)
gold = digits == 8
train, test = train_test_split(np.arange(len(gold)), test_size=0.5, random_state=0, stratify=gold)
said: dict[str, dict[str, np.ndarray]] = {"tanh": {}, "relu": {}}
with warnings.catch_warnings():
    # The networks are stopped early.
    warnings.simplefilter("ignore", ConvergenceWarning)
    for seed in SEEDS:
        for name, learner in learners(seed).items():
            learner.fit(pictures[train], gold[train])
            said[name][f"seed{seed}"] = learner.predict(pictures[test])
ev = bf.from_labels(gold[test], said, positive=True)
print(ev)
for method in ev.methods:
    print(f"F1 of {method.name}: ", *(f"{100 * bf.score(ev, run, 'f1'):.1f}" for run in method.runs))

# %%
# One run of each, as in most papers. One pair of seeds in five would have been reported as a discovery:

for seed in SEEDS:
    one = bf.compare(ev, f"tanh/seed{seed}", f"relu/seed{seed}", metrics="f1", rng=0)
    print(f"seed {seed}:", one.sentence())

# %%
# These ten models, and no others:

print(bf.compare(ev, metrics="f1", target="models", rng=0).sentence())

# %%
# The methods, allowing for the training and for the items:

res = bf.compare(ev, metrics="f1", rng=0)
print(res)

# %%

axes = bf.plot_posterior(ev, metrics="f1", rng=0)

# %%
# For the paper:

print(res.methods_sentence())
