"""`crake.evaluate`: a learner, a table, a plan → an Evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, overload

from crake.evaluation.protocol.arguments import (
    has_numeric_target,
    learner_of,
    predicts_numbers,
    refuse_plan_and_test,
    table_of,
)
from crake.evaluation.protocol.outcome import evaluation_of
from crake.evaluation.protocol.roads import data_of, run
from crake.evaluation.protocol.timing import Progress
from crake.evaluation.protocol.wrapped import tuned
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import InMemory
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.base.regressor import TableRegressor
from crake.plans.splitter import plan_of
from crake.table.schema import Label


@overload
def evaluate(
    learner: TableRegressor,
    table: Any,
    y: Any = None,
    *,
    target: str | None = None,
    plan: Any = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Callable[[int, int], None] | None = None,
    n_jobs: int | None = None,
) -> NumberEvaluation: ...


@overload
def evaluate(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    target: str | None = None,
    plan: Any = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Callable[[int, int], None] | None = None,
    n_jobs: int | None = None,
) -> Evaluation: ...


def evaluate(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    target: str | None = None,
    plan: Any = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Callable[[int, int], None] | None = None,
    n_jobs: int | None = None,
) -> Evaluation | NumberEvaluation:
    """Estimate how well a learner does on rows it has not seen.

    `table` is a Table with a target, X with the labels `y`, or whatever `crake.read` takes, with `target`. The learner
    is one of crake's (or its name), or any scikit-learn classifier. The plan is stratified 10-fold cross-validation
    unless given: a plan, a short name ("cv5") or a splitter of scikit-learn. With `test`, another
    Table or a pair (X, y), all rows of `table` are learned from and those of `test` are tested. A table that is
    scanned is cross-validated in two scans, with folds by a hash of the row number. `n_jobs` folds are fitted at a
    time, through joblib, for learners that are refitted. `tune`, a grid {name: values}, True for the learner's usual
    one or a crake.Tuned, chooses parameters anew within each training part (nested). `progress` hears how many folds
    (of a scan: rows) are done, and of how many. The outcome is an Evaluation; of a regressor it is a
    NumberEvaluation, with RMSE, MAE and R².

    >>> from crake.table.examples import load
    >>> result = evaluate("naive-bayes", load("iris"))
    >>> f"{result.accuracy:.3f}", result.plan
    ('0.953', 'stratified 10-fold cross-validation, seed 1')
    """
    table, plan = table_of(table, y, target), plan_of(plan)
    learner = tuned(learner_of(learner, numbers=has_numeric_target(table)), tune)
    refuse_plan_and_test(plan, test)
    data = data_of(table, y, test, numbers=predicts_numbers(learner), nominal=getattr(learner, "nominal", "auto"))
    result = run([learner], data, plan, _named(progress), positive=positive, n_jobs=n_jobs)
    evaluation = evaluation_of(result.outcomes[0], positive)
    new = result.table.notes[len(data.table.notes) :] if isinstance(data, InMemory) else ()
    notes = (*new, *evaluation.notes, *result.outcomes[0].warnings, *_lost_edits(learner))
    return replace(evaluation, notes=notes)


def _lost_edits(learner: Any) -> tuple[str, ...]:
    """Return a note about a tree that was edited by hand: it is fitted anew here."""
    edits = getattr(learner, "edits_", ())
    if not edits:
        return ()
    which = "the edit" if len(edits) == 1 else f"the {len(edits)} edits"
    said = f"this estimates the learner, which is fitted anew without {which} made by hand"
    return (f"{said}; crake.Evaluation.of_model(model, test) tests the edited tree",)


def _named(progress: Callable[[int, int], None] | None) -> Progress | None:
    """Return the progress of one learner: it need not hear its name."""
    return None if progress is None else lambda _, done, total: progress(done, total)
