"""Trees that follow their rows: rows come and go, and the tree is the one that `fit` gives of those there are."""
