"""What the command line takes to read files: the options of `bf.read`, by what files hold."""

from __future__ import annotations

from collections.abc import Mapping

from bayesf1.base.naming import listing
from bayesf1.commands.options import OPTIONS, Options, names, read_names, read_whole, whole, word

# Options of `bf.read`, called on the command line as they are there.
READ = (
    *("gold", "prediction", "columns", "model_column", "run_column", "id", "group", "positive"),
    *("judge", "bins", "audit_probability", "covariates", "correct", "scores", "lower_is_better", "unit"),
    *("measure", "filter", "qrels", "task", "cv", "discount", "scheme", "mode", "types", "by_type"),
    *("gold_column", "predicted_column", "field"),
)
OPTIONS |= {name: f"--{name.replace('_', '-')}" for name in (*READ, "input_format")}


def read_discount(text: str) -> str | float | tuple[float, ...]:
    """Read a discount: a name, a number, or numbers separated by commas.

    Examples
    --------
    >>> read_discount("once"), read_discount("0.25"), read_discount("0.5,0.25")
    ('once', 0.25, (0.5, 0.25))
    """
    from bayesf1.base.text_files import read_number

    numbers = tuple(x for x in map(read_number, text.split(",")) if x is not None)
    if len(numbers) <= text.count(","):
        return text
    return numbers if len(numbers) > 1 else numbers[0]


def read_columns(text: str) -> str | list[str]:
    """Read the name of a column, or several separated by commas."""
    found = read_names(text)
    return found if len(found) > 1 else text


def read_column(text: str) -> int:
    """Read the number of a column, from 1, or from -1 at the end."""
    return -read_whole(text[1:]) if text.startswith("-") else read_whole(text)


def inputs(*, files: str = "+") -> Mapping[str, Options]:
    """Return the options that say what to read; `files` is how many, as argparse writes it."""
    return {
        "input": {
            "files": {
                "nargs": files,
                "metavar": "FILE",
                "help": "one file that holds all models, or NAME=FILE for each (a file, or a folder or pattern where a tool "
                "writes several), after the file of gold labels or tags where that is one by itself; what a file is, its "
                "content says; - is standard input; a NAME that comes again is a method, and its files are its runs",
            },
            "--runs": {
                "action": "store_true",
                "help": "models called bert.1 and bert.2 are runs of one method, bert",
            },
            "--input-format": word(f"what the files are, where their content leaves a doubt: {_known()}"),
        },
        "input: counts (model, task, repeat, fold, and tp, fp, fn, tn or gold, predicted, correct)": {
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
        "input: tables (CSV, TSV, JSON, JSON lines, Parquet, Arrow; nested fields by dots)": {
            "--gold": word("column of the gold labels", "COLUMN"),
            "--correct": {
                "nargs": "?",
                "const": "",
                "type": read_columns,
                "metavar": "COLUMNS",
                "help": "answers are right or wrong (true, false, 1, 0): in these columns, one a model, or in this one "
                "of each model's file (default: all columns of such)",
            },
            "--scores": {
                "nargs": "?",
                "const": "",
                "metavar": "NAME",
                "help": "rows have scores, such as NDCG: a column for each model, or in each model's file the column NAME",
            },
            "--columns": names("columns of the models, as label or name=label (default: all that can be)"),
            "--prediction": word("column of what each model's file, or each row's model, predicts", "COLUMN"),
            "--model-column": word("column that names the model, where each has rows of its own", "COLUMN"),
            "--run-column": word("column that names the run of the model", "COLUMN"),
            "--id": word("column that tells items apart, to match rows and files by", "COLUMN"),
            "--group": word("column of documents, subjects or speakers, to make them the units", "COLUMN"),
            "--positive": word("the label that counts as positive", "LABEL"),
            "--judge": names(
                "columns of what judges say of every item; gold labels may then be missing (none: only models say something)",
                nargs="?",
                const=[],
            ),
            "--bins": whole("into how many bins a judge's scores are put"),
            "--audit-probability": word("column of how probable it was that an item be labelled", "COLUMN"),
            "--covariates": names(
                "columns of numbers, such as length, in which labelled items should be like the others of which the same "
                "was said; a note says where they are not",
                metavar="COLUMNS",
            ),
            "--lower-is-better": {
                "action": "store_true",
                "default": None,
                "help": "the better model has the lower scores, as with WER, a loss or perplexity",
            },
        },
        "input: logs of harnesses (lm-evaluation-harness, Inspect), TREC runs": {
            "--measure": word("which measure, such as acc or nDCG@10; to compare, several: nDCG@10,RR"),
            "--filter": word("which filter of answers, where there are several"),
            "--qrels": word("file of relevance judgements", "FILE"),
        },
        "input: tags (CoNLL columns, CoNLL-U, brat)": {
            "--scheme": word("tag scheme: IOB2 (default), IOBES, BILOU, BMES, …"),
            "--mode": word("lenient (default, as conlleval) or strict reading of broken sequences"),
            "--types": names("only spans of these types, as PER,ORG"),
            "--by-type": {
                "action": "store_true",
                "default": None,
                "help": "count each type by itself, for macro_f1, f1[PER] and --per-class",
            },
            "--unit": word("sentence (default) or document; for scores, what a row is called"),
            "--gold-column": {
                **whole("column of gold tags, from 1, or -1 for the last"),
                "type": read_column,
            },
            "--predicted-column": {
                **whole("column of predicted tags (default: the last)"),
                "type": read_column,
            },
            "--field": word(
                "of CoNLL-U: UPOS (default), XPOS, DEPREL, FEATS, or a key of MISC that holds tags"
            ),
        },
    }


def _known() -> str:
    from bayesf1.reading.known_formats import INPUT_FORMATS

    return listing(fmt.name for fmt in INPUT_FORMATS)
