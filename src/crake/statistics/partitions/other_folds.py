"""The rows of all folds but one, for learners that go through the rows again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from crake.statistics.row_scan import Batches, Group
from crake.table.batch import MISSING, Batch
from crake.table.schema import Schema


@dataclass(frozen=True)
class OtherFolds:
    """The rows of a scan. Those of one fold have no class: learners pass over them."""

    table: Batches
    folds: Group
    fold: int

    @property
    def schema(self) -> Schema:
        """Return the schema of the table."""
        return self.table.schema

    def batches(self) -> Iterator[Batch]:
        """Yield the batches, numbered as the folds are."""
        for batch in self.table.batches():
            is_left_out = self.folds[batch.start : batch.start + batch.rows] == self.fold
            yield replace(batch, target=np.where(is_left_out, np.int32(MISSING), batch.target))
