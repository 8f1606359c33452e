"""``bayesf1 rank``: all models on one measure."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from bayesf1.commands.arguments import (
    Commands,
    add_command,
    add_plot,
    bayes_options,
    input_options,
    output_options,
)
from bayesf1.commands.inputs import evaluation, given
from bayesf1.commands.output import as_json, check_figure, deliver, draw, stdout

if TYPE_CHECKING:
    from bayesf1.bayes.ranking import Ranking


def add(commands: Commands) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "rank",
        run,
        about="rank all models: which is best, and which cannot be told from it",
        example="bayesf1 rank gold.conll a=a.conll b=b.conll c=c.conll --rope 0.01",
        parents=[input_options(), bayes_options(), output_options()],
    )
    parser.add_argument("--metric", "--metrics", metavar="NAME", help="the measure to rank by (default: f1)")
    add_plot(parser, "who beats whom, and all ranks,")


def run(args: argparse.Namespace) -> None:
    """Rank all models on one measure."""
    from bayesf1.bayes.ranking import rank

    check_figure(args)
    ev = evaluation(args)
    settings = given(args, "metric", "rope", "prior", "prob", "assumption", "n_draws", "rng")
    ranking = rank(ev, **settings)
    deliver(ranking, args, FORMATTERS, show)
    if args.plot is not None:
        from bayesf1.report.heat_maps import plot_rank

        draw(plot_rank(ranking), args)


def show(ranking: Ranking) -> None:
    """Print a ranking on a terminal."""
    from bayesf1.base import terminal

    title = f"Ranking of {len(ranking.system)} systems by {ranking.attrs['label']}"
    sure = [not bool(tied) for tied in ranking["tied"].values]
    terminal.show(title, ranking.table, [ranking.sentence(), ranking.note()], sure=sure, file=stdout())


def _as_json(ranking: Ranking) -> str:
    from bayesf1.bayes.ranking import as_document

    return as_json(as_document(ranking))


FORMATTERS: dict[str, Callable[[Ranking], str]] = {
    "table": str,
    "json": _as_json,
    "csv": lambda ranking: ranking.numbers.to_csv(),
    "markdown": lambda ranking: ranking.table.to_markdown(),
    "latex": lambda ranking: ranking.table.to_latex(),
}
