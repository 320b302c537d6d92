"""The schema of a model of scikit-learn: numbers by their names, and a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.table.convert.export import label_array
from crake.table.schema import Column, Kind, Schema

TARGET = "target"


def schema_of(model: Any, levels: list[tuple[int, ...]] | None = None) -> Schema:
    """Return the columns that the model was fitted on; `levels` are those of columns of codes."""
    if getattr(model, "n_outputs_", 1) != 1:
        raise CrakeError(f"expected a model of one target, got {model.n_outputs_}: crake predicts one")
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    names = names or [f"x{j}" for j in range(model.n_features_in_)]
    features = [
        Column(name, Kind.NUMERIC) if levels is None else Column(name, Kind.NOMINAL, levels[j])
        for j, name in enumerate(names)
    ]
    classes = tuple(np.asarray(model.classes_).tolist()) if hasattr(model, "classes_") else ()
    target = TARGET
    while target in names:
        target += "_"
    kind = Kind.NOMINAL if hasattr(model, "classes_") else Kind.NUMERIC
    return Schema((*features, Column(target, kind, classes)), target)


def with_columns(learner: Any, schema: Schema, model: Any) -> Any:
    """Return the learner with the fitted attributes that all learners have, and names if the model has them."""
    learner.schema_ = schema
    learner.n_features_in_ = len(schema.features)
    if hasattr(model, "feature_names_in_"):
        learner.feature_names_in_ = np.array([column.name for column in schema.features], dtype=object)
    learner.missing_, learner.left_out_ = None, 0
    if schema.classes:
        learner.classes_ = label_array(schema.classes)
    return learner
