"""What each look saw, and how looks are read back from the JSON that an earlier process kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from bayesf1.base.typed_values import check_keys, number_array, typed, wrong


class Look(NamedTuple):
    """What one look saw: how many units, the confidence sequence of B minus A, and the logarithm of the e-value.

    The last two are the largest load of a unit so far, and the largest that was reckoned with; infinite where bets were soft.
    """

    n_units: int
    low: float
    high: float
    log_e: float
    load: float
    bound: float


_TEXTS = ("metric", "model_a", "model_b", "unit", "bound")


def remembered(document: Mapping[str, Any], json_format: str) -> dict[str, Any]:
    """Return what later looks need of earlier ones, from what ``to_dict()`` or ``to_json()`` of a `Monitor` held.

    Every value is checked, as a file may have been cut or edited.
    """
    if document.get("format", json_format) != json_format:
        raise wrong("previous.format", document["format"], repr(json_format))
    for name in (*_TEXTS, "confidence_level", "tables", "looks"):
        if name not in document:
            raise ValueError(f"previous has no key {name!r}; give what to_dict() of the last look returned")
    texts = {name: typed(str, document[name], f"previous.{name}", _look) for name in _TEXTS}
    level = typed(float, document["confidence_level"], "previous.confidence_level", _look)
    tables = number_array(document["tables"], (2, None), "previous.tables").tolist()
    looks = typed(tuple[Look, ...], document["looks"], "previous.looks", _look)
    if not looks:
        raise wrong("previous.looks", [], "a list of at least one look")
    numbers = [look.n_units for look in looks]
    if numbers[0] < 1 or numbers != sorted(numbers):
        raise ValueError(
            f"previous.looks were at {numbers} units; each must be at 1 or more, and none at fewer than before"
        )
    return {**texts, "confidence_level": level, "tables": tuple(map(tuple, tables)), "looks": looks}


def _look(kind: Any, value: Any, where: str) -> Look:
    row = dict(check_keys(value, where, Look._fields))
    n_units, bound = typed(int, row.pop("n_units"), f"{where}.n_units", _look), row.pop("bound")
    numbers = {name: typed(float, each, f"{where}.{name}", _look) for name, each in row.items()}
    # JSON has no infinity, which is the bound of soft bets.
    largest = math.inf if bound is None else typed(float, bound, f"{where}.bound", _look)
    look = Look(n_units=n_units, bound=largest, **numbers)
    if not -1.0 <= look.low <= look.high <= 1.0:
        raise ValueError(
            f"{where} has low {look.low:g} and high {look.high:g}; they lie from -1 to 1, in order"
        )
    return look
