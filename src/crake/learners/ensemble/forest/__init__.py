"""Random forests: bagged trees that look at some columns of each node."""
