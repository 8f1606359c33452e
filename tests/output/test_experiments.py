"""Every kind of experiment in every form: what was sampled stands in titles, targets, methods and figures alike."""

import csv
import html
import io
import json
import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.metrics import in_prose
from bayesf1.output import plots
from bayesf1.output.table import escape_latex, escape_markdown

N_DRAWS = 2000


def rows(**roles):
    """A row for each combination of roles, with the models' numbers beside."""
    frame = pd.MultiIndex.from_product(
        [["base", "tuned"], *roles.values()], names=["model", *roles]
    ).to_frame(index=False)
    return frame, (frame.model == "tuned").to_numpy(dtype=float)


def scores(**roles):
    frame, better = rows(**roles)
    noise = np.random.default_rng(1).normal(0.0, 0.02, len(frame))
    return bf.from_frame(frame.assign(f1=0.7 + 0.015 * better + noise), score="f1")


def answers(**roles):
    frame, better = rows(**roles)
    rng = np.random.default_rng(2)
    # Questions are not equally hard for both models.
    easy = rng.uniform(-0.4, 0.4, (40, 2))[frame.question_id, better.astype(int)]
    right = rng.random(len(frame)) < 0.5 + 0.1 * better + easy
    return frame.assign(correct=right)


def out_of_fold():
    frame, better = rows(item=range(60))
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 60)[frame.item]
    right = rng.random(len(frame)) < 0.75 + 0.1 * better
    frame = frame.assign(gold=gold, fold=frame.item % 5, prediction=np.where(right, gold, 1 - gold))
    return bf.from_frame(frame, gold="gold", prediction="prediction", fold="fold", positive=1)


class Kind(NamedTuple):
    """An evaluation, what titles say of it, the target of a claim, and a work that the methods cite."""

    make: Callable[[], bf.Evaluation]
    sampled: str
    target: str
    cited: str


KINDS = {
    "folds": Kind(
        lambda: scores(fold=range(10)),
        " in the 10 folds of a cross-validation",
        "method",
        "nadeau2003inference",
    ),
    "repeated folds": Kind(
        lambda: scores(repeat=range(2), fold=range(5)),
        " in the 10 folds of a 2×5 cross-validation",
        "method",
        "corani2015bayesian",
    ),
    "runs": Kind(lambda: scores(run=range(5)), ", 5 runs of each", "method", "welch1947generalization"),
    "data sets": Kind(
        lambda: scores(dataset=list("abcdefg")), " on 7 data sets", "corpora", "corani2017statistical"
    ),
    "data sets and runs": Kind(
        lambda: scores(dataset=list("abcdefg"), run=range(3)),
        " on 7 data sets, 3 runs each",
        "corpora",
        "corani2017statistical",
    ),
    "generations": Kind(
        lambda: bf.from_frame(answers(question_id=range(40), epoch=range(4)), correct="correct"),
        " on 40 questions, 4 generations each",
        "models",
        "miller2024adding",
    ),
    "prompts": Kind(
        lambda: bf.from_frame(answers(question_id=range(40), prompt=["x", "y"]), correct="correct"),
        " on 40 questions, 2 prompts each",
        "models",
        "rubin1981bayesian",
    ),
    "out of fold": Kind(
        out_of_fold, " on 60 items in the 5 folds of a cross-validation", "models", "wang2019bayes"
    ),
    "totals": Kind(
        lambda: bf.from_counts(base=(77, 44, 10), tuned=(80, 30, 7)), " on totals", "models", "wang2019bayes"
    ),
}


@cache
def results(kind):
    ev = KINDS[kind].make()
    metrics = ["f1"] if "f1" in bf.compare(ev, n_draws=500) else ["accuracy"]
    return bf.compare(ev, metrics=metrics, rope=0.01, rng=1, n_draws=N_DRAWS), bf.rank(
        ev, metrics[0], rng=1, n_draws=N_DRAWS
    )


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_the_first_line_says_what_was_sampled(kind):
    res, ranking = results(kind)
    sampled = KINDS[kind].sampled
    intervals = ", with 95 % equal-tailed credible intervals"
    assert res.title == f"tuned against base{sampled}{intervals}"
    assert ranking.title == f"2 models ranked by {in_prose(ranking.label)}{sampled}{intervals}"
    assert f"{sampled}{intervals}" in bf.scoreboard(KINDS[kind].make(), rng=1, n_draws=500).title


def test_a_claim_says_what_it_is_about(kind):
    target = KINDS[kind].target
    res, ranking = results(kind)
    assert (
        res.headline.target
        == res.to_dict()["comparisons"][0]["target"]
        == ranking.to_dict()["target"]
        == target
    )
    for answer in results(kind):
        assert f"|target:{target}" in answer.signature()


def test_methods_cite_where_they_are_from(kind):
    cited = KINDS[kind].cited
    for answer in results(kind):
        assert cited in answer.bibtex()
        assert bf.__version__ in answer.methods_sentence()


def test_methods_of_generations_say_how_many_there_are():
    for answer in results("generations"):
        assert "on 40 questions (4 generations each, " in answer.methods_sentence()


def test_latex_has_remarks_on_the_reading_as_comments_only(kind, tmp_path, capsys):
    ev = KINDS[kind].make()
    tables = [answer.to_latex() for answer in results(kind)]
    if kind == "generations":
        answers(question_id=range(40), epoch=range(4)).to_csv(tmp_path / "answers.csv", index=False)
        assert (
            main(["compare", str(tmp_path / "answers.csv"), "--correct", "correct", "--format", "latex"]) == 0
        )
        tables.append(capsys.readouterr().out)
    for table in tables:
        lines = table.splitlines()
        for remark in ev.remarks:
            assert f"% {remark}" in lines
        printed = [line for line in lines if not line.startswith("%")]
        assert not any("Recognised" in line or "Twice the" in line for line in printed)
        assert any("Twice the" in line for line in lines) == (kind == "generations")


def test_the_verdict_on_several_final_scores_is_that_of_f1_or_of_the_first():
    frame, _ = rows(fold=range(5))
    noise = np.random.default_rng(1).normal(0.7, 0.02, (len(frame), 3))
    for names, main_name in ((["f1", "precision", "recall"], "f1"), (["BLEU", "chrF", "COMET"], "BLEU")):
        ev = bf.from_frame(frame.assign(**dict(zip(names, noise.T, strict=True))), score=names)
        assert bf.compare(ev).headline.metric == main_name
        assert bf.rank(ev, rng=1).metric.name == main_name


def test_notes_on_generations_and_data_sets_stand_in_rankings_too(kind):
    res, ranking = results(kind)
    words = ("sampling answers", "twice the questions", "like these on average", "these 2 prompts")
    shared = [note for note in res.notes if any(word in note for word in words)]
    assert bool(shared) == (kind not in ("folds", "repeated folds", "runs", "out of fold", "totals"))
    assert [note for note in ranking.notes if note in shared] == shared


def test_every_form_holds_the_same_answer(kind, tmp_path):
    res, ranking = results(kind)
    c = res.headline
    document = json.loads(res.to_json())
    assert document["comparisons"][0]["difference"]["score"] == c.gap
    (row,) = csv.DictReader(io.StringIO(res.to_csv()))
    assert float(row["p_h1"]) == c.p_h1
    assert float(row["score_difference"]) == c.gap
    res.to_html(tmp_path / "page.html")
    page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
    for answer in (res, ranking):
        assert answer.title == answer.to_text().splitlines()[0]
        assert f"% {answer.title}" in answer.to_latex().splitlines()
        for line in (answer.title, answer.sentence(), answer.signature()):
            assert escape_markdown(line) in answer.to_markdown()
        assert escape_latex(answer.sentence()) == answer.sentence(format="latex")
        assert json.loads(answer.to_json())["sentence"] == answer.sentence()
        assert len(answer.to_frame()) == len(answer.records())
    assert res.sentence() in page


def test_draws_for_arviz_are_those_of_the_answer(kind):
    res, _ = results(kind)
    c = res.headline
    draws = res.to_arviz(n_draws=4000, rng=3)["posterior"]["difference"].values.ravel()
    assert (draws > 0.0).mean() == pytest.approx(
        c.p_h1, abs=4.0 * math.sqrt(0.25 / len(draws)) + 4.0 * c.mcse
    )
    assert np.median(draws) == pytest.approx(
        c.difference.ppf(0.5), abs=0.2 * (c.intervals[2][1] - c.intervals[2][0])
    )


def test_two_models_are_ranked_as_they_compare(kind):
    res, ranking = results(kind)
    c = res.headline
    p_tuned = ranking.p_first[ranking.models.index("tuned")]
    assert p_tuned == pytest.approx(c.p_h1, abs=4.0 * math.sqrt(0.25 / N_DRAWS) + 4.0 * c.mcse)


@pytest.mark.parametrize("figure", ["posterior", "difference", "rank", "classes"])
def test_every_figure_keeps_its_words_inside(kind, figure):
    res, ranking = results(kind)
    draw = {
        "posterior": lambda: plots.plot_posterior(res.headline.ev, metrics=[res.headline.metric]),
        "difference": lambda: plots.plot_difference(res),
        "rank": lambda: plots.plot_rank(ranking),
        "classes": lambda: plots.plot_classes(res),
    }
    axes = np.ravel(draw[figure]())
    drawn = axes[0].get_figure()
    drawn.canvas.draw()
    for text in drawn.findobj(Text):
        box = text.get_window_extent()
        if text.get_visible() and text.get_text().strip() and box.width > 0.0:
            inside = (box.min >= -1.0).all() and (box.max <= drawn.bbox.max + 1.0).all()
            assert inside or text in _undrawn(axes), text.get_text()


def _undrawn(axes):
    """Labels of ticks beyond the ends of an axis."""
    ticks = [tick for ax in axes for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_major_ticks()]
    return [label for tick in ticks for label in (tick.label1, tick.label2)]


def test_the_share_of_generations_is_that_of_the_variance_within_items():
    frame = answers(question_id=range(40), epoch=range(4))
    means = frame.groupby(["question_id", "model"]).correct.mean().unstack("model")
    within = frame.groupby(["question_id", "model"]).correct.var(ddof=1).unstack("model").sum(axis=1) / 4
    share = within.sum() / (means.tuned - means.base).var(ddof=0) / 40
    res, ranking = results("generations")
    record = res.records()[0]
    assert record["generations_share"] == pytest.approx(share, rel=0.03)
    assert record["generations_shorter_with_twice_items"] == pytest.approx(1.0 - math.sqrt(0.5))
    assert record["generations_shorter_with_twice_generations"] == pytest.approx(
        1.0 - math.sqrt(1.0 - 0.5 * share), rel=0.03
    )
    assert ranking.to_dict()["generations"]["share"] == pytest.approx(record["generations_share"])


@pytest.mark.parametrize(
    ("left_out", "where"), [(0, "3 languages, 20 items each"), (3, "3 languages, 57 items in all")]
)
def test_items_of_data_sets_are_counted_for_each_or_in_all(left_out, where):
    frame = answers(question_id=range(20), language=["de", "en", "fr"])
    frame = frame[(frame["language"] != "de") | (frame["question_id"] >= left_out)]
    res = bf.compare(bf.from_frame(frame, correct="correct"), n_draws=1000, rng=1)
    assert f" on {where}, with " in str(res).splitlines()[0]
