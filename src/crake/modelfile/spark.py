"""Predictions of a Spark data frame: its tasks predict with the model file, which is sent along."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from crake.errors import ColumnNotFound
from crake.kernels import threads
from crake.modelfile.store import loaded
from crake.modelfile.writing import model_bytes
from crake.statistics.partitions.version_mark import refuse_other_version, version_mark
from crake.table.column_options import Expected
from crake.table.formats.spark.tasks import freeze_modules
from crake.table.read import read_source
from crake.table.read_options import ReadOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
                with threads.limited(1):  # Spark runs as many tasks as it has cores
                    answers = self._answers(model, batch)
                names = [*batch.schema.names, *(f"answer {place}" for place in range(len(answers)))]
                yield pa.RecordBatch.from_arrays([*batch.columns, *answers], names)
        freeze_modules()

    def _answers(self, model: Any, batch: pa.RecordBatch) -> list[pa.Array]:
        rows = pa.table({name: batch.column(place) for name, place in self.places})
        table = read_source(rows, ReadOptions(expected=Expected.of_model(model)))
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

    places = _places(model, frame.columns)
    data = model_bytes(model)
    target = model.schema_.target
    named = f"predicted {target}" if target else "predicted"
    classes = model.classes_.tolist() if hasattr(model, "classes_") else []
    wanted = [named, *(f"P({label})" for label in classes if with_probabilities)]
    kinds = [_spark_type(classes) if classes else DoubleType(), *(DoubleType() for _ in wanted[1:])]
    more = [StructField(name, kind) for name, kind in zip(_new_names(frame.columns, wanted), kinds, strict=True)]
    task = PredictTask(data, version_mark(), places, with_probabilities)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\..*")  # of the version of pandas
        return frame.mapInArrow(task, StructType([*frame.schema.fields, *more]))


def _places(model: Any, names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return the columns that the model reads, with their places; raise if one is not there."""
    texts = model.schema_.texts if model.reads_text else ()
    read = (*model.schema_.features, *texts)
    needed = dict.fromkeys(column.source if column.is_part else column.name for column in read)
    for name in needed:
        if name not in names:
            raise ColumnNotFound(name, names)
    return tuple((name, list(names).index(name)) for name in needed)


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
