"""The report on one pair of models, section by section."""

from __future__ import annotations

from collections.abc import Iterator

from bayesf1.base.table import Table, probability
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.bayes.verdict import assumptions, headline, is_decisive, sentence, signed
from bayesf1.report.by_class import by_class
from bayesf1.report.density_svg import difference_svg, scores_svg
from bayesf1.report.forests import plot_classes
from bayesf1.report.inline_svg import inline_svg, page_figures
from bayesf1.report.markup import bullets, escaped, figure, paragraph, scrolling
from bayesf1.report.rope_curve import RopeCurve, rope_curves
from bayesf1.report.rope_slider import RopeSlider

_SAMPLED = {
    "independent": "Items are taken as drawn one by one, and the errors of the two models as unrelated. On the same "
    "test set errors tend to coincide, and then this answer is too cautious.",
    "paired": "Items are taken as drawn one by one, each with what both models made of it.",
    "clustered": "Units are taken as drawn one by one, each as a whole and with what both models made of it: items "
    "within a unit may depend on each other.",
}


def question(res: Comparisons) -> str:
    """Return what a comparison asks.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> question(compare(from_counts(A=(77, 44, 10), B=(80, 30, 7))))
    'Is B better than A?'
    """
    first, *_ = res.values()
    return f"Is {first.model_b} better than {first.model_a}?"


class PairReport:
    """The report on one pair of models; `sliders` are known once `html` was made.

    Where it is one of many, a `brief` one draws the difference in the measure that its verdict is about alone.
    """

    def __init__(self, res: Comparisons, name: str, *, level: int, brief: bool = False) -> None:
        self.res = res
        self.comparisons = tuple(res.values())
        self.first = headline(self.comparisons)
        self.name = name
        self.level = level
        self.brief = brief
        self.sliders: list[RopeSlider] = []

    def html(self) -> str:
        """Return all sections."""
        verdict, _, *notes = self.res.below
        return "\n".join(
            [
                paragraph(verdict, "verdict sure" if is_decisive(self.first) else "verdict"),
                self._heading("Results"),
                paragraph(f"{self.res.title}."),
                scrolling(self.res.table, "Results"),
                *(paragraph(note, "caution") for note in notes),
                *self._measures(),
                *self._classes(),
                *self._dependence(),
                *self._assumptions(),
            ]
        )

    def _heading(self, text: str, below: int = 0) -> str:
        level = self.level + below
        return f"<h{level}>{escaped(text)}</h{level}>"

    def _measures(self) -> Iterator[str]:
        yield self._heading("How small a difference is too small to matter?")
        yield paragraph(
            "The region of practical equivalence (ROPE) holds the differences that do not matter."
        )
        yield paragraph(
            "Move a slider to see how probable it is that the difference lies below, within and above another "
            "region.",
            "screen",
        )
        drawn = (self.first,) if self.brief else self.comparisons
        curves = rope_curves(drawn, redraw=not self.brief)
        for i, (c, curve) in enumerate(zip(drawn, curves, strict=True), 1):
            yield f'<section class="measure">{self._heading(c.label, 1)}'
            if sentence(c) != self.res.sentence():
                yield paragraph(sentence(c))
            yield from self._measure(c, curve, f"{self.name}-m{i}")
            yield "</section>"

    def _measure(self, c: Comparison, curve: RopeCurve, name: str) -> Iterator[str]:
        gap, frame = difference_svg(c, f"{name}-gap")
        slider = RopeSlider(name, c, curve, frame)
        self.sliders.append(slider)
        yield '<div class="figures">'
        if not self.brief:
            runs = " Points below are the runs." if c.ev.methods else ""
            scores = scores_svg(c, f"{name}-scores")
            yield figure(scores, f"Posterior of each score, with a marker at its peak.{runs}")
        yield figure(
            f"{gap.removesuffix('</svg>')}{slider.band()}</svg>",
            f"Posterior of the difference: blue where {c.model_b} is better, hatched where {c.model_a} is. "
            f"The bar is the {100 * c.prob:.4g} % equal-tailed interval, the grey band the ROPE.",
        )
        yield "</div>"
        yield slider.html()

    def _classes(self) -> Iterator[str]:
        found = by_class(self.comparisons)
        if found is None:
            return
        yield self._heading("Class by class")
        if set(found.comparisons) != set(self.res):
            shown, known = len(found.classes), len(self.first.ev.classes)
            some = f"the {shown} most frequent of " if shown < known else ""
            yield paragraph(f"F1 of {some}{known} classes, one by one.")
            yield scrolling(found.table, "Class by class")
        title = f"Difference in F1 by class, {self.first.model_b} minus {self.first.model_a}"
        with page_figures():
            drawn = inline_svg(plot_classes(found.comparisons), f"{self.name}-classes", title)
        yield figure(
            drawn,
            f"Difference in F1 by class with its {100 * self.first.prob:.4g} % equal-tailed interval. A triangle points "
            f"right where {self.first.model_b} is likelier the better and left where {self.first.model_a} is; it is filled "
            "where the comparison is decisive.",
        )

    def _dependence(self) -> Iterator[str]:
        if self.first.under.retraining is not None:
            return
        units = self.first.under.counted(self.first.measure)
        rows = tuple(
            (
                c.label if found is c else "",
                found.assumption,
                signed(found),
                probability(found.p_h0),
                probability(found.p_h1),
                probability(found.p_rope) if found.region else "—",
                found.verdict,
            )
            for c in self.comparisons
            if c.independent is not None
            for found in (c, c.independent)
        )
        if rows:
            yield self._heading("Paired and independent")
            yield paragraph(
                f"Both models were tested on the same {units}. The independent answer, which is all that totals "
                "could give, ignores that their errors go together."
            )
            header = ("Metric", "Models taken as", "Difference", "P(H0)", "P(H1)", "P(rope)", "Verdict")
            yield scrolling(Table(header, rows), "Paired and independent")
        elif not self.first.under.shared:
            yield self._heading("Independent, not paired")
            yield paragraph(
                f"It is known what both models did on the same {units}, but they were compared as independent, as "
                "was asked for."
                if units
                else "Only totals are known here, so there is no paired answer to set beside this one. Predictions item "
                "by item, or sentence by sentence, would give it."
            )

    def _assumptions(self) -> Iterator[str]:
        first = self.first
        hypotheses = (
            f"H1 says that {first.model_b} scores {'lower' if first.measure.lower_is_better else 'higher'} than "
            f"{first.model_a} on the population that the test data "
            "stand for, H0 that it does not. Their probabilities are given data and prior; they are not p-values."
        )
        seen = "seen as far as the folds show it" if first.folds is not None else "not seen here"
        sampled = _SAMPLED[first.assumption]
        if first.target == "method":
            seen = "part of this answer"
        if first.under.retraining is not None:
            sampled = "Items are taken as drawn for training and for testing, and the folds as trained on draws of them."
        training = f"Gold labels are taken as right. How much scores would vary if models were trained anew is {seen}."
        yield self._heading("Assumptions")
        yield bullets([assumptions(self.comparisons), sampled, hypotheses, training])
        yield paragraph(f"In a paper: {self.res.methods_sentence()}")
