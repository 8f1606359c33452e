"""``bayesf1 hierarchical``: several corpora, tasks or folds in one model."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bayesf1 as bf
from bayesf1.base.formats import DEFAULT
from bayesf1.base.text_files import followed
from bayesf1.commands import input_options, inputs, options, output

ABOUT = "compare models on several corpora at once: the average corpus, a new one, and each of them"
EXAMPLE = """\
bayesf1 hierarchical conll=conll.csv wnut=wnut.csv --save fit.nc
bayesf1 hierarchical tasks.csv                    every task of the file is a corpus
bayesf1 hierarchical logs --measure acc           every task of a folder of logs, a folder a model, is a corpus
bayesf1 hierarchical folds.csv --task NER         every fold is a corpus
bayesf1 hierarchical a.csv b.csv c.csv --gold label --likelihood logistic-normal"""
GROUPS = {
    **input_options.inputs(),
    **options.INFERENCE,
    **options.OUTPUT,
    "model": {
        **options.BEST_TWO,
        "--metrics --metric": options.names("measures, such as f1,f0.5", dest="metrics"),
        "--likelihood": options.word(
            "what is modelled: scores (default, any measure), or counts by dirichlet or logistic-normal"
        ),
        "--weights": options.names(
            "weights of the corpora in the suite, such as news=2,forum=1 (default: equal)"
        ),
        "--sampler": options.word(
            "grid (for scores), importance (for dirichlet), nutpie (for logistic-normal) or pymc"
        ),
        "--chains": options.whole("number of Markov chains (default: 4)"),
        "--tune": options.whole("tuning steps of each chain (default: 1000)"),
        "--target-accept": options.number("target acceptance rate of NUTS (default: 0.9)"),
        "--save": options.word("keep the fit in a netCDF file, for bayesf1 show and ArviZ", "FILE"),
        **options.REPORT,
    },
}


def run(args: argparse.Namespace) -> None:
    """Fit, save and print."""
    data = _corpora(args)
    settings = inputs.given(
        args,
        *("metrics", "likelihood", "sampler", "rope", "prior", "prob", "assumption"),
        *("chains", "tune", "target_accept", "rng"),
    )
    if args.weights is not None:
        settings["weights"] = dict(map(_weight, args.weights))
    if args.n_draws is not None:
        settings["draws"] = args.n_draws
    if args.save is not None:
        _check_saved(args)
    output.check_report(args)
    fit = bf.hierarchical(data, progress=sys.stderr.isatty(), **settings)
    # What was found is told before anything can go wrong with the file.
    deliver_fit(fit, args)
    if args.save is not None:
        fit.save(args.save)
    if args.report is not None:
        from bayesf1.report.fit_report import write_fit_report

        answer = fit.answer(*(args.models or ()))
        write_fit_report(
            answer, args.report, command=inputs.reproducible(args), read=_python_lines(args, fit)
        )


def _check_saved(args: argparse.Namespace) -> None:
    """Raise a ValueError where the file that ``--save`` names is none for a fit, before anything is computed."""
    if Path(args.save).suffix not in (".nc", ".zarr"):
        raise ValueError(f"--save writes netCDF or Zarr, so {args.save} should end with .nc or .zarr")
    if not followed(args.save).parent.is_dir():
        raise ValueError(f"cannot save to {args.save}, as there is no such folder; create it first")
    output.check_not_input(args.save, args)


def deliver_fit(fit: bf.HierarchicalFit, args: argparse.Namespace) -> None:
    """Write a fit in the format that was asked for, for the models that were named."""
    if len(fit.models) == 1 and output.chosen_format(args) == DEFAULT:
        # There is nothing to compare it with.
        output.put(str(fit), args)
    else:
        output.deliver([fit.answer(*(args.models or ()))], args)


def _corpora(args: argparse.Namespace) -> dict[str, bf.Evaluation] | bf.Evaluation:
    """Read a corpus from each file; or from each task of a file; or the folds of one."""
    named = [inputs.name_and_path(file) or (None, file) for file in args.files]
    if len(named) == 1 and named[0][0] is None:
        path = named[0][1]
        tasks = [] if args.task is not None or args.gold is not None else _tasks(path)
        if len(tasks) < 2:
            ev = _read(args, path, args.task)
            if ev.folds is None:
                raise ValueError(f"{path} is one corpus without folds; name the files of several corpora")
            return ev
        return {task: _read(args, path, task) for task in tasks}
    found: dict[str, bf.Evaluation] = {}
    for name, path in named:
        label = Path(path).stem if name is None else name
        if label in found:
            raise ValueError(f"corpus {label!r} is given twice; write another name, as {label}2={path}")
        found[label] = _read(args, path, args.task)
    return found


def _python_lines(args: argparse.Namespace, fit: bf.HierarchicalFit) -> list[str]:
    """Return the lines of Python that read the same."""

    def call(path: str, task: str | None) -> str:
        return inputs.python_call(inputs.changed(args, files=[path], task=task))

    named = [(inputs.name_and_path(file) or ("", file))[1] for file in args.files]
    if len(named) == 1 and fit.noun == "fold":
        return [f"data = {call(named[0], args.task)}"]
    if len(named) == 1 and len(fit.datasets) > 1:
        return [
            f"data = {{task: {call(named[0], None)[:-1]}, task=task) for task in {list(fit.datasets)!r}}}"
        ]
    entries = (
        f"    {name!r}: {call(path, args.task)}," for name, path in zip(fit.datasets, named, strict=True)
    )
    return ["data = {", *entries, "}"]


def _weight(given: str) -> tuple[str, float]:
    name, _, value = given.rpartition("=")
    try:
        return name, float(value)
    except ValueError:
        raise ValueError(f"--weights takes names and numbers, as news=2,forum=1, not {given!r}") from None


def _read(args: argparse.Namespace, path: str, task: str | None) -> bf.Evaluation:
    return inputs.evaluation(inputs.changed(args, files=[path], task=task))


def _tasks(path: str) -> list[str]:
    from bayesf1.reading.read import tasks_of

    try:
        return tasks_of(path)
    except (OSError, ValueError):
        # Reading the evaluation says what is wrong.
        return []
