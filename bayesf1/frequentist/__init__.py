"""What reviewers ask for beside a posterior: intervals, their coverage, randomisation tests, sample sizes."""
