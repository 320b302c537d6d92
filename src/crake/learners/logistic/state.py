"""A logistic regression as arrays and numbers, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.base.state import Labels, State, StateReader
from crake.learners.base.state.statistics import MOST
from crake.learners.encoding.state import design_of_state, design_state
from crake.learners.logistic.fisher import Iteration
from crake.learners.logistic.separation import Separation
from crake.table.convert.export import label_array

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier

MAX = float(np.finfo(float).max)
LARGEST = 1e300
"""Coefficients of standardised terms beyond it are none of a fit."""


def logistic_state(model: LogisticClassifier) -> State:
    """Everything `summary` and `predict_proba` read; the trace too."""
    trace = [(step.log_likelihood, step.largest_change) for step in model.trace_]
    lines = np.array(trace, np.float64).reshape(-1, 2)
    separation = model.separation_
    return {
        "design": design_state(model.design_),
        "role": model.role_,
        "class_count": model.class_count_,
        "coefficient": np.ascontiguousarray(model.coefficient_),
        "free": model.free_.astype(np.uint8),
        **({} if model.extent_ is None else {"extent": np.ascontiguousarray(model.extent_)}),
        "error": None if model.error_ is None else np.ascontiguousarray(model.error_),
        "refusal": Labels((model.refusal_,)),
        "log_likelihood": np.array([model.log_likelihood_, model.null_log_likelihood_]),
        "trace": np.nan_to_num(lines, nan=-1.0),
        "converged": bool(model.converged_),
        "dropped": int(getattr(model, "dropped_", 0)),  # models of the folds of a scan drop no rows
        "separation": None
        if separation is None
        else {
            "complete": bool(separation.complete),
            "columns": Labels(separation.columns),
            "how": Labels(separation.how),
        },
    }


def restore_logistic(model: LogisticClassifier, reader: StateReader) -> None:
    """Take it all back, checked."""
    model.classes_ = label_array(model.schema_.classes)
    K = len(model.classes_)
    model.design_ = design_of_state(reader.part("design"), model.schema_, model.missing)
    P = len(model.design_)
    model.role_ = reader.integers("role", np.int32, (K,), -1, K - 1)
    model.outputs_ = int(model.role_.max())
    if sorted(model.role_[model.role_ >= 0].tolist()) != list(range(model.outputs_ + 1)):
        raise reader.refusal("role", "does not number the classes", "0, 1, 2 … once each")
    model.class_count_ = reader.floats("class_count", (K,), 0, MOST)
    model.coefficient_ = reader.floats("coefficient", (P, model.outputs_), -LARGEST, LARGEST)
    model.free_ = reader.integers("free", np.uint8, (P,), 0, 1).astype(bool)
    model.extent_ = None
    if "extent" in reader:
        model.extent_ = reader.floats("extent", (2, model.design_.numbers), -MAX, MAX)
        if np.any(model.extent_[0] > model.extent_[1]):
            raise reader.refusal("extent", "has a least value above the largest", "least and largest of each number")
    model.error_ = reader.floats("error", (P, model.outputs_), 0) if "error" in reader else None
    (model.refusal_,) = reader.names("refusal")
    value, null = reader.floats("log_likelihood", (2,), -np.inf, 1e-6)
    model.log_likelihood_, model.null_log_likelihood_ = float(value), float(null)
    trace = reader.floats("trace", (None, 2))
    model.trace_ = tuple(
        Iteration(i + 1, float(ll), float("nan") if change < 0 else float(change))
        for i, (ll, change) in enumerate(trace)
    )
    model.n_iter_ = len(trace)
    model.converged_ = reader.flag("converged")
    model.dropped_ = reader.whole("dropped")
    model.separation_ = None
    if "separation" in reader:
        part = reader.part("separation")
        model.separation_ = Separation(part.flag("complete"), part.names("columns"), part.names("how"))
