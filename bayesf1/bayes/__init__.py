"""What is believed: posteriors, the Bayes test, rankings, and the words for them."""
