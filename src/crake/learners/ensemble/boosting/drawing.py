"""Boosted trees as pictures: importances of the columns, and the loss or the error by the number of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.ensemble.errors_by_member import error_interval
from crake.render.drawing.axis import Axis
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import percent

if TYPE_CHECKING:
    from crake.learners.ensemble.boosting.base import Boosting


def draw_importances(model: Boosting, *, most: int, width: float) -> Drawing:
    """Draw the share of each column in the loss that all splits removed."""
    shares = model.feature_importances_
    order = [int(j) for j in np.argsort(-shares, kind="stable")][:most]
    names = [column.name for column in model.schema_.features]
    bars = tuple(Bar(names[j], float(shares[j]), percent(float(shares[j])), at == 0) for at, j in enumerate(order))
    finding = f"{names[order[0]]} removes most of the loss, {percent(float(shares[order[0]]))} of all."
    if shares[order[0]] == 0:
        finding = "No tree has a split: every row gets the same prediction."
    subject = f"{model.n_estimators_} rounds, {len(model.trees_)} trees"
    return bar_drawing(BarPicture("Boosted trees: importance of the columns", subject, finding, bars, ()), width)


def draw_losses(model: Boosting, *, width: float) -> Drawing:
    """Draw the loss on the rows held out after each round, the first without any tree."""
    losses = model.held_out_losses_
    rounds = np.arange(len(losses), dtype=np.float64)
    kept = model.n_estimators_
    return curve_drawing(
        CurvePicture(
            f"Boosted trees by number of rounds: {kept} are kept",
            f"learning rate {model.learning_rate:g}",
            f"The loss on the rows held out is least after {kept} rounds, {losses[kept]:.4g}.",
            Axis.over("rounds", 0.0, float(max(len(losses) - 1, 2))),
            Axis.over("loss", 0.0, max(float(losses.max()), 1e-12)),
            (Line("loss on the rows held out", rounds.tolist(), losses.tolist(), 0, "plain"),),
            is_square=False,
        ),
        width,
    )


def draw_errors(model: Boosting, tested: Floats, weight: float, training: Floats | None, *, width: float) -> Drawing:
    """Draw the error after each round on tested rows of this weight with its interval, and that on the training rows.

    The error on the training rows has no interval: it is no estimate of anything.
    """
    rounds = np.arange(1, len(tested) + 1, dtype=np.float64).tolist()
    ends = [error_interval(float(error), weight) for error in tested]
    low, high = [end[0] for end in ends], [end[1] for end in ends]
    lines = [Line("error on the rows tested", rounds, tested.tolist(), 0, "plain")]
    finding = (
        f"After {len(tested)} rounds the error on the rows tested is {tested[-1]:.4f} [{low[-1]:.4f}, {high[-1]:.4f}]"
    )
    highest = max(*high, 0.01)
    if training is not None:
        lines.append(Line("error on the training rows", rounds, training.tolist(), 1, "plain"))
        finding += f", on the training rows {training[-1]:.4f}"
        highest = max(highest, float(training.max()))
    return curve_drawing(
        CurvePicture(
            f"Boosted trees by number of rounds: {len(tested)}",
            f"learning rate {model.learning_rate:g}",
            f"{finding}.",
            Axis.over("rounds", 0.0, float(max(len(tested), 2))),
            Axis.over("error", 0.0, highest),
            tuple(lines),
            bands=(Band("its 95 % interval", rounds, low, high, 0),) if len(tested) > 1 else (),
            is_square=False,
        ),
        width,
    )
