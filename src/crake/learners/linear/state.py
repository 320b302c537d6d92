"""A linear regression as arrays and numbers, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.base.state import Given, State
from crake.learners.base.state.statistics import MOST
from crake.learners.encoding.state import design_of_state, design_state
from crake.learners.linear.workings import ClosedForm

if TYPE_CHECKING:
    from crake.learners.linear.learner import LinearRegressor

_SUMS = ("n", "sum_x", "sum_xx", "mean_y", "sum_x_deviation")


def linear_state(model: LinearRegressor) -> State:
    """Everything `summary`, `explain` and `predict` read."""
    form = model.closed_form_
    return {
        "design": design_state(model.design_),
        "coefficient": model.coefficient_,
        "free": model.free_.astype(np.uint8),
        "unscaled_error": model.unscaled_error_,
        "sums": np.array([model.squares_, model.total_, model.weight_, min(model.condition_, 1e300)]),
        "dropped": int(model.dropped_),
        "closed_form": None if form is None else np.array([getattr(form, name) for name in _SUMS]),
    }


def restore_linear(model: LinearRegressor, given: Given) -> None:
    """Take it all back, checked."""
    model.design_ = design_of_state(given.part("design"), model.schema_, model.missing)
    P = len(model.design_)
    model.coefficient_ = given.floats("coefficient", (P,))
    model.free_ = given.integers("free", np.uint8, (P,), 0, 1).astype(bool)
    model.unscaled_error_ = given.floats("unscaled_error", (int(model.free_.sum()),), 0)
    squares, total, weight, condition = given.floats("sums", (4,), 0).tolist()
    if not 0 < weight <= MOST:
        raise given.refusal("sums", f"has the weight {weight}", "that of at least one row")
    model.squares_, model.total_, model.weight_, model.condition_ = squares, total, weight, condition
    model.dropped_ = given.whole("dropped")
    model.closed_form_ = None
    if "closed_form" in given:
        model.closed_form_ = ClosedForm(*given.floats("closed_form", (len(_SUMS),)).tolist())
        if P != 2 or model.design_.numbers != 1:
            raise given.refusal("closed_form", "is there for several terms", "none")
