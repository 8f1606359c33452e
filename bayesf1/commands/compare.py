"""``bayesf1 compare``: two models, or all pairs of several."""

from __future__ import annotations

import argparse
from typing import Any

import bayesf1 as bf
from bayesf1.commands import inputs, options, output

ABOUT = "compare models: which is better, how sure are we, and by how much"
EXAMPLE = """\
bayesf1 compare folds.csv --cv 3x2 --rope 0.01 --format latex --output table.tex
bayesf1 compare predictions.csv --gold label --group doc_id
bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --by-type --per-class
bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --plot fig.pdf --report report.html"""
GROUPS = {
    **options.inputs(),
    **options.COMPARISON,
    **options.INFERENCE,
    **options.OUTPUT,
    "": {
        **options.figure("the differences"),
        "--report": options.word(
            "write a page with tables, figures and a slider for the ROPE: .html", "FILE"
        ),
    },
}


def _by_class(
    ev: bf.Evaluation, a: str, b: str, args: argparse.Namespace, settings: dict[str, Any]
) -> bf.Comparisons:
    if "method" in settings:
        raise ValueError("--method does not apply to --per-class, which draws; leave it out")
    # Says so where there are no classes.
    inputs.per_class(ev, args.metrics)
    metric = "f1" if args.metrics is None else args.metrics[0]
    return bf.compare_classes(ev, a, b, metric=metric, **settings)


def run(args: argparse.Namespace) -> None:
    """Compare two models, or all pairs of several."""
    output.check_figure(args)
    if args.report is not None and not args.report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {args.report} should end with .html")
    ev = inputs.evaluation(args)
    chosen = inputs.pairs(ev, args)
    if args.plot is not None and len(chosen) > 1:
        raise ValueError(
            f"--plot draws one pair of models, but there are {len(chosen)}; choose by --models A B"
        )
    settings = inputs.given(args, "rope", "prior", "prob", "method", "assumption", "target", "n_draws", "rng")
    if args.per_class:
        results = [_by_class(ev, a, b, args, settings) for a, b in chosen]
    else:
        results = [bf.compare(ev, a, b, metrics=args.metrics, **settings) for a, b in chosen]
    output.deliver(results, args)
    if args.plot is not None:
        draw = bf.plot_classes if args.per_class else bf.plot_difference
        bf.save_plot(draw(results[0]), args.plot)
    if args.report is not None:
        from bayesf1.report.html import write_report

        output.check_not_input(args.report, args)
        write_report(results, args.report, command=args.command_line)
