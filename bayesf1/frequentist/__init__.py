"""Methods that reviewers ask for besides a posterior: intervals, their coverage, randomisation tests, sample sizes."""
