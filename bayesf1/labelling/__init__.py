"""Few gold labels, many items: what the labelled ones tell of the others, and which to label next."""
