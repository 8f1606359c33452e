"""The options of the command line, by the headings they stand under, and how their values are read."""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias

from bayesf1.base import text_files
from bayesf1.cli.output import write
from bayesf1.output.answer import FORMATS

# Settings of options for argparse, by their names, such as "--metrics --metric".
Options: TypeAlias = Mapping[str, dict[str, Any]]
# An argument of Python as messages write it.
_ARGUMENT = re.compile(r"\b(?P<name>[a-z]+(?:_[a-z]+)*)=(?:'(?P<one>[^']*)'|\[(?P<several>[^]]*)\]|True\b)?")


class Parser(argparse.ArgumentParser):
    """A parser that raises a ValueError of one sentence where argparse would print its usage and exit."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # "-0.005,0.01" is a value of --rope and no option.
        self._negative_number_matcher = re.compile(r"^-[\d.]")

    def error(self, message: str) -> NoReturn:
        """Raise a ValueError about the arguments that points to the help."""
        see = " See" if message.endswith("?") else "; see"
        raise ValueError(f"{message.removeprefix('argument ')}{see} {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse ignores the locale's encoding, and is silent if nothing can be written.
        write(message.rstrip("\n"))

    def check_known(self, extras: Sequence[str], argv: Sequence[str]) -> None:
        """Refuse an option that is given twice or is unknown, and say which option was probably meant."""
        options = self._option_string_actions
        given = []
        for text in argv:
            name = text.partition("=")[0]
            if name in options:
                given.append(options[name].dest)
        for name in given:
            if given.count(name) > 1:
                self.error(f"--{name.replace('_', '-')} is given twice; give it once")
        if not extras:
            return
        option = next((text for text in extras if text.startswith("-")), None)
        if option is None:
            self.error(
                f"unrecognized arguments: {' '.join(extras)}; give all files in a row, with no option between them"
            )
        name = option.partition("=")[0]
        known = {known.lstrip("-"): known for known in self._option_string_actions}
        close = difflib.get_close_matches(name.lstrip("-"), known, n=1, cutoff=0.7)
        self.error(f"unknown option {name}" + (f"; did you mean {known[close[0]]}?" if close else ""))

    def spoken(self, message: str) -> str:
        """Return a message about arguments of Python with the options of this command in their place.

        Examples
        --------
        >>> _, parsers = new_parser("1", {"demo": Command(print, {"": "--model --columns"})})
        >>> parsers["demo"].spoken("say model_column='system', or columns=['a', 'b'], not types=")
        'say --model system, or --columns a,b, not types='
        >>> parsers["demo"].spoken("choose one of each (as ev.select(['bert.1', …]))")
        'choose one of each (as --columns bert.1,…)'
        """
        message = re.sub(r"ev\.select\((\[.*?\])\)", r"columns=\1", message.replace("ev.with_runs", "runs="))
        known = {action.dest: action.option_strings[0] for action in self._actions if action.option_strings}
        known |= {"gold_file": "a first FILE, without a name", "labels": "from_labels in Python"}

        def renamed(argument: re.Match[str]) -> str:
            name = argument["name"]
            if name not in known:
                return argument[0]
            if argument["one"] is not None:
                return f"{known[name]} {argument['one']}".rstrip()
            if argument["several"] is not None:
                values = argument["several"].replace("'", "").replace(", ", ",")
                return f"{known[name]} {values}".rstrip()
            return known[name]

        return _ARGUMENT.sub(renamed, message)


class Command(NamedTuple):
    """A function that takes the arguments and may return an exit code, and the options that it takes.

    Attributes
    ----------
    run
        The function.
    groups
        The names of options by their heading; under no heading, those that stand beside ``--help``.
    other
        Settings of some options that differ from the usual ones.
    """

    run: Callable[[argparse.Namespace], int | None]
    groups: Mapping[str, str]
    other: Options = MappingProxyType({})


def new_parser(version: str, commands: Mapping[str, Command]) -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of the program, and those of its commands, which are described by their docstrings."""
    shared: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    purpose = "Is model B better than model A, how sure are we, and by how much?"
    program = Parser(prog="bayesf1", description=purpose, **shared)
    program.add_argument("--version", action="version", version=f"bayesf1 {version}")
    parsers = program.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in commands.items():
        about, _, more = inspect.cleandoc(str(command.run.__doc__)).partition("\n\n")
        parser = parsers.add_parser(
            name, help=about.rstrip("."), description=about, epilog=more.replace("::\n\n", ":\n"), **shared
        )
        parser.set_defaults(does=command.run, parser=parser)
        for heading, listed in command.groups.items():
            group = parser.add_argument_group(heading) if heading else parser
            for each in listed.split():
                flags, settings = ALL[each]
                group.add_argument(*flags, **{**settings, **command.other.get(each, {})})
    return program, dict(parsers.choices)


def dest(name: str) -> str:
    """Return the name of an option's value, by the first of its names.

    Examples
    --------
    >>> dest("--model"), dest("--half-width")
    ('model_column', 'half_width')
    """
    return str(ALL[name][1].get("dest", name.lstrip("-").replace("-", "_")))


# ---- values -----------------------------------------------------------------------------------------------


def read_number(text: str) -> float:
    """Read a finite number in plain decimal digits."""
    value = text_files.read_number(text)
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
    if comma:
        return read_number(low), read_number(high)
    return read_number(text)


def read_names(text: str) -> list[str]:
    """Read names separated by commas, but for those in brackets.

    Examples
    --------
    >>> read_names("f1, recall[a,b]"), read_names("AP(rel=2,judged=1)@5,RR")
    (['f1', 'recall[a,b]'], ['AP(rel=2,judged=1)@5', 'RR'])
    """
    return [name.strip() for name in re.split(r",(?![^\[]*\])(?![^(]*\))", text)]


def read_columns(text: str) -> str | list[str]:
    """Read the name of a column, or several separated by commas."""
    columns = read_names(text)
    return columns if len(columns) > 1 else text


# ---- options ----------------------------------------------------------------------------------------------


def option(about: str, metavar: str | tuple[str, ...] = "NAME", **more: Any) -> dict[str, Any]:
    """Return the settings of an option with a value."""
    return {"metavar": metavar, "help": about, **more}


def flag(about: str, **more: Any) -> dict[str, Any]:
    """Return the settings of an option without a value."""
    return {"action": "store_true", "help": about, **more}


column = partial(option, metavar="COLUMN")
file = partial(option, metavar="FILE")
names = partial(option, metavar="NAMES", type=read_names)
number = partial(option, metavar="X", type=read_number)
whole = partial(option, metavar="N", type=read_whole)
two = partial(option, metavar=("A", "B"), nargs=2)

# The options of `bf.read` by their heading, with the same names as in Python.
READING: Mapping[str, Options] = {
    "input: counts (columns model, task, repeat, fold, and tp, fp, fn, tn or gold, predicted, correct)": {
        "--task": option("which task, if the file holds several"),
        "--cv": option(
            "cross-validation: 10 (folds), 3x10 (repeats and folds), blocked-3x2 or random-3x2 (default: as in the file)",
            "DESIGN",
        ),
    },
    "what does a row of your table stand for? (columns with the usual names are recognised)": {
        "--item --id": column(
            "column that tells items apart, which pairs the models (default: id, item)", dest="id"
        ),
        "--group": column("column of documents, subjects or speakers, if these were sampled, not items"),
        "--generation": column(
            "the same model answered the same item again (default: epoch, generation, sample)"
        ),
        "--prompt": column("the same item was asked in other words, whose mean is compared"),
        "--run": column("the model was trained again (default: run, seed)"),
        "--fold": column("test fold of a cross-validation (default: fold, cv_fold)"),
        "--repeat": column("repeat of a cross-validation (default: repeat)"),
        "--corpus": column(
            "data set, task or language, if these were sampled (default: dataset, corpus, task)"
        ),
        "--model --model-column": column(
            "column of the models' names, if each has its own rows (default: model)", dest="model_column"
        ),
    },
    "input: tables (CSV, TSV, JSON, JSON lines, Parquet, Arrow; nested fields by dots)": {
        "--gold": column("column of the gold labels"),
        "--correct": option(
            "answers are marked right or wrong (true, false, 1, 0) in these columns (default: all of such values)",
            metavar="COLUMNS",
            nargs="?",
            const="",
            type=read_columns,
        ),
        "--scores": option("rows hold scores called NAME, such as NDCG", nargs="?", const=""),
        "--columns": names("columns of the models, as COLUMN or NAME=COLUMN (default: all that can be)"),
        "--prediction": column("column of predictions, if each model has its own file or its own rows"),
        "--positive": option("the label that counts as positive", "LABEL"),
        "--judge": column(
            "column of a judge's labels or scores; gold may then be missing (no column: no judge)",
            nargs="?",
            const=[],
        ),
        "--lower-is-better": flag("lower scores are better, as for WER, a loss or perplexity", default=None),
    },
    "input: logs of LLM evaluations (lm-evaluation-harness, Inspect), TREC runs, translations, transcripts": {
        "--measure": option(
            "which metric, such as acc, nDCG@10, bleu or wer; compare takes several: bleu,chrf"
        ),
        "--filter": option("which filter of answers, if there are several"),
        "--qrels": file("file of relevance judgements"),
    },
    "input: tags (CoNLL columns, CoNLL-U, brat)": {
        "--scheme": option("tag scheme: IOB2 (default), IOBES, BILOU, BMES, …"),
        "--by-type": flag("count each type separately, for macro_f1, f1[PER] and --per-class", default=None),
        "--unit": option("unit of sampling: sentence (default) or document; of scores, what a row is called"),
    },
}
# Every other option; a command says which it takes.
OPTIONS: Options = {
    "files": file(
        "one file with all models, or NAME=FILE for each model, after a separate file of gold labels or tags if there is "
        "one; formats are recognised by content; - is standard input; a NAME given twice is a method, its files are runs",
        nargs="+",
    ),
    "--runs": flag("models called bert.1 and bert.2 are runs of one method, bert", default=None),
    "--only": option("the scores of this model alone"),
    "--models": two("which two models (default: all pairs; of several corpora, the best two)"),
    "--metric --metrics": option("the metric (default: f1)"),
    "--metrics --metric": names(
        "metrics, such as f1,f0.5,mcc or macro_f1,f1[PER] (default: precision,recall,f1)"
    ),
    "--per-class": flag("class by class, or type by type, on the first metric (default: f1)"),
    "--fail-unless": option(
        "exit with 1 unless B is better, not-worse or equivalent (the last two need --rope): on every one of --metrics, "
        "else on f1",
        "CLAIM",
        choices=("better", "not-worse", "equivalent"),
    ),
    "--rope": option(
        "differences too small to matter: a half-width, such as 0.01 for one percentage point, or the lower and upper "
        "bound of B minus A, such as -0.005,0.01 (default: 0)",
        "X",
        type=read_rope,
    ),
    "--prior": number(
        "parameter of the Dirichlet prior: 0.5 is Jeffreys' (default), 1 is uniform (default of folds); with several "
        "classes, prior items per class (default: 1)"
    ),
    "--prob": number("probability of credible intervals (default: 0.95)"),
    "--target": option("what the claim is about: models, method (default if there are runs), or corpora"),
    "--rng": whole("seed of the random numbers (default: 0, so that two runs print the same digits)"),
    "--confidence-level": number("confidence level of intervals (default: 0.95)"),
    "--resamples": whole("number of bootstrap resamples (default: 9999)", dest="n_resamples"),
    "--alternative": option("two-sided (default), greater (B is better than A) or less"),
    "--trials": whole(
        "random trials, if there are too many swaps to count (default: 10000)", dest="n_trials"
    ),
    "--half-width": number("an interval of ±X, such as 0.02 for ±2 points"),
    "--difference": number("a decision between models that differ by X (default: what FILE can decide)"),
    "--not-worse-by": number("show that a model is not worse by more than X, if it differs by --difference"),
    "--assurance": number("probability of reaching the decision (default: 0.8)"),
    "--prevalence": number("share of positive items"),
    "--agreement": number("share of items on which both models agree"),
    "--f1": number("assumed F1 of the models"),
    "--precision": number("assumed precision of the models"),
    "--recall": number("assumed recall of the models"),
    "--n-items": whole("number of items in the test set"),
    "--budget": whole("how many items to label (default: 200)"),
    "--previous": file("the file that --save wrote at the last look"),
    "--save": file(
        "keep this for later: looks as JSON for --previous, a fit as netCDF for bayesf1 show and ArviZ"
    ),
    "--largest": number("the largest load that a sentence or document can have, known before any was seen"),
    "--fail-unless-decided": flag("exit with 1 until something may be claimed"),
    "--likelihood": option("what is modelled: scores (default), or counts by multinomial, which needs PyMC"),
    "--draws": whole("number of draws"),
    "--format": option("%(choices)s; taken from the ending of --output if not given", choices=FORMATS),
    "--output": file("write to this file instead of the screen"),
    "--verbose": flag("also say how the answer was computed: prior, draws, seed, thresholds"),
    "--plot": file("draw the answer into this file: .pdf, .svg or .png"),
    "--report": file("write a page with verdict, tables and figures: .html"),
}

# The names of an option and its settings, by the first of its names.
ALL: Mapping[str, tuple[list[str], dict[str, Any]]] = {
    names.split()[0]: (names.split(), settings)
    for options in (*READING.values(), OPTIONS)
    for names, settings in options.items()
}
READ = tuple(dest(names.split()[0]) for options in READING.values() for names in options)
