"""``bayesf1 compare``: two models, or all pairs of several."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import bayesf1 as bf
from bayesf1.base.answer import as_json
from bayesf1.base.formats import OF_OUTCOMES, json_document
from bayesf1.bayes.condition import Condition, parse
from bayesf1.bayes.gate import gate
from bayesf1.commands import input_options, inputs, options, output
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.scoring import find_measure, find_measures

ABOUT = "compare models: which is better, how sure are we, and by how much"
EXAMPLE = """\
bayesf1 compare folds.csv --cv 3x2 --rope 0.01 --format latex --output table.tex
bayesf1 compare predictions.csv --gold label --positive spam --group doc_id
bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --by-type --per-class
bayesf1 compare gold.conll old=old.conll new=new.conll --fail-unless 'f1: new not worse by 0.005'
bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --plot fig.pdf --report report.html"""
GROUPS = {
    **input_options.inputs(),
    **options.COMPARISON,
    **options.INFERENCE,
    **options.GATE,
    **options.OUTPUT,
    "": {**options.figure("the differences"), **options.REPORT},
}

_ALONE = (
    "One of {} pairs, each judged by itself: the more pairs, the likelier that some claim is wrong; bayesf1 rank says what "
    "holds of all models together."
)


def _by_class(
    ev: bf.Evaluation, a: str, b: str, args: argparse.Namespace, settings: dict[str, Any]
) -> bf.Comparisons:
    if "method" in settings:
        raise ValueError("--method does not apply to --per-class, which draws; leave it out")
    # Says so where there are no classes.
    inputs.per_class(ev, args.metrics)
    metric = "f1" if args.metrics is None else args.metrics[0]
    return bf.compare_classes(ev, a, b, metric=metric, **settings)


def _asked(ev: bf.Evaluation, metrics: list[str] | None, conditions: Sequence[Condition]) -> list[Metric]:
    """Return the measures to compare: those that were asked for, and those that conditions are on."""
    found = find_measures(metrics, ev)
    for condition in conditions:
        metric = condition.metric.text
        base = metric.removesuffix("[*]")
        for name in [metric] if base == metric else [f"{base}[{name}]" for name in ev.classes]:
            # The gate points to what is unknown.
            with suppress(ValueError):
                measure = find_measure(name, ev)
                if measure.label not in [known.label for known in found]:
                    found.append(measure)
    return found


def run(args: argparse.Namespace) -> int:
    """Compare two models, or all pairs of several; 1 where a condition does not hold."""
    # A condition that cannot be read is seen before anything is computed.
    conditions = [parse(text) for text in args.fail_unless or ()]
    output.check_figure(args)
    output.check_report(args)
    read = inputs.evaluations(args)
    chosen = inputs.pairs(read[0], args)
    if args.plot is not None and len(chosen) > 1:
        raise ValueError(
            f"--plot draws one pair of models, but there are {len(chosen)}; choose by --models A B"
        )
    if args.plot is not None and len(read) > 1:
        raise ValueError(f"--plot draws one measure, but there are {len(read)}; choose one by --measure")
    if len(chosen) > 1:
        read = [replace(ev, remarks=(*ev.remarks, _ALONE.format(len(chosen)))) for ev in read]
    settings = inputs.given(args, "rope", "prior", "prob", "method", "assumption", "target", "n_draws", "rng")
    if args.per_class:
        results = [_by_class(ev, a, b, args, settings) for ev in read for a, b in chosen]
    else:
        results = [
            bf.compare(ev, a, b, metrics=_asked(ev, args.metrics, conditions), **settings)
            for ev in read
            for a, b in chosen
        ]
    found = gate(results, [condition.text for condition in conditions])
    form = output.chosen_format(args)
    told = form in OF_OUTCOMES
    if conditions and form == "json":
        output.put(as_json({**json_document(results), "gate": found.to_dict()}), args)
    elif conditions and told:
        output.deliver([found], args)
    elif not (conditions and args.quiet and args.format is None and args.output is None):
        output.deliver(results, args)
    if not (told and args.output is None):
        output.say(
            f"{'passed' if check else 'failed'}: {check.condition}: {check.why}" for check in found.checks
        )
    if args.plot is not None:
        draw = bf.plot_classes if args.per_class else bf.plot_difference
        bf.save_plot(draw(results[0]), args.plot)
    if args.report is not None:
        from bayesf1.report.html import write_report

        calls = [f"ev = {inputs.python_call(each)}" for each in inputs.by_measure(args) for _ in chosen]
        write_report(results, args.report, command=inputs.reproducible(args), read=calls)
    return 0 if found.passed else 1
