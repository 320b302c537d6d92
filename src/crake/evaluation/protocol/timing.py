"""A stopwatch for fitting and one for predicting, and the progress of both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crake.plans import Assignment


class Clock:
    """Seconds spent learning and answering; `progress` hears of folds done, of all folds of all rounds."""

    def __init__(self, progress: Callable[[int, int], None] | None = None) -> None:
        self.fit_seconds = self.predict_seconds = 0.0
        self.progress = progress
        self.done = 0

    @contextmanager
    def fitting(self) -> Iterator[None]:
        """Time inside is spent learning."""
        start = time.perf_counter()
        yield
        self.fit_seconds += time.perf_counter() - start

    @contextmanager
    def predicting(self) -> Iterator[None]:
        """Time inside is spent answering."""
        start = time.perf_counter()
        yield
        self.predict_seconds += time.perf_counter() - start

    def tested(self, assignment: Assignment, folds: int = 1) -> None:
        """So many folds more are done."""
        self.done += folds
        if self.progress is not None:
            self.progress(self.done, assignment.folds * assignment.of)
