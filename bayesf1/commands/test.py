"""``bayesf1 test``: the randomisation test of two models, or of all pairs of several."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from bayesf1.commands.arguments import (
    Commands,
    add_command,
    add_confidence_level,
    add_rng,
    compare_options,
    input_options,
    output_options,
    read_whole,
)
from bayesf1.commands.inputs import evaluation_of_units, given, pairs, per_class
from bayesf1.commands.output import as_csv, as_json, deliver, stdout

if TYPE_CHECKING:
    from bayesf1.frequentist.randomization import RandomizationTest

_Tests: TypeAlias = "list[RandomizationTest]"


def add(commands: Commands) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "test",
        run,
        about="test by randomisation whether models differ: swap their outputs on whole items or sentences",
        example="bayesf1 test predictions.csv --gold label --metrics f1,accuracy\n"
        "  bayesf1 test gold.conll crf=crf.conll bert=bert.conll --trials 100000 --rng 1",
        parents=[input_options(), compare_options(), output_options()],
    )
    group = parser.add_argument_group("randomisation")
    group.add_argument(
        "--alternative", metavar="NAME", help="two-sided (default), greater (B is better than A) or less"
    )
    group.add_argument(
        "--trials",
        type=read_whole,
        dest="n_trials",
        metavar="N",
        help="number of random trials, where there are too many swaps to count (default: 10000)",
    )
    add_confidence_level(group)
    add_rng(group)


def run(args: argparse.Namespace) -> None:
    """Test two models, or all pairs of several, on every measure."""
    from bayesf1.evaluation.scoring import find_measures
    from bayesf1.frequentist.randomization import randomization_test

    ev = evaluation_of_units(args, "a randomisation test")
    settings = given(args, "alternative", "method", "n_trials", "confidence_level", "rng")
    metrics = per_class(ev, args.metrics) if args.per_class else args.metrics
    tests = [
        randomization_test(ev, a, b, measure, **settings)
        for a, b in pairs(ev, args)
        for measure in find_measures(metrics, ev)
    ]
    deliver(tests, args, FORMATTERS, show)


def _texts(tests: _Tests) -> list[str]:
    return [str(test) for test in tests]


def _as_text(tests: _Tests) -> str:
    from bayesf1.frequentist.randomization import table_of_tests

    return "\n".join([table_of_tests(tests).to_text(), "", *_texts(tests)])


def show(tests: _Tests) -> None:
    """Print tests on a terminal."""
    from bayesf1.base import terminal
    from bayesf1.frequentist.randomization import table_of_tests

    sure = [test.p_value < 1.0 - test.confidence_level for test in tests]
    terminal.show("Randomisation test", table_of_tests(tests), _texts(tests), sure=sure, file=stdout())


def _markdown(tests: _Tests) -> str:
    from bayesf1.frequentist.randomization import table_of_tests

    return table_of_tests(tests).to_markdown()


def _latex(tests: _Tests) -> str:
    from bayesf1.frequentist.randomization import table_of_tests

    return table_of_tests(tests).to_latex()


FORMATTERS: dict[str, Callable[[_Tests], str]] = {
    "table": _as_text,
    "json": lambda tests: as_json({"format": "bayesf1.tests/1", "tests": [test.to_dict() for test in tests]}),
    "csv": lambda tests: as_csv([test.to_dict() for test in tests]),
    "markdown": _markdown,
    "latex": _latex,
}
