"""Tasks: what the cells of a table mean, their metrics, priors and draws."""
