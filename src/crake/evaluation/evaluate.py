"""`crake.evaluate`: a learner, a table, a plan → an Evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, overload

import numpy as np
from sklearn.utils import column_or_1d

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import learner_of
from crake.evaluation.protocol.bootstrap import terms
from crake.evaluation.protocol.other_libraries import ForeignRows
from crake.evaluation.protocol.out_of_fold import Progress, out_of_fold
from crake.evaluation.protocol.plan_columns import left_to_learn, with_its_column
from crake.evaluation.protocol.positive_class import refuse_unknown_class
from crake.evaluation.protocol.regression import evaluate_numbers, predicts_numbers
from crake.evaluation.protocol.scan import evaluate_scan
from crake.evaluation.protocol.test_table import Supplied, evaluate_supplied
from crake.evaluation.protocol.tuning import tuned
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.context import Context
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.training_rows import present_rows
from crake.learners.registry import is_baseline, title_of
from crake.plans import Assignment, Bootstrap, CrossValidation, Plan
from crake.table.convert.export import label_array
from crake.table.convert.frames import from_xy
from crake.table.schema import Label
from crake.table.table import Table
from crake.table.target import check_target


@overload
def evaluate(
    learner: TableRegressor,
    table: Any,
    y: Any = None,
    *,
    plan: Plan | None = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> NumberEvaluation: ...


@overload
def evaluate(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    plan: Plan | None = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Evaluation: ...


def evaluate(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    plan: Plan | None = None,
    test: Any = None,
    positive: Label | None = None,
    tune: Any = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Evaluation | NumberEvaluation:
    """Estimate how well a learner does on rows it has not seen.

    `table` is a Table with a target, or X with the labels `y`. The learner is one of crake's (or its name),
    or any scikit-learn classifier. The plan is stratified 10-fold cross-validation unless given. With `test`, another
    Table or a pair (X, y), all rows of `table` are learned from and those of `test` are tested. A table that is
    scanned is cross-validated in two scans, with folds by a hash of the row number. `n_jobs` folds are fitted at a
    time, through joblib, for learners that are refitted. `tune`, a grid {name: values}, True for the learner's usual
    one or a crake.Tuned, chooses parameters anew within each training part (nested). The outcome is an
    Evaluation; that of a regressor is a NumberEvaluation, with RMSE, MAE and R².

    >>> from crake.table.examples import load
    >>> result = evaluate("naive-bayes", load("iris"))
    >>> f"{result.accuracy:.3f}", result.plan
    ('0.953', 'stratified 10-fold cross-validation, seed 1')
    """
    learner = tuned(learner_of(learner), tune)
    refuse_plan_and_test(plan, test)
    if test is not None:
        return _on_test_table(learner, table, y, test, positive)
    if predicts_numbers(learner):
        return evaluate_numbers(learner, table, y, plan, progress, n_jobs)
    if isinstance(table, Table) and not table.in_memory:
        return evaluate_scan(learner, table, plan, positive, progress)
    rows, foreign = table_and_rows(table, y, learner)
    plan, left = with_its_column(plan or CrossValidation(), rows)
    rounds = plan.rounds(left.target, left.schema.classes)
    foreign = left_to_learn(foreign, rows, left)
    found = evaluate_on(
        learner, left, rounds, plan=plan, positive=positive, foreign=foreign, progress=progress, n_jobs=n_jobs
    )
    return replace(found, notes=(*left.notes[len(rows.notes) :], *found.notes))


def _on_test_table(learner: Any, table: Any, y: Any, test: Any, positive: Label | None) -> Evaluation:
    if predicts_numbers(learner):
        raise CrakeError(
            f"{title_of(learner)} predicts numbers, and test= is for classifiers; give both tables as one, with "
            "plan=crake.GivenFolds(…): -1 for the rows to learn from, 0 for those to test"
        )
    rows, foreign = table_and_rows(table, y, learner)
    supplied = Supplied.of(test, rows, getattr(learner, "nominal", "auto"))
    found, new = evaluate_supplied(learner, rows, supplied, positive=positive, foreign=foreign)
    return replace(found, notes=(*found.notes, *new))


def evaluate_on(
    learner: Any,
    table: Table,
    rounds: Iterable[Assignment],
    *,
    plan: Plan,
    positive: Label | None = None,
    foreign: ForeignRows | None = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Evaluation:
    """As `evaluate`, on folds already drawn: the same for every learner of a comparison."""
    refuse_unknown_class(positive, table.schema.classes)
    context = Context(learner, table, plan, foreign)
    found, notes = out_of_fold(learner, table, rounds, foreign=foreign, progress=progress, n_jobs=n_jobs)
    return Evaluation(
        name=title_of(learner),
        table=table.name,
        target=table.schema.target or "",
        classes=table.schema.classes,
        plan=plan.describe(),
        out_of_fold=found,
        notes=(*left_out(table), *notes),
        positive=positive,
        is_baseline=is_baseline(learner),
        bootstrap=terms(plan, context) if isinstance(plan, Bootstrap) else None,
        context=context,
    )


def table_and_rows(table: Any, y: Any, learner: Any = None) -> tuple[Table, ForeignRows | None]:
    """The checked table; and, where X and y were given, those rows as learners of other libraries want them."""
    if y is None:
        if not isinstance(table, Table):
            raise CrakeError("no labels were given: evaluate(learner, table) needs a Table with a target, or X and y")
        return _usable(table), None
    labels = column_or_1d(y, warn=True)
    coded = from_xy(table, labels, nominal=getattr(learner, "nominal", "auto"))
    if reads_tables(learner):
        return _usable(coded), None
    return _usable(coded), ForeignRows(table, labels, label_array(coded.schema.classes))


def _usable(table: Table) -> Table:
    """Rows of weight 0 are absent; a target that cannot be learned is refused."""
    check_target(table)
    return table if table.weights is None or np.all(table.weights > 0) else present_rows(table)


def refuse_plan_and_test(plan: Plan | None, test: Any) -> None:
    """A supplied test table leaves a plan nothing to deal out."""
    if plan is not None and test is not None:
        raise CrakeError("both a plan and a test table are given; the plan tests rows of the table itself: give one")


def left_out(table: Table) -> tuple[str, ...]:
    """A sentence on rows whose target is unknown."""
    unknown = int(np.sum(table.target < 0))
    return (f"{unknown} rows without a known {table.schema.target} are left out",) if unknown else ()
