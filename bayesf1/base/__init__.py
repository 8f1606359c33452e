"""Helpers that do not depend on evaluations: checks of arguments, names, arrays, and text files."""
