"""Rows with roles: what was sampled follows from the columns, and is said."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import bayesf1 as bf
from bayesf1.cli.main import main
from bayesf1.io.roles import ABOUT

RNG = np.random.default_rng(5)


def scores(column, n, models="AB", **more):
    """Final scores, one for each model and value of a column."""
    rows = [
        {"model": m, column: f"{column}{i}", "f1": 0.7 + 0.01 * k + 0.02 * RNG.normal(), **more}
        for k, m in enumerate(models)
        for i in range(n)
    ]
    return pd.DataFrame(rows)


def generations(n=60, least=3, most=3, models="AB"):
    """Right and wrong answers of several generations."""
    p = RNG.random(n)
    rows = [
        {"model": m, "question_id": f"q{i}", "epoch": k, "correct": int(RNG.random() < p[i]), "gold": i % 2}
        for m in models
        for i in range(n)
        for k in range(RNG.integers(least, most + 1))
    ]
    frame = pd.DataFrame(rows)
    return frame.assign(prediction=np.where(frame.correct == 1, frame.gold, 1 - frame.gold))


def only(ev, **how):
    return bf.compare(ev, rng=1, **how).headline


def test_folds_are_the_correlated_t():
    frame = scores("fold", 10)
    c = only(bf.from_frame(frame, score="f1"))
    own = {m: frame[frame.model == m].f1.to_numpy() for m in "AB"}
    d = own["B"] - own["A"]
    # Corani & Benavoli (2015): the variance of the mean of ten folds, of which each pair shares 1/10 of the items.
    t = d.mean() / np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    assert c.p_h1 == pytest.approx(stats.t.cdf(t, 9))
    assert c.p_h1 == pytest.approx(bf.fold_tests(c.ev)["Bayesian correlated t"].p_greater)
    assert c.method == "exact"
    assert "in the 10 folds of a cross-validation" in bf.compare(c.ev).title


def test_names_of_runs_that_are_taken_as_models_name_the_column_that_groups_them(tmp_path, capsys):
    frame = scores("seed", 4).rename(columns={"model": "method"})
    frame = frame.assign(name=[f"{method}-{i}" for i, method in enumerate(frame.method)])
    frame = frame[["name", "method", "seed", "f1"]]
    with pytest.raises(
        ValueError, match=r"each of the 8 names in column 'name' has one run; .* say model='method'"
    ):
        bf.from_frame(frame, score="f1")
    assert bf.from_frame(frame, score="f1", model="method").names == ("A", "B")
    frame.to_csv(tmp_path / "runs.csv", index=False)
    assert main(["compare", str(tmp_path / "runs.csv"), "--scores", "f1"]) != 0
    assert "say --model method" in capsys.readouterr().err


def test_scores_of_repeated_halves_have_one_answer_however_halves_were_drawn():
    frame = pd.concat([scores("fold", 2).assign(repeat=j) for j in range(3)])
    c = only(bf.from_frame(frame, score="f1"))
    for cv in ("blocked-3x2", "random-3x2"):
        other = only(bf.from_frame(frame, score="f1", cv=cv))
        assert other.p_h1 == c.p_h1
        assert other.estimates == c.estimates


def test_scores_of_halves_are_the_correlated_t():
    frame = pd.concat([scores("fold", 2).assign(repeat=j) for j in range(3)])
    c = only(bf.from_frame(frame, score="f1", cv=bf.BlockedCV(3)))
    d = np.subtract(*(frame[frame.model == m].f1.to_numpy() for m in "BA"))
    # Each half is trained on as many items as it is tested on.
    t = d.mean() / np.sqrt((1 / 6 + 1) * d.var(ddof=1))
    assert c.p_h1 == pytest.approx(stats.t.cdf(t, 5))


def test_repeats_are_told_from_folds():
    frame = pd.concat([scores("fold", 5).assign(repeat=j) for j in range(3)])
    ev = bf.from_frame(frame, score="f1")
    assert ev.folds.counts.shape == (3, 5, 2, 1)
    with pytest.raises(ValueError, match=r"differ in 'round'.*fold='round'"):
        bf.from_frame(frame.rename(columns={"repeat": "round"}), score="f1")


def test_runs_are_about_as_sure_as_welch():
    frame = scores("seed", 10)
    c = only(bf.from_frame(frame, score="f1"))
    a, b = (frame[frame.model == m].f1.to_numpy() for m in "AB")
    welch = stats.ttest_ind(b, a, equal_var=False).confidence_interval()
    low, high = c.intervals[2]
    assert (high - low) / (welch.high - welch.low) == pytest.approx(1.0, abs=0.12)
    assert c.gap == pytest.approx(b.mean() - a.mean())


@pytest.mark.parametrize("role", ["seed", "fold"])
def test_a_score_of_0_is_a_score(role):
    frame = scores(role, 6)
    frame.loc[(frame.model == "A") & (frame[role] == frame[role].min()), "f1"] = 0.0
    c = only(bf.from_frame(frame, score="f1"))
    means = frame.groupby("model").f1.mean()
    assert c.gap == pytest.approx(means.B - means.A)
    assert 0.0 < c.p_h1 < 1.0


def test_data_sets_are_a_sample_whatever_is_within():
    one = pd.concat([scores("seed", 4).assign(dataset=d) for d in "vwxyz"])
    few = pd.concat([scores("fold", 5).assign(dataset=d) for d in "vwxyz"])
    plain = pd.concat([scores("x", 1).drop(columns="x").assign(dataset=d) for d in "vwxyz"])
    for frame, words in (
        (one, "5 data sets, 4 runs each"),
        (few, "5 data sets, 5 folds each"),
        (plain, "on 5 data sets,"),
    ):
        res = bf.compare(bf.from_frame(frame, score="f1"), rng=1)
        assert words in res.title
        assert "on the average data set" in res.sentence()
        assert bf.rank(res.headline.ev, rng=1).title.startswith("2 models ranked by F1 on 5 data sets")


def test_folds_of_data_sets_have_one_variance_though_on_one_of_them_two_models_differ_equally():
    frame = pd.concat([scores("fold", 5).assign(dataset=d) for d in "vwxyz"], ignore_index=True)
    on_one = (frame.dataset == "v") & (frame.model == "B")
    frame.loc[on_one, "f1"] = frame.f1[(frame.dataset == "v") & (frame.model == "A")].to_numpy() + 0.01
    c = only(bf.from_frame(frame, score="f1"))
    means = frame.groupby(["dataset", "model"]).f1.mean().unstack("model")
    assert c.estimates.difference.value == pytest.approx((means.B - means.A).mean())
    assert not c.spread_unknown


@pytest.mark.parametrize("k", [2, 5])
def test_generations_are_a_clustered_t_of_means(k):
    frame = generations(200, k, k)
    c = only(bf.from_frame(frame, correct="correct"))
    means = frame.groupby(["model", "question_id"]).correct.mean().unstack("model")
    d = (means.B - means.A).to_numpy()
    half = stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
    low, high = c.intervals[2]
    assert c.gap == pytest.approx(d.mean())
    assert high - low == pytest.approx(2 * half, rel=0.05)
    assert f"198 questions, {k} generations each".replace("198", "200") in bf.compare(c.ev, rng=1).title


def test_generations_have_their_share_of_the_variance():
    frame = generations(300, 1, 6)
    c = only(bf.from_frame(frame, correct="correct"))
    noise = 0.0
    means = frame.groupby(["model", "question_id"]).correct.agg(["mean", "count", "var"])
    for m in "AB":
        own = means.loc[m]
        noise += float((own["var"].fillna(own["var"].mean()) / own["count"]).mean())
    d = means["mean"].unstack("model")
    total = float((d.B - d.A).var())
    assert c.generations.share == pytest.approx(min(noise / total, 1.0), rel=0.02)


def test_labels_with_generations_are_mean_tables():
    frame = generations(80)
    ev = bf.from_frame(frame, gold="gold", positive=1)
    own = frame[frame.model == "A"]
    tp = ((own.gold == 1) & (own.prediction == 1)).sum() / 3
    assert ev.tables[0, 0] == pytest.approx(tp)
    assert ev.units.size == 80


def test_one_generation_is_an_item():
    frame = generations(50, 1, 1)
    ev = bf.from_frame(frame, correct="correct")
    wide = frame.pivot(index="question_id", columns="model", values="correct")
    assert ev.tables.tolist() == bf.from_correct(dict(wide)).tables.tolist()
    assert ev.generations is None


def test_predictions_out_of_fold_are_a_cross_validation():
    x = RNG.normal(size=120)
    y = (x + RNG.normal(size=120) > 0).astype(int)

    def threshold(at):
        return lambda X, y: lambda test: (test > at).astype(int)

    fold = np.arange(120) % 5
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    known = bf.cross_validate({"low": threshold(-1), "mid": threshold(0)}, x, y, cv=folds)
    rows = [
        {"model": m, "id": i, "fold": fold[i], "gold": y[i], "prediction": int(x[i] > at)}
        for m, at in (("low", -1), ("mid", 0))
        for i in range(120)
    ]
    assert bf.from_frame(pd.DataFrame(rows), gold="gold", positive=1) == known


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"item": "fold"}, "item='fold' would take test folds as independent items.*fold='fold'"),
        ({"group": "fold"}, "group='fold' would take test folds as independent documents"),
        ({"fold": "nothing"}, "fold= names no column of the frame, 'nothing'"),
    ],
)
def test_columns_in_impossible_roles_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        bf.from_frame(scores("fold", 5), score="f1", **change)


def test_one_score_each_is_refused():
    with pytest.raises(ValueError, match="one final score of each model"):
        bf.from_frame(scores("x", 1).drop(columns="x"), score="f1")


def test_a_missing_fold_is_named():
    with pytest.raises(ValueError, match="'B' has no score for fold 5"):
        bf.from_frame(scores("fold", 5).iloc[:-1], score="f1")


def test_a_model_that_lacks_a_data_set_is_named():
    frame = pd.concat(
        [scores("x", 1, "ABC" if d == "v" else "AB").drop(columns="x").assign(task=d) for d in "vwx"]
    )
    with pytest.raises(ValueError, match="there is no C on w, C on x"):
        bf.from_frame(frame, score="f1")


def test_rows_that_nothing_tells_apart_ask_for_a_role():
    with pytest.raises(ValueError, match=r"differ in 'weird'.*generation='weird'"):
        bf.from_frame(generations().rename(columns={"epoch": "weird"}), correct="correct")


def test_train_and_test_are_no_folds():
    frame = generations(40, 1, 1).assign(split="test")
    assert bf.from_frame(frame, correct="correct").folds is None


@pytest.mark.parametrize("what", ["fold", "seed", "dataset", "gen"])
def test_files_and_answers_keep_it(what, tmp_path):
    ev = (
        bf.from_frame(generations(30), correct="correct")
        if what == "gen"
        else bf.from_frame(scores(what, 6), score="f1")
    )
    ev.save(tmp_path / "ev.json")
    assert bf.load(tmp_path / "ev.json") == ev
    res = bf.compare(ev, rope=0.01, rng=1)
    assert json.loads(res.to_json())["comparisons"]
    assert res.to_latex()
    assert res.methods_sentence()
    assert res.sentence()
    assert res.to_arviz(rng=1) is not None
    assert bf.plot_difference(res) is not None
    for verb in (bf.intervals, bf.posterior):
        if what != "gen" and verb is bf.intervals:
            with pytest.raises(ValueError, match="use compare or rank"):
                verb(ev, "A")
        else:
            verb(ev, "A")
    swapped = bf.compare(ev, "B", "A", rng=1).headline
    assert swapped.p_h0 == pytest.approx(bf.compare(ev, "A", "B", rng=1).headline.p_h1)


def test_wide_tables_and_files_are_the_same_as_rows(tmp_path):
    frame = scores("fold", 8)
    rows = bf.from_frame(frame, score="f1")
    wide = frame.pivot(index="fold", columns="model", values="f1").reset_index()
    frame.to_csv(tmp_path / "long.csv", index=False)
    wide.to_csv(tmp_path / "wide.csv", index=False)
    for m in "AB":
        frame[frame.model == m].drop(columns="model").to_csv(tmp_path / f"{m}.csv", index=False)
    by_file = bf.read({m: tmp_path / f"{m}.csv" for m in "AB"}, scores="f1")
    for ev in (
        bf.read(tmp_path / "long.csv", scores="f1"),
        bf.read(tmp_path / "wide.csv", scores="f1"),
        by_file,
    ):
        assert ev.tables.tolist() == rows.tables.tolist()
        assert ev.folds.counts.tolist() == rows.folds.counts.tolist()


def out_of_fold(n=60):
    """A row for each item, with its test fold, and a column of predictions for each model."""
    gold = np.arange(n) % 2
    right = RNG.random((n, 2)) < [0.7, 0.8]
    a, b = np.where(right, gold[:, None], 1 - gold[:, None]).T
    return pd.DataFrame({"id": np.arange(n), "fold": np.arange(n) % 5, "gold": gold, "a": a, "b": b})


@pytest.mark.parametrize(
    "convert", [lambda frame: frame, pl.from_pandas, lambda frame: pl.from_pandas(frame).lazy()]
)
def test_folds_beside_columns_of_predictions_are_recognised_in_frames_as_in_files(convert, tmp_path):
    frame = out_of_fold()
    frame.to_csv(tmp_path / "wide.csv", index=False)
    ev = bf.from_frame(convert(frame), gold="gold", models=["a", "b"], positive=1)
    assert ev == bf.from_frame(frame, gold="gold", models=["a", "b"], positive=1, fold="fold", item="id")
    assert ev == bf.read(tmp_path / "wide.csv", gold="gold", positive=1)
    assert re.search("'fold'.*test folds", ev.remarks[-1])


@pytest.mark.parametrize("role", ["fold", "seed", "task"])
def test_final_scores_in_columns_of_models_are_the_same_from_frames_and_files(role, tmp_path):
    wide = scores(role, 6).pivot(index=role, columns="model", values="f1").reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    ev = bf.from_frame(wide, models=["A", "B"], score="f1")
    assert ev == bf.read(tmp_path / "wide.csv", scores="f1")
    assert ev.folds is not None or ev.corpora is not None or len(ev.methods[0].runs) == 6


def test_repeats_and_folds_in_a_frame_of_columns_of_models_are_recognised():
    frame = pd.concat([scores("fold", 10).assign(repeat=j) for j in range(5)])
    wide = frame.pivot(index=["repeat", "fold"], columns="model", values="f1").reset_index()
    assert bf.from_frame(wide, models=["A", "B"], score="f1").folds.counts.shape == (5, 10, 2, 1)


def test_ids_that_come_again_in_each_language_make_languages_data_sets(tmp_path):
    frame = pd.concat([out_of_fold().drop(columns="fold").assign(lang=lang) for lang in ("de", "fr", "it")])
    frame.to_csv(tmp_path / "wide.csv", index=False)
    ev = bf.from_frame(frame, gold="gold", models=["a", "b"], positive=1)
    assert ev.corpora.names == ("de", "fr", "it")
    assert ev == bf.read(tmp_path / "wide.csv", gold="gold", positive=1)
    other = frame.assign(id=np.arange(len(frame)))
    assert bf.from_frame(other, gold="gold", models=["a", "b"], positive=1).corpora is None


def test_parts_of_the_data_beside_columns_of_models_are_no_folds():
    frame = out_of_fold().drop(columns="fold").assign(split=["train", "test"] * 30)
    assert bf.from_frame(frame, gold="gold", models=["a", "b"], positive=1).folds is None


def test_out_of_fold_predictions_without_ids_are_an_item_a_row(tmp_path):
    frame = out_of_fold()
    frame.drop(columns="id").to_csv(tmp_path / "wide.csv", index=False)
    expected = bf.from_frame(frame, gold="gold", models=["a", "b"], positive=1)
    for ev in (
        bf.from_frame(frame.drop(columns="id"), gold="gold", models=["a", "b"], positive=1),
        bf.read(tmp_path / "wide.csv", gold="gold", positive=1),
    ):
        assert ev.folds.counts.tolist() == expected.folds.counts.tolist()
        assert ev.tables.tolist() == expected.tables.tolist()
    repeated = pd.concat([frame.drop(columns="id").assign(repeat=j) for j in range(2)])
    with pytest.raises(ValueError, match="which column tells items apart"):
        bf.from_frame(repeated, gold="gold", models=["a", "b"], positive=1)


def test_a_frame_whose_columns_may_be_models_is_refused_with_the_call_that_names_them():
    with pytest.raises(ValueError, match=r"name those: models=\['a', 'b'\]"):
        bf.from_frame(out_of_fold(), gold="gold", positive=1)
    wide = scores("fold", 5).pivot(index="fold", columns="model", values="f1").reset_index()
    with pytest.raises(ValueError, match=r"name those: models=\['A', 'B'\]"):
        bf.from_frame(wide, score="f1")


def test_a_table_of_models_by_tasks_is_not_read_sideways(tmp_path):
    pd.DataFrame({"model": ["A", "B"], "mnli": [0.8, 0.82], "sst2": [0.9, 0.93], "qqp": [0.7, 0.71]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    ev = bf.read(tmp_path / "t.csv", scores="acc")
    assert ev.names == ("A", "B")
    assert ev.corpora.names == ("mnli", "sst2", "qqp")


# ---- what is refused, from frames and from files ----------------------------------------------------------


ROLES = ("model", "item", "group", "run", "fold", "repeat", "generation", "prompt", "corpus")


@pytest.fixture
def refused(tmp_path):
    """What is said of rows, given as a frame and as a file, but for the name of the file."""

    def said(frame, **options):
        path = tmp_path / "rows.csv"
        frame.to_csv(path, index=False)
        in_file = {"scores" if name == "score" else name: value for name, value in options.items()}
        found = []
        for ask in (lambda: bf.from_frame(frame, **options), lambda: bf.read(path, **in_file)):
            with pytest.raises(ValueError, match=r"\w") as caught:
                ask()
            found.append(str(caught.value))
        return found

    return said


@pytest.mark.parametrize("role", ROLES)
def test_a_column_in_a_role_that_is_not_there_is_refused_by_name(role, refused):
    options = {"model": "model", "item": "question_id", "generation": "epoch"} | {role: "epohc"}
    for said in refused(generations(), correct="correct", **options):
        assert re.search(rf"({role}|id)= names no column of .*, 'epohc'; did you mean 'epoch'\?", said)


def test_an_absent_column_of_values_is_refused_by_name(refused):
    for said in refused(generations(), correct="corect"):
        assert "has no column 'corect'; did you mean 'correct'?" in said
    for said in refused(generations(), gold="gold", prediction="said"):
        assert "has no column 'said'" in said


def test_the_command_line_names_the_option_and_the_columns(tmp_path, capsys):
    generations().to_csv(tmp_path / "g.csv", index=False)
    assert main(["compare", str(tmp_path / "g.csv"), "--correct", "correct", "--id", "question"]) == 2
    error = capsys.readouterr().err
    assert "--item names no column of" in error
    assert "did you mean 'question_id'? (known: model, question_id, epoch" in error


def test_a_column_with_two_roles_is_refused(refused):
    for said in refused(generations(), correct="correct", run="epoch", generation="epoch"):
        assert re.search(
            "column 'epoch' is named twice, by (run|generation)= and .*; a column has one role", said
        )


@pytest.mark.parametrize("role", ["item", "group"])
@pytest.mark.parametrize(
    ("column", "call"),
    [
        ("fold", "fold='fold'"),
        ("CV", "fold='CV'"),
        ("split 3", "fold='split 3'"),
        ("cv_fold", "fold='cv_fold'"),
        ("random seed", "run='random seed'"),
        ("seed", "run='seed'"),
        ("Runs", "run='Runs'"),
        ("rs", "run='rs'"),
        ("random_state", "run='random_state'"),
        ("trial", "generation='trial'"),
        ("repeat", "repeat='repeat'"),
        ("epoch", "generation='epoch'"),
    ],
)
def test_folds_and_seeds_are_no_items_and_no_groups(role, column, call, refused):
    frame = generations(20, 1, 1).rename(columns={"epoch": column})
    for said in refused(frame, correct="correct", **{role: column}):
        assert f"would take {ABOUT[call.partition('=')[0]]} as independent" in said
        assert said.endswith(f"say {call} instead")


@pytest.mark.parametrize("role", ["item", "group"])
def test_a_trial_of_final_scores_is_a_run_as_only_items_have_generations(role, refused):
    frame = scores("trial", 5)
    for said in refused(frame, score="f1", **{role: "trial"}):
        assert said.endswith("say run='trial' instead")
    assert len(bf.from_frame(frame, score="f1", run="trial").methods[0].runs) == 5
    for said in refused(frame.assign(question_id=1), score="f1", **{role: "trial"}):
        assert said.endswith("say generation='trial' instead")


@pytest.mark.parametrize("unit", ["fold", "cv", "Random seed", "split 3", "repeats", "runs"])
def test_folds_and_seeds_are_no_units(unit, refused, tmp_path):
    with pytest.raises(ValueError, match=r"share their data.*fold= or run="):
        bf.from_scores({"A": [0.5, 0.75], "B": [0.25, 1.0]}, unit=unit)
    path = tmp_path / "rows.csv"
    scores("fold", 5).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"share their data.*fold= or run="):
        bf.read(path, scores="f1", unit=unit)


def test_folds_are_no_documents_beside_columns_of_models():
    frame = pd.DataFrame({"gold": [0, 1] * 5, "a": [0, 1] * 5, "b": [1, 0] * 5, "fold": [0, 1, 2, 3, 4] * 2})
    with pytest.raises(ValueError, match="group='fold' would take test folds as independent documents"):
        bf.from_frame(frame, gold="gold", models=["a", "b"], group="fold")


@pytest.mark.parametrize("column", ["model", "question_id", "epoch"])
@pytest.mark.parametrize("value", [None, " "])
def test_a_row_without_a_value_in_a_role_is_refused(column, value, refused):
    frame = generations().astype({column: object})
    frame.loc[4, column] = value
    for said in refused(frame, correct="correct"):
        assert f"ow 5 has no value in column '{column}'" in said.replace("row 5, has", "row 5 has")


def test_a_score_without_an_item_is_final(tmp_path):
    frame = scores("seed", 4).assign(topic="a")
    ev = bf.from_frame(frame, score="f1")
    assert ev.task.final
    assert [method.name for method in ev.methods] == ["A", "B"]
    items = frame.rename(columns={"seed": "id"})
    assert not bf.from_frame(items, score="f1").task.final


@pytest.mark.parametrize("metric", ["f1", "acc", "F1 (dev)", "nDCG@10", "quality"])
@pytest.mark.parametrize(
    ("column", "words"),
    [
        (None, "no column says what a row is"),
        ("part", "no column says what a row is"),
        ("split_no", "say fold='split_no'"),
        ("random_seed", "say run='random_seed'"),
        ("run_id", "say run='run_id'"),
    ],
)
def test_rows_of_scores_that_no_column_calls_items_are_refused_whatever_the_metric(
    metric, column, words, tmp_path
):
    wide = scores("fold", 6).pivot(index="fold", columns="model", values="f1").reset_index(drop=True)
    if column is not None:
        wide.insert(0, column, range(1, 7))
    wide.to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ValueError, match=words):
        bf.read(tmp_path / "wide.csv", scores=metric)
    with pytest.raises(ValueError, match=words):
        bf.from_frame(wide, models=["A", "B"], score=metric)
    if column is not None:
        with pytest.raises(ValueError, match=words):
            bf.from_frame(wide.set_index(column), models=["A", "B"], score=metric)


@pytest.mark.parametrize("column", ["qid", "query", "topic_id", "sentence"])
def test_rows_of_scores_that_a_column_calls_items_are_items(column, tmp_path):
    wide = scores("fold", 6).pivot(index="fold", columns="model", values="f1").reset_index(drop=True)
    wide.insert(0, column, range(1, 7))
    wide.to_csv(tmp_path / "wide.csv", index=False)
    ev = bf.read(tmp_path / "wide.csv", scores="nDCG@10")
    assert not ev.task.final
    assert ev.tables.tolist() == bf.from_frame(wide, models=["A", "B"], score="nDCG@10").tables.tolist()
    assert (
        bf.read(tmp_path / "wide.csv", scores="nDCG@10", unit="query").tables.tolist() == ev.tables.tolist()
    )


@pytest.mark.parametrize("name", ["mean", "Avg", "average", "std", "TOTAL", "all", "median", "overall"])
@pytest.mark.parametrize("role", ["fold", "seed", "dataset"])
def test_a_row_that_sums_up_the_others_is_refused(role, name, refused, tmp_path):
    frame = scores(role, 5).assign(**{role: [1, 2, 3, 4, name] * 2})
    words = rf"column '{role}' has '{name}' among its .*, which sums up the others; leave its rows out"
    for said in refused(frame, score="f1"):
        assert re.search(words, said)
    wide = frame.pivot(index=role, columns="model", values="f1").reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ValueError, match=words):
        bf.read(tmp_path / "wide.csv", scores="f1")
    with pytest.raises(ValueError, match=words):
        bf.from_frame(wide, models=["A", "B"], score="f1")


@pytest.mark.parametrize("name", ["Avg", "Average", "mean"])
def test_a_column_that_sums_up_data_sets_is_refused(name, tmp_path):
    frame = pd.DataFrame({"model": ["A", "B"], "mnli": [0.8, 0.82], "sst2": [0.9, 0.93], "qqp": [0.7, 0.71]})
    frame.assign(**{name: [0.8, 0.82]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=f"column '{name}' among its data sets"):
        bf.read(tmp_path / "t.csv", scores="glue")


def test_a_model_or_an_item_may_be_called_mean():
    frame = generations(20, 1, 1).replace({"model": {"B": "mean"}, "question_id": {"q3": "all"}})
    assert bf.from_frame(frame, correct="correct").names == ("A", "mean")


def test_a_question_is_an_item_by_its_name_unless_ids_are_there_and_options_quote_blanks(tmp_path, capsys):
    frame = generations(20, 2, 2)
    ev = bf.from_frame(frame, correct="correct")
    texts = frame.rename(columns={"question_id": "question"})
    assert bf.from_frame(texts, correct="correct").tables.tolist() == ev.tables.tolist()
    same_text = frame.assign(question="Which one?")[["question", *frame.columns]]
    assert bf.from_frame(same_text, correct="correct").tables.tolist() == ev.tables.tolist()
    texts.rename(columns={"epoch": "the take"}).to_csv(tmp_path / "g.csv", index=False)
    assert main(["compare", str(tmp_path / "g.csv"), "--correct", "correct"]) == 2
    assert "--generation 'the take'" in capsys.readouterr().err


def test_repeated_ids_without_a_role_are_refused(refused):
    frame = generations(20, 1, 1).drop(columns="epoch")
    for said in refused(pd.concat([frame, frame.iloc[:3]]), correct="correct"):
        assert "2 rows have model 'A', question_id 'q0'; keep one, or add a column" in said


def test_rows_that_agree_in_all_roles_are_named_by_the_column_in_which_they_differ(refused):
    frame = generations(20, 2, 2).rename(columns={"epoch": "weird"})
    for said in refused(frame, correct="correct"):
        assert "2 rows have model 'A', question_id 'q0' and differ in 'weird'" in said
        assert "generation='weird' (generations of the same model)" in said
    for said in refused(scores("weird", 3), score="f1"):
        assert "item='weird' (items)" in said


@pytest.mark.parametrize("role", ["group", "generation", "prompt"])
def test_roles_of_items_need_items(role, refused):
    for said in refused(scores("fold", 4).assign(x=["a", "b"] * 4), score="f1", **{role: "x"}):
        assert f"{role}='x' tells" in said
        assert "name it with id=" in said


def test_repeats_and_designs_need_folds(refused):
    for said in refused(generations(20, 1, 1).assign(again=0), correct="correct", repeat="again"):
        assert "name them with fold=" in said
    for said in refused(scores("seed", 4), score="f1", cv="5"):
        assert "cv= is the design of test folds" in said


def test_repeats_have_equally_many_folds(refused):
    frame = pd.concat([generations(20, 1, 1).assign(repeat=j) for j in range(2)])
    number = frame.question_id.str[1:].astype(int)
    for said in refused(
        frame.assign(fold=number % (4 + frame["repeat"])), correct="correct", repeat="repeat"
    ):
        assert "have 4 to 5 folds; all need equally many" in said


def test_an_item_has_one_group_and_one_gold_label(refused):
    frame = generations(20, 2, 2).assign(doc="d")
    frame.loc[3, "doc"] = "e"
    for said in refused(frame, correct="correct", group="doc"):
        assert "has doc 'd' in one row and 'e' in another" in said
    frame.loc[3, "gold"] = 7
    for said in refused(frame, gold="gold"):
        assert re.search("has gold '?[01]'? in one row and '?7'? in another", said)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"gold": "gold", "correct": "correct"}, "correct"),
        ({"correct": "correct", "positive": 1}, "positive"),
        ({"correct": "correct", "lower_is_better": True}, "lower_is_better"),
        ({"score": "correct", "judge": "gold"}, "judge"),
    ],
)
def test_options_of_other_values_are_refused(options, name, refused):
    for said in refused(generations(20, 1, 1), item="question_id", **options):
        assert f"{name}= does not apply if" in said


def test_a_judge_beside_generations_is_refused(refused):
    for said in refused(generations(), gold="gold", judge="correct"):
        assert "judge= is not read yet beside" in said


def test_classes_and_a_judge_are_read_from_rows():
    frame = generations(40, 1, 1)
    ev = bf.from_frame(frame, gold="gold", labels=[0, 1, 2])
    assert ev.classes == ("0", "1", "2")
    once = frame.assign(gold=frame.gold.astype(float), judge=frame.gold)
    once.loc[once.question_id.isin(["q0", "q1"]), "gold"] = np.nan
    assert bf.from_frame(once, gold="gold", judge="judge", positive=1).labelled == "38 of them labelled"


def test_columns_of_models_with_a_fold_that_is_named_are_rows(tmp_path):
    frame = scores("part", 8)
    wide = frame.pivot(index="part", columns="model", values="f1").reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    for role in ("fold", "run", "corpus"):
        ev = bf.read(tmp_path / "wide.csv", scores="f1", **{role: "part"})
        assert ev == bf.from_frame(frame, score="f1", **{role: "part"})


def test_words_are_answers_and_no_scores(tmp_path, refused):
    frame = generations(20, 2, 2)
    words = frame.assign(correct=np.where(frame.correct == 1, "yes", "no"))
    words.to_csv(tmp_path / "words.csv", index=False)
    expected = bf.from_frame(frame, correct="correct")
    assert bf.read(tmp_path / "words.csv", correct="correct") == expected
    assert bf.from_frame(words, correct="correct") == expected
    for said in refused(words.assign(correct="maybe"), correct="correct"):
        assert "row 1 of 'correct' has 'maybe', which is no right" in said
    for said in refused(scores("fold", 4).assign(f1="high"), score="f1"):
        assert "row 1 of 'f1' has 'high', which is no number" in said


def test_a_seed_beside_items_is_asked_for(refused):
    frame = generations(20, 2, 2).rename(columns={"epoch": "seed"})
    for said in refused(frame, correct="correct"):
        assert "say run='seed', and if the same model answered again, generation='seed'" in said
    assert bf.from_frame(frame, correct="correct", generation="seed").generations is not None
    assert [len(method.runs) for method in bf.from_frame(frame, correct="correct", run="seed").methods] == [
        2,
        2,
    ]


def test_gold_in_a_file_of_its_own_says_what_a_models_file_lacks(tmp_path):
    frame = generations(20, 2, 2)
    gold = frame[["question_id", "gold"]].drop_duplicates()
    gold.to_csv(tmp_path / "gold.csv", index=False)
    files = {}
    for name, own in frame.groupby("model"):
        files[name] = tmp_path / f"{name}.csv"
        own.drop(columns=["model", "gold", "correct"]).to_csv(files[name], index=False)
    read = {"gold_file": tmp_path / "gold.csv", "gold": "gold", "positive": 1}
    assert bf.read(files, **read) == bf.from_frame(frame, gold="gold", positive=1)
    gold.iloc[1:].to_csv(tmp_path / "gold.csv", index=False)
    with pytest.raises(ValueError, match=r"gold\.csv has no row for question_id 'q0', which models have"):
        bf.read(files, **read)
    pd.concat([gold, gold.iloc[:1]]).to_csv(tmp_path / "gold.csv", index=False)
    with pytest.raises(ValueError, match=r"gold\.csv has question_id 'q0' twice"):
        bf.read(files, **read)
    gold.assign(question_id=[*gold.question_id[1:], "q99"]).to_csv(tmp_path / "gold.csv", index=False)
    with pytest.raises(ValueError, match="no row for question_id 'q0'"):
        bf.read(files, **read)
    pd.concat([gold, gold.iloc[:1].assign(question_id="q99")]).to_csv(tmp_path / "gold.csv", index=False)
    with pytest.raises(ValueError, match=r"no model has a row for question_id 'q99' of .*gold\.csv"):
        bf.read(files, **read)
    gold.to_csv(tmp_path / "gold.csv", index=False)
    frame[frame.model == "A"].assign(gold=7).to_csv(files["A"], index=False)
    with pytest.raises(
        ValueError, match=r"gold\.csv has gold '0' for question_id 'q0', but a model's file has '7'"
    ):
        bf.read(files, **read)
