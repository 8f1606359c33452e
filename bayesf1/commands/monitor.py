"""``bayesf1 monitor``: what may be claimed of two models so far, where one looks again and again."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import bayesf1 as bf
from bayesf1.base.answer import Outcome
from bayesf1.base.errors import located
from bayesf1.base.text_files import decode, write_atomic
from bayesf1.commands import input_options, inputs, options, output

ABOUT = "look after every batch of labels: what may be claimed, however often you look"
EXAMPLE = """\
bayesf1 monitor predictions.csv --gold label --save looks.json
bayesf1 monitor predictions.csv --gold label --previous looks.json --save looks.json --fail-unless-decided"""


def read_largest(text: str) -> float:
    """Read a number, or that there is no bound.

    Examples
    --------
    >>> read_largest("50"), read_largest("inf")
    (50.0, inf)
    """
    return math.inf if text == "inf" else options.read_number(text)


GROUPS = {
    **input_options.inputs(),
    "looks": {
        "--models": options.two("which two models (default: the two in the file)"),
        **options.METRIC,
        "--previous": options.word("the file that --save wrote at the last look", "FILE"),
        "--save": options.word(
            "keep this look and all before it in this file (JSON) for the next look", "FILE"
        ),
        "--rope": options.INFERENCE["inference"]["--rope"],
        **options.CONFIDENCE_LEVEL,
        "--largest": {
            "type": read_largest,
            "metavar": "X",
            "help": "the largest load that a sentence or document can have, fixed in advance; inf sets no bound and bets "
            "softly (default: the largest load so far)",
        },
        "--fail-unless-decided": {
            "action": "store_true",
            "help": "exit with 1 until something may be claimed, so that a loop knows when to stop",
        },
    },
    **options.OUTPUT,
}


class Awaited(bf.Monitor):
    """Looks of which a decision was asked, so that none fails for programs that read outcomes of tests."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """Whether anything may be claimed, and the sentence."""
        return (Outcome("bayesf1", self.title, self.decided, self.sentence()),)


def run(args: argparse.Namespace) -> int:
    """Look, with all looks before; 1 where nothing may be claimed and it was asked for."""
    if args.save is not None:
        output.check_not_input(args.save, args)
        if args.save == args.output:
            raise ValueError(f"--save and --output name one file, {args.save}; give two")
    before = None if args.previous is None else _read(args.previous)
    ev = inputs.evaluation_of_units(args, "monitoring")
    pairs = inputs.pairs(ev, args)
    if len(pairs) > 1:
        raise ValueError(
            f"looks are at one pair of models, but there are {len(pairs)}; choose by --models A B"
        )
    settings = inputs.given(args, "metric", "rope", "confidence_level", "largest")
    state = bf.monitor(ev, *pairs[0], previous=before, **settings)
    if args.save is not None:
        write_atomic(args.save, state.to_json() + "\n")
    if args.fail_unless_decided:
        state = Awaited(**{field.name: getattr(state, field.name) for field in fields(state)})
    output.deliver([state], args)
    return int(args.fail_unless_decided and not state.decided)


def _read(path: str) -> Mapping[str, Any]:
    """Read what an earlier look has written."""
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; leave --previous out at the first look") from None
    text = decode(raw, path, "is not UTF-8")
    with located(path):
        try:
            found = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"not the JSON that --save writes ({error})") from None
        if not isinstance(found, dict) or found.get("format") != bf.Monitor.json_format:
            raise ValueError(
                "there are no looks in it; give what bayesf1 monitor --save, or to_json() of a look, has written"
            )
    return found
