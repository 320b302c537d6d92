"""Predictions of a Spark data frame: its tasks predict with the model file, which is sent along."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from crake.errors import ColumnNotFound, CrakeError
from crake.kernels import threads
from crake.learners.base.training_rows import refuse_equal_names
from crake.modelfile.store import loaded
from crake.modelfile.writing import model_bytes
from crake.statistics.partitions.version_mark import refuse_other_version, version_mark
from crake.table.column_names import file_names, unique_names
from crake.table.column_options import Expected
from crake.table.convert.known_schema import encode_table
from crake.table.formats.spark.session import one_line
from crake.table.formats.spark.tasks import freeze_modules
from crake.table.read import read_source
from crake.table.read_options import ReadOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from crake.table.table import Table


@dataclass(frozen=True)
class PredictTask:
    """The prediction of the rows of a partition, in batches. `places` says where the columns of the model are."""

    model: bytes
    version: str
    places: tuple[tuple[str, int], ...]
    with_probabilities: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches with the predictions behind their columns."""
        refuse_other_version(self.version)
        model = _model_of(self.model)
        for batch in batches:
            if batch.num_rows:
                try:
                    with threads.limited(1):  # Spark runs as many tasks as it has cores
                        answers = self._answers(model, batch)
                except CrakeError as error:
                    raise error.with_traceback(None) from None  # the user reads its words, below Spark's own lines
                names = [*batch.schema.names, *(f"answer {place}" for place in range(len(answers)))]
                yield pa.RecordBatch.from_arrays([*batch.columns, *answers], names)
        freeze_modules()

    def _answers(self, model: Any, batch: pa.RecordBatch) -> list[pa.Array]:
        rows = pa.table({name: batch.column(place) for name, place in self.places})
        table = _read(rows, model)
        if not hasattr(model, "predict_proba"):
            return [pa.array(model.predict(table), pa.float64())]
        probabilities = model.predict_proba(table)
        labels = label_cells(model.classes_.tolist())
        answers = [labels.take(pa.array(model.decide(probabilities)))]
        shares = np.ascontiguousarray(probabilities.T)
        return [*answers, *(pa.array(each) for each in shares)] if self.with_probabilities else answers


def predicted_frame(model: Any, frame: DataFrame, *, with_probabilities: bool) -> DataFrame:
    """Return the data frame with the predictions as further columns; nothing is computed before it is asked for."""
    from pyspark.sql.types import DoubleType, StructField, StructType  # noqa: PLC0415 (an extra)

    places = _places(model, frame)
    data = model_bytes(model)
    target = model.schema_.target
    named = f"predicted {target}" if target else "predicted"
    classes = model.classes_.tolist() if hasattr(model, "classes_") else []
    wanted = [named, *(f"P({label})" for label in classes if with_probabilities)]
    kinds = [_spark_type(classes) if classes else DoubleType(), *(DoubleType() for _ in wanted[1:])]
    task = PredictTask(data, version_mark(), places, with_probabilities)
    by_place = _by_place(frame)
    more = [StructField(f"answer {place}", kind) for place, kind in enumerate(kinds)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\..*")  # of the version of pandas
        answered = by_place.mapInArrow(task, StructType([*by_place.schema.fields, *more]))
    return answered.toDF(*frame.columns, *_new_names(frame.columns, wanted))


def _places(model: Any, frame: DataFrame) -> tuple[tuple[str, int], ...]:
    """Return the columns that the model reads, with their places.

    Columns that are not there, and types that are not read, are refused before a task runs, in the words for any table.
    """
    known = Expected.of_model(model).kinds
    refuse_equal_names(name for name in frame.columns if name in known)
    plain, read = unique_names(frame.columns)[0], file_names(frame.columns)[0]
    names = plain if known.keys() <= set(plain) else read  # a frame of pandas may have taught names with spaces
    kinds = [pa.null()] * len(names)
    for place, kind in _types(frame, [place for place, name in enumerate(names) if name in known]):
        kinds[place] = kind
    columns = [pa.array([], kind) for kind in kinds]
    encode_table(_read(pa.Table.from_arrays(columns, names), model), model.schema_)
    for text in model.schema_.texts if model.reads_text else ():
        if text.name not in names:
            raise ColumnNotFound(text.name, names)
    unread = set() if model.reads_text else {text.name for text in model.schema_.texts}
    return tuple((name, place) for place, name in enumerate(names) if name in known and name not in unread)


def _types(frame: DataFrame, places: Sequence[int]) -> list[tuple[int, pa.DataType]]:
    """Return the Arrow types of some columns, with their places; no row is read, and a stream is not begun."""
    with one_line("table"):
        chosen = _by_place(frame).select([f"c{place}" for place in places])
        if frame.isStreaming:
            chosen = frame.sparkSession.createDataFrame([], chosen.schema)
        return list(zip(places, chosen.limit(0).toArrow().schema.types, strict=True))


def _by_place(frame: DataFrame) -> DataFrame:
    """Return the frame with names for places: Spark hands over no two columns of one name, and ignores case."""
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))


def _read(rows: pa.Table, model: Any) -> Table:
    """Return the table of Arrow columns of a frame, as the model reads them."""
    return read_source(rows, ReadOptions(expected=Expected.of_model(model)))


def _new_names(names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return names that no column has yet; Spark takes names that differ in case for one."""
    used = {name.casefold() for name in names}
    fresh = []
    for name in wanted:
        while name.casefold() in used:
            name += "_"  # noqa: PLW2901
        used.add(name.casefold())
        fresh.append(name)
    return fresh


def label_cells(labels: Sequence[Any]) -> pa.Array:
    """Return labels as cells of one type: numbers and truth values as they are, a mixture as texts.

    >>> label_cells([1, "a"]).to_pylist(), label_cells([1, 2]).type
    (['1', 'a'], DataType(int64))
    """
    kinds = set(map(type, labels))
    return pa.array(labels if len(kinds) == 1 else list(map(str, labels)))


def _spark_type(labels: Sequence[Any]) -> Any:
    from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType  # noqa: PLC0415 (an extra)

    kinds = {pa.bool_(): BooleanType(), pa.int64(): LongType(), pa.float64(): DoubleType()}
    return kinds.get(label_cells(labels).type, StringType())


@functools.lru_cache(maxsize=2)
def _model_of(data: bytes) -> Any:
    """Return the model of a file; a worker that gets many tasks reads it once."""
    return loaded(data, "the model that was sent")
