"""Measures that are not functions of a confusion table: of ranked lists, curves, clusterings and raters."""

from bayesf1.base.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
