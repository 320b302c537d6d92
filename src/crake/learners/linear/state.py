"""A linear regression as arrays and numbers, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.base.state import State, StateReader
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


def restore_linear(model: LinearRegressor, reader: StateReader) -> None:
    """Take it all back, checked."""
    model.design_ = design_of_state(reader.part("design"), model.schema_, model.missing)
    P = len(model.design_)
    model.coefficient_ = reader.floats("coefficient", (P,))
    model.free_ = reader.integers("free", np.uint8, (P,), 0, 1).astype(bool)
    model.unscaled_error_ = reader.floats("unscaled_error", (int(model.free_.sum()),), 0)
    squares, total, weight, condition = reader.floats("sums", (4,), 0).tolist()
    if weight > MOST:
        raise reader.refusal("sums", f"has the weight {weight}", f"at most {MOST:g}; 0 if the rows are not known")
    model.squares_, model.total_, model.weight_, model.condition_ = squares, total, weight, condition
    model.dropped_ = reader.whole("dropped")
    model.closed_form_ = None
    if "closed_form" in reader:
        model.closed_form_ = ClosedForm(*reader.floats("closed_form", (len(_SUMS),)).tolist())
        if P != 2 or model.design_.numbers != 1:
            raise reader.refusal("closed_form", "is there for several terms", "none")
