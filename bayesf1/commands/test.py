"""``bayesf1 test``: the randomisation test of two models, or of all pairs of several."""

from __future__ import annotations

import argparse

import bayesf1 as bf
from bayesf1.commands import input_options, inputs, options, output

ABOUT = "test by randomisation whether models differ: swap their outputs on whole items or sentences"
EXAMPLE = """\
bayesf1 test predictions.csv --gold label --metrics f1,accuracy
bayesf1 test gold.conll crf=crf.conll bert=bert.conll --trials 100000 --rng 1"""
GROUPS = {
    **input_options.inputs(),
    **options.COMPARISON,
    **options.OUTPUT,
    "randomisation": {
        "--alternative": options.word("two-sided (default), greater (B is better than A) or less"),
        "--trials": options.whole(
            "number of random trials, if there are too many swaps to enumerate (default: 10000)",
            dest="n_trials",
        ),
        **options.CONFIDENCE_LEVEL,
        **options.RNG,
    },
}


def run(args: argparse.Namespace) -> None:
    """Test two models, or all pairs of several, on every measure."""
    from bayesf1.evaluation.scoring import find_measures

    ev = inputs.evaluation_of_units(args, "a randomisation test")
    settings = inputs.given(args, "alternative", "method", "n_trials", "confidence_level", "rng")
    metrics = inputs.per_class(ev, args.metrics) if args.per_class else args.metrics
    tests = [
        bf.randomization_test(ev, a, b, measure, **settings)
        for a, b in inputs.pairs(ev, args)
        for measure in find_measures(metrics, ev)
    ]
    # All of one table are one family: measures, classes and pairs.
    output.deliver(bf.adjust(tests), args)
