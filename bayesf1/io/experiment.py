"""What the columns of a long table mean, and the evaluation that follows: one row a model and whatever was sampled.

A column has a role: model, item, group, generation, prompt, run, fold, repeat or corpus. Which roles there are says what
was sampled, and with it how surely a score is known:

====================================  ==================================================================
item                                  items, paired (`from_labels`, `from_correct`, `from_scores`)
item and generation, or prompt        means over the generations of an item (`Generations`)
item and run                          items and training (`Evaluation.with_runs`)
item and fold                         predictions out of fold (`folded`)
fold, without item                    the correlated t of final scores (`Folds`)
run, without item                     final scores of one test set (`Evaluation.methods`)
corpus, and any of these              random effects of the scores on data sets (`Corpora`)
====================================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesf1.base.arrays import FloatArray, IntArray, rows_of_cells, sparse
from bayesf1.base.naming import counted, joined, listing, quoted
from bayesf1.designs import BlockedCV, KFoldCV, design_of, read_design
from bayesf1.evaluation import Corpora, Evaluation
from bayesf1.io.folded import Gold, Marked, folded
from bayesf1.io.label_values import check_unit
from bayesf1.io.labels import from_correct, from_labels
from bayesf1.io.scores import from_scores
from bayesf1.runs import methods_of
from bayesf1.tasks.correctness import Correctness
from bayesf1.tasks.final import FinalScores, check_scored, known_share
from bayesf1.tasks.scores import Scores
from bayesf1.units import Folds, Generations, Units

# The names by which columns get a role, in small letters and without underscores; and what the role is in words.
NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "system", "method", "name"),
    "item": ("id", "item", "itemid", "docid", "questionid", "exampleid", "qid"),
    "corpus": ("dataset", "corpus", "task", "lang", "language", "benchmark"),
    "run": ("run", "seed"),
    "fold": ("fold", "cvfold", "split", "cvsplit"),
    "repeat": ("repeat", "rep"),
    "generation": ("epoch", "generation", "sample", "attempt", "trial"),
    "prompt": ("prompt", "template"),
}
ABOUT = {
    "model": "models",
    "item": "items",
    "group": "documents",
    "corpus": "data sets",
    "run": "training runs",
    "fold": "test folds",
    "repeat": "repeats of a cross-validation",
    "generation": "generations of the same model",
    "prompt": "prompts",
}
ROLES = tuple(ABOUT)
_NOUNS = {"questionid": "question", "qid": "question", "docid": "document", "dataset": "data set"}
_NOUNS |= {
    "corpus": "corpus",
    "task": "task",
    "lang": "language",
    "language": "language",
    "benchmark": "benchmark",
}
# The column of models' names in rows that were made of columns or files.
MODEL = "\0model"
# Rows of more columns than this are kept sparse.
_WIDE = 64


def _plain(column: str) -> str:
    return column.strip().lower().replace("_", "").replace(" ", "").replace("-", "")


def role_of(column: str) -> str | None:
    """Return the role that a column's name says, or None.

    Examples
    --------
    >>> role_of("CV_fold"), role_of("f1")
    ('fold', None)
    """
    return next((role for role, names in NAMES.items() if _plain(column) in names), None)


@dataclass(frozen=True)
class Roles:
    """The columns that have a role; None where there is none.

    Attributes
    ----------
    columns
        The column of each role that there is.
    said
        What was recognised by its name, as a sentence, or nothing.
    """

    columns: Mapping[str, str]
    said: str = ""

    def __getitem__(self, role: str) -> str | None:
        return self.columns.get(role)

    def without(self, *roles: str) -> Roles:
        """Return the others."""
        return replace(self, columns={r: c for r, c in self.columns.items() if r not in roles})

    @classmethod
    def of(cls, frame: Any, given: Mapping[str, str], values: Sequence[str], *, final: bool) -> Roles:
        """Return the roles that were given, and those that names say where rows need them.

        Parameters
        ----------
        frame
            The rows.
        given
            The columns that were named.
        values
            The columns that hold gold labels, predictions, answers or scores.
        final
            Whether rows hold scores, which are final unless an item is named.
        """
        check_given(given)
        found = dict(given)
        free = {role_of(c): c for c in reversed([*frame.columns]) if c not in (*values, *given.values())}
        if "model" not in found and "model" in free:
            found["model"] = free["model"]
        if "model" in found and "item" not in found and _is_shared(frame, found["model"], free.get("item")):
            found["item"] = free["item"]
        if "model" not in found:
            raise ValueError(f"which column names the model? Name it with model=: {listing(frame.columns)}")
        if "item" not in found and not final:
            others = listing(c for c in frame if c not in found.values())
            raise ValueError(f"which column tells items apart? Name it with item= (id=): {others}")
        for role in ("corpus", "run", "repeat", "fold", "generation", "prompt"):
            if (
                role in found
                or role not in free
                or (role in ("generation", "prompt") and "item" not in found)
            ):
                continue
            column = free[role]
            if frame[column].nunique() < 2 or (
                _plain(column) in ("split", "cvsplit") and not _numbered(frame[column])
            ):
                continue
            if "item" not in found or (role == "fold" and _is_partition(frame, found, column)):
                found[role] = column
            elif frame.duplicated([*found.values()]).any():
                # A name alone is no reason: a column has a role if rows of a model and an item differ in it.
                answers = frame.groupby([found["model"], found["item"]], observed=True)
                if (answers[column].nunique() > 1).any():
                    found[role] = column
        named = [role for role in found if role not in given and role != "model"]
        said = ", ".join(f"{found[role]!r} as {ABOUT[role]}" for role in named)
        # A seed of a language model that is asked again is no training.
        again = (
            f" If nothing was trained again, say generation={found['run']!r}."
            if "run" in named and "item" in found
            else ""
        )
        roles = cls(found, f"By their names columns were taken: {said}.{again}" if said else "")
        roles.check_rows(frame, values)
        return roles

    def check_rows(self, frame: Any, values: Sequence[str]) -> None:
        """Say which column tells rows apart that agree in all roles."""
        keys = [c for role, c in self.columns.items() if role != "group"]
        twice = frame[frame.duplicated(keys, keep=False)]
        if not len(twice):
            return
        first = twice.groupby(keys, sort=False, observed=True).ngroup() == 0
        rows = twice[first]
        where = ", ".join(f"{c} {quoted(rows[c].iloc[0])}" for c in keys)
        other = next((c for c in frame if c not in (*keys, *values) and rows[c].nunique() > 1), None)
        if other is None:
            raise ValueError(
                f"{len(rows)} rows have {where}; keep one, or add a column that says how they differ"
            )
        roles = ["generation", "prompt", "run"] if self["item"] else ["run", "fold", "corpus"]
        means = joined([f"{role}={other!r} ({ABOUT[role]})" for role in roles], "or")
        raise ValueError(f"{len(rows)} rows have {where} and differ in {other!r}; say what it is: {means}")


def check_given(given: Mapping[str, str]) -> None:
    """Refuse a column in a role that it cannot have, with the call that is right."""
    for role, column in given.items():
        named = role_of(column)
        if role in ("item", "group") and named in ("fold", "repeat", "run", "generation"):
            alias = "id" if role == "item" else role
            raise ValueError(
                f"{alias}={column!r} would take {ABOUT[named]} as independent {ABOUT[role]}, and a difference would be "
                f"claimed far too often; say {named}={column!r} instead"
            )


def _is_shared(frame: Any, model: str, item: str | None) -> bool:
    """Return whether models have items in common; else a column numbers the rows."""
    return item is not None and (
        frame[model].nunique() < 2 or bool(frame.groupby(item, observed=True)[model].nunique().max() > 1)
    )


def _numbered(column: Any) -> bool:
    """Return whether all values have numbers, as folds have; train and test are parts."""
    return all(any(x.isdigit() for x in str(value)) for value in column.unique())


def _is_partition(frame: Any, found: Mapping[str, str], column: str) -> bool:
    """Return whether each item has one fold, and folds have several items."""
    keys = [found[role] for role in ("item", "corpus", "repeat") if role in found]
    folds = frame[column].nunique()
    return bool(
        _numbered(frame[column])
        and 1 < folds <= frame[found["item"]].nunique() / 2
        and (frame.groupby(keys, observed=True)[column].nunique() == 1).all()
    )


def from_long(
    frame: Any,
    given: Mapping[str, str],
    *,
    gold: str | None = None,
    prediction: str | None = None,
    correct: str | None = None,
    score: str | Sequence[str] | None = None,
    name: str = "",
    lower_is_better: bool = False,
    positive: Any = None,
    cv: BlockedCV | KFoldCV | str | None = None,
    unit: str | None = None,
    remarks: tuple[str, ...] = (),
    judge: Mapping[str, str] | None = None,
) -> Evaluation:
    """Return the evaluation of a long frame of pandas by the roles of its columns."""
    scored = [score] if isinstance(score, str) else [*(score or ())]
    values = [c for c in (gold, prediction, correct, *scored) if c is not None]
    if unit is not None:
        check_unit(unit)
    roles = Roles.of(frame, given, values, final=bool(scored))
    if unit is not None:
        raise ValueError(
            "unit= does not apply to rows with roles, whose columns say what was sampled; leave it out"
        )
    content = Content(
        gold, prediction, correct, tuple(scored), name, lower_is_better, positive, cv, judge=judge
    )
    if scored:
        frame, shares = _read_scores(frame, scored)
        content = replace(content, percent=shares[0])
        said = shares[1]
    else:
        said = ()
    ev = content.corpora(frame, roles) if roles["corpus"] else content.evaluation(frame, roles)
    if ev.task.final and ev.corpora is None and not ev.methods and ev.folds is None:
        raise ValueError(
            "one final score of each model does not show how much it varies; give those of several runs (run=), folds "
            "(fold=) or data sets (corpus=), or what the models did item by item"
        )
    return replace(ev, remarks=(*ev.remarks, *remarks, *said, *([roles.said] if roles.said else [])))


def _read_scores(frame: Any, scored: Sequence[str]) -> tuple[Any, tuple[bool, tuple[str, ...]]]:
    """Return a frame with scores as numbers, and whether they are shares; shares in percent become such."""
    array = frame[list(scored)].to_numpy(dtype=float)
    if not np.isfinite(array).all():
        i, j = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"row {i + 1} has no number in column {scored[j]!r}")
    low, high = array.min(), array.max()
    known = [known_share(c) for c in scored]
    if all(m is not None and m.support == (0.0, 1.0) for m in known) and low >= 0.0 and 1.0 < high <= 100.0:
        array = array / 100.0
        return frame.assign(**dict(zip(scored, array.T, strict=True))), (
            True,
            ("Scores were taken as percent.",),
        )
    return frame.assign(**dict(zip(scored, array.T, strict=True))), (bool(low >= 0.0 and high <= 1.0), ())


@dataclass(frozen=True)
class Content:
    """What a row holds, and how it is read."""

    gold: str | None
    prediction: str | None
    correct: str | None
    scored: tuple[str, ...]
    name: str
    lower_is_better: bool
    positive: Any
    cv: BlockedCV | KFoldCV | str | None
    percent: bool = True
    judge: Mapping[str, str] | None = None

    def evaluation(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of one test set."""
        if roles["item"] is None:
            return self.final(frame, roles)
        if roles["fold"]:
            return self.out_of_fold(frame, roles)
        return (
            self.means(frame, roles) if roles["generation"] or roles["prompt"] else self.items(frame, roles)
        )

    def corpora(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of several data sets."""
        column = roles["corpus"]
        assert column is not None
        inner = roles.without("corpus")
        parts = {
            text_of(key): self.evaluation(own, inner)
            for key, own in frame.groupby(column, sort=False, observed=True)
        }
        (first_name, first), *others = parts.items()
        if not others:
            raise ValueError(
                f"there is one {column} ({first_name}), and a sample takes several; leave corpus= out"
            )
        for name, part in others:
            if {*part.names} != {*first.names}:
                missing = sorted({*part.names} ^ {*first.names})[0]
                raise ValueError(
                    f"{missing!r} is not on both {first_name!r} and {name!r}; all data sets need the same models"
                )
        metrics = [first.task.metric(asked, first.tables) for asked in first.task.default_metrics]
        task = FinalScores(
            tuple(metric.name for metric in metrics),
            any(metric.lower_is_better for metric in metrics),
            all(metric.percent for metric in metrics),
        )
        ordered = [part.select(first.names) for part in parts.values()]
        plain = [
            [part.mean_scores(part.scores(part.task.metric(m.name, part.tables))) for m in metrics]
            for part in ordered
        ]
        corpora = Corpora(_NOUNS.get(_plain(column), "data set"), tuple(parts), tuple(ordered))
        return Evaluation(first.names, task, np.mean(plain, axis=0).T.copy(), corpora=corpora)

    # ---- final scores -------------------------------------------------------------------------------------

    def final(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of final scores: of folds, of runs, or one of each model."""
        task = FinalScores(check_scored(self.scored), self.lower_is_better, self.percent)
        model, scored = roles["model"], [*self.scored]
        assert model is not None
        models = [*dict.fromkeys(map(text_of, frame[model]))]
        if roles["fold"] or roles["repeat"]:
            return self._folds(frame, roles, task, models)
        if roles["run"] is None:
            return Evaluation(tuple(models), task, frame[scored].to_numpy(dtype=float))
        names = [f"{text_of(m)}/{text_of(r)}" for m, r in zip(frame[model], frame[roles["run"]], strict=True)]
        runs = {
            m: [n for n, own in zip(names, frame[model], strict=True) if text_of(own) == m] for m in models
        }
        methods = methods_of(runs, names)
        order = [names.index(run) for method in methods for run in method.runs]
        tables = frame[scored].to_numpy(dtype=float)[order]
        whose = np.array([i for i, method in enumerate(methods) for _ in method.runs])
        varies = any(np.ptp(tables[whose == i], axis=0).any() for i in range(len(methods)))
        if len(tables) > len(methods) and not varies:
            raise ValueError(
                f"all runs of {joined([m.name for m in methods])} have the same score, which does not show how much training "
                "varies; was the seed used? Give one run of each with what it did item by item"
            )
        return Evaluation(tuple(names[i] for i in order), task, tables, methods=methods)

    def _folds(self, frame: Any, roles: Roles, task: FinalScores, models: list[str]) -> Evaluation:
        fold, repeat = roles["fold"], roles["repeat"]
        if fold is None:
            raise ValueError(
                f"repeat={repeat!r} are repeats of a cross-validation, whose folds there are not; name them with fold="
            )
        rounds = numbers_of(frame[repeat]) if repeat else np.zeros(len(frame), dtype=np.intp)
        within = [numbers_of(frame[fold].to_numpy()[rounds == j]) for j in range(int(rounds.max()) + 1)]
        folds = np.zeros(len(frame), dtype=np.intp)
        for j, own in enumerate(within):
            folds[rounds == j] = own
        place = np.array([models.index(text_of(m)) for m in frame[roles["model"]]])
        shape = (int(rounds.max()) + 1, int(folds.max()) + 1, len(models))
        if shape[1] < 2:
            raise ValueError(f"column {fold!r} has one fold; a cross-validation has two or more")
        times, sums = np.zeros(shape), np.zeros((*shape, len(self.scored)))
        np.add.at(times, (rounds, folds, place), 1.0)
        np.add.at(sums, (rounds, folds, place), frame[[*self.scored]].to_numpy(dtype=float))
        if (times == 0.0).any():
            j, k, m = np.argwhere(times == 0.0)[0]
            missing = f"fold {k + 1} of repeat {j + 1}" if shape[0] > 1 else f"fold {k + 1}"
            raise ValueError(f"{models[m]!r} has no score for {missing}; all models need all folds")
        counts = sums / times[..., None]
        cv, k = self.design(shape[0], shape[1]), 1.0 / (shape[0] * shape[1])
        return Evaluation(tuple(models), task, counts.mean(axis=(0, 1)), folds=Folds(counts, cv, k, k))

    def design(self, repeats: int, folds: int) -> BlockedCV | KFoldCV:
        """Return the design that was given, or the one that has so many repeats and folds."""
        cv = read_design(self.cv) if isinstance(self.cv, str) else self.cv
        if cv is not None and cv.shape != (repeats, folds):
            raise ValueError(f"cv= is {cv}, but the table has {counted(repeats, 'repeat')} of {folds} folds")
        return design_of(repeats, folds) if cv is None else cv

    # ---- items --------------------------------------------------------------------------------------------

    def items(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of items, each answered once by each model or run."""
        item, run = roles["item"], roles["run"]
        whole = frame.set_axis([text_of(x) for x in frame[item]])
        value = self.prediction or self.correct or self.scored[0]
        answers: dict[str, Any] = {}
        for key, own in whole.groupby([roles["model"], *([run] if run else [])], sort=False, observed=True):
            name, *trained = map(text_of, key)
            if trained:
                answers.setdefault(name, {})[trained[0]] = own[value]
            else:
                answers[name] = own[value]
        once = whole[~whole.index.duplicated()]
        how = {"groups": once[roles["group"]]} if roles["group"] else {}
        if self.gold:
            check_same(whole, self.gold, item)
            if self.judge is not None:
                how["judge"] = {name: once[c] for name, c in self.judge.items()}
            return from_labels(once[self.gold], answers, positive=self.positive, **how)
        if self.correct:
            return from_correct(answers, name=self.name, **how)
        return from_scores(
            answers, name=self.name or self.scored[0], lower_is_better=self.lower_is_better, **how
        )

    def out_of_fold(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of predictions out of fold, as `cross_validate` makes it."""
        for role in ("run", "generation", "prompt"):
            if roles[role]:
                raise ValueError(
                    f"{ABOUT[role]} beside test folds are not read; give their mean, or leave {role}= out"
                )
        if not (self.gold or self.correct):
            raise ValueError(
                "scores of items out of fold are not read yet; give fold= with gold labels or right and wrong answers"
            )
        item, repeat = roles["item"], roles["repeat"]
        whole = frame.set_axis([text_of(x) for x in frame[item]])
        once = whole[~whole.index.duplicated()]
        value, n = self.prediction or self.correct, len(once)
        groups = [*once[roles["group"]]] if roles["group"] else None
        keys = [(0, whole)] if repeat is None else [*whole.groupby(repeat, sort=False, observed=True)]
        partition, predicted = [], []
        for _, own in keys:
            folds: Any = None
            said: dict[str, list[Any]] = {}
            for model, rows in own.groupby(roles["model"], sort=False, observed=True):
                if len(rows) != n or (places := rows.index.get_indexer(once.index)).min() < 0:
                    raise ValueError(
                        f"{text_of(model)!r} did not predict each of {n} items once in every repeat"
                    )
                taken = rows.iloc[places]
                said[text_of(model)] = taken[value].tolist()
                mine = numbers_of(taken[roles["fold"]])
                if folds is not None and (mine != folds).any():
                    raise ValueError(
                        f"{text_of(model)!r} has other folds than the models before it; all need the same"
                    )
                folds = mine
            partition.append(folds)
            predicted.append(said)
        cv = self.design(len(partition), int(partition[0].max()) + 1)
        if self.gold:
            check_same(whole, self.gold, item)
        beside = (
            Gold.read(once[self.gold].tolist(), groups, self.positive)
            if self.gold
            else Marked([True] * n, groups)
        )
        return folded(beside, predicted, np.stack(partition), cv, cv.default_discount)

    def means(self, frame: Any, roles: Roles) -> Evaluation:
        """Return the evaluation of means over the generations, or prompts, of each item; models may have more or fewer."""
        item, run = roles["item"], roles["run"]
        keys = [roles["model"], *([run] if run else [])]
        names = ["/".join(map(text_of, key)) for key in zip(*(frame[c] for c in keys), strict=True)]
        models = [*dict.fromkeys(names)]
        place, which = np.array([models.index(n) for n in names]), numbers_of(frame[item])
        n, once = int(which.max()) + 1, ~frame.duplicated([item]).to_numpy()
        times = np.zeros((len(models), n))
        np.add.at(times, (place, which), 1.0)
        if (times == 0.0).any():
            m, i = np.argwhere(times == 0.0)[0]
            raise ValueError(
                f"{models[m]!r} has no answer to item {quoted(frame[item].to_numpy()[once][i])}; all models need all items"
            )
        task, rows = self.rows(frame)
        blocks, apart, weights = [], [], []
        for m in range(len(models)):
            mine = np.flatnonzero(place == m)
            own, k = rows[mine], times[m, which[mine]]
            mean = sparse((1.0 / k, (which[mine], np.arange(len(mine)))), (n, len(mine))) @ own
            blocks.append(mean)
            some = k > 1.0
            if some.any():
                # Items with one generation vary as much as those with more do on average.
                single, several = (times[m] == 1.0).sum(), (times[m] > 1.0).sum()
                moved = own[some] - mean[which[mine][some]]
                apart.append(_beside(moved, m, len(models)))
                weights.append((1.0 / k[some] + single / several) / (k[some] - 1.0))
        units = _units(_stacked(blocks), np.ones(n), _NOUNS.get(_plain(str(item)), "example"))
        groups = numbers_of(frame[roles["group"]][once]) if roles["group"] else None
        documents = None
        if groups is not None:
            sums = sparse((np.ones(n), (groups, np.arange(n))), (int(groups.max()) + 1, n)) @ _stacked(blocks)
            documents = _units(sums, np.ones(int(groups.max()) + 1), "document")
        ev = Evaluation.of_units(tuple(models), task, documents or units, units if documents else None)
        if apart:
            from scipy.sparse import vstack

            found = _units(sparse(vstack(apart)), np.concatenate(weights), "generation")
            noun = "generation" if roles["generation"] else "prompt"
            ev = replace(ev, generations=Generations(found, int(times.min()), int(times.max()), noun))
        if not run:
            return ev
        owners: dict[str, list[str]] = {}
        for name in models:
            owners.setdefault(name.rpartition("/")[0], []).append(name)
        return ev.with_runs(owners)

    def rows(self, frame: Any) -> tuple[Any, Any]:
        """Return the task, and what each row adds to its model's table, a sparse array (row, cell)."""
        if self.gold:
            said = {"model": frame[self.prediction].tolist()}
            gold = Gold.read(frame[self.gold].tolist(), None, self.positive).knowing([said])
            return gold.evaluate(said).task, gold.rows(said)
        if self.correct:
            flags = {"model": frame[self.correct].to_numpy(dtype=float)}
            return from_correct(flags, name=self.name).task, Marked([]).rows(flags)
        scores = frame[self.scored[0]].to_numpy(dtype=float)
        if ((scores == 0.0) | (scores == 1.0)).all():
            down = ("wrong", "right") if self.lower_is_better else ("right", "wrong")
            return Correctness(down, self.name or self.scored[0]), Marked([]).rows({"model": scores})
        values, which = np.unique(scores, return_inverse=True)
        task = Scores(tuple(values.tolist()), self.name or self.scored[0], self.lower_is_better)
        return task, rows_of_cells(which[:, None], len(values))


# ---- columns ----------------------------------------------------------------------------------------------


def melted(frame: Any, models: Mapping[str, str], value: str) -> tuple[Any, dict[str, str], str]:
    """Return a frame with a column for each model as one with a row for each, the column of models and that of values."""
    keys = [c for c in frame.columns if c not in models.values()]
    named = frame.rename(columns={column: name for name, column in models.items()})
    value = value if value not in keys else f"{value} of a model"
    long = named.melt(id_vars=keys, value_vars=[*models], var_name=MODEL, value_name=value)
    return long, {"model": MODEL}, value


def text_of(value: Any) -> str:
    """Return a name as text; numbers that are whole without a point."""
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value)


def numbers_of(column: Iterable[Any]) -> IntArray:
    """Return values as numbers from 0, in the order in which they first occur."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(text_of(value), len(known)) for value in column], dtype=np.intp)


def check_same(whole: Any, column: str, item: str | None) -> None:
    """Say which item has different gold labels in different rows."""
    different = whole.groupby(level=0, sort=False)[column].nunique() > 1
    if different.any():
        where = different.index[different.to_numpy()][0]
        raise ValueError(
            f"{item} {quoted(where)} has different {column} in different rows; it should be the same for all models"
        )


def _stacked(blocks: Sequence[Any]) -> Any:
    from scipy.sparse import hstack

    return sparse(hstack(blocks, format="csr"))


def _beside(rows: Any, place: int, n: int) -> Any:
    """Return rows of one model among the columns of all."""
    from scipy.sparse import csr_array

    width, taken = rows.shape[1], csr_array(rows)
    return csr_array((taken.data, taken.indices + place * width, taken.indptr), (taken.shape[0], n * width))


def _units(rows: Any, weights: FloatArray, name: str) -> Units:
    narrow = rows.shape[1] <= _WIDE
    return Units.merge(rows.toarray() if narrow else rows, weights, name)
