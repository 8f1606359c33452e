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
from bayesf1.base.naming import nearest

# Arguments that errors name as options.
OPTIONS = {
    "assurance": "--assurance",
    "confidence_level": "--confidence-level",
    "half_width": "--half-width",
    "n_items": "--items",
    "n_resamples": "--resamples",
    "n_trials": "--trials",
    "p_h1": "--p-h1",
    "target_accept": "--target-accept",
}


class Parser(argparse.ArgumentParser):
    """A parser that raises a ValueError of one sentence where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and which option was probably meant."""
        raise ValueError(f"{message.removeprefix('argument ')}; see {self.prog} --help")

    def check_known(self, extras: Sequence[str]) -> None:
        """Say which option was probably meant where some of the arguments are none."""
        if not extras:
            return
        option = next((text for text in extras if text.startswith("-")), None)
        if option is None:
            self.error(f"unrecognized arguments: {' '.join(extras)}")
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
            description=f"{command.ABOUT[0].upper()}{command.ABOUT[1:]}.",
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
    from bayesf1.reading.records import read_number

    value = read_number(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 0.01")
    return value


def read_whole(text: str) -> int:
    """Read a whole number that is not negative."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number such as 1000")
    return int(text)


def read_discount(text: str) -> str | float | tuple[float, ...]:
    """Read a discount: a name, a number, or numbers separated by commas.

    Examples
    --------
    >>> read_discount("once"), read_discount("0.25"), read_discount("0.5,0.25")
    ('once', 0.25, (0.5, 0.25))
    """
    from bayesf1.reading.records import read_number

    numbers = tuple(x for x in map(read_number, text.split(",")) if x is not None)
    if len(numbers) <= text.count(","):
        return text
    return numbers if len(numbers) > 1 else numbers[0]


def read_names(text: str) -> list[str]:
    """Read names separated by commas, but for those in brackets.

    Examples
    --------
    >>> read_names("f1, recall[a,b]")
    ['f1', 'recall[a,b]']
    """
    return [name.strip() for name in re.split(r",(?![^\[]*\])", text)]


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
RNG: Options = {"--rng": whole("start of the random numbers, for the same draws again")}
BEST_TWO: Options = {"--models": two("which two models (default: the best two)")}


def inputs(*, files: str = "+") -> Mapping[str, Options]:
    """Return the options that say what to read; `files` is how many, as argparse writes it."""
    return {
        "input": {
            "files": {
                "nargs": files,
                "metavar": "FILE",
                "help": "one file of counts (CSV or JSON: model[, task][, repeat, fold] and tp, fp, fn[, tn] or gold, "
                "predicted, correct); or one CSV of predictions, with --gold; or a column file of gold tags followed "
                "by NAME=FILE for each model, or NAME=FILE alone where gold and predicted tags end each line; a NAME that "
                "comes again is a method, and its files are its runs",
            },
            "--runs": {
                "action": "store_true",
                "help": "models called bert.1 and bert.2 are runs of one method, bert",
            },
        },
        "input: counts": {
            "--task": word("which task, where the file holds several"),
            "--cv": word(
                "design of the cross-validation, such as 3x2 (default: as in the file)", metavar="Mx2"
            ),
            "--discount": {
                "type": read_discount,
                "metavar": "RULE",
                "help": "what correlated folds are worth: wang-li (default), once, nadeau-bengio, wang-2015, a factor, "
                "or two correlations RHO1,RHO2",
            },
        },
        "input: predictions, one item a row": {
            "--gold": word("column of the gold labels", "COLUMN"),
            "--columns": names("columns of the models' labels (default: all others)"),
            "--group": word("column of the documents, to make them the units", "COLUMN"),
            "--positive": word("the label that counts as positive", "LABEL"),
        },
        "input: scores, one query or document a row": {
            "--scores": {
                "dest": "scored",
                "nargs": "?",
                "const": "",
                "metavar": "NAME",
                "help": "the file holds scores, a column for each model, such as NDCG; --columns and --unit say which; "
                "columns of 0 and 1, or true and false, are items right or wrong",
            },
            "--lower-is-better": {
                "action": "store_true",
                "default": None,
                "help": "the better model has the lower scores, as with WER, a loss or perplexity",
            },
        },
        "input: tags, one token a line": {
            "--scheme": word("tag scheme: IOB2 (default), IOBES, BILOU, BMES, …"),
            "--mode": word("lenient (default, as conlleval) or strict reading of broken sequences"),
            "--types": names("only spans of these types, as PER,ORG"),
            "--by-type": {
                "action": "store_true",
                "default": None,
                "help": "count each type by itself, for macro_f1, f1[PER] and --per-class",
            },
            "--unit": word("sentence (default) or document, by -DOCSTART- lines"),
        },
    }


COMPARISON: Mapping[str, Options] = {
    "comparison": {
        "--models": two("which two models (default: all pairs in the file)"),
        "--metrics --metric": names(
            "measures, separated by commas, such as f1,f0.5,mcc, or with several classes macro_f1, f1[PER] "
            "(default: precision,recall,f1)",
            dest="metrics",
        ),
        "--per-class": {
            "action": "store_true",
            "help": "the first measure (default: f1) of every class or type: where does B gain, and where does it lose",
        },
        "--method": word("auto (default), exact or montecarlo"),
    }
}
INFERENCE: Mapping[str, Options] = {
    "inference": {
        "--rope": number(
            "half-width of practical equivalence, such as 0.01 for one percentage point (default: 0)"
        ),
        "--prior": number(
            "parameter of the Dirichlet prior: 1 is uniform (default), 0.5 is Jeffreys'; of several classes, items a class"
        ),
        "--prob": number("mass of the credible intervals (default: 0.95)"),
        "--assumption": word("auto (default), independent, paired or clustered models"),
        "--target": word(
            "what is claimed of: models, these very ones, or method (default where there are runs)"
        ),
        "--draws": whole("number of draws, where draws are made", dest="n_draws"),
        **RNG,
    }
}


OUTPUT: Mapping[str, Options] = {
    "output": {
        "--format": {"type": read_format, **word("{formats}; by default what the ending of --output says")},
        "--output": word("write to this file instead of the screen", "FILE"),
        "--quiet": {"action": "store_true", "help": "no warnings and no progress, only the result"},
        "--no-color": {"action": "store_true", "help": "plain text, also on a terminal"},
    }
}
