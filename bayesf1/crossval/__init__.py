"""Cross-validation: running it, and tests on its folds."""
