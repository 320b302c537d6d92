"""A table: a schema and the source of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import DataError, SchemaError
from crake.render.description import Description
from crake.table.batch import MISSING, Batch, Codes, Values
from crake.table.schema import Kind, Label, Schema
from crake.table.sources.memory import MemorySource

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Table:
    """Schema + source. `name` is shown in headings; `weights` are the rows' weights, all 1 if None.

    `notes` holds what reading found worth saying (rows skipped, columns renamed, kinds chosen).
    """

    schema: Schema
    source: MemorySource
    name: str = "table"
    weights: Values | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return self.source.rows

    def __repr__(self) -> str:
        schema = self.schema
        target = f", target {schema.target!r}" if schema.target is not None else ""
        kinds = f"{len(schema.nominal)} nominal and {len(schema.numeric)} numeric features"
        return f"<Table {self.name!r}: {len(self)} rows, {kinds}{target}>"

    @property
    def in_memory(self) -> bool:
        """Whether the rows are held in memory (and not scanned from a file)."""
        return True

    @property
    def target(self) -> Codes:
        """The class code of every row, MISSING where the target is unknown."""
        if self.schema.target is None:
            raise SchemaError(
                f"{self.name} has no target; name the column to predict: crake.read(…, target='…') or --target"
            )
        if self.schema[self.schema.target].kind is not Kind.NOMINAL:
            raise SchemaError(
                f"the target {self.schema.target!r} is {self.schema[self.schema.target].kind}; a classifier needs "
                f"classes: read it with nominal=[{self.schema.target!r}] or --nominal {self.schema.target}"
            )
        codes: Codes = self.source.column(self.schema.target)
        return codes

    def batches(self) -> Iterator[Batch]:
        """The features, the target and the weights, in consecutive rows; one batch when in memory."""
        rows = len(self)
        target = self.target if self.schema.target is not None else np.full(rows, MISSING, np.int32)
        yield Batch(
            start=0,
            codes=self.source.matrix([c.name for c in self.schema.nominal], np.int32),
            values=self.source.matrix([c.name for c in self.schema.numeric], np.float64),
            target=np.ascontiguousarray(target),
            weights=np.ones(rows) if self.weights is None else self.weights,
        )

    def take(self, rows: NDArray[np.intp]) -> Table:
        """The rows of these numbers, in that order, under the same schema."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, source=self.source.take(rows), weights=weights, notes=())

    def with_target(self, target: str | None) -> Table:
        """The same rows with another column to predict."""
        return replace(self, schema=self.schema.with_target(target))

    def with_weights(self, weights: Values) -> Table:
        """The same rows with these weights in place of their own."""
        return replace(self, weights=weights)

    def labels(self, codes: Codes) -> list[Label | None]:
        """The class labels of these codes; None where unknown."""
        classes = self.schema.classes
        return [classes[code] if code >= 0 else None for code in codes]

    def known(self) -> Table:
        """Only the rows whose target is known."""
        known = np.flatnonzero(self.target >= 0)
        if len(known) == 0:
            raise DataError(f"every value of the target {self.schema.target!r} is missing in {self.name}")
        return self if len(known) == len(self) else self.take(known)

    def select(self, names: Sequence[str]) -> Table:
        """Only the columns named."""
        return replace(self, schema=self.schema.select(names))

    def describe(self) -> Description:
        """The table in numbers: its columns, the balance of its classes, warnings."""
        from crake.table.describe import describe  # noqa: PLC0415 (it needs Table)

        return describe(self)

    def to_xy(self) -> tuple[pa.Table, NDArray[Any]]:
        """Features and labels for scikit-learn, without the rows whose target is unknown."""
        from crake.table.xy import to_xy  # noqa: PLC0415  # that file reads tables

        return to_xy(self)

    def to_arrow(self) -> pa.Table:
        """The columns as an Arrow table: dictionaries for nominal ones, nulls where a value is missing."""
        from crake.table.xy import to_arrow  # noqa: PLC0415

        return to_arrow(self)
