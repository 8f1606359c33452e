"""Posterior distributions of scores and of differences."""
