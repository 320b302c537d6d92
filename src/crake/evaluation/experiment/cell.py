"""Cells of an experiment: one table, one learner, one repeat; and their outcome."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import crake
from crake.arrays import Floats
from crake.errors import CrakeError, LearnerError, MemoryRefusal
from crake.evaluation.evaluate import evaluate
from crake.evaluation.protocol.trials import ENDS_ALL
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.metrics.estimate import Estimate
from crake.metrics.measures import REGRESSION, find_measure
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc_weighted
from crake.plans import Plan
from crake.render.short_repr import short_repr
from crake.table.table import Table


@dataclass(frozen=True)
class Cell:
    """A place in the grid, with a key that says all that its numbers depend on.

    `table`, `learner` and `plan` are fingerprints: of the rows, of the parameters, of the plan with its seed.
    """

    place: tuple[int, int, int]
    table: str
    learner: str
    plan: str
    seed: int
    table_name: str
    learner_name: str
    measure: str = ""
    """A measure that folds do not keep by themselves, and that this run asks for."""

    @property
    def where(self) -> str:
        """Return the place in words: " on golf, repeat 1"."""
        return str(self).removeprefix(self.learner_name)

    @property
    def key(self) -> str:
        """SHA-256 of the three fingerprints and crake's version: another one gives another cell."""
        parts = json.dumps([self.table, self.learner, self.plan, crake.__version__])
        return hashlib.sha256(parts.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.learner_name} on {self.table_name}, repeat {self.place[2] + 1}"


@dataclass(frozen=True, eq=False)
class Folds:
    """The outcome of a cell: F folds, K classes. A measure without a value is NaN."""

    training_rows: NDArray[np.int64]
    test_rows: NDArray[np.int64]
    confusion: Floats
    """Shape (F, K, K), sums of weights: rows = actual class, columns = predicted class."""
    auc: Floats
    log_loss: Floats
    fit_seconds: float
    predict_seconds: float
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Floats] = field(default_factory=dict)
    """Values of measures that need the rows, by name: those that a run asked for."""

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.test_rows)

    @property
    def is_numeric(self) -> bool:
        """Return True for the folds of a regressor: there are no classes to count."""
        return bool(self.confusion.shape[1] == 0)

    def same_numbers(self, other: Folds) -> bool:
        """Return True if all but the seconds is equal, bit for bit."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name in ("auc", "log_loss"))
            for name in ("training_rows", "test_rows", "confusion", "auc", "log_loss")
        ) and _same_values(self.extra, other.extra)


def _same_values(one: Mapping[str, Floats], other: Mapping[str, Floats]) -> bool:
    return set(one) == set(other) and all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def work(cell: Cell, table: Table, learner: Any, plan: Plan) -> Folds:
    """Evaluate the cell. Parameters called random_state that are None become the seed of the repeat."""
    try:
        evaluation: Evaluation | NumberEvaluation = evaluate(seeded(learner, cell.seed), table, plan=plan)
        if isinstance(evaluation, NumberEvaluation):
            return number_folds(evaluation)
        return folds_of(evaluation, cell.measure)
    except MemoryRefusal as error:
        raise MemoryRefusal(f"{cell}: {error}") from error
    except CrakeError as error:
        kind = error.kind if isinstance(error, LearnerError) else type(error).__name__
        raise LearnerError(f"{cell}: {error}", kind=kind) from error
    except (ValueError, TypeError, ArithmeticError) as error:
        if isinstance(learner, TableClassifier | TableRegressor):
            error.add_note(f"in an experiment: {cell}")
            raise
        kind = type(error).__name__
        raise LearnerError(f"{cell}: {kind}: {error}", kind=kind) from error


def tried(cell: Cell, table: Table, learner: Any, plan: Plan) -> Folds | Exception:
    """Return the outcome of the cell, or the error of its learner; errors that end all are raised."""
    try:
        return work(cell, table, learner, plan)
    except ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, it is named, and the other learners go on)
        return error


def seeded(learner: Any, seed: int) -> Any:
    """Return a copy whose randomness follows from the seed.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7), seeded(DecisionTreeClassifier(random_state=3), 7)
    (DecisionTreeClassifier(random_state=7), DecisionTreeClassifier(random_state=3))
    """
    copy = clone(learner)
    open_seeds = [
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return copy.set_params(**dict.fromkeys(open_seeds, seed))


def folds_of(evaluation: Evaluation, measure: str = "") -> Folds:
    """Return the out-of-fold table put together by folds, and the values of an extra measure."""
    predictions, K = evaluation.out_of_fold, len(evaluation.classes)
    order = np.argsort(predictions.fold, kind="stable")
    fold = predictions.fold[order]
    starts = np.flatnonzero(np.diff(fold, prepend=-1))
    parts = np.split(order, starts[1:])
    place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    at = (place * K + predictions.actual[order]) * K + predictions.predicted[order]
    confusion = np.bincount(at, weights=predictions.weights[order], minlength=len(parts) * K * K)
    test = np.array([len(part) for part in parts], np.int64)
    training = predictions.training_rows[fold[starts]] if predictions.training_rows is not None else test.sum() - test
    measured = [
        (predictions.actual[part], predictions.probabilities[part], predictions.weights[part]) for part in parts
    ]
    return Folds(
        np.asarray(training, np.int64),
        test,
        confusion.astype(np.float64).reshape(len(parts), K, K),
        np.array([_number(auc_weighted(a, p, weights=w)) for a, p, w in measured]),
        np.array([_number(log_loss(a, p, weights=w)) for a, p, w in measured]),
        predictions.fit_seconds,
        predictions.predict_seconds,
        tuple(evaluation.notes),
        _extra(evaluation, measure),
    )


def number_folds(evaluation: NumberEvaluation) -> Folds:
    """Return the measures of a regressor by folds."""
    parts = list(evaluation.by_fold())
    fold = np.array([part.out_of_fold.fold[0] for part in parts])
    test = np.array([len(part.out_of_fold.rows) for part in parts], np.int64)
    training = evaluation.out_of_fold.training_rows
    nothing = np.full(len(parts), np.nan)
    return Folds(
        np.asarray(test.sum() - test if training is None else training[fold], np.int64),
        test,
        np.zeros((len(parts), 0, 0)),
        nothing,
        nothing,
        evaluation.fit_seconds,
        evaluation.predict_seconds,
        tuple(evaluation.notes),
        {each.name: np.array([_number(each.of(part.out_of_fold)) for part in parts]) for each in REGRESSION},
    )


def _extra(evaluation: Evaluation, measure: str) -> dict[str, Floats]:
    if not measure:
        return {}
    chosen = find_measure(measure)
    reason = chosen.why_not(evaluation.answers)
    values = [math.nan if reason else chosen.value(part) for part in evaluation.by_fold()]
    return {measure: np.array(values, np.float64)}


def _number(estimate: Estimate) -> float:
    return float("nan") if estimate.value is None else estimate.value
