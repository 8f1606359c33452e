"""Several corpora, folds or seeds in one model: the average one, a new one, the suite, and each at hand."""
