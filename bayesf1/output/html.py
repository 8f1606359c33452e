"""Results as a page: one file that needs no network, with verdict, tables, figures and a slider for the ROPE.

The page is a jinja2 template, which escapes every text; figures on it are matplotlib's SVG.
"""

from __future__ import annotations

import base64
import hashlib
import math
import platform
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from bayesf1 import __version__
from bayesf1.base.naming import printable, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.metrics import in_prose
from bayesf1.output import panels, plots
from bayesf1.output.words.numbers import equals, region

if TYPE_CHECKING:
    from bayesf1.corpora.fit import HierarchicalFit
    from bayesf1.inference.comparison import Comparison, Comparisons

    Results: TypeAlias = Comparisons | HierarchicalFit | Sequence[Comparisons]

# With more pairs or metrics than this, only the headline metric has figures.
_MOST_FIGURES = 10
# A figure of classes or corpora has at most this many rows.
_MOST_ROWS = 60


@runtime_checkable
class _FitAnswer(Protocol):
    """The answer of a fit, as a page sees it: the comparisons of each question."""

    answers: Mapping[str, Comparisons]


@runtime_checkable
class _Compared(Protocol):
    """A comparison, as a page sees it."""

    p_h0: float
    p_h1: float


def write_report(results: Results, path: StrPath, *, command: str | None = None) -> None:
    """Write results to an HTML file that needs no other file and no network.

    Parameters
    ----------
    results
        The result of `compare`, or several of them for several pairs of models, or the result of ``fit.answer()``.
        With more than ten pairs or metrics, only the metric of the verdict is drawn; classes share a figure.
    path
        Where to; the file appears whole or not at all.
    command
        The command line that made them, which the page shows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from bayesf1 import compare, load_example
    >>> with TemporaryDirectory() as folder:
    ...     write_report(compare(load_example("wang-li-org"), rope=0.01), Path(folder, "report.html"))
    ...     Path(folder, "report.html").read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    write_atomic(path, report_html(results, command=command))


def report_html(results: Results, *, command: str | None = None) -> str:
    """Return results as the text of an HTML page; see `write_report`.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> page = report_html(compare(from_counts({"<b>": (77, 44, 10), "B": (80, 30, 7)}), metrics="f1"))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup
    from matplotlib import rc_context, style

    def without_control_characters(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            return printable(value)
        return value

    several: list[Any] = list(results) if isinstance(results, list | tuple) else [results]
    if not several or not all(map(_comparisons, several)):
        raise ValueError(f"a report shows what compare returns, or a list of that, not {quoted(results)}")
    # Texts stay texts: a browser has fonts for names for which matplotlib has none and warns.
    settings = {**panels.print_style(), "svg.fonttype": "none"}
    with style.context("default"), rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        articles = [_article(res, f"pair{i}", len(several)) for i, res in enumerate(several, 1)]
    loader = PackageLoader("bayesf1", "output")
    environment = Environment(
        loader=loader,
        autoescape=True,
        finalize=without_control_characters,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"p": equals, "in_prose": in_prose}
    css, _, _ = loader.get_source(environment, "report.css")
    script, _, _ = loader.get_source(environment, "report.js")
    page = environment.get_template("report.html").render(
        articles=articles,
        command=command,
        versions={"bayesf1": __version__, "Python": platform.python_version(), "numpy": np.__version__},
        css=Markup(css),
        script=Markup(script),
        digests={"style": _digest(css), "script": _digest(script)},
    )
    # A lone surrogate, as in the name of a file that is not UTF-8, cannot be encoded.
    return page.encode("utf-8", "replace").decode("utf-8")


def _digest(text: str) -> str:
    """Return the SHA-256 digest of a style or script, as the page's content security policy names it."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


def _on_average(res: Any) -> Any:
    """Return the comparisons of a fit on the average corpus, and any other result as it is."""
    return res.answers["average"] if isinstance(res, _FitAnswer) else res


def _comparisons(res: Any) -> list[Comparison]:
    """Return the comparisons of a result; none if it is something else."""
    comparisons = _on_average(res)
    if not isinstance(comparisons, Mapping):
        return []
    if not all(isinstance(c, _Compared) for c in comparisons.values()):
        return []
    return list(comparisons.values())


def _article(res: Any, name: str, n_pairs: int) -> dict[str, Any]:
    """Return the part of the page about one result."""
    comparisons = _comparisons(res)
    first = _on_average(res).headline
    forest = _forest(res, first)
    if forest is not None:
        shown = []
    elif max(n_pairs, len(comparisons)) <= _MOST_FIGURES:
        shown = comparisons
    else:
        shown = [first]
    # An undefined score has neither a figure nor probabilities.
    drawn = [c for c in shown if not math.isnan(c.p_h1)]
    metrics = []
    for i, c in enumerate(drawn, 1):
        scores = _figure(1.7, plots.draw_scores, c)
        difference = _figure(1.8, plots.draw_difference, c)
        ropes, less, greater = c.rope_curve()
        labels = [region(rope, percent=c.definition.percent) for rope in ropes]
        curve = {
            "id": f"{name}-m{i}",
            "start": ropes.index(c.rope),
            "labels": labels,
            "less": less,
            "greater": greater,
        }
        metrics.append({"c": c, "curve": curve, "scores": scores, "difference": difference})
    return {"name": name, "res": res, "first": first, "metrics": metrics, "forest": forest}


def _forest(res: Any, first: Comparison) -> dict[str, Any] | None:
    """Return the figure of differences by class, or by question of a fit; None for other results."""
    rows: dict[str, Any] = {}
    if isinstance(res, _FitAnswer):
        for question, comparisons in res.answers.items():
            c: Any = comparisons[first.metric]
            general = question in ("average", "new", "suite")
            rows[c.scope if general else question] = c
        where = "on each corpus"
        # The three general questions are drawn above the corpora.
        apart = 3
    else:
        rows |= res
        where = "by class"
        apart = 0
        if len(rows) < 2 or any(c.definition.of_class is None for c in rows.values()):
            return None
    kept = dict(list(rows.items())[:_MOST_ROWS])
    metric = in_prose(plots.metric_of_classes(first))
    height = plots.forest_height(list(kept))
    return {
        "source": _figure(height, lambda ax: plots.plot_classes(kept, apart=apart, ax=ax)),
        "title": f"Difference in {metric} {where}, {first.model_b} minus {first.model_a}",
        "left_out": len(rows) - len(kept),
    }


def _figure(height: float, draw: Callable[..., object], *drawn: Comparison) -> str:
    """Return a figure of a column's width as an image; pyplot does not know it, so it need not be closed."""
    figure = panels.PaperFigure(figsize=(panels.COLUMN, height), dpi=72, layout="constrained")
    ax = figure.subplots()
    draw(*drawn, ax)
    image = base64.b64encode(panels.render(ax, "svg")).decode()
    return f"data:image/svg+xml;base64,{image}"
