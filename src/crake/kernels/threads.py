"""Threads for kernels: a pool made per call, one task per attribute or per block of rows."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from itertools import pairwise
from typing import TypeVar

Task = TypeVar("Task")

SMALL = 200_000
"""Cells below which a second thread costs more than it saves."""
Result = TypeVar("Result")

_limit: ContextVar[int | None] = ContextVar("crake_threads", default=None)


def count() -> int:
    """Return the number of threads a kernel may use: those of the CPU affinity, 1 inside a joblib worker."""
    if _inside_joblib():
        return 1
    limit = _limit.get()
    return limit if limit is not None else _affinity()


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Use at most `threads` threads inside the block; None leaves it to the CPU affinity."""
    token = _limit.set(threads)
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def jobs(n_jobs: int | None) -> Iterator[None]:
    """Use `n_jobs` threads inside the block, as scikit-learn counts them: −1 is all, −2 all but one.

    None leaves it as it is: the CPU affinity, or the limit of a block around this one.
    """
    if n_jobs is None:
        yield
        return
    with limited(n_jobs if n_jobs > 0 else max(1, _affinity() + 1 + n_jobs)):
        yield


def each(function: Callable[[Task], None], tasks: Iterable[Task], cells: int = SMALL) -> None:
    """Call the function on every task, in threads; the first error is raised. Few `cells` are done without threads."""
    tasks = list(tasks)
    threads = min(count(), len(tasks)) if cells >= SMALL else 1
    if threads <= 1:
        for task in tasks:
            function(task)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(function, task) for task in tasks]:
            done.result()


def in_order(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Yield the results in the order of the tasks, which are worked on in threads while earlier results are used.

    Only a few tasks are taken ahead, so that their memory stays bounded. Inside, kernels use one thread each.

    >>> list(in_order(lambda task: task**2, range(5)))
    [0, 1, 4, 9, 16]
    """
    threads = count()
    if threads <= 1:
        yield from map(function, tasks)
        return
    with limited(1):
        inside = copy_context()
    with ThreadPoolExecutor(threads) as pool:
        coming: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                coming.append(pool.submit(inside.copy().run, function, task))
                if len(coming) > threads:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            for waiting in coming:
                waiting.cancel()


def spans(length: int, parts: int) -> list[tuple[int, int]]:
    """Cut 0 … length into at most `parts` spans of nearly equal size.

    >>> spans(10, 4)
    [(0, 3), (3, 5), (5, 8), (8, 10)]
    """
    edges = [(length * part + parts // 2) // parts for part in range(parts + 1)]
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _inside_joblib() -> bool:
    joblib = sys.modules.get("joblib.parallel")
    if joblib is None:
        return False
    backend, _ = joblib.get_active_backend()
    return bool((backend.nesting_level or 0) > 0)
