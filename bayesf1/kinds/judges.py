"""What judges are worth where only some items have a gold label, and what cells without a label could change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesf1.base.arrays import FloatArray
from bayesf1.base.naming import joined, listing
from bayesf1.base.table import digits_of, points
from bayesf1.evaluation.metric import Metric
from bayesf1.evaluation.units import Units
from bayesf1.kinds.strata import PROBABILITY, Strata, strata_of

if TYPE_CHECKING:
    from bayesf1.evaluation.evaluation import Evaluation
    from bayesf1.evaluation.under import Under
    from bayesf1.kinds.audited import Audited

# Draws from which it is seen how much a judge tells.
_DRAWS = 4000
# Share of items whose gold labels rest on each voice alone, from which on a reader must be told.
_GUESSED = 0.05
# Share of what judges could agree on beyond independence, from which on they are copies of one another: independent ones
# have -.05 to .13, those that err on the same hard items up to .3, and those that copy 85 % of their words .6 to .9.
_COPIED = 0.5
# Cells whose labels are tried one by one.
_MOST_EMPTY = 12


class Agreement(NamedTuple):
    """How far a judge agrees with gold.

    Attributes
    ----------
    judge
        Its name.
    share
        The share of all items on which it says what gold says, or would say.
    kappa
        Cohen's kappa, the agreement beyond chance; below 0 the judge is worse than chance.
    """

    judge: str
    share: float
    kappa: float


def agreement(kind: Audited, tables: FloatArray) -> tuple[Agreement, ...]:
    """Return how far each judge agrees with gold, of those that speak of gold labels and not in scores."""
    found = []
    for judge, matrix in _confusions(kind, tables).items():
        share = float(np.trace(matrix[:, :-1]))
        chance = float(matrix.sum(axis=1) @ matrix.sum(axis=0)[:-1])
        found.append(Agreement(judge, share, (share - chance) / (1.0 - chance) if chance < 1.0 else 0.0))
    return tuple(found)


def _confusions(kind: Audited, tables: FloatArray) -> dict[str, FloatArray]:
    """Return which share of all items has each gold label and word of a judge, of those that speak of gold labels."""
    strata, counts = kind.strata, kind.counts(tables)
    gold = counts[:, :-1] + counts[:, -1:] * strata.shares(counts[:, :-1])
    words = np.eye(len(strata.golds) + 1)
    return {
        judge: np.asarray(gold.T @ words[judge_words(strata, judge)] / gold.sum())
        for j, judge in enumerate(strata.judges, start=len(strata.models))
        if judge != PROBABILITY and not {said[j] for said in strata.said}.isdisjoint(strata.golds)
    }


def copies(under: Under, kind: Audited) -> Iterator[str]:
    r"""Say which judges repeat one another, as strata without labels take each for a witness of its own.

    Judges that say the same on a share o of all items, and on e if they err independently given gold,
    :math:`e = \sum_g P(g) \sum_w P_1(w \mid g) P_2(w \mid g)`, are as dependent as :math:`(o - e)/(1 - e)` says.
    """
    items, known = kind.counts(under.ev.tables).sum(axis=1), _confusions(kind, under.ev.tables)
    found = []
    for one, other in combinations(known, 2):
        joint, gold = known[one] * known[other], known[one].sum(axis=1)
        expected = float((joint.sum(axis=1)[gold > 0.0] / gold[gold > 0.0]).sum())
        same = judge_words(kind.strata, one) == judge_words(kind.strata, other)
        observed = float(items[same].sum() / items.sum())
        if observed - expected > _COPIED * (1.0 - expected):
            found.append((one, other, observed, expected))
    if found:
        names = [judge for judge in known if any(judge in pair[:2] for pair in found)]
        observed, expected = (100.0 * float(np.mean([pair[i] for pair in found])) for i in (2, 3))
        yield (
            f"{joined(names)} say the same on {observed:.3g} % of items, where judges that err independently would on "
            f"{expected:.3g} %. They are taken for {len(names)} witnesses where labels are few, which makes intervals too "
            "short: keep one of them, or label more items."
        )


def judge_words(strata: Strata, judge: str) -> NDArray[np.intp]:
    """Return what a judge says in each stratum as a number of a gold label, and their number for any other word."""
    j = strata.voices.index(judge)
    place = {name: i for i, name in enumerate(strata.golds)}
    # Of two gold labels the first is whatever is not the second.
    otherwise = 0 if len(place) == 2 else len(place)
    return np.array([place.get(row[j], otherwise) for row in strata.said], dtype=np.intp)


def judged(under: Under, kind: Audited) -> Iterator[str]:
    """Say how far judges agree with gold."""
    for judge, share, kappa in agreement(kind, under.ev.tables):
        beyond = f"kappa {kappa:.2f}"
        if kappa <= 0.0:
            beyond += ", no better than chance: it does no harm but to width"
        yield f"{judge} agrees with gold on {100 * share:.3g} % of items ({beyond})."


def labels_worth(under: Under, kind: Audited, measure: Metric) -> float:
    r"""Return how many gold labels the judges replace: :math:`n (V_0/V_1 - 1)` for n labels.

    V are posterior variances of the score, or of the difference of two, without and with what the judges said.
    """
    with_judges, without = (
        _variance(one, measure) for one in (under, replace(under, ev=without_judges(under.ev)))
    )
    labelled = float(kind.counts(under.ev.tables)[:, :-1].sum())
    return labelled * (without / with_judges - 1.0) if with_judges > 0.0 else 0.0


def _variance(under: Under, measure: Metric) -> float:
    kind = under.ev.kind
    if measure.needs != kind.cells and measure.origin is not None:
        measure = kind.measure(measure.origin[1], under.ev.tables)
    n_draws = min(_DRAWS, under.default_draws)
    blocks = under.scores([measure], prior=kind.default_prior, n_draws=n_draws, rng=np.random.default_rng(0))
    scores = np.concatenate([block for (block,) in blocks])
    return float(np.var(scores[:, 1] - scores[:, 0] if scores.shape[1] > 1 else scores[:, 0]))


def worth(under: Under, kind: Audited, measure: Metric) -> Iterator[str]:
    """Say how many gold labels the judges replace."""
    judges = [judge for judge in kind.strata.judges if judge != PROBABILITY]
    if not judges or measure.origin is None or under.ev.alike or len(under.ev.names) > 2:
        return
    if guessed(kind, under.ev.tables) > _GUESSED:
        return
    found = labels_worth(under, kind, measure)
    is_are = "is" if len(judges) == 1 else "are together"
    names = under.ev.names
    of_what = f"the difference in {measure.label}" if len(names) == 2 else f"{measure.label} of {names[0]}"
    if found < 1.0:
        yield f"For {of_what}, {joined(judges)} {is_are} worth no gold label."
        return
    digits = max(len(f"{found:.0f}") - 2, 0)
    yield f"For {of_what}, {joined(judges)} {is_are} worth about {round(found, -digits):,.0f} gold labels."


def without_judges(ev: Evaluation) -> Evaluation:
    """Return the evaluation as it is where nothing but the predictions is known of every item."""
    from scipy.sparse import block_diag, csr_array

    kind: Audited = ev.kind  # type: ignore[assignment]
    old = kind.strata
    kept = [i for i, voice in enumerate(old.voices) if i < len(old.models) or voice == PROBABILITY]
    said = [tuple(row[i] for i in kept) for row in old.said]
    new, which = strata_of(old.golds, old.models, [old.voices[i] for i in kept[len(old.models) :]], said)
    width = len(old.golds) + 1
    place = {pair: i for i, pair in enumerate(new.pairs)}
    pair = np.array([place[int(which[c]), own] for c, own in old.pairs])
    to = (pair[:, None] * width + np.arange(width)).ravel()
    shape = (len(old.cells), len(new.cells))
    move = csr_array((np.ones(len(to)), (np.arange(len(to)), to)), shape=shape)
    moves = block_diag([move] * len(ev.models), format="csr")

    def moved(units: Units | None) -> Units | None:
        if units is None:
            return None
        return Units.merge(units.rows @ moves, units.weights, units.name, shared=units.shared)

    tables = np.asarray(ev.tables @ move)
    coarse = replace(kind, strata=new, unlabelled=None)
    return replace(ev, kind=coarse, tables=tables, units=moved(ev.units), finer=moved(ev.finer))


def guessed(kind: Audited, tables: FloatArray) -> float:
    """Return the share of items without a labelled one in any stratum like theirs, of which voices tell one by one."""
    counts, pools = kind.counts(tables), kind.strata.pools
    alike = pools.sums(counts[:, :-1])[pools.slots].sum(axis=1)
    return float(counts[alike == 0.0, -1].sum() / counts.sum())


def too_many_voices(under: Under, kind: Audited) -> Iterator[str]:
    """Say where labels are too few for what so many voices can say."""
    share = guessed(kind, under.ev.tables)
    if share > _GUESSED:
        yield (
            f"{100 * share:.2g} % of all items lie where nothing alike is labelled: their gold labels rest on how often each "
            "model and judge is right on its own, as if they erred independently. More labels would test that."
        )


def empty_strata(under: Under, kind: Audited, measure: Metric) -> Iterator[str]:
    """Say which strata hold no label, and how far their gold labels could move the answer."""
    strata, counts = kind.strata, kind.counts(under.ev.tables)
    empty = np.flatnonzero((counts[:, :-1].sum(axis=1) == 0.0) & (counts[:, -1] > 0.0))
    if not len(empty):
        return
    order = empty[np.argsort(-counts[empty, -1], kind="stable")]
    held = 100.0 * counts[empty, -1].sum() / counts.sum()
    named = listing((f"{strata.words(c)}: {counts[c, -1]:,.0f}" for c in order), most=3)
    their = "its items" if len(empty) == 1 else "their items"
    said = (
        f"No item is labelled in {len(empty)} of {strata.size} cells of what is known, with {held:.2g} % of all items "
        f"({named}); {their} take gold labels as cells like them have"
    )
    ends = _extremes(under, kind, measure, order)
    if ends is None:
        yield f"{said}."
        return
    names, several = under.ev.names, len(under.ev.names) > 1
    digits = max(digits_of(*ends, percent=measure.percent), 1)
    low, high = (points(end, digits, sign=several, percent=measure.percent) for end in ends)
    of = f"{names[1]} minus {names[0]}" if several else names[0]
    unit = ("" if not measure.percent else " percentage points" if several else " %") + "."
    yield f"{said}, and could move {measure.label} of {of} to between {low} and {high}{unit}"


def _extremes(
    under: Under, kind: Audited, measure: Metric, empty: NDArray[np.intp]
) -> tuple[float, float] | None:
    """Return the least and most that a score, or the difference of two, may be, one cell after another."""
    ev, strata = under.ev, kind.strata
    inner = measure.origin and kind.task.measure(measure.origin[1], kind.tables_of(strata.filled(ev.tables)))
    if inner is None or len(empty) > _MOST_EMPTY or len(ev.names) > 2:
        return None
    task, usual = inner, strata.shares(kind.counts(ev.tables)[:, :-1])

    def score(shares: FloatArray) -> float:
        tables = kind.tables_of(strata.filled(ev.tables, shares))
        scores = ev.mean_scores(task(tables, kind.task.cells))
        return float(scores[..., -1] - scores[..., 0] if len(ev.names) > 1 else scores[..., 0])

    found = []
    for best in (min, max):
        shares = usual.copy()
        for c in empty.tolist():
            tried = []
            for gold in np.eye(len(strata.golds)):
                shares[c] = gold
                tried.append((score(shares), gold.tolist()))
            shares[c] = best(tried)[1]
        found.append(score(shares))
    return found[0], found[1]
