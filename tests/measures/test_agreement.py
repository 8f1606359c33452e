"""Krippendorff's alpha, beside the lecture, his own example and the krippendorff package."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from bayesf1.measures.agreement import alpha_posterior, coincidence_matrix, krippendorff_alpha
from builders import needed

LEVELS = ("nominal", "ordinal", "interval")
N, V, _ = "NN", "VBP", None
# Ustalov (2022), slide "Krippendorff's α: Example", transposed: rows are workers.
LECTURE = [[N, N, V, V], [_, V, V, N], [N, V, V, N], [N, N, N, V]]
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]

tables = st.tuples(st.integers(2, 5), st.integers(1, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([np.nan, 0.0, 1.0, 2.0, 3.5, 7.0]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


def pairable(table):
    rated = np.array(table)[:, (~np.isnan(table)).sum(axis=0) >= 2]
    return len(np.unique(rated[~np.isnan(rated)])) > 1


def noisy(rng, n_units, n_raters=3, right=0.75):
    truth = rng.choice(3, n_units, p=[0.6, 0.3, 0.1])
    return np.where(rng.random((n_raters, n_units)) < right, truth, rng.choice(3, (n_raters, n_units)))


def test_the_lectures_example_gives_the_lectures_numbers():
    met = coincidence_matrix(LECTURE)
    # 4.33, 3.67, 3.33 and n = 15 on the slide; 51.1 % of the pairs agree
    np.testing.assert_allclose(met, [[13 / 3, 11 / 3], [11 / 3, 10 / 3]], rtol=1e-14)
    assert [*met.index] == [*met.columns] == ["NN", "VBP"]
    assert met.to_numpy().sum() == pytest.approx(15)
    assert np.trace(met) / 15 == pytest.approx(23 / 45, abs=1e-15)
    assert krippendorff_alpha(LECTURE) == pytest.approx(1 / 12, abs=1e-15)


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example_gives_his_numbers(level, printed):
    assert krippendorff_alpha(OBSERVERS, level=level) == pytest.approx(printed, abs=5.1e-4)


MANY = np.where(np.arange(360) % 7 == 0, np.nan, np.arange(360) ** 2 % 61).reshape(12, 30).tolist()


@pytest.fixture(scope="module")
def package():
    return needed("krippendorff")


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=25)
@given(table=tables)
@example(MANY)
def test_alpha_is_that_of_the_krippendorff_package(package, level, table):
    assume(pairable(table))
    expected = package.alpha(np.array(table), level_of_measurement=level)
    assert krippendorff_alpha(table, level=level) == pytest.approx(expected, abs=1e-11)


@settings(max_examples=25)
@given(table=tables)
def test_the_coincidence_matrix_counts_pairs_one_by_one_and_nominal_alpha_is_a_function_of_it(table):
    assume(pairable(table))
    met = coincidence_matrix(table)
    expected = met * 0.0
    for unit in np.array(table).T:
        rated = unit[~np.isnan(unit)].tolist()
        for c, k in itertools.permutations(rated, 2):
            expected.loc[c, k] += 1 / (len(rated) - 1)
    np.testing.assert_allclose(met, expected, atol=1e-12)
    n, margins = met.to_numpy().sum(), met.to_numpy().sum(axis=0)
    alpha = 1 - (n - 1) * (n - np.trace(met)) / (n**2 - (margins**2).sum())
    assert krippendorff_alpha(table) == pytest.approx(alpha, abs=1e-12)


def test_interval_alpha_survives_a_large_offset():
    rng = np.random.default_rng(1)
    table = rng.normal(size=50) + 0.3 * rng.normal(size=(3, 50))
    near, far = (krippendorff_alpha(table + shift, level="interval") for shift in (0, 1e6))
    # 1e6 leaves ten digits of the values
    assert far == pytest.approx(near, abs=1e-8)


def test_ordinal_words_need_their_order():
    words = [["low", "high", "mid", "low"], ["low", "mid", "mid", "mid"]]
    numbers = [[0, 2, 1, 0], [0, 1, 1, 1]]
    found = krippendorff_alpha(words, level="ordinal", values=["low", "mid", "high"])
    assert found == pytest.approx(krippendorff_alpha(numbers, level="ordinal"), abs=1e-15)
    with pytest.raises(ValueError, match="what is the order of the values 'high', 'low', 'mid'"):
        krippendorff_alpha(words, level="ordinal")


def test_missing_ratings_are_none_or_nan_or_blank_or_masked():
    expected = krippendorff_alpha(LECTURE)
    for mark in (float("nan"), np.nan):
        assert krippendorff_alpha([[mark if x is None else x for x in row] for row in LECTURE]) == expected
    blank = [["" if x is None else x for x in row] for row in LECTURE]
    assert krippendorff_alpha(blank) == krippendorff_alpha(np.array(blank)) == expected
    codes = np.array([[9 if x is None else ("NN", "VBP").index(x) for x in row] for row in LECTURE])
    assert krippendorff_alpha(np.ma.masked_equal(codes, 9)) == expected


@pytest.mark.parametrize("level", LEVELS)
def test_weights_of_units_sum_to_the_number_of_units(level):
    # all of N = 30 units are rated 1 and 2, so D_o is the distance and D_e = N² · distance / (N (2N - 1)), however weighed
    table = np.array([[1, 2] * 15, [2, 1] * 15])
    draws = alpha_posterior(table, level=level, n_draws=100, rng=1).draws
    np.testing.assert_allclose(draws, -1 + 1 / 30, rtol=1e-12)


@pytest.mark.long
def test_intervals_cover_the_alpha_of_the_population_as_often_as_they_say():
    rng, hits, n = np.random.default_rng(3), 0, 300
    truth = krippendorff_alpha(noisy(rng, 400_000))
    for _ in range(n):
        low, high = alpha_posterior(noisy(rng, 60), n_draws=500, rng=rng).interval(0.95)
        hits += low <= truth <= high
    # 4 standard errors of a share of .95 are .05; a bootstrap of 60 units may lose a point or two
    assert 0.89 <= hits / n <= 0.99


def test_few_units_are_warned_about():
    with pytest.warns(UserWarning, match="only 4 units with two ratings"):
        alpha_posterior(LECTURE, n_draws=100, rng=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: krippendorff_alpha([[1, None], [None, 2]]), "no unit has two ratings"),
        (lambda: krippendorff_alpha([[1, 1], [1, 1]]), "all ratings are 1; without variation"),
        (lambda: krippendorff_alpha(LECTURE, values=["NN"]), "rating 'VBP' is not one of values= 'NN'"),
    ],
)
def test_bad_ratings_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
