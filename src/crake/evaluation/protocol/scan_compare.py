"""A comparison over a table that is scanned: learners that read statistics on all rows, the others on a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crake.evaluation.checks import too_sure
from crake.evaluation.protocol.scan_together import Learned, evaluate_scans, notes_on
from crake.evaluation.result.classification import Evaluation
from crake.plans import Plan
from crake.statistics import ClassCounts
from crake.table.describe.warnings import warnings_of_counts, warnings_of_sample
from crake.table.schema import Label
from crake.table.sources.scanned_table import encode_scan
from crake.table.table import Table

Progress = Callable[[str, int, int], None]
Parts = tuple[tuple[Evaluation, ...], Table, Plan, tuple[str, ...], tuple[str, ...]]
"""What a Comparison is made of: evaluations, the table, the plan, warnings, notes."""


def compare_scan(
    learners: Sequence[Any], table: Table, plan: Plan, positive: Label | None, progress: Progress | None
) -> Parts:
    """Two scans for all learners together; the table comes back with the levels that were met."""
    told = None if progress is None else _telling(progress, f"rows of {table.name}, in two scans")
    evaluations, learned = evaluate_scans(learners, table, plan, positive, told)
    notes = (*table.notes, *evaluations[0].notes, *notes_on(learners, learned, table), *too_sure(evaluations))
    coded = encode_scan(table, learned.counted.schema)
    return evaluations, coded, learned.folds, _warnings(table, learned), notes


def _warnings(table: Table, learned: Learned) -> tuple[str, ...]:
    """Repeated rows are not looked for: that would take them all."""
    schema = learned.counted.schema
    counts = learned.counted[ClassCounts].counts.sum(axis=0).astype(np.intp)
    of_sample = () if learned.sample is None else warnings_of_sample(learned.sample)
    return (*of_sample, *warnings_of_counts(table, schema[schema.target or ""], counts))


def _telling(progress: Progress, what: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(what, done, total)
