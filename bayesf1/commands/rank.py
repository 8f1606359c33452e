"""``bayesf1 rank``: all models on one measure."""

from __future__ import annotations

import argparse

import bayesf1 as bf
from bayesf1.commands import input_options, inputs, options, output

ABOUT = "rank all models: which is best, and which are tied with it"
EXAMPLE = "bayesf1 rank gold.conll a=a.conll b=b.conll c=c.conll --rope 0.01"
GROUPS = {
    **input_options.inputs(),
    **options.INFERENCE,
    **options.OUTPUT,
    "": {
        "--metric --metrics": options.word("the measure to rank by (default: f1)"),
        **options.figure("who beats whom, and all ranks,"),
    },
}


def run(args: argparse.Namespace) -> None:
    """Rank all models on one measure."""
    output.check_figure(args)
    settings = inputs.given(args, "metric", "rope", "prior", "prob", "assumption", "target", "n_draws", "rng")
    ranking = bf.rank(inputs.evaluation(args), **settings)
    output.deliver([ranking], args)
    if args.plot is not None:
        bf.save_plot(bf.plot_rank(ranking), args.plot)
