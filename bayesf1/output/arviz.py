"""Draws for ArviZ: the one place that knows how its lines 0.23 and 1.x differ.

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
from bayesf1.base.checks import RNGLike, check_draws, check_rng
from bayesf1.sampling import sampling_model

if TYPE_CHECKING:
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
