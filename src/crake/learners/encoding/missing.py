"""Missing values: a term of their own, the mean in their place, the row left out, or an error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import DataError
from crake.render.sentences import counted
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts
from crake.statistics.gather import Batches
from crake.table.batch import Batch
from crake.table.schema import Schema
from crake.table.table import Table

MISSING_POLICIES = ("indicator", "mean", "drop", "error")
"""`indicator`: the mean (of a number) or the reference (of a name) and a coefficient for "is missing".

`mean`: the mean, or the most frequent level. `drop`: training rows with a gap are left out; in a row to be predicted
the mean, or the most frequent level. `error`: refused, in training and in prediction.
"""


def complete_rows(table: Table) -> Table:
    """Return the rows of a table in memory that have no gap in their features."""
    places = places_complete(table)
    if len(places) == len(table):
        return table
    if not len(places):
        raise DataError(
            f"every row of {table.name} has a missing value; missing='drop' leaves none to learn from: take "
            "missing='indicator', or ignore the columns with the gaps"
        )
    return table.take(places)


def places_complete(table: Table) -> NDArray[np.intp]:
    """Return the places of those rows."""
    (batch,) = table.select([column.name for column in table.schema.features]).batches()
    return np.flatnonzero(_complete(batch))


@dataclass
class CompleteRows:
    """The rows without gaps of a table that is scanned, numbered anew; `dropped` counts the others of the last pass."""

    table: Batches
    dropped: int = 0

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return self.table.schema

    def batches(self) -> Iterator[Batch]:
        """Yield the batches without rows that have gaps."""
        start = self.dropped = 0
        for batch in self.table.batches():
            keep = _complete(batch)
            self.dropped += int(np.sum(~keep & (batch.target >= 0)))
            complete = replace(batch.take(np.flatnonzero(keep)), start=start)
            start += complete.rows
            yield complete


def refuse_missing(statistics: Statistics) -> None:
    """missing="error": say which column has how many gaps."""
    total = float(statistics[ClassCounts].counts.sum())
    values, moments = statistics[ValueCounts], statistics[ClassMoments]
    gaps = [(column.name, float(values.missing(j).sum())) for j, column in enumerate(values.columns)]
    gaps += [(c.name, total - float(moments.weight[..., j].sum())) for j, c in enumerate(moments.columns)]
    large = [(name, gap) for name, gap in gaps if gap > 1e-9 * total]
    if large:
        raise DataError(_gaps_text(large))


def refuse_missing_rows(batch: Batch, schema: Schema) -> None:
    """Raise if rows to be predicted have gaps, with their number per column."""
    counts = [
        *((c.name, float(np.sum(batch.codes[:, j] == -1))) for j, c in enumerate(schema.nominal)),
        *((c.name, float(np.sum(np.isnan(batch.values[:, j])))) for j, c in enumerate(schema.numeric)),
    ]
    gaps = [(name, count) for name, count in counts if count]
    if gaps:
        raise DataError(_gaps_text(gaps))


def _gaps_text(gaps: list[tuple[str, Any]]) -> str:
    listed = ", ".join(f"{name!r} {count:g}" for name, count in gaps[:10])
    more = f" and {counted(len(gaps) - 10, 'more column')}" if len(gaps) > 10 else ""
    return (
        f"values are missing ({listed}{more}) and missing='error' refuses them; fill them in, or take "
        "missing='indicator' or missing='drop'"
    )


def _complete(batch: Batch) -> Any:
    return ~(np.any(batch.codes == -1, axis=1) | np.any(np.isnan(batch.values), axis=1))
