"""Forward selection: the column that helps most comes next, until none helps.

How well a set of columns does is the accuracy, or the log loss, of naive Bayes on every row when it is learned from all
other rows. The logarithms of a set are the sum of those of its columns, so a candidate takes one sum over the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.learners.base.most_probable import most_probable
from crake.learners.naive_bayes.selective.without_row import Rows

MEASURES = ("accuracy", "log-loss")
LEAST = 1e-15
"""Probabilities are at least this much in the log loss: one row cannot make it infinite."""


@dataclass(frozen=True)
class Selection:
    """Columns in the order in which they were taken, and how well the first 0, 1, 2, … of them do."""

    columns: tuple[int, ...]
    accuracy: tuple[float, ...]
    log_loss: tuple[float, ...]


def selected(rows: Rows, prior: Floats, logs: Callable[[int], Floats], columns: int, measure: str) -> Selection:
    """Return the columns that help, in their order; `logs(j)` are the logarithms of column j, without each row.

    Of columns that do equally well by the measure, the one with the better other measure is taken, then the first.
    """
    total, left = prior.copy(), list(range(columns))
    taken: list[int] = []
    scores = [_scores(rows, total, prior)]
    while left:
        found = [_scores(rows, total + logs(j), prior) for j in left]
        best = min(range(len(left)), key=lambda at: (*_ranked(found[at], measure), at))
        if not _ranked(found[best], measure)[0] < _ranked(scores[-1], measure)[0]:
            break
        scores.append(found[best])
        taken.append(left.pop(best))
        total += logs(taken[-1])
    accuracy, loss = zip(*scores, strict=True)
    return Selection(tuple(taken), accuracy, loss)


def _ranked(scores: tuple[float, float], measure: str) -> tuple[float, float]:
    """Return what to make small, first by the measure; rounded, so that rounding decides nothing."""
    accuracy, loss = (_rounded(-scores[0]), _rounded(scores[1]))
    return (accuracy, loss) if measure == "accuracy" else (loss, accuracy)


def _rounded(value: float) -> float:
    return float(f"{value:.11e}")


def _scores(rows: Rows, logs: Floats, prior: Floats) -> tuple[float, float]:
    """Return the accuracy and the log loss of these logarithms of P(class, row), each row weighted."""
    top = logs.max(axis=1)
    is_impossible = np.isneginf(top)
    if is_impossible.any():
        logs = np.where(is_impossible[:, None], prior, logs)
        top = logs.max(axis=1)
    everything, own = float(rows.weight.sum()), logs[np.arange(len(logs)), rows.class_]
    right = float(rows.weight[most_probable(logs) == rows.class_].sum()) / everything
    loss = np.log(np.exp(logs - top[:, None]).sum(axis=1)) - (own - top)
    return right, float(rows.weight @ np.minimum(loss, -np.log(LEAST))) / everything
