"""Linear models of scikit-learn as crake's: the same coefficients over columns that are not scaled."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.encoding import Design
from crake.learners.from_scikit_learn.columns import schema_of, with_columns
from crake.learners.linear.learner import LinearRegressor
from crake.learners.logistic.learner import LogisticClassifier
from crake.learners.svm.features import Features, farthest
from crake.learners.svm.kernels import Kernel
from crake.learners.svm.learner import SVMClassifier
from crake.learners.svm.machines import Machines
from crake.table.schema import Schema

REFUSAL = "scikit-learn fitted this model, and it keeps neither rows nor errors"


def linear_regression(model: Any) -> Any:
    """Return the regression of the same coefficients, whatever penalty or loss they were fitted with."""
    coefficient, intercept = _equations(model)
    if len(coefficient) != 1:
        raise CrakeError(f"expected a model of one target, got {len(coefficient)}: crake predicts one")
    schema = schema_of(model)
    learner = with_columns(LinearRegressor(missing="error"), schema, model)
    learner.design_ = _design(schema)
    learner.coefficient_ = np.append(coefficient[0], intercept)
    learner.free_ = np.ones(len(learner.coefficient_), bool)
    learner.unscaled_error_ = np.zeros(len(learner.coefficient_))
    learner.squares_, learner.total_, learner.weight_, learner.condition_ = 0.0, 0.0, 0.0, 1.0
    learner.dropped_, learner.closed_form_ = 0, None
    return learner


def log_odds(model: Any) -> Any:
    """Return the logistic regression of the same scores: a sigmoid of two classes, else a softmax."""
    _check_scores(model)
    return softmax_of(model, *_equations(model))


def logistic_regression(model: Any) -> Any:
    """Return the logistic regression of the same scores; one class against the rest has other probabilities."""
    is_one_by_one = getattr(model, "multi_class", "") == "ovr" or getattr(model, "solver", "") == "liblinear"
    if len(model.classes_) > 2 and is_one_by_one:
        raise CrakeError(
            f"expected a {type(model).__name__} that fits all classes at once, got one class against the rest: its "
            "probabilities are no softmax of scores. Take solver='lbfgs'"
        )
    if len(model.classes_) == 2 and getattr(model, "multi_class", "") == "multinomial":
        coefficient, intercept = _equations(model)  # a softmax of the score and of minus the score
        return softmax_of(model, 2 * coefficient, 2 * intercept)
    return log_odds(model)


def softmax_of(model: Any, coefficient: Floats, intercept: Floats) -> Any:
    """Return the logistic regression of these scores, (classes, columns); one score is the second class's."""
    if len(coefficient) == 1 and len(model.classes_) == 2:
        coefficient, intercept = np.vstack([0 * coefficient, coefficient]), np.append(0.0, intercept)
    schema, classes = schema_of(model), len(model.classes_)
    learner = with_columns(LogisticClassifier(missing="error"), schema, model)
    learner.design_ = _design(schema)
    learner.role_, learner.outputs_ = np.arange(classes, dtype=np.int32), classes - 1
    scores = np.column_stack([coefficient, intercept])
    learner.coefficient_ = np.ascontiguousarray((scores[1:] - scores[0]).T)
    learner.class_count_, learner.free_ = np.zeros(classes), np.ones(len(learner.design_), bool)
    learner.extent_, learner.error_, learner.refusal_ = None, None, REFUSAL
    learner.separation_, learner.trace_, learner.n_iter_, learner.converged_ = None, (), 0, True
    learner.log_likelihood_, learner.null_log_likelihood_, learner.dropped_ = 0.0, 0.0, 0
    return learner


def largest_score(model: Any) -> Any:
    """Return the support vector machine of the same answers: of two classes, the one with the larger score wins.

    A model of one class against the rest answers with the largest score, which wins against each of the others.
    """
    _check_scores(model)
    coefficient, intercept = _equations(model)
    schema, classes = schema_of(model), len(model.classes_)
    pairs = list(combinations(range(classes), 2))
    if len(coefficient) != 1:
        first, second = [i for i, _ in pairs], [j for _, j in pairs]
        coefficient = coefficient[second] - coefficient[first]
        intercept = intercept[second] - intercept[first]
    learner = with_columns(SVMClassifier(probability="votes", scale=False, missing="error"), schema, model)
    learner.features_ = Features(_design(schema), np.zeros(len(schema.numeric)), farthest(scale=False))
    learner.kernel_ = Kernel("linear", 1.0, learner.degree, float(learner.coef0))
    columns = coefficient.shape[1]
    none = np.zeros(classes, np.int64)
    learner.machines_ = Machines(
        learner.kernel_, none, np.zeros((0, columns)), np.zeros((classes - 1, 0)), intercept, coefficient
    )
    learner.present_, learner.support_ = np.arange(classes), np.zeros(0, np.int64)
    learner.probability_, learner.sigmoids_ = "votes", []
    learner.n_iter_, learner.converged_ = 1, True
    return learner


def _check_scores(model: Any) -> None:
    """Raise unless the model has a score for each class, or one for the second of two."""
    kind, classes = type(model).__name__, len(model.classes_)
    if "multilabel" in str(getattr(getattr(model, "_label_binarizer", None), "y_type_", "")):
        raise CrakeError(f"expected a {kind} of one target, got several labels for a row: crake predicts one")
    if classes < 2:
        raise CrakeError(f"expected a {kind} of at least two classes, got {classes}: take crake.MajorityClassifier")


def stochastic_gradient(model: Any) -> Any:
    """Return the model of the loss: a sigmoid of the log loss of two classes, else the largest score."""
    if model.loss == "modified_huber" or (model.loss == "log_loss" and len(model.classes_) > 2):
        raise CrakeError(
            f"expected an SGDClassifier whose probabilities are a sigmoid, or that has none, got loss={model.loss!r} "
            f"with {len(model.classes_)} classes: take LogisticRegression, or loss='hinge'"
        )
    return log_odds(model) if model.loss == "log_loss" else largest_score(model)


def _equations(model: Any) -> tuple[Floats, Floats]:
    """Return coefficients (scores, columns) and intercepts; they are finite."""
    own = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    coefficient = np.atleast_2d(np.asarray(own, np.float64))
    intercept = np.broadcast_to(np.asarray(model.intercept_, np.float64).ravel(), (len(coefficient),)).copy()
    if not (np.isfinite(coefficient).all() and np.isfinite(intercept).all()):
        raise CrakeError("expected finite coefficients, got one that is not: the model cannot add it up")
    return coefficient, intercept


def _design(schema: Schema) -> Design:
    """Return the columns as they are; a missing number is refused, as scikit-learn does."""
    numbers = len(schema.numeric)
    none, nothing = np.zeros(numbers), np.zeros(0, np.int64)
    return Design(
        schema, "error", np.zeros(numbers, np.int32), none, none, np.ones(numbers), nothing, nothing, (),
        np.zeros(numbers, bool),
    )  # fmt: skip
