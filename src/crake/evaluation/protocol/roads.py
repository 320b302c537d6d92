"""The way from data to outcomes: one protocol for rows in memory, one for scans, one for test tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crake.evaluation.protocol import memory, scan_regression, scan_together, test_table
from crake.evaluation.protocol.arguments import (
    numbers_in_memory,
    predicts_numbers,
    refuse_unknown_class,
    rows_in_memory,
)
from crake.evaluation.protocol.outcome import Run
from crake.evaluation.protocol.timing import Progress
from crake.evaluation.result.data import InMemory, Scan, TestTable
from crake.notices import each_once
from crake.plans import Plan
from crake.table.schema import Label
from crake.table.table import Table

Data = InMemory | Scan | TestTable


def data_of(
    table: Any, y: Any = None, test: Any = None, *, numbers: bool = False, nominal: Any = "auto", sample_rows: int = 0
) -> Data:
    """Return what is given as the data of one protocol; `nominal` is how X is coded."""
    if isinstance(table, Table) and not table.in_memory and test is None:
        return Scan(table, sample_rows)
    data = numbers_in_memory(table, y, nominal) if numbers else rows_in_memory(table, y, nominal)
    return data if test is None else test_table.with_test(data, test)


def rows_of(learner: Any, table: Any, y: Any = None) -> InMemory:
    """Return rows in memory as the learner's kind needs them: with classes, or with numbers."""
    nominal = getattr(learner, "nominal", "auto")
    return numbers_in_memory(table, y, nominal) if predicts_numbers(learner) else rows_in_memory(table, y, nominal)


def run(
    learners: Sequence[Any],
    data: Data,
    plan: Plan | None,
    progress: Progress | None = None,
    *,
    positive: Label | None = None,
    n_jobs: int | None = None,
) -> Run:
    """Run the protocol of the data; raise for an unknown positive class as soon as the classes are known."""
    with each_once():
        if isinstance(data, Scan) and predicts_numbers(learners[0]):
            return scan_regression.run(learners, data, plan, progress)
        if isinstance(data, Scan):
            return scan_together.run(learners, replace(data, positive=positive), plan, progress)
        if isinstance(data, TestTable):
            return test_table.run(learners, replace(data, positive=positive), plan, progress)
        if positive is not None:
            refuse_unknown_class(positive, data.table.schema.classes)
        return memory.run(learners, data, plan, progress, n_jobs=n_jobs)
