"""Regressors over a table that is scanned: one fit per fold on the other folds, then one scan that tests all models.

A regressor that needs its rows in memory learns from a random sample of them, fold by fold like the others, and is
tested on the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.evaluation.protocol import collector
from crake.evaluation.protocol.arguments import refuse_no_numbers
from crake.evaluation.protocol.keyed import with_keys
from crake.evaluation.protocol.outcome import Outcome, Run, left_out_note
from crake.evaluation.protocol.refits import is_refitted, without_fold
from crake.evaluation.protocol.scan_together import (
    ON_SAMPLE,
    folds_of,
    hashed,
    sample_models,
    sample_note,
    with_row_progress,
)
from crake.evaluation.protocol.timing import Progress, begin_learner, of_learners, reported
from crake.evaluation.protocol.trials import Trials
from crake.evaluation.result.data import Scan as ScanData
from crake.evaluation.result.out_of_fold import NumericPredictions
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.learners.registry import title_of
from crake.plans import HashedFolds, Plan
from crake.table.row_hash import row_hashes
from crake.table.sources.scanned_table import encode_scan, hash_below, part_of, rows_of_sample, with_numbers
from crake.table.table import Table

BYTES_PER_ROW = 48
"""Columns of the out-of-fold table: row, fold, weight, actual and predicted number."""


def run(learners: Sequence[Any], data: ScanData, plan: Plan | None, progress: Progress | None = None) -> Run:
    """Cross-validate every regressor on the same rows, with folds by a hash of the row number."""
    table, folds = with_keys(with_numbers(data.table), hashed(plan))
    refuse_no_numbers(table)
    needs_rows = [not _scans(learner, table, data.sample_rows) for learner in learners]
    for learner, needs in zip(learners, needs_rows, strict=True):
        if not isinstance(learner, TableRegressor) or (needs and not data.sample_rows):
            raise table.not_in_memory(title_of(learner))
    sample = _Sample.of(table, data.sample_rows, folds) if any(needs_rows) else None
    fitted, trials = [], Trials(learners, of_learners(progress))
    for place, learner in enumerate(learners):
        begin_learner(of_learners(progress), title_of(learner), place + 1, len(learners), folds.folds)
        own = sample if needs_rows[place] else None
        with trials.of(place):
            fitted.append(_fold_models(learner, table, folds, own, trials.progress))
    trials.finished()
    places = [place for place in range(len(learners)) if not trials.has_failed(place)]
    tested = _tested(dict(zip(places, [models for models, _ in fitted], strict=True)), table, folds, progress, trials)
    failures = trials.finished()
    fitted = [each for place, each in zip(places, fitted, strict=True) if not trials.has_failed(place)]
    learners = [learner for place, learner in enumerate(learners) if not trials.has_failed(place)]
    needs_rows = [needs for place, needs in enumerate(needs_rows) if not trials.has_failed(place)]
    is_sampled = sample is not None and len(sample.table) < len(table)
    outcomes = tuple(
        Outcome(
            learner=learner,
            name=title_of(learner) + (ON_SAMPLE if needs and is_sampled else ""),
            out_of_fold=replace(
                rows,
                fit_seconds=seconds,
                training_rows=sample.training_rows(folds) if needs and sample is not None else rows.training_rows,
            ),
            table=table.name,
            target=table.schema.target or "",
            plan=folds.describe(),
            notes=tested.notes,
            scan_parts=tested.kept.parts(models),
        )
        for learner, needs, (models, seconds), rows in zip(
            learners, needs_rows, fitted, tested.predictions, strict=True
        )
    )
    on_sample = [title_of(learner) for learner, needs in zip(learners, needs_rows, strict=True) if needs]
    notes = (sample_note(on_sample, len(sample.table), len(table), folds),) if is_sampled and sample else ()
    return Run(outcomes, table, folds, notes=(*table.notes, *tested.notes, *notes), failures=failures)


def _scans(learner: Any, table: Table, sample_rows: int) -> bool:
    return getattr(learner, "learns_from", "rows") == "scan" or is_refitted(learner, table, sample_rows)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows held for the regressors that need them, with their folds."""

    table: Table
    fold: NDArray[np.int32]

    @classmethod
    def of(cls, table: Table, rows: int, folds: HashedFolds) -> _Sample:
        # Another seed than that of the folds and of the rows tested: the sample must not depend on them.
        sample, numbers = rows_of_sample(table, rows, folds.random_state + 2)
        return cls(sample, folds_of(numbers, folds))

    def training_rows(self, folds: HashedFolds) -> NDArray[np.int64]:
        """Return the number of rows of the sample that each fold's model learns from."""
        known = ~np.isnan(np.asarray(self.table.column(self.table.schema.target or ""), np.float64))
        counts = np.bincount(self.fold[known], minlength=folds.folds)
        return np.asarray(counts.sum() - counts, np.int64)


def _fold_models(
    learner: Any, table: Table, folds: HashedFolds, sample: _Sample | None, progress: Progress | None
) -> tuple[list[TableRegressor], float]:
    """Return the models of all folds but one, of the sample or of all rows, and the seconds of fitting them."""
    start = time.perf_counter()
    if sample is not None:
        models = sample_models(learner, sample.table, sample.fold, folds.folds)
    else:
        target = table.schema.target or ""
        models = (clone(learner).fit(without_fold(table, folds, fold, target)) for fold in range(folds.folds))
    fitted = list(reported(models, progress, title_of(learner), folds.folds))
    return fitted, time.perf_counter() - start


@dataclass(frozen=True, eq=False)
class _Tested:
    predictions: tuple[NumericPredictions, ...]
    notes: tuple[str, ...]
    kept: collector.KeptRows


def _tested(
    models: Mapping[int, list[TableRegressor]],
    table: Table,
    folds: HashedFolds,
    progress: Progress | None,
    trials: Trials,
) -> _Tested:
    """Test every row with a known number, in one scan, by the models of the folds it is not in.

    `models` has those of each learner by its place. A learner that fails has no predictions.
    """
    target, most = table.schema.target or "", collector.most_tested(table, BYTES_PER_ROW, len(models))
    seed = folds.random_state + 1
    below = None if len(table) <= most else hash_below(len(table), most, seed)
    schema = next(iter(models.values()))[0].schema_.with_target(None)
    coded = encode_scan(with_row_progress(table, progress, 1).with_target(None), schema)
    of_target = [column.name for column in coded.schema.numeric].index(target)
    counts, pieces, seconds = np.zeros(folds.folds, np.int64), [], dict.fromkeys(models, 0.0)
    kept = collector.KeptRows.of(table, folds)
    for batch in coded.batches():
        actual = batch.values[:, of_target]
        known = ~np.isnan(actual)
        fold = folds[batch.start : batch.start + batch.rows]
        counts += np.bincount(fold[known], minlength=folds.folds)
        if below is not None:
            known &= row_hashes(batch.start, batch.rows, seed) < below
        rows = np.flatnonzero(known)
        part = part_of(batch, coded.schema, table.name).take(rows)
        predicted = {}
        for place, each in models.items():
            if not trials.has_failed(place):
                start = time.perf_counter()
                with trials.of(place):
                    predicted[place] = _predicted(each, part, fold[rows])
                seconds[place] += time.perf_counter() - start
        kept.add(rows + batch.start, fold[rows], part.with_target(target).take)
        pieces.append((rows + batch.start, fold[rows], actual[rows], predicted))
    if not counts.sum():
        raise DataError(f"no row of {table.name} has a known {target!r}; there is nothing to test on")
    rows, fold, actual = (np.concatenate([piece[k] for piece in pieces]) for k in range(3))
    shared = {
        "rows": rows.astype(np.intp),
        "fold": fold,
        "actual": actual,
        "weights": np.ones(len(rows)),
        "fit_seconds": 0.0,
        "training_rows": counts.sum() - counts,
    }
    notes = list(left_out_note(len(table) - int(counts.sum()), target))
    if below is not None:
        notes.append(f"{len(rows):,} of {counts.sum():,} rows are tested, drawn by a hash of their numbers")
    return _Tested(
        tuple(
            NumericPredictions(
                **shared,
                predicted=np.concatenate([piece[3][place] for piece in pieces]),
                predict_seconds=seconds[place],
            )
            for place in models
            if not trials.has_failed(place)
        ),
        tuple(notes),
        kept,
    )


def _predicted(models: list[TableRegressor], part: Table, fold: NDArray[np.int32]) -> Floats:
    out = np.empty(len(part))
    for f in np.unique(fold):
        model, rows = models[f], np.flatnonzero(fold == f)
        out[rows] = model.predict(part.take(rows).select([column.name for column in model.schema_.features]))
    return out
