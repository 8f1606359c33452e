"""Several corpora, folds or seeds in one model: what is true of the average one, of a new one, and of each."""
