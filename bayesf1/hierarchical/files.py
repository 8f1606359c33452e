"""Fits in files: what must be known beside the draws, and how to read it back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base.checks import check_prob, checked
from bayesf1.base.naming import listing
from bayesf1.evaluation import Evaluation
from bayesf1.hierarchical.corpora import DIMS, Diagnostics, HierarchicalPrior, coords_of, suite_weights
from bayesf1.hierarchical.fit import SAMPLERS, TEXTS, HierarchicalFit
from bayesf1.hierarchical.scores import PlainScores
from bayesf1.inference.comparison import check_rope
from bayesf1.metrics import Metric
from bayesf1.output import arviz


@checked
def load_fit(path: str | PathLike[str]) -> HierarchicalFit:
    """Read a fit that was saved.

    Examples
    --------
    >>> import tempfile
    >>> from bayesf1 import from_counts, hierarchical
    >>> corpora = {"a": from_counts(A=(77, 44, 10), B=(83, 9, 14)), "b": from_counts(A=(9, 5, 3), B=(10, 4, 2))}
    >>> fit = hierarchical(corpora, draws=500, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit.save(f"{folder}/fit.nc")
    ...     again = load_fit(f"{folder}/fit.nc")
    >>> str(again) == str(fit)
    True
    """
    groups = arviz.load(str(path))
    try:
        document = json.loads(groups["posterior"].attrs["bayesf1"])
        version = str(document.pop("format"))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        version = ""
    if not version.startswith("bayesf1.hierarchical/"):
        raise ValueError(f"{path} holds draws, but not a fit that bayesf1 saved")
    if version != HierarchicalFit.json_format:
        raise ValueError(f"{path} holds a fit of another version of bayesf1 ({version:.40}); fit it again")
    try:
        return _restored(document, groups)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds a fit that is damaged: {' '.join(str(error).split()):.200}") from None


def _restored(document: Mapping[str, Any], groups: Mapping[str, Any]) -> HierarchicalFit:
    """Return the fit of a file's words and draws, or raise an error if they do not go together."""
    if not all(isinstance(document[name], str) for name in TEXTS) or document["likelihood"] not in SAMPLERS:
        raise ValueError(f"{listing(TEXTS)} are not all texts, or the likelihood is none")
    if document["assumption"] not in ("independent", "paired", "clustered"):
        raise ValueError(f"assumption is {document['assumption']!r:.60}")
    metrics = [_metric(entry) for entry in document["metrics"]]
    coords = coords_of(document["models"], [m.name for m in metrics], document["datasets"])
    for group in groups.keys() & {"posterior", "constant_data", "observed_data"}:
        for name, data in groups[group].items():
            named = all(data[dim].values.tolist() == [*coords[dim]] for dim in data.dims if dim in coords)
            finite = data.dtype.kind in "iufb" and np.isfinite(data.values).all()
            if not data.size or not named or not finite:
                raise ValueError(f"{name} is no array of finite numbers along the names of the fit")
    observed = groups["observed_data" if document["likelihood"] == "scores" else "constant_data"]["score"]
    if groups["posterior"]["score"].dims != DIMS or observed.dims != ("dataset", "system", "measure"):
        raise ValueError(f"the dims of scores are {groups['posterior']['score'].dims!r:.100}")
    fit = HierarchicalFit(
        groups=groups,
        ev=Evaluation(tuple(document["models"]), PlainScores.of(metrics), np.array(observed.values, float)),
        datasets=tuple(document["datasets"]),
        prior=HierarchicalPrior(**document["prior"]),
        prob=check_prob(document["prob"]),
        rope=check_rope(document["rope"], *metrics).given,
        diagnostics=Diagnostics(**document["diagnostics"]),
        weights=suite_weights(document["weights"], tuple(document["datasets"])),
        **{name: document[name] for name in TEXTS},
    )
    # What is missing or of another type fails to be printed, and does so here.
    str(fit)
    return fit


def _metric(entry: Mapping[str, Any]) -> Metric:
    """Return a metric of which everything is known but how to compute it, as its scores are."""
    low, high = entry["support"]
    support = (-math.inf if low is None else low, math.inf if high is None else high)
    texts = all(isinstance(entry[name], str) for name in ("name", "label"))
    flags = all(isinstance(entry[name], bool) for name in ("percent", "lower_is_better"))
    if not texts or not flags or not support[0] < support[1]:
        raise ValueError(f"a metric is {dict(entry)!r:.100}")

    return Metric(
        *(entry["name"], entry["label"], (), None, lambda tables: tables, support),
        percent=entry["percent"],
        lower_is_better=entry["lower_is_better"],
    )
