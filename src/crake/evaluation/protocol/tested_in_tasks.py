"""Testing where an engine has its rows: its tasks ask the models of the folds, and only answers travel.

Of each row its fold, its class, and a probability for each class come to the driver; and about a thousand rows with all
their cells, for what is asked of the models later. Rows of an engine have no numbers: they are numbered in the order of
the hashes of their cells, so that nothing depends on how they lie in partitions.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.errors import CrakeError
from crake.evaluation.protocol.collector import (
    LARGEST_OUT_OF_FOLD,
    TESTED_TOGETHER,
    KeptRows,
    other_rows,
    predict_by_fold,
)
from crake.evaluation.protocol.folds import answers_the_most_probable
from crake.evaluation.protocol.outcome import left_out_note
from crake.evaluation.result.out_of_fold import ClassPredictions
from crake.kernels import threads
from crake.modelfile.store import loaded
from crake.modelfile.writing import model_bytes
from crake.plans import CrossValidation, KeyedFolds, Plan
from crake.render.short_repr import short_repr
from crake.statistics import ClassCounts, Statistics
from crake.statistics.partitions.drawn_rows import (
    cells_at,
    hash_for,
    hashed_rows,
    joined_streams,
    loaded_rows,
    share_for,
    stream_of,
)
from crake.statistics.partitions.messages import packed, unpacked
from crake.statistics.partitions.rows import PartitionedRows
from crake.table.batch import Batch
from crake.table.row_hash import hashes_of
from crake.table.sources.scanned_table import joined, rows_of
from crake.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

MOST_AT_ONCE = 2**29
"""Bytes of answers that come to the driver together; learners beyond are tested in a pass of their own."""

Arrays = list[NDArray[Any]]
Models = Sequence[Sequence[Any]]


@dataclass(frozen=True, eq=False)
class TestedInTasks:
    """The out-of-fold table of one learner, whose rows were tested in tasks."""

    table: Table
    fold: Codes
    actual: Codes
    probabilities: Floats
    answered: Codes | None
    counts: NDArray[np.int64]
    is_part: bool

    __repr__ = short_repr

    def out_of_fold(self, fit_seconds: float, predict_seconds: float) -> ClassPredictions:
        """Return the rows that were tested, numbered from 0 on."""
        n = len(self.fold)
        return ClassPredictions(
            rows=np.arange(n, dtype=np.intp),
            fold=self.fold,
            actual=self.actual,
            probabilities=self.probabilities,
            weights=np.broadcast_to(1.0, n),
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            training_rows=(self.counts.sum() - self.counts.sum(axis=1)).astype(np.int64),
            answered=self.answered,
        )

    def notes(self, plan: Plan | None) -> list[str]:
        """Return the notes on the protocol."""
        known = int(self.counts.sum())
        notes = list(left_out_note(len(self.table) - known, self.table.schema.target or ""))
        if isinstance(plan, CrossValidation) and plan.stratified:
            notes.append("a table that is scanned has folds by a hash of the row number, not stratified ones")
        if self.is_part:
            notes.append(
                f"{len(self.fold):,} of {known:,} rows are tested, drawn by a hash of their cells; each model has "
                "learned from all rows of the other folds"
            )
        return notes


def tested_in_tasks(
    coded: Table, statistics: Statistics, folds: Any, models: Models
) -> tuple[list[TestedInTasks], KeptRows] | None:
    """Return the rows tested by the models of each learner; None if they must come to the driver.

    `coded` is under the schema of the statistics, whose groups are the folds. Models travel as model files: those that
    no file holds are asked on the driver.
    """
    rows = PartitionedRows.of(coded) if isinstance(folds, KeyedFolds) else None
    if rows is None or rows.scan.known_only:
        return None
    try:
        files = [[model_bytes(model) for model in each] for each in models]
    except CrakeError:
        return None
    rows, number, K = rows.dealt_by(folds.hash), len(coded), len(statistics.classes)
    most = LARGEST_OUT_OF_FOLD // (24 + 8 * K)
    kept_folds, kept_rows = KeptRows.folds_and_rows(number, folds.folds)
    state = {
        **rows.state,
        "seed": folds.random_state + 1,  # another than that of the folds
        "below": hash_for(share_for(number, most)),
        "kept": [folds.random_state + 3, kept_folds, hash_for(min(1.0, kept_rows / number))],
        "classes": K,
    }
    together = max(1, MOST_AT_ONCE // (8 * K * max(1, min(number, most))))
    found: list[TestedInTasks] = []
    kept = KeptRows(kept_folds)
    for start in range(0, len(files), together):
        own = files[start : start + together]
        task = TestTask(json.dumps({**state, "learners": len(own)}), _packed_files(own))
        messages = rows.run(task)
        if messages is None:
            return None
        answers = Answers.of(task.merged(messages), folds.folds, K)
        if not np.array_equal(answers.counts, statistics[ClassCounts].counts):
            raise other_rows(coded.name)
        order = np.argsort(answers.hashes, kind="stable")[:most]
        found += answers.by_learner(coded, order, is_part=number > most)
        if start == 0:
            answers.put_into(kept, order, coded)
    return found, kept


@dataclass(frozen=True)
class TestTask:
    """The testing of the rows of one partition; `files` has the model of each fold for each learner."""

    text: str
    files: bytes

    __test__ = False  # pytest takes it for a test otherwise

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the answers for the rows of one partition."""
        state = json.loads(self.text)
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return packed(_tested(state, batches, _models_of(self.files, state["learners"])))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the answers of several partitions."""
        return packed(self.merged(messages))

    def merged(self, messages: Iterable[bytes]) -> Arrays:
        """Return the answers of several partitions: counts are added, all others joined."""
        parts = [unpacked(message) for message in messages]
        rows = np.cumsum([0, *(len(part[0]) for part in parts)])
        for part, before in zip(parts, rows.tolist(), strict=False):
            part[KEPT] = part[KEPT] + before
        counts, cells = sum(part[COUNTS] for part in parts), joined_streams(part[CELLS] for part in parts)
        joined_arrays = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
        joined_arrays[COUNTS], joined_arrays[CELLS] = np.asarray(counts), cells
        return joined_arrays


HASHES, FOLD, ACTUAL, COUNTS, KEPT, CELLS, FIRST = range(7)
"""Places of arrays in a message; after FIRST each learner has probabilities and answers."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers that tasks have sent, in the order in which they came."""

    arrays: Arrays
    counts: NDArray[np.int64]

    __repr__ = short_repr

    @classmethod
    def of(cls, arrays: Arrays, folds: int, classes: int) -> Answers:
        """Return the answers of all partitions."""
        return cls(arrays, arrays[COUNTS].reshape(folds, classes))

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each row."""
        return self.arrays[HASHES].view(np.uint64)

    def by_learner(self, table: Table, order: NDArray[np.intp], *, is_part: bool) -> Iterator[TestedInTasks]:
        """Yield the table of each learner, its rows in this order."""
        fold, actual = self.arrays[FOLD][order], self.arrays[ACTUAL][order]
        for at in range(FIRST, len(self.arrays), 2):
            probabilities, answered = self.arrays[at][order], self.arrays[at + 1]
            own = answered[order] if len(answered) else None
            yield TestedInTasks(table, fold, actual, probabilities, own, self.counts, is_part)

    def put_into(self, kept: KeptRows, order: NDArray[np.intp], table: Table) -> None:
        """Put the rows whose cells were sent into `kept`."""
        number = np.full(len(self.hashes), -1, np.intp)
        number[order] = np.arange(len(order))
        came = self.arrays[KEPT]
        places = np.flatnonzero(number[came] >= 0)
        places = places[np.argsort(number[came[places]], kind="stable")]
        if len(places):
            rows = loaded_rows(self.arrays[CELLS], places, table, table.schema)
            kept.kept.append((number[came[places]], self.arrays[FOLD][came[places]], rows))


def _packed_files(files: Sequence[Sequence[bytes]]) -> bytes:
    return packed([np.frombuffer(data, np.uint8) for each in files for data in each])


@functools.lru_cache(maxsize=2)
def _models_of(files: bytes, learners: int) -> list[list[Any]]:
    """Return the models of the files; a worker that gets many tasks reads them once."""
    models = [loaded(data.tobytes(), "a model that was sent") for data in unpacked(files)]
    folds = len(models) // learners
    return [models[start : start + folds] for start in range(0, len(models), folds)]


def _tested(state: dict[str, Any], batches: Iterator[pa.RecordBatch], models: Models) -> Arrays:
    rows, file = hashed_rows(state, batches, state["seed"])
    schema, folds, K = rows.table.schema, int(state["by"]["folds"]), int(state["classes"])
    kept_seed, kept_folds, kept_below = state["kept"]
    counts = np.zeros(folds * K, np.int64)
    parts: list[Arrays] = []
    waiting: list[tuple[Codes, Batch]] = []
    cells: list[pa.RecordBatch] = []
    answers: list[Arrays] = []
    number = 0

    def ask() -> None:
        """Test the rows that wait, a good many at a time: each call of a model has its price."""
        if waiting:
            fold, batch = np.concatenate([fold for fold, _ in waiting]), joined([batch for _, batch in waiting])
            answers.append([array for each in models for array in _answers(each, batch, fold, schema, K)])
            waiting.clear()

    for batch in rows.table.batches():
        portion, hashes = file.take_portion(batch.start)
        assert rows.folds is not None  # noqa: S101 (a key deals them)
        fold = rows.folds[batch.start : batch.start + batch.rows]
        known = batch.target >= 0
        counts += np.bincount((fold * K + batch.target)[known], minlength=len(counts))
        places = np.flatnonzero(known & (hashes <= np.uint64(state["below"])))
        fold, hashes = fold[places], hashes[places]
        kept = np.flatnonzero((fold < kept_folds) & (hashes_of(hashes, kept_seed) <= np.uint64(kept_below)))
        parts.append([hashes.view(np.int64), fold, batch.target[places], kept + number])
        cells.append(cells_at(portion, places[kept]))
        number += len(places)
        waiting.append((fold, rows_of(batch, places)))
        if sum(len(each) for each, _ in waiting) >= TESTED_TOGETHER:
            ask()
    ask()
    nothing: Arrays = [np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)]
    hashes, fold, actual, kept = (np.concatenate(arrays) for arrays in zip(nothing, *parts, strict=True))
    empty: Arrays = [np.zeros((0, K)), np.zeros(0, np.int32)] * len(models)
    found = [np.concatenate(arrays) for arrays in zip(empty, *answers, strict=True)]
    return [hashes, fold, actual, counts, kept, stream_of(cells), *found]


def _answers(models: Sequence[Any], batch: Batch, fold: Codes, schema: Any, classes: int) -> Arrays:
    """Return probabilities, and predicted classes where some model has a rule of its own for them."""
    probabilities = np.empty((batch.rows, classes))
    has_rule = not all(answers_the_most_probable(model) for model in models)
    answered = np.empty(batch.rows if has_rule else 0, np.int32)
    predict_by_fold(models, batch, schema, fold, probabilities, answered if has_rule else None)
    return [probabilities, answered]
