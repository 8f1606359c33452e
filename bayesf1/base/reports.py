"""Results that hold no data: averages of them, which tell nothing of how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REPORT = frozenset(("precision", "recall", "f1-score", "support"))
_HARNESS = frozenset(("results", "versions", "n-shot"))


def refuse_reports(given: Any) -> None:
    """Say why averages are no data: those of `classification_report`, `cross_validate` and lm-evaluation-harness.

    Examples
    --------
    >>> refuse_reports({"A": {"spam": {"precision": 0.9, "recall": 0.8, "f1-score": 0.85, "support": 40}}})
    Traceback (most recent call last):
    ValueError: 'A' is a classification report, which has no counts and does not tell ...
    """
    if not isinstance(given, Mapping):
        return
    if _HARNESS.issubset(given):
        raise ValueError(
            "what was given are results of lm-evaluation-harness, averages over documents; run it with --log_samples and "
            "give the samples_*.jsonl"
        )
    for name, value in (("what was given", given), *((repr(k), v) for k, v in given.items())):
        if isinstance(value, Mapping) and any(
            isinstance(row, Mapping) and _REPORT.issubset(row) for row in value.values()
        ):
            raise ValueError(
                f"{name} is a classification report, which has no counts and does not tell what models did on the same "
                "items; give gold labels and predictions to from_labels, or confusion matrices to from_confusion"
            )
        if isinstance(value, Mapping) and "fit_time" in value:
            raise ValueError(
                f"{name} is a result of scikit-learn's cross_validate, whose folds share their data and are no independent "
                "units; compare them by bf.fold_tests, or give predictions of cross_val_predict to from_labels"
            )
