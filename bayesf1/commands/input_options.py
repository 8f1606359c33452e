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
                "help": "one file with all models, or NAME=FILE for each model (or a folder or pattern, if a tool writes "
                "several files); a separate file of gold labels or tags comes first; formats are recognised by content; "
                "- is standard input; a NAME given twice is a method, and its files are its runs",
            },
            "--runs": {
                "action": "store_true",
                "help": "models called bert.1 and bert.2 are runs of one method, bert",
            },
            "--input-format": word(f"format of the files, if it is not recognised: {_known()}"),
        },
        "input: counts (columns model, task, repeat, fold, and tp, fp, fn, tn or gold, predicted, correct)": {
            "--task": word("which task, if the file holds several"),
            "--cv": word(
                "cross-validation: repeats and folds such as 3x2, or folds such as 10 (default: as in the file)",
                metavar="DESIGN",
            ),
            "--discount": {
                "type": read_discount,
                "metavar": "RULE",
                "help": "what correlated folds are worth: wang-li (default for two folds), nadeau-bengio (default for more), "
                "once, wang-2015, a factor, or two correlations RHO1,RHO2",
            },
        },
        "input: tables (CSV, TSV, JSON, JSON lines, Parquet, Arrow; nested fields by dots)": {
            "--gold": word("column of the gold labels", "COLUMN"),
            "--correct": {
                "nargs": "?",
                "const": "",
                "type": read_columns,
                "metavar": "COLUMNS",
                "help": "answers are marked right or wrong (true, false, 1, 0): the models' columns, or the one column of "
                "each model's file (default: every column of such values)",
            },
            "--scores": {
                "nargs": "?",
                "const": "",
                "metavar": "NAME",
                "help": "rows hold scores called NAME, such as NDCG: one column per model, or the column NAME of each file",
            },
            "--columns": names(
                "columns of the models, as COLUMN or NAME=COLUMN (default: every column that can be one)"
            ),
            "--prediction": word(
                "column of predictions, if each model has its own file or its own rows", "COLUMN"
            ),
            "--model-column": word(
                "column with the model's name, if each model has its own rows (default: model)", "COLUMN"
            ),
            "--run-column": word(
                "column with the model's run, such as its seed (default: run, if there is one)", "COLUMN"
            ),
            "--id": word("column that identifies items, used to match rows and files", "COLUMN"),
            "--group": word(
                "column of documents, subjects or speakers, if these were sampled rather than single items",
                "COLUMN",
            ),
            "--positive": word("the label that counts as positive", "LABEL"),
            "--judge": names(
                "columns of judges' labels or scores for every item; gold labels may then be missing (no column: no judge)",
                nargs="?",
                const=[],
            ),
            "--bins": whole("number of bins for a judge's scores"),
            "--audit-probability": word(
                "column with each item's probability of being chosen for labelling", "COLUMN"
            ),
            "--covariates": names(
                "columns of numbers, such as length, in which labelled and unlabelled items should be alike; a note says "
                "if they are not",
                metavar="COLUMNS",
            ),
            "--lower-is-better": {
                "action": "store_true",
                "default": None,
                "help": "lower scores are better, as for WER, a loss or perplexity",
            },
        },
        "input: logs of LLM evaluations (lm-evaluation-harness, Inspect), TREC runs": {
            "--measure": word(
                "which measure, such as acc or nDCG@10; compare takes several, as in nDCG@10,RR"
            ),
            "--filter": word("which filter of answers, if there are several"),
            "--qrels": word("file of relevance judgements", "FILE"),
        },
        "input: tags (CoNLL columns, CoNLL-U, brat)": {
            "--scheme": word("tag scheme: IOB2 (default), IOBES, BILOU, BMES, …"),
            "--mode": word("how to read broken sequences: lenient (default, as conlleval does) or strict"),
            "--types": names("only spans of these types, such as PER,ORG"),
            "--by-type": {
                "action": "store_true",
                "default": None,
                "help": "count each type separately, for macro_f1, f1[PER] and --per-class",
            },
            "--unit": word(
                "unit of sampling: sentence (default) or document; for scores, what a row is called"
            ),
            "--gold-column": {
                **whole("column of gold tags, from 1, or -1 for the last"),
                "type": read_column,
            },
            "--predicted-column": {
                **whole("column of predicted tags (default: the last)"),
                "type": read_column,
            },
            "--field": word(
                "field of CoNLL-U: UPOS (default), XPOS, DEPREL, FEATS, or a key of MISC that holds tags"
            ),
        },
    }


def _known() -> str:
    from bayesf1.reading.known_formats import INPUT_FORMATS

    return listing(fmt.name for fmt in INPUT_FORMATS)
