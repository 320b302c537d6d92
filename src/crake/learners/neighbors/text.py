"""A neighbour model in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.format_numbers import count
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.neighbors.base import Neighbors


def model_text(model: Neighbors) -> str:
    """Return the model in lines: the vote, the training rows, the distance."""
    lines = [f"{vote_text(model)} of {count(len(model.rows_))} training rows, which the model holds"]
    if len(model.schema_.numeric):
        units = {"range": "in units of the training range", "deviation": "in standard deviations"}
        lines.append(f"numbers: differences {units.get(model.scale or '', 'as they are')}")
    if len(model.schema_.nominal):
        how = "0 if the same, 1 if not" if model.nominal_distance == "overlap" else "by what they say of the target"
        lines.append(f"names: {how}")
    lines.append("missing values: the largest distance")
    if model.n_neighbors not in ("auto", model.k_):
        lines.append(f"n_neighbors={model.n_neighbors} is more than there are rows: all of them are neighbours")
    if len(model.leave_one_out_):
        best = f"{number(float(model.leave_one_out_[model.k_ - 1]))} of the rows right"
        measure = best if hasattr(model, "classes_") else "the least squared error"
        lines.append(f"k of 1 … {len(model.leave_one_out_)} chosen by leaving each row out: {measure}")
    return "\n  ".join(lines)


def vote_text(model: Neighbors) -> str:
    """Return the kind of vote: "the 5 nearest neighbours", and their weights.

    A neighbour at distance d weighs 1, 1/d, 1/(r + 0.001) or 1 − r.
    """
    how = {"uniform": "", "distance": ", weighted by 1/d", "inverse": ", weighted by 1/(r + 0.001)"}
    neighbours = "nearest neighbour" if model.k_ == 1 else "nearest neighbours"
    return f"{model.k_} {neighbours}{how.get(model.weights, ', weighted by 1 − r')}"
