"""Learners of other libraries beside crake's: the rows they are given, and how their predictions are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, DataError, SchemaError
from crake.evaluation.result.data import Answers, ArrayRows
from crake.metrics.inputs import finite_numbers, row_probabilities
from crake.slow_modules import sklearn_utils, sklearn_validation
from crake.table.convert.export import label_array
from crake.table.describe.warnings import leave_out, named
from crake.table.table import Table

ForeignAnswer = tuple[Floats, NDArray[np.int32], Answers | None]
"""A column per class, the predicted classes, and the kind of the columns; None if there was nothing to learn."""


class OneClass:
    """The model of rows that are all of one class."""

    def __init__(self, label: NDArray[Any]) -> None:
        self.classes_ = label

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class for every row."""
        return np.repeat(self.classes_, X.shape[0] if hasattr(X, "shape") else len(X))


def array_rows(table: Table, learner: Any) -> ArrayRows:
    """Return a numeric and complete table as float64; raise for any other, naming the pipeline to write."""
    X, classes = complete_array(table, learner), label_array(table.schema.classes)
    refuse_weights(learner, table)
    return ArrayRows(X, classes[table.target], classes, table.weights)


def some_rows(X: Any, rows: Rows) -> Any:
    """Return some rows of X, in the form it was given."""
    return sklearn_utils._safe_indexing(X, rows)  # noqa: SLF001 (it knows every form that scikit-learn takes)


def fit_rows(data: ArrayRows, learner: Any, rows: Rows) -> Any:
    """Fit a classifier on some rows. Most raise if all are of one class: then that class is the prediction."""
    labels = data.y[rows]
    if len(set(labels.tolist())) == 1:
        return OneClass(labels[:1])
    return fit_weighted(learner, some_rows(data.X, rows), labels, data.weights, rows)


def refuse_weights(learner: Any, table: Table) -> None:
    """Raise if the rows have weights and the learner takes none."""
    if table.weights is not None and not sklearn_validation.has_fit_parameter(learner, "sample_weight"):
        raise CrakeError(
            f"the rows of {table.name} have weights, and {type(learner).__name__}.fit takes no sample_weight; "
            "leave the learner out, or give X, y = table.to_xy(), which have none"
        )


def fit_weighted(learner: Any, X: Any, y: NDArray[Any], weights: Floats | None, rows: Rows) -> Any:
    """Fit the learner to X and y, which are these rows of the table that has the weights."""
    return learner.fit(X, y) if weights is None else learner.fit(X, y, sample_weight=weights[rows])


def complete_array(table: Table, learner: Any) -> Floats:
    """Return the features of a numeric and complete table; raise for any other."""
    if table.schema.nominal:
        _refuse(table, learner, [column.name for column in table.schema.nominal], ("is nominal", "are nominal"))
    X: Floats = table.matrix([column.name for column in table.schema.numeric], np.float64)
    if np.isnan(X).any():
        names = [column.name for k, column in enumerate(table.schema.numeric) if np.isnan(X[:, k]).any()]
        _refuse(table, learner, names, ("has missing values", "have missing values"))
    return X


def foreign_answer(model: Any, X: Any, classes: NDArray[Any] | None) -> ForeignAnswer:
    """Return a column per class, the predicted classes, and the kind of the columns.

    They are probabilities where the model gives them, else the scores of its `decision_function`, else 1 for the
    predicted class. The classes are those of `predict`, which need not go by either (an SVC's does not). Raise for
    probabilities that are none: measures would raise only when all learners of a comparison are done.
    """
    assert classes is not None  # noqa: S101 (rows of a classifier have them)
    place = {label: k for k, label in enumerate(classes.tolist())}
    predicted = _predicted_codes(model, X, place)
    if isinstance(model, OneClass):
        return _ones(predicted, len(classes)), predicted, None
    columns = [place[label] for label in np.asarray(getattr(model, "classes_", ())).tolist()]
    if hasattr(model, "predict_proba"):
        probabilities = np.zeros((len(predicted), len(classes)))
        probabilities[:, columns] = _probabilities(model, X, (len(predicted), len(columns)))
        return probabilities, predicted, "probabilities"
    scores = _class_scores(model, X, len(columns))
    if scores is None:
        return _ones(predicted, len(classes)), predicted, "labels"
    # A class that the model has not learned gets one low score for all rows, which ranks none above another.
    full = np.full((len(predicted), len(classes)), scores.min(initial=0.0) - 1)
    full[:, columns] = scores
    return full, predicted, "scores"


def _predicted_codes(model: Any, X: Any, place: dict[Any, int]) -> NDArray[np.int32]:
    predicted = np.asarray(model.predict(X))
    _check_shape(predicted, (_length(X),), model, "predict")
    try:
        return np.array([place[label] for label in predicted.tolist()], np.int32)
    except KeyError as error:
        raise CrakeError(f"{type(model).__name__} answered {error}, which is none of the classes") from None


def _probabilities(model: Any, X: Any, shape: tuple[int, int]) -> Floats:
    """Return the probabilities of a model; raise for another shape, and for rows that do not sum to 1."""
    probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
    _check_shape(probabilities, shape, model, "predict_proba")
    try:
        return row_probabilities(probabilities, len(probabilities))
    except DataError as error:
        raise DataError(f"{type(model).__name__}.predict_proba: {error}") from None


def foreign_numbers(model: Any, X: Any) -> Floats:
    """Return the numbers that a regressor predicts, one finite number for each row."""
    predicted = np.asarray(model.predict(X), np.float64)
    _check_shape(predicted, (_length(X),), model, "predict")
    try:
        return finite_numbers(predicted, len(predicted), "predicted numbers", "rows")
    except DataError as error:
        raise DataError(f"{type(model).__name__}.predict: {error}") from None


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _check_shape(array: NDArray[Any], shape: tuple[int, ...], model: Any, method: str) -> None:
    if array.shape != shape:
        raise DataError(
            f"{type(model).__name__}.{method}: expected an array of shape {shape}, got one of shape {array.shape}"
        )


def _ones(predicted: NDArray[np.int32], classes: int) -> Floats:
    """Return 1 for the predicted class and 0 for the others."""
    columns = np.zeros((len(predicted), classes))
    columns[np.arange(len(predicted)), predicted] = 1.0
    return columns


def _class_scores(model: Any, X: Any, classes: int) -> Floats | None:
    """Return one finite score per class from `decision_function`; None where it gives no such thing."""
    if not hasattr(model, "decision_function") or (classes > 2 and _compares_pairs(model)):
        return None
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1 and classes == 2:
        scores = np.column_stack([-scores, scores])
    return scores if scores.ndim == 2 and scores.shape[1] == classes and np.isfinite(scores).all() else None


def _compares_pairs(model: Any) -> bool:
    """Return True if the decisions are of pairs of classes: of three classes there are three pairs, too."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    return any(
        name.rpartition("__")[2] == "decision_function_shape" and value == "ovo" for name, value in parameters.items()
    )


def _refuse(table: Table, learner: Any, columns: list[str], verbs: tuple[str, str]) -> None:
    name = type(learner).__name__
    which = (
        f"the column {named(columns)} {verbs[0]}" if len(columns) == 1 else f"the columns {named(columns)} {verbs[1]}"
    )
    raise SchemaError(
        f"{name} needs a complete numeric array, and in {table.name} {which}. {leave_out(columns)}; or in Python give "
        "evaluate or compare X, y = table.to_xy() with a pipeline: make_pipeline(make_column_transformer("
        f"(OneHotEncoder(handle_unknown='ignore'), […]), remainder=SimpleImputer()), {name}())"
    )
