"""``bayesf1 demo``: the story of the packaged experiments; no files needed."""

from __future__ import annotations

import argparse
import shutil
import textwrap

import bayesf1 as bf
from bayesf1.base.formats import DEFAULT
from bayesf1.commands import options, output

ABOUT = "show the Bayes test on built-in examples; no files needed"
EXAMPLE = "bayesf1 demo\nbayesf1 demo --format latex"
GROUPS = options.OUTPUT


def run(args: argparse.Namespace) -> None:
    """Tell the story of the packaged experiments."""
    if args.output is not None or output.chosen_format(args) != DEFAULT:
        # What goes into a file or another program has no story: the three comparisons.
        output.deliver([bf.compare(bf.load_example(name)) for name in _EXPERIMENTS], args)
        return
    _tell(_RANKING)
    output.deliver([bf.rank(bf.load_example("wnut17"), rng=2017)], args)
    for i, (name, story) in enumerate(_EXPERIMENTS.items()):
        _tell(f"{_FOLDS if i == 0 else ''}\n{i + 1}. {story}\n")
        output.deliver([bf.compare(bf.load_example(name))], args)
    _tell(f"\n{_CLOSING}")


def _tell(story: str) -> None:
    """Write a story, on a terminal in lines that it has room for."""
    if output.stdout().isatty():
        width = shutil.get_terminal_size().columns
        lines = (
            textwrap.fill(line, width, subsequent_indent="    " * line.startswith(" "))
            for line in story.split("\n")
        )
        story = "\n".join(lines)
    output.write(story)


_RANKING = """\
WNUT 2017: seven systems looked for emerging entities in 1,287 sentences. Was the winner really the best?
"""
_FOLDS = """
Three experiments of Wang & Li (ACL 2019): does a finer tag set make a better tagger?
Each compares two taggers in the six folds of a 3×2 cross-validation.
H1 says that the second is better than the first, H0 that it is not.
"""
_EXPERIMENTS = {
    "wang-li-cws": "Chinese word segmentation, tags BMES and BB2B3MES: a small gain, but beyond doubt.",
    "wang-li-ner": "Named entities in English, tags IOB2 and IOBES: a gain is likely, not certain.",
    "wang-li-org": "Organisations only, tags IOB2 and IOBES: precision may rise and recall fall, F1 is open.",
}
_CLOSING = """\
Your own data:
  bayesf1 compare gold.conll a=a.conll b=b.conll      tags, one token per line
  bayesf1 compare predictions.csv --gold label        labels, one item per row
  bayesf1 compare folds.csv                           counts: model, repeat, fold, tp, fp, fn
See bayesf1 compare --help and bayesf1 rank --help."""
