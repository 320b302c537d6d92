"""Progress, and two stopwatches: one for fitting and one for predicting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crake.plans import Assignment

Progress = Callable[[str, int, int], None]
"""Hears what is worked on (a learner, a file), how much is done, and of how much."""


class Clock:
    """Seconds spent learning and predicting; `progress` hears of the folds done, of all folds of all rounds."""

    def __init__(self, progress: Progress | None = None, name: str = "") -> None:
        self.fit_seconds = self.predict_seconds = 0.0
        self.progress = progress
        self.name = name
        self.done = 0

    @contextmanager
    def fitting(self) -> Iterator[None]:
        """Count the time inside as learning."""
        start = time.perf_counter()
        yield
        self.fit_seconds += time.perf_counter() - start

    @contextmanager
    def predicting(self) -> Iterator[None]:
        """Count the time inside as predicting."""
        start = time.perf_counter()
        yield
        self.predict_seconds += time.perf_counter() - start

    def tested(self, assignment: Assignment, folds: int = 1) -> None:
        """Report that `folds` more folds are done."""
        self.done += folds
        if self.progress is not None:
            self.progress(self.name, self.done, assignment.folds * assignment.of)
