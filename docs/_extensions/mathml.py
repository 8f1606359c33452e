"""Formulas as MathML, which browsers set by themselves: no script, no network, and screen readers can read them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def mathml(text: str, *, as_block: bool) -> str:
    r"""Return a formula of LaTeX as MathML, which knows no ``\dots``."""
    return str(tex2mathml(text.replace(r"\dots", r"\ldots"), as_block=as_block))


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    # Who cannot scroll a wide formula with a pointer does so with the keyboard.
    translator.body.append(f'<div class="math" tabindex="0">{mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer and choose it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
