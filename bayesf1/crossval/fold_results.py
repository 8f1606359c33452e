"""Scores of folds as scikit-learn's `cross_validate` returns them, with times, estimators and indices beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesf1.base.naming import nearest
from bayesf1.designs.design import BlockedCV, KFoldCV


def read_results(
    given: Mapping[str, Any], metric: Any, cv: BlockedCV | KFoldCV | int | None
) -> tuple[dict[str, Any], BlockedCV | KFoldCV | int | None]:
    """Return scores of folds by model, and their design, where it was given or the indices of the folds tell it.

    Parameters
    ----------
    given
        Mapping of model name to an array of scores, which is left as it is, or to what `cross_validate` returned.
    metric
        Which of several scores is meant, such as ``"f1"`` for ``test_f1``.
    cv
        The design, None where the indices are to tell it.

    Examples
    --------
    >>> found = {"fit_time": [1, 1], "test_score": [0.8, 0.9], "indices": {"test": [[0, 1], [2, 3]]}}
    >>> read_results({"A": found}, None, None)
    ({'A': [0.8, 0.9]}, KFoldCV(folds=2, repeats=1))
    """
    results = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    scores = {**given, **{name: _scores(value, name, metric) for name, value in results.items()}}
    tested = {name: value["indices"]["test"] for name, value in results.items() if "indices" in value}
    for name, folds in tested.items():
        first = next(iter(tested))
        if len(folds) != len(tested[first]) or any(
            not np.array_equal(a, b) for a, b in zip(folds, tested[first], strict=True)
        ):
            raise ValueError(
                f"results of {name!r} are of other folds than those of {first!r}; give cross_validate the same splitter with "
                "a fixed random_state"
            )
    if cv is None and tested:
        cv = _design(next(iter(tested.values())))
    return scores, cv


def _scores(result: Mapping[str, Any], name: str, metric: Any) -> Any:
    known = [key.removeprefix("test_") for key in result if str(key).startswith("test_")]
    if not known:
        raise ValueError(
            f"results of {name!r} hold no scores of folds: cross_validate returns them as test_score, or test_f1"
        )
    asked = known[0] if metric is None and len(known) == 1 else metric
    if asked is None:
        raise ValueError(
            f"results of {name!r} hold several scores; say metric= with one of {', '.join(known)}"
        )
    if asked not in known and known != ["score"]:
        raise ValueError(f"results of {name!r} hold no scores {asked!r}; {nearest(str(asked), known)}")
    return result[f"test_{asked if asked in known else 'score'}"]


def _design(folds: Any) -> KFoldCV:
    """Return the design of folds whose items are each tested once in every repeat, or say that they are not."""
    sizes = np.bincount(np.concatenate([np.asarray(fold) for fold in folds]))
    repeats = int(sizes.max())
    each, rest = divmod(len(folds), repeats)
    whole = not rest and all(
        len(np.unique(np.concatenate(folds[i * each : (i + 1) * each]))) == len(sizes) for i in range(repeats)
    )
    if (sizes != repeats).any() or not whole:
        raise ValueError(
            "the folds do not test every item once in each repeat, as those of K-fold cross-validation do; say cv= with the "
            "design that comes nearest, such as KFoldCV(10)"
        )
    return KFoldCV(each, repeats)
