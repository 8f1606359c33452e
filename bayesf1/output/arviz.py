"""Draws for ArviZ: the only module that depends on the differences between ArviZ 0.23 and 1.x.

Under 0.23 draws live in an ``arviz.InferenceData``, under 1.x in an ``xarray.DataTree``. Datasets are the same in
both, and so are files. Dims are ``chain, draw, system, measure, dataset, cell``; never ``model``, which arviz-plots
reserves, nor ``metric``, along which the summary of 0.23 stacks its columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1 import __version__
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob
from bayesf1.base.naming import cleaned

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

# Arrays by name, with the names of their axes.
Variables: TypeAlias = dict[str, tuple[tuple[str, ...], FloatArray]]


def load_arviz() -> Any:
    """Import ArviZ without the warning of 0.23 about its refactoring."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing a major refactor", FutureWarning)
        import arviz
    return arviz


def is_old() -> bool:
    """Return whether the installed ArviZ is 0.x."""
    return bool(load_arviz().__version__.startswith("0."))


def dataset(
    variables: Variables,
    coords: Mapping[str, Sequence[Any]],
    attrs: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Return arrays with named dims as a Dataset, with coordinates for the dims that occur."""
    import xarray as xr

    data = xr.Dataset({name: (dims, values) for name, (dims, values) in variables.items()})
    labels: dict[Any, Sequence[Any]] = {dim: range(data.sizes.get(dim, 0)) for dim in ("chain", "draw")}
    labels |= coords
    data = data.assign_coords({dim: list(labels[dim]) for dim in labels if dim in data.dims})
    data = data.assign_attrs(created_by="bayesf1", bayesf1_version=__version__)
    return data if attrs is None else data.assign_attrs(attrs)


def container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Return Datasets by ArviZ group as the container of the installed ArviZ.

    Examples
    --------
    >>> idata = container({"posterior": dataset({"x": (("chain", "draw"), np.zeros((4, 10)))}, {})})
    >>> group(idata, "posterior")["x"].shape
    (4, 10)
    """
    import xarray as xr

    if is_old():
        return load_arviz().InferenceData(**groups)
    return xr.DataTree.from_dict(dict(groups))


def group(idata: Any, name: str) -> xr.Dataset:
    """Return one group of a container as a Dataset."""
    data: xr.Dataset = idata[name] if is_old() else idata[name].to_dataset()
    return data


def summary(data: xr.Dataset, prob: float = 0.95) -> pd.DataFrame:
    """Return ArviZ's summary with highest density intervals of mass `prob`, its columns named as in 0.23.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(4, 500))
    >>> list(summary(dataset({"x": (("chain", "draw"), draws)}, {})).columns)[:4]
    ['mean', 'sd', 'hdi_2.5%', 'hdi_97.5%']
    """
    tail = 50.0 * (1.0 - check_prob(prob))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="In a future version of xarray", category=FutureWarning)
        intervals = {"hdi_prob": prob} if is_old() else {"ci_prob": prob, "ci_kind": "hdi"}
        table: pd.DataFrame = load_arviz().summary(data, **intervals, round_to="none")
    ends = [column for column in table.columns if column.startswith("hdi")]
    renamed = dict(zip(ends, [f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"], strict=True))
    # ArviZ 1.x returns strings in some columns if it rounds.
    return table.rename(index=cleaned, columns=renamed).astype(float)


def effective_draws(draws: FloatArray) -> float:
    """Return the effective number of draws (chain, draw) for their mean."""
    with np.errstate(invalid="ignore"):
        effective = float(load_arviz().ess(draws, method="mean"))
    return effective if np.isfinite(effective) else float(draws.size)
