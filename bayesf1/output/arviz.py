"""Draws for ArviZ: the one place that knows how its lines 0.23 and 1.x differ.

Under 0.23 draws live in an ``arviz.InferenceData``, under 1.x in an ``xarray.DataTree``. Datasets are the same in
both, and so are files. Dims are ``chain, draw, system, measure, dataset, cell``; never ``model``, which arviz-plots
reserves, nor ``metric``, along which the summary of 0.23 stacks its columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1 import __version__
from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import RNGLike, check_draws, check_prob, check_rng
from bayesf1.base.input_files import InputFile
from bayesf1.base.naming import cleaned, printable
from bayesf1.base.text_files import write_atomic
from bayesf1.sampling import sampling_model

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayesf1.inference.comparison import Comparisons

_CHAINS = 4
# Arrays by name, with the names of their axes.
Variables: TypeAlias = Mapping[str, tuple[Sequence[str], FloatArray]]


def load_arviz() -> Any:
    """Import ArviZ without the announcement that 0.23 makes of its refactoring."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing a major refactor", FutureWarning)
        import arviz
    return arviz


def is_old() -> bool:
    """Return whether ArviZ is of the line 0.x."""
    return bool(load_arviz().__version__.startswith("0."))


def dataset(
    variables: Variables,
    coords: Mapping[str, Sequence[Any]],
    attrs: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Return arrays with named dims as a Dataset, with the coordinates of those dims that they have."""
    import xarray as xr

    data = xr.Dataset({name: (tuple(dims), values) for name, (dims, values) in variables.items()})
    known = {**{dim: range(data.sizes.get(dim, 0)) for dim in ("chain", "draw")}, **coords}
    data = data.assign_coords({dim: list(labels) for dim, labels in known.items() if dim in data.dims})
    return data.assign_attrs(created_by="bayesf1", bayesf1_version=__version__, **(attrs or {}))


def container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Return Datasets by ArviZ group as what the installed ArviZ takes.

    Examples
    --------
    >>> idata = container({"posterior": dataset({"x": (("chain", "draw"), np.zeros((4, 10)))}, {})})
    >>> group(idata, "posterior")["x"].shape
    (4, 10)
    """
    import xarray as xr

    return load_arviz().InferenceData(**groups) if is_old() else xr.DataTree.from_dict(dict(groups))


def group(idata: Any, name: str) -> xr.Dataset:
    """Return one group of a container as a Dataset."""
    found: xr.Dataset = idata[name] if is_old() else idata[name].to_dataset()
    return found


def summary(data: xr.Dataset, prob: float = 0.95) -> pd.DataFrame:
    """Return ArviZ's summary with highest density intervals of mass `prob`, its columns named as in 0.23.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(4, 500))
    >>> list(summary(dataset({"x": (("chain", "draw"), draws)}, {})).columns)[:4]
    ['mean', 'sd', 'hdi_2.5%', 'hdi_97.5%']
    """
    arviz = load_arviz()
    tail = 50.0 * (1.0 - check_prob(prob))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="In a future version of xarray", category=FutureWarning)
        kind = {"hdi_prob": prob} if is_old() else {"ci_prob": prob, "ci_kind": "hdi"}
        table: pd.DataFrame = arviz.summary(data, **kind, round_to="none")
    ends = [column for column in table.columns if column.startswith("hdi")]
    named = dict(zip(ends, (f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"), strict=True))
    # ArviZ 1.x gives strings for some columns where it rounds.
    return table.rename(index=cleaned, columns=named).astype(float)


def convergence(data: xr.Dataset) -> tuple[float, float, float]:
    """Return the worst R-hat, bulk and tail effective sample sizes of all variables."""
    import xarray as xr

    arviz = load_arviz()
    if data.sizes["chain"] == 1:
        # R-hat compares chains, and two halves of one will do.
        half = data.sizes["draw"] // 2
        halves = [data.isel(draw=slice(i * half, (i + 1) * half), chain=0) for i in (0, 1)]
        apart = [part.drop_vars(["chain", "draw"], errors="ignore") for part in halves]
        data = xr.concat(apart, dim="chain", data_vars="all").transpose("chain", "draw", ...)

    def values(found: Any) -> FloatArray:
        flat: FloatArray = np.concatenate([np.ravel(v.values) for v in found.data_vars.values()])
        # What never varies has neither.
        return flat[np.isfinite(flat)]

    with np.errstate(invalid="ignore"):
        r_hat = values(arviz.rhat(data))
        bulk = values(arviz.ess(data, method="bulk"))
        tail = values(arviz.ess(data, method="tail", prob=(0.05, 0.95)))
    n = float(data.sizes["chain"] * data.sizes["draw"])
    return float(r_hat.max(initial=1.0)), float(bulk.min(initial=n)), float(tail.min(initial=n))


def effective(draws: FloatArray) -> float:
    """Return how many independent draws the mean of draws (chain, draw) is worth."""
    with np.errstate(invalid="ignore"):
        found = float(load_arviz().ess(draws, method="mean"))
    return found if np.isfinite(found) else float(draws.size)


# ---- files ------------------------------------------------------------------------------------------------


def save(groups: Mapping[str, xr.Dataset], path: str | Path) -> None:
    """Write groups to a netCDF file, whole or not at all."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    if Path(path).suffix == ".zarr":
        raise ValueError(f"draws are saved as netCDF, not Zarr; end {printable(str(path))} with .nc")
    # In memory, as HDF5 may end the program if a disk is full.
    made = BytesIO()
    with h5netcdf.File(made, "w") as file:
        for name, data in groups.items():
            data.dump_to_store(H5NetCDFStore(file.create_group(name)))
    write_atomic(path, made.getvalue())


def load(path: str | Path) -> dict[str, xr.Dataset]:
    """Read all groups of a netCDF file that `save`, or ArviZ, has written."""
    import xarray as xr

    file = InputFile.of(path)
    try:
        with xr.open_datatree(path, engine="h5netcdf") as tree:
            file.check_size(tree.nbytes)
            return {name: node.to_dataset().load() for name, node in tree.children.items()}
    # h5py raises a RuntimeError for groups that cannot be read.
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        why = f"is not a netCDF file of draws, as bayesf1 or ArviZ write: {reason}"
        raise ValueError(f"{printable(str(path))} {why}") from None


# ---- comparisons ------------------------------------------------------------------------------------------


def comparisons_to_arviz(res: Comparisons, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
    """Return draws of a comparison for ArviZ, of both scores at once, and of their difference.

    The group ``posterior`` holds ``score`` (chain, draw, system, measure) and ``difference``, B minus A (chain, draw,
    measure); ``observed_data`` has the tables. If models are runs of methods, systems are the methods.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> idata = comparisons_to_arviz(compare(from_counts(A=(77, 44, 10), B=(83, 9, 14))), rng=1)
    >>> idata["posterior"]["difference"].dims
    ('chain', 'draw', 'measure')
    """
    found = list(res.values())
    ev, asked, metrics = found[0].ev, found[0].settings, [c.definition for c in found]
    n = _CHAINS * -(-check_draws(n_draws) // _CHAINS)
    sampling = sampling_model(ev, asked.assumption, asked.target)
    blocks = sampling.scores(metrics, prior=asked.prior, n_draws=n, rng=check_rng(rng))
    drawn = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    clipped = [np.clip(values, *metric.support) for values, metric in zip(drawn, metrics, strict=True)]
    scores = np.stack(clipped, axis=-1).reshape(_CHAINS, n // _CHAINS, -1, len(metrics))
    trained = "run" if ev.methods else "system"
    groups: dict[str, Variables] = {
        "posterior": {
            "score": (("chain", "draw", "system", "measure"), scores),
            "difference": (("chain", "draw", "measure"), scores[..., 1, :] - scores[..., 0, :]),
        },
        "observed_data": {"counts": ((trained, "cell"), np.array(ev.tables))},
        "constant_data": {"n_units": ((), np.array(0.0 if ev.units is None else ev.units.size))},
    }
    names = [metric.name for metric in metrics]
    coords = {"system": ev.names, "measure": names, "cell": ev.cells, "run": ev.models}
    attrs = {"signature": res.signature()}
    return container({group: dataset(variables, coords, attrs) for group, variables in groups.items()})
