"""Errors that keep their parts, so that Python and the command line each say them in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple


class Argument(str):
    """The name of an argument, which a command line may spell as an option."""

    __slots__ = ()


class Wording(NamedTuple):
    """What Python says, and what a command line says instead."""

    python: str
    command: str


class WordedError(ValueError):
    """A value that is not right, said in parts that follow one another; its text is Python's.

    Examples
    --------
    >>> error = WordedError(Argument("n_sets"), " must be whole; ", Wording("see plan", "see --help"))
    >>> str(error)
    'n_sets must be whole; see plan'
    >>> error.on_command_line({"n_sets": "--sets"})
    '--sets must be whole; see --help'
    """

    def __init__(self, *parts: str | Wording) -> None:
        super().__init__(*parts)

    def __str__(self) -> str:
        return "".join(part.python if isinstance(part, Wording) else part for part in self.args)

    def on_command_line(self, options: Mapping[str, str]) -> str:
        """Return the words of a command line that spells arguments as these options."""
        spelled = (options.get(part, part) if isinstance(part, Argument) else part for part in self.args)
        return "".join(part.command if isinstance(part, Wording) else part for part in spelled)


@contextmanager
def located(place: object) -> Iterator[None]:
    """Let the message of a ValueError begin with the place, such as a file."""
    try:
        yield
    except WordedError as error:
        raise WordedError(f"{place}: ", *error.args) from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
