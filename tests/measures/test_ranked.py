"""Measures of ranked lists, beside the lecture's example, trec_eval, scikit-learn and the definitions spelt out."""

import math
import shutil

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from bayesf1.measures.ranked import (
    average_precision,
    cg,
    dcg,
    err,
    grade_probability,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
    pfound,
    precision_at_k,
    reciprocal_rank,
)
from builders import needed

# Ustalov (2022), slide "Explicit Reciprocal Rank: Example".
LECTURE = [0, 0, 2, 0, 3, 0, 1, 0, 0, 1]

grades = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=6)
ALL = {
    "precision": lambda lists: precision_at_k(lists, 3),
    "ap": average_precision,
    "rr": reciprocal_rank,
    "cg": cg,
    "dcg_i": lambda lists: dcg(lists, log="i"),
    "dcg": dcg,
    "ndcg_i": lambda lists: ndcg(lists, log="i"),
    "ndcg": ndcg,
    "err": lambda lists: err(lists, max_grade=4),
    "pfound": lambda lists: pfound(grade_probability(lists, 4)),
}


def random_queries(rng, n=40):
    """Lists of returned grades and, for each query, the grades of items that were not returned."""
    found = [rng.integers(0, 4, rng.integers(1, 15)) * (rng.random() < 0.9) for _ in range(n)]
    return found, [rng.integers(0, 4, rng.integers(0, 5)) for _ in range(n)]


def by_ir_measures(measures, found, missed=None):
    """Scores of a second opinion, one row a measure; queries are numbered from 1 and documents by rank."""
    ir_measures = needed("ir_measures")
    measures = [ir_measures.parse_measure(name) for name in measures]
    missed = missed or [[]] * len(found)
    qrels = {
        str(q): {f"d{i}": int(g) for i, g in enumerate([*f, *m])}
        for q, (f, m) in enumerate(zip(found, missed, strict=True), start=1)
    }
    run = {str(q): {f"d{i}": float(len(f) - i) for i in range(len(f))} for q, f in enumerate(found, start=1)}
    out = {measure: np.full(len(found), np.nan) for measure in measures}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        out[metric.measure][int(metric.query_id) - 1] = metric.value
    return [out[measure] for measure in measures]


def test_the_lectures_example_gives_the_lectures_numbers():
    # ERR .237 is printed on the slide; the other values were computed by hand from the definitions
    assert err(LECTURE, max_grade=3) == pytest.approx(0.2366245815, abs=1e-10)
    assert round(err(LECTURE, max_grade=3), 3) == 0.237
    np.testing.assert_array_equal(grade_probability([0, 1, 2, 3], 3), [0, 0.125, 0.375, 0.875])
    assert average_precision(LECTURE) == pytest.approx(0.390476, abs=5e-7)
    assert pfound(grade_probability(LECTURE, 3)) == pytest.approx(0.562072, abs=5e-7)
    assert ndcg(LECTURE, log="i") == pytest.approx(0.523758, abs=5e-7)
    assert ndcg(LECTURE, log="i+1") == pytest.approx(0.535953, abs=5e-7)


def test_precision_ap_rr_and_ndcg_agree_with_trec_eval():
    found, missed = random_queries(np.random.default_rng(1))
    relevant = [sum(g > 0 for g in [*f, *m]) for f, m in zip(found, missed, strict=True)]
    known = [np.append(f, m) for f, m in zip(found, missed, strict=True)]
    p3, p10, ap, ap5, rr, n, n5 = by_ir_measures(
        ["P@3", "P@10", "AP", "AP@5", "RR", "nDCG", "nDCG@5"], found, missed
    )
    # trec_eval computes in double precision, too
    np.testing.assert_allclose(precision_at_k(found, 3), p3, atol=1e-12)
    np.testing.assert_allclose(precision_at_k(found, 10), p10, atol=1e-12)
    np.testing.assert_allclose(average_precision(found, n_relevant=relevant), ap, atol=1e-12)
    np.testing.assert_allclose(average_precision(found, n_relevant=relevant, k=5), ap5, atol=1e-12)
    np.testing.assert_allclose(reciprocal_rank(found), rr, atol=1e-12)
    np.testing.assert_allclose(ndcg(found, ideal=known), n, atol=1e-12)
    np.testing.assert_allclose(ndcg(found, ideal=known, k=5), n5, atol=1e-12)
    assert (ap == 0).any()
    assert mean_average_precision(found, n_relevant=relevant) == pytest.approx(ap.mean(), abs=1e-12)
    assert mean_reciprocal_rank(found) == pytest.approx(rr.mean(), abs=1e-12)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_err_agrees_with_gdeval_of_the_trec_web_track():
    found = [f for f in random_queries(np.random.default_rng(2))[0] if f.any()]
    # gdeval's scale ends at 4, and it prints five decimals
    np.testing.assert_allclose(
        err(found, max_grade=4, k=20), by_ir_measures(["ERR@20"], found)[0], atol=5.1e-6
    )


def test_dcg_and_ndcg_agree_with_scikit_learn():
    gains = np.random.default_rng(3).integers(0, 5, (30, 9))
    order = np.broadcast_to(np.arange(9.0, 0.0, -1.0), gains.shape)
    for k in (1, 4, None):
        rows = [(g[None], o[None]) for g, o in zip(gains, order, strict=True)]
        np.testing.assert_allclose(dcg(gains, k=k), [dcg_score(g, o, k=k) for g, o in rows], rtol=1e-12)
        np.testing.assert_allclose(ndcg(gains, k=k), [ndcg_score(g, o, k=k) for g, o in rows], rtol=1e-12)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.floats(0, 1))
def test_the_cascades_are_what_their_algorithms_on_the_slides_compute(row, p_break):
    reached, expected = 1.0, 0.0
    for r, g in enumerate(row, start=1):
        satisfied = (2**g - 1) / 2**4
        expected += reached * satisfied / r
        reached *= 1 - satisfied
    assert err(row, max_grade=4) == pytest.approx(expected, abs=1e-14)
    look, found = 1.0, 0.0
    for g in row:
        satisfied = (2**g - 1) / 2**4
        found += look * satisfied
        look *= (1 - satisfied) * (1 - p_break)
    assert pfound(grade_probability(row, 4), p_break=p_break) == pytest.approx(found, abs=1e-14)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(1, 15))
def test_gains_are_discounted_from_the_third_rank_on_in_the_original_and_from_the_second_in_the_other(row, k):
    original = row[0] + sum(g / math.log2(i) for i, g in enumerate(row[:k], start=1) if i >= 2)
    assert dcg(row, k=k, log="i") == pytest.approx(original, rel=1e-13)
    other = sum(g / math.log2(i + 1) for i, g in enumerate(row[:k], start=1))
    assert dcg(row, k=k) == pytest.approx(other, rel=1e-13)
    assert cg(row, k=k) == sum(row[:k])


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=30)
@given(lists=grades)
def test_lists_of_any_lengths_score_as_they_do_one_by_one(name, lists):
    measure = ALL[name]
    together = measure(lists)
    assert together.shape == (len(lists),)
    np.testing.assert_allclose(together, [measure(row) for row in lists], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", ALL)
def test_a_query_without_a_relevant_or_any_item_scores_nothing(name):
    assert ALL[name]([0, 0, 0]) == 0.0
    np.testing.assert_array_equal(ALL[name]([[], [0], [0, 0]]), 0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dcg([[1, 2], [0]] * 2 + [[math.nan]]), "gains hold nan at query 5, rank 1"),
        (lambda: average_precision([[1, 0], [1, 1]], n_relevant=[1, 1]), "n_relevant is 1 at query 2"),
        (lambda: ndcg([[3, 0], [3, 1]], ideal=[[3, 0], [1, 1]]), "less than the list itself at query 2"),
        (lambda: err([1, 4], max_grade=3), "grades hold 4 at rank 2; give numbers from 0 to max_grade=3"),
        (lambda: pfound([0.5, 2]), "p_relevant hold 2 at rank 2; give numbers from 0 to 1"),
    ],
)
def test_bad_lists_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
