"""The second scan: every row is tested by the models of the folds it is not in, on the driver or by an engine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.protocol.collector import KeptRows, ScanTester
from crake.evaluation.protocol.tested_in_tasks import TestedInTasks, tested_in_tasks
from crake.evaluation.protocol.trials import Trials
from crake.plans import HashedFolds
from crake.statistics import Statistics
from crake.table.batch import Batch
from crake.table.sources.scanned_table import part_of, rows_of, scan_of
from crake.table.table import Table


def tested_rows(
    coded: Table,
    counted: Statistics,
    folds: HashedFolds,
    models: Sequence[list[Any]],
    trials: Trials,
    places: Sequence[int],
) -> tuple[Sequence[ScanTester | TestedInTasks], KeptRows]:
    """Return the rows tested by the models of each learner, and some rows with all their cells.

    `counted` has the classes of every fold, and `coded` is under its schema. A learner that fails is noted in `trials`
    under its place, and the others go on; in the tasks of an engine all are tested together, or none.
    """
    found = tested_in_tasks(coded, counted, folds, models)
    if found is not None:
        return found
    testers = [ScanTester(coded, counted, folds, len(models)) for _ in models]
    kept = KeptRows.of(coded, folds)
    # The same rows are tested for every learner: which they are follows from the folds alone.
    for chosen, batch in scan_of(coded).chosen(coded.schema, testers[0].draw):
        for place, tester, each in zip(places, testers, models, strict=True):
            if not trials.has_failed(place):
                with trials.of(place):
                    tester.add(chosen, batch, each)
        kept.add(chosen.rows, chosen.fold, partial(_rows_at, batch, coded))
    for place, tester, each in zip(places, testers, models, strict=True):
        if not trials.has_failed(place):
            with trials.of(place):
                tester.finish(each)
    return testers, kept


def _rows_at(batch: Batch, coded: Table, places: NDArray[np.intp]) -> Table:
    """Return some rows of a batch as a table."""
    return part_of(rows_of(batch, places), coded.schema, coded.name)
