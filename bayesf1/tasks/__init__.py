"""Tasks: what the cells of a table mean, their measures, priors and draws."""
