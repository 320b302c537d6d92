"""Bayes models in processor time: counts and words, and networks beside pgmpy and pyAgrum where they are installed."""

from benchmarks.bayes import counts, networks


def main() -> None:
    counts.main()
    networks.main()
