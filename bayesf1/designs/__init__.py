"""Cross-validation designs: how items are split, and what the folds are worth."""
