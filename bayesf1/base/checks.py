"""What arguments must be: one sentence for each that is not."""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from datetime import date
from enum import Enum
from numbers import Number
from os import PathLike, fsencode, fspath
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bayesf1.base.arrays import FloatArray
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import joined, nearest, shown

RNGLike: TypeAlias = np.random.Generator | int | None
# Arrays of numbers, where others may hold labels; and a label, which is one thing and no collection.
Numbers: TypeAlias = ArrayLike
OneLabel: TypeAlias = Any
# One value for each item, perhaps by its id.
Column: TypeAlias = Any
# The shape of an array of draws.
Size: TypeAlias = int | tuple[int, ...] | None
# What draws start from where no rng is given: two runs print the same digits.
DEFAULT_RNG = 0
# Half of it is still seen beside 1.
LEAST_PROB = 1e-12


def is_number(value: Any) -> bool:
    """Say whether a value is a number, which True is not."""
    return isinstance(value, float | int | np.floating | np.integer) and not isinstance(
        value, bool | np.timedelta64
    )


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number by its type, which True is not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def check_whole(value: Any, name: str, least: int, exponent: int) -> int:
    """Return a whole number from `least` to a power of ten, or say that it is none."""
    if not is_whole(value) or not least <= value <= 10**exponent:
        raise WordedError(
            Argument(name), f" must be a whole number from {least} to 1e{exponent}, not {shown(value)}"
        )
    return int(value)


def check_prob(prob: float, name: str = "prob") -> float:
    """Return a credible mass, or say that it is not strictly between 0 and 1."""
    if is_number(prob) and (0.0 < prob < LEAST_PROB or 1.0 - LEAST_PROB < prob < 1.0):
        end = f"which is as good as {round(prob)}; give one such as 0.95"
        raise WordedError(Argument(name), f" is {shown(prob)}, {end}")
    if not is_number(prob) or not 0.0 < prob < 1.0:
        raise WordedError(
            Argument(name), f" must lie strictly between 0 and 1 (0.95 for 95 %), not {shown(prob)}"
        )
    return float(prob)


def check_levels(q: ArrayLike) -> FloatArray:
    """Return probabilities as an array, or say which is none."""
    array = np.asarray(q, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        raise ValueError(f"probabilities lie between 0 and 1, not {array[bad].flat[0]:g}")
    return array


def check_rng(rng: RNGLike) -> np.random.Generator:
    """Return a source of randomness, that of `DEFAULT_RNG` for None, or say that it is none."""
    try:
        return np.random.default_rng(DEFAULT_RNG if rng is None else rng)
    except (TypeError, ValueError):
        raise ValueError(
            f"rng must be a numpy Generator, a whole number from 0, or None, not {shown(rng)}"
        ) from None


def start_of(rng: RNGLike) -> int | None:
    """Return the number that draws start from; None where that is the state of a Generator, or no number."""
    if rng is None:
        return DEFAULT_RNG
    return int(rng) if isinstance(rng, int | np.integer) else None


def start_in_words(start: int | None, what: str = "draws") -> str:
    """Say what draws start from, where it is a number.

    Examples
    --------
    >>> start_in_words(start_of(None)), start_in_words(start_of(np.random.default_rng(1)))
    ('draws start from rng=0', '')
    """
    return "" if start is None else f"{what} start from rng={start}"


def check_draws(n_draws: int, name: str = "n_draws") -> int:
    """Return a number of draws, or say that it is none."""
    if not is_number(n_draws) or not 100 <= n_draws <= 10**9 or n_draws % 1 != 0:
        raise WordedError(Argument(name), f" must be a whole number from 100 to 1e9, not {shown(n_draws)}")
    return int(n_draws)


class _Rule(NamedTuple):
    """What a value must be, and how to say it."""

    fits: Callable[[Any], bool]
    words: str


def _is_float(value: Any) -> bool:
    return isinstance(value, float | np.floating) or (is_whole(value) and abs(value) <= sys.float_info.max)


def _is_text(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False


def _is_path(value: Any) -> bool:
    if not isinstance(value, str | PathLike):
        return False
    path = fspath(value)
    if not isinstance(path, str) or not path.strip() or "\0" in path or len(path) > LONGEST_PATH:
        return False
    try:
        return bool(fsencode(path))
    except UnicodeEncodeError:
        return False


def _is_size(value: Any) -> bool:
    axes = value if isinstance(value, tuple) else () if value is None else (value,)
    return all(is_whole(axis) and axis >= 0 for axis in axes) and math.prod(map(int, axes)) <= 10**10


def _is_rng(value: Any) -> bool:
    kinds = np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
    return isinstance(value, kinds) or (is_whole(value) and value >= 0)


def _is_series(value: Any) -> bool:
    """Say whether a value has entries in an order, as lists, arrays and columns have, but texts have not."""
    if isinstance(value, list | tuple | range | np.ndarray):
        return not isinstance(value, np.ndarray) or value.ndim > 0
    # Asked of the class, as a lazy frame looks for its columns.
    unordered = isinstance(value, str | bytes | bytearray | memoryview | Mapping | Set | type) or hasattr(
        type(value), "columns"
    )
    return not unordered and hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _is_numeric(value: Any) -> bool:
    if isinstance(value, float | int):
        return isinstance(value, float) or abs(value) <= sys.float_info.max
    if isinstance(value, np.generic | np.ndarray):
        plain = value.dtype.kind in "buif" or (value.dtype.kind == "O" and _converts(value))
        return plain and not np.ma.is_masked(value)
    return (_is_series(value) or hasattr(value, "__array__")) and _converts(value)


def _converts(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "buifO" and np.asarray(value, np.float64) is not None
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


def _is_column(value: Any) -> bool:
    return _is_series(value) or isinstance(value, Mapping | Iterator)


def is_label(value: Any) -> bool:
    """Say whether a value is one label, or none at all, and no collection."""
    plain = isinstance(value, bytes | Number | np.generic | date | Enum)
    # A signalling NaN fails as soon as it is compared.
    odd = isinstance(value, complex | np.void) or getattr(value, "is_snan", bool)()
    return value is None or _is_text(value) or (plain and not odd)


def _is_array(value: Any) -> bool:
    return (
        isinstance(value, float | int | np.generic | np.ndarray)
        or _is_series(value)
        or hasattr(value, "__array__")
    )


def _is_iterable(value: Any) -> bool:
    return (
        isinstance(value, Iterable)
        and getattr(value, "ndim", 1) == 1
        and not isinstance(value, str | bytes | bytearray | memoryview | type)
    )


def _instance(kind: Any, words: str) -> _Rule:
    return _Rule(lambda value: isinstance(value, kind), words)


def _named(name: str) -> _Rule:
    """Return the rule of a class by its name, which needs no import of what may be heavy."""
    article = "an" if name[0] in "AEIOU" else "a"
    return _Rule(
        lambda value: any(kind.__name__ == name for kind in type(value).__mro__), f"{article} {name}"
    )


# More is no name, caption or command, and would fill the screen if it stood in a message.
LONGEST_TEXT = 100_000
# No system has longer ones.
LONGEST_PATH = 32_767
_ANY = _Rule(lambda value: True, "")
_NUMBER = _Rule(_is_float, "a number")
_TEXT = _Rule(_is_text, "a string")
_FUNCTION = _Rule(callable, "a function")
_PATH = _Rule(_is_path, "the name of a file")
# What stands for measures and discounts is looked at closer by who knows them.
_MEASURE = _Rule(
    lambda value: not isinstance(value, str) or _is_text(value), "the name of a measure or a function"
)
_DISCOUNT = _Rule(
    lambda value: value is None or isinstance(value, str | Number | np.number | tuple | list),
    "a name, a number or a pair of numbers",
)
_SERIES = _Rule(_is_series, "a sequence")
_MAPPING = _instance(Mapping, "a mapping such as {'A': …}")
_ARRAY = _Rule(_is_array, "an array")
# What an annotation asks for, by the words before its brackets; any other is the name of a class.
_RULES: dict[str, tuple[_Rule, ...]] = {
    "Any": (_ANY,),
    "object": (_ANY,),
    "None": (_Rule(lambda value: value is None, "None"),),
    "bool": (_instance(bool | np.bool_, "True or False"),),
    "int": (_Rule(is_whole, "a whole number"),),
    "float": (_NUMBER,),
    "str": (_TEXT,),
    "Literal": (_TEXT,),
    "PathLike": (_PATH,),
    "PathOrName": (_PATH,),
    "Files": (_PATH, _SERIES, _MAPPING),
    "Callable": (_FUNCTION,),
    "Totals": (_FUNCTION,),
    "Method": (_FUNCTION,),
    "Sequence": (_SERIES,),
    "list": (_SERIES,),
    "tuple": (_SERIES,),
    "NDArray": (_SERIES,),
    "Iterable": (_Rule(_is_iterable, "a collection"),),
    "Mapping": (_MAPPING,),
    "Models": (_SERIES, _MAPPING),
    "ArrayLike": (_ARRAY,),
    "FloatArray": (_ARRAY,),
    "Numbers": (_Rule(_is_numeric, "a number or an array of numbers"),),
    "Column": (_Rule(_is_column, "one value for each item"),),
    "OneLabel": (_Rule(is_label, "a label, such as a string or a number"),),
    "Lists": (_ARRAY,),
    "SoftClusters": (_ARRAY,),
    "Level": (_TEXT,),
    "Log": (_TEXT,),
    "RNGLike": (_Rule(_is_rng, "a numpy Generator, a whole number from 0, or None"),),
    "Size": (_Rule(_is_size, "a whole number from 0, a tuple of them, or None"),),
    "RopeLike": (_ANY,),
    "Discount": (_DISCOUNT,),
    "MetricLike": (_MEASURE,),
    "Axes": (_Rule(lambda value: hasattr(value, "get_figure"), "axes of matplotlib"),),
    "AxesLike": (_Rule(lambda value: hasattr(value, "get_figure") or _is_series(value), "axes of matplotlib"),),
}  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


def _parts(annotation: str) -> list[str]:
    """Return what a union is of.

    Examples
    --------
    >>> _parts("Mapping[str, int | float] | np.random.Generator | None")
    ['Mapping[str, int | float]', 'Generator', 'None']
    """
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [re.sub(r"^(\w+\.)+", "", part.strip()) for part in parts]


def _rules(part: str) -> tuple[_Rule, ...]:
    """Return what one part of a union asks for, of sequences what it asks of each entry."""
    head, _, inner = part.removesuffix("]").partition("[")
    rules = _RULES.get(head, (_named(head),))
    entries = _rule(inner.removesuffix(", ...")) if head in ("Sequence", "Iterable", "tuple") else None
    if entries is None or "," in inner:
        return rules
    (outer,) = rules

    def fits(value: Any) -> bool:
        # An iterator is used up by looking at it.
        return outer.fits(value) and (isinstance(value, Iterator) or all(map(entries.fits, value)))

    return (_Rule(fits, f"{outer.words}, each entry {entries.words}"),)


def _rule(annotation: str) -> _Rule | None:
    """Return what an annotation asks for; None where that is anything.

    Examples
    --------
    >>> rule = _rule("Mapping[str, float] | Evaluation | None")
    >>> rule.words, rule.fits({}), rule.fits(3)
    ("a mapping such as {'A': …}, an Evaluation or None", True, False)
    >>> _rule("Sequence[str]").fits(["tp", 1])
    False
    """
    parts = _parts(annotation)
    if "PathLike[str]" in parts:
        parts.remove("str")
    rules = [rule for part in parts for rule in _rules(part)]
    if _ANY in rules:
        return None
    words = joined(dict.fromkeys(rule.words for rule in rules), "or")

    def fits(value: Any) -> bool:
        try:
            return any(rule.fits(value) for rule in rules)
        except Exception:  # of something that fails when it is looked at
            return False

    return _Rule(fits, words)


def _rules_of(function: Callable[..., Any]) -> dict[str, _Rule]:
    """Return what each parameter must be, those of keyword dictionaries among them."""
    found: dict[str, str] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        said = str(parameter.annotation)
        if said.startswith("Unpack["):
            options = function.__globals__[said[7:-1]].__annotations__
            found |= {key: f"{value.__forward_arg__} | None" for key, value in options.items()}
        elif parameter.annotation is not parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            found[name] = said
    return {name: rule for name, said in found.items() if (rule := _rule(said)) is not None}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that are not what its annotations say, before it does anything.

    What a value may be beyond its type, such as the range of a number, the function itself checks.

    Examples
    --------
    >>> @checked
    ... def half(x: float, *, name: str | None = None) -> float:
    ...     return x / 2
    >>> half(3)
    1.5
    >>> half("3")
    Traceback (most recent call last):
    ...
    bayesf1.base.errors.WordedError: x must be a number, not '3'
    """
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount]
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    takes_any = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    rules: dict[str, _Rule] = {}

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not rules:
            rules.update(_rules_of(function))
        for name in () if takes_any else kwargs.keys() - {*known}:
            said = f"{function.__name__}() got an unexpected keyword argument {name!r}"
            raise TypeError(f"{said}; {nearest(name, [each for each in known if each != 'self'])}")
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            rule = rules.get(name)
            if rule is not None and not rule.fits(value):
                raise WordedError(Argument(name), f" must be {rule.words}, not {shown(value)}")
        return function(*args, **kwargs)

    return call
