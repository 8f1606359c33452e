"""Results as a page: one file that needs no network, with tables, figures and a slider for the ROPE.

The page is a jinja2 template, which escapes every text; figures on it are matplotlib's SVG.
"""

from __future__ import annotations

import base64
import hashlib
import math
import platform
import re
import warnings
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bayesf1 import __version__
from bayesf1.base.naming import printable, quoted
from bayesf1.base.text_files import write_atomic
from bayesf1.output.figures import COLUMN, label_density, paper_figure, print_style, render
from bayesf1.output.plots import draw_difference, draw_scores, forest_height, plot_classes
from bayesf1.output.table import equation
from bayesf1.output.text import region

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayesf1.hierarchical.fit import HierarchicalFit
    from bayesf1.inference.comparison import Comparison, Comparisons

__all__ = ["report_html", "write_report"]

# Of more pairs or metrics nobody looks at two figures each, and of more rows nobody reads a figure.
_MANY, _MOST_ROWS = 10, 60
# About as many margins as a slider on a phone can tell apart; the widest leaves this much on either side.
_STEPS, _TAIL = 200, 5e-4


def write_report(
    results: Comparisons | HierarchicalFit | Sequence[Comparisons],
    path: str | PathLike[str],
    *,
    command: str | None = None,
) -> None:
    """Write results to an HTML file that needs no other file and no network.

    Parameters
    ----------
    results
        What `compare` returned, or several of them for several pairs of models, or what ``fit.answer()`` returned.
        Of more than ten pairs or metrics, the metric that the verdict is about is drawn alone.
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


def report_html(
    results: Comparisons | HierarchicalFit | Sequence[Comparisons],
    *,
    command: str | None = None,
) -> str:
    """Return results as the text of an HTML page; see `write_report`.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> page = report_html(compare(from_counts({"<b>": (77, 44, 10), "B": (80, 30, 7)}), metrics="f1"))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup
    from matplotlib import rc_context, style

    def plain(value: Any) -> Any:
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    found = _checked(results)
    # Texts stay texts, as a browser has fonts for names that matplotlib has none for, which it warns of.
    settings = {**print_style(), "svg.fonttype": "none"}
    with style.context("default"), rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        articles = [_article(res, f"pair{i}", len(found)) for i, res in enumerate(found, 1)]
    template, css, script = (
        (resources.files("bayesf1.output") / f"report.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    environment = Environment(
        autoescape=True, finalize=plain, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.globals["rope_words"] = lambda c: region(c.rope, percent=c.definition.percent)
    environment.filters["p"] = lambda p: equation("P", p)[2:]
    page = environment.from_string(template).render(
        articles=articles,
        curves=[metric["curve"] for article in articles for metric in article["metrics"]],
        command=command,
        versions={
            "bayesf1": __version__,
            "Python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "scipy", "matplotlib")},
        },
        css=Markup(css),
        script=Markup(script),
        digests={"style": _digest(css), "script": _digest(script)},
    )
    # A lone surrogate, as in the name of a file that is not UTF-8, cannot be written.
    return page.encode("utf-8", "replace").decode("utf-8")


def _checked(results: Any) -> list[Any]:
    found = list(results) if isinstance(results, list | tuple) else [results]
    if not found or not all(_shown(res) for res in found):
        raise ValueError(
            f"a report shows Comparisons, as compare returns, or a list of them, not {quoted(results)}"
        )
    return found


def _shown(res: Any) -> list[Comparison]:
    """Return the comparisons of a result, of a fit those on the average corpus; none if it is something else."""
    found = getattr(res, "answers", {}).get("average", res)
    comparisons = list(found.values()) if isinstance(found, Mapping) else []
    return comparisons if all(hasattr(c, "p_h1") for c in comparisons) else []


def _article(res: Any, name: str, n_pairs: int) -> dict[str, Any]:
    """Return what the page says of one result."""
    from markupsafe import Markup

    comparisons, (verdict, *more) = _shown(res), res.below
    # The comparison that the verdict is about.
    first = next((c for c in comparisons if c.sentence() == verdict), comparisons[0])
    forest = _forest(res, first)
    brief = max(n_pairs, len(comparisons)) > _MANY
    drawn = comparisons if not brief else [first] if forest is None else []
    metrics = enumerate(drawn if isinstance(res, Mapping) else [], 1)
    return {
        "name": name,
        "title": res.title,
        "first": first,
        "verdict": verdict,
        "more": [line for line in more if line not in res.notes],
        "notes": res.notes,
        "rows": Markup(res.table.to_html()),
        "metrics": [_metric(c, f"{name}-m{i}", verdict, brief=brief) for i, c in metrics],
        "forest": forest,
        "details": res.more,
        "signature": res.signature(),
    }


def _metric(c: Comparison, name: str, verdict: str, *, brief: bool) -> dict[str, Any]:
    """Return figures and slider of one metric; a brief one has no figure of the scores."""
    curve, sentence, scores = rope_curve(c), c.sentence(), None
    ax = _page_axes(1.8)
    draw_difference(ax, c, rope=False)
    label_density(np.array([ax], object))
    gap = _figure(ax)
    # Where the axes begin and end on the page, where 0 is and how long 1 is, in points.
    (zero, _), (one, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
    left, right, zero, scale = (round(float(x), 3) for x in (ax.bbox.x0, ax.bbox.x1, zero, one - zero))
    low, high = (min(right, max(left, zero + scale * end)) for end in c.rope.differences(c.definition))
    if not brief:
        ax = _page_axes(1.7)
        draw_scores(c, ax)
        scores = _figure(ax)
    return {
        "name": name,
        "c": c,
        "sentence": "" if sentence == verdict else sentence,
        "scores": scores,
        "gap": {**gap, "band": (low, high - low)},
        "curve": {**curve, "id": name, "metric": c.metric, "axis": [left, right, zero, scale]},
    }


def _forest(res: Any, first: Comparison) -> dict[str, Any] | None:
    """Return the figure of differences class by class, or question by question of a fit; None if there are no such."""
    single = isinstance(res, Mapping)
    if single:
        rows = dict(res)
        if len(rows) < 2 or not all("[" in metric for metric in rows):
            return None
    else:
        answers = {question: found[first.metric] for question, found in res.answers.items()}
        rows = {c.scope if q in ("average", "new", "suite") else q: c for q, c in answers.items()}
    kept, what = dict(list(rows.items())[:_MOST_ROWS]), "by class" if single else "on each corpus"
    title = f"Difference in {first.label.partition('[')[0]} {what}, {first.model_b} minus {first.model_a}"
    ax = _page_axes(forest_height(list(kept)))
    plot_classes(kept, apart=0 if single else 3, ax=ax)
    rest = f" {len(rows) - len(kept)} more are left out here." if len(kept) < len(rows) else ""
    caption = (
        f"{title}, with {100 * first.prob:.4g} % intervals. A triangle points right if {first.model_b} is likelier the "
        f"better, and left if {first.model_a} is; it is filled if the comparison is decisive.{rest}"
    )
    return {**_figure(ax), "title": title, "caption": caption}


# ---- figures on a page ------------------------------------------------------------------------------------


def _page_axes(height: float) -> Axes:
    """Return axes as wide as a column, of a figure that pyplot does not know: nothing opens, and nothing is to close."""
    axes: Axes = paper_figure()(figsize=(COLUMN, height), dpi=72, layout="constrained").subplots()
    return axes


def _figure(ax: Axes) -> dict[str, Any]:
    """Return a figure as an image that an SVG element of the page holds: its names and styles are its own."""
    # A hundredth of a point is enough.
    svg = re.sub(rb"(?<=[ML ])(-?\d+\.\d\d)\d+(?=[ \n])", rb"\1", render(ax, "svg"))
    width, height = cast("Any", ax.figure).get_size_inches() * 72.0
    bottom = ax.transData.transform((0.0, 0.0))[1]
    # The upper fifth of the axes is for texts.
    top = bottom + 0.8 * (ax.bbox.y1 - bottom)
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
    places = {"width": width, "height": height, "top": height - top, "bottom": height - bottom}
    return {"source": source, **places}


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# ---- the slider -------------------------------------------------------------------------------------------


def rope_curve(c: Comparison) -> dict[str, Any]:
    r"""Return the probabilities of a comparison as functions of the margin r of its region, of shape (l, h).

    They are :math:`P(\nu_B - \nu_A < lr)` (``less``) and :math:`P(\nu_B - \nu_A > hr)` (``greater``), the other way round if
    lower is better, for ``margins`` that rise from 0. At 0, and at the margin of the comparison, the one at ``start``, they
    are the comparison's. The region of a margin ends at its multiples by ``shape``; ``labels`` says how it is shown.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> ev = from_counts(A=(77, 44, 10), B=(83, 9, 14))
    >>> curve = rope_curve(compare(ev, rope=0.02)["f1"])
    >>> at = curve["margins"].index(0.05)
    >>> abs(1 - curve["less"][at] - curve["greater"][at] - compare(ev, rope=0.05)["f1"].p_rope) < 1e-7
    True
    """
    distribution, widest, percent = c.difference, c.rope.widest, c.definition.percent
    reach = max(-distribution.ppf(_TAIL), distribution.isf(_TAIL), 2.0 * widest) or 0.01
    step = float(f"{reach / _STEPS:.0e}")
    low, high = c.definition.support
    most = 1.0 if low >= -1.0 and high <= 1.0 else math.inf
    margins = step * np.arange(math.ceil(reach / step) + 1)
    # Rounded, 3 times 0.01 is 0.03.
    margins = np.round(margins, 2 - math.floor(math.log10(step)))
    margins = np.union1d(margins[margins < most], [widest])
    start = int(np.argmin(np.abs(margins - widest)))
    worse, better = (-c.rope.low / widest, c.rope.high / widest) if c.rope else (1.0, 1.0)
    shape = (-better, worse) if c.definition.lower_is_better else (-worse, better)
    # Draws have atoms, and "less" is strict.
    less = np.asarray(distribution.cdf(np.nextafter(shape[0] * margins, -np.inf)))
    greater = np.asarray(distribution.sf(shape[1] * margins))
    if c.definition.lower_is_better:
        less, greater = greater, less
    # What was reported stands as it was reported.
    less[0], greater[0] = c.p_h0, c.p_h1
    less[start], greater[start] = c.p_less, c.p_greater
    unit = " percentage points" if percent else ""
    ends = [[f"{(100.0 if percent else 1.0) * side * x:.4g}" for x in margins] for side in (worse, better)]
    labels = [f"−{x} to +{y}" if not c.rope.symmetric else f"±{y}" for x, y in zip(*ends, strict=True)]
    return {
        "margins": [float(f"{x:.10g}") for x in margins],
        # Eight digits are kept; three are shown.
        "less": np.round(less, 8).tolist(),
        "greater": np.round(greater, 8).tolist(),
        "start": start,
        "shape": shape,
        "labels": [f"{label}{unit}" for label in labels],
    }
