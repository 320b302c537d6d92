"""A regressor evaluated: fitted anew for each fold of a plan, and asked for the numbers of the rows left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing, check_consistent_length

from crake.errors import CrakeError, SchemaError
from crake.evaluation.protocol.other_libraries import complete_array, fit_weighted, refuse_weights
from crake.evaluation.protocol.plan_columns import columns_left, with_its_column
from crake.evaluation.protocol.refit import refit_each
from crake.evaluation.protocol.timing import Clock
from crake.evaluation.result.regression import NumberContext, NumberEvaluation, TestedNumbers
from crake.learners.base.regressor import TableRegressor, given_numbers
from crake.learners.registry import title_of
from crake.plans import Bootstrap, CrossValidation, Plan
from crake.table.convert.frames import from_xy
from crake.table.schema import Kind
from crake.table.table import Table

Floats = NDArray[np.float64]
Found = list[tuple[int, NDArray[np.intp], Floats]]


def predicts_numbers(learner: Any) -> bool:
    """Whether the learner is a regressor, ours or scikit-learn's."""
    return isinstance(learner, TableRegressor) or bool(is_regressor(learner))


def evaluate_numbers(
    learner: Any, table: Any, y: Any, plan: Plan | None, progress: Any, n_jobs: int | None
) -> NumberEvaluation:
    """As `evaluate`, for a target of numbers; folds are not stratified."""
    plan = plan or CrossValidation(stratified=False)
    # The .632 estimates are of the error of classes.
    plan = replace(plan, estimate="out-of-bag") if isinstance(plan, Bootstrap) else plan
    whole = _Rows.of(learner, table, y)
    plan, left = with_its_column(plan, whole.table)
    rows = whole.with_columns_of(left)
    clock, known = Clock(progress), np.where(np.isnan(rows.target), -1, 0)
    rounds = list(plan.rounds(known, ()))
    found = list(refit_each(rows.answer(learner), iter(rounds), clock, n_jobs))
    training = np.concatenate([each.training_rows() for each in rounds])
    gone = int(np.sum(known < 0))
    notes = (f"{gone} rows without a known {rows.name} are left out",) if gone else ()
    noted = dict.fromkeys(note for each in rounds for note in each.notes)
    return NumberEvaluation(
        title_of(learner),
        left.name,
        rows.name,
        plan.describe(),
        _lines(rows, found, clock, training),
        (*left.notes[len(whole.table.notes) :], *notes, *noted),
        True if isinstance(plan, Bootstrap) else None,
        NumberContext(learner, left, rows.X, rows.target),
    )


def _lines(rows: _Rows, found: Found, clock: Clock, training: NDArray[np.int64]) -> TestedNumbers:
    """One line per tested row, fold by fold."""
    tested = np.concatenate([test for _, test, _ in found])
    folds = np.concatenate([np.full(len(test), at, np.int32) for at, (_, test, _) in enumerate(found)])
    repeat = np.concatenate([np.full(len(test), number, np.int32) for number, test, _ in found])
    return TestedNumbers(
        tested,
        folds,
        rows.target[tested],
        np.concatenate([answers for _, _, answers in found]),
        np.ones(len(tested)) if rows.table.weights is None else rows.table.weights[tested],
        clock.fit_seconds,
        clock.predict_seconds,
        repeat if len(np.unique(tested)) < len(tested) else None,
        training,
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """A table with a numeric target, or X and y, and how a learner is fitted on some of the rows."""

    table: Table
    target: Floats
    name: str
    X: Any = None

    @classmethod
    def of(cls, learner: Any, table: Any, y: Any) -> _Rows:
        if isinstance(table, Table) and y is None:
            name = table.schema.target
            if name is None or table.schema[name].kind is not Kind.NUMERIC:
                raise SchemaError(
                    f"{table.name} {'has no target' if name is None else f'has the target {name!r}, no number'}; "
                    "a regressor predicts a number: read it with numeric=[…], or take a classifier"
                )
            return cls(table, np.asarray(table.column(name), np.float64), name)
        if y is None:
            raise CrakeError("no numbers were given: evaluate(learner, table) needs a Table with a target, or X and y")
        target = given_numbers(y)
        check_consistent_length(table, target)
        return cls(from_xy(table, nominal=getattr(learner, "nominal", "auto")), target, "y", table)

    def with_columns_of(self, left: Table) -> _Rows:
        """The same rows without the column that a plan has taken from the table."""
        X = self.X if self.X is None else columns_left(self.X, self.table, left)
        return replace(self, table=left, X=X)

    def answer(self, learner: Any) -> Callable[[Any, Any], tuple[Callable[[], Any], Callable[[Any], Floats]]]:
        """How to fit on some rows and answer others."""
        if self.X is None and isinstance(learner, TableRegressor):
            features = self.table.select([column.name for column in self.table.schema.features])
            return lambda train, test: (
                lambda: clone(learner).fit(self.table.take(train)),
                lambda model: model.answers(features, test),
            )
        refuse_weights(learner, self.table)
        X = complete_array(self.table, learner) if self.X is None else self.X
        weights = self.table.weights
        return lambda train, test: (
            lambda: fit_weighted(clone(learner), _safe_indexing(X, train), self.target[train], weights, train),
            lambda model: np.asarray(model.predict(_safe_indexing(X, test)), np.float64),
        )
