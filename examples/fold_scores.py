"""
A spreadsheet of ten folds
==========================

Only the scores of the folds were kept. Which learner is better?

Cross-validation is often reported as a sheet with a row for each fold and a column for each model. Ten folds are not ten
independent experiments, because their training sets overlap. The sheet is read as what it is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import bayesf1 as bf

# %%
# The sheet, which yours is already:

x, y = load_breast_cancer(return_X_y=True)
learners = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
}
folds = StratifiedKFold(10)
scores = {name: cross_val_score(learner, x, y, cv=folds, scoring="f1") for name, learner in learners.items()}
sheet = Path(tempfile.mkdtemp(), "folds.csv")
pd.DataFrame(scores).rename_axis("fold").to_csv(sheet, float_format="%.3f")
print(sheet.read_text())

# %%
# The column of folds is recognised by its name, as in ``bayesf1 compare folds.csv --scores f1``. The answer is about training
# again on nine tenths of such data, by the correlated t-test of Nadeau and Bengio:

ev = bf.read(sheet, scores="f1")
res = bf.compare(ev, "bayes", "logistic", rope=0.01)
print(res)

# %%
# All three:

print(bf.rank(ev))

# %%
# The paired t-test takes the folds as independent. It stands beside the tests that do not:

print(bf.fold_tests(ev, "bayes", "logistic"))

# %%

axes = bf.plot_difference(res)
