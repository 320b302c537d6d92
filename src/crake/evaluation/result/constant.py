"""The baseline of tested rows: one prediction for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.evaluation.result.bootstrap import error_by_row
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation


def constant_answer(evaluation: Evaluation) -> Evaluation:
    """Predict the most frequent class of the tested rows for each of them, with the shares of the classes."""
    shares = evaluation.confusion.actual_totals / evaluation.confusion.total
    predictions = evaluation.out_of_fold
    answers = np.tile(shares, (len(predictions.rows), 1))
    tested = replace(predictions, probabilities=answers, answered=None, fit_seconds=0.0, predict_seconds=0.0)
    terms = None if evaluation.bootstrap is None else evaluation.bootstrap.of_constant(error_by_row(tested))
    return replace(
        evaluation,
        name="majority class",
        out_of_fold=tested,
        notes=(),
        is_baseline=True,
        key="majority",
        bootstrap=terms,
    )


def constant_number(evaluation: NumberEvaluation) -> NumberEvaluation:
    """Predict the mean of the tested rows for each of them."""
    predictions = evaluation.out_of_fold
    mean = np.full(len(predictions.actual), float(np.average(predictions.actual, weights=predictions.weights)))
    tested = replace(predictions, predicted=mean, fit_seconds=0.0, predict_seconds=0.0)
    return replace(evaluation, name="mean", out_of_fold=tested, notes=(), is_baseline=True, key="mean")
