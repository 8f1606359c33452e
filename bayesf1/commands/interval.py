"""``bayesf1 interval``: every frequentist interval beside the credible ones."""

from __future__ import annotations

import argparse

import bayesf1 as bf
from bayesf1.commands import input_options, inputs, options, output

ABOUT = "show every confidence interval of a score, or of a difference, beside the credible ones"
EXAMPLE = """\
bayesf1 interval counts.csv --metric f0.5 --confidence-level 0.99
bayesf1 interval gold.conll crf=crf.conll bert=bert.conll --difference crf bert"""
GROUPS = {
    **input_options.inputs(),
    **options.OUTPUT,
    "intervals": {
        "--model": options.word("only this model (default: all in the file)"),
        "--models": options.two("only these two models"),
        "--difference": options.two("intervals of the difference B minus A instead"),
        **options.METRIC,
        **options.CONFIDENCE_LEVEL,
        "--resamples": options.whole("number of bootstrap resamples (default: 9999)", dest="n_resamples"),
        **options.PRIOR,
        "--assumption": options.word(
            "how to treat the units: auto (default), independent, paired or clustered"
        ),
        **options.RNG,
    },
    "": options.figure("the intervals"),
}


def run(args: argparse.Namespace) -> None:
    """Show the intervals of one model, of all, or of a difference."""
    output.check_figure(args)
    asked = [name for name in ("model", "models", "difference") if getattr(args, name) is not None]
    if len(asked) > 1:
        raise ValueError(f"--{asked[0]} and --{asked[1]} ask for two different things; give one")
    ev = inputs.evaluation(args)
    settings = inputs.given(args, "metric", "confidence_level", "n_resamples", "prior", "assumption", "rng")
    if args.difference is not None:
        results = [bf.difference_intervals(ev, *args.difference, **settings)]
    else:
        models = ev.names if args.model is None else (args.model,)
        models = models if args.models is None else args.models
        results = [bf.intervals(ev, model, **settings) for model in models]
    if args.plot is not None and len(results) > 1:
        raise ValueError(
            f"--plot draws the intervals of one model, but there are {len(results)}; choose by --model"
        )
    output.deliver(results, args)
    if args.plot is not None:
        bf.save_plot(bf.plot_intervals(results[0]), args.plot)
