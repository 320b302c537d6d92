"""Values of a number at which two classes of a logistic regression are equally probable, in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.base.row_query import RowQuery
from crake.table.schema import Column

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier


def linear_crossings(model: LogisticClassifier, query: RowQuery, column: Column, answer: int) -> Floats:
    """Return x + (z_c − z_k) / (β_k − β_c) for every class k but the predicted c; z are the scores at x."""
    if model.outputs_ == 0:
        return np.zeros(0)
    j = model.schema_.numeric.index(column)
    x = float(query.cell(column.name))
    design = model.design_
    if math.isnan(x):
        x = float(np.ldexp(design.centre[j] + design.rest[j], design.exponent[j]))
    scores = np.append(0.0, design.scores(query.edited([(column.name, x)]), model.coefficient_)[0])
    slopes = np.append(0.0, design.in_users_units(model.coefficient_)[j])
    role = model.role_
    own = int(role[answer])
    others = [int(k) for k in role if k >= 0 and k != own]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        crossings: Floats = np.array([x + (scores[own] - scores[k]) / (slopes[k] - slopes[own]) for k in others])
    finite: Floats = crossings[np.isfinite(crossings)]
    return finite
