"""Draws for ArviZ: the one place that knows how its lines 0.23 and 1.x differ.

Under 0.23 draws live in an ``arviz.InferenceData``, under 1.x in an ``xarray.DataTree``. Datasets are the same in
both, and so are files. Dims are ``chain, draw, system, measure, dataset, cell``; never ``model``, which arviz-plots
reserves, nor ``metric``, along which the summary of 0.23 stacks its columns.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_prob
from bayesf1.base.latex import printable
from bayesf1.base.text_files import write_atomic

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

# Codecs of numbers and of text, as Zarr's versions 2 and 3 name them.
_CODECS = frozenset((
    "blosc", "bytes", "crc32c", "endian", "gzip", "sharding_indexed", "shuffle", "transpose", "vlen-bytes", "vlen-utf8",
    "zlib", "zstd", "numcodecs.blosc", "numcodecs.zlib", "numcodecs.zstd", "start", "end",
))  # fmt: skip


def load_arviz() -> Any:
    """Import ArviZ without the announcement that 0.23 makes of its refactoring."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message=".*ArviZ is undergoing a major refactor", category=FutureWarning
        )
        import arviz
    return arviz


def is_old() -> bool:
    """Say whether ArviZ is of the line 0.x."""
    return bool(load_arviz().__version__.startswith("0."))


def dataset(
    variables: Mapping[str, tuple[Sequence[str], FloatArray]],
    coords: Mapping[str, Sequence[Any]],
    attrs: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Return arrays with named dims as a Dataset, with the coordinates of those dims that they have."""
    import xarray as xr

    used = {dim for dims, _ in variables.values() for dim in dims}
    arrays = {name: (tuple(dims), values) for name, (dims, values) in variables.items()}
    found: dict[str, Any] = {dim: list(labels) for dim, labels in coords.items() if dim in used}
    for dim in ("chain", "draw"):
        sizes = [v.shape[d.index(dim)] for d, v in arrays.values() if dim in d]
        if sizes:
            found[dim] = np.arange(sizes[0])
    return xr.Dataset(arrays, coords=found, attrs={"created_by": "bayesf1", **(attrs or {})})


def container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Return Datasets by ArviZ group as what the installed ArviZ takes.

    Examples
    --------
    >>> idata = container({"posterior": dataset({"x": (("chain", "draw"), np.zeros((4, 10)))}, {})})
    >>> group(idata, "posterior")["x"].shape
    (4, 10)
    """
    import xarray as xr

    if not is_old():
        return xr.DataTree.from_dict(dict(groups))
    return load_arviz().InferenceData(**groups)


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
        if is_old():
            table: pd.DataFrame = arviz.summary(data, hdi_prob=prob, round_to="none")
        else:
            table = arviz.summary(data, ci_prob=prob, ci_kind="hdi", round_to="none")
    ends = [column for column in table.columns if column.startswith("hdi")]
    named = dict(zip(ends, (f"hdi_{tail:g}%", f"hdi_{100 - tail:g}%"), strict=True))
    # ArviZ 1.x gives strings for some columns where it rounds.
    return table.rename(columns=named).astype(float)


def hdi(data: xr.Dataset, prob: float = 0.95) -> xr.Dataset:
    """Return highest density intervals, along the dim ``hdi`` with ``lower`` and ``higher``."""
    found: xr.Dataset = load_arviz().hdi(data, check_prob(prob))
    if "ci_bound" in found.dims:
        found = found.rename(ci_bound="hdi")
    return found.assign_coords(hdi=["lower", "higher"])


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

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="invalid value encountered", category=RuntimeWarning)
        r_hat = values(arviz.rhat(data))
        bulk = values(arviz.ess(data, method="bulk"))
        tail = values(arviz.ess(data, method="tail", prob=(0.05, 0.95)))
    n = float(data.sizes["chain"] * data.sizes["draw"])
    return float(r_hat.max(initial=1.0)), float(bulk.min(initial=n)), float(tail.min(initial=n))


def effective(draws: FloatArray) -> float:
    """Return how many independent draws the mean of draws (chain, draw) is worth."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="invalid value encountered", category=RuntimeWarning)
        found = float(load_arviz().ess(draws, method="mean"))
    return found if np.isfinite(found) else float(draws.size)


# ---- files ------------------------------------------------------------------------------------------------


def save(groups: Mapping[str, xr.Dataset], path: str | Path) -> None:
    """Write groups to a netCDF file, or a Zarr folder where the name ends in ``.zarr``; whole or not at all."""
    import secrets

    target = Path(path)
    if not target.parent.is_dir():
        raise ValueError(f"cannot write to {path}, as there is no folder {target.parent}; create it first")
    folder = target.suffix == ".zarr"
    if target.is_dir() and not folder:
        raise ValueError(f"cannot write to {printable(str(path))}, which is a folder; name a file in it")
    if not folder:
        # HDF5 may end the program where a disk is full; and as any other file, it replaces none that is read-only.
        write_atomic(path, _netcdf(groups))
        return
    target = target.resolve()
    part, old = (target.with_name(f".bayesf1-{secrets.token_hex(8)}{target.suffix}") for _ in range(2))
    try:
        for name, data in _zarr(groups).items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)
        if target.is_dir():
            known = any((target / name).exists() for name in ("zarr.json", ".zgroup"))
            if not known and any(target.iterdir()):
                raise ValueError(f"cannot write to {path}, a folder with other files in it; name another")
            # A program that is killed here leaves the old fit beside the new one, not nothing.
            target.rename(old)
        part.replace(target)
    except BaseException:
        if old.is_dir() and not target.exists():
            old.rename(target)
        raise
    finally:
        _remove(part, old)


def _remove(*folders: Path) -> None:
    """Remove folders, to the end even where a signal comes in between."""
    import shutil

    try:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _zarr(groups: Mapping[str, xr.Dataset]) -> dict[str, bytes]:
    """Return groups as the files of a Zarr folder, made in memory: Zarr writes in threads, which a kill does not stop."""
    made: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The data type .* does not have a Zarr V3 spec")
        for i, (name, data) in enumerate(groups.items()):
            data.to_zarr(made, group=name, mode="w" if i == 0 else "a", consolidated=False)
    return {name: data if isinstance(data, bytes) else data.to_bytes() for name, data in made.items()}


def _netcdf(groups: Mapping[str, xr.Dataset]) -> bytes:
    """Return groups as the bytes of a netCDF file, made in memory."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    made = BytesIO()
    with h5netcdf.File(made, "w") as file:
        for name, data in groups.items():
            data.dump_to_store(H5NetCDFStore(file.create_group(name)))
    return made.getvalue()


def load(path: str | Path) -> dict[str, xr.Dataset]:
    """Read all groups of a file that `save`, or ArviZ, has written."""
    import xarray as xr

    if not Path(path).exists():
        raise FileNotFoundError(2, "there is no such file", str(path))
    engine: Any = "zarr" if Path(path).is_dir() else "h5netcdf"
    options: dict[str, Any] = {"consolidated": False} if engine == "zarr" else {}
    if engine == "zarr":
        _check_codecs(Path(path))
    try:
        tree = xr.open_datatree(path, engine=engine, **options)
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(
            f"{printable(str(path))} is not a file of draws, as bayesf1 or ArviZ write: {reason}"
        ) from None
    with tree:
        return {name: node.to_dataset().load() for name, node in tree.children.items()}


def _check_codecs(folder: Path) -> None:
    """Raise a ValueError where a Zarr folder names a codec that is none of numbers and plain text: some run code."""

    def named(part: Any) -> Iterator[str]:
        if isinstance(part, dict):
            yield from (str(part[key]) for key in ("id", "name") if isinstance(part.get(key), str))
            part = list(part.values())
        for entry in part if isinstance(part, list) else ():
            yield from named(entry)

    for file in folder.rglob("*"):
        if file.name not in (".zarray", "zarr.json"):
            continue
        try:
            said = json.loads(file.read_bytes()[:1_000_000])
            codecs = [said.get(key) for key in ("filters", "compressor", "codecs")]
        except (AttributeError, ValueError, RecursionError):
            raise ValueError(f"{file} is no description of an array; the folder is damaged") from None
        strange = [name for name in named(codecs) if name not in _CODECS]
        if strange:
            raise ValueError(
                f"{file} names the codec {strange[0]!r}, which is none that bayesf1 or ArviZ write"
            )
