"""Designs of cross-validation, block-regularised m×2 and repeated K-fold: their folds and the discounts of their counts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

import numpy as np

from bayesf1.base.arrays import BoolArray, IntArray
from bayesf1.base.checks import Checked, check_rng, check_whole, is_number
from bayesf1.base.naming import quoted

if TYPE_CHECKING:
    import pandas as pd

    from bayesf1.cv.splitting import Corpus


Discount: TypeAlias = str | float | tuple[float, float]


def _mean_discount(m: int) -> float:
    # Eq. 22 for any m: 8 ∫∫ dρ₁ dρ₂ / (1+ρ₁+cρ₂) over [0, ½]×[¼, ½], where c = 2(m-1) and G' = 1 + ln.
    if m == 1:
        return 2.0 * math.log(1.5)
    c = 2.0 * (m - 1)

    def g(u: float) -> float:
        return u * math.log(u)

    return 8.0 / c * (g(1.5 + c / 2) - g(1.5 + c / 4) - g(1 + c / 2) + g(1 + c / 4))


_NAMED_DISCOUNTS: dict[str, Callable[[int], float]] = {
    "wang-li": _mean_discount,
    "once": lambda m: 1.0 / m,
    "nadeau-bengio": lambda m: 1.0 / (2 * m + 1),
    "wang-2015": lambda m: 1.0 / (2 * m),
}


@dataclass(frozen=True)
class BlockedCV(Checked):
    r"""``m`` repeats of two-fold cross-validation on a common partition into blocks.

    Every item is tested ``m`` times, and the training sets of different repeats share half of their items,
    so the ``2m`` confusion tables are correlated: their sum must be discounted before it enters a posterior.

    It is a splitter for scikit-learn: ``cross_val_score(model, X, y, cv=BlockedCV(m=3))``.

    Parameters
    ----------
    m
        Number of repeats; 3 for the 3×2 design of Wang & Li (2019). Folds can be made for m up to 23.
    balance
        Counts that should be alike in all halves, a row for each item and a column for each count: entities of each type
        in a sentence, tokens, anything not negative. An array, a data frame or a sparse matrix.
    rng
        A whole number for the same split each time, a Generator for another split at each call, or None. Neither it nor
        `balance` makes a different design: ``BlockedCV(3, rng=1) == BlockedCV(3)``.

    Examples
    --------
    >>> BlockedCV(m=3).discount()
    0.3688021103...
    >>> y = ["spam", "ham", "ham", "ham"] * 25
    >>> sorted(sum(y[i] == "spam" for i in test) for train, test in BlockedCV(m=1).split(y, y))
    [12, 13]

    References
    ----------
    Wang & Li (2019), *Bayes test of precision, recall, and F1 measure*, ACL, Eqs. 14-24.
    """

    default_discount: ClassVar[str] = "wang-li"

    m: int = 3
    _: KW_ONLY
    balance: Any = field(default=None, compare=False, repr=False)
    rng: np.random.Generator | int | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", check_whole(self.m, "m", 1, 6))
        if self.balance is not None:
            from bayesf1.cv.splitting import read_balance

            read_balance(self.balance)
        check_rng(self.rng)

    def __str__(self) -> str:
        return f"{self.m}×2 BCV"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of repeats, and of folds in each."""
        return self.m, 2

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds, 2m; the arguments are there for scikit-learn."""
        return 2 * self.m

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Return pairs of indices (train, test), repeat by repeat: a half and its rest, then the other way.

        Every item is tested once in each repeat. Without groups, halves have n/2 items and the first halves of two
        repeats share n/4 items, each rounded up or down. With groups these numbers are only as near as whole documents
        allow. A search makes labels and `balance` as even as it can; `balance_report` shows how even they are.

        Parameters
        ----------
        X
            The data to split: anything with a length or a shape.
        y
            Labels whose numbers should be alike in all halves. It is ignored if it has more distinct values than n/2 or
            500, or 20 if they are fractions, or more than one value an item.
        groups
            Document of each item; a document is never divided between training and test.

        Examples
        --------
        >>> folds = list(BlockedCV(m=3, rng=0).split(range(12)))
        >>> len(folds), [len(test) for _, test in folds]
        (6, [6, 6, 6, 6, 6, 6])
        >>> len(set(folds[0][0]) & set(folds[2][0]))
        3
        """
        _, first = self._halve(X, y, groups)
        return (
            (np.flatnonzero(train), np.flatnonzero(~train)) for half in first.T for train in (half, ~half)
        )

    def balance_report(self, X: Any, y: Any = None, groups: Any = None) -> pd.DataFrame:
        """Return how alike the halves of a split are, compared with random halves.

        With a whole number as `rng` it is the split that `split` makes from the same arguments; with a
        Generator or None it is another split.

        Parameters
        ----------
        X, y, groups
            As for `split`.

        Returns
        -------
        DataFrame
            For items, classes of y and columns of balance: the smallest and the largest half, the worst difference of
            two halves over the repeats, and the difference expected of random halves.

        Examples
        --------
        >>> entities = np.random.default_rng(0).poisson([0.5, 0.1], size=(999, 2))
        >>> BlockedCV(m=3, balance=entities, rng=0).balance_report(entities).round(1)
                    smallest_half  largest_half  difference  random_difference
        count
        items               499.0         500.0         1.0                0.0
        balance[0]          250.0         252.0         2.0               29.0
        balance[1] ...
        """
        from bayesf1.cv.splitting import balance_report

        return balance_report(*self._halve(X, y, groups))

    def _halve(self, X: Any, y: Any, groups: Any) -> tuple[Corpus, BoolArray]:
        from bayesf1.cv.splitting import Corpus, halvings

        corpus = Corpus.read(X, y, groups, self.balance, self.m)
        return corpus, halvings(corpus, self.m, np.random.default_rng(self.rng))

    def discount(self, rule: Discount = "wang-li") -> float:
        r"""Return the factor ``k`` that turns summed counts into effective counts.

        With correlation :math:`\rho_1` between the two folds of a repeat and :math:`\rho_2` between folds of
        different repeats, :math:`k = 1/(1+\rho_1+2(m-1)\rho_2)`.

        Parameters
        ----------
        rule
            ``"wang-li"`` averages k over 0 ≤ ρ₁ ≤ ½, ¼ ≤ ρ₂ ≤ ½ in closed form (the paper's Eq. 22 for m=3);
            ``"once"`` counts each item once, k = 1/m; ``"nadeau-bengio"`` is conservative, k = 1/(2m+1);
            ``"wang-2015"`` takes all correlations as 1, k = 1/(2m); a number is k itself; a pair is (ρ₁, ρ₂).

        Examples
        --------
        >>> cv = BlockedCV(m=3)
        >>> cv.discount("once"), cv.discount((0.0, 0.0)), cv.discount(0.25)
        (0.333..., 1.0, 0.25)
        """
        if isinstance(rule, tuple | list):
            if len(rule) != 2 or not all(is_number(rho) and 0.0 <= rho <= 1.0 for rho in rule):
                raise ValueError(f"discount {quoted(rule)} is not a pair of correlations, each from 0 to 1")
            return 1.0 / float(1.0 + rule[0] + 2.0 * (self.m - 1) * rule[1])
        named = {name: of_repeats(self.m) for name, of_repeats in _NAMED_DISCOUNTS.items()}
        return _discount(rule, named, self)


@dataclass(frozen=True)
class KFoldCV(Checked):
    """Repeated K-fold cross-validation.

    It is a splitter for scikit-learn, and the design of fold scores and tables from other sources.

    Parameters
    ----------
    folds
        Number of folds K.
    repeats
        How often the corpus is divided anew.
    rng
        As for `BlockedCV`; it does not make a different design.

    Examples
    --------
    >>> KFoldCV(folds=10).discount("once"), round(KFoldCV(folds=10).discount("nadeau-bengio"), 4)
    (1.0, 0.4737)
    >>> y = ["spam", "ham", "ham", "ham"] * 25
    >>> [sum(y[i] == "spam" for i in test) for train, test in KFoldCV(5, rng=0).split(y, y)]
    [5, 5, 5, 5, 5]
    """

    default_discount: ClassVar[str] = "nadeau-bengio"

    folds: int = 10
    repeats: int = 1
    _: KW_ONLY
    rng: np.random.Generator | int | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("folds", 2), ("repeats", 1)):
            object.__setattr__(self, name, check_whole(getattr(self, name), name, least, 6))
        check_rng(self.rng)

    def __str__(self) -> str:
        repeated = f" repeated {self.repeats} times" if self.repeats > 1 else ""
        return f"{self.folds}-fold CV{repeated}"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of repeats, and of folds in each."""
        return self.repeats, self.folds

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds of all repeats; the arguments are there for scikit-learn."""
        return self.folds * self.repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[IntArray, IntArray]]:
        """Return pairs of indices (train, test), repeat by repeat; every item is tested once in each.

        Without groups, the sizes and labels of folds differ by at most one item; with groups, folds hold whole documents,
        and are as even in size as these allow.

        Parameters
        ----------
        X, y, groups
            As for `BlockedCV.split`.
        """
        from bayesf1.cv.splitting import Corpus, deal_folds

        corpus = Corpus.read(X, y, groups, None, 1)
        rng = np.random.default_rng(self.rng)
        for _ in range(self.repeats):
            fold = deal_folds(corpus, self.folds, rng)
            for k in range(self.folds):
                yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def discount(self, rule: Discount = "nadeau-bengio") -> float:
        r"""Return the factor ``k`` that turns summed counts into effective counts.

        Parameters
        ----------
        rule
            ``"once"`` counts each item once, k = 1/J for J repeats; ``"nadeau-bengio"`` allows for the overlap of
            training sets, :math:`k = \frac{1/K}{1/(JK) + 1/(K-1)} / J`; a number is k itself.
        """
        folds = self.folds
        repeats = self.repeats
        corrected = 1.0 / folds / (1.0 / (repeats * folds) + 1.0 / (folds - 1)) / repeats
        return _discount(rule, {"once": 1.0 / repeats, "nadeau-bengio": corrected}, self)


def _discount(rule: object, named: dict[str, float], design: object) -> float:
    """Return the factor of a named rule, or a number as it is."""
    k = named.get(rule, 0.0) if isinstance(rule, str) else rule
    if not is_number(k) or not 0.0 < cast(float, k) <= 1.0:
        raise ValueError(
            f"discount {quoted(rule)} is unknown for {design}; give one of {', '.join(named)}, or a number above 0, up to 1"
        )
    return float(cast(float, k))


def read_design(text: str) -> BlockedCV | KFoldCV:
    """Read a design in the notation of files and the command line: repeats and folds, or a number of folds.

    Examples
    --------
    >>> read_design("blocked-3x2"), read_design("10"), read_design("random-3x2")
    (BlockedCV(m=3), KFoldCV(folds=10, repeats=1), KFoldCV(folds=2, repeats=3))
    """
    pattern = r"(blocked-|random-|)(?:([0-9]{1,4})\s*[x×*]\s*)?([0-9]{1,4})"
    match = re.fullmatch(pattern, text.strip(), flags=re.IGNORECASE)
    blocked = match is not None and match[1].lower() == "blocked-"
    if match is None or int(match[3]) < 2 or (blocked and int(match[3]) > 2):
        raise ValueError(
            f"cv design {quoted(text)} is not understood; write 10 for ten folds, 3x10 for three repeats of them, or "
            "blocked-3x2 for three block-regularised halvings"
        )
    repeats = 1 if match[2] is None else int(match[2])
    if blocked:
        return BlockedCV(repeats)
    return design_of(repeats, int(match[3]), match[1])


def design_of(repeats: int, folds: int, named: str = "") -> BlockedCV | KFoldCV:
    """Return the design with this many repeats and folds, or raise a ValueError if repeated halves leave it open.

    Random halves overlap by chance, and are less informative than balanced halves.
    """
    if folds == 2 and repeats > 1 and not named:
        raise ValueError(
            f"{repeats}x2 may be block-regularised halves, or random ones, which tell less; say which: "
            f"cv='blocked-{repeats}x2' or cv='random-{repeats}x2', in Python BlockedCV({repeats}) or KFoldCV(2, {repeats})"
        )
    return BlockedCV(m=1) if folds == 2 and not named else KFoldCV(folds, repeats)


def is_block_regularised(partition: IntArray) -> bool:
    """Return whether folds, axes (repeat, unit), are halves that are as even as block-regularised ones.

    Halves differ by one unit at most, and the halves of two repeats overlap in a quarter of all units, to within three
    quarters of a unit: a sum of products of signs is four times as far from 0.

    Examples
    --------
    >>> is_block_regularised(np.array([[0, 0, 1, 1], [0, 1, 0, 1]])), is_block_regularised(np.array([[0, 1, 2]]))
    (True, False)
    """
    if partition.max() != 1:
        return False
    # Axes (repeat, unit), and sums of products (repeat, repeat), each pair of repeats once.
    signs = 1.0 - 2.0 * partition
    products = np.triu(signs @ signs.T, 1)
    return bool(np.abs(signs.sum(axis=1)).max() <= 1.0 and np.abs(products).max() <= 3.0)
