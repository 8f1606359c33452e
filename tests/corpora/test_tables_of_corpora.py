"""Several corpora from one table: a column says the corpus of each row, whatever the rows hold."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import bayesf1 as bf
from bayesf1.cli import main as cli

LANGUAGES = ("de", "fr", "it")


def rows(n=40, seed=0):
    """Gold labels, predictions, right answers and scores of two models on items of three languages."""
    rng = np.random.default_rng(seed)
    listed = []
    for language in LANGUAGES:
        for i in range(n):
            gold = str(rng.choice(["yes", "no"]))
            other = "no" if gold == "yes" else "yes"
            for model, skill in (("crf", 0.6), ("bert", 0.8)):
                right = bool(rng.random() < skill)
                predicted = gold if right else other
                score = round(float(rng.beta(8 * skill, 8 * (1 - skill))), 3)
                listed.append((model, language, f"{language}-{i}", gold, predicted, int(right), score))
    columns = ["model", "language", "item", "gold", "predicted", "correct", "quality"]
    return pd.DataFrame(listed, columns=columns)


HELD = {
    "labels": {"gold": "gold", "prediction": "predicted", "positive": "yes"},
    "right": {"correct": "correct"},
    "scores": {"score": "quality"},
}
UNUSED = {
    "labels": ["correct", "quality"],
    "right": ["gold", "predicted", "quality"],
    "scores": ["gold", "predicted", "correct"],
}


@pytest.mark.parametrize("held", HELD)
def test_a_table_is_fitted_as_the_mapping_of_its_corpora_is(held):
    frame = rows().drop(columns=UNUSED[held])
    fit = bf.hierarchical(bf.from_frame(frame, corpus="language", **HELD[held]), rng=1, draws=200)
    parts = {
        language: bf.from_frame(own.drop(columns="language"), item="item", model="model", **HELD[held])
        for language, own in frame.groupby("language")
    }
    same = bf.hierarchical(parts, rng=1, draws=200)
    assert (fit.noun, same.noun) == ("language", "corpus")
    assert fit.datasets == same.datasets == LANGUAGES
    for question in ("average", "new", "suite", "fr"):
        one = fit.compare(question=question).headline
        other = same.compare(question=question).headline
        assert one.p_h1 == other.p_h1
        assert one.observed == other.observed
    assert "the average language" in str(fit)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_command_reads_corpora_from_a_file_of_any_layout(ending, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = rows()[["model", "language", "item", "correct"]]
    name = f"answers.{ending}"
    if ending == "csv":
        frame.to_csv(name, index=False)
    elif ending == "jsonl":
        frame.to_json(name, orient="records", lines=True)
    else:
        frame.to_parquet(name)
    argv = ["hierarchical", name, "--correct", "correct", "--corpus", "language", "--rng", "1"]
    assert cli.main([*argv, "--save", "fit.nc", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    fit = bf.hierarchical(bf.from_frame(frame, correct="correct", corpus="language"), rng=1)
    assert list(document["answers"]) == ["average", "new", "suite", *LANGUAGES]
    assert document["answers"]["fr"][0]["p_h1"] == pytest.approx(fit.compare(question="fr").headline.p_h1)
    assert str(bf.load_fit("fit.nc")) == str(fit)
    assert r"the average language & Accuracy" in fit.to_latex()


def test_files_of_models_whose_rows_say_the_corpora_are_one_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for model, own in rows()[["model", "language", "item", "correct"]].groupby("model"):
        own.drop(columns="model").to_csv(f"{model}.csv", index=False)
    argv = ["hierarchical", "crf=crf.csv", "bert=bert.csv", "--correct", "correct", "--corpus", "language"]
    assert cli.main([*argv, "--id", "item"]) == 0
    assert "Hierarchical Bayes test of bert against crf on 3 languages" in capsys.readouterr().out


def test_all_missing_cells_are_named_at_once():
    frame = rows()
    lacks = ((frame.model == "crf") & (frame.language == "it")) | (
        (frame.model == "bert") & (frame.language == "de")
    )
    message = "every model must be on every language, but there is no bert on de, crf on it; leave out such"
    with pytest.raises(ValueError, match=message):
        bf.from_frame(frame[~lacks], correct="correct", corpus="language")
    ev = bf.from_counts(A=(70, 20, 10), B=(60, 30, 20))
    with pytest.raises(ValueError, match="every corpus, but there is no B on y"):
        bf.hierarchical({"x": ev, "y": ev.select(["A"])})


def test_an_evaluation_of_several_corpora_is_not_one_corpus():
    ev = bf.from_frame(rows(), correct="correct", corpus="language")
    with pytest.raises(ValueError, match="corpus 'x' holds 3 languages, which are corpora themselves"):
        bf.hierarchical({"x": ev, "y": ev})


def with_common_ids(frame, ids):
    """Give the items of each language the same ids."""
    place = frame.groupby("language").cumcount() // 2
    return frame.assign(item=[ids.format(i) for i in place])


@pytest.mark.parametrize("ids", ["q{}", "{}"])
def test_the_same_items_in_all_corpora_get_a_note_that_names_the_role(ids):
    frame = with_common_ids(rows()[["model", "language", "item", "correct"]], ids)
    ev = bf.from_frame(frame, correct="correct", corpus="language")
    for answer in (bf.hierarchical(ev, rng=1, draws=200), bf.compare(ev)):
        assert "All languages have the same ids" in str(answer)
        assert "prompt='language'" in str(answer)
    crossed = bf.from_frame(frame, correct="correct", prompt="language")
    assert "3 prompts each" in bf.compare(crossed).title


def test_a_mapping_of_corpora_with_the_same_gold_labels_gets_a_note_too():
    rng = np.random.default_rng(5)
    gold = rng.random(60) < 0.3

    def corpus(gold):
        return bf.from_labels(gold, {m: gold ^ (rng.random(60) < 0.2) for m in "AB"}, positive=True)

    translations = bf.hierarchical(
        {"de": corpus(gold), "fr": corpus(rng.permutation(gold))}, rng=1, draws=200
    )
    assert any("translations of the same items" in note for note in translations.notes)
    balanced = np.arange(60) % 2 == 0
    for one, other in ((gold, ~gold), (balanced, balanced)):
        fit = bf.hierarchical({"x": corpus(one), "y": corpus(other)}, rng=1, draws=200)
        assert not any("translations" in note for note in fit.notes)


def test_rows_that_are_merely_numbered_in_each_corpus_get_no_note():
    frame = with_common_ids(rows(), "{}")
    fewer = frame[~((frame.language == "it") & (frame.item == "39"))]
    assert "same ids" not in str(bf.compare(bf.from_frame(fewer, correct="correct", corpus="language")))
    labels = bf.from_frame(frame, corpus="language", **HELD["labels"])
    assert "same ids" not in str(bf.hierarchical(labels, rng=1, draws=200))
    assert "same ids" not in str(bf.compare(bf.from_frame(rows(), correct="correct", corpus="language")))


def final_scores(seeds):
    rng = np.random.default_rng(3)
    listed = [
        (model, language, seed, 0.7 + 0.02 * i + 0.03 * (model == "bert") + rng.normal(0.0, 0.01))
        for i, language in enumerate(LANGUAGES)
        for model in ("crf", "bert")
        for seed in seeds
    ]
    return pd.DataFrame(listed, columns=["model", "language", "seed", "f1"])


def test_runs_of_final_scores_pool_their_variance_over_corpora():
    frame = final_scores(seeds=(1, 2, 3))
    fit = bf.hierarchical(bf.from_frame(frame, score="f1", corpus="language", run="seed"), rng=1)
    c = fit.compare(question="suite").headline
    variances = frame.groupby(["model", "language"]).f1.var().groupby("model").mean()
    # Each mean of three runs, averaged over three corpora.
    expected = np.sqrt(variances.sum() / 3 / 3)
    assert c.moments.difference.sd == pytest.approx(expected, rel=0.03)
    assert "count as exact" not in str(fit)


def test_single_final_scores_say_that_corpora_at_hand_count_as_exact():
    frame = final_scores(seeds=(1,)).drop(columns="seed")
    fit = bf.hierarchical(bf.from_frame(frame, score="f1", corpus="language"), rng=1)
    assert "there is one score of each model on each language" in str(fit).lower().replace("\n", " ")
    assert fit.compare(question="average").headline.p_h1 < 1.0


def test_scores_that_count_as_exact_are_printed_with_a_tenth_of_a_point_as_in_a_saved_fit(tmp_path):
    frame = final_scores(seeds=(1,)).drop(columns="seed")
    fit = bf.hierarchical(bf.from_frame(frame, score="f1", corpus="language"), rng=1)
    fit.save(tmp_path / "fit.nc")
    for one in (fit, bf.load_fit(tmp_path / "fit.nc")):
        for question in (*LANGUAGES, "suite"):
            c = one.compare(question=question).headline
            size = rf"by {100 * abs(c.estimates.difference.value):.1f} points \[\d\.\d, \d\.\d\]"
            assert re.search(size, c.sentence())
        # Every number of the table, but probabilities.
        numbers = re.findall(r"\d+\.(\d+)", " ".join(cell for row in one.table.rows for cell in row[2:6]))
        assert {*map(len, numbers)} == {1}
    runs = bf.hierarchical(
        bf.from_frame(final_scores((1, 2)), score="f1", corpus="language", run="seed"), rng=1
    )
    assert not runs.exact


def test_remarks_on_the_data_stand_in_every_form_of_a_fit(tmp_path):
    frame = rows()[["model", "language", "item", "correct"]]
    fit = bf.hierarchical(bf.from_frame(frame, correct="correct", corpus="language"), rng=1, draws=200)
    remark = "Recognised by name: 'item' (items)."
    fit.save(tmp_path / "fit.nc")
    again = bf.load_fit(tmp_path / "fit.nc")
    for one in (fit, again):
        assert remark in one.notes
        assert remark in str(one)
        assert remark in one.to_dict()["notes"]
