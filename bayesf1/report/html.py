"""Comparisons as a page: one file that needs no network, with plots, tables and a slider for the ROPE."""

from __future__ import annotations

import base64
import hashlib
import json
import warnings
from collections.abc import Sequence
from importlib import resources
from os import PathLike
from typing import Any

import numpy as np

from bayesf1.base.text_files import write_atomic
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.report.markup import code, escaped, paragraph
from bayesf1.report.pair_report import PairReport, question
from bayesf1.report.recipe import python_lines, versions

__all__ = ["report_html", "write_report"]

REPORT_FORMAT = "bayesf1.report/1"
# Of more pairs nobody looks at six figures each.
_MANY_PAIRS = 10


def write_report(
    comparisons: Comparisons | Sequence[Comparisons],
    path: str | PathLike[str],
    *,
    command: str | None = None,
    read: Sequence[str] | None = None,
) -> None:
    """Write comparisons to an HTML file that needs no other file and no network.

    Parameters
    ----------
    comparisons
        What `compare` returned, or several of them for several pairs of models; of more than ten pairs each has one
        figure, of the measure that its verdict is about.
    path
        Where to; the file appears whole or not at all.
    command
        The command line that made them; Python lines that make them again are shown in any case.
    read
        For each pair the line of Python that reads the evaluation, where it was read from files.

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
    write_atomic(path, report_html(comparisons, command=command, read=read))


def report_html(
    comparisons: Comparisons | Sequence[Comparisons],
    *,
    command: str | None = None,
    read: Sequence[str] | None = None,
) -> str:
    """Return comparisons as the text of an HTML page; see `write_report`.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> page = report_html(compare(from_counts({"<b>": (77, 44, 10), "B": (80, 30, 7)}), metrics="f1"))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    pairs = _checked(comparisons)
    alone = len(pairs) == 1
    brief = len(pairs) > _MANY_PAIRS
    reports = [
        PairReport(res, f"pair{i}", level=2 if alone else 3, brief=brief) for i, res in enumerate(pairs, 1)
    ]
    title = question(pairs[0]) if alone else f"Bayes tests of {len(pairs)} pairs of models"
    body = [f"<h1>{escaped(title)}</h1>"]
    if not alone:
        links = (
            f'<li><a href="#{report.name}">{escaped(report.res.sentence())}</a></li>' for report in reports
        )
        body.append(f"<nav><ul>{''.join(links)}</ul></nav>")
    with warnings.catch_warnings():
        # Whoever made the comparisons was warned already, and the page has its own cautions.
        warnings.simplefilter("ignore")
        for report in reports:
            heading = [] if alone else [f"<h2>{escaped(question(report.res))}</h2>"]
            body += [f'<article id="{report.name}">', *heading, report.html(), "</article>"]
    lines = [python_lines(res, read[i] if read else None) for i, res in enumerate(pairs)]
    drawn = any(c.n_draws for res in pairs for c in res.values())
    body += reproduction(lines, command, drawn=drawn)
    return page(title, "\n".join(body), [slider.data() for report in reports for slider in report.sliders])


def _checked(comparisons: Any) -> list[Comparisons]:
    pairs = list(comparisons) if isinstance(comparisons, list | tuple) else [comparisons]
    if not pairs or not all(isinstance(res, Comparisons) and len(res) for res in pairs):
        raise ValueError(
            f"a report shows Comparisons, as compare returns, or a list of them, not {comparisons!r:.60}"
        )
    for c in (c for res in pairs for c in res.values()):
        if np.ndim(c.p_h1):
            raise ValueError(
                f"a report shows one experiment, but the comparison of {c.label} has leading axes "
                f"{np.shape(c.p_h1)}; compare each experiment by itself, or use to_frame"
            )
    return pairs


def reproduction(lines: Sequence[str], command: str | None, *, drawn: bool) -> list[str]:
    """Return how to get an answer again: the command, lines of Python, and the versions that made it."""
    told = ["<section>", "<h2>How to reproduce this</h2>"]
    if command is not None:
        told += [paragraph("On the command line, where the files are:"), code(command)]
    told += [paragraph("In Python:"), *map(code, lines)]
    if drawn:
        again = "Where draws were made, the same rng makes the same ones, and another agrees within the standard error."
        told.append(paragraph(again, "note"))
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    return [*told, paragraph(f"Made with {used}."), "</section>"]


def page(title: str, body: str, curves: list[dict[str, Any]]) -> str:
    """Return a page that needs no other file: style, script and figures stand in it."""
    style, script = _packaged("report.css"), _packaged("report.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    # Without a link to an icon browsers ask the server for one.
    page = f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bayesf1 {versions()["bayesf1"]}">
<title>{escaped(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
<script type="application/json" id="curves">{_json(curves)}</script>
<script>{script}</script>
</body>
</html>
"""
    # A lone surrogate, as in the name of a file that is not UTF-8, cannot be written.
    return page.encode("utf-8", "replace").decode("utf-8")


def _packaged(name: str) -> str:
    return (resources.files("bayesf1.report") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(curves: list[dict[str, Any]]) -> str:
    """Return the curves as JSON in which no page can see markup."""
    text = json.dumps({"format": REPORT_FORMAT, "curves": curves}, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
