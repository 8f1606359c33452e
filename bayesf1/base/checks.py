"""Checks of the types and ranges of arguments, with a one-sentence error for each that is wrong."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import sys
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextvars import ContextVar
from datetime import date
from decimal import Decimal
from enum import Enum
from numbers import Number, Real
from os import PathLike, fsencode, fspath
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy import typing as npt

from bayesf1.base.arrays import FloatArray, SupportsArray
from bayesf1.base.naming import joined, nearest, quoted

# The seed of draws if no rng is given, so that two runs print the same digits.
DEFAULT_RNG = 0
# The least probability of an interval, and the least outside it: 1 - 1e-12 is not rounded to 1.
LEAST_PROB = 1e-12


def is_number(value: Any) -> bool:
    """Return whether a value is a number; True is not."""
    return is_whole(value) or isinstance(value, float | np.floating)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number by its type; True is not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def check_whole(value: Any, name: str, least: int, exponent: int) -> int:
    """Return a whole number from `least` to a power of ten, or raise a ValueError."""
    if not is_whole(value) or not least <= value <= 10**exponent:
        raise ValueError(f"{name} must be a whole number from {least} to 1e{exponent}, not {quoted(value)}")
    return int(value)


def check_prob(prob: float, name: str = "prob") -> float:
    """Return a credible mass, or raise a ValueError if it is not strictly between 0 and 1."""
    if is_number(prob) and (0.0 < prob < LEAST_PROB or 1.0 - LEAST_PROB < prob < 1.0):
        end = f"which rounds to {round(prob)}; give one such as 0.95"
        raise ValueError(f"{name} is {quoted(prob)}, {end}")
    if not is_number(prob) or not 0.0 < prob < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1 (0.95 for 95 %), not {quoted(prob)}")
    return float(prob)


def check_levels(q: ArrayLike) -> FloatArray:
    """Return probabilities as an array, or raise a ValueError that names the first value that is not one."""
    array = np.asarray(q, dtype=np.float64)
    bad = ~((array >= 0.0) & (array <= 1.0))
    if bad.any():
        raise ValueError(f"probabilities lie between 0 and 1, not {array[bad].flat[0]:g}")
    return array


def check_rng(rng: RNGLike) -> np.random.Generator:
    """Return a source of randomness, that of `DEFAULT_RNG` for None, or raise a ValueError if it is not one."""
    if not _is_rng(rng):
        raise ValueError(f"rng must be a numpy Generator, a whole number from 0, or None, not {quoted(rng)}")
    if rng is None:
        rng = DEFAULT_RNG
    return np.random.default_rng(rng)


def start_of(rng: RNGLike) -> int | None:
    """Return the number that draws start from; None if that is the state of a Generator."""
    if rng is None:
        return DEFAULT_RNG
    return int(rng) if isinstance(rng, int | np.integer) else None


def start_in_words(start: int | None, what: str = "draws") -> str:
    """Write which number draws start from; "" if it is unknown.

    Examples
    --------
    >>> start_in_words(start_of(None)), start_in_words(start_of(np.random.default_rng(1)))
    ('draws start from rng=0', '')
    """
    return "" if start is None else f"{what} start from rng={start}"


def check_draws(n_draws: int, name: str = "n_draws") -> int:
    """Return a number of draws, or raise a ValueError."""
    return check_whole(n_draws, name, 100, 9)


def check_unmasked(values: Any, where: str) -> None:
    """Refuse a masked entry of an array, or of a list of arrays: numpy would take the value below the mask."""
    rows = values if isinstance(values, list | tuple) else [values]
    for number, row in enumerate(rows, 1):
        if isinstance(row, np.ma.MaskedArray) and np.ma.getmaskarray(row).any():
            first = np.argwhere(np.ma.getmaskarray(row))[0]
            place = [int(i) + 1 for i in first]
            if rows is values:
                place.insert(0, number)
            raise ValueError(
                f"{where} is masked at entry {', '.join(map(str, place))}; drop or fill it first"
            )


def numbers_of(values: Any, where: str, *, remedy: str = "must be numbers") -> FloatArray:
    """Return numbers as an array of floats, or raise a ValueError if they are not numbers.

    numpy would also convert dates, texts, complex numbers and masked values. None becomes NaN.

    Examples
    --------
    >>> numbers_of([1, 0.5, None], "scores")
    array([1. , 0.5, nan])
    >>> numbers_of(["1", "0.5"], "scores", remedy="must be numbers, one for each unit")
    Traceback (most recent call last):
    ValueError: scores must be numbers, one for each unit
    """
    check_unmasked(values, where)
    try:
        array = np.asarray(values)
        are_numbers = array.dtype.kind in "biuf"
        if array.dtype.kind == "O":
            are_numbers = all(isinstance(x, Real | Decimal | np.bool_ | None) for x in array.flat)
        if are_numbers:
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{where} {remedy}")


def _is_float(value: Any) -> bool:
    return isinstance(value, float | np.floating) or (is_whole(value) and abs(value) <= sys.float_info.max)


def is_text(value: Any) -> bool:
    """Return whether a value is a string that can be printed and written, as lone surrogates cannot, and is not too long."""
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_TEXT
        and value.encode(errors="replace").decode() == value
    )


def _is_path(value: Any) -> bool:
    path = fspath(value) if isinstance(value, str | PathLike) else ""
    return path.strip() != "" and b"\0" not in fsencode(path) and len(path) <= LONGEST_PATH


def _is_size(value: Any) -> bool:
    if value is None:
        return True
    axes = value if isinstance(value, tuple) else (value,)
    return all(is_whole(axis) and axis >= 0 for axis in axes) and math.prod(map(int, axes)) <= 10**10


def _is_rng(value: Any) -> bool:
    kinds = np.random.Generator | np.random.BitGenerator | np.random.SeedSequence | None
    return isinstance(value, kinds) or (is_whole(value) and value >= 0)


@typing.runtime_checkable
class _SizedAndIndexed(Protocol):
    def __len__(self) -> int: ...

    def __getitem__(self, place: Any) -> Any: ...


def is_series(value: Any) -> bool:
    """Return whether a value has entries in an order, as lists, arrays and columns do; texts do not count."""
    if isinstance(value, _UNORDERED | Mapping | Set) or not isinstance(value, _SizedAndIndexed):
        return False
    # The class is asked, as a lazy frame itself would have to look for its columns.
    is_frame = "columns" in dir(type(value))
    return not is_frame and _n_axes(value) > 0


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, _UNORDERED) and _n_axes(value) == 1


def _n_axes(value: Any) -> int:
    """Return the number of axes of an array; other collections have one."""
    return getattr(value, "ndim", 1)


def is_label(value: Any) -> bool:
    """Return whether a value is one label, or None, and not a collection."""
    if isinstance(value, complex | np.void):
        return False
    # A signalling NaN fails as soon as it is compared.
    if isinstance(value, Decimal) and value.is_snan():
        return False
    return value is None or is_text(value) or isinstance(value, bytes | Number | np.generic | date | Enum)


# Classes whose entries are not values by themselves.
_UNORDERED = str | bytes | bytearray | memoryview | type
# A longer text is not a name, caption or command, and would fill the screen in a message.
LONGEST_TEXT = 100_000
# No operating system has longer paths.
LONGEST_PATH = 32_767


class Rule(NamedTuple):
    """A rule for values: the test, and the words for it. A type alias gets its rule by `Annotated`."""

    fits: Callable[[Any], bool]
    words: str


_ANY = Rule(lambda value: True, "")
_TEXT = Rule(is_text, "a string")
_PATH = Rule(_is_path, "the name of a file")
_SERIES = Rule(is_series, "a sequence")
_ARRAY = Rule(lambda value: isinstance(value, float | int | SupportsArray) or is_series(value), "an array")
# The rules of types; any other type is a class.
_RULES: dict[Any, Rule] = {
    **dict.fromkeys((Any, object), _ANY),
    **dict.fromkeys((str, Literal), _TEXT),
    **dict.fromkeys((Sequence, list, tuple), _SERIES),
    np.ndarray: _ARRAY,
    PathLike: _PATH,
    Callable: Rule(callable, "a function"),
    Mapping: Rule(lambda value: isinstance(value, Mapping), "a mapping such as {'A': …}"),
    **dict.fromkeys((Iterable, Collection), Rule(_is_iterable, "a collection")),
    NoneType: Rule(lambda value: value is None, "None"),
    bool: Rule(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    int: Rule(is_whole, "a whole number"),
    float: Rule(_is_float, "a number"),
}

RNGLike: TypeAlias = Annotated[
    np.random.Generator | int | None, Rule(_is_rng, "a numpy Generator, a whole number from 0, or None")
]
ArrayLike: TypeAlias = Annotated[npt.ArrayLike, _ARRAY]
# Arrays of numbers, while other arrays may hold labels; and a label, which is one thing and not a collection.
Numbers: TypeAlias = Annotated[
    npt.ArrayLike,
    Rule(
        lambda value: value is not None and numbers_of(value, "") is not None,
        "a number or an array of numbers",
    ),
]
OneLabel: TypeAlias = Annotated[Any, Rule(is_label, "a label, such as a string or a number")]
# One value for each item, perhaps by its id.
Column: TypeAlias = Annotated[
    Any,
    Rule(lambda value: is_series(value) or isinstance(value, Mapping | Iterator), "one value for each item"),
]
# The shape of an array of draws.
Size: TypeAlias = Annotated[
    int | tuple[int, ...] | None, Rule(_is_size, "a whole number from 0, a tuple of them, or None")
]

# Whether a public function is running, which may call others.
_inside: ContextVar[bool] = ContextVar("inside", default=False)

P = ParamSpec("P")
R = TypeVar("R")


def _alternatives(hint: Any) -> list[Rule]:
    """Return the rule of each part of a union; the rule of a sequence also tests each entry."""
    # Aliases of newer versions of numpy are objects of their own.
    hint = getattr(_kind_of(hint), "__value__", hint)
    kind = _kind_of(hint)
    parts = typing.get_args(hint)
    if kind is Annotated:
        return [hint.__metadata__[0]]
    if kind in (typing.Union, UnionType):
        return [rule for part in parts for rule in _alternatives(part)]
    if kind not in _RULES:
        # By its name, as what imports the class may be heavy.
        name = kind.__name__
        article = "an" if name[0] in "AEIO" else "a"
        return [
            Rule(lambda value: any(own.__name__ == name for own in type(value).__mro__), f"{article} {name}")
        ]
    entries = _rule(parts[0]) if parts and kind in (Sequence, Iterable) else None
    if entries is None:
        return [_RULES[kind]]
    outer = _RULES[kind]
    # An iterator is used up by looking at it.
    return [
        Rule(
            lambda value: (
                outer.fits(value) and (isinstance(value, Iterator) or all(map(entries.fits, value)))
            ),
            f"{outer.words}, each entry {entries.words}",
        )
    ]


def _kind_of(hint: Any) -> Any:
    """Return the class of a type, without its parameters."""
    origin = typing.get_origin(hint)
    return hint if origin is None else origin


def _rule(hint: Any) -> Rule | None:
    """Return the rule of a type; None if it takes any value.

    Examples
    --------
    >>> fits, words = _rule(Mapping[str, float] | str | None)
    >>> words, fits({}), fits(3)
    ("a mapping such as {'A': …}, a string or None", True, False)
    """
    rules = _alternatives(hint)
    if _ANY in rules:
        return None
    if _PATH in rules and _TEXT in rules:
        rules.remove(_TEXT)

    tests = [rule.fits for rule in rules]

    def fits(value: Any) -> bool:
        try:
            for test in tests:
                if test(value):
                    return True
        except Exception:  # of something that fails when it is looked at
            pass
        return False

    return Rule(fits, joined(dict.fromkeys(rule.words for rule in rules), "or"))


class _Names(dict[str, Any]):
    """The names of a module, including names that only type checkers import."""

    def __missing__(self, name: str) -> Any:
        if name in vars(builtins) or name.startswith("_"):
            raise KeyError(name)
        return type(name, (), {})


@functools.cache
def _rules_of(function: Callable[..., Any]) -> dict[str, Rule]:
    """Return the rule of each parameter, including those of keyword dictionaries."""
    own = inspect.unwrap(function)
    names = _Names(own.__globals__)
    hints: dict[str, Any] = {}
    # The type that is returned may belong to a package that is not installed.
    given = SimpleNamespace(__annotations__={k: v for k, v in own.__annotations__.items() if k != "return"})
    for name, hint in typing.get_type_hints(given, {}, names, include_extras=True).items():
        if typing.get_origin(hint) is typing.Unpack:
            options = typing.get_type_hints(typing.get_args(hint)[0], localns=names, include_extras=True)
            hints |= {key: value | None for key, value in options.items()}
        else:
            hints[name] = hint
    rules = {name: _rule(hint) for name, hint in hints.items()}
    return {name: rule for name, rule in rules.items() if rule is not None}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that do not fit its annotations, before it does anything.

    The function itself checks anything beyond types, such as the range of a number.

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
    ValueError: x must be a number, not '3'
    """
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    takes_any_keyword = bool(code.co_flags & inspect.CO_VARKEYWORDS)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        # Calls within the package need no check.
        if _inside.get():
            return function(*args, **kwargs)
        rules = _rules_of(function)
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name not in names and not takes_any_keyword:
                problem = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                raise TypeError(f"{problem}; {nearest(name, [own for own in names if own != 'self'])}")
            rule = rules.get(name)
            if rule is not None and not rule.fits(value):
                raise ValueError(f"{name} must be {rule.words}, not {quoted(value)}")
        token = _inside.set(True)
        try:
            return function(*args, **kwargs)
        finally:
            _inside.reset(token)

    return call


class Checked:
    """A class that checks the arguments of its public methods, and of an `__init__` of its own.

    A subclass names methods that only the package calls as ``unchecked``.
    """

    def __init_subclass__(cls, unchecked: Collection[str] = (), **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, value in [*vars(cls).items()]:
            public = inspect.isfunction(value) and (name == "__init__" or not name.startswith("_"))
            # A method without arguments has nothing to check.
            if public and name not in unchecked and len(inspect.signature(value).parameters) > 1:
                setattr(cls, name, checked(value))
