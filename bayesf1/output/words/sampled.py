"""The sample in words: units, generations, runs, folds and data sets; the prior, and the draws."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bayesf1.base.checks import start_in_words
from bayesf1.base.naming import joined, number_of, plural
from bayesf1.sampling.inflation import FEW_UNITS
from bayesf1.sampling.model import SamplingSettings
from bayesf1.task import WANG_AND_LI

if TYPE_CHECKING:
    from bayesf1.frequentist.intervals import IntervalSettings
    from bayesf1.inference.comparison import Settings

BOOTSTRAP = "by a Bayesian bootstrap (Rubin 1981)"


# ---- units and what was sampled within them ---------------------------------------------------------------


def sampled(s: SamplingSettings) -> str:
    """Write the number of units with their noun; "" if only totals are known."""
    if not s.n_units:
        return ""
    units = number_of(round(s.n_units), s.unit)
    return f"{units} ({s.labelled})" if s.labelled else units


def units_in_words(s: SamplingSettings) -> str:
    """Write how many units there are, and their effective number if that is far smaller."""
    effective = s.effective_units
    if effective is None or not s.n_units or effective > 0.75 * s.n_units:
        return sampled(s)
    why = "" if s.labelled else " as they differ in weight"
    return f"{sampled(s)}, effectively about {max(effective, 1.0):,.0f}{why}"


def design(s: SamplingSettings) -> str:
    """Write what was sampled, by the roles of a table's columns: items, generations, runs, folds, data sets."""
    if s.data_sets:
        return _listed(sampled(s), _inside_data_sets(s.data_sets))
    if s.final and s.runs:
        return _runs(s)
    if s.cv is not None:
        folds = folds_of(*s.cv.shape)
        return f"{sampled(s)} in {folds}" if s.n_units else folds
    units = sampled(s) if s.n_units else "totals"
    return _listed(units, _runs(s), _generations(s))


def on_what(s: SamplingSettings) -> str:
    """Write what was sampled as a part of a title."""
    if s.final and s.runs:
        return f", {design(s)}"
    if s.cv is not None and not s.n_units:
        return f" in {design(s)}"
    return f" on {design(s)}"


def has_roles(s: SamplingSettings) -> bool:
    """Return whether anything was sampled beside items, folds and runs."""
    return bool(s.final or s.data_sets or s.generations)


def _inside_data_sets(data_sets: tuple[SamplingSettings, ...]) -> str:
    """Write what was sampled within data sets: folds, runs or generations; otherwise units."""
    repeated = [_repeated(data_set) for data_set in data_sets]
    units = [sampled(data_set) for data_set in data_sets]
    if any(repeated):
        inside = [first if first else second for first, second in zip(repeated, units, strict=True)]
        return " or ".join(_different(inside))
    if len({*units}) > 1:
        n_units = sum(data_set.n_units for data_set in data_sets)
        return f"{number_of(round(n_units), data_sets[0].unit)} in all"
    return f"{units[0]} each" if units[0] else ""


def _repeated(s: SamplingSettings) -> str:
    """Write what was repeated on a data set: folds, runs or generations; "" if nothing was repeated."""
    if s.cv is not None:
        repeats, folds = s.cv.shape
        return f"{repeats * folds} folds each"
    runs = f"{from_to(s.runs, 'run')} each" if s.runs and max(s.runs) > 1 else ""
    return _listed(runs, _generations(s))


def _runs(s: SamplingSettings) -> str:
    """Write how often the models were trained; "" if once."""
    if not s.runs or max(s.runs) == 1:
        return ""
    runs = from_to(s.runs, "run")
    return f"{runs} of each" if len(s.runs) > 1 else runs


def _generations(s: SamplingSettings) -> str:
    """Write how often an item was answered; "" if once."""
    if s.generations and max(s.generations) > 1:
        return f"{from_to(s.generations, s.repeated)} each"
    return ""


def from_to(numbers: tuple[int, ...], noun: str) -> str:
    """Write a number with its noun, or a range of numbers."""
    if len({*numbers}) == 1:
        return number_of(numbers[0], noun)
    return f"{min(numbers)} to {max(numbers)} {noun}s"


def folds_of(repeats: int, folds: int) -> str:
    """Write how many folds a cross-validation has.

    Examples
    --------
    >>> folds_of(3, 2), folds_of(1, 10)
    ('the 6 folds of a 3×2 cross-validation', 'the 10 folds of a cross-validation')
    """
    repeated = f"{repeats}×{folds} " if repeats > 1 else ""
    return f"the {repeats * folds} folds of a {repeated}cross-validation"


def _listed(*texts: str) -> str:
    """Join texts that are not empty by commas."""
    return ", ".join(text for text in texts if text)


def _different(texts: Iterable[str]) -> list[str]:
    """Return texts that are not empty, each once, in order."""
    return list(dict.fromkeys(text for text in texts if text))


# ---- too few units ----------------------------------------------------------------------------------------


def same_everywhere(score: str, s: SamplingSettings, value: str = "the same") -> str:
    """Write that a score does not vary over the units or folds, which are few."""
    if s.training:
        where = f"{value} in all folds"
    elif s.n_units == 1:
        where = f"known on a single {s.unit}"
    else:
        where = f"{value} on all {sampled(s)}"
    return f"{score} is {where}, which does not show how much it varies"


def few_units(s: SamplingSettings) -> str:
    """Write that there are too few units to know well how much they vary; "" if there are enough."""
    # If only the scores of folds are used, the number of units does not matter.
    by_units = s.training in ("", "mixture")
    if not s.n_units or not by_units or s.effective_units is None or s.effective_units >= FEW_UNITS:
        return ""
    there_are = "There is" if s.n_units == 1 else "There are"
    return (
        f"{there_are} only {units_in_words(s)}: too few to show how much {plural(s.unit)} vary, so credible intervals are "
        "wider."
    )


# ---- the scope of a claim ---------------------------------------------------------------------------------


def scope(s: SamplingSettings) -> str:
    """Write the scope of a claim about methods, as the middle of a sentence; "" if models are compared."""
    if s.data_sets:
        return f" on the average {s.unit}"
    if s.training and s.cv is not None:
        folds = s.cv.shape[1]
        return f" when trained on {100 * (folds - 1) / folds:.3g} % of such data"
    if s.assumption == "fixed":
        return f" on these {plural(s.unit)}"
    if not s.runs or {*s.runs} == {1}:
        return ""
    runs = f"{joined(map(str, s.runs))} runs"
    if len({*s.runs}) == 1:
        runs = f"{s.runs[0]} runs each"
    if s.target == "models":
        return f" averaged over these {runs}"
    test_set = " and tested on this test set" if s.final else ""
    return f" when trained again{test_set}, to judge by {runs}"


# ---- how models depend on each other ----------------------------------------------------------------------


def dependence(s: SamplingSettings) -> str:
    """Write what was taken as sampled, and how the models depend on each other."""
    if s.data_sets:
        return _over_data_sets(s)
    if s.training:
        return _over_folds(s)
    if s.final:
        return "the runs of each method have a variance of their own, as in the test of Welch (1947), with half-Cauchy priors"
    compared = "runs" if s.runs else "models"
    if s.assumption == "independent":
        return f"the {compared} were taken as independent"
    if s.assumption == "fixed":
        return (
            f"{sampled(s)} were taken as given and their {plural(s.repeated)} as sampled (t distribution with "
            f"{s.freedom:,.0f} degrees of freedom)"
        )
    if s.freedom is None:
        return f"the {compared} were paired item by item ({sampled(s)})"
    units = units_in_words(s)
    answers = _generations(s)
    if answers:
        source = "" if s.repeated == "prompt" else "; Miller 2024"
        units = f"{units} ({answers}, whose mean counts{source})"
    return (
        f"the {compared} were paired on {units}, {BOOTSTRAP} over {plural(s.unit)} with a small-sample inflation "
        f"({s.freedom:,.0f} degrees of freedom)"
    )


def _over_data_sets(s: SamplingSettings) -> str:
    each = " or ".join(_different(_of_data_set(data_set) for data_set in s.data_sets))
    units = f"{plural(s.unit)} ({sampled(s)})"
    return (
        f"{units} are a sample of others: random effects of their scores (half-t priors; compare Corani et al. 2017), "
        f"each {each}"
    )


def _of_data_set(s: SamplingSettings) -> str:
    """Write how surely the scores of a data set are known."""
    if not s.final:
        return "with the sampling covariance of its own posterior"
    if s.runs:
        return "with the variance of runs, which is taken as the same on all"
    if s.training:
        return "with the variance of its folds, corrected as by Nadeau and Bengio (2003)"
    return "with one score of each model"


def _over_folds(s: SamplingSettings) -> str:
    halves = "learnt from the two halves of each repeat"
    match s.training:
        case "corrected":
            source = "Nadeau and Bengio (2003), as a posterior (Corani and Benavoli 2015)"
            distribution = f"follows the corrected t distribution of {source}"
        case "contrasts":
            distribution = f"follows a t distribution whose scale is {halves}"
        case _:
            units = plural(s.unit)
            distribution = (
                f"is drawn {BOOTSTRAP} over {units}, with what training adds {halves} (half-t prior)"
            )
    return f"scores are means over the folds of the {s.cv}, and their difference {distribution}"


# ---- the prior and the draws ------------------------------------------------------------------------------


def prior_of(s: Settings | IntervalSettings) -> str:
    """Write which prior was used."""
    return f"a {s.prior_name}" if s.signed_prior else "no prior"


def with_prior(s: Settings) -> str:
    """Write which prior was used, as the end of a clause; nothing for final scores, which have none."""
    data_sets = s.data_sets if s.data_sets else (s,)
    if all(data_set.final for data_set in data_sets):
        return ""
    return f", with {prior_of(s)}"


def cited(s: Settings) -> str:
    """Write where the posterior was published, and how it was extended."""
    if s.assumption != "independent" and s.citation == WANG_AND_LI:
        return f"{s.citation}, extended to shared {plural(s.unit)}"
    return s.citation


def draws_of(s: Settings, n_draws: int, error: float) -> str:
    """Write how many draws were made, their standard error and the number they start from."""
    start = start_in_words(s.rng)
    precision = f"standard error up to {error:.1g}"
    if start:
        precision = f"{precision}; {start}"
    return f"{n_draws:,} posterior draws ({precision})"
