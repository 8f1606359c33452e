"""What the command line takes: options that commands share, and how their values are read."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent
from types import ModuleType
from typing import Any, NoReturn, TypeAlias

from bayesf1.base.formats import DEFAULT, FORMATS
from bayesf1.base.naming import capitalised, nearest
from bayesf1.commands.output import write

# Arguments that errors name as options.
OPTIONS = {
    "assurance": "--assurance",
    "confidence_level": "--confidence-level",
    "half_width": "--half-width",
    "largest": "--largest",
    "n_items": "--items",
    "n_resamples": "--resamples",
    "n_trials": "--trials",
    "not_worse_by": "--not-worse-by",
    "p_h1": "--p-h1",
    "target_accept": "--target-accept",
}


class Parser(argparse.ArgumentParser):
    """A parser that raises a ValueError of one sentence where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and which option was probably meant."""
        raise ValueError(f"{message.removeprefix('argument ')}; see {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse knows nothing of locales without letters, and is silent where nothing can be written.
        write(message.rstrip("\n"))

    def check_known(self, extras: Sequence[str]) -> None:
        """Say which option was probably meant where some of the arguments are none."""
        if not extras:
            return
        option = next((text for text in extras if text.startswith("-")), None)
        if option is None:
            self.error(
                f"unrecognized arguments: {' '.join(extras)}; files stand together, with no option between"
            )
        name = option.partition("=")[0]
        known = {known.lstrip("-"): known for known in self._option_string_actions}
        close = difflib.get_close_matches(name.lstrip("-"), known, n=1, cutoff=0.7)
        self.error(f"unknown option {name}" + (f"; did you mean {known[close[0]]}?" if close else ""))


# What argparse takes for an option, by its names, such as "--metric --metrics".
Options: TypeAlias = Mapping[str, dict[str, Any]]


def new_parser(version: str, commands: Iterable[ModuleType]) -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of the program, and those of its commands.

    Options of a command stand under their headings, those under no heading beside ``--help``. The formats of this
    moment stand for ``{formats}`` in what is said of an option.
    """
    *others, last = (name for name in FORMATS if name != DEFAULT)
    formats = f"{DEFAULT} (default), {', '.join(others)} or {last}"
    shared: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    purpose = "Is model B better than model A, how sure are we, and by how much?"
    program = Parser(prog="bayesf1", description=purpose, **shared)
    program.add_argument("--version", action="version", version=f"bayesf1 {version}")
    parsers = program.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in commands:
        parser = parsers.add_parser(
            command.__name__.rpartition(".")[2],
            help=command.ABOUT,
            description=f"{capitalised(command.ABOUT)}.",
            epilog=f"example:\n{indent(command.EXAMPLE, '  ')}",
            **shared,
        )
        parser.set_defaults(run=command.run)
        for title, options in command.GROUPS.items():
            group = parser.add_argument_group(title) if title else parser
            for names, settings in options.items():
                about = settings["help"].format(formats=formats)
                group.add_argument(*names.split(), **{**settings, "help": about})
    return program, dict(parsers.choices)


# ---- values -----------------------------------------------------------------------------------------------


def read_number(text: str) -> float:
    """Read a finite number in plain decimal digits."""
    from bayesf1.base.text_files import read_number

    value = read_number(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 0.01")
    return value


def read_whole(text: str) -> int:
    """Read a whole number that is not negative."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number such as 1000")
    return int(text)


def read_rope(text: str) -> float | tuple[float, float]:
    """Read a half-width, or two numbers separated by a comma.

    Examples
    --------
    >>> read_rope("0.01"), read_rope("-0.005,0.01")
    (0.01, (-0.005, 0.01))
    """
    low, comma, high = text.partition(",")
    return (read_number(low), read_number(high)) if comma else read_number(text)


def joined_values(argv: Sequence[str]) -> list[str]:
    """Return arguments with the value of ``--rope`` joined to it, as one that begins with a minus looks like an option.

    Examples
    --------
    >>> joined_values(["compare", "--rope", "-0.005,0.01"])
    ['compare', '--rope=-0.005,0.01']
    """
    found: list[str] = []
    for text in argv:
        if found and found[-1] == "--rope" and re.match(r"-[\d.]", text):
            found[-1] += f"={text}"
        else:
            found.append(text)
    return found


def read_names(text: str) -> list[str]:
    """Read names separated by commas, but for those in brackets.

    Examples
    --------
    >>> read_names("f1, recall[a,b]"), read_names("AP(rel=2,judged=1)@5,RR")
    (['f1', 'recall[a,b]'], ['AP(rel=2,judged=1)@5', 'RR'])
    """
    return [name.strip() for name in re.split(r",(?![^\[]*\])(?![^(]*\))", text)]


def read_format(text: str) -> str:
    """Read the name of a format."""
    if text not in FORMATS:
        raise argparse.ArgumentTypeError(f"unknown format {text!r}; {nearest(text, FORMATS)}")
    return text


# ---- kinds of options -------------------------------------------------------------------------------------


def word(about: str, metavar: str = "NAME") -> dict[str, Any]:
    """Return an option that takes a name."""
    return {"metavar": metavar, "help": about}


def names(about: str, **more: Any) -> dict[str, Any]:
    """Return an option that takes names separated by commas."""
    return {"type": read_names, "metavar": "NAMES", "help": about, **more}


def number(about: str) -> dict[str, Any]:
    """Return an option that takes a number."""
    return {"type": read_number, "metavar": "X", "help": about}


def whole(about: str, **more: Any) -> dict[str, Any]:
    """Return an option that takes a whole number."""
    return {"type": read_whole, "metavar": "N", "help": about, **more}


def two(about: str) -> dict[str, Any]:
    """Return an option that takes the names of two models."""
    return {"nargs": 2, "metavar": ("A", "B"), "help": about}


def figure(what: str) -> Options:
    """Return the option that draws a figure."""
    return {"--plot": word(f"draw {what} into this file: .pdf, .svg, .png or .pgf", "FILE")}


# ---- options that commands share --------------------------------------------------------------------------


METRIC: Options = {"--metric --metrics": word("the measure (default: f1)")}
PRIOR: Options = {"--prior": number("parameter of the Dirichlet prior (default: 1)")}
CONFIDENCE_LEVEL: Options = {"--confidence-level": number("confidence level of intervals (default: 0.95)")}
RNG: Options = {
    "--rng": whole("seed of the random numbers (default: 0, so that two runs print the same digits)")
}
REPORT: Options = {"--report": word("write a page with verdict, tables and figures: .html", "FILE")}
BEST_TWO: Options = {"--models": two("which two models (default: the best two)")}


COMPARISON: Mapping[str, Options] = {
    "comparison": {
        "--models": two("which two models (default: all pairs in the file)"),
        "--metrics --metric": names(
            "measures separated by commas, such as f1,f0.5,mcc, or with several classes macro_f1,f1[PER] "
            "(default: precision,recall,f1)",
            dest="metrics",
        ),
        "--per-class": {
            "action": "store_true",
            "help": "compare class by class, or type by type, on the first measure (default: f1)",
        },
        "--method": word("auto (default), exact or montecarlo"),
    }
}
GATE: Mapping[str, Options] = {
    "gate": {
        "--fail-unless": {
            "action": "append",
            "metavar": "CONDITION",
            "help": "exit with 1 unless this holds, such as 'f1: B not worse by 0.005' or 'f1: P(B better) >= 0.9'; may be "
            "given several times; --format junit or github reports failures to a build, --format json adds them to the "
            "comparisons, and --quiet prints nothing else",
        },
    }
}
INFERENCE: Mapping[str, Options] = {
    "inference": {
        "--rope": {
            "type": read_rope,
            "metavar": "X",
            "help": "differences too small to matter: a half-width, such as 0.01 for one percentage point, or the lower and "
            "upper bound of B minus A, such as -0.005,0.01 (default: 0)",
        },
        "--prior": number(
            "parameter of the Dirichlet prior: 1 is uniform (default), 0.5 is Jeffreys'; with several classes, "
            "prior items per class (default: 3)"
        ),
        "--prob": number("probability mass of credible intervals (default: 0.95)"),
        "--assumption": word("how to treat the models: auto (default), independent, paired or clustered"),
        "--target": word(
            "what the claim is about: models (the trained ones) or method (the default if there are runs)"
        ),
        "--draws": whole("number of draws, if any are needed", dest="n_draws"),
        **RNG,
    }
}


OUTPUT: Mapping[str, Options] = {
    "output": {
        "--format": {
            "type": read_format,
            **word("{formats}; taken from the ending of --output if not given"),
        },
        "--output": word("write to this file instead of the screen", "FILE"),
        "--quiet": {
            "action": "store_true",
            "help": "print only the result and what fails, no warnings and no progress",
        },
        "--no-color": {"action": "store_true", "help": "plain text even on a terminal"},
    }
}
