"""Frames of every engine, with and without missing gold labels, and tables that were counted elsewhere."""

import re
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import bayesf1 as bf
from bayesf1 import from_frame, from_labels, from_patterns
from builders import needed


def as_duckdb(frame):
    # The default connection: relations of DuckDB before 1.5 do not keep one of their own alive.
    return needed("duckdb").from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def as_polars(frame):
    return pl.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


def as_dask(frame):
    dd = needed("dask.dataframe")
    return dd.from_pandas(frame, npartitions=min(3, max(len(frame), 1)))


ENGINES = {
    "pandas": lambda frame: frame,
    "pandas-shuffled": lambda frame: frame.sample(frac=1, random_state=1),
    "pandas-nullable": lambda frame: frame.convert_dtypes(),
    "pandas-arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars": as_polars,
    "polars-lazy": lambda frame: as_polars(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": as_duckdb,
    "dask": as_dask,
}


@pytest.fixture(params=ENGINES)
def engine(request):
    if request.param != "dask":
        yield ENGINES[request.param]
        return
    # Threads of their own for a few hundred rows are most of dask's time.
    with needed("dask").config.set(scheduler="synchronous"):
        yield as_dask


def predictions(n=300, *, seed=0, labels=("spam", "ham")):
    """A frame of gold labels, two models that are right most of the time, and documents."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    codes = [gold] + [np.where(rng.random(n) < 0.8, gold, 1 - gold) for _ in range(2)]
    frame = pd.DataFrame(
        {name: np.array(labels)[c] for name, c in zip(("gold", "bert", "crf"), codes, strict=True)}
    )
    frame["doc"] = rng.integers(0, n // 4, n)
    return frame


def expected(frame, *, positive=None, group=None):
    return from_labels(
        frame["gold"],
        {"bert": frame["bert"], "crf": frame["crf"]},
        positive=positive,
        groups=None if group is None else frame[group],
    )


def counted(frame, **options):
    return from_frame(frame, gold="gold", models=["bert", "crf"], **options)


@pytest.mark.parametrize("group", [None, "doc"])
def test_every_engine_counts_what_from_labels_counts(engine, group):
    frame = predictions()
    want = expected(frame, positive="spam", group=group)
    assert counted(engine(frame), positive="spam", group=group) == want


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), ("no", "yes")], ids=str)
def test_the_positive_label_is_guessed_as_from_labels_guesses_it(engine, labels):
    frame = predictions(labels=labels)
    assert counted(engine(frame), group="doc") == expected(frame, group="doc")
    assert counted(engine(frame), positive=labels[1]) == expected(frame)


def test_enums_with_different_values_are_compared_by_their_names():
    frame = predictions()
    enums = as_polars(frame).with_columns(
        pl.col("gold").cast(pl.Enum(["spam", "ham"])), pl.col("bert").cast(pl.Enum(["ham", "eggs", "spam"]))
    )
    relation = as_duckdb(frame).project(
        "gold::enum('ham', 'spam') as gold, bert::enum('spam', 'ham') as bert, crf"
    )
    for native in (enums, enums.lazy(), relation):
        assert counted(native, positive="spam") == expected(frame, positive="spam")


@pytest.mark.parametrize("name", ['bert "v2"', "bert.v2"])
@pytest.mark.parametrize("more", [{}, {"judge": []}], ids=["labelled", "judged"])
def test_names_that_duckdb_may_misread_are_refused(name, more):
    # Before 2.0 the first is read from a column "bert v2", the second from a field of "bert".
    frame = as_duckdb(predictions().rename(columns={"bert": name}))
    with pytest.raises(ValueError, match=r"^duckdb may mistake column 'bert.*v2\"?' for another"):
        from_frame(frame, gold="gold", models=[name], positive="spam", **more)
    assert from_frame(frame, gold="gold", models=["crf"], positive="spam", **more).models == ("crf",)


class Panic(BaseException):
    """What Polars raises where its engine breaks down, as 1.20 does of a head that is longer than a group-by."""

    __module__ = "pyo3_runtime"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Panic("assertion failed:\n len"), "polars failed (assertion failed: len)"),
        (ImportError("no sqltypes", name="duckdb"), "no sqltypes; install it"),
    ],
    ids=["polars", "duckdb"],
)
def test_an_engine_that_breaks_down_is_named(error, said, monkeypatch):
    def collect(*_, **__):
        raise error

    monkeypatch.setattr("narwhals.LazyFrame.collect", collect)
    with pytest.raises(ValueError, match=re.escape(said)):
        counted(as_polars(predictions(40)), positive="spam")
    monkeypatch.setattr("narwhals.LazyFrame.collect", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        counted(as_polars(predictions(40)), positive="spam")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
@pytest.mark.parametrize("group", [None, "doc"])
def test_ibis_counts_what_from_labels_counts(group, tmp_path):
    ibis = needed("ibis")
    frame = predictions()
    frame.to_parquet(tmp_path / "t.parquet")
    table = ibis.duckdb.connect().read_parquet(tmp_path / "t.parquet")
    assert counted(table, positive="spam", group=group) == expected(frame, positive="spam", group=group)


@pytest.mark.parametrize("group", [None, "doc"])
def test_spark_counts_what_from_labels_counts(group):
    sql = needed("pyspark.sql")
    frame = predictions()
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    table = session.createDataFrame(frame.to_dict("records"))
    assert counted(table, positive="spam", group=group) == expected(frame, positive="spam", group=group)
    session.stop()


def test_only_counts_leave_the_engine():
    rows = needed("duckdb").sql(
        "select i % 2 as gold, i % 3 % 2 as bert, i % 5 % 2 as crf, i // 1000 as doc from range(1000000) t(i)"
    )
    tracemalloc.start()
    ev = counted(rows, group="doc")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ev.items.units.weights.sum() == 1_000_000
    assert ev.units.weights.sum() == 1000
    assert peak < 5_000_000


@st.composite
def sharded_items(draw):
    """Items as (gold, A, B, document) with a shard for each document."""
    documents = draw(st.lists(st.integers(0, 2), min_size=1, max_size=5))
    bits = st.integers(0, 1)
    item = st.tuples(bits, bits, bits, st.integers(0, len(documents) - 1))
    items = draw(st.lists(item, min_size=1, max_size=25))
    return items, [documents[item[3]] for item in items]


@pytest.mark.filterwarnings("ignore:.* never predicts? the positive label:UserWarning")
@settings(max_examples=60, deadline=None)
@given(sharded_items(), st.booleans())
def test_shards_add_up_to_their_union_unless_documents_straddle_them(data, grouped):
    items, shard = data
    # Every shard holds a positive item of a document of its own.
    items = items + [(1, 1, 1, 10 + s) for s in set(shard)]
    shard = np.array(shard + sorted(set(shard)))
    options = {"gold": "gold", "models": ["A", "B"], "positive": 1, "group": "doc" if grouped else None}
    whole = pl.DataFrame(items, schema=["gold", "A", "B", "doc"], orient="row")
    parts = [from_frame(whole.filter(pl.Series(shard == s)), **options) for s in np.unique(shard)]
    assert sum(parts) == from_frame(whole, **options)
    assert sum(parts[::-1]) == sum(parts)


@pytest.mark.parametrize("positive", [None, "yes"])
@pytest.mark.parametrize(
    ("column", "rows", "number"),
    [("gold", [1, 3, 5], "3 items"), ("crf", [2, 3], "2 items"), ("doc", [7], "1 item")],
)
def test_missing_values_are_named_and_counted(engine, column, rows, number, positive):
    frame = predictions(40, labels=("yes", "no")).astype({"doc": float})
    frame.loc[rows, column] = None
    with pytest.raises(ValueError, match=f"column '{column}' has no value for {number}; drop or fill"):
        counted(engine(frame), positive=positive, group="doc")


NAN = {"gold": [1.0, 0.0, 1.0], "bert": [1.0, float("nan"), float("nan")], "crf": [1.0, 1.0, 0.0]}


@pytest.mark.parametrize("positive", [None, 1])
@pytest.mark.parametrize(
    "build",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda columns: needed("duckdb").from_arrow(pa.table(columns)),
        lambda columns: as_dask(pd.DataFrame(columns)),
    ],
    ids=["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "dask"],
)
def test_not_a_number_is_a_missing_label_though_it_is_no_null(build, positive):
    with pytest.raises(ValueError, match="column 'bert' has no value for 2 items"):
        counted(build(NAN), positive=positive)


def test_strings_are_never_equal_to_numbers(engine):
    frame = predictions(40).assign(crf=1)
    with pytest.raises(
        ValueError, match="'gold' holds String but column 'crf' Int64; numbers and strings are never"
    ):
        counted(engine(frame), positive="spam")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["bert", "bert"]}, "model 'bert' is given twice"),
        ({"models": ["gold"]}, "column 'gold' is named twice"),
        (
            {"models": ["bert"], "group": "dco"},
            "group= names no column of the frame, 'dco'; did you mean 'doc'",
        ),
        ({"models": ["when"]}, "column 'when' holds Datetime.*; labels are strings, numbers or booleans"),
    ],
)
def test_bad_columns_are_refused_in_words(options, message):
    frame = predictions(40).assign(when=pd.Timestamp("2026-01-01"))
    with pytest.raises(ValueError, match=message):
        from_frame(frame, gold="gold", positive="spam", **options)


QUERY = "select gold, bert, crf, count(*) as n from t group by all"


def select(frame):
    return as_duckdb(frame).query("t", QUERY)


@pytest.mark.parametrize(
    "convert",
    [
        lambda relation: relation,
        lambda relation: relation.df(),
        lambda relation: relation.pl(),
        lambda relation: relation.pl().lazy(),
        lambda relation: relation.to_arrow_table(),
        lambda relation: relation.df().to_dict("records"),
        lambda relation: relation.pl().sample(fraction=1, shuffle=True, seed=1),
    ],
    ids=["duckdb", "pandas", "polars", "polars-lazy", "pyarrow", "dicts", "shuffled"],
)
def test_a_group_by_from_elsewhere_is_the_same_evaluation(convert):
    frame = predictions()
    assert from_patterns(convert(select(frame)), positive="spam") == expected(frame, positive="spam")


def test_tuples_are_gold_then_models_then_count():
    frame = predictions()
    rows = select(frame).fetchall()
    assert from_patterns(rows, models=["bert", "crf"], positive="spam") == expected(frame, positive="spam")
    with pytest.raises(ValueError, match="are named by strings"):
        from_patterns(pd.DataFrame(rows), models=["bert", "crf"], positive="spam")
    assert from_patterns(rows, positive="spam").models == ("A", "B")


@pytest.mark.parametrize("count", [-1, float("nan"), float("inf"), None, "3", True, 10**400])
def test_a_bad_count_is_refused(count):
    with pytest.raises(ValueError, match=r"row 2, has 3 = .*; counts are finite|instead of numbers"):
        from_patterns([(1, 1, 5), (0, 1, count)])


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([], {}, "the table has no rows"),
        ([(1, 1, 0)], {}, "all counts in column '3' are 0"),
        ([(1, 1, 5), (1, 5)], {}, r"row 2 is \(1, 5\), but"),
        ([(1, None, 3), (0, 1, 2)], {}, "column 'model A' has no label"),
        ([(1, "1", 3)], {}, "has labels like 1 but .* like '1'"),
        ([(1, [1], 3)], {}, r"a label is a string or a number"),
        ([(1, 1, 3)], {"gold": "g"}, "tuples have no column names"),
    ],
)
def test_a_bad_table_of_counts_is_refused_in_words(table, options, message):
    with pytest.raises(ValueError, match=message):
        from_patterns(table, **options)


@pytest.mark.parametrize("group", [None, "doc"])
def test_more_than_two_labels_are_classes_in_any_frame(group):
    rng = np.random.default_rng(3)
    names = np.array(["neg", "neu", "pos"])
    columns = {name: names[rng.integers(0, 3, 90)].tolist() for name in ("label", "a", "b")}
    frame = pd.DataFrame(columns | {"doc": np.repeat(np.arange(30), 3)})
    groups = None if group is None else frame["doc"]
    expected = from_labels(frame["label"], {"a": frame["a"], "b": frame["b"]}, groups=groups)
    for native in (frame, pl.from_pandas(frame).lazy(), pa.Table.from_pandas(frame), as_duckdb(frame)):
        assert from_frame(native, gold="label", models=["a", "b"], group=group) == expected
    rows = frame.groupby(["label", "a", "b"]).size().reset_index()
    counted = from_patterns(list(rows.itertuples(index=False, name=None)), models=["a", "b"])
    assert group is not None or counted == expected


def judged_columns(n=600, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.4
    words = np.array(["ham", "spam"])

    def said(error):
        return words[(gold ^ (rng.random(n) < error)).astype(int)]

    labels = np.where(rng.random(n) < 0.3, words[gold.astype(int)].astype(object), None)
    errors = {"crf": 0.2, "bert": 0.1, "gpt": 0.1}
    return {"label": labels.tolist(), **{name: said(error).tolist() for name, error in errors.items()}}


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "pyarrow": pa.table,
    "categories": lambda data: pd.DataFrame(data).astype(
        dict.fromkeys(("label", "crf", "bert", "gpt"), "category")
    ),
}


@pytest.mark.parametrize("engine", FRAMES)
def test_a_frame_gives_what_lists_give(engine):
    data = judged_columns()
    how = {"gold": "label", "models": ["crf", "bert"], "positive": "spam"}
    frame = FRAMES[engine](data)
    said = {m: data[m] for m in how["models"]}
    for judge, own in (("gpt", {"gpt": data["gpt"]}), ([], {}), ({"model": "gpt"}, {"model": data["gpt"]})):
        expected = bf.from_labels(data["label"], said, positive="spam", judge=own)
        assert bf.from_frame(frame, judge=judge, **how) == expected
