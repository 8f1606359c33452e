"""Planning for precision: how many items make an interval as short as it shall be."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bayesf1.base.answer import Answer
from bayesf1.base.checks import LEAST_PROB, checked, is_number
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import plural, shown
from bayesf1.base.table import Table, amount, printable
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.gaps import check_no_gaps
from bayesf1.evaluation.metric import Harmonic, Metric, MetricLike
from bayesf1.evaluation.runs import check_one_run
from bayesf1.evaluation.scoring import find_measure
from bayesf1.frequentist.bounds import normal_quantile
from bayesf1.frequentist.delta import check_weights
from bayesf1.kinds.binary_measures import find_metric


@dataclass(frozen=True)
class Plan(Answer):
    """A plan in words: what all plans share."""

    title = "Plan"
    titled = False
    json_format = "bayesf1.plan/1"

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer as a sentence."""

    @property
    @abstractmethod
    def assumptions(self) -> str:
        """What was supposed, as a sentence."""

    @property
    def below(self) -> Sequence[str]:
        """The answer, and what was supposed."""
        return (self.sentence, self.assumptions)

    def __str__(self) -> str:
        return "\n".join(self.below)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain numbers and strings, with stable names."""
        return {**asdict(self), "sentence": self.sentence}


@dataclass(frozen=True)
class SampleSize(Plan):
    """How many items an interval of a given half-width takes.

    Attributes
    ----------
    metric, label, percent
        Name of the measure, how it is printed, and whether in percent.
    half_width, confidence_level
        The interval that is planned for.
    standard_error
        The standard error that it asks for, half-width / z.
    n_positives
        How many gold items; None where the measure does not depend on them.
    n_units, unit
        How many items, or units of the pilot's kind, in all; None where that takes a prevalence that was not given.
    prevalence
        Share of gold items that was supposed, or None.
    basis
        ``"bound"`` where it holds for any model, ``"pilot"`` where a model like that of the pilot is supposed.
    """

    metric: str
    label: str
    percent: bool
    half_width: float
    confidence_level: float
    standard_error: float
    n_positives: int | None
    n_units: int | None
    unit: str
    prevalence: float | None
    basis: str

    @property
    def assumptions(self) -> str:
        """What was supposed, as a sentence."""
        share = "" if self.prevalence is None else f", {100 * self.prevalence:.4g} % of the items positive"
        if self.basis == "bound":
            return f"Holds for any model, whatever its score{share}; normal approximation."
        return f"Assumes a model that performs like the one in the pilot{share}; normal approximation."

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        sizes = [] if self.n_units is None else [f"{self.n_units:,} {plural(self.unit)}"]
        if self.n_positives is not None:
            sizes.append(f"{self.n_positives:,} positive {'ones' if sizes else 'items'}")
        width = amount(self.half_width, percent=self.percent)
        return printable(
            f"A {100 * self.confidence_level:g} % interval for {self.label} no wider than ±{width} takes "
            f"{' with '.join(sizes)}."
        )

    @property
    def table(self) -> Table:
        """The plan as a table of one row."""
        units = plural(self.unit).capitalize()
        header = ("Metric", "Half-width", "Confidence", "Positives", units, "Holds for")
        numbers = ("–" if n is None else f"{n:,}" for n in (self.n_positives, self.n_units))
        who = "any model" if self.basis == "bound" else "models like the pilot's"
        row = (self.label, f"{self.half_width:g}", f"{100 * self.confidence_level:g} %", *numbers, who)
        return Table(header, (row,), sure=(True,))


def variance_bound(a: float, b: float) -> float:
    r"""Return Jiang's :math:`V(\max\{a,b\})`: no Tversky index has a larger variance than V/(b·positives).

    .. math:: V = \max_\tau\ \tau(1-\tau)\bigl(1-(1-\max\{a,b\})\tau\bigr)^2, \qquad
              \tau_0 = \frac{2}{2+3e+\sqrt{9e^2-4e+4}}, \quad e = 1-\max\{a,b\}.

    Parameters
    ----------
    a, b
        Weights of false positives and of false negatives: (½, ½) is F1, (0.8, 0.2) F0.5, (0.2, 0.8) F2.

    Examples
    --------
    >>> round(variance_bound(0.8, 0.2), 9)
    0.204970226

    References
    ----------
    Jiang (2020), *Statistical formulas for F measures*, Proposition 1 (ii).
    """
    check_weights(a, b)
    e = 1.0 - max(a, b)
    tau = 2.0 / (2.0 + 3.0 * e + math.sqrt(9.0 * e * e - 4.0 * e + 4.0))
    return tau * (1.0 - tau) * (1.0 - e * tau) ** 2


@checked
def plan(
    half_width: float,
    metric: MetricLike | None = None,
    *,
    prevalence: float | None = None,
    pilot: Evaluation | None = None,
    model: str | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    r"""Return how many items an interval of a given half-width takes.

    Without a pilot the answer holds for any model: with :math:`\delta` = half-width / z,

    .. math:: n_+ \ge \frac{V(\max\{a,b\})}{b\,\delta^2}

    gold items, and as many items as hold them. With a pilot its own variance takes the bound's place, and any measure
    and any kind of unit will do.

    Parameters
    ----------
    half_width
        Half of the interval's length, such as 0.02 for ±2 percentage points.
    metric
        Name of a measure. Without a pilot: an F-score, ``"jaccard"``, ``"recall"`` or ``"accuracy"``.
    prevalence
        Share of gold items, to say how many items there must be in all.
    pilot
        What a model like the one to be evaluated did on some items or other units.
    model
        Which model of the pilot; may be left out where there is one.
    confidence_level
        Confidence level of the interval.

    Examples
    --------
    >>> size = plan(half_width=0.02, metric="f0.5", prevalence=0.615)
    >>> size.n_positives, size.n_units
    (9843, 16005)
    >>> from bayesf1 import from_counts
    >>> juice = from_counts(logistic=(286, 47, 43, 159))
    >>> plan(half_width=0.02, metric="f0.5", pilot=juice).n_units
    1355

    References
    ----------
    Jiang (2020), *Statistical formulas for F measures*, Corollary 2; he rounds δ to 0.01, which makes 10,250 and
    16,667.
    """
    if not is_number(half_width):
        raise WordedError(Argument("half_width"), f" must be a number such as 0.02, not {shown(half_width)}")
    if not 1e-6 <= half_width < 1.0:
        raise WordedError(
            Argument("half_width"),
            f" must lie between 1e-6 and 1, such as 0.02 for ±2 points, not {shown(half_width)}",
        )
    if prevalence is not None and not (is_number(prevalence) and LEAST_PROB <= prevalence <= 1.0):
        raise ValueError(f"prevalence is a share above 0 and at most 1, such as 0.2, not {shown(prevalence)}")
    needed = float(half_width) / normal_quantile(confidence_level)
    if pilot is not None:
        measure, n_positives, n_units, unit = _from_pilot(needed, metric, pilot, model, prevalence)
    elif model is not None:
        raise ValueError(f"model {model!r} is named, but there is no pilot that it could be in; give pilot")
    else:
        measure, unit = find_metric("f1" if metric is None else metric), "item"
        n_positives, n_units = _from_bound(needed, measure, prevalence)
    return SampleSize(
        metric=measure.name,
        label=measure.label,
        percent=measure.percent,
        half_width=float(half_width),
        confidence_level=confidence_level,
        standard_error=needed,
        n_positives=n_positives,
        n_units=n_units,
        unit=unit,
        prevalence=None if prevalence is None else float(prevalence),
        basis="bound" if pilot is None else "pilot",
    )


def _ceil(x: float) -> int:
    # A whole number that rounding has lifted by a hair is still that number.
    return math.ceil(x * (1.0 - 1e-12))


def _from_bound(needed: float, measure: Metric, prevalence: float | None) -> tuple[int | None, int | None]:
    """Return how many gold items, and how many in all, do for any model."""
    if measure.name == "accuracy":
        # A share of all items, whose variance is at most ¼.
        n = _ceil(0.25 / needed**2)
        return None if prevalence is None else _ceil(n * prevalence), n
    if isinstance(measure.law, Harmonic):
        square = measure.law.beta**2
        a, b = 1.0 / (1.0 + square), square / (1.0 + square)
    elif measure.name in ("recall", "jaccard"):
        a, b = (0.0, 1.0) if measure.name == "recall" else (1.0, 1.0)
    else:
        raise ValueError(
            f"no number of items makes an interval for the metric {measure.name} short for every model; give a pilot"
        )
    # Jiang (2020), Corollary 2.
    positives = _ceil(variance_bound(a, b) / (b * needed**2))
    return positives, None if prevalence is None else _ceil(positives / prevalence)


def _from_pilot(
    needed: float, metric: MetricLike | None, pilot: Evaluation, model: str | None, prevalence: float | None
) -> tuple[Metric, int | None, int | None, str]:
    """Return the measure, how many gold items and units in all it takes, and what the units are."""
    check_evaluation(pilot)
    if model is None:
        if len(pilot.names) > 1:
            raise ValueError(f"the pilot has several models ({', '.join(pilot.names)}); choose one by model")
        model = pilot.names[0]
    if pilot.shape:
        raise ValueError(f"a pilot is one experiment, but its tables have leading axes {pilot.shape}")
    one = pilot.select([model])
    check_one_run(one, "a plan for an interval")
    check_no_gaps(one, "a plan for an interval", "plan_labels plans labels")
    measure = find_measure(metric, one)
    sample = one.under().samples
    variance = sample.variance(lambda tables: measure(tables[..., 0, :], one.cells))
    if not variance > 0.0:
        raise ValueError(
            f"{model} scores {float(measure(one.tables, one.cells)[0]):g} in the pilot without any spread, which says "
            "nothing about a larger test set; leave the pilot out, or take a larger one"
        )
    times = variance / needed**2
    gold = sum(n for cell, n in zip(one.cells, one.tables[0], strict=True) if cell.startswith(("tp", "fn")))
    positives = _ceil(gold * times) if gold > 0.0 else None
    known = one.units is not None and one.units.shared
    n_units = None
    if known or one.kind.counts_all_items:
        if prevalence is not None:
            raise ValueError("the pilot tells the prevalence itself; leave prevalence out")
        n_units = _ceil(sample.size * times)
    elif prevalence is not None and positives is not None:
        n_units = _ceil(positives / prevalence)
    if positives is None and n_units is None:
        raise ValueError(
            "the pilot's totals do not tell how many items there were; give one with predictions"
        )
    return measure, positives, n_units, one.unit if known else "item"
