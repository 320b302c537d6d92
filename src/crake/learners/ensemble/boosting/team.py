"""Threads that work on one model: kept from the first round to the last, and given spans of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from crake.kernels import threads


class Team:
    """Runs tasks at once, the first in the thread that asks."""

    def __init__(self, size: int, pool: ThreadPoolExecutor | None) -> None:
        self.size, self.pool = size, pool

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return what the function gives for each task, in their order."""
        if self.pool is None or len(tasks) < 2:
            return [function(*task) for task in tasks]
        waiting = [self.pool.submit(function, *task) for task in tasks[1:]]
        first = function(*tasks[0])
        return [first, *(each.result() for each in waiting)]

    def spans(self, begin: int, end: int, least: int) -> list[tuple[int, int]]:
        """Return a span for each thread; a single one if there are fewer than `least` rows for a second thread."""
        if self.size == 1 or end - begin < 2 * least:
            return [(begin, end)] if begin < end else []
        parts = max(1, min(self.size, (end - begin) // least))
        return [(begin + start, begin + stop) for start, stop in threads.spans(end - begin, parts)]


@contextmanager
def team() -> Iterator[Team]:
    """Make a team of as many threads as kernels may use."""
    size = threads.count()
    if size == 1:
        yield Team(1, None)
        return
    with ThreadPoolExecutor(size - 1) as pool:
        yield Team(size, pool)
