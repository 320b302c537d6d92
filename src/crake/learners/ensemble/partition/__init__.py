"""Arbiter and combiner trees: classifiers of partitions of the rows, joined by learned arbiters or combiners."""
