"""Scores and predictions of a model from anywhere, compared with the true classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.evaluation.protocol.arguments import refuse_unknown_class
from crake.evaluation.protocol.outcome import Outcome, class_evaluation, left_out_note
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import Answers, GivenScores
from crake.evaluation.result.out_of_fold import ClassPredictions
from crake.metrics.inputs import numbers, row_probabilities, row_weights, same_length
from crake.slow_modules import sklearn_utils
from crake.table import codes
from crake.table.convert.frame_columns import labels_of
from crake.table.schema import Label


def from_scores(
    y: Any,
    scores: ArrayLike,
    *,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    sample_weight: ArrayLike | None = None,
    name: str = "scores",
) -> Evaluation:
    """Evaluate one column of scores (of the positive class), or one column of probabilities per class.

    `classes` gives the classes in the order of the columns; without it they are the labels in y, sorted. A single
    column speaks of `positive`, or of the second of two classes. Scores between 0 and 1 are taken for probabilities;
    others (margins, log odds) only rank: above 0 the answer is the positive class, and what needs probabilities is
    undefined.
    """
    labels, actual = _coded(y, classes)
    matrix = numbers(scores, "scores")
    matrix = matrix[:, 0] if matrix.ndim == 2 and matrix.shape[1] == 1 else matrix
    if matrix.ndim == 1:
        if len(labels) != 2:
            raise DataError(
                f"one column of scores and {len(labels)} classes; expected two classes, or a column for each "
                "(classes=[…] names both where the rows are of one)"
            )
        positive = labels[1] if positive is None else positive
        probabilities, answers = _two_columns(matrix, labels, positive)
    elif matrix.ndim == 2 and matrix.shape[1] == len(labels):
        probabilities, answers = row_probabilities(matrix, len(actual)), "probabilities"
    else:
        raise DataError(
            f"the scores have shape {matrix.shape}; expected one column, or one for each of {len(labels)} classes"
        )
    return _evaluation(labels, actual, probabilities, answers, positive, sample_weight, name)


def from_predictions(
    y: Any,
    predicted: Any,
    *,
    positive: Label | None = None,
    sample_weight: ArrayLike | None = None,
    name: str = "predictions",
) -> Evaluation:
    """Evaluate predicted labels alone; one that is not in y is a class that no row has."""
    matrix = sklearn_utils.column_or_1d(predicted) if isinstance(predicted, np.ndarray | list | tuple) else predicted
    known, new_labels = codes.observe(labels_of(y))
    answered, _ = codes.observe(labels_of(matrix))
    labels = (*known, *(label for label in answered if label not in known))
    answer = codes.encode(labels_of(matrix), labels)
    same_length(len(new_labels), len(answer), "predictions")
    if (answer < 0).any():
        raise DataError(f"the prediction of row {int(np.argmax(answer < 0))} is missing; expected a label for each row")
    probabilities = np.zeros((len(answer), len(labels)))
    probabilities[np.arange(len(answer)), answer] = 1.0
    return _evaluation(labels, new_labels, probabilities, "labels", positive, sample_weight, name)


def _coded(y: Any, classes: Sequence[Label] | None) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    column = labels_of(y)
    if classes is None:
        labels, actual = codes.observe(column)
        return labels, actual
    labels = tuple(classes)
    actual = codes.encode(column, labels)
    if (actual < -1).any():
        row = int(np.argmax(actual < -1))
        raise DataError(f"row {row} has a label that is none of the classes {list(labels)[:20]}")
    return labels, actual


def _two_columns(scores: Floats, labels: tuple[Label, ...], positive: Label) -> tuple[Floats, Answers]:
    refuse_unknown_class(positive, labels)
    if not np.isfinite(scores).all():
        row = int(np.argmax(~np.isfinite(scores)))
        raise DataError(f"the score of row {row} is {scores[row]}; expected one finite number for each row")
    probable = bool(len(scores) == 0 or (scores.min() >= 0 and scores.max() <= 1))
    columns = np.empty((len(scores), 2))
    place = labels.index(positive)
    columns[:, place] = scores
    columns[:, 1 - place] = 1 - scores if probable else -scores
    return columns, "probabilities" if probable else "scores"


def _evaluation(
    labels: tuple[Label, ...],
    actual: NDArray[np.int32],
    probabilities: Floats,
    answers: Answers,
    positive: Label | None,
    sample_weight: ArrayLike | None,
    name: str,
) -> Evaluation:
    same_length(len(actual), len(probabilities), "scores")
    refuse_unknown_class(positive, labels)
    weights = np.broadcast_to(1.0, len(actual)) if sample_weight is None else row_weights(sample_weight, len(actual))
    return class_evaluation(outcome(GivenScores(labels, actual, probabilities, answers, weights), name), positive)


def outcome(data: GivenScores, name: str) -> Outcome:
    """Return the rows of a known class with their scores."""
    actual, probabilities, weights = data.actual, data.probabilities, data.weights
    known = actual >= 0
    rows = np.flatnonzero(known)
    if len(rows) == 0:
        raise DataError("no row has a known class; there is nothing to test on")
    if not known.all():
        actual, probabilities, weights = actual[rows], probabilities[rows], weights[rows]
    predictions = ClassPredictions(
        rows=rows,
        fold=np.zeros(len(rows), np.int32),
        actual=actual,
        probabilities=probabilities,
        weights=weights,
        fit_seconds=0.0,
        predict_seconds=0.0,
        kind=data.kind,
    )
    return Outcome(
        learner=None,
        name=name,
        out_of_fold=predictions,
        table="given rows",
        target="class",
        plan="answers of a model from elsewhere",
        classes=data.classes,
        notes=left_out_note(int(np.sum(~known)), "class"),
    )
