"""Names that people mistype: the nearest one, and the list."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def listing(names: Iterable[str], *, most: int = 30) -> str:
    """Join names by commas, and only count those beyond the first `most`.

    Examples
    --------
    >>> listing("abcde", most=3)
    'a, b, c and 2 more'
    """
    found = [str(name) for name in names]
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def joined(names: Iterable[str], word: str = "and") -> str:
    """Join names as a sentence does.

    Examples
    --------
    >>> joined(["P", "R", "F1"]), joined(["A", "B"], "or"), joined(["A"])
    ('P, R and F1', 'A or B', 'A')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant, or list them all.

    Examples
    --------
    >>> nearest("wangli", ["wang-li", "once"])
    "did you mean 'wang-li'? (known: wang-li, once)"
    >>> nearest("x", ["wang-li", "once"])
    'known: wang-li, once'
    """
    names = [str(k) for k in known]
    folded = {n.lower(): n for n in names}
    close = difflib.get_close_matches(str(name).lower(), folded, n=1, cutoff=0.5)
    known_names = f"known: {listing(names)}"
    return f"did you mean {folded[close[0]]!r}? ({known_names})" if close else known_names


def plural(noun: str) -> str:
    """Return the plural of a noun such as a unit's name.

    Examples
    --------
    >>> plural("sentence"), plural("query"), plural("class"), plural("day")
    ('sentences', 'queries', 'classes', 'days')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
