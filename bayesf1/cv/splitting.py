"""Split items into balanced blocks and halves."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import numbers_of
from bayesf1.base.naming import printable

if TYPE_CHECKING:
    import pandas as pd

# A remainder of n may need a matrix up to twice the first, and all up to order 48 can be built.
MAX_REPEATS = 23
MAX_COUNT = 1e15
# A y with more values than this, or more than a few where they are fractions, holds no classes.
MOST_CLASSES, FEW_VALUES = 500, 20
# A swap is sought among so many units (more would wake the threads of BLAS), so often, so often in vain.
_POOL, _SWAPS, _IDLE = 64, 300, 10


@functools.cache
def hadamard(order: int) -> FloatArray:
    """Return a matrix of signs with orthogonal columns, the first of them all +1.

    Orders are 2 and the multiples of 4 up to 48, by doubling or after Paley.

    Examples
    --------
    >>> h = hadamard(12)
    >>> bool((h.T @ h == 12 * np.eye(12)).all()), bool((h[:, 0] == 1).all())
    (True, True)
    """
    h: Any
    if order % 4 == 0 and _is_prime(order - 1):
        h = np.eye(order) + _conference(order - 1)
    elif order % 8 == 4 and _is_prime(order // 2 - 1):
        c = _conference(order // 2 - 1)
        h = np.kron(c, hadamard(2)) + np.kron(np.eye(len(c)), np.array([[1.0, -1.0], [-1.0, -1.0]]))
    elif 0 < order <= 48 and order % 8 == 0:
        h = np.kron(hadamard(2), hadamard(order // 2))
    elif order == 2:
        h = np.array([[1.0, 1.0], [1.0, -1.0]])
    else:
        raise ValueError(f"no Hadamard matrix of order {order}; use 2 or a multiple of 4 up to 48")
    signs: FloatArray = h * h[:, :1]
    signs.setflags(write=False)
    return signs


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, math.isqrt(number) + 1))


def _conference(q: int) -> FloatArray:
    # Paley (1933): quadratic residues of a prime, bordered; skew for q = 4k+3, symmetric for q = 4k+1
    character = -np.ones(q)
    character[np.arange(1, q) ** 2 % q] = 1.0
    character[0] = 0.0
    c = np.ones((q + 1, q + 1))
    c[0, 0] = 0.0
    c[1:, 0] = character[-1]
    c[1:, 1:] = np.stack([np.roll(character, k) for k in range(q)], axis=1)
    return c


def blocks(m: int) -> int:
    """Return the number of blocks that m halvings need.

    Examples
    --------
    >>> [blocks(m) for m in (1, 3, 5, 7, 8, 11, 23)]
    [2, 4, 8, 8, 12, 12, 24]
    """
    if m > MAX_REPEATS:
        raise ValueError(f"m = {m} repeats cannot be laid out in blocks; use m from 1 to {MAX_REPEATS}")
    return 2 if m == 1 else 4 * (m // 4 + 1)


@dataclass(frozen=True, eq=False)
class Corpus:
    """What is split, and what is to be alike in all halves: items, classes of y, columns of balance."""

    names: tuple[str, ...]
    counts: FloatArray
    labels: IntArray | None
    documents: IntArray | None
    note: str

    @classmethod
    def read(cls, X: Any, y: Any, groups: Any, balance: Any, m: int) -> Corpus:
        """Check the arguments of a split against each other and against the number of blocks."""
        given = [(v, name) for v, name in ((X, "X"), (y, "y"), (groups, "groups")) if v is not None]
        if not given:
            raise ValueError("there is nothing to split: X, y and groups are None; give X or y")
        n = length(*given[0])
        names, counts = ([], np.empty((n, 0))) if balance is None else read_balance(balance)
        if len(counts) != n:
            raise ValueError(f"balance has {len(counts)} rows for {n} items; give one for each item")
        labels, classes, note = (None, [], "") if y is None else _read_labels(y, n)
        documents = None if groups is None else _read_documents(groups, n)
        units = n if documents is None else int(documents.max(initial=-1)) + 1
        if units < blocks(m):
            what = "items" if documents is None else "groups"
            raise ValueError(
                f"{m}×2 cross-validation needs {blocks(m)} {what} or more, but there are {units}"
            )
        # Documents of one item each are items, for which more can be promised.
        documents = None if units == n else documents
        return cls(("items", *classes, *names), counts, labels, documents, note)

    def totals(self, which: BoolArray | slice = slice(None), power: int = 1) -> FloatArray:
        """Return sums, or sums of squares, of all that is counted over some of the items."""
        counts, k = self.counts[which], len(self.names) - 1 - self.counts.shape[1]
        classes = np.zeros(0) if self.labels is None else np.bincount(self.labels[which], minlength=k)
        return np.concatenate([[float(len(counts))], classes, (counts**power).sum(axis=0)])

    def by_document(self, d: IntArray) -> FloatArray:
        """Return the totals of all that is counted in each document, axes (document, count)."""
        size, k = int(d.max()) + 1, len(self.names) - 1 - self.counts.shape[1]
        cells = d[:0] if self.labels is None else d * k + self.labels
        classes = np.bincount(cells, minlength=size * k).reshape(size, k)
        sums = [np.bincount(d, column, minlength=size) for column in self.counts.T]
        return np.column_stack([np.bincount(d, minlength=size), classes, *sums]).astype(float)


def length(values: Any, name: str) -> int:
    """Return the number of entries of a list, array, sparse matrix or frame, or say that it has none."""
    shape = getattr(values, "shape", None)
    try:
        return int(shape[0]) if isinstance(shape, tuple) and shape else len(values)
    except TypeError:
        raise ValueError(f"{name} is {type(values).__name__}, without a length") from None


def read_balance(balance: Any) -> tuple[list[str], FloatArray]:
    """Return names and values of counts, axes (item, count), or say what is wrong with them."""
    names = [str(name) for name in getattr(balance, "columns", ())]
    dense = balance.toarray() if hasattr(balance, "toarray") else balance
    array = numbers_of(dense, "balance", remedy="should be numbers (item, count)")
    if array.ndim not in (1, 2):
        raise ValueError(f"balance has {array.ndim} axes, but should be numbers (item, count)")
    array = array[:, None] if array.ndim == 1 else array
    names = names or [f"balance[{t}]" for t in range(array.shape[1])]
    bad = ~((array >= 0) & (array <= MAX_COUNT))
    if bad.any():
        i, t = (int(k) for k in np.argwhere(bad)[0])
        raise ValueError(
            f"balance has {array[i, t]:g} for item {i}, {names[t]}; counts are from 0 to {MAX_COUNT:g}"
        )
    return names, array


def _read_labels(y: Any, n: int) -> tuple[IntArray | None, list[str], str]:
    codes, values = _numbered(y, "y", n)
    if codes is None:
        return None, [], "y is not balanced: it is not one label for each item; count what matters in balance"
    if len(values) > min(n // 2, FEW_VALUES if isinstance(next(iter(values), None), float) else MOST_CLASSES):
        return None, [], f"y is not balanced: its {len(values)} values for {n} items are not classes"
    return codes, [f"y={value}" for value in values], ""


def _read_documents(groups: Any, n: int) -> IntArray:
    codes, values = _numbered(groups, "groups", n)
    if codes is None:
        raise ValueError(f"groups is not a list of {n} names or numbers; give the document of each item")
    for k, value in enumerate(values):
        if not isinstance(value, str) and str(value) in ("None", "nan", "<NA>", "NaT"):
            i = int(np.argmax(codes == k))
            raise ValueError(f"groups has {value} for item {i}; give each item the name of its document")
    return codes


def _numbered(values: Any, name: str, n: int) -> tuple[IntArray | None, list[Any]]:
    """Return the number of each item's value and the values, or None where an item has not one value."""
    if (found := length(values, name)) != n:
        raise ValueError(f"{name} has {found} entries for {n} items; give one for each item")
    try:
        array = np.asarray(values)
        array = array.ravel() if array.shape == (n, 1) else array
        if array.ndim != 1:
            return None, []
        if array.dtype.kind in "biuf":
            distinct, codes = np.unique(array, return_inverse=True)
            return codes.astype(np.intp), distinct.tolist()
        known: dict[Any, int] = {}
        return np.array([known.setdefault(v, len(known)) for v in array.tolist()], dtype=np.intp), [*known]
    except (ValueError, TypeError):
        # ragged, or of values that cannot be hashed
        return None, []


class _Deal:
    """Units go to the rows of sign matrices, each where it evens out what came before."""

    def __init__(self, counts: FloatArray, labels: IntArray | None, matrix: FloatArray) -> None:
        # Every count is measured by what a random halving would leave of it.
        spread = np.sqrt(np.mean(counts**2, axis=0))
        self.counts = counts / np.where(spread > 0, spread, 1.0)
        self.labels = labels
        self.weights = np.zeros(0) if labels is None else np.sqrt(len(labels) / np.bincount(labels))
        self.one_hot = np.diag(self.weights)
        self.matrix = matrix
        self.signs = np.zeros((len(counts), matrix.shape[1]), dtype=np.int8)
        self.imbalance = np.zeros((matrix.shape[1], counts.shape[1] + len(self.weights)))

    def of(self, units: IntArray) -> FloatArray:
        """Return the scaled counts of some units."""
        if self.labels is None:
            return self.counts[units]
        return np.concatenate([self.counts[units], self.one_hot[self.labels[units]]], axis=1)

    def sequence(self, rng: np.random.Generator) -> IntArray:
        """Return the units class by class, large before small and like beside like, otherwise at random."""
        shuffled = rng.permutation(len(self.counts))
        size = self.counts[shuffled] @ rng.uniform(0.9, 1.1, self.counts.shape[1])
        if self.labels is None:
            return shuffled[np.argsort(-size, kind="stable")]
        label = self.labels[shuffled]
        return shuffled[np.lexsort((-size, label, -self.weights[label]))]

    def assign(self, units: IntArray, matrix: FloatArray) -> None:
        """Give units different rows of a matrix, those that leave the least imbalance."""
        from scipy.optimize import linear_sum_assignment

        # Any two rows of a whole matrix have the same product: the sum of squares is linear in the choice.
        c = self.of(units)
        signs = matrix[linear_sum_assignment((c @ self.imbalance.T) @ matrix.T)[1]]
        self.imbalance += signs.T @ c
        self.signs[units] = signs

    def deal(self, units: IntArray, rng: np.random.Generator) -> None:
        """Give units all rows of the matrix, run by run."""
        runs = rng.permuted(units.reshape(-1, len(self.matrix)), axis=1)
        self.signs[runs] = self.matrix
        alike = (self.counts[runs] == self.counts[runs[:, :1]]).all(axis=(1, 2))
        if self.labels is not None:
            alike &= (self.labels[runs] == self.labels[runs[:, :1]]).all(axis=1)
        for run in runs[~alike]:
            self.assign(run, self.matrix)

    def swap(self, rng: np.random.Generator) -> None:
        """Let two units at a time, the best of a random pool, exchange their rows while that helps."""
        n, idle = len(self.counts), 0
        for _ in range(_SWAPS):
            units = rng.choice(n, size=min(n, _POOL), replace=False)
            c, x = self.of(units), self.signs[units].astype(float)
            slope, gram = (c @ self.imbalance.T) @ x.T, c @ c.T
            own, size = np.diag(slope), np.diag(gram)
            change = slope + slope.T - own[:, None] - own
            change += (x.shape[1] - x @ x.T) * (size[:, None] + size - 2.0 * gram)
            i, j = divmod(int(np.argmin(change)), len(units))
            if change[i, j] < -1e-9:
                self.imbalance += np.outer(x[j] - x[i], c[i] - c[j])
                self.signs[units[[i, j]]] = self.signs[units[[j, i]]]
                idle = 0
            elif (idle := idle + 1) == _IDLE or n <= _POOL:
                break


def halvings(corpus: Corpus, m: int, rng: np.random.Generator) -> BoolArray:
    """Return which items are in the first half of each halving, axes (item, halving)."""
    matrix = hadamard(blocks(m))[:, 1:]
    if corpus.documents is None:
        return _halve_items(_Deal(corpus.counts, corpus.labels, matrix[:, :m]), rng) > 0
    # Documents change places with empty ones, so that blocks need not hold equally many.
    counts = corpus.by_document(corpus.documents)
    empty = np.zeros((len(counts) + -2 * len(counts) % len(matrix), counts.shape[1]))
    deal = _Deal(np.concatenate([counts, empty]), None, matrix)
    deal.deal(deal.sequence(rng), rng)
    deal.swap(rng)
    return deal.signs[corpus.documents, :m] > 0


def _halve_items(deal: _Deal, rng: np.random.Generator) -> AnyArray:
    # n = 4k: whole matrices, the last one larger. 4k+1: one row more. 4k+2: a row and its negative more.
    # 4k+3: one row less. So halves differ by one item at most, and two overlap in n/4 items to within 3/4.
    units, (order, m), n = deal.sequence(rng), deal.matrix.shape, len(deal.counts)
    odd = n % min(order, 4)
    more, less = (0, 1) if odd == 3 else (odd, 0)
    rest = (n - more + less) % order
    last = order + rest if rest or less else 0
    regular, tail, single = np.split(units, [n - more - last + less, n - more])
    deal.deal(regular, rng)
    if last:
        deal.assign(tail, hadamard(last)[:, 1 : m + 1])
    if more:
        c = deal.of(single[:1])[0] - deal.of(single[1:]).sum(axis=0)
        slope = deal.imbalance @ c
        row = np.where(slope == 0, rng.choice([-1.0, 1.0], size=m), -np.sign(slope))
        deal.imbalance += np.outer(row, c)
        deal.signs[single] = np.outer([1.0, -1.0][:more], row)
    deal.swap(rng)
    return deal.signs


def deal_folds(corpus: Corpus, k: int, rng: np.random.Generator) -> IntArray:
    """Return the fold of each item: like items are dealt in turn, or whole documents, large before small.

    Examples
    --------
    >>> corpus = Corpus.read(range(7), list("aaaabbb"), None, None, 1)
    >>> np.bincount(deal_folds(corpus, 3, np.random.default_rng(0))).tolist()
    [3, 2, 2]
    """
    n = len(corpus.counts)
    d = corpus.documents
    sizes = np.ones(n, dtype=np.intp) if d is None else np.bincount(d)
    if len(sizes) < k:
        what = "items" if d is None else "groups"
        raise ValueError(f"{k} folds need at least {k} {what}, but there are {len(sizes)}; use fewer folds")
    shuffled = rng.permutation(len(sizes))
    if d is None:
        if corpus.labels is not None:
            shuffled = shuffled[np.argsort(corpus.labels[shuffled], kind="stable")]
        fold = np.empty(n, dtype=np.intp)
        fold[shuffled] = np.arange(n) % k
        return fold
    held, of_document = np.zeros(k), np.empty(len(sizes), dtype=np.intp)
    for document in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        of_document[document] = emptiest = int(np.argmin(held))
        held[emptiest] += sizes[document]
    return of_document[d]


def balance_report(corpus: Corpus, first: BoolArray) -> pd.DataFrame:
    """Return how alike halves are, axes of `first` (item, halving), a row for each count."""
    import pandas as pd
    from scipy.special import erf

    totals, units, squares = corpus.totals(), len(first), corpus.totals(power=2)
    if corpus.documents is not None:
        documents = corpus.by_document(corpus.documents)
        units, squares = len(documents), (documents**2).sum(axis=0)
    variance = np.maximum(squares - totals**2 / units, 0.0) * units / (units - 1)
    # The largest of m absolute normal variates exceeds z with probability 1 - erf(z/√2)^m.
    z = np.arange(0.0005, 12.0, 0.001)
    expected = 0.001 * (1.0 - erf(z / math.sqrt(2.0)) ** first.shape[1]).sum()
    halves = np.array([[corpus.totals(half) for half in (s, ~s)] for s in first.T])
    if corpus.note:
        warn_caller(corpus.note)
    return pd.DataFrame(
        {
            "smallest_half": halves.min(axis=(0, 1)),
            "largest_half": halves.max(axis=(0, 1)),
            "difference": np.ptp(halves, axis=1).max(axis=0),
            "random_difference": np.sqrt(variance) * expected,
        },
        index=pd.Index([*map(printable, corpus.names)], name="count"),
    )
