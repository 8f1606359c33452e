"""Items of which some have a gold label, and all the labels of the models and perhaps of a judge."""
