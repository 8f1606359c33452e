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
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayesf1 import __version__
from bayesf1.base.naming import printable, quoted
from bayesf1.base.text_files import StrPath, write_atomic
from bayesf1.output import plots
from bayesf1.output.words.numbers import equation, region
from bayesf1.output.words.prose import in_prose

if TYPE_CHECKING:
    from bayesf1.corpora.fit import HierarchicalFit
    from bayesf1.inference.comparison import Comparison, Comparisons

    Results: TypeAlias = Comparisons | HierarchicalFit | Sequence[Comparisons]

# Of more pairs or metrics nobody looks at figures of each, and of more rows nobody reads a figure.
_MANY, _MOST_ROWS = 10, 60


def write_report(results: Results, path: StrPath, *, command: str | None = None) -> None:
    """Write results to an HTML file that needs no other file and no network.

    Parameters
    ----------
    results
        What `compare` returned, or several of them for several pairs of models, or what ``fit.answer()`` returned.
        Of more than ten pairs or metrics, the metric that the verdict is about is drawn alone; classes share a figure.
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

    def plain(value: Any) -> Any:
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    found: list[Any] = list(results) if isinstance(results, list | tuple) else [results]
    if not found or not all(map(_comparisons, found)):
        raise ValueError(f"a report shows what compare returns, or a list of that, not {quoted(results)}")
    # Texts stay texts, as a browser has fonts for names that matplotlib has none for, which it warns of.
    settings = {**plots.print_style(), "svg.fonttype": "none"}
    with style.context("default"), rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        articles = [_article(res, f"pair{i}", len(found)) for i, res in enumerate(found, 1)]
    loader = PackageLoader("bayesf1", "output")
    environment = Environment(loader=loader, autoescape=True, finalize=plain, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= {"p": lambda p: equation("P", p)[2:], "in_prose": in_prose}
    css, script = (loader.get_source(environment, f"report.{kind}")[0] for kind in ("css", "js"))
    page = environment.get_template("report.html").render(
        articles=articles,
        command=command,
        versions={"bayesf1": __version__, "Python": platform.python_version(), "numpy": np.__version__},
        css=Markup(css),
        script=Markup(script),
        digests={"style": _digest(css), "script": _digest(script)},
    )
    # A lone surrogate, as in the name of a file that is not UTF-8, cannot be written.
    return page.encode("utf-8", "replace").decode("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _comparisons(res: Any) -> list[Comparison]:
    """Return the comparisons of a result, of a fit those on the average corpus; none if it is something else."""
    found = getattr(res, "answers", {}).get("average", res)
    comparisons = list(found.values()) if isinstance(found, Mapping) else []
    return comparisons if all(hasattr(c, "p_h1") for c in comparisons) else []


def _article(res: Any, name: str, n_pairs: int) -> dict[str, Any]:
    """Return what the page says of one result."""
    comparisons = _comparisons(res)
    # The comparison that the verdict is about.
    first = getattr(res, "answers", {}).get("average", res).headline
    forest = _forest(res, first)
    shown = comparisons if max(n_pairs, len(comparisons)) <= _MANY else [first]
    # An undefined score has neither a figure nor probabilities.
    drawn = [c for c in shown if not forest and not math.isnan(c.p_h1)]
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
    """Return the figure of differences class by class, or question by question of a fit; None if there are no such."""
    single = isinstance(res, Mapping)
    rows = dict(res) if single else {q: found[first.metric] for q, found in res.answers.items()}
    if not single:
        rows = {c.scope if q in ("average", "new", "suite") else q: c for q, c in rows.items()}
    elif len(rows) < 2 or not all("[" in metric for metric in rows):
        return None
    kept, what = dict(list(rows.items())[:_MOST_ROWS]), "by class" if single else "on each corpus"
    label, height = first.label.partition("[")[0], plots.forest_height(list(kept))
    return {
        "source": _figure(height, lambda ax: plots.plot_classes(kept, apart=0 if single else 3, ax=ax)),
        "title": f"Difference in {in_prose(label)} {what}, {first.model_b} minus {first.model_a}",
        "left_out": len(rows) - len(kept),
    }


def _figure(height: float, draw: Callable[..., object], *what: Comparison) -> str:
    """Return a figure as wide as a column as an image; pyplot does not know it, so nothing opens or is to close."""
    ax = plots.PaperFigure(figsize=(plots.COLUMN, height), dpi=72, layout="constrained").subplots()
    draw(*what, ax)
    return f"data:image/svg+xml;base64,{base64.b64encode(plots.render(ax, 'svg')).decode()}"
