"""Arguments that are wrong in every way we know, and what a call that gets one may do."""

import contextlib
import decimal
import fractions
import linecache
import shutil
import signal
import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bayesf1 as bf

PACKAGE = str(Path(bf.__file__).parent)
# So long may a message be that people are to read.
LONGEST = 1000
# No call of the table takes so many seconds, unless it hangs.
PATIENCE = 120


class Mute:
    """Something that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")


def nested(depth):
    value = [1.0]
    for _ in range(depth):
        value = [value]
    return value


def nested_mapping(depth):
    value = {"A": 1}
    for _ in range(depth):
        value = {"A": value}
    return value


def endless():
    value = [1.0]
    value.append(value)
    return value


def fails(*args, **options):
    raise ZeroDivisionError("a failure of the user's own")


# Each is made anew for each call: a generator is used up.
HOSTILE = {
    "None": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "0.5": lambda: 0.5,
    "127": lambda: 127,
    "1e300": lambda: 1e300,
    "5e-324": lambda: 5e-324,
    "10**400": lambda: 10**400,
    "1j": lambda: 1j,
    "True": lambda: True,
    "np.int8": lambda: np.int8(-1),
    "np.bool": lambda: np.True_,
    "Decimal": lambda: decimal.Decimal("sNaN"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "empty text": lambda: "",
    "zero byte": lambda: "\0",
    "escape": lambda: "\x1b[31mred\n",
    "surrogate": lambda: "\ud800",
    "x": lambda: "x",
    "long text": lambda: "x" * 200_000,
    "bytes": lambda: b"x",
    "object": object,
    "mute": Mute,
    "type": lambda: int,
    "function": lambda: lambda: None,
    "failing function": lambda: fails,
    "ellipsis": lambda: ...,
    "list": list,
    "list of text": lambda: ["x"],
    "list of nan": lambda: [float("nan")],
    "ragged": lambda: [[1, 2], [3]],
    "mixed": lambda: [1, "x", None],
    "huge in list": lambda: [10**400],
    "nested": lambda: nested(5_000),
    "endless": endless,
    "tuple": tuple,
    "pair of nan": lambda: (float("nan"), float("nan")),
    "dict": dict,
    "dict of model": lambda: {"A": None},
    "dict of object": lambda: {"A": object(), "B": object()},
    "nested dict": lambda: nested_mapping(5_000),
    "set": lambda: {"A", "B"},
    "generator": lambda: (x for x in ("A", "B")),
    "range": lambda: range(3),
    "array of objects": lambda: np.array([object(), None]),
    "array of complex": lambda: np.array([1j]),
    "array of dates": lambda: np.array(["NaT"], "datetime64[s]"),
    "array of nan": lambda: np.array([np.nan]),
    "array of zeros": lambda: np.zeros(3),
    "2-D": lambda: np.ones((2, 2)),
    "no entries": lambda: np.array([]),
    "0-D text": lambda: np.array("x"),
    "structured": lambda: np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[False, True]),
    "void": lambda: np.zeros(1, dtype="V4")[0],
    "dates": lambda: np.arange(8).astype("M8[D]"),
    "series": lambda: pd.Series([1.0, None]),
    "frame": lambda: pd.DataFrame({"A": [1]}),
    "empty frame": pd.DataFrame,
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "timedelta": lambda: np.timedelta64(1, "D"),
    "path": lambda: Path("nowhere/x"),
    "evaluation": lambda: bf.from_counts(Q=(1, 2, 3)),
    "law": lambda: bf.Beta(2, 3),
    "generator of numbers": lambda: np.random.default_rng(0),
}
# What may name a file, which may then be made.
PATHS = {"x", "escape", "path"}


class Hang(BaseException):
    """A call that did not end in time."""


def _alarm(*_):
    raise Hang


@contextlib.contextmanager
def _patience():
    previous = signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def _is_own(error):
    """Return whether an error was raised by a `raise` of this package rather than by what broke."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return frame.filename.startswith(PACKAGE) and linecache.getline(
        frame.filename, frame.lineno
    ).lstrip().startswith("raise")


def fault(call, words, is_path=False, value=""):
    """Say what is wrong with how a call with a bad argument ends; nothing, where it returns or says what is wrong.

    `words` are those of which the message has one: the argument's name, or how people say it.
    """
    before = {path.name for path in Path().iterdir()}
    found = ""
    try:
        with _patience(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=UserWarning)
            call()
    except (ValueError, TypeError) as error:
        message = str(error)
        if not _is_own(error):
            found = f"{type(error).__name__} of another's: {message[:200]}"
        elif not any(word in message for word in words):
            found = f"names no argument: {message[:200]}"
        elif len(message) > LONGEST:
            found = f"message of {len(message)} characters: {message[:100]}"
        elif any(ord(c) < 32 for c in message):
            found = f"control characters: {message[:200]!r}"
    except OSError as error:
        if not is_path:
            found = f"{type(error).__name__}: {str(error)[:200]}"
    except Hang:
        found = "does not end"
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        found = f"{type(error).__name__}: {str(error)[:150]} ({Path(frame.filename).name}:{frame.lineno})"
    new = {path.name for path in Path().iterdir()} - before
    if new and not (is_path and value in PATHS):
        found = f"writes {sorted(new)!r}"[:200]
    for name in new:
        shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink()
    return found
