"""Decision tree learners: C4.5, CART, ID3, REPTree, the decision stump."""
