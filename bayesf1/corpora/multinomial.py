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
from bayesf1.corpora.model import (
    Diagnostics,
    FitOptions,
    FittedModel,
    GivenCorpora,
    HierarchicalPrior,
    ObservedScores,
    by_question,
    coords_of,
)
from bayesf1.evaluation import Evaluation, check_one_run, headline, resolve_metrics
from bayesf1.metrics import Metric
from bayesf1.output import arviz
from bayesf1.sampling.model import sampling_model
from bayesf1.task import Outcomes, Task

if TYPE_CHECKING:
    import xarray as xr

SAMPLERS: tuple[str, ...] = ("pymc", "nutpie")
_DIMS = ("dataset", "system", "cell")
# With a larger κ the model is practically a multinomial, and differences of log gamma functions cancel.
MAX_LOG_KAPPA = 15.0
# Warnings of PyMC and its parts on import or while they compile.
_NOISE = ".*(ArviZ is undergoing|installed version of numba|Numba will use object mode|g\\+\\+ not|PyTensor could not)"
# Number of predicted tables: they are only plotted, and more of them would make files larger.
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
        The parameter of the shares π of the population: 1 makes all of them equally likely, as the closed form does.
    kappa, log_kappa_sd
        Median of κ and standard deviation of log κ. κ is the weight of the population's shares in a corpus, in items: at
        100 a share of 80% has a standard deviation of 4 points between corpora. The prior is wide because a few corpora
        say little about κ, and ends at log κ = 15, where corpora are alike and nothing more can be learned.
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
    if coords is None:
        coords = {dim: [*map(str, range(n))] for dim, n in zip(_DIMS, whole.shape, strict=True)}
    with pm.Model(coords=coords) as model:
        pi = pm.Dirichlet("pi", np.full(whole.shape[1:], alpha), dims=("system", "cell"))
        log_kappa = pm.TruncatedNormal(
            "log_kappa", np.log(kappa), log_kappa_sd, upper=MAX_LOG_KAPPA, dims="system"
        )
        pm.DirichletMultinomial(
            "counts", n=whole.sum(axis=-1), a=pm.math.exp(log_kappa)[:, None] * pi, observed=whole, dims=_DIMS
        )
    return model


def model_of(groups: Mapping[str, xr.Dataset], prior: HierarchicalPrior) -> Any:
    """Return the ``pymc.Model`` of a fit, from the data in its groups."""
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
    """The counts of several corpora.

    Attributes
    ----------
    names, noun
        Names of the corpora, and the noun of one.
    counts
        How many items of each corpus had which outcome under each model, axes (corpus, model, outcome).
    outcomes
        The outcomes that an item can have.
    pooled
        The evaluation of all corpora together.
    note
        What a reader should know about the data.
    """

    names: tuple[str, ...]
    noun: str
    counts: FloatArray
    outcomes: Outcomes
    pooled: Evaluation
    note: str

    def scores(self, shares: FloatArray, metrics: Sequence[Metric]) -> FloatArray:
        """Return scores (..., model, metric) of shares or counts of outcomes, axes (..., model, outcome)."""
        tables = shares @ self.outcomes.rows
        return np.stack([metric(tables, self.pooled.cells) for metric in metrics], axis=-1)


def read_counts(corpora: GivenCorpora, *, assumption: str = "auto") -> Counts:
    """Return the counts of several corpora.

    A multinomial treats items as independent trials, which items of one document or sentence are not. They are refused
    unless the assumption is ``"independent"``.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> from bayesf1.corpora.model import read_corpora
    >>> counts = read_counts(read_corpora(load_example("wang-li-org")))
    >>> counts.names[0], counts.counts.shape
    ('repeat 1, fold 1', (6, 2, 3))
    """
    if assumption not in ("auto", "independent"):
        raise ValueError(
            f"the likelihood 'multinomial' takes models as independent, not {assumption!r}; use the likelihood 'scores'"
        )
    noun = corpora.noun
    evaluations = corpora.evaluations
    names = tuple(evaluations)
    first = evaluations[names[0]]
    note = ""
    for name, ev in evaluations.items():
        check_one_run(ev, f"a model of counts, as that of {noun} {name!r},")
        same_cells = ev.cells == first.cells or bool(ev.classes)
        if type(ev.task) is not type(first.task) or not same_cells:
            raise ValueError(
                f"corpus {name!r} has the cells {listing(ev.cells, most=8)}, but {names[0]!r} has "
                f"{listing(first.cells, most=8)}; keep those that all have, as ev.keep(('tp', 'fp', 'fn'))"
            )
        sampling = sampling_model(ev)
        unit = sampling.ev.unit
        if not sampling.single and assumption == "auto":
            raise ValueError(
                f"corpus {name!r} was sampled by {unit}, but a multinomial takes all items as "
                "independent; use the likelihood 'scores', or assumption='independent' to take them so"
            )
        if not sampling.single:
            note = f"items of one {unit} were taken as independent, which claims too much certainty if they are alike"
        elif sampling.shared and not note:
            note = "models were taken as independent, though they share items; the likelihood 'scores' pairs them"
    task = _common_task([ev.task for ev in evaluations.values()])
    outcomes = [_outcomes(task, ev) for ev in evaluations.values()]
    counts = np.stack([each.counts for each in outcomes])
    if not (counts == np.rint(counts)).all():
        raise ValueError(
            "a multinomial counts whole items, but some are discounted or weighted; give the folds of one corpus "
            "alone, or use the likelihood 'scores'"
        )
    pooled = Evaluation(first.models, task, counts.sum(axis=0) @ outcomes[0].rows)
    return Counts(names, noun, counts, outcomes[0], pooled, note)


def _common_task(tasks: Sequence[Task]) -> Task:
    """Return the task that has the classes of all corpora."""
    if not tasks[0].classes:
        return tasks[0]
    return functools.reduce(lambda task, other: task.union(other), tasks)


def _outcomes(task: Task, ev: Evaluation) -> Outcomes:
    """Return the outcomes of items of one corpus, on the cells of all; refuse items that have no single outcome."""
    outcomes = task.outcomes(ev.widened(task))
    if outcomes is None:
        raise ValueError(
            f"a multinomial needs items of one outcome each, but only sums over several are known of {task.about} here; "
            "use the likelihood 'scores'"
        )
    return outcomes


# ---- sampling ---------------------------------------------------------------------------------------------


def fit_counts(
    corpora: GivenCorpora,
    options: FitOptions,
    *,
    sampler: str,
    progress: bool,
    tune: int | None,
    target_accept: float | None,
) -> FittedModel:
    """Fit the multinomial model by NUTS."""
    prior = options.prior
    rng = options.rng
    draws = 1000 if options.draws is None else options.draws
    tuning = 1000 if tune is None else check_whole(tune, "tune", 100, 7)
    accept = 0.9 if target_accept is None else target_accept
    if not is_number(accept) or not 0.5 <= accept < 1.0:
        raise ValueError(f"target_accept is a share from 0.5 to below 1, such as 0.9, not {quoted(accept)}")
    settings = {
        "draws": draws,
        "tune": tuning,
        "chains": options.chains,
        "target_accept": float(accept),
        "progressbar": progress,
    }
    data_counts = read_counts(corpora, assumption=options.assumption)
    pooled = data_counts.pooled
    if prior.cells is not None:
        pooled.check_prior(prior.cells)
    resolved = resolve_metrics(options.metrics, pooled)
    shares = options.shares(data_counts.names)
    _check_installed(sampler)

    main = headline(pooled, {metric.name: metric.label for metric in resolved})
    plain = data_counts.scores(data_counts.counts, resolved)
    observed = ObservedScores.of(data_counts.names, pooled.models, resolved, plain, main)
    coords = coords_of(observed.models, [metric.name for metric in resolved], observed.corpora)
    coords["cell"] = data_counts.outcomes.labels
    groups = _data_groups(data_counts, plain, data_counts.outcomes.prior(prior.cells), coords)
    with _quiet():
        groups |= sample(model_of(groups, prior), sampler, rng, **settings)
    answers = _answers(groups["posterior"], data_counts, resolved, shares, rng)
    scored = arviz.dataset(by_question(answers), coords)
    made_with = joined(f"{name} {metadata.version(name)}" for name in ("PyMC", "ArviZ"))
    groups["posterior"] = groups["posterior"].merge(scored).assign_attrs(scored.attrs, made_with=made_with)
    reached = convergence(groups["posterior"])
    diverging = groups["sample_stats"]["diverging"]
    return FittedModel(
        groups=groups,
        observed=observed,
        noun=data_counts.noun,
        assumption="independent",
        within="all items taken as independent",
        diagnostics=Diagnostics(
            sampler,
            n_draws=diverging.size,
            chains=options.chains,
            ess=min(reached.bulk, reached.tail),
            divergences=int(diverging.sum()),
            r_hat=reached.r_hat,
        ),
        note=data_counts.note,
        remarks=corpora.remarks,
    )


def _check_installed(sampler: str) -> None:
    """Raise a ValueError if PyMC or a sampler is not installed."""
    for package in dict.fromkeys(("pymc", sampler)):
        if find_spec(package) is None:
            raise ValueError(
                f"sampling needs {package}, which is not installed; install it with pip install 'bayesf1[pymc]'"
            )


def _data_groups(
    data: Counts, plain: FloatArray, alpha: float, coords: Mapping[str, Sequence[str]]
) -> dict[str, xr.Dataset]:
    """Return the data by ArviZ's names of groups: counts, plain scores (corpus, model, metric) and the prior α."""
    observed: arviz.Variables = {"counts": (_DIMS, data.counts.astype(np.int64))}
    constant: arviz.Variables = {
        "alpha": ((), np.asarray(alpha)),
        "score": (("dataset", "system", "measure"), plain.copy()),
    }
    return {
        "observed_data": arviz.dataset(observed, coords),
        "constant_data": arviz.dataset(constant, coords),
    }


def _answers(
    posterior: xr.Dataset,
    data: Counts,
    metrics: Sequence[Metric],
    weights: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return draws of scores for all questions, axes (chain, draw, model, metric, question).

    The weights are those of the corpora in the suite.
    """
    # Shares of the outcomes in the population, axes (chain, draw, model, outcome).
    pi = posterior["pi"].values
    kappa = np.exp(posterior["log_kappa"].values)[..., None]
    on_each = [data.scores(_dirichlet(kappa * pi + table, rng), metrics) for table in data.counts]
    average = data.scores(pi, metrics)
    new = data.scores(_dirichlet(kappa * pi, rng), metrics)
    suite = np.stack(on_each, axis=-1) @ weights
    return np.stack([average, new, suite, *on_each], axis=-1)


class Concentrations(NamedTuple):
    """How alike corpora are: the posterior median of κ of each model, and the program that drew it."""

    kappa: tuple[float, ...]
    made_with: str

    @classmethod
    def of(cls, posterior: xr.Dataset) -> Concentrations:
        """Return the concentrations from their draws."""
        medians = np.exp(np.median(posterior["log_kappa"].values, axis=(0, 1)))
        return cls(tuple(medians.tolist()), str(posterior.attrs.get("made_with", "PyMC")))


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
    seed, prior_seed, predictive_seed = rng.integers(2**31, size=3).tolist()
    options = {"random_seed": seed, "nuts_sampler": sampler, "compute_convergence_checks": False}
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
            # A panic of Rust code in nutpie is a BaseException, not an Exception.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            reason = " ".join(str(error).split())
            other = "nutpie" if sampler == "pymc" else "pymc"
            raise ValueError(
                f"the sampler {sampler!r} failed ({reason:.200}); try another seed (rng=), or the sampler {other!r}"
            ) from error
        posterior = arviz.group(trace, "posterior")[["pi", "log_kappa"]]
        n_chains = posterior.sizes["chain"]
        n_draws = posterior.sizes["draw"]
        if n_chains != settings["chains"] or n_draws != settings["draws"]:
            raise KeyboardInterrupt(f"interrupted after {n_draws} of {settings['draws']} draws")
        step = max(1, n_chains * n_draws // _PREDICTED)
        thinned = arviz.container({"posterior": posterior.isel(draw=slice(None, None, step))})
        before = pm.sample_prior_predictive(_PREDICTED, model=model, random_seed=prior_seed)
        after = pm.sample_posterior_predictive(
            thinned, model=model, random_seed=predictive_seed, progressbar=False
        )
        pm.compute_log_likelihood(trace, model=model, progressbar=False)
    return {
        "posterior": posterior,
        "sample_stats": arviz.group(trace, "sample_stats")[["diverging"]],
        "prior": arviz.group(before, "prior"),
        "prior_predictive": arviz.group(before, "prior_predictive"),
        "posterior_predictive": arviz.group(after, "posterior_predictive"),
        # Summed over models, so that leaving one out leaves out a corpus as a whole.
        "log_likelihood": arviz.group(trace, "log_likelihood").sum("system"),
    }


class Convergence(NamedTuple):
    """The worst R-hat, and the least bulk and tail effective sample sizes, of all variables."""

    r_hat: float
    bulk: float
    tail: float


def convergence(data: xr.Dataset) -> Convergence:
    """Return how well the chains of all variables converged; one chain is compared by its halves."""
    az = arviz.load_arviz()
    if data.sizes["chain"] == 1:
        data = _halves(data)
    with np.errstate(invalid="ignore"):
        r_hat = _finite_values(az.rhat(data))
        bulk = _finite_values(az.ess(data, method="bulk"))
        tail = _finite_values(az.ess(data, method="tail", prob=(0.05, 0.95)))
    n = float(data.sizes["chain"] * data.sizes["draw"])
    return Convergence(
        r_hat=float(r_hat.max(initial=1.0)), bulk=float(bulk.min(initial=n)), tail=float(tail.min(initial=n))
    )


def _halves(data: xr.Dataset) -> xr.Dataset:
    """Return the two halves of a single chain as two chains."""
    import xarray as xr

    half = data.sizes["draw"] // 2
    chain = data.isel(chain=0).drop_vars(["chain", "draw"], errors="ignore")
    halves = [chain.isel(draw=slice(0, half)), chain.isel(draw=slice(half, 2 * half))]
    return xr.concat(halves, dim="chain", data_vars="all").transpose("chain", "draw", ...)


def _finite_values(data: Any) -> FloatArray:
    """Return the values of all variables in one array, without NaN, which belongs to variables that never vary."""
    flat: FloatArray = np.concatenate([np.ravel(variable.values) for variable in data.data_vars.values()])
    return flat[np.isfinite(flat)]


def _dirichlet(alpha: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw shares with Dirichlet parameters along the last axis, however small they are."""
    # log of Gamma(a) = log of Gamma(a + 1) + log(U)/a, which does not underflow.
    logs = np.log(rng.standard_gamma(alpha + 1.0))
    logs -= rng.standard_exponential(alpha.shape) / np.maximum(alpha, 1e-300)
    powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


class _Interrupted(BaseException):
    """An interrupt that PyMC does not mistake for the end of one chain."""


@contextmanager
def _interrupted_at_once() -> Iterator[None]:
    """Let an interrupt end all chains; PyMC by itself would go on to the next one."""

    def end(*_: object) -> None:
        raise _Interrupted

    before = signal.getsignal(signal.SIGINT)
    # Only the main thread may set the handler of an interrupt, and only it is interrupted.
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
    """Silence the warnings of samplers and their imports that are of no use to a reader of the result."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=_NOISE)
        import pymc  # noqa: F401

        loggers = [logging.getLogger(name) for name in ("pymc", "pytensor", "nutpie")]
        levels = [logger.level for logger in loggers]
        try:
            for logger in loggers:
                logger.setLevel(logging.ERROR)
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
