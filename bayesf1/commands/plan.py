"""``bayesf1 plan``: how many items an interval or a decision takes, and what a test set can decide."""

from __future__ import annotations

import argparse
from typing import Any

import bayesf1 as bf
from bayesf1.commands import input_options, inputs, options, output

_SCORES = ("f1", "precision", "recall")
ABOUT = "plan a test set: how many items you need, or what an existing test set can decide"
EXAMPLE = """\
bayesf1 plan --half-width 0.02 --metric f0.5 --prevalence 0.615
bayesf1 plan --difference 0.02 --prevalence 0.2 --f1 0.8 --agreement 0.95
bayesf1 plan gold.conll crf=crf.conll bert=bert.conll --difference 0.02
bayesf1 plan gold.conll crf=crf.conll bert=bert.conll --not-worse-by 0.005
bayesf1 plan gold.conll crf=crf.conll bert=bert.conll"""
GROUPS = {
    **input_options.inputs(files="*"),
    **options.OUTPUT,
    "what to plan for": {
        "--half-width": options.number("an interval of ±X, such as 0.02 for ±2 points"),
        "--difference": options.number(
            "a decision between models that differ by X (default: say which differences FILE can decide)"
        ),
        "--not-worse-by": options.number(
            "show that a model is not worse by more than X, if the true difference is --difference (default: 0)"
        ),
        **options.METRIC,
        **options.CONFIDENCE_LEVEL,
        "--p-h1": options.number("P(H1) at which a model is called better (default: 0.975, as in compare)"),
        "--assurance": options.number("probability of reaching the decision (default: 0.8)"),
        "--runs-each": options.whole(
            "runs of each method, if FILE has runs (default: as in FILE)", dest="runs_each"
        ),
    },
    "a pilot in FILE": {
        "--model": options.word("the model that an interval is planned for"),
        "--models": options.two("the two models that a decision is planned for"),
    },
    "assumptions instead of a pilot": {
        "--prevalence": options.number("share of positive items"),
        "--agreement": options.number("share of items on which both models agree"),
        **{f"--{name}": options.number(f"assumed {name} of the models") for name in _SCORES},
        "--items": options.whole("number of items in the test set", dest="n_items"),
    },
    "simulation": {
        "--sets": options.whole("simulated test sets (default: 10000)", dest="n_sets"),
        **options.PRIOR,
        **options.RNG,
    },
}


def run(args: argparse.Namespace) -> None:
    """Plan for an interval or for a decision, or say what a test set can decide."""
    if args.half_width is not None and args.difference is not None:
        raise ValueError("--half-width plans an interval and --difference a decision; give one of them")
    found = _for_interval(args) if args.half_width is not None else _for_decision(args)
    output.deliver([found], args)


def _for_interval(args: argparse.Namespace) -> bf.SampleSize:
    _refuse(args, "an interval", "models", "agreement", "n_items", "p_h1", "assurance", "not_worse_by")
    settings = inputs.given(args, "metric", "prevalence", "confidence_level")
    if not args.files:
        _refuse(args, "a plan without a FILE", "model")
        return bf.plan(args.half_width, **(settings | _supposed_scores(args)))
    ev = inputs.evaluation(args)
    if args.model is None and len(ev.models) > 1:
        raise ValueError(
            f"{args.files[0]} has several models ({', '.join(ev.models)}); choose one by --model"
        )
    return bf.plan(args.half_width, pilot=ev, model=args.model, **settings)


def _supposed_scores(args: argparse.Namespace) -> dict[str, Any]:
    """Return a pilot made of the scores that were supposed, where some were."""
    scores = inputs.given(args, *_SCORES)
    if not scores:
        return {}
    if args.prevalence is None:
        raise ValueError("--prevalence is needed beside --f1, or --precision and --recall")
    # An interval is of one model, whatever another agrees with.
    pilot = bf.assumed_pilot(prevalence=args.prevalence, agreement=1.0 - 1e-6, **scores)
    return {"pilot": pilot, "model": pilot.models[0], "prevalence": None}


def _for_decision(args: argparse.Namespace) -> bf.DecisionPlan:
    _refuse(args, "a decision", "model", "confidence_level")
    sized = args.difference is not None or args.not_worse_by is not None
    if sized and args.n_items is not None:
        raise ValueError(
            "--difference and --not-worse-by ask how many items it takes, and --items what so many can decide; give one"
        )
    pilot = _pilot(args)
    models = args.models or (None, None)
    if args.models is None and len(pilot.names) != 2:
        number = "one model" if len(pilot.names) == 1 else f"{len(pilot.names)} models"
        raise ValueError(f"{args.files[0]} has {number}; a decision is between two, chosen by --models A B")
    settings = inputs.given(args, "metric", "p_h1", "assurance", "n_sets", "prior", "rng")
    if args.runs_each is not None:
        settings["runs"] = args.runs_each
    if sized:
        settings |= inputs.given(args, "difference", "not_worse_by")
        return bf.plan_comparison(pilot, *models, **settings)
    return bf.resolution(pilot, *models, **settings)


def _pilot(args: argparse.Namespace) -> bf.Evaluation:
    suppositions = ("prevalence", "agreement", *_SCORES, "n_items")
    if args.files:
        _refuse(args, "a plan from a FILE", *suppositions)
        return inputs.evaluation_of_units(args, "a plan for a decision")
    _refuse(args, "a plan without a FILE", "models")
    supposed = inputs.given(args, *suppositions)
    sized = args.difference is not None or args.not_worse_by is not None
    if not supposed and not sized:
        raise ValueError(
            "say what to plan for: --half-width X for an interval, --difference X for a decision, or a FILE to see "
            "what it can decide; see bayesf1 plan --help"
        )
    missing = [f"--{name}" for name in ("prevalence", "agreement") if name not in supposed]
    if "f1" not in supposed and not {"precision", "recall"} <= supposed.keys():
        missing.append("--f1 (or --precision and --recall)")
    if not sized and "n_items" not in supposed:
        missing.append("--items (or --difference)")
    if missing:
        raise ValueError(f"without a FILE a plan for a decision also takes {', '.join(missing)}")
    return bf.assumed_pilot(**supposed)


def _refuse(args: argparse.Namespace, what: str, *names: str) -> None:
    for name in names:
        if getattr(args, name) is not None:
            option = options.OPTIONS.get(name, f"--{name}")
            raise ValueError(f"{option} does not apply to {what}; leave it out")
