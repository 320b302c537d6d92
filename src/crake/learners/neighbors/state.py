"""A neighbour model as arrays, and back. The part `training_rows` is what its name says: every row, every value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST
from crake.learners.neighbors.rows import TrainingRows

if TYPE_CHECKING:
    from crake.learners.neighbors.base import Neighbors

LARGEST = float(np.finfo(np.float64).max)


def rows_state(model: Neighbors) -> State:
    """Return the rows, gaps apart from the values; k, and how it was chosen."""
    rows = model.rows_
    gap = np.isnan(rows.values)
    return {
        "training_rows": {
            "values": np.ascontiguousarray(np.where(gap, 0.0, rows.values)),
            "gap": np.ascontiguousarray(gap.astype(np.uint8)),
            "codes": np.ascontiguousarray(rows.codes),
            "target": np.ascontiguousarray(rows.target),
            "weights": rows.weights,
            "numbers": rows.numbers,
        },
        "k": int(model.k_),
        "leave_one_out": model.leave_one_out_,
        # Files without it were written when only equal bits were equal, and go on predicting what they predicted.
        **({} if model.is_bitwise_ else {"equal_distances": 1}),
    }


def restore_rows(model: Neighbors, reader: StateReader, *, classes: int | None) -> None:
    """Take the rows back: codes are levels, targets are classes (or numbers), weights are positive."""
    schema, part = model.schema_, reader.part("training_rows")
    values = part.floats("values", (None, len(schema.numeric)), -LARGEST, LARGEST)
    n = len(values)
    gap = part.integers("gap", np.uint8, (n, len(schema.numeric)), 0, 1).astype(bool)
    widths = [len(column.levels) for column in schema.nominal]
    codes = part.integers("codes", np.int32, (n, len(widths)), -1, max([*widths, 1]) - 1)
    if n == 0 or np.any(codes >= np.array(widths, np.int64).reshape(1, -1)):
        raise part.refusal("codes", "holds no row, or a code beyond a column's levels", "rows of known levels")
    target = (
        part.floats("target", (n,), -LARGEST, LARGEST)
        if classes is None
        else part.integers("target", np.int32, (n,), 0, classes - 1)
    )
    least = float(np.finfo(np.float64).smallest_normal)
    weights = part.floats("weights", (n,), least, MOST) if "weights" in part else None
    numbers = part.integers("numbers", np.int64, (n,), 0, 2**63 - 1)
    model.rows_ = TrainingRows(np.where(gap, np.nan, values), codes, target, weights, numbers)
    model.k_ = reader.whole("k", 1, 2**31)
    model.leave_one_out_ = reader.floats(
        "leave_one_out", (None,), *((-LARGEST, LARGEST) if classes is None else (0, 1))
    )
    if len(model.leave_one_out_) < model.k_ and (model.n_neighbors == "auto" or len(model.leave_one_out_)):
        raise reader.refusal("leave_one_out", f"ends before k = {model.k_}", "a value for each k that was tried")
    model.is_bitwise_ = "equal_distances" not in reader
    if not model.is_bitwise_:
        reader.whole("equal_distances", 1, 1)
    model._index()  # noqa: SLF001 (a part of the learner)
