"""What several models did on the same gold data: the package's one noun."""
