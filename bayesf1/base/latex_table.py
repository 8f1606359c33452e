r"""A table as LaTeX, as wide as it is or made to fit a column of a paper.

To fit, a table is set in ever smaller type, its intervals move below the scores and its headers are broken; then columns
that it can spare are left out, one after another, and a comment says which. The smallest type comes last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayesf1.base.breaking import broken
from bayesf1.base.latex import escape_latex, printable
from bayesf1.base.naming import listing, nearest

if TYPE_CHECKING:
    from bayesf1.base.table import Table

# A column and a page of an ACL paper, 7.7 cm and 16 cm, in points, and the environment of either.
WIDTHS = {"column": (219.0, "table"), "page": (455.0, "table*")}


@dataclass(frozen=True)
class Setting:
    """How a table is set: the command for its size, that size and half the space between columns in points.

    A line of a cell has at most so many characters, where it can be broken; broken headers and intervals below their scores
    have a size of their own.
    """

    size: str = ""
    points: float = 10.0
    gap: float = 6.0
    most: int | None = None
    below: tuple[str, float] = ("", 1.0)


_SETTINGS = (
    Setting("small", 10.0, 4.0),
    Setting("small", 10.0, 4.0, 14),
    Setting("footnotesize", 9.0, 3.0, 14),
    Setting("footnotesize", 9.0, 3.0, 10, ("scriptsize", 8.0 / 9.0)),
    Setting("footnotesize", 9.0, 2.0, 10, ("scriptsize", 8.0 / 9.0)),
)
# Hard to read, and so only where no column can be spared any more.
_TIGHT = (
    Setting("footnotesize", 9.0, 2.0, 7, ("scriptsize", 8.0 / 9.0)),
    Setting("scriptsize", 8.0, 2.0, 7),
)

# Widths of Computer Modern in thousandths of its size, which Times does not exceed; 760 for letters not listed.
_EM = {
    c: width
    for width, some in {
        280: "ijl.,:;!'|[]`",
        335: " -f",
        400: "rst()/",
        450: "cez",
        500: "0123456789ago?_*–“”",
        555: "bdhknpquvxyIJS",
        780: "+−<>±×wHNOQ&",
        833: "m%@",
        1030: "MW—…",
    }.items()
    for c in some
}


def latex_of(
    table: Table,
    *,
    caption: str | None,
    label: str | None,
    siunitx: bool,
    columns: Sequence[str] | None,
    width: str | None,
) -> str:
    """Return a LaTeX tabular with booktabs rules; see `Table.to_latex`."""
    shown = table if columns is None else _chosen(table, columns)
    setting, note = Setting(), [table.note] if table.note else []
    environment = "table"
    if width is not None:
        limit, environment = _limit(width)
        shown, setting = _fitted(shown, limit, width, spare=() if columns is not None else table.spare)
        gone = [name for name in table.header if columns is None and name not in shown.header]
        note += [f"Left out so that it fits: {', '.join(gone)}."] if gone else []
    body = _tabular(shown, setting, siunitx=siunitx)
    if setting.size:
        body = [rf"{{\{setting.size}\setlength{{\tabcolsep}}{{{setting.gap:g}pt}}%", *body, "}"]
    if caption is not None or label is not None:
        named = [rf"\caption{{{escape_latex(caption)}}}"] if caption is not None else []
        named += [rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', label)}}}"] if label is not None else []
        body = [rf"\begin{{{environment}}}", r"\centering", *body, *named, rf"\end{{{environment}}}"]
    packages = r"\usepackage{booktabs}" + (r" and \usepackage{siunitx}" if siunitx else "")
    return "\n".join([f"% needs {packages}", *(f"% {escape_latex(text)}" for text in note), *body])


def _tabular(table: Table, setting: Setting, *, siunitx: bool) -> list[str]:
    kinds = [
        _siunitx_column([row[j] for row in table.rows]) if siunitx else None for j in range(len(table.header))
    ]
    sources = table.latex_header or [None] * len(table.header)
    header = [
        f"{{{cell}}}" if kind else cell
        for cell, kind in zip(
            (_header(name, source, setting) for name, source in zip(table.header, sources, strict=True)),
            kinds,
            strict=True,
        )
    ]
    rows = [
        [
            _cell(cell, setting, kind, bold=(i, j) in table.bold)
            for j, (cell, kind) in enumerate(zip(row, kinds, strict=True))
        ]
        for i, row in enumerate(table.rows)
    ]
    limit = r"0.95\linewidth"
    return [
        rf"\begin{{tabular}}{{@{{}}{''.join(kind or 'l' for kind in kinds)}@{{}}}}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        *(
            rf"\multicolumn{{{len(header)}}}{{@{{}}p{{{limit}}}@{{}}}}{{\footnotesize {escape_latex(text)}}} \\"
            for text in table.limits
        ),
        r"\end{tabular}",
    ]


def _header(name: str, source: str | None, setting: Setting) -> str:
    """Return a column's name, broken where it is plain text."""
    if source not in (None, escape_latex(name)):
        return str(source)
    lines, size = broken(name, setting.most), setting.below[0]
    return rf"{{\{size} {_stacked(lines)}}}" if size and len(lines) > 1 else _stacked(lines)


def _cell(text: str, setting: Setting, kind: str | None, *, bold: bool) -> str:
    strong = (r"\textbf{", "}") if bold and text else ("", "")
    if kind and not _is_number(text):
        return f"{{{strong[0]}{escape_latex(text)}{strong[1]}}}"
    return _stacked(broken(text, setting.most), strong, setting.below[0])


def _stacked(lines: Sequence[str], strong: tuple[str, str] = ("", ""), size: str = "") -> str:
    """Return lines of plain text as a cell, an interval below others in a size of its own."""
    shown = [f"{strong[0]}{escape_latex(line)}{strong[1]}" for line in lines]
    if len(lines) > 1 and lines[-1].startswith("["):
        shown[-1] = rf"{{\{size} {escape_latex(lines[-1])}}}" if size else escape_latex(lines[-1])
    # What begins with a bracket or star would be read as an argument of the \\ before it.
    shown = [f"{{}}{line}" if line.startswith(("[", "*")) else line for line in shown]
    if len(shown) == 1:
        return shown[0]
    below = r" \\ ".join(shown)
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{below}\end{{tabular}}"


def _chosen(table: Table, columns: Sequence[str]) -> Table:
    """Return the columns of these names, in this order."""
    folded = {name.lower(): j for j, name in enumerate(table.header)}
    # A unit need not be named.
    folded = {name.removesuffix(" (%)"): j for name, j in folded.items()} | folded
    if isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns is a list of names, such as {list(table.header[:2])!r}, not {columns}")
    for name in columns:
        if str(name).lower() not in folded:
            raise ValueError(f"there is no column {name!r}; {nearest(str(name), table.header)}")
    return _kept(table, [folded[str(name).lower()] for name in columns])


def _kept(table: Table, places: Sequence[int]) -> Table:
    return replace(
        table,
        header=tuple(table.header[j] for j in places),
        rows=tuple(tuple(row[j] for j in places) for row in table.rows),
        latex_header=None if table.latex_header is None else tuple(table.latex_header[j] for j in places),
        bold=frozenset((i, places.index(j)) for i, j in table.bold if j in places),
    )


def _limit(width: str) -> tuple[float, str]:
    if width not in WIDTHS:
        raise ValueError(f"unknown width {width!r}; {nearest(str(width), WIDTHS)}")
    return WIDTHS[width]


def _fitted(
    table: Table, limit: float, name: str, *, spare: Sequence[Sequence[str]]
) -> tuple[Table, Setting]:
    """Return as many columns as fit, and how they are set."""
    gone: list[str] = []
    for dropped in ((), *(names for names in spare if {*names} <= {*table.header})):
        gone += dropped
        found = _kept(table, [j for j, name in enumerate(table.header) if name not in gone])
        for setting in _SETTINGS:
            if _width(found, setting) <= limit:
                return found, setting
    for setting in _TIGHT:
        if (least := _width(found, setting)) <= limit:
            return found, setting
    known = listing(map(printable, table.header))
    raise ValueError(
        f"the table is about {least:.0f} pt wide at its narrowest, and a {name} has {limit:.0f}; choose fewer of its columns "
        f"by columns=[…] ({known}), or shorten the models' names"
    )


def _width(table: Table, setting: Setting) -> float:
    """Return about how wide a table is, in points."""
    columns = (
        max(
            _length(name, setting, header=True),
            *(_length(row[j], setting, bold=(i, j) in table.bold) for i, row in enumerate(table.rows)),
        )
        for j, name in enumerate(table.header)
    )
    # Measured by LaTeX, tables were up to 0.5 % wider than the sum.
    return 1.01 * (sum(columns) + 2 * setting.gap * (len(table.header) - 1))


def _length(text: str, setting: Setting, *, bold: bool = False, header: bool = False) -> float:
    """Return about how wide a cell is, in points."""
    lines, (_, smaller) = broken(text, setting.most), setting.below
    # Small sizes of Computer Modern are wider than scaled ones, and bold ones wider still.
    first, last = 1.18 if bold else 1.04, 1.18 if bold else 1.04
    if len(lines) > 1 and (header or lines[-1].startswith("[")):
        first, last = (1.06 * smaller if header else first), 1.06 * smaller
    scales = [first] * (len(lines) - 1) + [last]
    widths = (scale * sum(_EM.get(c, 760) for c in line) for line, scale in zip(lines, scales, strict=True))
    return max(widths) / 1000 * setting.points


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+−-]?\d+(\.\d+)?", text) is not None


def _siunitx_column(cells: list[str]) -> str | None:
    """Return siunitx's column for cells that are mostly numbers, None for others."""
    numbers = [c for c in cells if _is_number(c)]
    if 2 * len(numbers) <= len(cells):
        return None
    parts = [c.lstrip("+−-").partition(".") for c in numbers]
    whole, decimal = (max(len(p[i]) for p in parts) for i in (0, 2))
    return f"S[table-format={whole}.{decimal}]"
