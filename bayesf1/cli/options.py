"""The options of the command line by their headings, and how their values are read."""

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
# A Python argument as written in messages.
_ARGUMENT = re.compile(r"\b(?P<name>[a-z]+(?:_[a-z]+)*)=(?:'(?P<one>[^']*)'|\[(?P<several>[^]]*)\]|True\b)?")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help whose first line names only the files, as options are explained below."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        """Add the first line."""
        files = [action for action in actions if not action.option_strings]
        words = [self._format_args(action, action.metavar) for action in files]
        super().add_usage(" ".join(["%(prog)s [options]", *words]), actions, groups, prefix)


class Parser(argparse.ArgumentParser):
    """A parser that raises a ValueError with one sentence; argparse would print its usage and exit."""

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
        """Refuse an option that is given twice or is unknown, with the name of the option that was probably meant."""
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
        """Return a message in which Python arguments are replaced by the options of this command.

        Examples
        --------
        >>> _, parsers = new_parser("1", {"demo": Command(print, {"": "--model --columns"})})
        >>> parsers["demo"].spoken("say model_column='system', or columns=['a', 'b'], not types=")
        'say --model system, or --columns a,b, not types='
        >>> parsers["demo"].spoken("'method' names what is compared: say model='method'")
        "'method' names what is compared: say --model method"
        >>> parsers["demo"].spoken("say model='the model'")
        "say --model 'the model'"
        >>> parsers["demo"].spoken("choose one of each (as ev.select(['bert.1', …]))")
        'choose one of each (as --columns bert.1,…)'
        """
        message = re.sub(r"ev\.select\((\[.*?\])\)", r"columns=\1", message.replace("ev.with_runs", "runs="))
        known = {action.dest: action.option_strings[0] for action in self._actions if action.option_strings}
        if "model_column" in known:
            known["model"] = known["model_column"]
        if "id" in known:
            known["item"] = known["id"]
        known |= {"gold_file": "a first FILE, without a name", "labels": "from_labels in Python"}

        def renamed(argument: re.Match[str]) -> str:
            name = argument["name"]
            if name not in known:
                return argument[0]
            if argument["one"] is not None:
                value = argument["one"]
                if " " in value:
                    value = f"'{value}'"
                return f"{known[name]} {value}".rstrip()
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
        The names of options by their heading; those without a heading are listed beside ``--help``.
    other
        Settings of some options that differ from the usual ones.
    """

    run: Callable[[argparse.Namespace], int | None]
    groups: Mapping[str, str]
    other: Options = MappingProxyType({})


def new_parser(version: str, commands: Mapping[str, Command]) -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of the program, and those of its commands, which are described by their docstrings."""
    shared: Any = {"formatter_class": _HelpFormatter, "allow_abbrev": False}
    purpose = "Is model B better than model A, how sure are we, and by how much?"
    program = Parser(prog="bayesf1", description=purpose, **shared)
    program.add_argument("--version", action="version", version=f"bayesf1 {version}")
    parsers = program.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="bayesf1")
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
    """Read names separated by commas; commas inside brackets do not separate.

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
    "what does a row of your table stand for? (name the columns that say so; usual names are recognised)": {
        "--model --model-column": column(
            "the model, if each has its own rows (usual name: model)", dest="model_column"
        ),
        "--item --id": column(
            "the text, question or other item, which pairs the models (usual names: id, item, question_id)",
            dest="id",
        ),
        "--group": column("the document, subject or speaker of an item, if these were sampled"),
        "--generation": column(
            "the same model answered the same item again (usual names: epoch, generation, attempt)"
        ),
        "--prompt": column(
            "the same item was asked in other words, and scores are averaged (usual names: prompt, template)"
        ),
        "--run": column("the model was trained again (usual names: run, seed)"),
        "--fold": column("the test fold of a cross-validation (usual names: fold, cv_fold)"),
        "--repeat": column("the repeat of a cross-validation (usual names: repeat, rep)"),
        "--corpus": column(
            "the data set, task or language, if these were sampled (usual names: dataset, corpus, task)"
        ),
    },
    "tables of labels, answers or scores (CSV, TSV, JSON, JSON lines, Parquet, Arrow; fields within fields by dots)": {
        "--gold": column("the column of gold labels"),
        "--correct": option(
            "the columns that say whether an answer is right: true, false, 1 or 0 (default: all columns of such values)",
            metavar="COLUMNS",
            nargs="?",
            const="",
            type=read_columns,
        ),
        "--scores": option(
            "the name of the scores, such as NDCG; also their column, if each model has its own file or rows",
            nargs="?",
            const="",
        ),
        "--columns": names(
            "the columns of the models, as COLUMN or NAME=COLUMN (default: all columns that can be)"
        ),
        "--prediction": column("the column of predictions, if each model has its own file or rows"),
        "--positive": option("the label that counts as positive", "LABEL"),
        "--judge": column(
            "the column of a judge's labels or scores; some gold labels may then be missing (no COLUMN: no judge)",
            nargs="?",
            const=[],
        ),
        "--lower-is-better": flag(
            "lower scores are better, as for WER, losses and perplexities", default=None
        ),
    },
    "tables of counts (columns model, task, repeat, fold, and tp, fp, fn, tn or gold, predicted, correct)": {
        "--task": option("the task to read, if a file holds several"),
        "--cv": option(
            "the cross-validation: 10 (folds), 3x10 (repeats and folds), blocked-3x2 or random-3x2 (default: as in the file)",
            "DESIGN",
        ),
    },
    "logs of LLM evaluations (lm-evaluation-harness, Inspect), TREC runs, translations, transcripts": {
        "--measure": option(
            "the metric, such as acc, nDCG@10, bleu or wer; compare takes several, as bleu,chrf"
        ),
        "--filter": option("the filter of answers, if a log has several"),
        "--qrels": file("the file of relevance judgements"),
    },
    "tags (CoNLL columns, CoNLL-U, brat)": {
        "--scheme": option("the tag scheme: IOB2 (default), IOBES, BILOU, BMES, …"),
        "--by-type": flag(
            "count each type of span separately, for macro_f1, f1[PER] and --per-class", default=None
        ),
        "--unit": option(
            "the unit of sampling: sentence (default) or document; for scores, the name of a row"
        ),
    },
}
# All other options; each command lists those that it takes.
OPTIONS: Options = {
    "files": file(
        "one file with all models; or NAME=FILE for each model, after the file of gold labels or tags if these have their "
        "own; a NAME given twice is a method, whose files are its runs; - is standard input; formats are recognised",
        nargs="+",
    ),
    "--runs": flag("treat models called bert.1 and bert.2 as runs of one method, bert", default=None),
    "--only": option("look at this model alone"),
    "--models": two("the two models to compare (default: all pairs; with several corpora, the best two)"),
    "--metric --metrics": option("the metric (default: the main one of the data, such as f1)"),
    "--metrics --metric": names(
        "the metrics, such as f1,f0.5,mcc or macro_f1,f1[PER] (default: those of the data, such as precision,recall,f1)"
    ),
    "--per-class": flag("compare class by class, or type by type, by the first metric (default: f1)"),
    "--fail-unless": option(
        "exit with code 1 unless B is better, not-worse or equivalent (the last two need --rope): by every metric in "
        "--metrics, or else by the main one",
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
        "parameter of the Dirichlet prior: 0.5 is Jeffreys' (default), 1 is uniform (default for folds); with several "
        "classes, the number of prior items per class (default: 1)"
    ),
    "--prob": number("probability of credible intervals (default: 0.95)"),
    "--target": option("what the claim is about: models, method (default if there are runs), or corpora"),
    "--rng": whole("seed of the random numbers (default: 0, so that two runs print the same digits)"),
    "--confidence-level": number("confidence level of intervals (default: 0.95)"),
    "--resamples": whole("number of bootstrap resamples (default: 9999)", dest="n_resamples"),
    "--alternative": option("two-sided (default), greater (B is better than A) or less"),
    "--trials": whole(
        "number of random trials, if there are too many swaps to try them all (default: 10000)",
        dest="n_trials",
    ),
    "--half-width": number("plan an interval of ±X, such as 0.02 for ±2 points"),
    "--difference": number(
        "plan a decision between models that differ by X (default: show what FILE can decide)"
    ),
    "--not-worse-by": number(
        "plan to show that a model is not worse by more than X, if the models differ by --difference"
    ),
    "--assurance": number("probability of reaching the decision (default: 0.8)"),
    "--prevalence": number("share of positive items"),
    "--agreement": number("share of items on which both models agree"),
    "--f1": number("assumed F1 of the models"),
    "--precision": number("assumed precision of the models"),
    "--recall": number("assumed recall of the models"),
    "--n-items": whole("number of items in the test set"),
    "--budget": whole("number of items to label (default: 200)"),
    "--previous": file("the file that --save wrote at the previous look"),
    "--save": file("write this look as JSON, for --previous at the next one"),
    "--largest": number(
        "the most spans (gold and predicted together) or items that a sentence or document can have, known in advance"
    ),
    "--fail-unless-decided": flag("exit with code 1 until a claim is justified"),
    "--likelihood": option(
        "scores (default) models the scores; multinomial models the counts and needs PyMC"
    ),
    "--draws": whole("number of posterior draws"),
    "--format": option("%(choices)s (default: by the ending of --output, else a table)", choices=FORMATS),
    "--output": file("write to this file instead of the screen"),
    "--verbose": flag("also print how the answer was computed: prior, draws, seed and thresholds"),
    "--plot": file("draw the answer into this file: .pdf, .svg or .png"),
    "--report": file("write a page with the verdict, tables and figures: .html"),
}

# The names of an option and its settings, by the first of its names.
ALL: Mapping[str, tuple[list[str], dict[str, Any]]] = {
    names.split()[0]: (names.split(), settings)
    for options in (*READING.values(), OPTIONS)
    for names, settings in options.items()
}
READ = tuple(dest(names.split()[0]) for options in READING.values() for names in options)
