"""Agreement under two guidelines: alpha and kappa against other programs, and their paired comparison."""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import bayesf1 as bf
from bayesf1.measures import alpha_posterior, from_ratings, krippendorff_alpha


def rated(rng, truth, errors, raters=2):
    others = rng.integers(0, 3, (raters, len(truth)))
    return np.where(rng.random((raters, len(truth))) < errors, others, truth)


def guidelines(seed, n=300, raters=2, errors=(0.3, 0.15)):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return {
        name: rated(rng, truth, error, raters) for name, error in zip(("old", "new"), errors, strict=True)
    }


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_another_program(level):
    ratings = guidelines(1, raters=4)
    c = bf.compare(from_ratings(ratings, level=level), rng=1)["alpha"]
    for name, found in (("old", c.score_a), ("new", c.score_b)):
        expected = krippendorff.alpha(reliability_data=ratings[name], level_of_measurement=level)
        assert found == pytest.approx(expected, abs=1e-12)
        assert found == pytest.approx(krippendorff_alpha(ratings[name], level=level), abs=1e-12)


def test_kappa_is_that_of_another_program_and_agreement_the_plain_share():
    ratings = guidelines(2)
    res = bf.compare(from_ratings(ratings), metrics=["kappa", "agreement"], rng=1)
    for name, side in (("old", "score_a"), ("new", "score_b")):
        assert getattr(res["kappa"], side) == pytest.approx(cohen_kappa_score(*ratings[name]), abs=1e-12)
        assert getattr(res["agreement"], side) == pytest.approx(np.mean(ratings[name][0] == ratings[name][1]))


def test_what_is_believed_of_one_guideline_is_what_its_own_posterior_says():
    ratings = guidelines(3)
    c = bf.compare(from_ratings(ratings), rng=1)["alpha"]
    alone = alpha_posterior(ratings["new"], n_draws=20_000, rng=2)
    assert c.posterior_b.mean() == pytest.approx(alone.mean(), abs=3e-3)
    assert c.posterior_b.std() == pytest.approx(alone.std(), rel=0.05)


def test_units_that_are_hard_under_both_guidelines_make_the_difference_surer():
    rng = np.random.default_rng(4)
    truth, hard = rng.integers(0, 3, 200), rng.random(200) < 0.4
    ratings = {name: rated(rng, truth, np.where(hard, 0.9, e)) for name, e in (("old", 0.15), ("new", 0.02))}
    c = bf.compare(from_ratings(ratings), rng=1)["alpha"]
    assert c.assumption == "paired" or c.under.shared
    assert c.difference.std() < 0.95 * c.independent.difference.std()


def test_a_clearer_guideline_is_better_and_a_gate_may_ask_for_it():
    res = bf.compare(from_ratings(guidelines(5)), rng=1)
    assert res["alpha"].verdict == "new better"
    assert res.check("alpha: new better").passed
    assert not bf.compare(from_ratings(guidelines(6, errors=(0.2, 0.2))), rng=1).check(
        "alpha: new better by 0.05"
    )


def test_units_without_two_ratings_under_both_guidelines_do_not_count():
    ratings = {name: table.astype(object) for name, table in guidelines(7, n=50).items()}
    ratings["old"][0, :10] = None
    ev = from_ratings(ratings)
    assert ev.units.size == 40


def test_bad_ratings_get_one_sentence():
    good = guidelines(8, n=20)
    with pytest.raises(ValueError, match="rate the same units by as many raters"):
        from_ratings({"old": good["old"], "new": good["new"][:, :10]})
    with pytest.raises(ValueError, match="Cohen's kappa is of two raters, and here are 3"):
        bf.compare(from_ratings(guidelines(9, raters=3)), metrics="kappa")
    with pytest.raises(ValueError, match="ratings must be a mapping"):
        from_ratings([good["old"]])
    with pytest.raises(ValueError, match="are the same"):
        from_ratings({"old": good["old"], "new": np.ones((2, 20), dtype=int)})
    with pytest.raises(ValueError, match="unknown metric 'f1' of ratings"):
        bf.compare(from_ratings(good), metrics="f1")
