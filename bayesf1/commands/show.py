"""``bayesf1 show``: the verdict of a saved fit, without sampling again."""

from __future__ import annotations

import argparse

from bayesf1.commands import options
from bayesf1.commands.hierarchical import deliver_fit


def add(commands: options.Commands) -> None:
    """Register the command."""
    options.add_command(
        commands,
        "show",
        run,
        about="print the verdict of a saved fit again, without sampling",
        example="bayesf1 show fit.nc --models crf bert",
        groups={
            **options.output(),
            "": {
                "files": {"nargs": 1, **options.word("what bayesf1 hierarchical --save has written", "FILE")},
                **options.BEST_TWO,
            },
        },
    )


def run(args: argparse.Namespace) -> None:
    """Read the fit and print it."""
    from bayesf1.groups.saved import load_fit

    deliver_fit(load_fit(args.files[0]), args)
