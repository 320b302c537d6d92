"""Learners over one file in two scans: all learn from the first, and the second tests all their models.

A learner that needs its rows in memory learns from a random sample of them, fold by fold like the others, and is
tested on the same rows as they are; so the comparison stays a paired one.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import refuse_no_plan, refuse_unknown_class
from crake.evaluation.protocol.collector import ScanTester
from crake.evaluation.protocol.gathered_in_tasks import Gathered, gathered_in_tasks
from crake.evaluation.protocol.keyed import with_keys
from crake.evaluation.protocol.outcome import Outcome, Run, class_evaluation
from crake.evaluation.protocol.refits import is_refitted, refitted_models
from crake.evaluation.protocol.second_scan import tested_rows
from crake.evaluation.protocol.tested_in_tasks import TestedInTasks
from crake.evaluation.protocol.timing import Progress, begin_learner, begin_rows, of_learners, reported, warm
from crake.evaluation.protocol.trials import Failure, Trials
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import Scan
from crake.learners.base.classifier import reads_tables
from crake.learners.base.scikit_learn import clone
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.majority.learner import MajorityClassifier
from crake.learners.registry import title_of
from crake.metrics.confusion.matrix import refuse_many_classes
from crake.plans import CrossValidation, HashedFolds, Plan
from crake.plans import dealing as plan_rows
from crake.render.sentences import listed
from crake.statistics import ClassCounts, Statistics
from crake.statistics.partitions.other_folds import OtherFolds
from crake.table.describe.warnings import warnings_of_counts, warnings_of_sample
from crake.table.schema import Label
from crake.table.sources.scanned_table import encode_scan, rows_of_sample, with_texts
from crake.table.sources.shared_scan import Reader, read_together
from crake.table.table import Table
from crake.table.target import check_target

SAMPLE_ROWS = 100_000
"""Rows held for learners that need them."""

ON_SAMPLE = ", on a sample"
SHARED_TIMES = "learners that read statistics share two scans of the file: their times are those of the scans"


@dataclass(frozen=True, eq=False)
class Learned:
    """The outcome of the first scan: statistics for every learner that reads them, a sample for the others.

    `counted` holds the classes of every fold; `refused` says why a learner that reads statistics could not. Learners
    that are `refitted` scan the other folds for each fold.
    """

    folds: HashedFolds
    counted: Statistics
    statistics: dict[int, Statistics]
    refused: dict[int, CrakeError]
    sample: Table | None
    sampled: NDArray[np.intp]
    model: Any
    seconds: float
    refitted: frozenset[int] = frozenset()
    own_folds: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, folds: HashedFolds, found: Gathered, seconds: float, refitted: frozenset[int]) -> Learned:
        """Return what the tasks of an engine have found; they tell the folds of the sample, too."""
        statistics = {k: each for k, each in found.by_learner.items() if isinstance(each, Statistics)}
        refused = {k: each for k, each in found.by_learner.items() if isinstance(each, CrakeError)}
        numbers = np.empty(0, np.intp)
        own = (found.counted, statistics, refused, found.sample, numbers, None, seconds, refitted)
        return cls(folds, *own, found.fold)

    def is_sampled(self, table: Table) -> bool:
        """Return True if the sample is smaller than the table."""
        return self.sample is not None and len(self.sample) < len(table)

    def training_rows(self) -> NDArray[np.int64]:
        """Return the number of rows of the sample that each fold's model learns from."""
        assert self.sample is not None  # noqa: S101 (taken whenever a learner may need it)
        known = np.bincount(self.sample_folds[self.sample.target >= 0], minlength=self.folds.folds)
        return np.asarray(known.sum() - known, np.int64)

    def needs_rows(self, index: int) -> bool:
        """Return True if a learner learns from the sample."""
        return index not in self.statistics and index not in self.refitted

    @property
    def sample_folds(self) -> NDArray[np.int32]:
        """Return the fold of each row of the sample."""
        return folds_of(self.sampled, self.folds) if self.own_folds is None else self.own_folds

    def models(self, index: int, learner: Any, table: Table, progress: Progress | None = None) -> list[Any]:
        """Return the model of all folds but one, for every fold."""
        if index in self.statistics:
            models = fold_models(clone(learner).checked(), table, self.statistics[index], self.folds)
        elif index in self.refitted:
            models = refitted_models(learner, table, self.counted.schema, self.folds)
        else:
            assert self.sample is not None  # noqa: S101 (taken whenever a learner may need it)
            models = sample_models(learner, self.sample, self.sample_folds, self.folds.folds)
        return list(reported(models, progress, title_of(learner), self.folds.folds))


def run(learners: Sequence[Any], data: Scan, plan: Plan | None, progress: Progress | None = None) -> Run:
    """Cross-validate every learner on the same rows, in two scans together."""
    reads_text = any(getattr(learner, "reads_text", False) for learner in learners)
    table = with_texts(data.table) if reads_text and data.table.schema.texts else data.table
    table, folds = with_keys(table, hashed(plan))
    if data.sample_rows == 0:
        for learner in learners:
            scanning(learner, table)
    learned = learn(learners, table, folds, progress, sample_rows=data.sample_rows)
    if data.sample_rows == 0 and learned.refused:
        raise next(iter(learned.refused.values()))
    trials = Trials(learners, progress)
    outcomes = second_scan(learners, table, learned, plan, data.positive, trials.progress, trials)
    failures = trials.finished()
    notes = (*table.notes, *outcomes[0].notes, *notes_on(learners, learned, table, failures))
    coded = encode_scan(table, learned.counted.schema)
    return Run(outcomes, coded, learned.folds, _warnings(table, learned), notes, failures)


def evaluate_scans(
    learners: Sequence[Any],
    table: Table,
    plan: Plan | None,
    positive: Label | None = None,
    progress: Progress | None = None,
    *,
    sample_rows: int | None = None,
) -> tuple[tuple[Evaluation, ...], Learned]:
    """Evaluate every learner on the same rows, in two scans together."""
    table, folds = with_keys(table, hashed(plan))
    learned = learn(learners, table, folds, progress, sample_rows=SAMPLE_ROWS if sample_rows is None else sample_rows)
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
    """Run the first scan. `fitted` learns from all rows in it, too; with `sample_rows` 0 there is no sample."""
    check_target(table)
    folds = hashed(plan)
    for learner in learners:
        _refuse_foreign(learner, table)
    warm()
    start = time.perf_counter()
    # Without a sample a learner that scans the rows again and again gathers, too.
    refitted = frozenset(k for k, x in enumerate(learners) if is_refitted(x, table, sample_rows))
    reading = {
        k: clone(x).checked()
        for k, x in enumerate(learners)
        if k not in refitted and (reads_statistics(x) or not sample_rows)
    }
    if len(reading) == 1 and fitted is None and not sample_rows:
        ((k, alone),) = reading.items()
        gathered = alone.gather(with_row_progress(table, progress, 0), folds, folds.folds)
        seconds = time.perf_counter() - start
        return Learned(folds, gathered, {k: gathered}, {}, None, np.empty(0, np.intp), None, seconds, refitted)
    in_tasks = None if fitted is not None else gathered_in_tasks(table, folds, reading, sample_rows)
    if in_tasks is not None:
        return Learned.of(folds, in_tasks, time.perf_counter() - start, refitted)
    readers: list[Reader] = [_gathering(one, folds) for one in (MajorityClassifier(), *reading.values())]
    readers += [] if fitted is None else [fitted.fit]
    # Another seed than that of the folds and of the rows tested: the sample must not depend on them.
    readers += [lambda rows: rows_of_sample(rows, sample_rows, folds.random_state + 2)] if sample_rows else []
    outcomes = read_together(with_row_progress(table, progress, 0), readers)
    counted, by_reader = _unless_refused(outcomes[0]), dict(zip(reading, outcomes[1 : 1 + len(reading)], strict=True))
    sample, numbers = _unless_refused(outcomes[-1]) if sample_rows else (None, np.empty(0, np.intp))
    return Learned(
        folds,
        counted,
        {k: statistics for k, statistics in by_reader.items() if not isinstance(statistics, CrakeError)},
        {k: error for k, error in by_reader.items() if isinstance(error, CrakeError)},
        sample,
        numbers,
        None if fitted is None else _unless_refused(outcomes[1 + len(reading)]),
        time.perf_counter() - start,
        refitted,
    )


def put_to_test(
    learners: Sequence[Any],
    table: Table,
    learned: Learned,
    plan: Plan | None,
    positive: Label | None = None,
    progress: Progress | None = None,
) -> tuple[Evaluation, ...]:
    """Evaluate every learner in the second scan."""
    positive = as_written(positive, learned.counted.classes)
    outcomes = second_scan(learners, table, learned, plan, positive, progress)
    return tuple(class_evaluation(outcome, positive) for outcome in outcomes)


def as_written(positive: Label | None, classes: Sequence[Label]) -> Label | None:
    """Return the class that is written so. Before the first scan the classes, and so their types, are unknown."""
    return next((label for label in classes if str(label) == positive), positive)


def second_scan(
    learners: Sequence[Any],
    table: Table,
    learned: Learned,
    plan: Plan | None,
    positive: Label | None = None,
    progress: Progress | None = None,
    trials: Trials | None = None,
) -> tuple[Outcome, ...]:
    """Test every row, in the second scan, by the models of the folds it is not in.

    With `trials`, learners that cannot be fitted or tested have no outcome.
    """
    trials = Trials(()) if trials is None else trials
    check_classes(learned.counted, learned.folds, as_written(positive, learned.counted.classes))
    by_learner, times, fitted = [], [], []
    for index, learner in enumerate(learners):
        begin_learner(of_learners(progress), title_of(learner), index + 1, len(learners), learned.folds.folds)
        begin = time.perf_counter()
        with trials.of(index):
            models = learned.models(index, learner, table, of_learners(progress))
            seconds = time.perf_counter() - begin + (learned.seconds if index in learned.statistics else 0.0)
            by_learner.append(models)
            times.append(seconds)
            fitted.append((index, learner))
    trials.finished()
    start = time.perf_counter()
    coded = encode_scan(with_row_progress(table, progress, 1), learned.counted.schema)
    places = [place for place, _ in fitted]
    tested, kept = tested_rows(coded, learned.counted, learned.folds, by_learner, trials, places)
    seconds = time.perf_counter() - start
    return tuple(
        replace(_outcome(k, learner, table, learned, rows, plan, (fit, seconds)), scan_parts=kept.parts(models))
        for (k, learner), rows, models, fit in zip(fitted, tested, by_learner, times, strict=True)
        if not trials.has_failed(k)
    )


def notes_on(
    learners: Sequence[Any], learned: Learned, table: Table, failures: Sequence[Failure] = ()
) -> tuple[str, ...]:
    """Return notes on learners that learned from a sample, and on the meaning of the times."""
    failed = {each.place for each in failures}
    on_sample = [title_of(x) for k, x in enumerate(learners) if learned.needs_rows(k) and k not in failed]
    if not on_sample or not learned.is_sampled(table):
        return (SHARED_TIMES,)
    note = sample_note(on_sample, len(learned.sample or ()), len(table), learned.folds)
    refused = {k: error for k, error in learned.refused.items() if k not in failed}
    return (note, *(f"{title_of(learners[k])}: {error}" for k, error in refused.items()), SHARED_TIMES)


def sample_note(names: Sequence[str], rows: int, of: int, folds: HashedFolds) -> str:
    """Return a note on learners that learned from a sample of the rows."""
    return (
        f"{listed(names)} learned from a random sample of {rows:,} of {of:,} rows, seed {folds.random_state}, the "
        "others from all; every learner is tested on the same rows. To give all learners the same rows: --sample, or "
        "table.sample(…)"
    )


def _outcome(
    k: int,
    learner: Any,
    table: Table,
    learned: Learned,
    tester: ScanTester | TestedInTasks,
    plan: Plan | None,
    seconds: tuple[float, float],
) -> Outcome:
    """Return the outcome of learner `k`. Learners that need rows were fitted on the sample."""
    counts, classes = learned.counted[ClassCounts].counts, learned.counted.classes
    needs_rows, rows = learned.needs_rows(k), tester.out_of_fold(*seconds)
    return Outcome(
        learner=learner,
        name=title_of(learner) + (ON_SAMPLE if needs_rows and learned.is_sampled(table) else ""),
        out_of_fold=replace(rows, training_rows=learned.training_rows()) if needs_rows else rows,
        table=table.name,
        target=table.schema.target or "",
        plan=learned.folds.describe(),
        classes=classes,
        notes=(*tester.notes(plan), *plan_rows.unlearned(counts, classes)),
    )


def _warnings(table: Table, learned: Learned) -> tuple[str, ...]:
    """Return warnings about the table. Duplicates are not looked for: that would take all rows."""
    schema = learned.counted.schema
    counts = learned.counted[ClassCounts].counts.sum(axis=0).astype(np.intp)
    of_sample = () if learned.sample is None else warnings_of_sample(learned.sample)
    return (*of_sample, *warnings_of_counts(table, schema[schema.target or ""], counts))


def _gathering(learner: StatisticsClassifier, folds: HashedFolds) -> Reader:
    return lambda rows: learner.gather(rows, folds, folds.folds)


def _refuse_foreign(learner: Any, table: Table) -> None:
    if not reads_tables(learner):
        raise table.not_in_memory(f"{title_of(learner)}, not one of crake's learners,")


def _unless_refused(outcome: Any) -> Any:
    if isinstance(outcome, CrakeError):
        raise outcome
    return outcome


def hashed(plan: Plan | None) -> HashedFolds:
    """Return the folds of a scan: by a hash of the row number."""
    if plan is None or isinstance(plan, HashedFolds):
        return plan or HashedFolds()
    refuse_no_plan(plan)
    if isinstance(plan, CrossValidation):
        return HashedFolds(plan.folds, random_state=plan.random_state)
    raise CrakeError(
        f"the plan is {plan.describe()}; a table that is scanned is cross-validated: CrossValidation(10) or "
        "HashedFolds(10). For other plans take a sample: table.sample(100_000)"
    )


def with_row_progress(table: Table, progress: Progress | None, scan: int) -> Table:
    """Return the table with a report of the rows read in both scans together, of twice the rows."""
    if progress is None:
        return table
    begin_rows(progress)
    name = f"rows of {table.name}, in two scans"
    return table.with_progress(lambda rows, total, *_: progress(name, scan * total + rows, 2 * total))


def check_classes(statistics: Statistics, folds: HashedFolds, positive: Label | None) -> None:
    """Raise if there are too few or too many classes, too few rows, or if the positive class is not among them."""
    counts, classes = statistics[ClassCounts].counts, statistics.classes
    refuse_many_classes(len(classes))
    plan_rows.refuse_too_little(counts.sum(axis=0).astype(np.intp), classes)
    folds.refuse_empty(counts)
    refuse_unknown_class(positive, classes)


def reads_statistics(learner: Any) -> bool:
    """Return True if a learner never needs the rows themselves, so that one scan is enough for it."""
    return reads_tables(learner) and bool(learner.one_pass)


def scanning(learner: Any, table: Table) -> Any:
    """Return a fresh learner that reads statistics, or scans the rows once per iteration; raise for any other."""
    if getattr(learner, "scans_rows", False):
        return clone(learner).checked()
    scans = getattr(learner, "learns_from", "rows") == "scan"
    if getattr(learner, "class_weight", None) is not None:
        raise table.not_in_memory("class_weight")
    if scans and getattr(learner, "missing", None) == "drop":
        # Rows left out for their gaps would move the others to other folds.
        raise table.not_in_memory("missing='drop' within folds", "take missing='indicator'")
    if scans or reads_statistics(learner):
        return clone(learner).checked()
    raise table.not_in_memory(title_of(learner))


def fold_models(learner: Any, table: Table, statistics: Statistics, folds: HashedFolds) -> Iterator[Any]:
    """Yield for every fold the model of all others; `statistics` has each fold's apart."""
    parts = ((fold, statistics.without(fold)) for fold in range(folds.folds))
    if learner.one_pass:
        yield from (copy.copy(learner).estimate(part) for _, part in parts)
        return
    coded = encode_scan(table, statistics.schema)
    yield from (copy.copy(learner).learn_from(OtherFolds(coded, folds, fold), part) for fold, part in parts)


def sample_models(learner: Any, sample: Table, fold: NDArray[np.int32], folds: int) -> Iterator[Any]:
    """Yield for every fold the model of the rows of a sample that are in other folds."""
    return (clone(learner).fit(sample.take(np.flatnonzero(fold != f))) for f in range(folds))


def folds_of(rows: NDArray[np.intp], folds: HashedFolds) -> NDArray[np.int32]:
    """Return the folds of these rows, which ascend."""
    fold = np.empty(len(rows), np.int32)
    step = 1 << 20
    for start in range(0, int(rows[-1]) + 1, step):
        inside = slice(*np.searchsorted(rows, [start, start + step]).tolist())
        fold[inside] = folds[start : start + step][rows[inside] - start]
    return fold
