"""``bayesf1 show``: the verdict of a saved fit, without sampling again."""

from __future__ import annotations

import argparse

import bayesf1 as bf
from bayesf1.commands import options
from bayesf1.commands.hierarchical import deliver_fit

ABOUT = "print the verdict of a saved fit again, without sampling"
EXAMPLE = "bayesf1 show fit.nc --models crf bert"
GROUPS = {
    **options.OUTPUT,
    "": {
        "files": {"nargs": 1, **options.word("a fit that bayesf1 hierarchical --save wrote", "FILE")},
        **options.BEST_TWO,
    },
}


def run(args: argparse.Namespace) -> None:
    """Read the fit and print it."""
    deliver_fit(bf.load_fit(args.files[0]), args)
