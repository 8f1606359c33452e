"""``bayesf1 label``: which items to label next, and what their labels are expected to tell."""

from __future__ import annotations

import argparse
from typing import Any

import bayesf1 as bf
from bayesf1.base.answer import table_of
from bayesf1.base.errors import located
from bayesf1.base.input_files import input_files
from bayesf1.base.naming import listing
from bayesf1.base.number_columns import numbers_in_texts
from bayesf1.base.text_files import write_atomic
from bayesf1.commands import inputs, options, output
from bayesf1.reading.data_table import DataTable
from bayesf1.reading.model_columns import label_columns, named_columns

ABOUT = "choose which items to label next, if few items have gold labels"
EXAMPLE = """\
bayesf1 label predictions.csv --gold label --judge gpt --id doc_id --budget 200 --output to_label.csv
bayesf1 label predictions.csv --gold label --models crf bert --metric precision"""
GROUPS = {
    "input": {
        "files": {
            "nargs": 1,
            "metavar": "FILE",
            "help": "a table of predictions, one row per item; the gold label is empty if an item has none",
        },
        "--gold": options.word("column of the gold labels (default: gold)", "COLUMN"),
        "--judge": options.names("columns of judges' labels or scores, such as gpt,claude"),
        "--bins": options.whole("number of bins for a judge's scores"),
        "--columns": options.names("columns of the models' labels (default: all others)"),
        "--id": options.word("column of the items' ids, by which to name those to label", "COLUMN"),
        "--group": options.word(
            "column of documents, if these were sampled rather than single items", "COLUMN"
        ),
        "--audit-probability": options.word(
            "column with each item's probability of being chosen for labelling", "COLUMN"
        ),
        "--covariates": options.names(
            "columns of numbers, such as length, in which labelled and unlabelled items should be alike",
            metavar="COLUMNS",
        ),
        "--positive": options.word("the label that counts as positive", "LABEL"),
    },
    "plan": {
        "--budget": options.whole("how many items to label (default: 200)"),
        "--models": options.two("which two models (default: the two in the file)"),
        "--model": options.word("plan for this model's score instead of a difference"),
        **options.METRIC,
        "--prob": options.number("probability mass of credible intervals (default: 0.95)"),
        **options.PRIOR,
        **options.RNG,
    },
    "output": {
        "--output": options.word("write the rows to label to this CSV file", "FILE"),
        **{name: how for name, how in options.OUTPUT["output"].items() if name != "--output"},
    },
}


def run(args: argparse.Namespace) -> None:
    """Show the plan, and write the rows to label."""
    if args.model is not None and args.models is not None:
        raise ValueError("--model and --models ask for two different plans; give one")
    with input_files() as take:
        table = DataTable.opened(take(args.files[0]))
        gold, judges, covariates = args.gold, args.judge or [], args.covariates or []
        if gold is None and "gold" not in table.header:
            raise ValueError("--gold names the column of gold labels, empty where an item has none; give it")
        gold = gold or "gold"
        beside = (args.id, args.group, args.audit_probability, *judges, *covariates)
        table.check(gold, *beside)
        given = args.columns
        models = named_columns(given, table, "columns") if given else label_columns(table, gold, beside)
        frame = table.load(table.header, optional=table.header)
    columns: dict[str, Any] = {
        name: [None if value != value else value for value in frame[name].tolist()] for name in frame
    }
    chosen = columns.get(args.audit_probability)
    predictions: dict[str, Any] = {name: columns[column] for name, column in models.items()}
    with located(table.file):
        ev = bf.from_labels(
            columns[gold],
            predictions,
            ids=columns.get(args.id),
            groups=columns.get(args.group),
            judge={name: columns[name] for name in judges},
            audit_probability=chosen if chosen is None else numbers_in_texts(chosen),
            covariates={name: numbers_in_texts(columns[name]) for name in covariates},
            **inputs.given(args, "bins", "positive"),
        )
    if len(models) > 2 and args.model is None and args.models is None:
        raise ValueError(
            f"{table} has {len(models)} models ({listing(models, most=5)}); choose two by --models A B or one by --model A, "
            "or say by --judge which column holds what a judge says of all items"
        )
    asked = (args.model,) if args.model is not None else tuple(args.models or ())
    settings = inputs.given(args, "budget", "metric", "prob", "prior", "rng")
    plan = bf.plan_labels(ev, *asked, **settings)
    if args.output is not None:
        output.check_not_input(args.output, args)
        rows = {name: row for row, name in enumerate(columns.get(args.id, range(len(frame))))}
        records = [
            {
                **({} if args.id else {"row": i + 1}),
                **{name: "" if column[i] is None else column[i] for name, column in columns.items()},
            }
            for i in sorted(rows[item] for item in plan.items.tolist())
        ]
        write_atomic(args.output, table_of(records).to_csv())
    output.deliver([plan], inputs.changed(args, output=None))
