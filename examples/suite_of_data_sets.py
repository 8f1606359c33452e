"""
Three models, six data sets, three seeds
========================================

Is the method better on the average data set?

A paper's large table has a score for each model and data set, often of several seeds. Seeds of one data set tell little
about other data sets, so the data sets are what was sampled, and the runs of each show how much training adds.
"""

from __future__ import annotations

import pandas as pd
from sklearn import datasets
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import bayesf1 as bf

SEEDS = range(3)
LEARNERS = {"tree": DecisionTreeClassifier, "forest": RandomForestClassifier, "extra": ExtraTreesClassifier}

# %%
# Data sets: two of scikit-learn as they are, and four questions about handwritten digits:

x, y = datasets.load_breast_cancer(return_X_y=True)
sources = {"cancer": (x, y == 0)}
x, y = datasets.load_wine(return_X_y=True)
sources["wine"] = (x, y == 1)
pictures, digits = datasets.load_digits(return_X_y=True)
sources |= {f"digit {k}": (pictures, digits == k) for k in (1, 3, 8, 9)}

rows = []
for dataset, (x, y) in sources.items():
    train, test, gold_train, gold_test = train_test_split(x, y, test_size=0.5, random_state=0, stratify=y)
    for model, learner in LEARNERS.items():
        settings = {} if model == "tree" else {"n_estimators": 20}
        for seed in SEEDS:
            fitted = learner(random_state=seed, **settings).fit(train, gold_train)
            f1 = f1_score(gold_test, fitted.predict(test))
            rows.append({"model": model, "dataset": dataset, "seed": seed, "f1": round(f1, 3)})
table = pd.DataFrame(rows)
print(table.groupby(["dataset", "model"], sort=False)["f1"].mean().unstack().round(3))

# %%
# The columns ``dataset`` and ``seed`` are recognised, as in ``bayesf1 compare table.csv --scores f1``:

ev = bf.from_frame(table, score="f1")
res = bf.compare(ev, "forest", "extra", rope=0.01)
print(res)

# %%
# All three, on the average data set:

print(bf.rank(ev))

# %%

axes = bf.plot_difference(res)
