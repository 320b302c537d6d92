"""New rows under a model, part by part: probabilities or numbers, and what in the rows the model had never met."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import threads
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.estimator import TableEstimator
from crake.learners.base.regressor import TableRegressor
from crake.table.batch import UNSEEN
from crake.table.convert.frames import encode
from crake.table.matching import left_over
from crake.table.sources.scanned_table import encode_scan, parts, with_texts
from crake.table.table import Table

Made = TypeVar("Made")
Rows = NDArray[np.intp] | None
Answers = NDArray[np.intp]
"""The code of each row's class."""


class NewRows:
    """The rows of a table, matched to a model by the names of columns; memory for a few parts at a time.

    `notes` say which columns are not used. While parts are worked on, `unseen` counts by column the values that
    training had not seen.
    """

    def __init__(self, model: TableEstimator, table: Table) -> None:
        self.model: Any = model
        self.table = table
        schema = self.model.schema_
        # The column to predict, where the table has it, is not looked at.
        features = schema.select(model._read_names())  # noqa: SLF001 (a hook of the base)
        self.coded = encode(table, features) if table.in_memory else with_texts(encode_scan(table, features))
        self.notes = left_over(schema, table.schema.names)
        self.unseen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def apply(self, work: Callable[[Table, Rows], Made]) -> Iterator[Made]:
        """Yield `work(part, rows)` of each part in row order; parts share threads."""
        if self.coded.in_memory:
            next(self.coded.batches())  # the matrices that all parts read are stacked once
        return threads.in_order(lambda part: work(*part[1:]), parts(self.coded))

    def warnings(self) -> tuple[str, ...]:
        """Return warnings about values that training had not seen, once all parts are done."""
        return tuple(
            f"{self.unseen[column.name]:,} values of {column.name!r} were never seen in training"
            if self.unseen[column.name] > 1
            else f"1 value of {column.name!r} was never seen in training"
            for column in self.model.schema_.nominal
            if self.unseen[column.name]
        )

    def _count_unseen(self, part: Table, rows: Rows) -> None:
        names = [column.name for column in part.schema.nominal]
        codes: Any = part.matrix(names, np.int32)
        unseen = np.sum((codes if rows is None else codes[rows]) == UNSEEN, axis=0)
        with self._lock:
            self.unseen.update({name: int(count) for name, count in zip(names, unseen, strict=True) if count})


class Scoring(NewRows):
    """New rows under a classifier; while `parts` runs, `answers` counts how often each class was the answer."""

    def __init__(self, model: TableClassifier, table: Table) -> None:
        super().__init__(model, table)
        self.answers = np.zeros(len(model.classes_), np.int64)

    def parts(self, work: Callable[[Floats, Answers], Made]) -> Iterator[Made]:
        """Yield `work(probabilities, codes)` of each part in row order; parts share threads."""
        return self.apply(lambda part, rows: work(*self._scored(part, rows)))

    def _scored(self, part: Table, rows: Rows) -> tuple[Floats, Answers]:
        probabilities = self.model.probabilities(part, rows)
        self._count_unseen(part, rows)
        answers = self.model.decide(probabilities)
        counted = np.bincount(answers, minlength=len(self.answers))
        with self._lock:
            self.answers += counted
        return probabilities, answers


class NumberScoring(NewRows):
    """New rows under a regressor; while `parts` runs, `count`, `total`, `least` and `most` tell of the numbers."""

    def __init__(self, model: TableRegressor, table: Table) -> None:
        super().__init__(model, table)
        self.count, self.total, self.least, self.most = 0, 0.0, np.inf, -np.inf

    def parts(self, work: Callable[[Floats], Made]) -> Iterator[Made]:
        """Yield `work(numbers)` of each part in row order; parts share threads."""
        return self.apply(lambda part, rows: work(self._scored(part, rows)))

    def _scored(self, part: Table, rows: Rows) -> Floats:
        numbers: Floats = self.model.answers(part, rows)
        self._count_unseen(part, rows)
        with self._lock:
            self.count += len(numbers)
            self.total += float(np.sum(numbers))
            self.least = float(np.min(numbers, initial=self.least))
            self.most = float(np.max(numbers, initial=self.most))
        return numbers
