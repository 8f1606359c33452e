"""What was sampled, as words: units, generations, runs, folds and data sets, and the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import counted as number_of, joined, plural
from bayesf1.sampling.inflation import FEW_UNITS
from bayesf1.sampling.model import SamplingSettings

if TYPE_CHECKING:
    from bayesf1.frequentist import intervals
    from bayesf1.inference.comparison import Settings


def sampled(s: SamplingSettings) -> str:
    """Write how many units there are, and of what kind; nothing if only totals are known."""
    if not s.n_units:
        return ""
    return f"{number_of(round(s.n_units), s.unit)}{s.labelled and f' ({s.labelled})'}"


def design(s: SamplingSettings) -> str:
    """Write what was sampled, by the roles of a table's columns: items, generations, runs, folds, data sets."""
    if s.within:
        inside = " or ".join(dict.fromkeys(filter(None, map(_inner, s.within))))
        return sampled(s) + (f", {inside}" if inside else "")
    each = _each(s)
    if s.final:
        return each
    return f"{sampled(s)}{each and f', {each}'}"


def _inner(s: SamplingSettings) -> str:
    """Write what was sampled within a data set."""
    return _each(s) or sampled(s)


def _each(s: SamplingSettings) -> str:
    """Write how often an item was answered, or a model trained, or on which folds."""
    if s.training and s.final:
        return f"the folds of the {s.cv}"
    parts = []
    for numbers, noun in ((s.runs, "run"), (s.generations, s.repeated)):
        if numbers and max(numbers) > 1:
            number = (
                number_of(numbers[0], noun)
                if len({*numbers}) == 1
                else f"{min(numbers)} to {max(numbers)} {noun}s"
            )
            parts.append(f"{number} each")
    return ", ".join(parts)


def on_what(s: SamplingSettings) -> str:
    """Write what was sampled as a part of a title, where that is more than items; nothing elsewhere."""
    return f"{',' if s.final and s.runs else ' on'} {design(s)}" if has_roles(s) else ""


def has_roles(s: SamplingSettings) -> bool:
    """Return whether more was sampled than items, and folds or runs of them."""
    return bool(s.final or s.within or s.generations)


def same_everywhere(what: str, s: SamplingSettings, value: str = "the same") -> str:
    """Say that a score does not vary over the few units, or the folds, that there are."""
    known = f"{value} in all folds" if s.training else f"{value} on all {sampled(s)}"
    known = f"known on a single {s.unit}" if s.n_units == 1 and not s.training else known
    return f"{what} is {known}, which does not show how much it varies"


def counted(s: SamplingSettings) -> str:
    """Write how many units there are, and their effective number if that is far smaller."""
    effective = s.effective_units
    if effective is None or not s.n_units or effective > 0.75 * s.n_units:
        return sampled(s)
    why = "" if s.labelled else " as they differ in weight"
    return f"{sampled(s)}, effectively about {max(effective, 1.0):,.0f}{why}"


def scope(s: SamplingSettings) -> str:
    """Write what a claim about methods speaks of, as the middle of a sentence; nothing if models are compared."""
    if s.within:
        return f" on the average {s.unit}"
    if s.training and s.cv is not None:
        folds = s.cv.shape[1]
        return f" when trained on {100 * (folds - 1) / folds:.3g} % of such data"
    if not s.runs or set(s.runs) == {1}:
        return ""
    each = f"{s.runs[0]} runs each" if len(set(s.runs)) == 1 else f"{joined(map(str, s.runs))} runs"
    return (
        f" when trained again{' and tested on this test set' * s.final}, to judge by {each}"
        if s.target == "method"
        else f" averaged over these {each}"
    )


def dependence(s: SamplingSettings) -> str:
    """Write what was taken as sampled, and how the models depend on each other."""
    if s.within:
        known = " or ".join(dict.fromkeys(map(_known_within, s.within)))
        return (
            f"{plural(s.unit)} ({sampled(s)}) are a sample of others: random effects of their scores (half-t priors), each "
            f"{known}"
        )
    if s.final and not s.training:
        return "a score varies from run to run, by which alone it is known"
    what, bootstrap = "runs" if s.runs else "models", "by a Bayesian bootstrap (Rubin 1981)"
    if s.training:
        halves = "learnt from the two halves of each repeat"
        how = {
            "corrected": "follows the corrected t distribution of Nadeau and Bengio (2003)",
            "contrasts": f"follows a t distribution whose scale is {halves}",
            "mixture": f"is drawn {bootstrap} over {plural(s.unit)}, with what training adds {halves} (half-t prior)",
        }[s.training]
        return f"scores are means over the folds of the {s.cv}, and their difference {how}"
    if s.assumption == "independent":
        return f"the {what} were taken as independent"
    if s.freedom is None:
        return f"the {what} were paired item by item ({sampled(s)})"
    what = f"means of {plural(s.repeated)} ({plural(s.unit)})" if s.generations else what
    inflation = f"a small-sample inflation ({s.freedom:,.0f} degrees of freedom)"
    return f"the {what} were paired on {counted(s)}, {bootstrap} with {inflation}"


def _known_within(s: SamplingSettings) -> str:
    if not s.final:
        return "with the sampling covariance of its own posterior"
    if not (s.runs or s.training):
        return "with one score of each model"
    return (
        "with the variance of runs, which is taken as the same on all"
        if s.runs
        else "with the corrected variance of its folds"
    )


def few_units(s: SamplingSettings) -> str:
    """Say if there are too few units to know well how much they vary."""
    # Only fold scores count after a training that is no mixture.
    if not s.n_units or s.training not in ("", "mixture") or (s.effective_units or FEW_UNITS) >= FEW_UNITS:
        return ""
    there = "There is" if s.n_units == 1 else "There are"
    return f"{there} only {counted(s)}: too few to show how much {plural(s.unit)} vary, so credible intervals are wider."


def prior_of(s: Settings | intervals.IntervalSettings) -> str:
    """Write which prior was used."""
    return f"a {s.prior_name}" if s.signed_prior else "no prior"


def draws_of(s: Settings, n_draws: int, error: float) -> str:
    """Write how many draws were made, their standard error and where they start."""
    start = start_in_words(s.rng)
    return f"{n_draws:,} posterior draws (standard error up to {error:.1g}{start and f'; {start}'})"


def cited(s: Settings) -> str:
    """Write where the posterior was published, and how it was extended."""
    wider = s.assumption != "independent" and "Wang and Li" in s.citation
    return s.citation + f", extended to shared {plural(s.unit)}" * wider
