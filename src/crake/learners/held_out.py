"""Probabilities of rows from models that have not seen them, for learners that learn from the answers of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.learners.base import StatisticsClassifier, TableClassifier
from crake.plans import Assignment
from crake.table.table import Table

Floats = NDArray[np.float64]


def held_out_probabilities(learner: TableClassifier, table: Table, assignment: Assignment) -> Floats:
    """P(class given row) of every tested row, NaN of the others; one pass over the rows where that gives the same."""
    found = np.full((len(table), len(table.schema.classes)), np.nan)
    one_pass = isinstance(learner, StatisticsClassifier) and learner.one_pass
    if one_pass and bool(np.all(assignment.fold[assignment.known] >= 0)):
        model = clone(learner)
        statistics = model.gather(table, assignment.fold, assignment.folds)
        for fold in range(assignment.folds):
            tested = np.flatnonzero(assignment.fold == fold)
            found[tested] = model.estimate(statistics.without(fold)).probabilities(table, tested)
        return found
    for train, test in assignment.splits():
        found[test] = clone(learner).fit(table.take(train)).probabilities(table, test)
    return found
