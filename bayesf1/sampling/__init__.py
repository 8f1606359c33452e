"""What was sampled: units, runs or folds; draws of scores, and what so few or uneven ones do not show."""
