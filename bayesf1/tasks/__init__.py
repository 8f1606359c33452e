"""Tasks: the meaning of the cells of a table, with metrics, priors and draws."""
