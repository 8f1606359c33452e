"""Items with labels of all models and perhaps of a judge, only some of which have a gold label."""
