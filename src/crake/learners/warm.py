"""Compiling before the stopwatch starts: each kernel runs once on a table of four rows."""

from __future__ import annotations

import functools

from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.one_rule import OneRuleClassifier
from crake.table.convert.frames import from_xy


@functools.cache
def warm() -> None:
    """Compile the learners' kernels, or load them from the cache of an earlier run; once a process."""
    X = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", None]]
    table = from_xy(X, ["no", "yes", "yes", "no"], nominal=[0])
    for learner in (NaiveBayesClassifier(), OneRuleClassifier()):
        learner.fit(table).probabilities(table)


if __name__ == "__main__":
    warm()
