"""Names and values in messages: the nearest to a mistyped name, lists, plurals, and what can be printed."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

# Values in messages are cut after this many characters: they only have to be recognised.
LONGEST_SHOWN = 160
_MOST_LOOKED_AT = 1000


def one_name(a: str, b: str, argument: str) -> str:
    """Return the name that was given in two places, or in one of them; of two names neither is that of both.

    Examples
    --------
    >>> one_name("", "BLEU", "name")
    'BLEU'
    >>> one_name("BLEU", "nDCG", "name")
    Traceback (most recent call last):
    ValueError: name= is 'BLEU' in one and 'nDCG' in the other
    """
    if a and b and a != b:
        raise ValueError(f"{argument}= is {quoted(a)} in one and {quoted(b)} in the other")
    return a if a else b


class Aside(str):
    """A remark on how an answer came about, which is printed, but is a comment beside a table in a paper."""

    __slots__ = ()


def listing(names: Iterable[str], *, most: int = 30) -> str:
    """Join names by commas, and only count those beyond the first `most`.

    Examples
    --------
    >>> listing("abcde", most=3)
    'a, b, c and 2 more'
    """
    shown = [printable(str(name)[:LONGEST_SHOWN]) for name in names]
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def printable(text: str) -> str:
    """Replace control characters, which could rewrite a terminal or break a line."""
    if text.isprintable():
        return text
    return "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    is_control = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "�" if is_control else character


def cleaned(value: Any) -> Any:
    """Return a text that is safe to print, and anything else as it is, for frames, which print themselves."""
    return printable(value) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """Return a text of several lines in which no character could rewrite a terminal. All printed text passes through it."""
    return "\n".join(map(printable, text.split("\n")))


def joined(names: Iterable[str], word: str = "and") -> str:
    """Join names as in a sentence.

    Examples
    --------
    >>> joined(["P", "R", "F1"]), joined(["A", "B"], "or"), joined(["A"])
    ('P, R and F1', 'A or B', 'A')
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def nearest(name: str, known: Iterable[str]) -> str:
    """Write which known name was probably meant, or list all known names.

    Examples
    --------
    >>> nearest("wangli", ["wang-li", "once"])
    "did you mean 'wang-li'? (known: wang-li, once)"
    >>> nearest("x", ["wang-li", "once"])
    'known: wang-li, once'
    >>> nearest("acc", ["mcc", "accuracy"])
    "did you mean 'accuracy'? (known: mcc, accuracy)"
    """
    names = [str(k) for k in known]
    # A search for similar names takes seconds if there are thousands.
    folded = {n.lower(): n for n in names[:_MOST_LOOKED_AT]}
    asked = str(name)[:LONGEST_SHOWN].lower()
    # A name that continues the given one is nearer than a name that differs by a letter.
    begun = [n for n in folded if len(asked) > 2 and n.startswith(asked)]
    close = begun if len(begun) == 1 else difflib.get_close_matches(asked, folded, n=1, cutoff=0.5)
    known_names = f"known: {listing(names)}"
    return f"did you mean {folded[close[0]]!r}? ({known_names})" if close else known_names


def check_known(value: Any, what: str, known: Collection[Any]) -> None:
    """Raise a ValueError if a value is not a known one; the error says which one was probably meant.

    Examples
    --------
    >>> check_known("paird", "assumption", ("independent", "paired"))
    Traceback (most recent call last):
    ValueError: unknown assumption 'paird'; did you mean 'paired'? (known: independent, paired)
    """
    if value not in known:
        raise ValueError(f"unknown {what} {quoted(value)}; {nearest(str(value), known)}")


def same_name(asked: str, name: str) -> bool:
    """Return whether a name is meant, whatever its case and whether its words are joined by spaces or underscores.

    Examples
    --------
    >>> same_name("exact_match", "Exact match"), same_name("ndcg@10", "nDCG@10"), same_name("", "")
    (True, True, False)
    """
    return _folded(asked) == _folded(name) != ""


def _folded(name: str) -> str:
    return name.strip().lower().replace("_", " ")


def quoted(value: object) -> str:
    """Return the repr of a value in one line, cut if it is long; a numpy scalar is written as a plain value.

    Examples
    --------
    >>> import numpy as np
    >>> quoted(np.str_("yes")), quoted(np.float64(0.5)), quoted("yes")
    ("'yes'", '0.5', "'yes'")
    >>> quoted([0] * 1000)
    '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,... 0, 0, 0, 0, 0, 0, 0]'
    """
    if type(value).__module__ == "numpy":
        import numpy as np

        if isinstance(value, np.generic):
            value = value.item()
    try:
        text = repr(value)
    except Exception:  # lists nested too deep and integers too long have no repr
        return f"something of type {type(value).__name__}"
    if "\n" in text:
        text = " ".join(text.split())
    line = printable(text)
    return line if len(line) <= LONGEST_SHOWN else f"{line[:60]}... {line[-20:].strip()}"


def plural(noun: str) -> str:
    """Return the plural of a noun such as a unit's name.

    Examples
    --------
    >>> plural("sentence"), plural("query"), plural("class"), plural("day"), plural("corpus")
    ('sentences', 'queries', 'classes', 'days', 'corpora')
    """
    if noun.endswith("corpus"):
        return f"{noun[:-2]}ora"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def number_of(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed.

    Examples
    --------
    >>> number_of(1, "query"), number_of(1200, "query")
    ('1 query', '1,200 queries')
    """
    nouns = noun if n == 1 else plural(noun)
    return f"{n:,} {nouns}"


def capitalised(text: str) -> str:
    """Return a text with a capital first letter; other letters stay as they are.

    Examples
    --------
    >>> capitalised("scores of BERT vary"), capitalised("")
    ('Scores of BERT vary', '')
    """
    return text[:1].upper() + text[1:]
