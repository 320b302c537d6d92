"""The majority class as a picture: a bar for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.errors import CrakeError
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import count, percent
from crake.render.plain_text import shown
from crake.render.sentences import capital, class_words

if TYPE_CHECKING:
    from crake.learners.majority.learner import MajorityClassifier


def draw_shares(model: MajorityClassifier, *, most: int, width: float) -> Drawing:
    """Draw the `most` frequent classes by their probability, the predicted one first."""
    if most < 1:
        raise CrakeError(f"most={most}; expected how many classes to draw, 1 or more")
    shares, rows = model.class_prior_, model.class_count_
    order = [int(k) for k in np.argsort(-shares, kind="stable")]
    bars = tuple(
        Bar(
            str(model.classes_[k]),
            float(shares[k]),
            f"{percent(float(shares[k]))}, {count(rows[k])} rows",
            k == order[0],
        )
        for k in order[:most]
    )
    omitted = len(order) - most
    others = f"{omitted} less frequent classes with {percent(float(shares[order[most:]].sum()))} are not drawn."
    answer = shown(model.majority_, 60)
    return bar_drawing(
        BarPicture(
            f"Majority class: {answer}",
            f"the answer to every row; {count(float(rows.sum()))} rows",
            f"{capital(class_words(answer))} is answered whatever the row, with probability {shares[order[0]]:.3g}.",
            bars,
            (others,) if omitted > 0 else (),
        ),
        width,
    )
