r"""The hierarchical multinomial model, in PyMC: tables of corpora that scatter around a population's shares.

Counts of corpus g and model m are multinomial with shares :math:`p_{gm} \sim \mathrm{Dirichlet}(\kappa_m\pi_m)`, which
are integrated out: explicit shares of corpora that are alike make a funnel, in which samplers diverge.
"""

from __future__ import annotations

import functools
import logging
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import check_whole, is_number
from bayesf1.base.naming import joined, listing, quoted
from bayesf1.corpora import scores as given
from bayesf1.corpora.scores import Diagnostics, Fitted, HierarchicalPrior, PlainScores
from bayesf1.evaluation import Evaluation, check_one_run, headline, resolve_metrics
from bayesf1.metrics import MetricLike
from bayesf1.output import arviz
from bayesf1.sampling.model import sampling_model
from bayesf1.task import Outcomes

if TYPE_CHECKING:
    import xarray as xr

SAMPLERS: tuple[str, ...] = ("pymc", "nutpie")
_DIMS = ("dataset", "system", "cell")
# Beyond it nothing can be told from a multinomial, and differences of log gamma functions cancel.
MAX_LOG_KAPPA = 15.0
# What PyMC and its parts warn of on import or while they compile.
_NOISE = ".*(ArviZ is undergoing|installed version of numba|Numba will use object mode|g\\+\\+ not|PyTensor could not)"
# Predictions are for looking at; more draws would only take room.
_PREDICTED = 500


def dirichlet_multinomial(
    counts: FloatArray,
    *,
    alpha: float = 1.0,
    kappa: float = 100.0,
    log_kappa_sd: float = 2.0,
    coords: Mapping[str, Sequence[str]] | None = None,
) -> Any:
    r"""Return the model of counts, axes (dataset, system, cell), as a ``pymc.Model``.

    .. math:: y_{gm} \sim \mathrm{DirichletMultinomial}(n_{gm}, \kappa_m\pi_m), \quad
              \pi_m \sim \mathrm{Dirichlet}(\alpha), \quad
              \log\kappa_m \sim N(\log 100, 2^2) \text{ below } 15

    Parameters
    ----------
    counts
        How many items of each corpus had which outcome under each model.
    alpha
        Of the shares π of the population: 1 takes all of them as equally likely, as the closed form does.
    kappa, log_kappa_sd
        Median of κ and standard deviation of log κ. κ is what a corpus' shares are worth in items: at 100 a share of
        80 % has a standard deviation of 4 points between corpora. The prior is wide because a few corpora say little
        of κ, and ends at log κ = 15, where corpora are alike and nothing more can be learned.
    coords
        Names of the corpora, models and cells, by dim.

    Examples
    --------
    Change it as any model of PyMC, and sample it by ``pm.sample(model=model)``:

    >>> import pytest; _ = pytest.importorskip("pymc")
    >>> counts = np.array([[[77, 44, 10], [83, 9, 14]], [[30, 25, 22], [33, 20, 19]]])
    >>> [variable.name for variable in dirichlet_multinomial(counts).basic_RVs]
    ['pi', 'log_kappa', 'counts']
    """
    import pymc as pm

    whole = np.asarray(counts).astype(np.int64)
    names = {dim: [*map(str, range(n))] for dim, n in zip(_DIMS, whole.shape, strict=True)}
    with pm.Model(coords=coords or names) as model:
        pi = pm.Dirichlet("pi", np.full(whole.shape[1:], alpha), dims=("system", "cell"))
        log_kappa = pm.TruncatedNormal(
            "log_kappa", np.log(kappa), log_kappa_sd, upper=MAX_LOG_KAPPA, dims="system"
        )
        pm.DirichletMultinomial(
            "counts",
            n=whole.sum(axis=-1),
            a=pm.math.exp(log_kappa)[:, None] * pi,
            observed=whole,
            dims=_DIMS,
        )
    return model


def model_of(groups: Mapping[str, xr.Dataset], prior: HierarchicalPrior) -> Any:
    """Return the ``pymc.Model`` that a fit is of, from what its groups say of the data."""
    counts = groups["observed_data"]["counts"]
    return dirichlet_multinomial(
        counts.values,
        alpha=float(groups["constant_data"]["alpha"]),
        kappa=prior.kappa,
        log_kappa_sd=prior.log_kappa_sd,
        coords={dim: counts[dim].values.tolist() for dim in _DIMS},
    )


# ---- counts -----------------------------------------------------------------------------------------------


class Counts(NamedTuple):
    """What corpora counted: outcomes of items, axes (corpus, model, outcome), and the tables that these make."""

    names: tuple[str, ...]
    noun: str
    counts: FloatArray
    ev: Evaluation
    outcomes: Outcomes
    note: str


def read_counts(data: Evaluation | Mapping[str, Evaluation], *, assumption: str = "auto") -> Counts:
    """Return the counts of a mapping of evaluations, or of the folds of one.

    Items of one document, or sentence, are not independent trials as a multinomial takes them, and are refused unless
    the assumption ``"independent"`` says so.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> found = read_counts(load_example("wang-li-org"))
    >>> found.names[0], found.counts.shape
    ('repeat 1, fold 1', (6, 2, 3))
    """
    if assumption not in ("auto", "independent"):
        raise ValueError(
            f"the likelihood 'multinomial' takes models as independent, not {assumption!r}; use the likelihood 'scores'"
        )
    note = ""
    noun, evaluations = given.read_corpora(data)
    names, first = tuple(evaluations), next(iter(evaluations.values()))
    for name, ev in evaluations.items():
        check_one_run(ev, f"a model of counts, as that of {noun} {name!r},")
        if type(ev.task) is not type(first.task) or not (ev.classes or ev.cells == first.cells):
            raise ValueError(
                f"corpus {name!r} has the cells {listing(ev.cells, most=8)}, but {names[0]!r} has "
                f"{listing(first.cells, most=8)}; keep those that all have, as ev.keep(('tp', 'fp', 'fn'))"
            )
        if (sampling := sampling_model(ev)).single:
            if sampling.shared:
                note = (
                    note
                    or "models were taken as independent, though they share items; the likelihood 'scores' pairs them"
                )
            continue
        if assumption == "auto":
            raise ValueError(
                f"corpus {name!r} was sampled by {sampling.ev.unit}, but a multinomial takes all items as "
                "independent; use the likelihood 'scores', or assumption='independent' to take them so"
            )
        note = f"items of one {sampling.ev.unit} were taken as independent, which claims too much certainty if they are alike"
    tasks = (ev.task for ev in evaluations.values())
    task = functools.reduce(lambda a, b: a.union(b) if a.classes else a, tasks)
    found = [task.outcomes(ev.widened(task)) for ev in evaluations.values()]
    outcomes = found[0]
    if outcomes is None:
        raise ValueError(
            f"a multinomial needs items of one outcome each, but only sums over several are known of {task.about} here; "
            "use the likelihood 'scores'"
        )
    counts = np.stack([each.counts for each in found if each is not None])
    if not (counts == np.rint(counts)).all():
        raise ValueError(
            "a multinomial counts whole items, but some are discounted or weighted; give the folds of one corpus "
            "alone, or use the likelihood 'scores'"
        )
    ev = Evaluation(first.models, task, counts @ outcomes.rows)
    return Counts(names, noun, counts, ev, outcomes, note)


# ---- sampling ---------------------------------------------------------------------------------------------


def fit_counts(
    data: Evaluation | Mapping[str, Evaluation],
    metrics: MetricLike | Sequence[MetricLike] | None,
    prior: HierarchicalPrior,
    *,
    sampler: str,
    draws: int | None,
    chains: int,
    assumption: str,
    weights: Mapping[str, float],
    rng: np.random.Generator,
    progress: bool,
    tune: int | None,
    target_accept: float | None,
) -> Fitted:
    """Fit the multinomial model by NUTS."""
    accept = 0.9 if target_accept is None else target_accept
    if not is_number(accept) or not 0.5 <= accept < 1.0:
        raise ValueError(f"target_accept is a share from 0.5 to below 1, such as 0.9, not {quoted(accept)}")
    settings = {
        "draws": draws or 1000,
        "tune": 1000 if tune is None else check_whole(tune, "tune", 100, 7),
        "chains": chains,
        "target_accept": float(accept),
        "progressbar": progress,
    }
    names, noun, counts, tables, outcomes, note = read_counts(data, assumption=assumption)
    if prior.cells is not None:
        tables.check_prior(prior.cells)
    found = resolve_metrics(metrics, tables)
    shares = np.array([*given.suite_weights(weights, names).values()])
    for package in dict.fromkeys(("pymc", sampler)):
        if find_spec(package) is None:
            raise ValueError(
                f"sampling needs {package}, which is not installed; install it with pip install 'bayesf1[pymc]'"
            )

    def scores(parts: FloatArray) -> FloatArray:
        """Return scores (..., model, metric) of shares or counts of outcomes (..., model, outcome)."""
        return np.stack([metric(parts @ outcomes.rows, tables.cells) for metric in found], axis=-1)

    task = PlainScores.of(found, headline(tables, {metric.name: metric.label for metric in found}))
    ev = Evaluation(tables.models, task, scores(counts))
    coords = {**given.coords_of(ev.models, ev.cells, names), "cell": outcomes.labels}
    known: dict[str, arviz.Variables] = {
        "observed_data": {"counts": (_DIMS, counts.astype(np.int64))},
        "constant_data": {
            "alpha": ((), np.asarray(outcomes.prior(prior.cells))),
            "score": (("dataset", "system", "measure"), ev.tables.copy()),
        },
    }
    groups = {name: arviz.dataset(variables, coords) for name, variables in known.items()}
    with _quiet():
        groups |= sample(model_of(groups, prior), sampler, rng, **settings)
    pi = groups["posterior"]["pi"].values
    base = np.exp(groups["posterior"]["log_kappa"].values)[..., None] * pi
    each = [scores(_dirichlet(base + table, rng)) for table in counts]
    drawn = [scores(pi), scores(_dirichlet(base, rng)), np.stack(each, axis=-1) @ shares, *each]
    scored = arviz.dataset(given.by_question(ev.models, np.stack(drawn, axis=-1)), coords)
    made = joined(f"{name} {metadata.version(name)}" for name in ("PyMC", "ArviZ"))
    groups["posterior"] = groups["posterior"].merge(scored).assign_attrs(scored.attrs, made_with=made)
    r_hat, bulk, tail = convergence(groups["posterior"])
    diverged = groups["sample_stats"]["diverging"]
    return Fitted(
        groups=groups,
        ev=ev,
        metrics=task.metrics,
        datasets=names,
        noun=noun,
        assumption="independent",
        within="all items taken as independent",
        diagnostics=Diagnostics(sampler, diverged.size, chains, min(bulk, tail), int(diverged.sum()), r_hat),
        note=note,
    )


def sample(model: Any, sampler: str, rng: np.random.Generator, **settings: Any) -> dict[str, xr.Dataset]:
    """Draw from prior and posterior of a model and predict tables by both, by ArviZ's names of groups.

    Chains of PyMC run in this process, so that scripts need no ``if __name__ == "__main__"``. A sampler that fails or
    panics raises a ValueError; one that is interrupted a KeyboardInterrupt, even though it has some draws.
    """
    import pymc as pm

    # PyTensor is typed in parts only.
    pytensor: Any = import_module("pytensor")
    config = pytensor.config
    if settings["progressbar"]:
        print("compiling the model, which takes a minute the first time …", file=sys.stderr)
    seeds = iter(rng.integers(2**31, size=3).tolist())
    options = {"random_seed": next(seeds), "nuts_sampler": sampler, "compute_convergence_checks": False}
    if sampler == "pymc":
        options["cores"] = 1
        if not config.cxx and int(pytensor.__version__.split(".")[0]) < 3:
            # Without a C++ compiler Python would run the model, unless numba is asked to compile it.
            options["compile_kwargs"] = {"mode": "NUMBA"}
    # Reordered sums would give other draws with compiled code from a cache than without.
    with config.change_flags(numba__fastmath=False), _interrupted_at_once():
        try:
            trace = pm.sample(model=model, **options, **settings)
        except BaseException as error:
            # A panic of Rust is no Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise ValueError(
                f"the sampler {sampler!r} failed ({' '.join(str(error).split()):.200}); try another seed (rng=), or the "
                f"sampler {SAMPLERS[sampler == 'pymc']!r}"
            ) from error
        kept = {"posterior": ["pi", "log_kappa"], "sample_stats": ["diverging"]}
        found = {name: arviz.group(trace, name)[names] for name, names in kept.items()}
        sizes = found["posterior"].sizes
        if (sizes["chain"], sizes["draw"]) != (settings["chains"], settings["draws"]):
            raise KeyboardInterrupt(f"interrupted after {sizes['draw']} of {settings['draws']} draws")
        step = max(1, settings["chains"] * settings["draws"] // _PREDICTED)
        thinned = arviz.container({"posterior": found["posterior"].isel(draw=slice(None, None, step))})
        before = pm.sample_prior_predictive(_PREDICTED, model=model, random_seed=next(seeds))
        after = pm.sample_posterior_predictive(
            thinned, model=model, random_seed=next(seeds), progressbar=False
        )
        pm.compute_log_likelihood(trace, model=model, progressbar=False)
    found |= {name: arviz.group(before, name) for name in ("prior", "prior_predictive")}
    found["posterior_predictive"] = arviz.group(after, "posterior_predictive")
    # A corpus is left out as a whole.
    found["log_likelihood"] = arviz.group(trace, "log_likelihood").sum("system")
    return found


def convergence(data: xr.Dataset) -> tuple[float, float, float]:
    """Return the worst R-hat, bulk and tail effective sample sizes of all variables."""
    import xarray as xr

    az = arviz.load_arviz()
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
        r_hat = values(az.rhat(data))
        bulk = values(az.ess(data, method="bulk"))
        tail = values(az.ess(data, method="tail", prob=(0.05, 0.95)))
    n = float(data.sizes["chain"] * data.sizes["draw"])
    return float(r_hat.max(initial=1.0)), float(bulk.min(initial=n)), float(tail.min(initial=n))


def _dirichlet(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw shares with Dirichlet parameters along the last axis, however small they are."""
    # log of Gamma(a) = log of Gamma(a + 1) + log(U)/a, which does not underflow.
    logs = np.log(rng.standard_gamma(alpha + 1.0))
    logs -= rng.standard_exponential(alpha.shape) / np.maximum(alpha, 1e-300)
    powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


class _Interrupted(BaseException):
    """An interrupt that PyMC does not take for the end of one chain."""


@contextmanager
def _interrupted_at_once() -> Iterator[None]:
    """Let an interrupt end all chains, where PyMC would go on to the next one."""

    def end(*_: object) -> None:
        raise _Interrupted

    before = signal.getsignal(signal.SIGINT)
    # Only the main thread may say what an interrupt does, and only it is interrupted.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, end)
    try:
        yield
    except _Interrupted:
        raise KeyboardInterrupt from None
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGINT, before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what samplers and their imports say that is of no use to a reader of the result."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_NOISE)
        import pymc  # noqa: F401

        levels = {logger: logger.level for logger in map(logging.getLogger, ("pymc", "pytensor", "nutpie"))}
        try:
            for logger in levels:
                logger.setLevel(logging.ERROR)
            yield
        finally:
            for logger, level in levels.items():
                logger.setLevel(level)
