"""Several learners over one file in two scans: the first is learned from by all, the second tests all their models.

A learner that needs its rows in memory learns from a random sample of them, fold by fold like the others, and is
tested on the same rows as they are; so the comparison stays a paired one.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.errors import CrakeError
from crake.evaluation.protocol.scan import Progress, Testing, check_classes, hashed, telling
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.classifier import reads_tables
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.majority.learner import MajorityClassifier
from crake.learners.registry import is_baseline, title_of
from crake.learners.warm import warm
from crake.plans import HashedFolds, Plan
from crake.plans import dealing as plan_rows
from crake.render.sentences import listed
from crake.statistics import ClassCounts, Statistics
from crake.table.schema import Label
from crake.table.sources.scanned_table import drawn, encode_scan, scan_of
from crake.table.sources.shared_scan import Reader, read_together
from crake.table.table import Table
from crake.table.target import check_target

SAMPLE_ROWS = 100_000
"""Rows held for learners that need them."""

ON_SAMPLE = ", on a sample"
SHARED_TIMES = "learners that read statistics share two scans of the file: their times are those of the scans"


@dataclass(frozen=True, eq=False)
class Learned:
    """What the first scan gave: the statistics of every learner that reads them, a sample for the others.

    `counted` holds the classes of every fold; `refused` says why a learner that reads statistics could not.
    """

    folds: HashedFolds
    counted: Statistics
    statistics: dict[int, Statistics]
    refused: dict[int, CrakeError]
    sample: Table | None
    sampled: NDArray[np.intp]
    model: Any
    seconds: float

    def is_sampled(self, table: Table) -> bool:
        """Whether the sample is less than the table."""
        return self.sample is not None and len(self.sample) < len(table)

    def training_rows(self) -> NDArray[np.int64]:
        """How many rows of the sample each fold's model learns from."""
        assert self.sample is not None  # noqa: S101 (drawn whenever a learner may need it)
        fold = _folds_of(self.sampled, self.folds)
        known = np.bincount(fold[self.sample.target >= 0], minlength=self.folds.folds)
        return np.asarray(known.sum() - known, np.int64)

    def models(self, index: int, learner: Any) -> list[Any]:
        """The model of all folds but one, for every fold."""
        if index in self.statistics:
            fresh, statistics = clone(learner).checked(), self.statistics[index]
            return [copy.copy(fresh).estimate(statistics.without(fold)) for fold in range(self.folds.folds)]
        assert self.sample is not None  # noqa: S101 (drawn whenever a learner may need it)
        fold = _folds_of(self.sampled, self.folds)
        return [clone(learner).fit(self.sample.take(np.flatnonzero(fold != f))) for f in range(self.folds.folds)]


def evaluate_scans(
    learners: Sequence[Any],
    table: Table,
    plan: Plan | None,
    positive: Label | None = None,
    progress: Progress | None = None,
    *,
    sample_rows: int | None = None,
) -> tuple[tuple[Evaluation, ...], Learned]:
    """Every learner cross-validated on the same rows, in two scans together."""
    learned = learn(learners, table, plan, progress, sample_rows=SAMPLE_ROWS if sample_rows is None else sample_rows)
    return put_to_test(learners, table, learned, plan, positive, progress), learned


def learn(
    learners: Sequence[Any],
    table: Table,
    plan: Plan | None,
    progress: Progress | None = None,
    *,
    fitted: Any = None,
    sample_rows: int = 0,
) -> Learned:
    """The first scan; the learner `fitted` is fitted on all rows in it, too. Of `sample_rows` 0 nothing is drawn."""
    check_target(table)
    folds = hashed(plan)
    for learner in learners:
        _refuse_foreign(learner, table)
    warm()
    start = time.perf_counter()
    reading = {k: clone(x).checked() for k, x in enumerate(learners) if reads_statistics(x)}
    readers: list[Reader] = [_gathering(one, folds) for one in (MajorityClassifier(), *reading.values())]
    readers += [] if fitted is None else [fitted.fit]
    # Another seed than that of the folds and of the rows tested: what is drawn must not hang together with them.
    readers += [lambda rows: drawn(rows, sample_rows, folds.random_state + 2)] if sample_rows else []
    made = read_together(telling(table, progress, 0), readers)
    counted, found = _unless_refused(made[0]), dict(zip(reading, made[1 : 1 + len(reading)], strict=True))
    sample, numbers = _unless_refused(made[-1]) if sample_rows else (None, np.empty(0, np.intp))
    return Learned(
        folds,
        counted,
        {k: statistics for k, statistics in found.items() if not isinstance(statistics, CrakeError)},
        {k: error for k, error in found.items() if isinstance(error, CrakeError)},
        sample,
        numbers,
        None if fitted is None else _unless_refused(made[1 + len(reading)]),
        time.perf_counter() - start,
    )


def put_to_test(
    learners: Sequence[Any],
    table: Table,
    learned: Learned,
    plan: Plan | None,
    positive: Label | None = None,
    progress: Progress | None = None,
) -> tuple[Evaluation, ...]:
    """The second scan: every row by the models of the folds it is not in.

    Before the first scan nobody knows the classes, so the positive one may be named as it is written.
    """
    positive = next((label for label in learned.counted.classes if str(label) == positive), positive)
    check_classes(learned.counted, learned.folds, positive)
    testings = []
    for index, learner in enumerate(learners):
        begin = time.perf_counter()
        models = learned.models(index, learner)
        seconds = learned.seconds if index in learned.statistics else time.perf_counter() - begin
        testings.append((Testing(table, learned.counted, learned.folds), models, seconds))
    start = time.perf_counter()
    coded = encode_scan(telling(table, progress, 1), learned.counted.schema)
    # The same rows are drawn for every learner: which they are follows from the folds alone.
    for chosen, batch in scan_of(coded).chosen(coded.schema, testings[0][0].draw):
        for testing, models, _ in testings:
            testing.add(chosen, batch, models)
    for testing, models, _ in testings:
        testing.finish(models)
    seconds = time.perf_counter() - start
    return tuple(
        replace(_evaluation(k, learner, table, learned, testing, plan, (fit, seconds)), positive=positive)
        for k, (learner, (testing, _, fit)) in enumerate(zip(learners, testings, strict=True))
    )


def reads_statistics(learner: Any) -> bool:
    """Whether a learner never needs the rows themselves, so that a scan is enough for it."""
    return isinstance(learner, StatisticsClassifier) and learner.one_pass


def notes_on(learners: Sequence[Any], learned: Learned, table: Table) -> tuple[str, ...]:
    """Which learners learned from a sample and why, and what the times mean."""
    on_sample = [title_of(x) for k, x in enumerate(learners) if k not in learned.statistics]
    if not on_sample or not learned.is_sampled(table):
        return (SHARED_TIMES,)
    rows = len(learned.sample or ())
    share = f"{listed(on_sample)} learned from a random sample of {rows:,} of {len(table):,} rows"
    told = (
        f"{share}, seed {learned.folds.random_state}, the others from all; every learner is tested on the same rows. "
        "To give all learners the same rows: --sample, or table.sample(…)"
    )
    return (told, *(f"{title_of(learners[k])}: {error}" for k, error in learned.refused.items()), SHARED_TIMES)


def _evaluation(
    k: int,
    learner: Any,
    table: Table,
    learned: Learned,
    testing: Testing,
    plan: Plan | None,
    seconds: tuple[float, float],
) -> Evaluation:
    """What was found of the learner of this number; one that needs its rows learned from a sample."""
    counts, classes = learned.counted[ClassCounts].counts, learned.counted.classes
    needs_rows, rows = k not in learned.statistics, testing.out_of_fold(*seconds)
    return Evaluation(
        name=title_of(learner) + (ON_SAMPLE if needs_rows and learned.is_sampled(table) else ""),
        table=table.name,
        target=table.schema.target or "",
        classes=classes,
        plan=learned.folds.describe(),
        out_of_fold=replace(rows, training_rows=learned.training_rows()) if needs_rows else rows,
        notes=(*testing.notes(plan), *plan_rows.unlearned(counts, classes)),
        is_baseline=is_baseline(learner),
    )


def _folds_of(rows: NDArray[np.intp], folds: HashedFolds) -> NDArray[np.int32]:
    """The folds of these rows, which ascend."""
    found = np.empty(len(rows), np.int32)
    step = 1 << 20
    for start in range(0, int(rows[-1]) + 1, step):
        inside = slice(*np.searchsorted(rows, [start, start + step]).tolist())
        found[inside] = folds[start : start + step][rows[inside] - start]
    return found


def _gathering(learner: StatisticsClassifier, folds: HashedFolds) -> Reader:
    return lambda rows: learner.gather(rows, folds, folds.folds)


def _refuse_foreign(learner: Any, table: Table) -> None:
    if not reads_tables(learner):
        raise table.not_in_memory(f"{title_of(learner)}, not one of crake's learners,")


def _unless_refused(made: Any) -> Any:
    if isinstance(made, CrakeError):
        raise made
    return made
