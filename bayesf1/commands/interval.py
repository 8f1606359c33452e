"""``bayesf1 interval``: every frequentist interval beside the credible ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from bayesf1.commands.arguments import (
    Commands,
    add_command,
    add_confidence_level,
    add_plot,
    add_rng,
    input_options,
    output_options,
    read_number,
    read_whole,
)
from bayesf1.commands.inputs import evaluation, given
from bayesf1.commands.output import as_csv, as_json, check_figure, deliver, draw, stdout, write

if TYPE_CHECKING:
    from bayesf1.frequentist.interval_table import Intervals

_Results: TypeAlias = "list[Intervals]"


def add(commands: Commands) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "interval",
        run,
        about="show every confidence interval of a score, or of a difference, beside the credible ones",
        example="bayesf1 interval counts.csv --metric f0.5 --confidence-level 0.99\n"
        "  bayesf1 interval gold.conll crf=crf.conll bert=bert.conll --difference crf bert",
        parents=[input_options(), output_options()],
    )
    group = parser.add_argument_group("intervals")
    group.add_argument("--model", metavar="NAME", help="only this model (default: all in the file)")
    group.add_argument(
        "--difference", nargs=2, metavar=("A", "B"), help="intervals of the difference B minus A instead"
    )
    group.add_argument("--metric", "--metrics", metavar="NAME", help="the measure (default: f1)")
    add_confidence_level(group)
    group.add_argument(
        "--resamples",
        type=read_whole,
        dest="n_resamples",
        metavar="N",
        help="how often the bootstrap draws (default: 9999)",
    )
    group.add_argument(
        "--prior", type=read_number, metavar="X", help="parameter of the Dirichlet prior (default: 1)"
    )
    group.add_argument(
        "--assumption", metavar="NAME", help="auto (default), independent, paired or clustered units"
    )
    add_rng(group)
    add_plot(parser, "the intervals")


def run(args: argparse.Namespace) -> None:
    """Show the intervals of one model, of all, or of a difference."""
    from bayesf1.frequentist.intervals import difference_intervals, intervals

    check_figure(args)
    if args.model is not None and args.difference is not None:
        raise ValueError("--model and --difference ask for two different things; give one")
    ev = evaluation(args)
    settings = given(args, "metric", "confidence_level", "n_resamples", "prior", "assumption", "rng")
    if args.difference is not None:
        results = [difference_intervals(ev, *args.difference, **settings)]
    else:
        models = ev.models if args.model is None else (args.model,)
        results = [intervals(ev, model, **settings) for model in models]
    if args.plot is not None and len(results) > 1:
        raise ValueError(
            f"--plot draws the intervals of one model, but there are {len(results)}; choose by --model"
        )
    deliver(results, args, FORMATTERS, show)
    if args.plot is not None:
        from bayesf1.report.forests import plot_intervals

        draw(plot_intervals(results[0]), args)


def show(results: _Results) -> None:
    """Print intervals on a terminal."""
    from bayesf1.base import terminal

    for i, res in enumerate(results):
        if i:
            write("")
        sure = [not (row.overshoot or row.degenerate) for row in res.rows]
        terminal.show(res.title, res.table, res.notes or ("",), sure=sure, file=stdout())


def _as_json(results: _Results) -> str:
    return as_json({"format": "bayesf1.interval/1", "results": [res.to_dict() for res in results]})


def _as_csv(results: _Results) -> str:
    return as_csv(
        [
            {"models": " - ".join(reversed(res.models)), "metric": res.metric, **row}
            for res in results
            for row in res.to_dict()["intervals"]
        ]
    )


def _markdown(res: Intervals) -> str:
    from bayesf1.base.table import escape_markdown

    return f"{escape_markdown(res.title)}\n\n{res.to_markdown()}"


FORMATTERS: dict[str, Callable[[_Results], str]] = {
    "table": lambda results: "\n\n".join(map(str, results)),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": lambda results: "\n\n".join(map(_markdown, results)),
    "latex": lambda results: "\n\n".join(res.to_latex(caption=res.title) for res in results),
}
