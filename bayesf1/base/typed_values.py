"""Plain values, as JSON has them, taken for what a type says they are: no text becomes anything but what is expected."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, ClassVar, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import joined, listing

# What makes a value of a type that is none of the plain ones, given the value and where it stands.
Other: TypeAlias = Callable[[Any, Any, str], Any]

# Numbers up to here can be multiplied and added up.
MOST = 1e100
_COUNT = f"a number from 0 to {MOST:g}"
_WORDS = {str: "a text", bool: "true or false", int: "a whole number", float: "a finite number"}


def wrong(where: str, value: Any, expected: str) -> ValueError:
    """Return the error that something else stands where a value was expected.

    Examples
    --------
    >>> wrong("kind.cells[2]", 3, "a text")
    ValueError('kind.cells[2] is 3 where a text belongs')
    """
    said = (
        "null" if value is None else "true" if value is True else "false" if value is False else repr(value)
    )
    return ValueError(f"{where} is {said if len(said) <= 60 else f'{said[:50]}…'} where {expected} belongs")


def check_keys(value: Any, where: str, known: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
    """Return an object that has just the keys that are known, or say which is missing or strange."""
    if not isinstance(value, dict):
        raise wrong(where, value, f"an object with {listing(known)}")
    for name in known:
        if name not in value:
            raise ValueError(f"{where} has no key {name!r}")
    for name in value:
        if name not in known:
            raise ValueError(f"{where} has a key {name!r:.60} that is unknown; known are {listing(known)}")
    return value


def typed(kind: Any, value: Any, where: str, other: Other) -> Any:
    """Return a plain value as one of a type, or say what is wrong with it and where.

    Parameters
    ----------
    kind
        The type: text, numbers, tuples of any length, mappings from text, dataclasses, literals, and unions of these.
    value
        The plain value: of a tuple a list, of a dataclass an object with its fields.
    where
        What errors call the place.
    other
        What is asked for any other type.

    Examples
    --------
    >>> typed(tuple[float, ...], [1, 2.5], "values", None)
    (1.0, 2.5)
    >>> typed(tuple[str, ...], ["tp", 3], "cells", None)
    Traceback (most recent call last):
    ValueError: cells[1] is 3 where a text belongs
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _WORDS:
        return _scalar(kind, value, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise wrong(where, value, "a list")
        # Long lists are checked at once, and one by one only to say which entry is wrong.
        alike = arguments[0] in _WORDS and {*map(type, value)} == {arguments[0]}
        if alike and (arguments[0] is not float or np.isfinite(value).all()):
            return tuple(value)
        return tuple(typed(arguments[0], entry, f"{where}[{i}]", other) for i, entry in enumerate(value))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            raise wrong(where, value, "an object")
        return {name: typed(arguments[1], entry, f"{where}.{name}", other) for name, entry in value.items()}
    if origin is Literal:
        if value not in arguments or type(value) is not type(arguments[0]):
            raise wrong(where, value, joined(map(repr, arguments), "or"))
        return value
    if origin in (Union, UnionType):
        for argument in arguments:
            if type(value) is argument:
                return typed(argument, value, where, other)
        raise wrong(where, value, joined([_WORDS[argument] for argument in arguments], "or"))
    if is_dataclass(kind) and isinstance(kind, type):
        return typed_fields(kind, value, where, other)
    return other(kind, value, where)


def _scalar(kind: type, value: Any, where: str) -> Any:
    # True is an int to Python, and 1 is no float.
    allowed = (int, float) if kind is float else (kind,)
    if type(value) not in allowed or (kind is float and not abs(value) <= sys.float_info.max):
        raise wrong(where, value, _WORDS[kind])
    return float(value) if kind is float else value


def typed_fields(kind: type, value: Any, where: str, other: Other) -> Any:
    """Return a dataclass from an object that has a key for each of its fields, but for those that make no difference."""
    hints = {name: hint for name, hint in get_type_hints(kind).items() if get_origin(hint) is not ClassVar}
    names = tuple(field.name for field in fields(kind) if field.compare)
    found = check_keys(value, where, names)
    return kind(**{name: typed(hints[name], found[name], f"{where}.{name}", other) for name in names})


def number_array(value: Any, shape: tuple[int | None, ...], where: str) -> FloatArray:
    """Return nested lists as an array of numbers from 0 to 1e100; None is any length.

    Examples
    --------
    >>> number_array([[1, 2.5], [0, 3]], (None, 2), "tables")
    array([[1. , 2.5], [0. , 3. ]])
    >>> number_array([[1, 2.5], [0, True]], (None, 2), "tables")
    Traceback (most recent call last):
    ValueError: tables[1][1] is true where a number from 0 to 1e+100 belongs
    """
    _check_nested(value, shape, where)
    try:
        array = np.array(value, dtype=np.float64).reshape([-1 if n is None else n for n in shape])
    except OverflowError:
        raise ValueError(f"{where} has a number that is too large") from None
    bad = ~((array >= 0.0) & (array <= MOST))
    if bad.any():
        place = "".join(f"[{i}]" for i in np.argwhere(bad)[0])
        raise wrong(where + place, float(array[bad][0]), _COUNT)
    return array


def _check_nested(value: Any, shape: tuple[int | None, ...], where: str) -> None:
    if not isinstance(value, list):
        raise wrong(where, value, "a list")
    if shape[0] is not None and len(value) != shape[0]:
        raise ValueError(f"{where} has {len(value):,} entries where {shape[0]:,} belong")
    if len(shape) > 1:
        for i, entry in enumerate(value):
            _check_nested(entry, shape[1:], f"{where}[{i}]")
    elif not {*map(type, value)} <= {int, float}:
        i = next(i for i, entry in enumerate(value) if type(entry) not in (int, float))
        raise wrong(f"{where}[{i}]", value[i], _COUNT)
