"""Conditions that a comparison must meet, as one writes them: ``f1: B not worse by 0.005``.

The grammar, in which ``[ ]`` may be left out and ``|`` is a choice::

    condition = metric ":" ( claim | "P(" claim ")" ( ">=" | ">" | "<=" | "<" ) number )
    claim     = model "better" [ "than" model ] [ "by" number ]
              | model "not" "worse" [ "than" model ] "by" number
              | "equivalent" "within" number
    model     = a name, "a name in quotes", or A and B for the first and second of the pair

A metric is one of those compared, such as ``f1`` or ``f1[PER]``; ``f1[*]`` is that of every class. A claim that stands alone
must have the probability from which on `compare` makes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from bayesf1.base.checks import check_prob
from bayesf1.base.table import display_width, printable

_TOKEN = re.compile(
    r'\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![^\s(),<>=]))|"(?P<quoted>[^"]*)"|(?P<sign><=|>=|[<>(),=])'
    r'|(?P<word>[^\s(),<>="]+)|(?P<bad>\S))'
)
_WORDS = frozenset(("better", "not", "worse", "than", "by", "equivalent", "within"))


class ConditionError(ValueError):
    """What is wrong with a condition, and where: a sentence, and the condition with a caret below the place.

    Examples
    --------
    >>> try:
    ...     parse("f1: B bettr")
    ... except ConditionError as error:
    ...     print(error)
    expected "better" or "not worse", not "bettr"
      f1: B bettr
            ^
    """

    def __init__(self, sentence: str, text: str, at: int) -> None:
        super().__init__(sentence, text, at)
        self.sentence = printable(sentence)
        # Control characters would move the caret, and wide ones take two columns.
        shown = printable(text)
        self.pointer = f"  {shown}\n  {' ' * display_width(shown[:at])}^"

    def __str__(self) -> str:
        return f"{self.sentence}\n{self.pointer}"


class Name(NamedTuple):
    """A name in a condition, and where it stands."""

    text: str
    at: int


@dataclass(frozen=True)
class Condition:
    """What must hold of two models in one measure.

    Attributes
    ----------
    text
        The condition as it was written.
    metric
        Name of the measure; ``[*]`` at its end stands for every class.
    kind
        ``"better"``, ``"not worse"`` or ``"equivalent"``.
    model, other
        Who is claimed to be so, and compared with whom, as far as it was said.
    by, by_at
        The margin, and where it stands.
    sign, level
        How the probability compares with what; None where it must be that from which on `compare` makes the claim.
    """

    text: str
    metric: Name
    kind: str
    model: Name | None = None
    other: Name | None = None
    by: float = 0.0
    by_at: int = 0
    sign: str = ">="
    level: float | None = None

    def fault(self, sentence: str, where: Name | int) -> ConditionError:
        """Return an error that points to a name, or to a place."""
        return ConditionError(sentence, self.text, where if isinstance(where, int) else where.at)


def parse(text: str) -> Condition:
    """Read a condition.

    Examples
    --------
    >>> found = parse("f1: P(bert better than crf by 0.01) >= 0.9")
    >>> found.kind, found.model.text, found.other.text, found.by, found.level
    ('better', 'bert', 'crf', 0.01, 0.9)
    """
    if not isinstance(text, str):
        raise ValueError(f"a condition is a text such as 'f1: B not worse by 0.005', not {text!r:.60}")
    return _Reader(text).condition()


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Reader:
    """One pass over the tokens of a condition."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Names of classes may hold a colon, too.
        found = re.match(r"\s*([^\s\[:][^\[:]*?(?:\[.*?\])?)\s*:", text)
        if found is None:
            raise ConditionError(
                "a condition begins with a metric and a colon, such as f1: B not worse by 0.005",
                text,
                len(text) - len(text.lstrip()),
            )
        self.metric = Name(found[1], found.start(1))
        self.tokens = []
        at = found.end()
        while match := _TOKEN.match(text, at):
            kind = match.lastgroup or "bad"
            self.tokens.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
        self.tokens.append(_Token("end", "", len(text)))

    def condition(self) -> Condition:
        opened = self._peek.text in ("P", "p") and self.tokens[1].text == "("
        if opened:
            del self.tokens[:2]
        claim = self._claim()
        sign, level = ">=", None
        if opened:
            self._take(")")
            sign = self._one_of("<=", ">=", "<", ">")
            at = self._peek.at
            level = self._number("a probability such as 0.9")
            try:
                check_prob(level, "the probability")
            except ValueError as error:
                raise ConditionError(str(error), self.text, at) from None
        self._take("")
        return Condition(self.text, self.metric, *claim, sign, level)

    def _claim(self) -> tuple[str, Name | None, Name | None, float, int]:
        if self._peek.kind == "word" and self._peek.text == "equivalent":
            self._next()
            self._take("within")
            return "equivalent", None, None, *self._margin()
        model = self._model()
        kind = "better"
        if self._one_of("better", "not", said='"better" or "not worse"') == "not":
            self._take("worse")
            kind = "not worse"
        other = None
        if self._peek.text == "than":
            self._next()
            other = self._model()
        by, at = 0.0, 0
        if kind == "not worse" or self._peek.text == "by":
            self._take("by")
            by, at = self._margin()
        return kind, model, other, by, at

    @property
    def _peek(self) -> _Token:
        return self.tokens[0]

    def _next(self) -> _Token:
        return self.tokens.pop(0)

    def _model(self) -> Name:
        token = self._peek
        named = token.kind in ("quoted", "number") or (token.kind == "word" and token.text not in _WORDS)
        if not named:
            self._expected("the name of a model")
        self._next()
        return Name(token.text, token.at)

    def _margin(self) -> tuple[float, int]:
        at = self._peek.at
        return self._number("a margin such as 0.005"), at

    def _number(self, what: str) -> float:
        if self._peek.kind != "number":
            self._expected(what)
        return float(self._next().text)

    def _one_of(self, *words: str, said: str = "") -> str:
        if self._peek.kind == "quoted" or self._peek.text not in words:
            self._expected(said or " or ".join(f'"{word}"' for word in words))
        return self._next().text

    def _take(self, word: str) -> None:
        if self._peek.kind == "quoted" or self._peek.text != word:
            self._expected(f'"{word}"' if word else "the end")
        self._next()

    def _expected(self, what: str) -> NoReturn:
        found = f'"{self._peek.text}"' if self._peek.kind != "end" else "the end"
        raise ConditionError(f"expected {what}, not {found}", self.text, self._peek.at)
