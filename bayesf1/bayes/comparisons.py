"""The tests of several measures for one pair of models, with every form of answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.answer import Answer, paragraphs
from bayesf1.base.checks import RNGLike, checked
from bayesf1.base.naming import nearest, same_name, shown
from bayesf1.base.references import prose
from bayesf1.base.table import Table, printable
from bayesf1.bayes import verdict
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.methods_sentence import of_comparison
from bayesf1.bayes.outside import of_comparisons

if TYPE_CHECKING:
    from os import PathLike

    import xarray as xr

    from bayesf1.bayes.gate import Check


class Comparisons(Answer, Mapping[str, Comparison]):
    """The Bayes tests of several measures for one pair of models, by name of the measure, in order."""

    json_format = "bayesf1.compare/1"
    json_list = ("bayesf1.pairs/1", "pairs")
    index_names = ("experiment", "metric")

    @checked
    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self._by_name = {c.metric: c for c in comparisons}

    def __getitem__(self, metric: str) -> Comparison:
        if metric in self._by_name:
            return self._by_name[metric]
        # As it is printed, too: "macro_f1" where plain "f1" is the macro average, "nDCG@10" where it is the mean of these.
        for c in self._by_name.values():
            if same_name(str(metric), c.label) or same_name(str(metric), c.measure.alias):
                return c
        raise KeyError(f"no metric {metric!r} here; {nearest(str(metric), self.known)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def title(self) -> str:
        """Which models were compared, and what the intervals are."""
        c = self._headline
        return printable(
            f"Bayes test of {c.model_b} against {c.model_a}, {100 * c.prob:.4g} % equal-tailed credible intervals"
        )

    @property
    def table(self) -> Table:
        """Metric, both models' scores and intervals, the difference, P(H0), P(H1) and the verdict."""
        return verdict.table(self._all, () if self._many else self.notes)

    @property
    def below(self) -> Sequence[str]:
        """The verdict, what was assumed, and what limits the conclusion."""
        return [self.sentence(), verdict.assumptions(self._all), *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the conclusion on which the verdict is given, and which scores lie outside their intervals."""
        return (*self._headline.notes, *of_comparisons(self._all))

    def to_text(self) -> str:
        """Return table, verdict and assumptions as plain text; only a line for each measure with leading axes."""
        return repr(self) if self._many else super().to_text()

    def __repr__(self) -> str:
        return "\n".join(repr(c) for c in self.values())

    def _repr_html_(self) -> str:
        if self._many:
            return f"<pre>{escape(repr(self))}</pre>"
        return self.table.to_html() + paragraphs(self.below)

    @checked
    def sentence(self, metric: str | None = None, *, format: str = "text") -> str:
        """Return a sentence for a paper: on F1, else on the first measure, or class by class.

        The `format` is ``"text"`` or ``"latex"``.
        """
        if self._many:
            raise ValueError("a sentence speaks of one experiment, but these have leading axes; use to_frame")
        if metric is not None and metric not in self:
            raise ValueError(f"unknown metric {shown(metric)}; {nearest(metric, self.known)}")
        return prose(verdict.verdict(self._all) if metric is None else verdict.sentence(self[metric]), format)

    @checked
    def methods_sentence(self, *, format: str = "text") -> str:
        r"""Return how the answer was found, for a paper's section on methods.

        In the format ``"latex"`` it cites by ``\cite``, and `bibtex` has the entries.
        """
        return prose(of_comparison(self._all, self.notes), format)

    @checked
    def check(self, condition: str) -> Check:
        """Return whether a condition such as ``"f1: B not worse by 0.005"`` holds, and why; see `bayesf1.bayes.condition`."""
        from bayesf1.bayes.gate import gate

        (found,) = gate([self], [condition]).checks
        return found

    def records(self) -> list[dict[str, Any]]:
        """Return the full numbers, a row for each measure (and experiment, with leading axes)."""
        return [record for c in self.values() for record in c.records()]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and strings, with stable names."""
        first = self._all[0]
        folds = first.folds
        return {
            "format": self.json_format,
            "model_a": first.model_a,
            "model_b": first.model_b,
            "prior": first.prior,
            "prob": first.prob,
            "rope": first.region.written,
            "cv": None if folds is None else "x".join(map(str, folds.cv.shape)),
            "discount": None if folds is None else folds.k,
            "comparisons": [c.to_dict() for c in self.values()],
            "threshold": first.threshold,
            "sentence": None if self._many else verdict.verdict(self._all),
            "notes": [] if self._many else list(self.notes),
        }

    @checked
    def to_html(self, path: str | PathLike[str], *, command: str | None = None) -> None:
        """Write a page that needs no other file: verdict, tables, figures, and a slider for the ROPE.

        A `command` that made the comparison is shown on it.
        """
        # By name, as the report itself compares, class by class.
        import_module("bayesf1.report.html").write_report(self, path, command=command)

    def to_xarray(self) -> xr.Dataset:
        """Return the numbers of `to_dict` as a Dataset over ``metric`` (and ``experiment``)."""
        numbers = self.to_frame().select_dtypes("number")
        data = numbers.to_xarray()
        return data.assign_attrs(system_a=self._all[0].model_a, system_b=self._all[0].model_b)

    @checked
    def to_arviz(self, *, n_draws: int = 4000, rng: RNGLike = None) -> Any:
        """Return posterior draws of both scores and their difference, as ArviZ keeps them.

        That is InferenceData under ArviZ 0.x and a DataTree under 1.x, with groups posterior, observed_data and
        constant_data, and dims chain, draw, system and metric.
        """
        from bayesf1.report.inference_data import comparisons_to_arviz

        return comparisons_to_arviz(self, n_draws=n_draws, rng=rng)

    @property
    def known(self) -> list[str]:
        """The names that measures are found by: their own, and what the scores are called of which one is the mean."""
        return [name for c in self._by_name.values() for name in (c.metric, c.measure.alias) if name]

    @property
    def _all(self) -> tuple[Comparison, ...]:
        return tuple(self._by_name.values())

    @property
    def _headline(self) -> Comparison:
        return verdict.headline(self._all)

    @property
    def _many(self) -> bool:
        return np.ndim(self._all[0].p_h1) > 0
