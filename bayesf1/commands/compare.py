"""``bayesf1 compare``: two models, or all pairs of several."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from bayesf1.commands.arguments import (
    Commands,
    add_command,
    add_plot,
    bayes_options,
    compare_options,
    input_options,
    output_options,
)
from bayesf1.commands.inputs import evaluation, given, pairs, per_class
from bayesf1.commands.output import as_json, check_figure, check_not_input, deliver, draw, stdout, write

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparisons

_Results: TypeAlias = "list[Comparisons]"


def add(commands: Commands) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "compare",
        run,
        about="compare models: which is better, how sure are we, and by how much",
        example="bayesf1 compare folds.csv --cv 3x2 --rope 0.01 --format latex --output table.tex\n"
        "  bayesf1 compare predictions.csv --gold label --group doc_id\n"
        "  bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --by-type --per-class\n"
        "  bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --plot fig.pdf --report report.html",
        parents=[input_options(), compare_options(), bayes_options(), output_options()],
    )
    add_plot(parser, "the differences")
    parser.add_argument(
        "--report", metavar="FILE", help="write a page with tables, figures and a slider for the ROPE: .html"
    )


def run(args: argparse.Namespace) -> None:
    """Compare two models, or all pairs of several."""
    from bayesf1.bayes.bayes_test import compare

    check_figure(args)
    if args.report is not None and not args.report.lower().endswith((".html", ".htm")):
        raise ValueError(f"--report writes a page, so {args.report} should end with .html")
    ev = evaluation(args)
    chosen = pairs(ev, args)
    if args.plot is not None and len(chosen) > 1:
        raise ValueError(
            f"--plot draws one pair of models, but there are {len(chosen)}; choose by --models A B"
        )
    settings = given(args, "rope", "prior", "prob", "method", "assumption", "n_draws", "rng")
    metrics = per_class(ev, args.metrics) if args.per_class else args.metrics
    results = [compare(ev, a, b, metrics=metrics, **settings) for a, b in chosen]
    deliver(results, args, FORMATTERS, show)
    if args.plot is not None:
        draw(_figure(results[0], per_class=args.per_class), args)
    if args.report is not None:
        _report(results, args)


def _figure(res: Comparisons, *, per_class: bool) -> Any:
    from bayesf1.report.forests import plot_classes
    from bayesf1.report.plots import plot_difference

    return plot_classes(res) if per_class else plot_difference(res)


def _report(results: _Results, args: argparse.Namespace) -> None:
    from bayesf1.report.html import write_report

    check_not_input(args.report, args)
    write_report(results, args.report, command=args.command_line)


def show(results: _Results) -> None:
    """Print comparisons on a terminal."""
    from bayesf1.base import terminal
    from bayesf1.bayes.verdict import is_decisive, parts

    for i, res in enumerate(results):
        if i:
            write("")
        sure = [is_decisive(c) for c in res.values()]
        terminal.show(*parts(tuple(res.values())), sure=sure, file=stdout())


def _blocks(render: Callable[[Comparisons], str]) -> Callable[[_Results], str]:
    return lambda results: "\n\n".join(render(res) for res in results)


def _as_csv(results: _Results) -> str:
    first, *rest = (res.to_csv() for res in results)
    return "".join([first, *(text.partition("\n")[2] for text in rest)]).rstrip("\n")


def _as_json(results: _Results) -> str:
    return as_json({"format": "bayesf1.pairs/1", "pairs": [res.to_dict() for res in results]})


FORMATTERS: dict[str, Callable[[_Results], str]] = {
    "table": _blocks(str),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _blocks(lambda res: res.to_markdown()),
    "latex": _blocks(lambda res: res.to_latex()),
}
