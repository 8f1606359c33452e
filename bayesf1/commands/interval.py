"""``bayesf1 interval``: every frequentist interval beside the credible ones."""

from __future__ import annotations

import argparse

from bayesf1.commands import inputs, options, output


def add(commands: options.Commands) -> None:
    """Register the command."""
    options.add_command(
        commands,
        "interval",
        run,
        about="show every confidence interval of a score, or of a difference, beside the credible ones",
        example="bayesf1 interval counts.csv --metric f0.5 --confidence-level 0.99\n"
        "  bayesf1 interval gold.conll crf=crf.conll bert=bert.conll --difference crf bert",
        groups={
            **options.inputs(),
            **options.output(),
            "intervals": {
                "--model": options.word("only this model (default: all in the file)"),
                "--difference": options.two("intervals of the difference B minus A instead"),
                **options.METRIC,
                **options.CONFIDENCE_LEVEL,
                "--resamples": options.whole(
                    "how often the bootstrap draws (default: 9999)", dest="n_resamples"
                ),
                **options.PRIOR,
                "--assumption": options.word("auto (default), independent, paired or clustered units"),
                **options.RNG,
            },
            "": options.figure("the intervals"),
        },
    )


def run(args: argparse.Namespace) -> None:
    """Show the intervals of one model, of all, or of a difference."""
    from bayesf1.frequentist.intervals import difference_intervals, intervals

    output.check_figure(args)
    if args.model is not None and args.difference is not None:
        raise ValueError("--model and --difference ask for two different things; give one")
    ev = inputs.evaluation(args)
    settings = inputs.given(args, "metric", "confidence_level", "n_resamples", "prior", "assumption", "rng")
    if args.difference is not None:
        results = [difference_intervals(ev, *args.difference, **settings)]
    else:
        models = ev.models if args.model is None else (args.model,)
        results = [intervals(ev, model, **settings) for model in models]
    if args.plot is not None and len(results) > 1:
        raise ValueError(
            f"--plot draws the intervals of one model, but there are {len(results)}; choose by --model"
        )
    output.deliver(results, args)
    if args.plot is not None:
        from bayesf1.report.forests import plot_intervals

        output.draw(plot_intervals(results[0]), args)
