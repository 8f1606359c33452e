"""Markov chains for hierarchical models: PyMC's sampler, or nutpie's on a density that compiles in seconds.

nutpie runs its chains in threads and PyMC's here one after another: neither starts a process, so that scripts
need no ``if __name__ == "__main__"``. Neither needs a C++ compiler.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.groups.likelihood import Draws, Likelihood

PIP_LINE = "pip install 'bayesf1[pymc]'"


class MissingExtra(ImportError, ValueError):
    """A package that only the extra ``pymc`` brings is not installed."""


@dataclass(frozen=True)
class Chains:
    """What a sampler found, with leading axes (chain, draw)."""

    draws: Draws
    diverging: FloatArray


@dataclass(frozen=True)
class Run:
    """How long chains run, and how carefully."""

    draws: int
    tune: int
    chains: int
    target_accept: float
    progress: bool

    @property
    def settings(self) -> dict[str, Any]:
        """What both samplers call alike."""
        return {name: value for name, value in asdict(self).items() if name != "progress"}


def need(package: str) -> None:
    """Raise an error that names the line to install a package by, where it is missing."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtra(f"sampling needs {package}, which is not installed; install it by {PIP_LINE}")


def sample(likelihood: Likelihood, sampler: str, run: Run, rng: np.random.Generator) -> Chains:
    """Draw from the posterior by the No-U-Turn sampler of PyMC or nutpie."""
    need(sampler)
    by = {"nutpie": _by_nutpie, "pymc": _by_pymc}[sampler]
    found = by(likelihood, run, rng)
    chains, draws = found.diverging.shape
    if (chains, draws) != (run.chains, run.draws):
        raise KeyboardInterrupt(f"interrupted after {draws} of {run.draws} draws in {chains} chains")
    return found


# ---- nutpie -----------------------------------------------------------------------------------------------


def _by_nutpie(likelihood: Likelihood, run: Run, rng: np.random.Generator) -> Chains:
    need("numba")
    with _quiet():
        import nutpie
        from nutpie.compiled_pyfunc import from_pyfunc

        start, density = likelihood.start, _compiled(likelihood, run.progress)
        model = from_pyfunc(
            ndim=len(start),
            make_logp_fn=lambda: density,
            make_expand_fn=lambda *_: lambda q: {"q": q},
            expanded_dtypes=[np.dtype(np.float64)],
            expanded_shapes=[(len(start),)],
            expanded_names=["q"],
        )
        seed = int(rng.integers(2**31))
        trace = nutpie.sample(
            model, **run.settings, seed=seed, init_mean=start, save_warmup=False, progress_bar=run.progress
        )
    return Chains(likelihood.read(trace["posterior"]["q"].values), trace["sample_stats"]["diverging"].values)


def _compiled(likelihood: Likelihood, progress: bool) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """Return the log density and its gradient in coordinates without bounds, compiled."""
    # Of one type each, so that one compiled function serves all data.
    fixed = [np.array(x, dtype=np.float64, order="C") if np.ndim(x) else float(x) for x in likelihood.fixed]
    function = _by_numba(likelihood.log_density)
    if progress and not function.signatures:
        print("compiling the model, which takes some seconds the first time …", file=sys.stderr)

    def density(q: FloatArray) -> tuple[float, FloatArray]:
        slope = np.empty(len(q))
        return function(np.array(q, dtype=np.float64), *fixed, slope), slope

    density(likelihood.start)
    return density


@cache
def _by_numba(log_density: Callable[..., float]) -> Any:
    numba: Any = import_module("numba")
    # Chains run at the same time only while the interpreter's lock is released.
    options = {"error_model": "numpy", "nogil": True}
    try:
        return numba.njit(cache=True, **options)(log_density)
    except RuntimeError:
        # There is no folder that compiled code could be kept in.
        return numba.njit(**options)(log_density)


# ---- PyMC -------------------------------------------------------------------------------------------------


def _by_pymc(likelihood: Likelihood, run: Run, rng: np.random.Generator) -> Chains:
    with _quiet():
        import pymc as pm

        config: Any = import_module("pytensor").config
        # Reordered sums would give other draws with compiled code from a cache than without.
        with config.change_flags(numba__fastmath=False):
            model = likelihood.pymc_model()
            if run.progress:
                print("compiling the model, which takes a minute the first time …", file=sys.stderr)
            trace = pm.sample(
                **run.settings,
                cores=1,
                random_seed=int(rng.integers(2**31)),
                progressbar=run.progress,
                compute_convergence_checks=False,
                nuts_sampler="pymc",
                model=model,
                **_compile_options(bool(config.cxx)),
            )
    found = {str(name): values.values for name, values in trace["posterior"].data_vars.items()}
    return Chains(likelihood.draws_of(found), trace["sample_stats"]["diverging"].values)


def _compile_options(has_compiler: bool) -> dict[str, Any]:
    from pytensor import __version__

    # From PyTensor 3 on numba compiles anyway.
    if has_compiler or int(__version__.split(".")[0]) >= 3:
        return {}
    warnings.warn(
        "there is no C++ compiler, so PyMC compiles by numba, which is slower; install g++, or use the sampler "
        "'nutpie', which needs none",
        stacklevel=2,
    )
    return {"compile_kwargs": {"mode": "NUMBA"}}


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what samplers and their imports say that is of no use to a reader of the result."""
    levels = {logger: logger.level for logger in map(logging.getLogger, ("pymc", "pytensor", "nutpie"))}
    for logger in levels:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            for text in ("ArviZ is undergoing", "The installed version of numba", "g\\+\\+ not"):
                warnings.filterwarnings("ignore", message=f".*{text}")
            yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
