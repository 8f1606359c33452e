"""What the command line takes: options that commands share, and how their values are read."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from bayesf1.base.formats import DEFAULT, FORMATS
from bayesf1.base.naming import nearest


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


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def new_parser(version: str) -> Parser:
    """Return the parser of the program itself, without its commands."""
    parser = Parser(
        prog="bayesf1",
        description="Is model B better than model A, how sure are we, and by how much?",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bayesf1 {version}")
    return parser


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], None],
    *,
    about: str,
    example: str,
    parents: Sequence[Parser] = (),
) -> Parser:
    """Add a command to the program, with an example at the end of its help."""
    parser = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=f"example:\n  {example}",
        parents=list(parents),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def input_options(*, files: str = "+") -> Parser:
    """Return the options that say what to read; `files` is how many, as argparse writes it."""
    parent = Parser(add_help=False)
    group = parent.add_argument_group("input")
    group.add_argument(
        "files",
        nargs=files,
        metavar="FILE",
        help="one file of counts (CSV or JSON: model[, task][, repeat, fold] and tp, fp, fn[, tn] or gold, "
        "predicted, correct); or one CSV of predictions, with --gold; or a column file of gold tags followed "
        "by NAME=FILE for each model, or NAME=FILE alone where gold and predicted tags end each line",
    )
    group = parent.add_argument_group("input: counts")
    group.add_argument("--task", metavar="NAME", help="which task, where the file holds several")
    group.add_argument(
        "--cv", metavar="Mx2", help="design of the cross-validation, such as 3x2 (default: as in the file)"
    )
    group.add_argument(
        "--discount",
        type=read_discount,
        metavar="RULE",
        help="what correlated folds are worth: wang-li (default), once, nadeau-bengio, wang-2015, a factor, "
        "or two correlations RHO1,RHO2",
    )
    group = parent.add_argument_group("input: predictions, one item a row")
    group.add_argument("--gold", metavar="COLUMN", help="column of the gold labels")
    group.add_argument(
        "--columns",
        type=read_names,
        metavar="NAMES",
        help="columns of the models' labels (default: all others)",
    )
    group.add_argument("--group", metavar="COLUMN", help="column of the documents, to make them the units")
    group.add_argument("--positive", metavar="LABEL", help="the label that counts as positive")
    group = parent.add_argument_group("input: scores, one query or document a row")
    group.add_argument(
        "--scores",
        dest="scored",
        nargs="?",
        const="",
        metavar="NAME",
        help="the file holds scores, a column for each model, such as NDCG; --columns and --unit say which",
    )
    group = parent.add_argument_group("input: tags, one token a line")
    group.add_argument("--scheme", metavar="NAME", help="tag scheme: IOB2 (default), IOBES, BILOU, BMES, …")
    group.add_argument(
        "--mode", metavar="NAME", help="lenient (default, as conlleval) or strict reading of broken sequences"
    )
    group.add_argument(
        "--types", type=read_names, metavar="NAMES", help="only spans of these types, as PER,ORG"
    )
    group.add_argument(
        "--by-type",
        action="store_true",
        default=None,
        help="count each type by itself, for macro_f1, f1[PER] and --per-class",
    )
    group.add_argument("--unit", metavar="NAME", help="sentence (default) or document, by -DOCSTART- lines")
    return parent


def compare_options() -> Parser:
    """Return the options that only a comparison has."""
    parent = Parser(add_help=False)
    group = parent.add_argument_group("comparison")
    group.add_argument(
        "--models", nargs=2, metavar=("A", "B"), help="which two models (default: all pairs in the file)"
    )
    group.add_argument(
        "--metrics",
        "--metric",
        dest="metrics",
        type=read_names,
        metavar="NAMES",
        help="measures, separated by commas, such as f1,f0.5,mcc, or with several classes macro_f1, f1[PER] "
        "(default: precision,recall,f1)",
    )
    group.add_argument(
        "--per-class",
        action="store_true",
        help="the first measure (default: f1) of every class or type: where does B gain, and where does it lose",
    )
    group.add_argument("--method", metavar="NAME", help="auto (default), exact or montecarlo")
    return parent


def bayes_options() -> Parser:
    """Return the options that all Bayesian answers share."""
    parent = Parser(add_help=False)
    group = parent.add_argument_group("inference")
    group.add_argument(
        "--rope",
        type=read_number,
        metavar="X",
        help="half-width of practical equivalence, such as 0.01 for one percentage point (default: 0)",
    )
    group.add_argument(
        "--prior",
        type=read_number,
        metavar="X",
        help="parameter of the Dirichlet prior: 1 is uniform (default), 0.5 is Jeffreys'",
    )
    group.add_argument(
        "--prob", type=read_number, metavar="X", help="mass of the credible intervals (default: 0.95)"
    )
    group.add_argument(
        "--assumption", metavar="NAME", help="auto (default), independent, paired or clustered models"
    )
    group.add_argument(
        "--draws", type=read_whole, dest="n_draws", metavar="N", help="number of draws, where draws are made"
    )
    add_rng(group)
    return parent


def output_options() -> Parser:
    """Return the options that say what to write, and where."""
    parent = Parser(add_help=False)
    group = parent.add_argument_group("output")
    *others, last = (name for name in FORMATS if name != DEFAULT)
    group.add_argument(
        "--format",
        type=read_format,
        metavar="NAME",
        help=f"{DEFAULT} (default), {', '.join(others)} or {last}; by default what the ending of --output says",
    )
    group.add_argument("--output", metavar="FILE", help="write to this file instead of the screen")
    group.add_argument("--quiet", action="store_true", help="no warnings and no progress, only the result")
    group.add_argument("--no-color", action="store_true", help="plain text, also on a terminal")
    return parent


def add_plot(parser: Parser, what: str) -> None:
    """Add the option that draws a figure."""
    parser.add_argument(
        "--plot", metavar="FILE", help=f"draw {what} into this file: .pdf, .svg, .png or .pgf"
    )


def add_confidence_level(group: argparse._ArgumentGroup) -> None:
    """Add the option that all frequentist answers share."""
    group.add_argument(
        "--confidence-level",
        type=read_number,
        metavar="X",
        help="confidence level of intervals (default: 0.95)",
    )


def add_rng(group: argparse._ArgumentGroup) -> None:
    """Add the option that makes random answers repeatable."""
    group.add_argument(
        "--rng", type=read_whole, metavar="N", help="start of the random numbers, for the same draws again"
    )


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
