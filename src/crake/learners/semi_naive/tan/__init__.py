"""TAN: naive Bayes with a tree of dependences between the columns."""
