"""Columns of data frames of any engine: which there are, what labels they hold, and what a group-by gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from bayesf1.base.naming import nearest, shown
from bayesf1.evaluation.evaluation import model_names
from bayesf1.reading.engines import check_names

if TYPE_CHECKING:
    import narwhals as nw

    Lazy: TypeAlias = nw.LazyFrame[Any]

Models: TypeAlias = Sequence[str] | Mapping[str, Any]

# A frame with more kinds of rows than this holds something else than labels.
_MAX_PATTERNS = 1_000_000


@dataclass(frozen=True)
class Label:
    """A column of labels: its name and an expression that gives strings, numbers or booleans."""

    column: str
    dtype: nw.dtypes.DType
    expr: nw.Expr
    text: bool

    def code(self, positive: Any) -> nw.Expr:
        """Return 1 for the positive label, 0 for others, nothing where there is none."""
        import narwhals as nw

        code = nw.lit(0)
        # Engines refuse to compare strings with numbers, and some of them booleans with numbers.
        comparable = isinstance(positive, str) == self.text
        if self.dtype == nw.Boolean:
            comparable, positive = positive in (0, 1), bool(positive)
        elif isinstance(positive, bool):
            positive = int(positive)
        if comparable:
            code = nw.when(self.expr == positive).then(nw.lit(1)).otherwise(code)
        return nw.when(present(self.expr, self.dtype)).then(code)


def present(expr: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    """Return where a column has a value."""
    return ~(expr.is_null() | expr.is_nan()) if dtype.is_float() else ~expr.is_null()


def as_text(column: str) -> nw.Expr:
    """Return a column's values as text, and nothing where there is none: pandas 2 would write ``nan``."""
    import narwhals as nw

    expr = nw.col(column)
    return nw.when(~expr.is_null()).then(expr.cast(nw.String))


def read_frame(frame: Any, instead: str) -> Lazy:
    """Return a frame of any engine as a lazy one, or say what belongs here."""
    import narwhals as nw

    try:
        found = nw.from_native(frame)
    except (TypeError, nw.exceptions.NarwhalsError) as error:
        if isinstance(error, nw.exceptions.DuplicateError):
            raise ValueError(
                f"a frame's columns need different names: {' '.join(str(error).split())}"
            ) from None
        raise ValueError(
            "a frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark or Ibis belongs here, not "
            f"{type(frame).__name__}; {instead}"
        ) from None
    lazy: Lazy = found.lazy()
    return lazy


def is_in_memory(frame: Any) -> bool:
    """Say whether a frame holds its rows, in an order, and is no query."""
    import narwhals as nw

    return isinstance(nw.from_native(frame), nw.DataFrame)


def named_columns(models: Models) -> dict[str, str]:
    """Return the column of each model."""
    names = model_names(models)
    return {name: models[name] if isinstance(models, Mapping) else name for name in names}


def check_columns(used: Sequence[str], known: Sequence[str]) -> None:
    """Say which column there is not, or is named twice."""
    for i, name in enumerate(used):
        if not isinstance(name, str):
            raise ValueError(f"columns are named by strings, not by {shown(name)}; rename the columns first")
        if name not in known:
            raise ValueError(f"there is no column {shown(name)}; {nearest(str(name), known)}")
        if name in used[:i]:
            raise ValueError(f"column {name!r} is named twice; gold, models and the rest need one each")


def check_frame(lazy: Lazy, used: Sequence[str]) -> None:
    """Say which column a frame has not, or its engine would take for another."""
    check_columns(used, lazy.collect_schema().names())
    check_names(lazy.to_native(), used)


def label_columns(lazy: Lazy, columns: Sequence[str]) -> list[Label]:
    """Return columns of labels, or say which holds something else."""
    import narwhals as nw

    schema = lazy.collect_schema()
    found: list[Label] = []
    for column in columns:
        dtype, expr = schema[column], nw.col(column)
        if dtype in (nw.Categorical, nw.Enum):
            numeric = _numeric_categories(lazy, column)
            dtype = nw.Float64() if numeric else nw.String()
            if numeric:
                expr = expr.cast(dtype)
            elif not lazy.implementation.is_pandas():
                # Of pandas, categories that are strings are counted as they are, which saves a string for each row.
                expr = as_text(column)
        elif dtype.is_decimal():
            dtype, expr = nw.Float64(), expr.cast(nw.Float64)
        if not (dtype == nw.String or dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"column {column!r} holds {dtype}; labels are strings, numbers or booleans")
        found.append(Label(column, dtype, expr, text=dtype == nw.String))
        if found[0].text != found[-1].text:
            raise ValueError(
                f"column {columns[0]!r} holds {found[0].dtype} but column {column!r} {dtype}; "
                "numbers and strings are never equal"
            )
    return found


def _numeric_categories(lazy: Lazy, column: str) -> bool:
    """Return whether categories are numbers, as pandas and pyarrow allow."""
    native, engine = lazy.to_native(), lazy.implementation
    if engine.is_pyarrow():
        return "string" not in str(native.schema.field(column).type.value_type)
    if engine.is_pandas_like() or engine.is_dask():
        categories = getattr(native[column].dtype, "categories", None)
        return categories is not None and categories.dtype.kind in "biuf"
    return False


def collect(lazy: Lazy, what: str, too_many: str) -> list[tuple[Any, ...]]:
    """Return the rows of a group-by, or say what has too many of them, and of what."""
    rows = list(lazy.head(_MAX_PATTERNS + 1).collect().rows())
    if len(rows) > _MAX_PATTERNS:
        raise ValueError(f"{what} more than {_MAX_PATTERNS:,} {too_many}")
    return rows
