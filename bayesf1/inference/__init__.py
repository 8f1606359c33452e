"""Questions that are asked of an evaluation."""
