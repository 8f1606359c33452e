"""Pieces of HTML in which every text is escaped."""

from __future__ import annotations

import html

from bayesf1.base.table import Table, printable


def escaped(text: str) -> str:
    """Return a text as HTML, for an element or a quoted attribute.

    Examples
    --------
    >>> escaped('<script>"')
    '&lt;script&gt;&quot;'
    """
    return html.escape(printable(text))


def paragraph(text: str, kind: str | None = None) -> str:
    """Return a text as a paragraph, perhaps of a class.

    Examples
    --------
    >>> paragraph("A & B", "note")
    '<p class="note">A &amp; B</p>'
    """
    return f"<p>{escaped(text)}</p>" if kind is None else f'<p class="{kind}">{escaped(text)}</p>'


def bullets(texts: list[str]) -> str:
    """Return texts as a list."""
    return f"<ul>{''.join(f'<li>{escaped(text)}</li>' for text in texts)}</ul>"


def code(text: str) -> str:
    """Return lines of code."""
    lines = "\n".join(escaped(line) for line in text.split("\n"))
    return f'<pre tabindex="0"><code>{lines}</code></pre>'


def scrolling(rows: Table, about: str) -> str:
    """Return a table that scrolls within the page where it is too wide for it, also by keyboard."""
    hint = '<p class="hint">On a narrow screen, swipe the table sideways to see all its columns.</p>'
    return f'{hint}<div class="scroll" role="region" tabindex="0" aria-label="{escaped(about)}">{rows.to_html()}</div>'


def figure(drawing: str, caption: str) -> str:
    """Return a drawing with its caption."""
    return f"<figure>{drawing}<figcaption>{escaped(caption)}</figcaption></figure>"
