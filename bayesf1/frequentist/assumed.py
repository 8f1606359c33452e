"""Two models that nobody has run yet: what they are expected to do, in place of a pilot."""

from __future__ import annotations

import numpy as np

from bayesf1.base.checks import LEAST_PROB, checked, is_number, is_whole
from bayesf1.base.errors import Argument, WordedError
from bayesf1.base.naming import shown
from bayesf1.evaluation.evaluation import Evaluation
from bayesf1.evaluation.units import Units
from bayesf1.kinds.binary import BINARY_CELLS, Binary


@checked
def assumed_pilot(
    *,
    prevalence: float,
    agreement: float,
    f1: float | None = None,
    precision: float | None = None,
    recall: float | None = None,
    n_items: int = 1000,
) -> Evaluation:
    r"""Return what two equally good models are expected to do on binary items, in place of a pilot.

    Errors of the two models are correlated alike on gold items and on others: given recall r and false positive rate
    f, :math:`P(\text{only A finds it}) = c\,r(1-r)` and :math:`P(\text{only A claims it}) = c\,f(1-f)`, with c such
    that they agree as often as supposed; c = 1 would be independence.

    Parameters
    ----------
    prevalence
        Share of gold items.
    agreement
        Share of items on which both models say the same.
    f1
        F1 around which the two models lie; both precision and recall are then taken to equal it.
    precision, recall
        Instead of `f1`, both.
    n_items
        Number of items of the test set.

    Examples
    --------
    >>> ev = assumed_pilot(prevalence=0.2, precision=0.85, recall=0.75, agreement=0.95, n_items=1000)
    >>> ev.tables.round(1)
    array([[150. ,  26.5,  50. , 773.5], [150. ,  26.5,  50. , 773.5]])
    """
    if f1 is not None and (precision is not None or recall is not None):
        raise ValueError("give either f1 or both precision and recall, not all of them")
    if f1 is not None:
        precision = recall = f1
    if precision is None or recall is None:
        raise ValueError("give f1, or both precision and recall, around which the two models lie")
    around = {"precision": precision, "recall": recall} if f1 is None else {"f1": f1}
    given = {"prevalence": prevalence, "agreement": agreement, **around}
    for name, value in given.items():
        if not is_number(value) or not LEAST_PROB <= value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1, such as 0.8, not {shown(value)}")
    if not is_whole(n_items) or not 1 <= n_items <= 10**12:
        raise WordedError(Argument("n_items"), f" must be a whole number from 1, not {shown(n_items)}")
    claimed = prevalence * recall * (1.0 / precision - 1.0) / (1.0 - prevalence)
    if claimed >= 1.0:
        raise ValueError(
            f"precision {precision:g} with recall {recall:g} takes more wrong claims than there are items at a "
            f"prevalence of {prevalence:g}"
        )
    rates = ((prevalence, recall), (1.0 - prevalence, claimed))
    # Errors that exclude each other, as far as they can, are the most that models can differ.
    most = 1.0 / max(max(rate, 1.0 - rate) for _, rate in rates)
    independent = 2.0 * sum(share * rate * (1.0 - rate) for share, rate in rates)
    c = (1.0 - agreement) / independent
    if c > most:
        raise ValueError(
            f"agreement {agreement:g} is too small: models of precision {precision:g} and recall {recall:g} agree on at "
            f"least {1.0 - most * independent:.3g} of the items"
        )
    rows, masses = [], []
    for (share, rate), (yes, no) in zip(rates, (("tp", "fn"), ("fp", "tn")), strict=True):
        alone = c * rate * (1.0 - rate)
        rows += [(yes, yes), (yes, no), (no, yes), (no, no)]
        masses += [n_items * share * max(m, 0.0) for m in (rate - alone, alone, alone, 1 - rate - alone)]
    outcomes = np.array(rows)[..., None] == np.array(BINARY_CELLS)
    units = Units.merge(outcomes.astype(float), np.array(masses), "item")
    return Evaluation.of_units(("A", "B"), Binary(), units)
