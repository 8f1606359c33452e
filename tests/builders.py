"""What several tests build: random labels, tags and folds, files, scripts that are no modules, and LaTeX papers."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bayesf1 as bf
from bayesf1.evaluation import resolve_metric
from bayesf1.output.arviz import is_old
from bayesf1.sampling.model import sampling_model

ROOT = Path(__file__).parents[1]


def needed(module):
    """A module of a package that not everybody has who runs the tests; `pip install '.[test-all]'` brings it."""
    return pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")


def has(module):
    """Whether a module that not everybody has is installed."""
    return importlib.util.find_spec(module) is not None


def noisy(rng, gold, skill, others=None):
    """Labels that are right with probability `skill`, else any of the others, or without them the opposite."""
    right = rng.random(len(gold)) < skill
    return np.where(right, gold, ~gold if others is None else rng.choice(others, len(gold)))


def flipped(gold, error, rng, k=2):
    """Labels 0 to k - 1 of which a share is another one."""
    return np.where(rng.random(len(gold)) < error, (gold + rng.integers(1, k, len(gold))) % k, gold)


def judged_items(n=4000, labelled=300, prevalence=0.3, judge_error=0.1, seed=0, k=2):
    """Gold labels, those of them that are known, what two models say, and what a judge says."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(n) < prevalence).astype(int) if k == 2 else rng.integers(0, k, n)
    said = {"A": flipped(gold, 0.15, rng, k), "B": flipped(gold, 0.1, rng, k)}
    judge = flipped(gold, judge_error, rng, k)
    known = gold.astype(object)
    known[rng.permutation(n)[labelled:]] = None
    return gold, known, said, judge


def two_models(seed, n, names=("A", "B"), **options):
    """An evaluation of two models on binary labels, one of them a little better."""
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.3
    said = [noisy(rng, gold, skill).tolist() for skill in (0.85, 0.88)]
    return bf.from_labels(gold.tolist(), dict(zip(names, said, strict=True)), positive=True, **options)


def joint_evaluation(cells):
    """Two models A and B from counts of the joint outcomes of items.

    Gold items: found by both, only A, only B, neither; others: claimed by both, only A, only B, neither.
    """
    outcomes = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    rows = [(*outcome, count) for outcome, count in zip(outcomes, cells, strict=True) if count]
    return bf.from_patterns(rows, models=["A", "B"], positive=1)


def joint_draws(cells, prior, n, rng):
    """Draws of the tables tp, fp, fn, tn of A and of B, from such counts and a prior where the models differ."""
    both, a, b, neither, claimed, claimed_a, claimed_b, alone = rng.standard_gamma(
        np.add(cells, 2 * [0, prior, prior, 0]), size=(n, 8)
    ).T
    table_a = [both + a, claimed + claimed_a, neither + b, alone + claimed_b]
    table_b = [both + b, claimed + claimed_b, neither + a, alone + claimed_a]
    return np.array([table_a, table_b]).transpose(2, 0, 1)


def drawn(ev, assumption="auto", *, prior=None, n_draws=20_000, rng=1):
    """Draws of the tables of all models, axes (draw, model, cell)."""
    sampling = sampling_model(ev, assumption, prior=prior)
    return np.concatenate(list(sampling.draw(n_draws=n_draws, rng=np.random.default_rng(rng))))


def drawn_scores(ev, metric, assumption="auto", *, prior=None, target="auto", n_draws=20_000, rng=1):
    """Draws of the scores of all that is compared, axes (draw, name)."""
    sampling = sampling_model(ev, assumption, target, prior)
    (scores,) = sampling.scores([resolve_metric(metric, ev)], n_draws=n_draws, rng=np.random.default_rng(rng))
    return scores


def tags_of(types, outside):
    """The tags of IOB2, the one outside of spans several times, as it is the commonest."""
    return ["O"] * outside + [f"{prefix}-{name}" for prefix in "BI" for name in types]


def random_tags(rng, n, vocabulary, longest):
    return [rng.choice(vocabulary, rng.integers(1, longest + 1)).tolist() for _ in range(n)]


def noisy_tags(rng, sentences, vocabulary, rate):
    return [[tag if rng.random() > rate else str(rng.choice(vocabulary)) for tag in s] for s in sentences]


def random_folds(rng, gold, rates, wrong):
    """Tables tp, fp, fn of each model's folds from its recall in them and the usual number of false positives."""
    tables = {}
    for name, rate in rates.items():
        tp = rng.binomial(gold, rate)
        tables[name] = np.stack([tp, rng.poisson(wrong, size=len(tp)), gold - tp], axis=1)
    return tables


def writer(folder, default):
    """A function that writes text or bytes to a file of the folder, and returns its path."""

    def write(content, name=default):
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def group_names(idata):
    """The names of the groups of ArviZ's container, old or new."""
    return [str(name).lstrip("/") for name in (idata.groups() if is_old() else idata.children)]


def load_script(path):
    """Import a script of the repository by its path."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look their annotations up
    spec.loader.exec_module(module)
    return module


def on_terminal(*argv, folder=None, width=100, **env):
    """What a command prints on a terminal."""
    import pty

    main_end, terminal = pty.openpty()
    more = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": str(width), **env}
    command = [sys.executable, "-m", "bayesf1", *argv]
    process = subprocess.Popen(
        command, cwd=folder, stdout=terminal, stderr=subprocess.PIPE, env={**os.environ, **more}
    )
    os.close(terminal)
    chunks = []
    # Linux reports the end of a terminal as an error.
    with contextlib.suppress(OSError):
        while chunk := os.read(main_end, 65536):
            chunks.append(chunk)
    os.close(main_end)
    assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0
    return b"".join(chunks).decode().replace("\r\n", "\n")


def latex_has(*files):
    """Whether there is a LaTeX that finds these files; small ones lack packages and fonts."""
    if shutil.which("pdflatex") is None:
        return False
    return subprocess.run(["kpsewhich", *files], capture_output=True, check=False).returncode == 0


def pdflatex(document, folder, *options):
    """Compile a paper, and return how that ended."""
    (folder / "paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", *options, "paper.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)


# Four corpora of unequal sizes.
FOUR_CORPORA = {
    "conll": bf.from_counts(A=(77, 44, 10), B=(83, 9, 4)),
    "wnut": bf.from_counts(A=(30, 25, 22), B=(33, 20, 19)),
    "folk": bf.from_counts(A=(55, 20, 31), B=(50, 22, 36)),
    "mail": bf.from_counts(A=(12, 3, 2), B=(11, 0, 3)),
}
# A fit by PyMC that is good enough to be looked at.
SHORT_CHAINS = {"likelihood": "multinomial", "draws": 250, "tune": 250, "chains": 2, "progress": False}
