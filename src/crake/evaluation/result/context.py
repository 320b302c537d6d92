"""What an evaluation was made from: asked again for the rows behind a number, or for the model of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crake.evaluation.protocol.other_libraries import ForeignRows
from crake.evaluation.protocol.out_of_fold import OutOfFold, out_of_fold
from crake.plans import Plan, Resubstitution
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Context:
    """The learner, the table it learns from and the plan; `tested` is a test table where one was supplied."""

    learner: Any
    table: Table
    plan: Plan
    foreign: ForeignRows | None = None
    tested: Table | None = None

    @property
    def tested_table(self) -> Table:
        """Where the tested rows stand: in the table itself, or in one that was supplied."""
        return self.table if self.tested is None else self.tested

    def resubstituted(self) -> OutOfFold:
        """The model of all rows on those very rows."""
        rounds = Resubstitution().rounds(self.table.target, self.table.schema.classes)
        return out_of_fold(self.learner, self.table, rounds, foreign=self.foreign)[0]
