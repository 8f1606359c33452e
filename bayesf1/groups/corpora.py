"""Several corpora, folds or seeds: one table each, as counts that a hierarchical model takes in."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray
from bayesf1.base.checks import is_number
from bayesf1.base.naming import listing, nearest
from bayesf1.evaluation.evaluation import Evaluation, check_evaluation
from bayesf1.evaluation.kind import Kind
from bayesf1.evaluation.runs import check_one_run
from bayesf1.evaluation.under import ASSUMPTIONS, Assumption, Under
from bayesf1.evaluation.units import Units

# Joint outcomes double with every model; beyond three models there are too few items in each.
MAX_PAIRED = 3
# Whether an assumption asks for joint outcomes; "auto" and "items" take them where they are known.
_PAIRED = {"auto": None, "items": None, "independent": False, "paired": True}
# Names of the questions that are not about one corpus at hand, and other names for them.
QUESTIONS = ("average", "new", "suite")
ALIASES = {"population": "average"}


@dataclass(frozen=True, eq=False)
class Groups:
    """Counts of outcomes in several groups.

    A *block* is a set of outcomes of which every item has one: the cells of one model's table, or the joint
    outcomes of all models on one item.

    Attributes
    ----------
    names, noun
        Names of the groups, and what one is called.
    ev
        The models' tables, axes (group, model, cell), as separate experiments.
    counts, labels
        Counts of the outcomes, axes (group, block, outcome), and the outcomes' names.
    outcomes
        What one item of each outcome adds, axes (outcome, model in block, cell).
    assumption, note
        ``"paired"`` where outcomes are joint, else ``"independent"``, and why, where they might have been paired.
    """

    names: tuple[str, ...]
    noun: str
    ev: Evaluation
    counts: FloatArray
    outcomes: FloatArray
    labels: tuple[str, ...]
    assumption: Assumption
    note: str = ""

    def tables(self, shares: FloatArray) -> FloatArray:
        """Return the models' tables (..., model, cell) that shares of outcomes (..., block, outcome) make."""
        flat = shares @ self.outcomes.reshape(len(self.outcomes), -1)
        return flat.reshape(*shares.shape[:-2], len(self.ev.models), len(self.ev.cells))

    @property
    def joint(self) -> bool:
        """Whether outcomes are those of all models on one item."""
        return bool(self.outcomes.shape[1] > 1)

    def alpha(self, prior: float | None) -> FloatArray:
        """Return Dirichlet parameters (block, outcome) that put λ on every cell of a model's table."""
        each = self.ev.kind.outcome_prior(prior) / (2 ** (len(self.ev.models) - 1) if self.joint else 1)
        return np.full(self.counts.shape[1:], each)


def read_groups(
    data: Evaluation | Mapping[str, Evaluation], *, paired: bool, assumption: str = "auto"
) -> Groups:
    """Return the groups of a mapping of evaluations, or of the folds or the several experiments of one.

    Where joint outcomes are of use, as `paired` says, the assumption ``"auto"`` pairs models if single items are
    known, ``"paired"`` insists on it, ``"independent"`` does not. Items of one document, or sentence, are not
    independent trials as a multinomial takes them, and are refused unless the assumption ``"items"`` says so.

    Examples
    --------
    >>> from bayesf1 import load_example
    >>> groups = read_groups(load_example("wang-li-org"), paired=False)
    >>> groups.names[0], groups.counts.shape
    ('repeat 1, fold 1', (6, 2, 3))
    """
    if assumption not in _PAIRED:
        raise ValueError(f"unknown assumption {assumption!r}; {nearest(str(assumption), _PAIRED)}")
    asked = _PAIRED[assumption]
    if not isinstance(data, Mapping):
        check_evaluation(data)
        if asked:
            raise ValueError("folds are known by each model's totals only; models cannot be paired")
        noun, names, tables = parts_of(data)
        return _marginal(names, noun, data.models, data.kind, tables)
    evaluations = check_corpora(data)
    for name, ev in evaluations.items():
        check_one_run(ev, f"a model of counts, as that of corpus {name!r},")
    _check_outcomes(evaluations)
    clusters = _clusters(evaluations)
    if clusters and assumption == "auto":
        name, unit = next(iter(clusters.items()))
        raise ValueError(
            f"corpus {name!r} was sampled by the {unit}, and a multinomial takes all items as independent; use the "
            "likelihood 'scores', which knows of units, or say assumption 'items' to take them so"
        )
    loose = (
        f"items of one {next(iter(clusters.values()))} were taken as independent, which is too sure where they are alike"
        if clusters
        else ""
    )
    paired = paired and asked is not False
    note = _why_not_paired(evaluations) if paired else ""
    if asked and (note or not paired):
        raise ValueError(note or "only the logistic-normal likelihood can pair models; ask for that")
    if paired and not note:
        return replace(_joint(evaluations), note=loose)
    note = "; ".join(filter(None, (loose, note)))
    if not note and any(ev.folds is not None for ev in evaluations.values()):
        note = "the folds of a corpus are summed and discounted, as compare() does"
    kinds = [ev.kind for ev in evaluations.values()]
    kind = functools.reduce(lambda a, b: a if a == b else a.union(b), kinds)
    counts = np.stack([kind.outcome_counts(ev.widened(kind)) for ev in evaluations.values()])
    models = next(iter(evaluations.values())).models
    return _marginal(tuple(evaluations), "corpus", models, kind, counts, note)


def parts_of(ev: Evaluation) -> tuple[str, tuple[str, ...], FloatArray]:
    """Return what the parts of one evaluation are called, their names, and their tables (part, model, cell)."""
    if ev.folds is not None:
        repeats, folds = ev.folds.counts.shape[:2]
        names = tuple(f"repeat {r + 1}, fold {f + 1}" for r in range(repeats) for f in range(folds))
        return "fold", names, ev.folds.counts.reshape(-1, *ev.folds.counts.shape[2:])
    if len(ev.shape) == 1:
        return "experiment", tuple(f"experiment {i + 1}" for i in range(ev.shape[0])), ev.tables
    raise ValueError(
        "one evaluation is one corpus: give several by name, as {'conll': ev1, 'wnut': ev2}, or one of folds"
    )


def _marginal(
    names: tuple[str, ...], noun: str, models: tuple[str, ...], kind: Kind, counts: FloatArray, note: str = ""
) -> Groups:
    """Return groups whose outcomes are those of each model by itself, from counts (group, model, outcome)."""
    outcomes = kind.outcomes
    if outcomes is None or counts.shape[-1] != len(outcomes.labels):
        raise ValueError(
            f"a multinomial needs items of one outcome each, but of {kind.about} only sums of several are known here"
        )
    ev = Evaluation(models, kind, counts @ outcomes.rows)
    return Groups(names, noun, ev, counts, outcomes.rows[:, None], outcomes.labels, "independent", note)


def _joint(evaluations: dict[str, Evaluation]) -> Groups:
    """Return groups whose outcomes are the joint ones of all models on one item."""
    first = next(iter(evaluations.values()))
    outcomes = first.kind.joint_outcomes(len(first.models))
    assert outcomes is not None
    place = {row.tobytes(): i for i, row in enumerate(outcomes.reshape(len(outcomes), -1))}
    counts = np.zeros((len(evaluations), 1, len(outcomes)))
    for g, ev in enumerate(evaluations.values()):
        items = _items(ev)
        assert items is not None
        for row, weight in zip(np.asarray(items.rows, dtype=float), items.weights, strict=True):
            if row.any():
                counts[g, 0, place[row.tobytes()]] += weight
    tables = (counts[:, 0] @ outcomes.reshape(len(outcomes), -1)).reshape(len(counts), *outcomes.shape[1:])
    ev = Evaluation(first.models, first.kind, tables)
    labels = tuple(
        "+".join(first.cells[int(table.argmax())] if table.any() else "-" for table in row)
        for row in outcomes
    )
    return Groups(tuple(evaluations), "corpus", ev, counts, outcomes, labels, "paired")


def _clusters(evaluations: dict[str, Evaluation]) -> dict[str, str]:
    """Return what was sampled of each corpus whose units hold several items."""
    taken = {name: ev.under() for name, ev in evaluations.items()}
    return {name: under.ev.unit for name, under in taken.items() if not under.single}


def under_of(ev: Evaluation, assumption: str) -> Under:
    """Return a corpus under an assumption; ``"items"`` takes single items, paired where they are known of all models.

    Examples
    --------
    >>> from bayesf1 import from_counts
    >>> under_of(from_counts(A=(77, 44, 10)), "items").assumption
    'independent'
    """
    if assumption not in (*ASSUMPTIONS, "items"):
        raise ValueError(
            f"unknown assumption {assumption!r}; {nearest(str(assumption), (*ASSUMPTIONS, 'items'))}"
        )
    if assumption != "items":
        return ev.under(assumption)
    single = ev.under().single or ev.items is not None
    return ev.under("paired" if single and ev.units is not None and ev.units.shared else "independent")


def _items(ev: Evaluation) -> Units | None:
    return ev.units if ev.under().paired else ev.finer


def _why_not_paired(evaluations: dict[str, Evaluation]) -> str:
    """Say why models are not paired within a corpus, or nothing where they are."""
    for name, ev in evaluations.items():
        if len(ev.models) == 1:
            return "there is one model only, so there is nothing to pair"
        if ev.kind.joint_outcomes(1) is None:
            return "models are paired on single items of a binary task, and here there are several classes"
        if _items(ev) is None:
            known = f"the sums over each {ev.unit}" if ev.under().shared else "totals"
            return f"models are not paired within a corpus, as of {name!r} only {known} are known"
        if len(ev.models) > MAX_PAIRED:
            return (
                f"models are not paired within a corpus, as {len(ev.models)} have too many joint outcomes; "
                f"select at most {MAX_PAIRED} to pair them"
            )
    return ""


def suite_weights(weights: Mapping[str, float], names: tuple[str, ...]) -> dict[str, float]:
    """Return the share of each corpus in a suite, equal ones where no weights are given.

    Examples
    --------
    >>> suite_weights({"x": 3, "y": 1}, ("x", "y"))
    {'x': 0.75, 'y': 0.25}
    """
    if not weights:
        return dict.fromkeys(names, 1.0 / len(names))
    for name in weights:
        if name not in names:
            raise ValueError(
                f"there is a weight of {name!r}, which is no corpus; {nearest(str(name), names)}"
            )
    for name in names:
        value: Any = weights.get(name)
        if not is_number(value) or not 0.0 <= value < np.inf:
            raise ValueError(f"the weight of {name!r} must be a number from 0, not {value!r}")
    total = float(sum(weights.values()))
    if not total > 0.0:
        raise ValueError("all weights of the suite are 0; one at least must be above")
    return {name: float(weights[name]) / total for name in names}


def check_corpora(data: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """Return corpora by name with their models in one order, or say what is wrong with them."""
    if not data:
        raise ValueError("no corpus given; name at least one, as {'conll': ev1, 'wnut': ev2}")
    first_name, first = next(iter(data.items()))
    for name, ev in data.items():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"corpus name {name!r} is not a non-empty string")
        if name in (*QUESTIONS, *ALIASES):
            raise ValueError(f"a corpus cannot be called {name!r}, which names a question; rename it")
        check_evaluation(ev)
        if ev.shape:
            raise ValueError(
                f"corpus {name!r} has tables with leading axes {ev.shape}; give one table a model for a corpus"
            )
        if set(ev.names) != set(first.names):
            raise ValueError(
                f"corpus {name!r} has the models {listing(ev.names)}, but {first_name!r} has "
                f"{listing(first.names)}; select those that all have"
            )
    return {name: ev.select(first.names) for name, ev in data.items()}


def _check_outcomes(evaluations: dict[str, Evaluation]) -> None:
    """Raise a ValueError where corpora do not count items of one outcome each, and all the same."""
    first_name, first = next(iter(evaluations.items()))
    for name, ev in evaluations.items():
        if ev.kind.outcomes is None:
            raise ValueError(
                f"corpus {name!r} has items that are not in one cell each ({ev.task}), as a multinomial needs; "
                "use the likelihood 'scores'"
            )
        if type(ev.kind) is not type(first.kind) or not (ev.classes or ev.cells == first.cells):
            raise ValueError(
                f"corpus {name!r} has the cells {listing(ev.cells, most=8)}, but {first_name!r} has "
                f"{listing(first.cells, most=8)}; keep those that all have, as ev.keep(('tp', 'fp', 'fn'))"
            )
