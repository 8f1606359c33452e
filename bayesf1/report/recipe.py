"""How to get a comparison again: the Python lines that make it, and the versions that made it."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np

from bayesf1 import __version__
from bayesf1.base.table import printable
from bayesf1.bayes.comparison import Comparison
from bayesf1.bayes.comparisons import Comparisons
from bayesf1.designs.design import BlockedCV
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.folds import Folds
from bayesf1.evaluation.scoring import find_measure
from bayesf1.kinds.binary import Binary
from bayesf1.laws.empirical import EmpiricalPosterior


def python_lines(comparisons: Comparisons, read: str | None = None) -> str:
    """Return Python lines that make the comparisons of a pair of models again.

    Files are read by the line that is given. Else the data stand there where they are few: totals, tables of folds, and
    joint outcomes of two models on single items; otherwise they are described.

    Examples
    --------
    >>> from bayesf1 import compare, from_counts
    >>> print(python_lines(compare(from_counts(A=(77, 44, 10), B=(80, 30, 7)), metrics="f1", rope=0.01)))
    import bayesf1 as bf
    <BLANKLINE>
    ev = bf.from_counts({'A': (77, 44, 10), 'B': (80, 30, 7)})
    res = bf.compare(ev, 'A', 'B', metrics=['f1'], rope=0.01, prior=1, prob=0.95, assumption='independent')
    """
    first, *_ = comparisons.values()
    settings = {
        "metrics": f"[{', '.join(_metric(c) for c in comparisons.values())}]",
        "rope": _tuple(first.rope) if isinstance(first.rope, tuple) else _number(first.rope),
        "prior": _number(first.prior),
        "prob": _number(first.prob),
        "assumption": repr(first.assumption),
    }
    if first.under.retraining is not None:
        settings["target"] = "'method'"
    alone = first if first.independent is None else first.independent
    # Draws were asked for where the laws of both scores are known.
    if alone.method == "montecarlo" and not isinstance(alone.posterior_a, EmpiricalPosterior):
        settings["method"] = "'montecarlo'"
    answers = (x for c in comparisons.values() for x in (c, c.independent) if x is not None and x.n_draws)
    # Several numbers are what is drawn by default.
    draws = {x.n_draws for x in answers}
    if len(draws) == 1:
        settings["n_draws"] = str(draws.pop())
    starts = {c.start for c in comparisons.values() if c.n_draws}
    if starts - {None}:
        settings["rng"] = str(starts.pop())
    if first.ev.methods or first.target == "method":
        settings["target"] = repr(first.target)
    written = ", ".join(f"{name}={value}" for name, value in settings.items())
    call = f"res = bf.compare(ev, {first.model_a!r}, {first.model_b!r}, {written})"
    return "\n".join(map(printable, ("import bayesf1 as bf", "", read or _data(first.ev), call)))


def versions() -> dict[str, str]:
    """Return the versions of what a comparison was computed and drawn with.

    Examples
    --------
    >>> list(versions())
    ['bayesf1', 'Python', 'numpy', 'scipy', 'matplotlib']
    """
    packages = {name: version(name) for name in ("numpy", "scipy", "matplotlib")}
    return {"bayesf1": __version__, "Python": platform.python_version(), **packages}


def _metric(c: Comparison) -> str:
    try:
        named = find_measure(c.metric, c.ev).name == c.metric
    except ValueError:
        named = False
    # A function is called what it is called.
    return repr(c.metric) if named else c.metric


def _data(ev: Evaluation) -> str:
    if ev.methods:
        return f"ev = ...  # {ev!r}"
    if isinstance(ev.kind, Binary) and ev.units is None:
        if ev.folds is None:
            tables = {name: _tuple(ev.table(name)) for name in ev.models}
            return f"ev = bf.from_counts({_mapping(tables)})"
        return _folded(ev, ev.folds)
    rows = _items(ev)
    if rows is None:
        return f"ev = ...  # {ev!r}"
    return f"ev = bf.from_patterns([{', '.join(rows)}], models={list(ev.models)!r}, positive=1)"


def _folded(ev: Evaluation, folds: Folds) -> str:
    counts = folds.counts.reshape(-1, *folds.counts.shape[-2:])
    tables = {
        name: f"[{', '.join(_tuple(table) for table in counts[:, i])}]" for i, name in enumerate(ev.models)
    }
    cv: Any = folds.cv
    design = (
        f"BlockedCV(m={cv.m})"
        if isinstance(cv, BlockedCV)
        else f"KFoldCV(folds={cv.folds}, repeats={cv.repeats})"
    )
    return f"ev = bf.from_folds({_mapping(tables)}, cv=bf.{design}, discount={folds.rule!r})"


def _items(ev: Evaluation) -> list[str] | None:
    """Return the joint outcomes of single items as rows (gold, labels of the models, count)."""
    binary = isinstance(ev.kind, Binary) and ev.kind.counts_all_items
    if not binary or not ev.under().paired or ev.folds is not None:
        return None
    if ev.patterns is None or ev.weights is None:
        return None
    rows = []
    for pattern, weight in zip(ev.patterns, ev.weights, strict=True):
        cells = [ev.cells[int(np.argmax(row))] for row in pattern]
        labels = [int(cells[0] in ("tp", "fn")), *(int(cell in ("tp", "fp")) for cell in cells)]
        rows.append(_tuple(np.array([*labels, weight])))
    return rows


def _mapping(entries: dict[str, str]) -> str:
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in entries.items())}}}"


def _tuple(values: Any) -> str:
    return f"({', '.join(_number(x) for x in values)})"


def _number(x: float) -> str:
    return str(int(x)) if float(x).is_integer() else repr(float(x))
