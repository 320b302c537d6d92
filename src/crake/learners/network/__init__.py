"""Bayesian networks: the graph, its conditional tables, exact inference, and what is learned with them."""
