"""``bayesf1 compare``: two models, or all pairs of several."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayesf1.commands import inputs, options, output

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparisons


def add(commands: options.Commands) -> None:
    """Register the command."""
    options.add_command(
        commands,
        "compare",
        run,
        about="compare models: which is better, how sure are we, and by how much",
        example="bayesf1 compare folds.csv --cv 3x2 --rope 0.01 --format latex --output table.tex\n"
        "  bayesf1 compare predictions.csv --gold label --group doc_id\n"
        "  bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --by-type --per-class\n"
        "  bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --plot fig.pdf --report report.html",
        groups={
            **options.inputs(),
            **options.COMPARISON,
            **options.INFERENCE,
            **options.output(),
            "": {
                **options.figure("the differences"),
                "--report": options.word(
                    "write a page with tables, figures and a slider for the ROPE: .html", "FILE"
                ),
            },
        },
    )


def run(args: argparse.Namespace) -> None:
    """Compare two models, or all pairs of several."""
    from bayesf1.bayes.bayes_test import compare

    output.check_figure(args)
    if args.report is not None and not args.report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {args.report} should end with .html")
    ev = inputs.evaluation(args)
    chosen = inputs.pairs(ev, args)
    if args.plot is not None and len(chosen) > 1:
        raise ValueError(
            f"--plot draws one pair of models, but there are {len(chosen)}; choose by --models A B"
        )
    settings = inputs.given(args, "rope", "prior", "prob", "method", "assumption", "n_draws", "rng")
    metrics = inputs.per_class(ev, args.metrics) if args.per_class else args.metrics
    results = [compare(ev, a, b, metrics=metrics, **settings) for a, b in chosen]
    output.deliver(results, args)
    if args.plot is not None:
        output.draw(_figure(results[0], per_class=args.per_class), args)
    if args.report is not None:
        _report(results, args)


def _figure(res: Comparisons, *, per_class: bool) -> Any:
    from bayesf1.report.forests import plot_classes
    from bayesf1.report.plots import plot_difference

    return plot_classes(res) if per_class else plot_difference(res)


def _report(results: list[Comparisons], args: argparse.Namespace) -> None:
    from bayesf1.report.html import write_report

    output.check_not_input(args.report, args)
    write_report(results, args.report, command=args.command_line)
