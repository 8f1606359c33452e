"""Cells of a table that is too wide, in several lines."""

from __future__ import annotations

import re


def broken(text: str, most: int | None) -> list[str]:
    """Break a text into lines of so many characters, an interval first below its score and never within.

    Examples
    --------
    >>> broken("66.2 [60.1, 72.3]", 14), broken("bert-base-multilingual (%)", 14)
    (['66.2', '[60.1, 72.3]'], ['bert-base-', 'multilingual', '(%)'])
    """
    if most is None or len(text) <= most or text.startswith("["):
        return [text]
    score, bracket, rest = text.partition(" [")
    if bracket:
        return [*broken(score, most), f"[{rest}"]
    lines = [""]
    for piece in re.findall(r"[^\s_/-]+[\s_/-]?|[\s_/-]", text):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > most:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]
