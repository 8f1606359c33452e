"""Split items into balanced blocks and halves."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from bayesf1.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from bayesf1.base.cautions import warn_caller
from bayesf1.base.checks import numbers_of
from bayesf1.base.naming import printable

if TYPE_CHECKING:
    import pandas as pd

# A remainder of n may need a matrix up to twice the first, and all matrices up to order 48 can be built.
MAX_REPEATS = 23
MAX_COUNT = 1e15
# A y with more values is not taken as classes; neither are fractions with more than a few values.
MOST_CLASSES = 500
FEW_VALUES = 20
# Number of units among which a swap is looked for: products of larger arrays would start threads of BLAS.
_POOL = 64
# Number of attempts to find a swap, and number of failures in a row after which the search ends.
_SWAPS = 300
_IDLE = 10


@runtime_checkable
class Shaped(Protocol):
    """An array, a sparse matrix or a frame."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""

    def __getitem__(self, rows: Any) -> Any: ...


@runtime_checkable
class _WithColumns(Protocol):
    """A frame, which names its columns."""

    @property
    def columns(self) -> Iterable[Any]: ...


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
        conference = _conference(order // 2 - 1)
        on_diagonal = np.array([[1.0, -1.0], [-1.0, -1.0]])
        h = np.kron(conference, hadamard(2)) + np.kron(np.eye(len(conference)), on_diagonal)
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
    """The items to split, and the counts that should be even in all halves: items, classes of y, columns of balance.

    Attributes
    ----------
    names
        The names of all counts.
    counts
        The columns of balance, axes (item, column).
    labels
        The class of each item; None if y is not balanced.
    documents
        The document of each item; None if items are split one by one.
    note
        Why y is not balanced; empty if it is, or if there is none.
    """

    names: tuple[str, ...]
    counts: FloatArray
    labels: IntArray | None
    documents: IntArray | None
    note: str

    @classmethod
    def read(cls, X: Any, y: Any, groups: Any, balance: Any, m: int) -> Corpus:
        """Check the arguments of a split against each other and against the number of blocks."""
        n = _n_items({"X": X, "y": y, "groups": groups})
        columns = _Columns([], np.empty((n, 0))) if balance is None else read_balance(balance)
        if len(columns.counts) != n:
            raise ValueError(f"balance has {len(columns.counts)} rows for {n} items; give one for each item")
        classes = _Classes(None, []) if y is None else _read_labels(y, n)
        documents = None if groups is None else _read_documents(groups, n)
        n_units = n if documents is None else int(documents.max(initial=-1)) + 1
        if n_units < blocks(m):
            what = "items" if documents is None else "groups"
            raise ValueError(
                f"{m}×2 cross-validation needs {blocks(m)} {what} or more, but there are {n_units}"
            )
        if n_units == n:
            # Documents of one item each are items, which can be divided more evenly.
            documents = None
        names = ("items", *classes.names, *columns.names)
        return cls(names, columns.counts, classes.labels, documents, classes.note)

    @property
    def n_classes(self) -> int:
        """Number of classes that are balanced."""
        n_columns = int(self.counts.shape[1])
        return len(self.names) - 1 - n_columns

    def totals(self, which: BoolArray | slice = slice(None), power: int = 1) -> FloatArray:
        """Return sums, or sums of squares, of all counts over some of the items, axes (count,)."""
        counts = self.counts[which]
        n_items = np.array([float(len(counts))])
        by_class: AnyArray = np.zeros(0)
        if self.labels is not None:
            by_class = np.bincount(self.labels[which], minlength=self.n_classes)
        return np.concatenate([n_items, by_class, (counts**power).sum(axis=0)])

    def by_document(self, documents: IntArray) -> FloatArray:
        """Return the totals of all counts in each document, axes (document, count)."""
        size = int(documents.max()) + 1
        n_items = np.bincount(documents, minlength=size)
        by_class: AnyArray = np.zeros((size, 0))
        if self.labels is not None:
            cells = documents * self.n_classes + self.labels
            by_class = np.bincount(cells, minlength=size * self.n_classes).reshape(size, self.n_classes)
        sums = [np.bincount(documents, column, minlength=size) for column in self.counts.T]
        return np.column_stack([n_items, by_class, *sums]).astype(float)


def _n_items(arguments: Mapping[str, Any]) -> int:
    """Return the length of the first argument that was given."""
    for name, values in arguments.items():
        if values is not None:
            return length(values, name)
    raise ValueError("there is nothing to split: X, y and groups are None; give X or y")


def length(values: Any, name: str) -> int:
    """Return the number of entries of a list, array, sparse matrix or frame, or raise a ValueError if it has no length."""
    try:
        if isinstance(values, Shaped) and isinstance(values.shape, tuple) and values.shape:
            return int(values.shape[0])
        return len(values)
    except TypeError:
        raise ValueError(f"{name} is {type(values).__name__}, without a length") from None


class _Columns(NamedTuple):
    """Names and values of counts, axes (item, column)."""

    names: list[str]
    counts: FloatArray


def read_balance(balance: Any) -> _Columns:
    """Return names and values of counts, or raise a ValueError if they are not counts."""
    from scipy.sparse import issparse

    is_sparse = bool(issparse(balance))
    dense = balance.toarray() if is_sparse else balance
    array = numbers_of(dense, "balance", remedy="should be numbers (item, count)")
    if array.ndim not in (1, 2):
        raise ValueError(f"balance has {array.ndim} axes, but should be numbers (item, count)")
    if array.ndim == 1:
        array = array[:, None]
    if isinstance(balance, _WithColumns):
        names = [str(name) for name in balance.columns]
    else:
        names = [f"balance[{column}]" for column in range(array.shape[1])]
    bad = ~((array >= 0) & (array <= MAX_COUNT))
    if bad.any():
        item, column = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"balance has {array[item, column]:g} for item {item}, {names[column]}; counts are from 0 to {MAX_COUNT:g}"
        )
    return _Columns(names, array)


class _Classes(NamedTuple):
    """The class of each item, None if y is not balanced, with the names of the classes, or with the reason."""

    labels: IntArray | None
    names: list[str]
    note: str = ""


def _read_labels(y: Any, n: int) -> _Classes:
    """Return the classes that y has."""
    numbered = _number_values(y, "y", n)
    if numbered is None:
        reason = "it is not one label for each item; count what matters in balance"
        return _Classes(None, [], f"y is not balanced: {reason}")
    values = numbered.values
    fractions = bool(values) and isinstance(values[0], float)
    if len(values) > min(n // 2, FEW_VALUES if fractions else MOST_CLASSES):
        return _Classes(
            None, [], f"y is not balanced: its {len(values)} values for {n} items are not classes"
        )
    return _Classes(numbered.codes, [f"y={value}" for value in values])


def _read_documents(groups: Any, n: int) -> IntArray:
    """Return the number of each item's document."""
    numbered = _number_values(groups, "groups", n)
    if numbered is None:
        raise ValueError(f"groups is not a list of {n} names or numbers; give the document of each item")
    for code, value in enumerate(numbered.values):
        # Missing values of pandas have several types, which are printed by these texts.
        if not isinstance(value, str) and str(value) in ("None", "nan", "<NA>", "NaT"):
            item = int(np.argmax(numbered.codes == code))
            raise ValueError(f"groups has {value} for item {item}; give each item the name of its document")
    return numbered.codes


class _Numbered(NamedTuple):
    """The number of each item's value, and the values."""

    codes: IntArray
    values: list[Any]


def _number_values(values: Any, name: str, n: int) -> _Numbered | None:
    """Return the values of items with numbers, or None if an item has several or none that can be compared."""
    n_values = length(values, name)
    if n_values != n:
        raise ValueError(f"{name} has {n_values} entries for {n} items; give one for each item")
    try:
        array = np.asarray(values)
        if array.shape == (n, 1):
            array = array.ravel()
        if array.ndim != 1:
            return None
        if array.dtype.kind in "biuf":
            distinct, codes = np.unique(array, return_inverse=True)
            return _Numbered(codes.astype(np.intp), distinct.tolist())
        code_of: dict[Any, int] = {}
        numbers = [code_of.setdefault(value, len(code_of)) for value in array.tolist()]
        return _Numbered(np.array(numbers, dtype=np.intp), [*code_of])
    except (ValueError, TypeError):
        # Ragged values cannot be an array, and others cannot be hashed.
        return None


class _Deal:
    """Deals units to the rows of sign matrices, each to the row where it evens out the units before it.

    Attributes
    ----------
    counts
        Counts of the units in multiples of their root mean square, axes (unit, count).
    labels, weights
        The class of each unit, if there are classes, and the weight of one unit of each class.
    matrix
        The sign matrix, axes (row, halving).
    signs
        The half of each unit in each halving as a sign, axes (unit, halving); 0 if it was not dealt yet.
    imbalance
        The difference of the halves so far, axes (halving, count).
    """

    def __init__(self, counts: FloatArray, labels: IntArray | None, matrix: FloatArray) -> None:
        # Counts are scaled by the imbalance that a random halving would leave.
        spread = np.sqrt(np.mean(counts**2, axis=0))
        self.counts = counts / np.where(spread > 0, spread, 1.0)
        self.labels = labels
        self.weights = np.zeros(0) if labels is None else np.sqrt(len(labels) / np.bincount(labels))
        self.one_hot = np.diag(self.weights)
        self.matrix = matrix
        self.signs = np.zeros((len(counts), matrix.shape[1]), dtype=np.int8)
        self.imbalance = np.zeros((matrix.shape[1], counts.shape[1] + len(self.weights)))

    def of(self, units: IntArray) -> FloatArray:
        """Return the counts of some units with those of their classes, axes (unit, count)."""
        if self.labels is None:
            return self.counts[units]
        return np.concatenate([self.counts[units], self.one_hot[self.labels[units]]], axis=1)

    def sequence(self, rng: np.random.Generator) -> IntArray:
        """Return the units class by class, rare classes and large units first, like beside like, otherwise at random."""
        shuffled = rng.permutation(len(self.counts))
        size = self.counts[shuffled] @ rng.uniform(0.9, 1.1, self.counts.shape[1])
        if self.labels is None:
            return shuffled[np.argsort(-size, kind="stable")]
        label = self.labels[shuffled]
        return shuffled[np.lexsort((-size, label, -self.weights[label]))]

    def assign(self, units: IntArray, matrix: FloatArray) -> None:
        """Give units different rows of a matrix, such that the least imbalance is left."""
        from scipy.optimize import linear_sum_assignment

        # Any two rows of a whole matrix have the same product, so the sum of squares is linear in the choice.
        counts = self.of(units)
        costs = (counts @ self.imbalance.T) @ matrix.T
        _, rows = linear_sum_assignment(costs)
        signs = matrix[rows]
        self.imbalance += signs.T @ counts
        self.signs[units] = signs

    def deal(self, units: IntArray, rng: np.random.Generator) -> None:
        """Give units all rows of the matrix, run by run."""
        runs = rng.permuted(units.reshape(-1, len(self.matrix)), axis=1)
        self.signs[runs] = self.matrix
        # In runs of identical units, the order of rows does not matter.
        alike = (self.counts[runs] == self.counts[runs[:, :1]]).all(axis=(1, 2))
        if self.labels is not None:
            alike &= (self.labels[runs] == self.labels[runs[:, :1]]).all(axis=1)
        for run in runs[~alike]:
            self.assign(run, self.matrix)

    def swap(self, rng: np.random.Generator) -> None:
        """Let two units at a time, the best of a random pool, exchange their rows while that helps."""
        n = len(self.counts)
        idle = 0
        for _ in range(_SWAPS):
            units = rng.choice(n, size=min(n, _POOL), replace=False)
            counts = self.of(units)
            signs = self.signs[units].astype(float)
            # How much the sum of squares changes if two units exchange their rows, axes (unit, unit).
            slope = (counts @ self.imbalance.T) @ signs.T
            products = counts @ counts.T
            own = np.diag(slope)
            size = np.diag(products)
            change = slope + slope.T - own[:, None] - own
            change += (signs.shape[1] - signs @ signs.T) * (size[:, None] + size - 2.0 * products)
            i, j = divmod(int(np.argmin(change)), len(units))
            if change[i, j] < -1e-9:
                self.imbalance += np.outer(signs[j] - signs[i], counts[i] - counts[j])
                self.signs[units[[i, j]]] = self.signs[units[[j, i]]]
                idle = 0
            else:
                idle += 1
                if idle == _IDLE or n <= _POOL:
                    break


def halvings(corpus: Corpus, m: int, rng: np.random.Generator) -> BoolArray:
    """Return which items are in the first half of each halving, axes (item, halving)."""
    matrix = hadamard(blocks(m))[:, 1:]
    if corpus.documents is None:
        return _halve_items(_Deal(corpus.counts, corpus.labels, matrix[:, :m]), rng) > 0
    # As many empty documents, and more to fill the last block: documents change places with them, so that blocks need not
    # hold equally many.
    counts = corpus.by_document(corpus.documents)
    to_fill = -2 * len(counts) % len(matrix)
    empty = np.zeros((len(counts) + to_fill, counts.shape[1]))
    deal = _Deal(np.concatenate([counts, empty]), None, matrix)
    deal.deal(deal.sequence(rng), rng)
    deal.swap(rng)
    return deal.signs[corpus.documents, :m] > 0


def _halve_items(deal: _Deal, rng: np.random.Generator) -> AnyArray:
    """Deal single items, so that halves differ by one item at most, and two overlap in n/4 items to within 3/4.

    If n = 4k there are whole matrices, the last one larger; if n = 4k + 1, one row more; if n = 4k + 2, a row and its
    negative more; if n = 4k + 3, one row less.
    """
    units = deal.sequence(rng)
    order, m = deal.matrix.shape
    n = len(deal.counts)
    odd = n % min(order, 4)
    more = 0 if odd == 3 else odd
    less = 1 if odd == 3 else 0
    rest = (n - more + less) % order
    last = order + rest if rest or less else 0
    regular, tail, single = np.split(units, [n - more - last + less, n - more])
    deal.deal(regular, rng)
    if last:
        deal.assign(tail, hadamard(last)[:, 1 : m + 1])
    if more:
        # The first unit less the second, if there is one, which has the negative of its row.
        difference = deal.of(single[:1])[0] - deal.of(single[1:]).sum(axis=0)
        slope = deal.imbalance @ difference
        row = np.where(slope == 0, rng.choice([-1.0, 1.0], size=m), -np.sign(slope))
        deal.imbalance += np.outer(row, difference)
        deal.signs[single] = np.outer([1.0, -1.0][:more], row)
    deal.swap(rng)
    return deal.signs


def deal_folds(corpus: Corpus, k: int, rng: np.random.Generator) -> IntArray:
    """Return the fold of each item: similar items are dealt in turn, or whole documents, large before small.

    Examples
    --------
    >>> corpus = Corpus.read(range(7), list("aaaabbb"), None, None, 1)
    >>> np.bincount(deal_folds(corpus, 3, np.random.default_rng(0))).tolist()
    [3, 2, 2]
    """
    n = len(corpus.counts)
    documents = corpus.documents
    sizes = np.ones(n, dtype=np.intp) if documents is None else np.bincount(documents)
    if len(sizes) < k:
        what = "items" if documents is None else "groups"
        raise ValueError(f"{k} folds need at least {k} {what}, but there are {len(sizes)}; use fewer folds")
    shuffled = rng.permutation(len(sizes))
    if documents is None:
        if corpus.labels is not None:
            shuffled = shuffled[np.argsort(corpus.labels[shuffled], kind="stable")]
        fold = np.empty(n, dtype=np.intp)
        fold[shuffled] = np.arange(n) % k
        return fold
    n_items = np.zeros(k)
    fold_of_document = np.empty(len(sizes), dtype=np.intp)
    for document in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        smallest = int(np.argmin(n_items))
        fold_of_document[document] = smallest
        n_items[smallest] += sizes[document]
    return fold_of_document[documents]


def balance_report(corpus: Corpus, first: BoolArray) -> pd.DataFrame:
    """Return how alike halves are, a row for each count; `first` has which items are in the first halves (item, halving)."""
    import pandas as pd
    from scipy.special import erf

    totals = corpus.totals()
    n_units = len(first)
    squares = corpus.totals(power=2)
    if corpus.documents is not None:
        by_document = corpus.by_document(corpus.documents)
        n_units = len(by_document)
        squares = (by_document**2).sum(axis=0)
    variance = np.maximum(squares - totals**2 / n_units, 0.0) * n_units / (n_units - 1)
    # The largest of m absolute normal variates exceeds z with probability 1 - erf(z/√2)^m.
    z = np.arange(0.0005, 12.0, 0.001)
    expected = 0.001 * (1.0 - erf(z / math.sqrt(2.0)) ** first.shape[1]).sum()
    # Axes (halving, half, count).
    halves = np.array([[corpus.totals(half), corpus.totals(~half)] for half in first.T])
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
