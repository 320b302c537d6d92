"""Counts that a source takes by itself, so that rows need not travel: how often values of some columns go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crake.arrays import Codes, Floats
from crake.table.schema import Schema

Keys = tuple[tuple[str, ...], ...]
"""Sets of columns. The rows are counted by the values of each set."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts under a schema: for each set of columns the codes (groups of equal values, columns) and their counts."""

    schema: Schema
    counts: Mapping[tuple[str, ...], tuple[Codes, Floats]]

    def of(self, *columns: str) -> tuple[Codes, Floats]:
        """Return the codes and the counts of one set of columns."""
        return self.counts[columns]
