"""Evaluations of tables whose columns lie side by side: of labels, of answers right or wrong, of scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayesf1.base.naming import counted, listing, shown
from bayesf1.base.text_files import read_number
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.reading.correct import from_correct
from bayesf1.reading.frames import from_frame
from bayesf1.reading.label_columns import NoPositiveItem
from bayesf1.reading.model_columns import FLAGS, as_numbers, why_no_number
from bayesf1.reading.score_columns import from_scores
from bayesf1.reading.table_layouts import Laid

# More different labels than this are texts.
_MOST_KINDS = 1000
# How programs spell what is missing.
_BLANKS = frozenset(("na", "n/a", "#n/a", "nan", "<na>", "null", "none"))
# Options of scores, and of items that nobody has labelled.
_OF_SCORES = ("lower_is_better", "unit")
OF_JUDGES = ("judge", "bins", "audit_probability", "covariates")


def _from_labels(laid: Laid, options: Mapping[str, Any]) -> Evaluation:
    gold, positive = options["gold"], options.get("positive")
    if positive is not None:
        positive = _as_in(laid.frame, gold, positive)
    how = {name: options[name] for name in ("group", *OF_JUDGES) if name in options}
    with warnings.catch_warnings():
        # A shard in memory may hold no positive item; a file is all there is.
        warnings.simplefilter("error", NoPositiveItem)
        try:
            ev = from_frame(laid.frame, gold=gold, models=laid.models, positive=positive, **how)
        except NoPositiveItem as warning:
            raise ValueError(str(warning)) from None
    if "judge" in options:
        return ev
    strays = () if positive is None else _strays(laid, gold, positive)
    return replace(ev, remarks=(*ev.remarks, *_blanks(laid, gold), *strays))


def _counts_of(laid: Laid, column: str) -> dict[Any, int]:
    """Return how many items have each label of a column."""
    import narwhals as nw

    lazy = nw.from_native(laid.frame).lazy().select(c=nw.col(column))
    rows = lazy.group_by("c").agg(nw.len().alias("n")).head(_MOST_KINDS).collect().rows()
    return {value: n for value, n in rows if n}


def _columns(laid: Laid) -> Iterator[tuple[str, str]]:
    """Yield each model and its column, or those of its runs."""
    for name, columns in laid.models.items():
        for column in columns.values() if isinstance(columns, Mapping) else (columns,):
            yield name, column


def _blanks(laid: Laid, gold: str) -> tuple[str, ...]:
    """Say which gold label may be none: it is spelled as programs spell what is missing, and no model says it."""
    found = {v: n for v, n in _counts_of(laid, gold).items() if str(v).strip().lower() in _BLANKS}
    if not found:
        return ()
    said = {label for _, column in _columns(laid) for label in _counts_of(laid, column)}
    return tuple(
        f"{counted(n, 'item')} {'has' if n == 1 else 'have'} the gold label {label!r}, which no model says: if it "
        "stands for a missing label, drop them."
        for label, n in found.items()
        if label not in said
    )


def _strays(laid: Laid, gold: str, positive: Any) -> tuple[str, ...]:
    """Say what models said that is no label of gold, and so counts as not positive."""
    known, found = {*_counts_of(laid, gold), positive}, list[str]()
    for name, column in _columns(laid):
        strays = {value: n for value, n in _counts_of(laid, column).items() if value not in known}
        if strays:
            what = listing(map(repr, sorted(strays, key=str)), most=3)
            found.append(
                f"{name} said {what} of {counted(sum(strays.values()), 'item')}, which no gold label is and counts as "
                f"not {positive!r}."
            )
    return tuple(dict.fromkeys(found))


def _as_in(frame: Any, column: str, label: Any) -> Any:
    """Return a label as a column would hold it: text, a number, or true or false."""
    import narwhals as nw

    dtype = nw.from_native(frame).lazy().collect_schema()[column]
    truth = {"true": True, "false": False, "1": True, "0": False}
    if dtype == nw.Boolean and isinstance(label, str) and label.lower() in truth:
        return truth[label.lower()]
    if dtype.is_numeric() and isinstance(label, str) and (number := read_number(label)) is not None:
        return number
    if dtype.is_numeric() or dtype == nw.Boolean:
        return label
    text = str(label)
    # True and False are spelled by the program that wrote them.
    spelled = text.capitalize() if text.lower() in ("true", "false") else text
    return spelled if spelled != text and _has(frame, column, spelled) else text


def _has(frame: Any, column: str, label: str) -> bool:
    import narwhals as nw

    text = nw.col(column).cast(nw.String)
    return bool(nw.from_native(frame).lazy().filter(text == label).head(1).collect().rows())


def _from_flags(laid: Laid, options: Mapping[str, Any]) -> Evaluation:
    groups = laid.frame[options["group"]].tolist() if "group" in options else None
    columns = _numbers(laid, "no answer right (true, yes, 1) or wrong (false, no, 0)", flags=True)
    named = {} if "unit" not in options else {"unit": options["unit"]}
    return from_correct(columns, groups=groups, **named)


def _from_numbers(laid: Laid, options: Mapping[str, Any]) -> Evaluation:
    settings = {name: options[name] for name in _OF_SCORES if name in options}
    if "group" in options:
        settings["groups"] = laid.frame[options["group"]].tolist()
    return from_scores(_numbers(laid, "no number", flags=False), name=options["scores"], **settings)


def _numbers(laid: Laid, what: str, *, flags: bool) -> dict[str, Any]:
    def checked(name: str, column: Any) -> Any:
        values = as_numbers(column.tolist(), FLAGS) if flags else as_numbers(column.tolist())
        strange = ~np.isin(values, (0.0, 1.0)) if flags else ~np.isfinite(values)
        if strange.any():
            i = int(np.argmax(strange))
            why = why_no_number(column.iloc[i])
            raise ValueError(
                f"row {i + 1} of {name!r} has {shown(column.iloc[i])}{': ' + why if why else ', ' + what}"
            )
        return values

    return {
        name: {run: checked(f"{name}/{run}", each) for run, each in column.items()}
        if isinstance(column, dict)
        else checked(name, column)
        for name, column in laid.columns()
    }


BUILDERS = {"gold": _from_labels, "correct": _from_flags, "scores": _from_numbers}
