"""``bayesf1 show``: the verdict of a saved fit, without sampling again."""

from __future__ import annotations

import argparse

from bayesf1.commands import arguments
from bayesf1.commands.hierarchical import deliver_fit


def add(commands: arguments.Commands) -> None:
    """Register the command."""
    parser = arguments.add_command(
        commands,
        "show",
        run,
        about="print the verdict of a saved fit again, without sampling",
        example="bayesf1 show fit.nc --models crf bert",
        parents=[arguments.output_options()],
    )
    parser.add_argument("files", nargs=1, metavar="FILE", help="what bayesf1 hierarchical --save has written")
    parser.add_argument(
        "--models", nargs=2, metavar=("A", "B"), help="which two models (default: the best two)"
    )


def run(args: argparse.Namespace) -> None:
    """Read the fit and print it."""
    from bayesf1.groups.saved import load_fit

    deliver_fit(load_fit(args.files[0]), args)
