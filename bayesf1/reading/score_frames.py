"""Frames with a column of scores for each model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayesf1.base.naming import nearest
from bayesf1.evaluation.evaluation import model_names


def columns_of(frame: Any, models: Sequence[str] | None, ids: Any) -> tuple[dict[str, Any], Any]:
    """Return the columns of a frame that are models, and the ids of its rows, or say which column may be none.

    A column whose values are all different whole numbers or strings is taken for one of ids: it must be named.

    Parameters
    ----------
    frame
        A frame of pandas, polars or pyarrow.
    models
        The columns that are models, all but that of ids by default.
    ids
        The column of ids, a sequence of them, or None.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"query": ["q1", "q2"], "bm25": [0.2, 0.5], "dense": [0.3, 0.5]})
    >>> columns, ids = columns_of(frame, None, "query")
    >>> list(columns), ids.to_list()
    (['bm25', 'dense'], ['q1', 'q2'])
    """
    import narwhals as nw

    try:
        found: Any = nw.from_native(frame)
    except TypeError:
        raise ValueError(
            f"scores must be a mapping such as {{'A': scores}}, or a frame with a column for each model, not "
            f"{type(frame).__name__}"
        ) from None
    table = found.collect() if isinstance(found, nw.LazyFrame) else found
    if isinstance(ids, str):
        _check_column(ids, table.columns)
        known = table[ids].to_native()
    else:
        known, ids = ids, None
    chosen = [column for column in table.columns if column != ids] if models is None else model_names(models)
    for column in chosen:
        _check_column(column, table.columns)
        series = table[column]
        if models is not None or series.dtype.is_float() or series.dtype == nw.Boolean:
            continue
        if not series.dtype.is_numeric() or series.n_unique() == len(series):
            what = "numbers the rows" if series.dtype.is_integer() else f"holds {series.dtype}"
            raise ValueError(
                f"column {column!r} {what} and is hardly the scores of a model; say ids={column!r}, or name the columns of "
                "the models by models=[…]"
            )
    return {column: table[column].to_native() for column in chosen}, known


def _check_column(name: Any, known: Sequence[str]) -> None:
    if name not in known:
        raise ValueError(f"there is no column {name!r}; {nearest(str(name), known)}")
