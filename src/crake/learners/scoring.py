"""New rows under a model, part by part: probabilities, and what in the rows the model had never met."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from crake.kernels import threads
from crake.learners.base import Floats, TableClassifier
from crake.table.batch import UNSEEN
from crake.table.fitted import left_over
from crake.table.frames import encode
from crake.table.scanning import encode_scan, parts
from crake.table.table import Table

Made = TypeVar("Made")
Answers = NDArray[np.intp]
"""The code of each row's class."""


class Scoring:
    """The rows of a table, matched to a model by the names of columns; memory for a few parts at a time.

    `notes` say which columns are not used. While `parts` runs, `unseen` counts by column the values that training had
    not seen, and `answers` how often each class was the answer.
    """

    def __init__(self, model: TableClassifier, table: Table) -> None:
        self.model, self.table = model, table
        # The column to predict, where the table has it, is not looked at.
        features = model.schema_.select([column.name for column in model.schema_.features])
        self.coded = encode(table, features) if table.in_memory else encode_scan(table, features)
        self.notes = left_over(model.schema_, table.schema.names)
        self.unseen: Counter[str] = Counter()
        self.answers = np.zeros(len(model.classes_), np.int64)
        self._lock = threading.Lock()

    def parts(self, work: Callable[[Floats, Answers], Made]) -> Iterator[Made]:
        """What `work(probabilities, answers)` makes of each part, in the order of the rows; parts share threads."""
        if self.coded.in_memory:
            next(self.coded.batches())  # the matrices that all parts read are stacked once
        return threads.in_order(lambda part: work(*self._scored(*part[1:])), parts(self.coded))

    def warnings(self) -> tuple[str, ...]:
        """What was new to the model, once all parts have been seen."""
        return tuple(
            f"{self.unseen[column.name]:,} values of {column.name!r} were never seen in training"
            if self.unseen[column.name] > 1
            else f"1 value of {column.name!r} was never seen in training"
            for column in self.model.schema_.nominal
            if self.unseen[column.name]
        )

    def _scored(self, part: Table, rows: NDArray[np.intp] | None) -> tuple[Floats, Answers]:
        probabilities = self.model.probabilities(part, rows)
        names = [column.name for column in part.schema.nominal]
        codes: Any = part.source.matrix(names, np.int32)
        unseen = np.sum((codes if rows is None else codes[rows]) == UNSEEN, axis=0)
        answers = self.model.decide(probabilities)
        counted = np.bincount(answers, minlength=len(self.answers))
        with self._lock:
            self.unseen.update({name: int(count) for name, count in zip(names, unseen, strict=True) if count})
            self.answers += counted
        return probabilities, answers
