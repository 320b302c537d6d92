"""Learners of other libraries beside crake's: the rows they are given, and how their predictions are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, SchemaError
from crake.evaluation.result.data import ArrayRows
from crake.table.convert.export import label_array
from crake.table.table import Table


def array_rows(table: Table, learner: Any) -> ArrayRows:
    """Return a numeric and complete table as float64; raise for any other, naming the pipeline to write."""
    X, classes = complete_array(table, learner), label_array(table.schema.classes)
    refuse_weights(learner, table)
    return ArrayRows(X, classes[table.target], classes, table.weights)


def some_rows(data: ArrayRows, rows: Rows) -> Any:
    """Return some rows of X, in the form it was given."""
    return _safe_indexing(data.X, rows)


def fit_rows(data: ArrayRows, learner: Any, rows: Rows) -> Any:
    """Fit a classifier on some rows. Most raise if all are of one class: then that class is the prediction."""
    labels = data.y[rows]
    if len(set(labels.tolist())) == 1:
        return DummyClassifier(strategy="most_frequent").fit(np.zeros((1, 1)), labels[:1])
    return fit_weighted(learner, some_rows(data, rows), labels, data.weights, rows)


def refuse_weights(learner: Any, table: Table) -> None:
    """Raise if the rows have weights and the learner takes none."""
    if table.weights is not None and not has_fit_parameter(learner, "sample_weight"):
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
        _refuse(table, learner, f"the column {table.schema.nominal[0].name!r} is nominal")
    X: Floats = table.matrix([column.name for column in table.schema.numeric], np.float64)
    if np.isnan(X).any():
        name = table.schema.numeric[int(np.argmax(np.isnan(X).any(axis=0)))].name
        _refuse(table, learner, f"the column {name!r} has missing values")
    return X


def foreign_probabilities(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Return a model's probabilities in the order of our classes; 1 for its prediction without `predict_proba`."""
    place = {label: k for k, label in enumerate(classes.tolist())}
    if hasattr(model, "predict_proba"):
        probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        out = np.zeros((len(probabilities), len(classes)))
        out[:, [place[label] for label in np.asarray(model.classes_).tolist()]] = probabilities
        return out
    labels = np.asarray(model.predict(X)).tolist()
    out = np.zeros((len(labels), len(classes)))
    try:
        out[np.arange(len(labels)), [place[label] for label in labels]] = 1.0
    except KeyError as error:
        raise CrakeError(f"{type(model).__name__} answered {error}, which is none of the classes") from None
    return out


def foreign_answer(model: Any, X: Any, classes: NDArray[Any] | None) -> tuple[Floats, NDArray[np.int32] | None]:
    """Return probabilities and predicted classes: `predict` need not go by `predict_proba` (an SVC's does not)."""
    assert classes is not None  # noqa: S101 (rows of a classifier have them)
    probabilities = foreign_probabilities(model, X, classes)
    if not hasattr(model, "predict_proba"):
        return probabilities, None
    place = {label: k for k, label in enumerate(classes.tolist())}
    answered = np.array([place[label] for label in np.asarray(model.predict(X)).tolist()], np.int32)
    return probabilities, answered


def _refuse(table: Table, learner: Any, why: str) -> None:
    name = type(learner).__name__
    raise SchemaError(
        f"{name} needs a complete numeric array, and in {table.name} {why}. Give evaluate or compare "
        "X, y = table.to_xy() with a pipeline: make_pipeline(make_column_transformer("
        f"(OneHotEncoder(handle_unknown='ignore'), […]), remainder=SimpleImputer()), {name}())"
    )
