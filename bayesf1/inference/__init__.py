"""Posteriors, comparisons and rankings of the models of an evaluation."""
