"""Files of fits, in netCDF: the draws as ArviZ stores them, and a JSON document with everything else."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.checks import check_prob
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import check_known, printable
from bayesf1.base.text_files import write_atomic
from bayesf1.corpora.model import (
    DIMS,
    Diagnostics,
    HierarchicalPrior,
    ObservedScores,
    coords_of,
    suite_weights,
)
from bayesf1.inference.comparison import check_rope
from bayesf1.metrics import Metric

if TYPE_CHECKING:
    import xarray as xr

    from bayesf1.corpora.fit import HierarchicalFit

FORMAT = "bayesf1.hierarchical/3"
# The attribute of the posterior that has the document.
_ATTRIBUTE = "bayesf1"
# Fields of a fit that are texts.
_TEXTS = ("likelihood", "assumption", "noun", "note", "within")
# Fields of a metric that are written as they are.
_METRIC_FIELDS = {"name": str, "label": str, "percent": bool, "lower_is_better": bool, "alias": str}
# If a file does not name its main metric, it is the first of these that it has, or else its first metric.
_USUAL_MAIN_METRICS = ("f1", "macro_f1", "micro_f1", "roc_auc")


# ---- groups of draws --------------------------------------------------------------------------------------


def save_groups(groups: Mapping[str, xr.Dataset], path: str | Path) -> None:
    """Write groups to a netCDF file, completely or not at all."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    if Path(path).suffix == ".zarr":
        raise ValueError(f"draws are saved as netCDF, not Zarr; end {printable(str(path))} with .nc")
    # The file is made in memory, because HDF5 may end the program if a disk is full.
    buffer = BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        for name, data in groups.items():
            data.dump_to_store(H5NetCDFStore(file.create_group(name)))
    write_atomic(path, buffer.getvalue())


def load_groups(path: str | Path) -> dict[str, xr.Dataset]:
    """Read all groups of a netCDF file that `save_groups`, or ArviZ, has written."""
    import xarray as xr

    file = InputFile.of(path)
    with _no_unraisable_errors():
        try:
            with xr.open_datatree(path, engine="h5netcdf") as tree:
                file.check_size(tree.nbytes)
                return {name: node.to_dataset().load() for name, node in tree.children.items()}
        # h5py raises a RuntimeError for groups that cannot be read.
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            reason = " ".join(str(error).split())
    # The error is raised here, after the damaged file has been dropped.
    raise ValueError(
        f"{printable(str(path))} is not a netCDF file of draws, as bayesf1 or ArviZ write: {reason:.200}"
    )


@contextmanager
def _no_unraisable_errors() -> Iterator[None]:
    """Silence the errors that a damaged file raises when it is dropped, which nobody can catch."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = hook


# ---- the document of a fit --------------------------------------------------------------------------------


def described_groups(fit: HierarchicalFit) -> dict[str, xr.Dataset]:
    """Return the groups of a fit with the document of everything else."""
    attributes: dict[str, Any] = {_ATTRIBUTE: json.dumps(document_of(fit), allow_nan=False)}
    if fit.start is not None:
        attributes["start"] = fit.start
    return {**fit.groups, "posterior": fit.posterior.assign_attrs(attributes)}


def document_of(fit: HierarchicalFit) -> dict[str, Any]:
    """Return what a file says about a fit besides its draws, in JSON types."""
    metrics = []
    for metric in fit.metrics:
        entry = {name: getattr(metric, name) for name in _METRIC_FIELDS}
        # JSON has no infinity.
        entry["support"] = [str(end) for end in metric.support]
        metrics.append(entry)
    document: dict[str, Any] = {
        "format": FORMAT,
        **{name: getattr(fit, name) for name in _TEXTS},
        "rope": fit.rope,
        "prob": fit.prob,
        "datasets": fit.datasets,
        "weights": dict(fit.weights),
        "models": fit.models,
        "metrics": metrics,
        "prior": asdict(fit.prior),
        "diagnostics": asdict(fit.diagnostics),
    }
    # Files of version 0.3 have no main metric, and are read as before if it is the usual one.
    if fit.main_metric.name != _usual_main_metric(fit.metrics):
        document["main_metric"] = fit.main_metric.name
    if fit.remarks:
        document["remarks"] = fit.remarks
    if fit.exact:
        document["exact"] = True
    plain: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    return plain


def document_in(groups: Mapping[str, xr.Dataset], path: str) -> dict[str, Any]:
    """Return the document in groups, or raise a ValueError if there is none of this format."""
    written = groups["posterior"].attrs.get(_ATTRIBUTE) if "posterior" in groups else None
    document = None
    if isinstance(written, str):
        try:
            document = json.loads(written)
        except (ValueError, RecursionError):
            document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{path} holds no fit that this version of bayesf1 saved; fit it again")
    return document


def fields_of(document: Mapping[str, Any], groups: Mapping[str, xr.Dataset]) -> dict[str, Any]:
    """Return the fields of the fit that a file holds, or raise an error if document and draws do not go together."""
    check_known(document["likelihood"], "likelihood", ("scores", "multinomial"))
    check_known(document["assumption"], "assumption", ("independent", "paired", "clustered"))
    texts = {name: document[name] for name in _TEXTS}
    for name, value in texts.items():
        _check_type(name, value, str)
    metrics = [_metric(entry) for entry in document["metrics"]]
    models = tuple(document["models"])
    corpora = tuple(document["datasets"])
    _check_draws(groups, coords_of(models, [metric.name for metric in metrics], corpora))
    group_of_scores = "observed_data" if document["likelihood"] == "scores" else "constant_data"
    data = groups[group_of_scores]
    if groups["posterior"]["score"].dims != DIMS or data["score"].dims != ("dataset", "system", "measure"):
        raise ValueError(f"the dims of scores are {groups['posterior']['score'].dims!r:.100}")
    main_metric = document.get("main_metric", _usual_main_metric(metrics))
    check_known(main_metric, "metric", [metric.name for metric in metrics])
    remarks = tuple(document.get("remarks", ()))
    for remark in remarks:
        _check_type("a remark", remark, str)
    exact = document.get("exact", False)
    _check_type("exact", exact, bool)
    weights = document["weights"]
    suite_weights(weights, corpora)
    start = groups["posterior"].attrs.get("start")
    if start is not None:
        start = int(start)
    return {
        **texts,
        "groups": groups,
        "observed": ObservedScores.of(
            corpora, models, metrics, np.array(data["score"].values, float), main_metric
        ),
        "remarks": remarks,
        "exact": exact,
        "rope": check_rope(document["rope"], *metrics).given,
        "prob": check_prob(document["prob"]),
        "weights": {name: weights[name] for name in corpora},
        "prior": HierarchicalPrior(**document["prior"]),
        "diagnostics": _diagnostics(document["diagnostics"]),
        "start": start,
    }


def _usual_main_metric(metrics: Sequence[Metric]) -> str:
    """Return the main metric of a file that does not name it."""
    names = [metric.name for metric in metrics]
    for name in _USUAL_MAIN_METRICS:
        if name in names:
            return name
    return names[0]


def _metric(entry: Mapping[str, Any]) -> Metric:
    """Return the metric that a document describes."""
    described = {}
    for name, kind in _METRIC_FIELDS.items():
        _check_type(f"the {name} of a metric", entry[name], kind)
        described[name] = entry[name]
    low, high = map(float, entry["support"])
    return Metric(**described, support=(low, high), needs=(entry["name"],), function=itemgetter((..., 0)))


def _diagnostics(entry: Mapping[str, Any]) -> Diagnostics:
    """Return the diagnostics that a document has."""
    diagnostics = Diagnostics(**entry)
    _check_type("the sampler", diagnostics.sampler, str)
    numbers = (diagnostics.n_draws, diagnostics.chains, diagnostics.ess)
    optional = [value for value in (diagnostics.divergences, diagnostics.r_hat) if value is not None]
    for value in (*numbers, *optional):
        _check_type("a diagnostic", value, (int, float))
    return diagnostics


def _check_draws(groups: Mapping[str, xr.Dataset], coords: Mapping[str, Sequence[str]]) -> None:
    """Raise a ValueError if draws or data are not finite, or their names are not those of the document."""
    for group in groups.keys() & {"posterior", "constant_data", "observed_data"}:
        for name, data in groups[group].items():
            named = [str(dim) for dim in data.dims if dim in coords]
            same_names = all(data[dim].values.tolist() == [*coords[dim]] for dim in named)
            if not data.size or not same_names or not np.isfinite(data.values).all():
                raise ValueError(f"{name} is not an array of finite numbers with the dims of the fit")


def _check_type(name: str, value: Any, kind: type | tuple[type, ...]) -> None:
    """Raise a ValueError if a value that was read is of another type; True is not a number."""
    is_bool = isinstance(value, bool) and kind is not bool
    if not isinstance(value, kind) or is_bool:
        raise ValueError(f"{name} cannot be {value!r:.60}")
