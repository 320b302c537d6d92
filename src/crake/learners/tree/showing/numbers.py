"""The numbers of a tree as they are written: thresholds, answers, weights of rows."""

from __future__ import annotations

import numpy as np

from crake.render.plain_text import visible
from crake.table.schema import Label


def threshold_text(threshold: float) -> str:
    """At most six decimals, as far as they are needed.

    >>> threshold_text(2.45), threshold_text(30.0), threshold_text(0.1234567)
    ('2.45', '30', '0.123457')
    """
    if abs(threshold) >= 1e15 or 0 < abs(threshold) < 1e-5:
        return repr(threshold)
    return f"{threshold:.6f}".rstrip("0").rstrip(".")


def answer_text(answer: Label) -> str:
    """A class as it is, a mean with six digits.

    >>> answer_text("yes"), answer_text(2 / 3)
    ('yes', '0.666667')
    """
    return f"{answer:.6g}" if isinstance(answer, float) else visible(answer)


def weight_text(weight: float) -> str:
    """Two decimals, rounded half up, as far as they are needed.

    >>> weight_text(3.0), weight_text(2.455), weight_text(14.5)
    ('3', '2.46', '14.5')
    """
    return f"{np.floor(weight * 100 + 0.5 + 1e-9) / 100:.2f}".rstrip("0").rstrip(".")
