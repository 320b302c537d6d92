"""Writers of predictions: lines of CSV or batches of Parquet, with the table's own columns before them."""

from __future__ import annotations

import gzip
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.files import replacing
from crake.learners.base.scoring import NewRows, NumberScoring, Scoring
from crake.table import cells
from crake.table.codes import Cells, Coded, distinct
from crake.table.convert.export import label_array
from crake.table.formats.csv.writer import ROWS, PredictionLines, cell, header, number_texts, prediction_names
from crake.table.moments import moment_texts, moments
from crake.table.schema import Column, Kind, Label
from crake.table.sources.scanned_table import scan_of
from crake.table.table import Table

Progress = Callable[[int], None]
Scored = TypeVar("Scored", bound=NewRows)


class TableColumns:
    """The columns of a table beside the predictions; rows are read in portions of any size and taken in any other."""

    def __init__(self, table: Table, *, raw: bool) -> None:
        self.table, self.raw = table, raw
        self.names = [column.name for column in table.schema.columns if column.kind is not Kind.IGNORED]
        self._portions = self._columns()
        self._rest: pa.Table | None = None

    def take(self, rows: int) -> pa.Table:
        """Return the next rows, as plain Arrow columns."""
        while self._rest is None or self._rest.num_rows < rows:
            more = pa.table(next(self._portions), names=self.names)
            self._rest = (
                more if self._rest is None else pa.concat_tables([self._rest, more], promote_options="permissive")
            )
        portion, self._rest = self._rest.slice(0, rows), self._rest.slice(rows)
        return portion

    def lines(self, rows: pa.Table) -> pa.Array:
        """Return one string per row: its cells, each with a comma."""
        texts = [_texts(_one_chunk(column), raw=self.raw) for column in rows.columns]
        return pc.binary_join_element_wise(*texts, pa.scalar(""), ",")

    def _columns(self) -> Iterator[list[pa.Array]]:
        if self.table.in_memory:
            whole = self.table.to_arrow().select(self.names)
            for start in range(0, whole.num_rows, ROWS):
                yield [_one_chunk(column) for column in whole.slice(start, ROWS).columns]
            return
        for portion in scan_of(self.table).file.portions(self.names):
            yield [_arrow(portion.columns[name], self.table.schema[name]) for name in self.names]


class Destination(ABC, Generic[Scored]):
    """A writer of predictions; subclasses give the lines and the columns."""

    def __init__(self, names: Sequence[str], beside: TableColumns | None, *, raw: bool) -> None:
        self.names, self.beside, self.raw = names, beside, raw

    def to_file(self, path: Path, scoring: Scored, progress: Progress) -> None:
        """Write a file by its ending, whole or not at all."""
        with replacing(path) as file:
            if path.suffix.lower() == ".parquet":
                self.to_parquet(file, scoring, progress)
            elif path.suffix.lower() == ".gz":
                with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                    self.to_csv(packed, scoring, progress)
            else:
                self.to_csv(file, scoring, progress)

    def to_csv(self, file: IO[bytes] | gzip.GzipFile, scoring: Scored, progress: Progress) -> None:
        """Write the header, then one line per row."""
        file.write(header(self.names, raw=self.raw))
        done = 0
        for rows, lines in self._lines(scoring):
            file.write(lines)
            done += rows
            progress(done)

    def to_parquet(self, file: IO[bytes], scoring: Scored, progress: Progress) -> None:
        """Write Parquet, with exact doubles."""
        import pyarrow.parquet as pq  # noqa: PLC0415 (slow to import)

        self._write(pq.ParquetWriter, file, scoring, progress)

    def to_arrow(self, file: IO[bytes], scoring: Scored, progress: Progress) -> None:
        """Write a stream of Arrow batches, with exact doubles."""
        self._write(pa.ipc.new_stream, file, scoring, progress)

    def _write(self, opened: Callable[..., Any], file: IO[bytes], scoring: Scored, progress: Progress) -> None:
        writer, schema, done = None, None, 0
        for columns in self._columns(scoring):
            rows = len(columns[-1])
            first = [] if self.beside is None else [_plain(column) for column in self.beside.take(rows).columns]
            table = pa.table([*first, *columns], names=self.names)
            schema = schema or table.schema
            writer = writer or opened(file, schema)
            writer.write_table(table.cast(schema))
            done += rows
            progress(done)
        if writer is not None:
            writer.close()

    @abstractmethod
    def _lines(self, scoring: Scored) -> Iterator[tuple[int, memoryview | pa.Buffer | bytes]]:
        """Yield numbers of rows and their lines, the columns beside them joined in the order of the rows."""

    @abstractmethod
    def _columns(self, scoring: Scored) -> Iterator[list[pa.Array]]:
        """Yield the predictions of each part."""


class ClassDestination(Destination[Scoring]):
    """Probabilities, then the predicted class, which in Parquet has the type of the labels."""

    def __init__(self, classes: Sequence[Label], beside: TableColumns | None, *, raw: bool) -> None:
        super().__init__(prediction_names(classes, [] if beside is None else beside.names), beside, raw=raw)
        self.classes = classes

    def _lines(self, scoring: Scoring) -> Iterator[tuple[int, memoryview | pa.Buffer | bytes]]:
        lines = PredictionLines(self.classes, raw=self.raw)
        if self.beside is None:
            yield from scoring.parts(
                lambda probabilities, answers: (len(probabilities), lines.of(probabilities, answers))
            )
            return
        for probabilities, answers in scoring.parts(lambda *part: part):
            rows = len(probabilities)
            yield rows, lines.of(probabilities, answers, self.beside.lines(self.beside.take(rows)))

    def _columns(self, scoring: Scoring) -> Iterator[list[pa.Array]]:
        labels = pa.array([str(label) for label in self.classes] if _is_mixed(self.classes) else list(self.classes))
        for probabilities, answers in scoring.parts(lambda *part: part):
            columns = [pa.array(np.ascontiguousarray(column)) for column in probabilities.T]
            yield [*columns, labels.take(pa.array(answers.astype(np.int32)))]


class NumberDestination(Destination[NumberScoring]):
    """The predicted number of each row, exact."""

    def __init__(self, beside: TableColumns | None, *, raw: bool) -> None:
        super().__init__(prediction_names((), [] if beside is None else beside.names), beside, raw=raw)

    def _lines(self, scoring: NumberScoring) -> Iterator[tuple[int, memoryview | pa.Buffer | bytes]]:
        for lines in scoring.parts(_number_lines):
            first = [] if self.beside is None else [self.beside.lines(self.beside.take(len(lines)))]
            # The lines lie one after the other in the data of the array.
            yield len(lines), pc.binary_join_element_wise(*first, lines, "").buffers()[2] or b""

    def _columns(self, scoring: NumberScoring) -> Iterator[list[pa.Array]]:
        for numbers in scoring.parts(lambda numbers: numbers):
            yield [pa.array(np.ascontiguousarray(numbers))]


def _number_lines(numbers: NDArray[np.float64]) -> pa.Array:
    """Return each number with its line end; an empty line would not be a row."""
    return pc.binary_join_element_wise(pc.fill_null(number_texts(numbers), '""'), "\n", "")


def _is_mixed(classes: Sequence[Label]) -> bool:
    return label_array(classes).dtype.kind == "O"


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    whole = column.unify_dictionaries().combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _arrow(values: Cells, column: Column) -> pa.Array:
    """Return the cells of a portion as an Arrow array without a dictionary."""
    if isinstance(values, Coded):
        labels = pa.array([None if label is None else str(label) for label in values.labels], pa.string())
        return labels.take(pa.array(values.codes, mask=values.codes < 0))
    if isinstance(values, np.ndarray):
        return moments(values) if column.is_date and values.dtype.kind == "f" else pa.array(values, from_pandas=True)
    return _plain(values)


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pc.cast(values, values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _texts(values: pa.Array, *, raw: bool) -> pa.Array:
    """Cells as CSV has them: empty where missing, text quoted and guarded."""
    kind = values.type
    if pa.types.is_floating(kind):
        return pc.fill_null(number_texts(cells.numbers(values, "")), "")
    if pa.types.is_temporal(kind):
        return pc.fill_null(moment_texts(values), "")
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return pc.fill_null(pc.cast(values, pa.string()), "")
    coded = distinct(values)
    named = pa.array([*("" if label is None else cell(label, raw=raw) for label in coded.labels), ""], pa.string())
    return named.take(pa.array(np.where(coded.codes < 0, len(coded.labels), coded.codes)))
