"""Cross-validation: designs, splits, runs and tests."""
