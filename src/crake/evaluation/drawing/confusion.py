"""The confusion matrix of an evaluation, drawn."""

from __future__ import annotations

import numpy as np

from crake.evaluation.report.leaderboard import matrix_of
from crake.evaluation.result.classification import Evaluation
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.matrix import MatrixPicture, matrix_drawing
from crake.render.format_numbers import count, percent


def draw_matrix(evaluation: Evaluation) -> Drawing:
    """Return rows actual, columns predicted; the finding names the most frequent mistake."""
    confusion = evaluation.confusion
    matrix = matrix_of(evaluation.name, confusion)
    wrong = confusion.counts.copy()
    np.fill_diagonal(wrong, 0)
    total, errors = float(confusion.counts.sum()), float(wrong.sum())
    finding = (
        f"{count(total - errors)} of {count(total)} rows are right ({percent((total - errors) / max(total, 1e-300))})"
    )
    if errors:
        actual, called = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        labels = matrix.labels
        finding += (
            f"; most frequent mistake: {labels[actual]} called {labels[called]}, {count(float(wrong.max()))} rows"
        )
    about = f"{evaluation.name}, {evaluation.table}"
    return matrix_drawing(MatrixPicture("Confusion matrix", about, f"{finding}.", matrix))
