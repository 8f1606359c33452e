"""``bayesf1 rank``: all models on one measure."""

from __future__ import annotations

import argparse

from bayesf1.commands import inputs, options, output


def add(commands: options.Commands) -> None:
    """Register the command."""
    options.add_command(
        commands,
        "rank",
        run,
        about="rank all models: which is best, and which cannot be told from it",
        example="bayesf1 rank gold.conll a=a.conll b=b.conll c=c.conll --rope 0.01",
        groups={
            **options.inputs(),
            **options.INFERENCE,
            **options.output(),
            "": {
                "--metric --metrics": options.word("the measure to rank by (default: f1)"),
                **options.figure("who beats whom, and all ranks,"),
            },
        },
    )


def run(args: argparse.Namespace) -> None:
    """Rank all models on one measure."""
    from bayesf1.bayes.ranking import rank

    output.check_figure(args)
    ev = inputs.evaluation(args)
    settings = inputs.given(args, "metric", "rope", "prior", "prob", "assumption", "n_draws", "rng")
    ranking = rank(ev, **settings)
    output.deliver([ranking], args)
    if args.plot is not None:
        from bayesf1.report.heat_maps import plot_rank

        output.draw(plot_rank(ranking), args)
