"""The commands: each reads files into an `Evaluation`, asks one question of it, and delivers the answer.

A command is a function of the arguments with a row in `COMMANDS`, which names its options; its docstring is its help. The
package imports a module when one of its names is first used, so help is quick.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import bayesf1 as bf
from bayesf1.base.checks import DEFAULT_RNG
from bayesf1.base.input_files import input_files
from bayesf1.base.naming import listing
from bayesf1.base.text_files import write_atomic
from bayesf1.cli.files import name_and_path
from bayesf1.cli.options import READ, READING, Command, file, read_names, two
from bayesf1.cli.output import chosen_format, complain, deliver, write
from bayesf1.output.answer import DEFAULT, Answer
from bayesf1.output.words.comparison import many_pairs, unmet

# More pairs than this would take long to compute and to read.
_MAX_PAIRS = 500
_SCORES = ("f1", "precision", "recall")

# ---- what was named on the command line -------------------------------------------------------------------


def given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the named options that the command has and that were given."""
    options = vars(args)
    return {name: options[name] for name in names if options.get(name) is not None}


def changed(args: argparse.Namespace, **options: Any) -> argparse.Namespace:
    """Return the options with some of them changed."""
    return argparse.Namespace(**{**vars(args), **options})


def to_read(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the source for `bf.read`, and the options that were given; several files of a model are its runs."""
    options = given(args, "runs", *READ)
    first_name, first_path = name_and_path(args.files[0])
    named = args.files
    if first_name is None:
        named = args.files[1:]
    models: dict[str, list[str]] = {}
    for text in named:
        name, path = name_and_path(text)
        if name is None:
            raise ValueError(
                f"{text!r} has no name; write name={text} for a model's file, or name the folder of shards"
            )
        models.setdefault(name, []).append(path)
    if not models:
        return first_path, options
    if first_name is None:
        options["gold_file"] = first_path
    return models, options


def evaluation(args: argparse.Namespace, *, units_for: str | None = None) -> bf.Evaluation:
    """Read the files that the command line names; refuse totals if a purpose takes units."""
    source, options = to_read(args)
    try:
        ev = bf.read(source, **options)
    except FileNotFoundError as error:
        raise ValueError(str(error)) from None
    if units_for is not None and ev.assumption == "independent":
        raise ValueError(
            f"{args.files[0]} holds totals only, but {units_for} takes what the models did on every item or sentence: "
            "a table of predictions with --gold, or column files as NAME=FILE"
        )
    # The type of a remark says where it is printed.
    remarks = [type(remark)(args.parser.spoken(remark)) for remark in ev.remarks]
    return replace(ev, remarks=tuple(remarks))


def pairs(
    ev: bf.Evaluation, args: argparse.Namespace, *, one_for: str | None = None
) -> list[tuple[str, str]]:
    """Return the two models that were named by ``--models``, or all pairs; some purposes take one pair."""
    if args.models is not None:
        return [tuple(args.models)]
    all_pairs = list(combinations(ev.names, 2))
    if not all_pairs:
        _, path = name_and_path(args.files[-1])
        noun = "method" if ev.methods else "model"
        raise ValueError(
            f"{path} has one {noun} ({ev.names[0]}); comparing takes two, and bayesf1 interval gives the scores of one"
        )
    if one_for is not None and len(all_pairs) > 1:
        why = f"but {one_for} one pair"
    elif len(all_pairs) > _MAX_PAIRS:
        why = "too many to compare all pairs"
    else:
        return all_pairs
    raise ValueError(
        f"{args.files[0]} has {len(ev.names)} models ({listing(ev.names, most=3)}), {why}; choose two with --models A B"
    )


def report(answers: Any, args: argparse.Namespace) -> None:
    """Write a page of the answers if ``--report`` names one, with the command that makes it again."""
    if args.report is not None:
        from bayesf1.output.html import write_report

        seed = "" if args.rng is not None else f" --rng {DEFAULT_RNG}"
        write_report(answers, args.report, command=f"{args.command_line}{seed}")


# ---- two or more models -----------------------------------------------------------------------------------


def compare(args: argparse.Namespace) -> int:
    """Compare models: which is better, how sure are we, and by how much.

    Examples::

        bayesf1 compare folds.csv --cv blocked-3x2 --rope 0.01 --format latex --output table.tex
        bayesf1 compare predictions.csv --gold label --positive spam --group doc_id
        bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --by-type --per-class
        bayesf1 compare gold.conll old=old.conll new=new.conll --rope 0.005 --fail-unless not-worse
        bayesf1 compare ref.en a=a.en b=b.en --measure bleu,chrf --rope 0.5
        bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --plot fig.pdf --report report.html
    """
    if args.fail_unless not in (None, "better") and not args.rope:
        raise ValueError(
            f"--fail-unless {args.fail_unless} needs the margin; give it with --rope, such as --rope 0.01"
        )
    # Files are read once for each metric of --measure.
    measures = [None] if args.measure is None else read_names(args.measure)
    evs = [evaluation(changed(args, measure=measure)) for measure in measures]
    one_for = None
    if args.plot:
        one_for = "--plot draws"
    elif args.fail_unless:
        one_for = "--fail-unless asks of"
    chosen = pairs(evs[0], args, one_for=one_for)
    if len(chosen) > 1:
        evs = [replace(ev, remarks=(*ev.remarks, many_pairs(len(chosen)))) for ev in evs]
    results = [_compared(ev, a, b, args) for ev in evs for a, b in chosen]
    scales = {c.definition.support == (0.0, 100.0) for res in results for c in res.values()}
    if args.rope and len(scales) > 1:
        raise ValueError(
            "--rope would be in points of 100 and of 1 at once; compare metrics of each scale by themselves"
        )
    deliver(results, args)
    failed = _failed(results, args)
    for why in failed:
        complain(f"--fail-unless {args.fail_unless}: {why}")
    if args.plot is not None:
        figure = bf.plot_classes if args.per_class else bf.plot_difference
        named = {}
        for i, res in enumerate(results):
            for name, c in res.items():
                # The means of several --measure metrics have the same name.
                title = f"{name} {i}" if i > 0 else name
                named[title] = c
        bf.save_plot(figure(named), args.plot)
    report(results, args)
    return int(bool(failed))


def _compared(ev: bf.Evaluation, a: str, b: str, args: argparse.Namespace) -> bf.Comparisons:
    settings = given(args, "rope", "prior", "prob", "target", "rng")
    if not args.per_class:
        return bf.compare(ev, a, b, metrics=args.metrics, **settings)
    return bf.compare_classes(ev, a, b, metric=_first_metric(args), **settings)


def _first_metric(args: argparse.Namespace) -> str:
    """Return the first of ``--metrics``, which is used for classes."""
    return "f1" if args.metrics is None else str(args.metrics[0])


def _failed(results: Sequence[bf.Comparisons], args: argparse.Namespace) -> list[str]:
    """Return why the claim does not hold on a metric that was asked for, or by default on the headline metric."""
    if args.fail_unless is None:
        return []
    if args.metrics is not None or args.per_class:
        claims = [c for res in results for c in res.values()]
    else:
        claims = [res.headline for res in results]
    reasons = [unmet(c, args.fail_unless) for c in claims]
    return [reason for reason in reasons if reason is not None]


def rank(args: argparse.Namespace) -> None:
    """Rank all models: which may be the best, and which cannot be told apart.

    Examples::

        bayesf1 rank gold.conll a=a.conll b=b.conll c=c.conll --rope 0.01
    """
    settings = given(args, "metric", "rope", "prior", "prob", "target", "rng")
    ranking = bf.rank(evaluation(args), **settings)
    deliver([ranking], args)
    if args.plot is not None:
        bf.save_plot(bf.plot_rank(ranking), args.plot)


def interval(args: argparse.Namespace) -> None:
    """Show every confidence interval of a score, or of a difference, beside the credible ones.

    Examples::

        bayesf1 interval counts.csv --metric f0.5 --confidence-level 0.99
        bayesf1 interval gold.conll crf=crf.conll bert=bert.conll --difference crf bert
    """
    from bayesf1.frequentist.intervals import defined_answers

    if args.only is not None and args.difference is not None:
        raise ValueError("--only and --difference ask for two different things; give one")
    ev = evaluation(args)
    settings = given(args, "metric", "confidence_level", "n_resamples", "prior", "rng")
    models = ev.names if args.only is None else [args.only]
    asked = [partial(bf.intervals, ev, model, **settings) for model in models]
    if args.difference is not None:
        asked = [partial(bf.difference_intervals, ev, *args.difference, **settings)]
    deliver(defined_answers(asked), args)


def test(args: argparse.Namespace) -> None:
    """Test by randomisation whether models differ: swap their outputs on whole items or sentences.

    Examples::

        bayesf1 test predictions.csv --gold label --metrics f1,accuracy
        bayesf1 test gold.conll crf=crf.conll bert=bert.conll --trials 100000 --rng 1
    """
    from bayesf1.evaluation import resolve_metrics
    from bayesf1.frequentist.intervals import defined_answers

    ev = evaluation(args, units_for="a randomisation test")
    settings = given(args, "alternative", "n_trials", "confidence_level", "rng")
    metrics = args.metrics
    if args.per_class:
        if not ev.classes:
            raise ValueError(
                "--per-class needs several classes: more than two labels, or tags with --by-type"
            )
        metrics = [f"{_first_metric(args)}[{name}]" for name in ev.classes]
    tests = defined_answers(
        partial(bf.randomization_test, ev, a, b, metric, **settings)
        for a, b in pairs(ev, args)
        for metric in resolve_metrics(metrics, ev)
    )
    # All tests of one table are one family: metrics, classes and pairs.
    deliver(bf.adjust(tests), args)


# ---- before and while labels are collected ----------------------------------------------------------------


def plan(args: argparse.Namespace) -> None:
    """Plan a test set: how many items you need, or what an existing test set can decide.

    Examples::

        bayesf1 plan --half-width 0.02 --metric f0.5 --prevalence 0.615
        bayesf1 plan --difference 0.02 --prevalence 0.2 --f1 0.8 --agreement 0.95
        bayesf1 plan gold.conll crf=crf.conll bert=bert.conll --difference 0.02
        bayesf1 plan gold.conll crf=crf.conll bert=bert.conll --not-worse-by 0.005
        bayesf1 plan gold.conll crf=crf.conll bert=bert.conll
    """
    if args.half_width is not None and args.difference is not None:
        raise ValueError("--half-width plans an interval and --difference a decision; give one of them")
    planned = _for_interval(args) if args.half_width is not None else _for_decision(args)
    deliver([planned], args)


def _for_interval(args: argparse.Namespace) -> Answer:
    _refuse(
        args, "an interval", "models", "agreement", "n_items", "assurance", "not_worse_by", "prior", "rng"
    )
    settings = given(args, "metric", "prevalence", "confidence_level")
    if args.files:
        _refuse(args, "a plan from a FILE", *_SCORES)
        pilot = evaluation(args)
        if args.only is None and len(pilot.names) > 1:
            raise ValueError(
                f"{args.files[0]} has several models ({listing(pilot.names)}); choose one with --only"
            )
        return bf.plan(args.half_width, pilot=pilot, model=args.only, **settings)
    _refuse(args, "a plan without a FILE", "only", "runs", *READ)
    scores = given(args, *_SCORES)
    if scores:
        if args.prevalence is None:
            raise ValueError(
                "assumed scores plan an interval for some share of positive items; give --prevalence"
            )
        # The interval of one model does not depend on agreement with another.
        pilot = bf.assumed_pilot(prevalence=args.prevalence, agreement=1.0 - 1e-6, **scores)
        settings |= {"pilot": pilot, "model": pilot.models[0], "prevalence": None}
    return bf.plan(args.half_width, **settings)


def _for_decision(args: argparse.Namespace) -> Answer:
    _refuse(args, "a decision", "only", "confidence_level")
    asked = given(args, "difference", "not_worse_by")
    if asked:
        _refuse(args, "a plan that asks how many items it takes", "n_items")
    assumed = given(args, "prevalence", "agreement", *_SCORES, "n_items")
    if args.files:
        _refuse(args, "a plan from a FILE", *assumed)
        pilot = evaluation(args, units_for="a plan for a decision")
    elif {"prevalence", "agreement"} <= assumed.keys() and (asked or args.n_items):
        _refuse(args, "a plan without a FILE", "models", "runs", *READ)
        pilot = bf.assumed_pilot(**assumed)
    else:
        raise ValueError(
            "say what to plan for: --half-width X for an interval, --difference X for a decision, or a FILE to see what it "
            "can decide; without a FILE a decision takes --prevalence, --agreement, --f1 (or --precision and --recall), "
            "and --n-items or --difference"
        )
    models = _named_models(args)
    settings = given(args, "metric", "assurance", "prior", "rng")
    if asked:
        return bf.plan_comparison(pilot, *models, **(settings | asked))
    return bf.resolution(pilot, *models, **settings)


def _named_models(args: argparse.Namespace) -> Sequence[str]:
    """Return the models that were named by ``--models``, none by default."""
    return () if args.models is None else args.models


def _refuse(args: argparse.Namespace, what: str, *names: str) -> None:
    """Refuse options that were given and do not apply."""
    for name in given(args, *names):
        raise ValueError(f"--{name.replace('_', '-')} does not apply to {what}; leave it out")


def label(args: argparse.Namespace) -> None:
    """Choose which items to label next, if few items have gold labels.

    Examples::

        bayesf1 label predictions.csv --gold label --judge gpt --item doc_id --budget 200 --output to_label.csv
        bayesf1 label predictions.csv --gold label --models crf bert --metric precision
    """
    if args.only is not None and args.models is not None:
        raise ValueError("--only and --models ask for two different plans; give one")
    gold = "gold" if args.gold is None else args.gold
    judge = [] if args.judge is None else args.judge
    ev = evaluation(changed(args, gold=gold, judge=judge))
    models = _named_models(args) if args.only is None else [args.only]
    labels = bf.plan_labels(ev, *models, **given(args, "budget", "metric", "prob", "prior", "rng"))
    if args.output is not None:
        _write_rows(labels.items, args)
    deliver([labels], changed(args, output=None))


def _write_rows(items: Any, args: argparse.Namespace) -> None:
    """Write the rows to label as they are in the file, with their row numbers if they have no id."""
    from bayesf1.io.tables import TableFile

    with input_files() as take:
        table = TableFile.opened(take(args.files[0]))
        frame = table.load(table.header, optional=table.header)
    if args.id is None:
        frame.insert(0, "row", range(1, len(frame) + 1))
        chosen = frame.iloc[sorted(items)]
    else:
        chosen = frame[frame[args.id].isin(items)]
    write_atomic(args.output, chosen.to_csv(index=False))


def monitor(args: argparse.Namespace) -> int:
    """Monitor a comparison while labels come in: see what you may claim, however often you look.

    Examples::

        bayesf1 monitor predictions.csv --gold label --save looks.json
        bayesf1 monitor predictions.csv --gold label --previous looks.json --save looks.json --fail-unless-decided
    """
    before = None if args.previous is None else _looks(args.previous)
    ev = evaluation(args, units_for="monitoring")
    ((a, b),) = pairs(ev, args, one_for="looks are at")
    settings = given(args, "metric", "rope", "confidence_level", "largest")
    state = bf.monitor(ev, a, b, previous=before, **settings)
    if args.save is not None:
        write_atomic(args.save, state.to_json() + "\n")
    deliver([state], args)
    return int(args.fail_unless_decided and not state.decided)


def _looks(path: str) -> Any:
    """Read the file that an earlier look has written."""
    try:
        with input_files() as take:
            return json.loads(take(path).text())
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; leave --previous out at the first look") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not the JSON that --save writes ({error})") from None


# ---- several corpora --------------------------------------------------------------------------------------


def hierarchical(args: argparse.Namespace) -> None:
    """Compare models on several corpora at once: the average corpus, a new one, and each of them.

    Examples::

        bayesf1 hierarchical conll=conll.csv wnut=wnut.csv --save fit.nc
        bayesf1 hierarchical tasks.csv                    every task of the file is a corpus
        bayesf1 hierarchical answers.csv --correct ok --corpus language
        bayesf1 hierarchical logs --measure acc           every task of a folder of logs, a folder a model, is a corpus
        bayesf1 hierarchical folds.csv --task NER         every fold is a corpus
        bayesf1 hierarchical a.csv b.csv c.csv --gold label --likelihood multinomial
    """
    data = _corpora(args)
    settings = given(args, "metrics", "likelihood", "rope", "prior", "prob", "draws", "rng")
    if args.save is not None and Path(args.save).suffix != ".nc":
        raise ValueError(f"--save writes netCDF, so {args.save} should end with .nc")
    fit = bf.hierarchical(data, progress=sys.stderr.isatty(), **settings)
    answer = fit.answer(*_named_models(args))
    # The answer is printed before anything can go wrong with the file.
    deliver([answer], args)
    if args.save is not None:
        fit.save(args.save)
    report(answer, args)


def show(args: argparse.Namespace) -> None:
    """Print the verdict of a saved fit again, without sampling.

    Examples::

        bayesf1 show fit.nc --models crf bert
    """
    fit = bf.load_fit(args.files[0])
    deliver([fit.answer(*_named_models(args))], args)


def _corpora(args: argparse.Namespace) -> dict[str, bf.Evaluation] | bf.Evaluation:
    """Read a corpus from each file; or from each task of a file; or the folds of one."""
    from bayesf1.io.read import tasks_of

    if args.corpus is not None:
        # A column names the corpora, so several files are those of models.
        return evaluation(args)
    named = [name_and_path(file) for file in args.files]
    name, path = named[0]
    if len(named) == 1 and name is None:
        if args.task is None and args.gold is None:
            tasks = tasks_of(path)
            if len(tasks) > 1:
                return {task: evaluation(changed(args, task=task)) for task in tasks}
        ev = evaluation(args)
        if ev.folds is None and ev.corpora is None:
            raise ValueError(
                f"{path} is one corpus without folds; name the files of several corpora, or the column of corpora with "
                "--corpus"
            )
        return ev
    corpora: dict[str, bf.Evaluation] = {}
    for name, path in named:
        corpus = Path(path).stem if name is None else name
        if corpus in corpora:
            raise ValueError(f"corpus {corpus!r} is given twice; write another name, as {corpus}2={path}")
        corpora[corpus] = evaluation(changed(args, files=[path]))
    return corpora


# ---- examples ---------------------------------------------------------------------------------------------

# Lines are short enough for a narrow terminal.
_RANKING = """\
WNUT 2017: seven systems looked for emerging entities in 1,287 sentences.
Was the winner really the best?
"""
_FOLDS = """
Wang & Li (ACL 2019): do finer tags make a better tagger of names? Two taggers
in the six folds of a 3×2 cross-validation. H1: the second is the better one.
"""
_CLOSING = """
Your own data:
  bayesf1 compare gold.conll a=a.conll b=b.conll   tags, a token per line
  bayesf1 compare predictions.csv --gold label     labels, an item per row
  bayesf1 compare folds.csv                        counts of folds"""


def demo(args: argparse.Namespace) -> None:
    """Show the Bayes test on built-in examples; no files needed.

    Examples::

        bayesf1 demo
        bayesf1 demo --format latex
    """
    comparison = bf.compare(bf.load_example("wang-li-ner"))
    if args.output is not None or chosen_format(args) != DEFAULT:
        # A file or another program gets only one answer.
        deliver([comparison], args)
        return
    write(_RANKING)
    deliver([bf.rank(bf.load_example("wnut17"), rng=2017)], args)
    write(_FOLDS)
    deliver([comparison], args)
    write(_CLOSING)


# ---- the table of commands --------------------------------------------------------------------------------

_INPUT = {"input": "files --runs"}
for heading, options in READING.items():
    _INPUT[heading] = " ".join(names.split()[0] for names in options)
_INFERENCE = "--rope --prior --prob --target --rng"
_FILES = "--format --output"
_OUTPUT = f"{_FILES} --verbose"

# Arguments of `Command`: its function, its options by their headings, and unusual settings of options.
_LOOKS = "--models --metric --previous --save --rope --confidence-level --largest --fail-unless-decided"
_INTERVALS = "--only --difference --metric --confidence-level --resamples --prior --rng"
_TEST = "--models --metrics --per-class --alternative --trials --confidence-level --rng"
_MODEL = "--models --metrics --likelihood --rope --prior --prob --draws --rng"
_TO_LABEL = {
    "input": "files --gold --judge --columns --item --group --positive",
    "plan": "--budget --only --models --metric --prob --prior --rng",
    "output": _FILES,
}
_TO_PLAN = {
    **_INPUT,
    "what to plan for": "--half-width --difference --not-worse-by --metric --confidence-level --assurance",
    "a pilot in FILE": "--only --models",
    "assumptions instead of a pilot": "--prevalence --agreement --f1 --precision --recall --n-items",
    "simulation": "--prior --rng",
    "output": _FILES,
}
_TO_COMPARE = {
    **_INPUT,
    "comparison": "--models --metrics --per-class --fail-unless",
    "inference": _INFERENCE,
    "output": f"{_OUTPUT} --plot --report",
}
COMMANDS = {
    "compare": Command(compare, _TO_COMPARE),
    "rank": Command(rank, {**_INPUT, "inference": f"--metric {_INFERENCE}", "output": f"{_OUTPUT} --plot"}),
    "interval": Command(
        interval,
        {**_INPUT, "intervals": _INTERVALS, "output": _FILES},
        {"--difference": two("show intervals of the difference B minus A instead", type=str)},
    ),
    "test": Command(test, {**_INPUT, "randomisation": _TEST, "output": _FILES}),
    "plan": Command(plan, _TO_PLAN, {"files": {"nargs": "*"}}),
    "label": Command(
        label,
        _TO_LABEL,
        {
            "files": file("a table of predictions, one row per item; some without a gold label", nargs=1),
            "--output": file("write the rows to label to this CSV file"),
        },
    ),
    "monitor": Command(monitor, {**_INPUT, "looks": _LOOKS, "output": _FILES}),
    "hierarchical": Command(
        hierarchical,
        {**_INPUT, "model": _MODEL, "output": f"{_OUTPUT} --save --report"},
        {"--save": file("write the fit as netCDF, for bayesf1 show and ArviZ")},
    ),
    "show": Command(
        show,
        {"": "files --models", "output": _OUTPUT},
        {"files": file("a fit that bayesf1 hierarchical --save wrote", nargs=1)},
    ),
    "demo": Command(demo, {"output": _OUTPUT}),
}
