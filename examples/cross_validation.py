"""
Analysing a cross-validation
============================

From estimators to a verdict, in 3×2 blocked cross-validation.

Two text classifiers of scikit-learn on generated reviews; replace `reviews` by your own texts and labels.
"""

import warnings

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import bayesf1 as bf

PRAISE = ["good", "great", "fine", "lovely", "superb", "pleasant", "clever", "warm"]
BLAME = ["bad", "poor", "dull", "awful", "weak", "boring", "cold", "flat"]
PLAIN = ["the", "film", "plot", "actor", "scene", "music", "story", "camera", "script", "end"]


def reviews(n: int = 400) -> tuple[list[str], list[str]]:
    """Texts and their labels: a few telling words among many that tell nothing."""
    rng = np.random.default_rng(3)
    texts, labels = [], []
    for _ in range(n):
        label = rng.choice(["pos", "neg"], p=[0.35, 0.65])
        telling = rng.choice(PRAISE if (label == "pos") == (rng.random() < 0.8) else BLAME, 2)
        words = [*telling, *rng.choice(PLAIN, 10)]
        texts.append(" ".join(words))
        labels.append(str(label))
    return texts, labels


texts, labels = reviews()
models = {
    "bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
    "logistic": make_pipeline(CountVectorizer(), LogisticRegression()),
}

# %%
# How similar are the halves, compared with random ones?

cv = bf.BlockedCV(m=3, rng=0)
print(cv.balance_report(texts, labels).round(1))

# %%
# From fits to a verdict:

with warnings.catch_warnings():
    # Small folds may not hold every word.
    warnings.simplefilter("ignore")
    ev = bf.cross_validate(models, texts, labels, cv=cv, positive="pos")
print(ev)
print(bf.compare(ev, "bayes", "logistic", rope=0.01, rng=1))

# %%
# And for the way of training, not only the models fitted in these folds:

print(bf.compare(ev, "bayes", "logistic", metrics="f1", target="method", rng=1).sentence())

# %%
# Tests that reviewers know, on the same folds:

print(bf.fold_tests(ev))

# %%
# What the discount changes:

answers = {}
for rule in ("wang-li", "once", "nadeau-bengio", "wang-2015"):
    other = ev.scaled(cv.discount(rule) / ev.folds.k)
    answers[f"{rule} ({cv.discount(rule):.3f})"] = bf.compare(other, metrics="f1", rng=1)["f1"]
axes = bf.plot_classes(answers)
