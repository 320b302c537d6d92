"""Cells worked on by several processes, and processes that do not outlive the one they work for."""

from __future__ import annotations

import functools
import multiprocessing
import os
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from crake.evaluation.experiment.cell import Cell, Folds, tried
from crake.evaluation.protocol.folds import results_of, sendable
from crake.plans import Plan
from crake.table.table import Table

Task = tuple[Cell, Table, Any, Plan]


def work_on(tasks: Iterable[Task], n_jobs: int | None) -> Iterator[tuple[Cell, Folds | Exception]]:
    """The cells as they are finished or have failed, in any order; `n_jobs` at a time through joblib.

    Inside a worker kernels use one thread: `crake.kernels.threads` asks joblib how deep it is.
    """
    if n_jobs in (None, 1):
        yield from ((task[0], tried(*task)) for task in tasks)
        return
    from joblib import delayed  # noqa: PLC0415  # only where asked for

    parent = os.getpid()
    yield from results_of((delayed(_apart)(parent, *task) for task in tasks), n_jobs, order="any")


def _apart(parent: int, cell: Cell, table: Table, learner: Any, plan: Plan) -> tuple[Cell, Folds | Exception]:
    if multiprocessing.current_process().name.startswith("LokyProcess"):  # not of another backend, on another machine
        _leave_with(parent)
    outcome = tried(cell, table, learner, plan)
    return cell, sendable(outcome) if isinstance(outcome, Exception) else outcome


@functools.cache
def _leave_with(parent: int) -> None:
    """End this process soon after its parent was killed; joblib's own workers would wait for work for minutes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="crake-leave-with-parent").start()
