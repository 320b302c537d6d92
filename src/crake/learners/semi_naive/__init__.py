"""Semi-naive Bayes: models of the counts of two columns together, by class."""
