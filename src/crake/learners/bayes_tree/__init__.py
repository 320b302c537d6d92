"""NBTree: a decision tree with a naive Bayes model in every leaf."""
