"""A fit is data: its answers are made when it is made, and no form of it starts a verb, a draw or a quadrature."""

import pickle
from pathlib import Path

import pytest

import bayesf1 as bf
from bayesf1.corpora.fit import HierarchicalFit
from bayesf1.corpora.model import Diagnostics
from bayesf1.distributions.base import Posterior
from bayesf1.distributions.empirical import EmpiricalPosterior
from bayesf1.distributions.random_effects import RandomEffects
from bayesf1.sampling.model import SamplingModel

THREE = {
    name: bf.from_counts(A=(77, 44, 10 + i), B=(83, 9, 14), C=(70, 30, 27)) for i, name in enumerate("xyz")
}


def page(fit, folder):
    fit.to_html(folder / "fit.html")
    return Path(folder, "fit.html").read_text(encoding="utf-8")


FORMS = {
    "text": lambda fit, folder: str(fit),
    "details": lambda fit, folder: fit.details(),
    "repr": lambda fit, folder: repr(fit),
    "notebook": lambda fit, folder: fit._repr_html_(),
    "Markdown": lambda fit, folder: fit.to_markdown(),
    "LaTeX": lambda fit, folder: fit.to_latex(),
    "HTML": page,
    "CSV": lambda fit, folder: fit.to_csv(),
    "JSON": lambda fit, folder: fit.to_json(),
    "frame": lambda fit, folder: fit.to_frame().to_csv(),
    "signature": lambda fit, folder: fit.signature(),
    "notes": lambda fit, folder: str([fit.title, fit.notes, fit.more, fit.bibtex()]),
    "pickle": lambda fit, folder: str(pickle.loads(pickle.dumps(fit))),
}
# What computes; `mean` and `std` of draws are numbers that were kept.
COMPUTING = {
    HierarchicalFit: ["compare", "rank", "summary", "posteriors", "_draws"],
    SamplingModel: ["scores", "draw"],
    RandomEffects: ["draw", "grid"],
    EmpiricalPosterior: ["__init__", "_tail", "_quantile", "rvs", "pdf", "mode", "hdi"],
    Posterior: ["cdf", "sf", "ppf", "isf", "interval", "median"],
}


@pytest.fixture
def of_scores():
    return bf.hierarchical(THREE, rope=0.01, rng=1)


@pytest.mark.parametrize("name", ["of_scores", "sampled"])
def test_no_form_of_a_fit_computes_anything(name, request, monkeypatch, tmp_path):
    fit = request.getfixturevalue(name)
    printed = {form: render(fit, tmp_path) for form, render in FORMS.items()}

    def refuse(*args, **kwargs):
        raise AssertionError("a form of a fit computes")

    for kind, methods in COMPUTING.items():
        for method in methods:
            monkeypatch.setattr(kind, method, refuse)
    for form, render in FORMS.items():
        assert render(fit, tmp_path) == printed[form], form
    with pytest.raises(AssertionError, match="computes"):
        fit.compare("A", "B")


def test_a_fit_with_other_models_to_be_printed_has_their_answers():
    fit = bf.hierarchical(THREE, rng=1)
    assert fit.shown == ("A", "B")
    other = fit.answer("A", "C")
    assert {(c.model_a, c.model_b) for res in other.answers.values() for c in res.values()} == {("A", "C")}
    assert other.answers["suite"].to_json() == fit.compare("A", "C", question="suite").to_json()


@pytest.mark.parametrize("metrics", [None, ["precision", "recall"], ["recall", "f1", "precision"]])
def test_a_sentence_and_a_ranking_speak_of_the_same_metric(metrics):
    fit = bf.hierarchical(THREE, metrics=metrics, rng=1, draws=200)
    main = fit.main_metric
    assert fit.rank().metric.name == main.name
    for question in fit.questions:
        res = fit.compare("A", "B", question=question)
        assert res.headline.metric == main.name
        assert str(res[main.name]) == res.sentence()


def test_a_caution_names_every_problem_of_the_draws_and_none_if_there_is_none():
    good = Diagnostics("pymc", 4000, 4, 1500.0, divergences=0, r_hat=1.002)
    assert (good.agree, good.caution) == (True, "")
    assert "agree: R-hat 1.00, no divergences" in str(good)
    bad = Diagnostics("pymc", 4000, 4, 399.0, divergences=7, r_hat=1.011)
    assert not bad.agree
    for problem in (
        "7 of 4,000 transitions diverged",
        "R-hat 1.011 above 1.01",
        "only 399 effective draws, fewer than 400",
    ):
        assert problem in bad.caution
    assert "disagree: R-hat 1.011, 7 divergences" in str(bad)
    grid = Diagnostics("grid", 4000, 4, 4000.0)
    assert (grid.caution, str(grid)) == ("", "computed on a grid, 4,000 independent draws")
