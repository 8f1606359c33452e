"""The command line: ``bayesf1 compare``, ``bayesf1 rank``, ``bayesf1 demo``, ``bayesf1 --version``.

A terminal gets a coloured table; a pipe or file gets UTF-8 text in the format that ``--format`` names:

========  =========================================================================================
table     table, verdict and assumptions as plain text, a block for each pair of models
json      ``{"format": "bayesf1.pairs/1", "pairs": [...]}`` with `Comparisons.to_dict()` of each
          pair; a list also where there is one pair
csv       full numbers, a row for each pair and measure under one header, as `Comparisons.to_csv()`
markdown  a table for each pair
latex     a tabular with booktabs rules for each pair
========  =========================================================================================

Bad input gets one line on standard error and exit code 2: no traceback, no half-written file. Ctrl-C gives
130, and a reader that closes the pipe early gives 141, as from other programs.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from io import TextIOWrapper
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, TypeVar

from bayesf1.arguments import (
    Parser,
    add_command,
    bayes_options,
    compare_options,
    input_options,
    new_parser,
    output_options,
)

if TYPE_CHECKING:
    from bayesf1.comparison import Comparisons
    from bayesf1.evaluation import Evaluation
    from bayesf1.ranking import Ranking

BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

# More pairs than this take long and tell little.
_MAX_PAIRS = 500

_Results: TypeAlias = "list[Comparisons]"
_T = TypeVar("_T")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv
        The arguments; by default those that the program was called with.

    Examples
    --------
    >>> main(["demo"])
    WNUT 2017: seven systems ...
    0
    """
    try:
        with _warnings_as_lines():
            return _run(sys.argv[1:] if argv is None else list(argv))
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _abandon_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _abandon_stdout()
        place = f"{error.filename}: " if error.filename else ""
        return _complain(f"{place}{error.strerror or error}", BAD_INPUT)
    except ValueError as error:
        return _complain(str(error), BAD_INPUT)
    except MemoryError:
        return _complain("there is not enough memory for this", BAD_INPUT)


def _run(argv: list[str]) -> int:
    parser, commands = _parser()
    if not argv:
        parser.error(f"name a command: {', '.join(commands)}")
    if not argv[0].startswith("-") and argv[0] not in commands:
        from bayesf1.naming import nearest

        parser.error(f"unknown command {argv[0]!r}; {nearest(argv[0], commands)}")
    try:
        args = parser.parse_args(argv)
    except SystemExit:
        # --help and --version have printed what they had to.
        _stdout().flush()
        return 0
    args.run(args)
    return 0


def _parser() -> tuple[Parser, list[str]]:
    from bayesf1 import __version__

    parser = new_parser(__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_command(
        commands,
        "compare",
        run_compare,
        about="compare models: which is better, how sure are we, and by how much",
        example="bayesf1 compare folds.csv --cv 3x2 --rope 0.01 --format latex --output table.tex\n"
        "  bayesf1 compare predictions.csv --gold label --group doc_id\n"
        "  bayesf1 compare gold.conll crf=crf.conll bert=bert.conll --types PER,ORG",
        parents=[input_options(), compare_options(), bayes_options(), output_options()],
    )
    rank = add_command(
        commands,
        "rank",
        run_rank,
        about="rank all models: which is best, and which cannot be told from it",
        example="bayesf1 rank gold.conll a=a.conll b=b.conll c=c.conll --rope 0.01",
        parents=[input_options(), bayes_options(), output_options()],
    )
    rank.add_argument("--metric", "--metrics", metavar="NAME", help="the measure to rank by (default: f1)")
    demo = add_command(
        commands,
        "demo",
        run_demo,
        about="show the Bayes test on packaged experiments; no files needed",
        example="bayesf1 demo",
    )
    demo.set_defaults(format="table", output=None)
    return parser, list(commands.choices)


# ---- commands ---------------------------------------------------------------------------------------------


def run_compare(args: argparse.Namespace) -> None:
    """Compare two models, or all pairs of several."""
    from bayesf1.bayes_test import compare

    ev = _evaluation(args)
    settings = _given(args, "metrics", "rope", "prior", "prob", "method", "assumption", "n_draws", "rng")
    results = [compare(ev, a, b, **settings) for a, b in _pairs(ev, args)]
    _deliver(results, args, _COMPARISON_FORMATS, _show_comparisons)


def run_rank(args: argparse.Namespace) -> None:
    """Rank all models on one measure."""
    from bayesf1.ranking import rank

    ev = _evaluation(args)
    settings = _given(args, "metric", "rope", "prior", "prob", "assumption", "n_draws", "rng")
    _deliver(rank(ev, **settings), args, _RANKING_FORMATS, _show_ranking)


def _given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def run_demo(args: argparse.Namespace) -> None:
    """Tell the story of the packaged experiments."""
    from bayesf1.bayes_test import compare
    from bayesf1.packaged import load_example
    from bayesf1.ranking import rank

    _write(_DEMO_RANKING)
    _deliver(rank(load_example("wnut17"), rng=2017), args, _RANKING_FORMATS, _show_ranking)
    for i, (name, story) in enumerate(_DEMO.items()):
        _write(f"{_DEMO_FOLDS if i == 0 else ''}\n{i + 1}. {story}\n")
        _deliver([compare(load_example(name))], args, _COMPARISON_FORMATS, _show_comparisons)
    _write(f"\n{_DEMO_CLOSING}")


_DEMO_RANKING = """\
WNUT 2017: seven systems looked for emerging entities in 1,287 sentences. Was the winner really the best?
"""
_DEMO_FOLDS = """
Three experiments of Wang & Li (ACL 2019): does a finer tag set make a better tagger?
Each compares two taggers in the six folds of a 3×2 cross-validation.
H1 says that the second is better than the first, H0 that it is not.
"""
_DEMO = {
    "wang-li-cws": "Chinese word segmentation, tags BMES and BB2B3MES: a small gain, but beyond doubt.",
    "wang-li-ner": "Named entities in English, tags IOB2 and IOBES: a gain is likely, not certain.",
    "wang-li-org": "Organisations only, tags IOB2 and IOBES: precision may rise and recall fall, F1 is open.",
}
_DEMO_CLOSING = """\
Your own data:
  bayesf1 compare gold.conll a=a.conll b=b.conll      tags, one token a line
  bayesf1 compare predictions.csv --gold label        labels, one item a row
  bayesf1 compare folds.csv                           counts: model, repeat, fold, tp, fp, fn
See bayesf1 compare --help and bayesf1 rank --help."""


# ---- input ------------------------------------------------------------------------------------------------


def _evaluation(args: argparse.Namespace) -> Evaluation:
    """Read whatever was named on the command line."""
    from bayesf1.crossval import BlockedCV
    from bayesf1.sources import read_sources

    counts = _given(args, "task", "cv", "discount")
    if "cv" in counts:
        counts["cv"] = BlockedCV.parse(args.cv)
    try:
        return read_sources(
            args.files,
            counts=counts,
            predictions=_given(args, "gold", "columns", "group", "positive"),
            tags=_given(args, "scheme", "mode", "types", "unit"),
        )
    except FileNotFoundError as error:
        raise ValueError(_no_such_file(Path(error.filename or args.files[0]))) from None


def _no_such_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no file {path}, nor a folder {folder}"
    with suppress(OSError):
        close = get_close_matches(path.name, [p.name for p in folder.iterdir() if p.is_file()], n=1)
        if close:
            return f"there is no file {path}; did you mean {folder / close[0]}?"
    return f"there is no file {path}"


def _pairs(ev: Evaluation, args: argparse.Namespace) -> list[tuple[str, str]]:
    from bayesf1.naming import listing

    if args.models is not None:
        return [tuple(args.models)]
    n = len(ev.models)
    if n < 2:
        raise ValueError(f"{args.files[0]} has one model ({ev.models[0]}); comparing takes two")
    if n * (n - 1) // 2 > _MAX_PAIRS:
        raise ValueError(
            f"{args.files[0]} has {n} models ({listing(ev.models, most=3)}), too many to compare all pairs; "
            "choose two by --models A B"
        )
    return list(combinations(ev.models, 2))


# ---- output -----------------------------------------------------------------------------------------------


def _deliver(
    results: _T,
    args: argparse.Namespace,
    formats: Mapping[str, Callable[[_T], str]],
    show: Callable[[_T], None],
) -> None:
    """Write results in the format that was asked for: to a file, to a terminal, or to a pipe."""
    if args.output is not None:
        from bayesf1.files import write_atomic

        if any(
            _same_file(args.output, file.partition("=")[2] or file) for file in getattr(args, "files", ())
        ):
            raise ValueError(f"output {args.output} is an input file; name another")
        write_atomic(args.output, formats[args.format](results) + "\n")
    elif args.format == "table" and _stdout().isatty():
        show(results)
        _stdout().flush()
    else:
        _write(formats[args.format](results))


def _same_file(a: str, b: str) -> bool:
    try:
        return Path(a).samefile(b)
    except OSError:
        return False


def _stdout() -> TextIO:
    # Typed as never None, but it is where the program was started with standard output closed.
    out: TextIO | None = sys.stdout
    if out is None:
        raise ValueError("standard output is closed; name a file by --output")
    if isinstance(out, TextIOWrapper):
        # Pipes get UTF-8, and a terminal that cannot show a character its number, rather than a traceback.
        out.reconfigure(encoding=None if out.isatty() else "utf-8", errors="backslashreplace")
    return out


def _write(text: str) -> None:
    out = _stdout()
    out.write(text + "\n")
    out.flush()


def _show_comparisons(results: _Results) -> None:
    from bayesf1.report.terminal import show
    from bayesf1.verdict import is_decisive, parts

    for i, res in enumerate(results):
        if i:
            _write("")
        sure = [is_decisive(c) for c in res.values()]
        show(*parts(tuple(res.values())), sure=sure, file=_stdout())


def _blocks(render: Callable[[Comparisons], str]) -> Callable[[_Results], str]:
    return lambda results: "\n\n".join(render(res) for res in results)


def _as_csv(results: _Results) -> str:
    first, *rest = (res.to_csv() for res in results)
    return "".join([first, *(text.partition("\n")[2] for text in rest)]).rstrip("\n")


def _as_json(results: _Results) -> str:
    import json

    document = {"format": "bayesf1.pairs/1", "pairs": [res.to_dict() for res in results]}
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)


_COMPARISON_FORMATS: dict[str, Callable[[_Results], str]] = {
    "table": _blocks(str),
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _blocks(lambda res: res.to_markdown()),
    "latex": _blocks(lambda res: res.to_latex()),
}


def _ranking_json(ranking: Ranking) -> str:
    import json

    from bayesf1.ranking import as_document

    return json.dumps(as_document(ranking), indent=2, allow_nan=False, ensure_ascii=False)


_RANKING_FORMATS: dict[str, Callable[[Ranking], str]] = {
    "table": str,
    "json": _ranking_json,
    "csv": lambda ranking: ranking.numbers.to_csv(),
    "markdown": lambda ranking: ranking.table.to_markdown(),
    "latex": lambda ranking: ranking.table.to_latex(),
}


def _show_ranking(ranking: Ranking) -> None:
    from bayesf1.report.terminal import show

    title = f"Ranking of {len(ranking.system)} systems by {ranking.attrs['label']}"
    sure = [not bool(tied) for tied in ranking["tied"].values]
    show(title, ranking.table, [ranking.sentence(), ranking.note()], sure=sure, file=_stdout())


# ---- errors and warnings ----------------------------------------------------------------------------------


def _complain(message: str, code: int) -> int:
    from bayesf1.report.tables import printable

    with suppress(OSError):
        print(f"bayesf1: {printable(message)}", file=sys.stderr)
    return code


def _abandon_stdout() -> None:
    # What could not be written must not be tried again, and complained of, when the interpreter exits.
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        _complain(f"warning: {message}", 0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
