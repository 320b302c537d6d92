"""Bayes models in processor time: counts and words, and structures beside pgmpy and pyAgrum where they are there."""

from benchmarks.bayes import counts, structures


def main() -> None:
    counts.main()
    structures.main()
