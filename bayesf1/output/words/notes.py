"""Sentences about the limits of a conclusion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bayesf1.base.naming import Aside, joined, plural
from bayesf1.metrics import in_prose
from bayesf1.output.words.numbers import equation, estimates, points, unit_of
from bayesf1.output.words.sampled import few_units, sampled
from bayesf1.sampling.inflation import FEW_UNITS

if TYPE_CHECKING:
    from bayesf1.inference.comparison import Comparison
    from bayesf1.inference.variance import GenerationShare
    from bayesf1.sampling.model import SamplingSettings

UNDEFINED = "A score is undefined, and not compared, if there is nothing to divide by."
# A note names the method whose runs vary more than this many times as much as the other's.
_VOLATILE = 3.0
# A share of the uncertainty that would be printed as 100%.
_NEARLY_ALL = 0.995


def notes(c: Comparison) -> list[str]:
    """Return the limits of the conclusion of a comparison, a sentence each."""
    lines = [
        *_data_set_notes(c.settings, percent=c.definition.percent),
        *_generation_notes(c.settings, c.generations),
        *_training_notes(c),
        *_single_run_notes(c),
        *_other_target_notes(c),
    ]
    caution = few_units(c.settings)
    if caution and not c.spread_unknown:
        lines.append(caution)
    return [*lines, *_size_notes(c), *_pairing_notes(c), *c.remarks, *_unlike_gold_notes(c)]


def ranking_notes(s: SamplingSettings, generations: GenerationShare | None, *, percent: bool) -> list[str]:
    """Return the limits of a ranking that follow from what was sampled, a sentence each."""
    lines = [*_data_set_notes(s, percent=percent), *_generation_notes(s, generations)]
    caution = few_units(s)
    return [*lines, caution] if caution else lines


def _data_set_notes(s: SamplingSettings, *, percent: bool) -> list[str]:
    """Return a note that a claim about data sets is about the average one."""
    if not s.data_sets:
        return []
    units = plural(s.unit)
    lines = [
        (
            f"The claim is about {units} like these on average. For exactly these {sampled(s)}, see the suite in "
            "bayesf1 hierarchical."
        )
    ]
    if s.n_units < FEW_UNITS:
        scale = "5 points" if percent else "5% of the highest score"
        lines.append(
            f"With only {sampled(s)} the interval depends on the prior for how much {units} differ (half-t, scale {scale})."
        )
    return lines


def _generation_notes(s: SamplingSettings, generations: GenerationShare | None) -> list[str]:
    """Return the share of generations in the variance, and the effect of more generations or items (Miller 2024)."""
    if s.assumption == "fixed":
        return [f"The claim is about these {plural(s.unit)}. It does not cover others."]
    if s.repeated == "prompt" and max(s.generations) > 1:
        return [f"Scores are means over these {max(s.generations)} prompts; others may give other scores."]
    if generations is None:
        return []
    repeated = plural(generations.noun)
    units = plural(s.unit)
    return [
        _sources(generations.share, f"the choice of {units}"),
        Aside(
            f"Twice the {repeated} would shorten the interval by about "
            f"{_percent(generations.shorter_with_twice_generations)}, twice the {units} by about "
            f"{_percent(generations.shorter_with_twice_items)}."
        ),
        "The claim is about these models, which were not trained again.",
    ]


def _sources(share: float, choice: str) -> str:
    """Say how much of the uncertainty comes from sampling answers, and how much from the choice of items.

    Examples
    --------
    >>> _sources(0.997, "the choice of items")
    'Nearly all of the uncertainty comes from sampling answers.'
    >>> _sources(0.003, "the choice of items")
    'Nearly all of the uncertainty comes from the choice of items.'
    """
    if share >= _NEARLY_ALL:
        return "Nearly all of the uncertainty comes from sampling answers."
    if share <= 1.0 - _NEARLY_ALL:
        return f"Nearly all of the uncertainty comes from {choice}."
    of_answers = _percent(share)
    of_choice = _percent(1.0 - share)
    return f"About {of_answers} of the uncertainty comes from sampling answers, {of_choice} from {choice}."


def _training_notes(c: Comparison) -> list[str]:
    """Return notes on how much of the uncertainty comes from training, and on how much training runs vary."""
    s = c.settings
    if c.variance is None:
        return []
    lines = []
    training = c.variance.share
    if not s.final:
        source = "training" if training > 0.5 else "the test items"
        lines.append(f"{_percent(max(training, 1.0 - training))} of the uncertainty comes from {source}.")
    spreads = sorted([(c.variance.run_sd_a, c.model_a), (c.variance.run_sd_b, c.model_b)])
    less, steady = spreads[0]
    more, volatile = spreads[1]
    if more > _VOLATILE * less:
        times = f"about {more / less:.0f}" if more < 10.0 * less else "more than ten"
        lines.append(f"{volatile} varies {times} times as much from run to run as {steady}.")
    if min(s.runs) < FEW_UNITS:
        lines.append(f"{min(s.runs)} runs may miss a failure that occurs in 1 of 10 training runs.")
    return lines


def _single_run_notes(c: Comparison) -> list[str]:
    runs = zip((c.model_a, c.model_b), c.settings.runs, strict=False)
    single = [model for model, n_runs in runs if n_runs == 1]
    if not single:
        return []
    return [
        (
            f"Only one run of {joined(single)} is known, so the answer is about these trained models, not about training "
            "again."
        )
    ]


def _other_target_notes(c: Comparison) -> list[str]:
    """Give the answer for the other target of folds: one of the two is what the reader means."""
    s = c.settings
    other = c.other_target
    if other is None or c.alike or math.isnan(other.gap):
        return []
    # The claim is about the models, and the other target is the method, on which equal folds say nothing.
    if not s.training and other.spread_unknown:
        return ["The difference is the same in all folds, which does not show how much training varies."]
    about = "For the models fitted in these folds" if s.training else "If both were trained again"
    # Totals of folds do not pair items, but each fold has a pair of scores.
    if other.settings.training in ("contrasts", "corrected"):
        about = f"{about} (paired by fold)"
    elif s.training and other.assumption == "independent":
        about = f"{about} (taken as independent)"
    p_better = equation(f"P({c.model_b} better)", other.p_h1)
    difference = f"{estimates([other.estimates.difference], sign=True)[0]}{unit_of(c.definition)}"
    lines = [f"{about}: {p_better}, difference {difference}."]
    if s.training == "contrasts":
        lines.append(
            "Predictions item by item would give a shorter interval than totals of folds, and one that holds more often."
        )
    return lines


def _size_notes(c: Comparison) -> list[str]:
    """Return a note if the difference depends on the size of documents."""
    if c.size_correlation == 0.0:
        return []
    size = "more" if c.size_correlation > 0.0 else "less"
    correlation = points(c.size_correlation, 2, sign=True, percent=False)
    return [
        (
            f"{c.model_b} gains on {c.model_a} on {plural(c.settings.unit)} that count for {size} in {in_prose(c.label)} "
            f"(Spearman {correlation}): the difference depends on how many there are of these."
        )
    ]


def _pairing_notes(c: Comparison) -> list[str]:
    """Return a note if models, or their runs, were treated as independent although they may not be."""
    s = c.settings
    if c.pairing_unknown and s.n_units:
        return ["The models were taken as tested on different items, as asked, though they share them."]
    if c.pairing_unknown:
        return [
            (
                "Only totals are known: P(H1) takes the models as tested on different items; bf.pairing_bounds(ev) gives its "
                "range over all pairings on the same ones."
            )
        ]
    if s.runs and c.assumption == "independent" and not s.final:
        return ["Only totals are known: P(H1) takes the runs' errors as independent."]
    return []


def _unlike_gold_notes(c: Comparison) -> list[str]:
    """Return a note that tables are not from one test set if one has more gold positives than the other."""
    if c.gold_positives is None or c.gold_positives[0] == c.gold_positives[1]:
        return []
    n_a, n_b = [f"{number:,.10g}" for number in c.gold_positives]
    return [
        f"{c.model_a} has {n_a} gold positives and {c.model_b} has {n_b}: they are taken as tested on different items."
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
