"""What a randomisation test found, and several of them beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bayesf1.base.answer import Answer
from bayesf1.base.checks import checked, start_in_words
from bayesf1.base.multiplicity import adjusted
from bayesf1.base.naming import plural
from bayesf1.base.references import prose, version
from bayesf1.base.table import Table, digits_of, points, printable


@dataclass(frozen=True)
class RandomizationTest(Answer):
    """What a randomisation test found.

    Attributes
    ----------
    metric, label, percent
        Name of the measure, how it is printed, and whether in percent.
    model_a, model_b, score_a, score_b
        Names of the models and their scores.
    alternative
        ``"two-sided"``, ``"greater"`` (B is better than A) or ``"less"``.
    p_value
        Probability of a difference at least as large, had chance decided which output is whose; never 0.
    exact
        Whether all swaps were counted; otherwise the p-value is (k + 1)/(N + 1) from random ones.
    n_trials
        How many random swaps were tried, N; 0 where the p-value is exact.
    interval
        Clopper-Pearson interval of the exact p-value, at `confidence_level`; a single point where it is known.
    confidence_level
        Confidence level of that interval.
    unit, n_units, n_discordant
        What was swapped, how many there are, and on how many the models differ in what the measure counts.
    lower_is_better
        Whether the better model has the lower score.
    start
        The number that random trials start from; None where there are none, or they are those of a Generator.
    p_holm, p_bh
        The p-value as Holm and as Benjamini and Hochberg adjust it beside others; None of a single test. See `adjust`.
    """

    title = "Randomisation test"
    titled = False
    stacked = True
    json_format = "bayesf1.test/1"
    json_list = ("bayesf1.tests/1", "tests")

    metric: str
    label: str
    percent: bool
    model_a: str
    model_b: str
    score_a: float
    score_b: float
    alternative: str
    p_value: float
    exact: bool
    n_trials: int
    interval: tuple[float, float]
    confidence_level: float
    unit: str
    n_units: int
    n_discordant: int
    lower_is_better: bool = False
    start: int | None = None
    p_holm: float | None = None
    p_bh: float | None = None

    @property
    def difference(self) -> float:
        """Score of B minus score of A."""
        return self.score_b - self.score_a

    @property
    def statistic(self) -> float:
        """What is compared with its values under random swaps: the lead of B, or the difference's size if two-sided."""
        lead = -self.difference if self.lower_is_better else self.difference
        return abs(lead) if self.alternative == "two-sided" else lead

    @property
    def table(self) -> Table:
        """The test as a table of one row."""
        header: tuple[str, ...] = (
            "Metric",
            "A",
            "B",
            "Score of A",
            "Score of B",
            "B − A",
            "p",
            "Discordant",
            "Computed",
        )
        how = "exactly" if self.exact else f"{self.n_trials:,} trials"
        p_values: tuple[float, ...] = (self.p_value,)
        if self.p_holm is not None and self.p_bh is not None:
            header = (*header[:7], "p (Holm)", "p (BH)", *header[7:])
            p_values = (self.p_value, self.p_holm, self.p_bh)
        written = (p_equation(p).removeprefix("p ").removeprefix("= ") for p in p_values)
        row = (self.label, self.model_a, self.model_b, *self._amounts, *written, self._discordant, how)
        # Among several a test stands out where it does beside the others.
        least = self.p_value if self.p_holm is None else self.p_holm
        spare = (("p (BH)",), ("Computed",), ("Discordant",), ("p (Holm)",), ("Score of A", "Score of B"))
        return Table(header, (row,), sure=(least < 1.0 - self.confidence_level,), spare=spare)

    @property
    def below(self) -> Sequence[str]:
        """The sentence that the test prints as."""
        return (str(self),)

    @checked
    def sentence(self, *, format: str = "text") -> str:
        """Return what was found as a sentence, ``"text"`` or ``"latex"``."""
        return prose(str(self), format)

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        """Return how it was found, for a paper's section on methods, with the citation."""
        how = "all swaps were counted"
        if not self.exact:
            how = f"the p-value rests on {self.n_trials:,} random swaps and counts the observed outcome among them"
        sides = "two-sided" if self.alternative == "two-sided" else f"one-sided ({self.alternative})"
        told = (
            f"{self.model_a} and {self.model_b} were compared on {self.label} by a {sides} randomisation test (Yeh 2000) "
            f"with {version()}, which swaps the models' outputs on whole {plural(self.unit)}; {how}."
        )
        return prose(printable(told), format)

    def __str__(self) -> str:
        what = {
            "two-sided": f"{self.model_a} and {self.model_b} differ in {self.label}",
            "greater": f"{self.model_b} is better than {self.model_a} in {self.label}",
            "less": f"{self.model_b} is worse than {self.model_a} in {self.label}",
        }[self.alternative]
        low, high = self.interval
        how = "exact"
        if not self.exact:
            level = f"{100 * self.confidence_level:g} % interval {plain_p(low)} to {plain_p(high)}"
            how = ", ".join(filter(None, (f"{self.n_trials:,} trials", level, start_in_words(self.start))))
        score_a, score_b, _ = self._amounts
        lower = ", lower is better" if self.lower_is_better else ""
        beside = "" if self.p_holm is None else f" (Holm: {plain_p(self.p_holm)})"
        return printable(
            f"Randomisation test of whether {what} ({score_a} and {score_b}{lower}): {p_equation(self.p_value)}{beside}, "
            f"{how}; the models differ on {self._discordant}."
        )

    @property
    def _amounts(self) -> tuple[str, str, str]:
        """Both scores and their difference, as they are printed."""
        digits = digits_of(0.0, abs(self.difference), percent=self.percent)
        unit = " %" if self.percent else ""
        a, b = (points(score, digits, percent=self.percent) for score in (self.score_a, self.score_b))
        return f"{a}{unit}", f"{b}{unit}", points(self.difference, digits, sign=True, percent=self.percent)

    @property
    def _discordant(self) -> str:
        return f"{self.n_discordant:,} of {self.n_units:,} {plural(self.unit)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain numbers and strings, with stable names."""
        found = asdict(self)
        low, high = found.pop("interval")
        return {**found, "difference": self.difference, "statistic": self.statistic, "low": low, "high": high}


@checked
def adjust(tests: Sequence[RandomizationTest]) -> list[RandomizationTest]:
    """Return tests with the p-values that they have beside each other: of several measures, classes or pairs of models.

    Examples
    --------
    >>> from bayesf1 import randomization_test_scores
    >>> tests = [randomization_test_scores([0] * n, [1] * n) for n in (6, 7, 8)]
    >>> [(test.p_value, test.p_holm) for test in adjust(tests)]
    [(0.03125, 0.03125), (0.015625, 0.03125), (0.0078125, 0.0234375)]
    """
    found = adjusted([test.p_value for test in tests])
    return [replace(test, p_holm=p, p_bh=q) for test, (p, q) in zip(tests, found, strict=True)]


def p_equation(p: float) -> str:
    """Write a p-value with two digits, and never as 0.

    Examples
    --------
    >>> p_equation(0.03125), p_equation(1.0), p_equation(3e-7)
    ('p = 0.031', 'p = 1', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {plain_p(p)}"


def plain_p(p: float) -> str:
    """Write a p-value with two digits, or three decimals."""
    return f"{p:.2g}" if p < 0.0995 or p > 0.9995 else f"{p:.3f}"
