"""Which columns of a table are taken for models' where nobody names them, and which are refused."""

import pandas as pd
import pytest

from bayesf1.base.input_files import InputFile
from bayesf1.io.table_files import guess_columns, named_columns
from bayesf1.io.tables import Table

N = 12
GOLD = ["spam" if i % 3 else "ham" for i in range(N)]
LABELS = {"label": GOLD, "crf": GOLD[::-1], "bert": GOLD}
SCORES = {
    "query": [f"q{i}" for i in range(N)],
    "a": [i % 7 / 10 for i in range(N)],
    "b": [i % 5 / 10 for i in range(N)],
}


@pytest.fixture
def table(tmp_path):
    def written(columns, container="csv"):
        path = tmp_path / f"table.{container}"
        frame = pd.DataFrame(columns)
        if container == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=True)
        return Table.opened(InputFile.of(path))

    return written


@pytest.mark.parametrize("container", ["csv", "jsonl"])
@pytest.mark.parametrize("other", [{}, {"id": [*range(N)]}, {"name": [f"q{i}" for i in range(N)]}])
def test_all_columns_of_gold_labels_are_models_and_ids_are_none(table, other, container):
    assert [*guess_columns(table({**other, **LABELS}, container), "label", ())] == ["crf", "bert"]


def test_what_is_named_otherwise_is_no_model(table):
    assert [*guess_columns(table(LABELS), "label", ["crf", None])] == ["bert"]


@pytest.mark.parametrize(
    "other",
    [
        {"doc": [f"d{i // 3}" for i in range(N)]},
        {"p": [i / 100 + 0.1 for i in range(N)]},
        {"model": ["x", "y"] * 6},
    ],
)
def test_a_column_that_may_be_no_model_is_refused_and_not_passed_over(table, other):
    with pytest.raises(ValueError, match=r"columns=\['crf', 'bert'\]"):
        guess_columns(table({**other, **LABELS}), "label", ())


def test_a_model_with_some_strange_labels_is_a_model(table):
    columns = {**LABELS, "llm": ["maybe", *GOLD[1:]]}
    assert [*guess_columns(table(columns), "label", ())] == ["crf", "bert", "llm"]


def test_numbers_beside_ids_are_scores(table):
    assert [*guess_columns(table(SCORES), None, ())] == ["a", "b"]
    assert [*guess_columns(table({**SCORES, "b": ["oops", *SCORES["b"][1:]]}), None, ())] == ["a", "b"]


@pytest.mark.parametrize(
    "other",
    [{"n": [40 + i % 3 for i in range(N)]}, {"hard": [True, False] * 6}, {"split": ["dev", "test"] * 6}],
)
def test_columns_that_are_hardly_of_one_metric_are_refused(table, other):
    with pytest.raises(ValueError, match="columns="):
        guess_columns(table({**SCORES, **other}), None, ())


@pytest.mark.parametrize("asked", [["a", "b"], {"a": "a", "b": "b"}, ["a", "b=b"]])
def test_columns_that_are_named_are_honoured(table, asked):
    assert named_columns(asked, table(SCORES), "columns") == {"a": "a", "b": "b"}
    with pytest.raises(ValueError, match="has no column 'c'"):
        named_columns(["a", "c"], table(SCORES), "columns")
