"""Fits in files: what must be said beside the draws, and how to read it back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base import arviz_data
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import checked
from bayesf1.bayes.rope import Rope
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.scoring import find_measure
from bayesf1.groups.corpora import suite_weights
from bayesf1.groups.corpus_scores import spreads_of
from bayesf1.groups.diagnostics import Diagnostics
from bayesf1.groups.fit import FILE_FORMAT, HierarchicalFit
from bayesf1.groups.plain_scores import PlainScores
from bayesf1.groups.prior import HierarchicalPrior
from bayesf1.kinds.known_kinds import counted_kind

# What a file says beside its draws, by type.
_SCHEMA: dict[str, Any] = {
    "likelihood assumption noun note within task": str,
    "prob": int | float,
    "rope": int | float | list,
    "models cells classes datasets metrics": list,
    "prior diagnostics weights": dict,
}
# What a likelihood may assume of the models.
_KNOWN = {
    "scores": ("independent", "paired", "clustered"),
    "dirichlet": ("independent",),
    "logistic-normal": ("independent", "paired"),
}
_AS_IT_IS = ("likelihood", "assumption", "noun", "rope", "prob", "note", "within")
# What files of the first version did not say.
_FIRST_FORMAT, _UNSAID = "bayesf1.hierarchical/1", {"within": "", "weights": {}}


@checked
def load_fit(path: str | PathLike[str]) -> HierarchicalFit:
    """Read a fit that was saved.

    Measures that were callables keep their scores, but cannot be computed anew.

    Examples
    --------
    >>> import tempfile
    >>> from bayesf1 import from_counts
    >>> from bayesf1.groups.fitting import hierarchical
    >>> corpora = {"a": from_counts(A=(77, 44, 10), B=(83, 9, 14)), "b": from_counts(A=(9, 5, 3), B=(10, 4, 2))}
    >>> fit = hierarchical(corpora, draws=500, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fit.save(f"{folder}/fit.nc")
    ...     again = load_fit(f"{folder}/fit.nc")
    >>> str(again) == str(fit)
    True
    """
    groups = arviz_data.load(str(path))
    try:
        said = json.loads(groups["posterior"].attrs["bayesf1"])
        version = said.pop("format")
        if version == _FIRST_FORMAT:
            said = {**_UNSAID, **said}
        elif version != FILE_FORMAT:
            raise KeyError("format")
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(f"{path} holds draws, but not a fit that bayesf1 saved") from None
    try:
        _check(said, groups)
        return _restored(said, groups)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} holds a fit that is damaged: {' '.join(str(error).split()):.200}") from None


def _check(said: Mapping[str, Any], groups: Mapping[str, Any]) -> None:
    """Raise a ValueError where a file's words or arrays are not those of a fit."""
    for names, kind in _SCHEMA.items():
        for name in names.split():
            if not isinstance(said[name], kind) or isinstance(said[name], bool):
                raise ValueError(f"{name} is {said[name]!r:.60}")
    for name in ("models", "cells", "datasets", "classes"):
        if not all(isinstance(entry, str) for entry in said[name]) or len({*said[name]}) < len(said[name]):
            raise ValueError(f"{name} are {said[name]!r:.60}, where different names belong")
    if said["likelihood"] not in _KNOWN:
        raise ValueError(f"likelihood is {said['likelihood']!r:.60}")
    if said["assumption"] not in _KNOWN[said["likelihood"]]:
        raise ValueError(f"assumption is {said['assumption']!r:.60}")
    if not 0.0 < said["prob"] < 1.0:
        raise ValueError(f"prob is {said['prob']!r}")
    low, high = Rope.of(said["rope"])
    if not -math.inf < low <= 0.0 <= high < math.inf:
        raise ValueError(f"rope is {said['rope']!r}")
    n_models, n_metrics, n_datasets = (len(said[name]) for name in ("models", "metrics", "datasets"))
    posterior = groups["posterior"]
    lead = tuple(posterior.sizes[dim] for dim in ("chain", "draw"))
    arrays = [
        (posterior["score"], (*lead, n_models, n_metrics)),
        (posterior["score_new"], (*lead, n_models, n_metrics)),
        (posterior["score_dataset"], (*lead, n_models, n_metrics, n_datasets)),
        (_observed(said, groups), (n_datasets, n_models, len(said["cells"]))),
    ]
    if said["likelihood"] == "scores":
        known = groups["constant_data"]
        arrays += [
            (known["centre"], (n_datasets, n_models, n_metrics)),
            (known["covariance"], (n_datasets, n_models, n_models, n_metrics)),
            *((posterior[name], (*lead, n_metrics)) for name in spreads_of(n_models)),
        ]
        if [entry["name"] for entry in said["metrics"]] != said["cells"]:
            raise ValueError(f"cells are {said['cells']!r:.60}, where the measures belong")
        if said["task"] != PlainScores.name or said["classes"]:
            raise ValueError(f"task is {said['task']!r:.60}")
    for data, shape in arrays:
        if (
            data.shape != shape
            or not data.size
            or data.dtype.kind not in "iuf"
            or not np.isfinite(data.values).all()
        ):
            raise ValueError(f"{data.name} is no array of finite numbers of shape {shape}")


def _observed(said: Mapping[str, Any], groups: Mapping[str, Any]) -> Any:
    return groups["observed_data"]["score" if said["likelihood"] == "scores" else "counts"]


def _restored(said: Mapping[str, Any], groups: Mapping[str, Any]) -> HierarchicalFit:
    ev = Evaluation(
        models=tuple(said["models"]),
        tables=np.array(_observed(said, groups).values, dtype=float),
        kind=(
            PlainScores.of([_lost(entry) for entry in said["metrics"]])
            if said["likelihood"] == "scores"
            else counted_kind(said["task"], said["cells"], said["classes"])
        ),
    )
    return HierarchicalFit(
        groups=groups,
        ev=ev,
        datasets=tuple(said["datasets"]),
        metrics=tuple(_measure(entry, ev) for entry in said["metrics"]),
        prior=HierarchicalPrior(**said["prior"]),
        diagnostics=Diagnostics(**said["diagnostics"]),
        weights=suite_weights(said["weights"], tuple(said["datasets"])),
        **{name: said[name] for name in _AS_IT_IS} | {"rope": Rope.of(said["rope"]).given},
    )


def describe(fit: HierarchicalFit) -> str:
    """Return as JSON what a file must say of a fit beside its draws."""
    measures = [
        {
            "name": m.name,
            "label": m.label,
            "callable": not m.needs,
            "support": [None if math.isinf(end) else end for end in m.support],
            "percent": m.percent,
            "lower_is_better": m.lower_is_better,
        }
        for m in fit.metrics
    ]
    said = {
        "format": FILE_FORMAT,
        **{name: getattr(fit, name) for name in (*_AS_IT_IS, "datasets", "weights")},
        **{name: getattr(fit.ev, name) for name in ("models", "cells", "task", "classes")},
        "metrics": measures,
        "prior": asdict(fit.prior),
        "diagnostics": asdict(fit.diagnostics),
    }
    return json.dumps(said, allow_nan=False)


def _measure(entry: Mapping[str, Any], ev: Evaluation) -> Metric:
    if not isinstance(entry["label"], str):
        raise ValueError(f"label is {entry['label']!r:.60}")
    known = isinstance(ev.kind, PlainScores) or not entry["callable"]
    return replace(find_measure(entry["name"], ev), label=entry["label"]) if known else _lost(entry)


def _lost(entry: Mapping[str, Any]) -> Metric:
    """Return a measure of which everything is known but how to compute it."""
    low, high = entry["support"]
    support = (-math.inf if low is None else low, math.inf if high is None else high)
    texts = all(isinstance(entry[name], str) for name in ("name", "label"))
    if not texts or not isinstance(entry["percent"], bool) or not support[0] < support[1]:
        raise ValueError(f"a measure is {dict(entry)!r:.100}")

    def lost(tables: FloatArray) -> FloatArray:
        raise ValueError(f"metric {entry['name']!r} was a callable, which no file can keep")

    return Metric(
        entry["name"],
        entry["label"],
        (),
        None,
        lost,
        support,
        percent=entry["percent"],
        # Fits that were saved before measures had a direction say nothing of it.
        lower_is_better=bool(entry.get("lower_is_better", False)),
    )
