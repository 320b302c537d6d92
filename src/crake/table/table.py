"""A table: a schema and the source of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.errors import DataError, SchemaError
from crake.render.description import Description
from crake.table.batch import Batch, Values
from crake.table.schema import Kind, Label, Schema
from crake.table.sources.memory import MemorySource
from crake.table.sources.protocol import Source

if TYPE_CHECKING:
    import pyarrow as pa

    from crake.render.drawing.drawing import Drawing
    from crake.table.sources.scan import Progress


@dataclass(frozen=True)
class Table:
    """Schema + source. `name` is shown in headings; `weights` are the rows' weights, all 1 if None.

    `notes` holds what reading found worth saying (rows skipped, columns renamed, kinds chosen), `missing` what stood
    for a missing value in the file, where that was said; a model remembers it for the files it will predict.
    """

    schema: Schema
    source: Source
    name: str = "table"
    weights: Values | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)
    missing: tuple[str, ...] | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return self.source.rows

    def __repr__(self) -> str:
        schema = self.schema
        target = f", target {schema.target!r}" if schema.target is not None else ""
        kinds = f"{len(schema.nominal)} nominal and {len(schema.numeric)} numeric features"
        return f"<Table {self.name!r}: {len(self)} rows, {kinds}{target}>"

    def __str__(self) -> str:
        from crake.table.describe.preview import preview  # noqa: PLC0415  # it reads tables

        return str(preview(self))

    def _repr_html_(self) -> str:
        from crake.table.describe.preview import preview  # noqa: PLC0415  # it reads tables

        return preview(self)._repr_html_()

    @property
    def in_memory(self) -> bool:
        """Return True if the rows are in memory, False if they are scanned from a file."""
        return isinstance(self.source, MemorySource)

    def require_memory(self, user: str = "this") -> MemorySource:
        """Return the rows in memory; raise DataError, naming who needs them, if the table is scanned."""
        if isinstance(self.source, MemorySource):
            return self.source
        raise self.not_in_memory(user)

    def not_in_memory(self, user: str, hint: str = "") -> DataError:
        """Return the error of all that needs rows in memory and got a scan; `hint` names one more way out."""
        return DataError(
            f"{self.name} is scanned, and {user} needs rows in memory; take a sample, table.sample(100_000) or "
            f"--sample 100000, or read it with in_memory=True (without --memory) if it fits"
            f"{f'; or {hint}' if hint else ''}"
        )

    def column(self, name: str) -> NDArray[Any]:
        """Return one column of a table in memory: codes of a nominal one, numbers, or texts."""
        return self.require_memory(f"the whole column {name!r}").column(name)

    def matrix(self, names: Sequence[str], dtype: type[np.generic]) -> NDArray[Any]:
        """Return these columns of a table in memory side by side, row-major."""
        return self.require_memory().matrix(names, dtype)

    @property
    def target(self) -> Codes:
        """Return the class code of every row, MISSING where the target is unknown."""
        codes: Codes = self.column(self.class_column)
        return codes

    @property
    def class_column(self) -> str:
        """Return the name of the target, which must be nominal."""
        if self.schema.target is None:
            raise SchemaError(
                f"{self.name} has no target; name the column to predict: crake.read(…, target='…') or --target"
            )
        if self.schema[self.schema.target].kind is not Kind.NOMINAL:
            raise SchemaError(
                f"the target {self.schema.target!r} is {self.schema[self.schema.target].kind}; a classifier needs "
                f"classes: read it with nominal=[{self.schema.target!r}] or --nominal {self.schema.target}"
            )
        return self.schema.target

    def batches(self) -> Iterator[Batch]:
        """Yield the features, the target and the weights, in consecutive rows; one batch when in memory."""
        if self.schema.target is not None:
            _ = self.class_column
        for batch in self.source.batches(self.schema):
            if self.weights is None:
                yield batch
            else:
                yield replace(batch, weights=self.weights[batch.start : batch.start + batch.rows])

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return the rows of these numbers, in that order, under the same schema."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, source=self.require_memory("taking rows by number").take(rows), weights=weights, notes=())

    def head(self, rows: int = 5) -> Table:
        """Return the first rows of a table in memory; `print` and notebooks show them."""
        if rows < 0:
            raise DataError(f"head({rows}); expected a number of rows, 0 or more")
        return self.take(np.arange(min(rows, len(self))))

    def with_target(self, target: str | None) -> Table:
        """Return the rows with another column to predict."""
        return replace(self, schema=self.schema.with_target(target))

    def with_weights(self, weights: Values) -> Table:
        """Return the rows with these weights in place of their own; for rows in memory."""
        self.require_memory("weighting rows")
        return replace(self, weights=weights)

    def labels(self, codes: Codes) -> list[Label | None]:
        """Return the class labels of these codes; None where unknown."""
        classes = self.schema.classes
        return [classes[code] if code >= 0 else None for code in codes]

    def known(self) -> Table:
        """Return only the rows whose target is known."""
        if not self.in_memory:
            from crake.table.sources.scanned_table import known_only  # noqa: PLC0415  # it makes tables

            return known_only(self)
        known = np.flatnonzero(self.target >= 0)
        if len(known) == 0:
            raise DataError(f"every value of the target {self.schema.target!r} is missing in {self.name}")
        return self if len(known) == len(self) else self.take(known)

    def sample(self, rows: int, random_state: int = 1) -> Table:
        """Return a random sample of at most `rows` rows, in memory and in order, by a hash of their numbers."""
        from crake.table.sources.scanned_table import sample  # noqa: PLC0415  # it makes tables

        return sample(self, rows, random_state)

    def with_progress(self, progress: Progress) -> Table:
        """Return the table with `progress` called with the rows and bytes read whenever it is scanned."""
        from crake.table.sources.scanned_table import with_progress  # noqa: PLC0415  # it makes tables

        return with_progress(self, progress)

    def with_memory(self, most: int | str) -> Table:
        """Return the scan with a limit to the memory of the process while trees learn from it, such as "2GB"."""
        from crake.table.sources.scanned_table import with_memory  # noqa: PLC0415  # it makes tables

        return with_memory(self, most)

    def with_date_parts(self, columns: Iterable[str] | None = None) -> Table:
        """Return the table with year, month and weekday of its dates (or of these columns) as columns: `day.month`.

        A part whose values do not come again is left out; notes name what was added and what was not. A model that is
        trained on the table makes the same columns of new rows.
        """
        from crake.table.convert.parts_of_dates import with_date_parts  # noqa: PLC0415  # it makes tables

        return with_date_parts(self, columns)

    def select(self, names: Sequence[str]) -> Table:
        """Return only the columns named."""
        return replace(self, schema=self.schema.select(names))

    def draw(self, column: str, *, bins: int | None = None, width: float = 560) -> Drawing:
        """Draw the histogram of a column, one class below the other."""
        from crake.table.describe.drawing import draw_column  # noqa: PLC0415  # it reads tables

        return draw_column(self, column, bins=bins, width=width)

    def describe(self) -> Description:
        """Describe the table in numbers: its columns, their relation to the target, the balance of its classes."""
        from crake.evaluation.columns.describe import describe_table  # noqa: PLC0415  # it reads tables

        return describe_table(self)

    def to_xy(self) -> tuple[pa.Table, NDArray[Any]]:
        """Return features and labels for scikit-learn, without the rows whose target is unknown."""
        from crake.table.convert.export import to_xy  # noqa: PLC0415  # it reads tables

        return to_xy(self)

    def to_pandas(self) -> Any:
        """Return the columns as a pandas frame: categories for nominal ones, dates. `to_arrow` needs no pandas."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> pa.Table:
        """Return the columns as an Arrow table: dictionaries for nominal ones, dates, nulls for missing values."""
        from crake.table.convert.export import to_arrow  # noqa: PLC0415  # it reads tables

        return to_arrow(self)
