"""Rehearsals: a learner runs once on a few rows before its time is taken, so that compiling is not part of it."""

from __future__ import annotations

import functools
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from crake.learners.base.card import card_of
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.one_rule import OneRuleClassifier
from crake.plans import Assignment, CrossValidation
from crake.table.convert.frames import from_xy
from crake.table.table import Table

FEW = 24
"""Rows of a rehearsal; `many_rows` of the learner's card where large tables run other kernels."""

Run = Callable[[Table, Iterable[Assignment]], Iterator[Any]]

_REHEARSED: set[tuple[Any, ...]] = set()


@functools.cache
def warm() -> None:
    """Compile the kernels that gather statistics, or load them from the cache; once per process."""
    X = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", None]]
    table = from_xy(X, ["no", "yes", "yes", "no"], nominal=[0])
    for learner in (NaiveBayesClassifier(), OneRuleClassifier()):
        learner.fit(table).probabilities(table)


def rehearse(learner: Any, table: Table, run: Run) -> None:
    """Run a learner that can be compared by name on a few rows, once per process for each kind of table.

    It raises and warns of nothing: the run that counts reports faults of the learner or the table.
    """
    card, schema = card_of(learner), table.schema
    if card is None or not card.is_compared:
        return
    rows = card.many_rows if card.many_rows is not None and len(table) >= card.many_rows else FEW
    key = (type(learner), rows, bool(schema.numeric), bool(schema.nominal), len(schema.classes) > 2)
    if key in _REHEARSED:
        return
    _REHEARSED.add(key)
    few = table.take(np.unique(np.linspace(0, len(table) - 1, rows).astype(np.intp)))
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        rounds = CrossValidation(2).rounds(few.target, few.schema.classes)
        deque(run(few, rounds), maxlen=0)
