"""Messages show numpy's scalars as the plain values they are."""

import warnings

import numpy as np
import pytest

import bayesf1 as bf

TWO = bf.from_counts(A=(7, 4, 1), B=(6, 3, 2))
WORDS = np.array(["yes", "no", "yes"])
WRONG = {
    "no such positive label": lambda: bf.from_labels(WORDS, {"A": WORDS}, positive=np.str_("spam")),
    "a number as positive label": lambda: bf.from_labels(
        np.arange(3), {"A": np.arange(3)}, positive=np.int64(7)
    ),
    "words as answers": lambda: bf.from_correct({"A": WORDS, "B": WORDS}),
    "words and numbers": lambda: bf.from_labels(WORDS, {"A": np.arange(3)}, positive="yes"),
    "labels that are none": lambda: bf.from_labels(WORDS, {"A": WORDS}, labels=["yes", "maybe"]),
    "a negative count": lambda: bf.from_patterns([(1, 0, 1, np.int64(-3))], models=["A", "B"], positive=1),
    "a rope": lambda: bf.compare(TWO, rope=np.float64(2)),
    "a mass": lambda: bf.compare(TWO, prob=np.float64(2)),
    "a number of draws": lambda: bf.compare(TWO, n_draws=np.int64(2)),
    "a prior": lambda: bf.compare(TWO, prior=np.float64(-1)),
    "a model": lambda: bf.compare(TWO, np.str_("C"), "B"),
}


@pytest.mark.parametrize("name", WRONG)
def test_no_message_speaks_of_numpy(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ValueError, UserWarning)) as caught:
            WRONG[name]()
    assert "np." not in str(caught.value)
    assert "numpy" not in str(caught.value)
