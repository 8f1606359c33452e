"""Samples of units, runs or folds: draws of scores, and the inflation of draws for few or uneven units."""
