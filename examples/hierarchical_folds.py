"""
Folds and text sources as groups
================================

What a hierarchical model adds to effective counts.

First the six folds of Wang & Li's experiment on organisations, then the three sources of the WNUT 2017 test set.
Needs ``pip install 'bayesf1[pymc]'`` for the logistic-normal model. Run::

    python examples/hierarchical_folds.py
"""

from __future__ import annotations

import textwrap
from importlib import resources

import pandas as pd

import bayesf1 as bf

# The test set was put together source by source; the sentences themselves tell where one ends. Up to number 322 they
# quote and name subreddits, then come titles and comments of Stack Exchange, and from 703 on tweets.
SOURCES = {"Reddit": (1, 322), "Stack Exchange": (323, 702), "Twitter": (703, 1287)}

WHY = """
Why the answers differ. The effective counts multiply the sums over all six folds by k = 0.3688: as three repeats test
the same items, they are worth 2.2 folds, whose items are then independent trials. The Dirichlet-multinomial does not
know of repeats. It takes six separate test sets with 2.7 times as many counts, and learns from their spread that items
of one fold are alike: what it says of the average fold is surer than it should be, as the folds share their items, and
what it says of a new fold is less sure, as that has a spread of its own. The logistic-normal model sees, in addition,
that a fold which is hard for one tagger is hard for the other. The spread of either tagger grows, as folds now differ
in several ways instead of one, but it cancels in their difference, whose interval for a new fold is shorter than that
of the Dirichlet-multinomial. Take the effective counts for the folds of one corpus; take a hierarchical model for
corpora, or seeds, that share nothing.
"""


def line(name: str, test: bf.Comparison) -> str:
    a, b = (
        "[{:.2f}, {:.2f}]".format(*(100 * x for x in p.interval()))
        for p in (test.posterior_a, test.posterior_b)
    )
    gap = "[{:+.2f}, {:+.2f}]".format(*(100 * x for x in test.difference.interval()))
    return f"  {name:<42}{a:<17}{b:<17}{gap:<17}{test.p_h1:.3f}"


def folds() -> None:
    ev = bf.load_example("wang-li-org")
    a, b = ev.models
    print(f"Organisations, F1 in percent, six folds of 3×2 cross-validation: A = {a}, B = {b}\n")
    print(f"  {'95 % intervals':<42}{'A':<17}{'B':<17}{'B minus A':<17}P(H1)")
    print(line("effective counts, models of the folds", bf.compare(ev)["f1"]))
    for likelihood in ("dirichlet", "logistic-normal"):
        fit = bf.hierarchical(ev, likelihood=likelihood, rng=1, progress=False)
        print(line(f"{likelihood}, the average fold", fit.compare()["f1"]))
        print(line(f"{likelihood}, a new fold", fit.compare(question="new")["f1"]))
    print(textwrap.fill(" ".join(WHY.split()), 115, initial_indent="\n", replace_whitespace=False))


def sources() -> None:
    with resources.as_file(resources.files("bayesf1") / "examples" / "wnut17.csv") as path:
        spans = pd.read_csv(path)
    corpora = {
        name: bf.from_frame(
            spans[spans["sentence"].between(first, last)],
            gold="gold",
            models=["SpinningBytes", "UH-RiTUAL"],
            positive=1,
        ).keep(("tp", "fp", "fn"))
        for name, (first, last) in SOURCES.items()
    }
    print("\n\nWNUT 2017 by source, the two best systems, paired on single entities:\n")
    fit = bf.hierarchical(corpora, likelihood="logistic-normal", rope=0.01, rng=2017, progress=False)
    print(fit)


if __name__ == "__main__":
    folds()
    sources()
