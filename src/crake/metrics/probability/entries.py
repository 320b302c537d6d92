"""Registry entries of the measures that read the probabilities of the classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.metrics.estimate import Estimate
from crake.metrics.intervals import LEVEL
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions
from crake.metrics.probability.brier import brier
from crake.metrics.probability.calibration import called_rows, class_rows
from crake.metrics.probability.calibration_error import ece
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.probability.weka_errors import probability_mae, probability_rmse
from crake.metrics.workings.calibration import explain_calibration
from crake.metrics.workings.losses import Tested, explain_brier, explain_log_loss
from crake.render.workings import Workings


def _weights(p: Predictions) -> NDArray[np.float64]:
    return np.ones(len(p.actual)) if p.weights is None else np.asarray(p.weights, np.float64)


def _tested(p: Predictions) -> Tested:
    return Tested(p.rows, p.actual, p.probabilities, _weights(p), p.classes)


def _positive_code(p: Predictions) -> int | None:
    return None if p.positive is None else p.confusion.code(p.positive)


def _explain_calibration(p: Predictions, estimate: Estimate) -> Workings:
    code = _positive_code(p)
    if code is None:
        rows, of = called_rows(p.actual, p.probabilities), "the answers"
    else:
        rows, of = class_rows(p.actual, p.probabilities, code), str(p.positive)
    return explain_calibration(*rows, _weights(p), f"the probabilities of {of}", estimate)


LOG_LOSS = Measure[Predictions](
    "log_loss",
    "log loss",
    "−mean log P(actual class).",
    lambda p: log_loss(p.actual, p.probabilities, p.weights),
    needs="probabilities",
    greater_is_better=False,
    bounds=(0.0, math.inf),
    explain=lambda p, estimate: explain_log_loss(_tested(p), estimate),
)
BRIER = Measure[Predictions](
    "brier",
    "Brier score",
    "The mean squared distance of the probabilities from what came.",
    lambda p: brier(p.actual, p.probabilities, p.weights),
    needs="probabilities",
    greater_is_better=False,
    bounds=(0.0, 2.0),
    explain=lambda p, estimate: explain_brier(_tested(p), estimate),
)
CALIBRATION_ERROR = Measure[Predictions](
    "calibration_error",
    "calibration error",
    "The distance of the predictions' probabilities from what came, in ten bins; of the positive class if named.",
    lambda p, level=LEVEL: ece(p.actual, p.probabilities, p.weights, positive=_positive_code(p), level=level),
    needs="probabilities",
    greater_is_better=False,
    explain=_explain_calibration,
    aliases=("ece",),
)
PROBABILITY_MAE = Measure[Predictions](
    "probability_mae",
    "mean absolute error of the probabilities",
    "WEKA's mean absolute error of a classifier: (1/n) Σ over rows of (1/K) Σ_c |p_c − y_c|.",
    lambda p: probability_mae(p.actual, p.probabilities, p.weights),
    needs="probabilities",
    greater_is_better=False,
    is_shown=False,
)
PROBABILITY_RMSE = Measure[Predictions](
    "probability_rmse",
    "root mean squared error of the probabilities",
    "WEKA's root mean squared error of a classifier: √((1/n) Σ over rows of (1/K) Σ_c (p_c − y_c)²).",
    lambda p: probability_rmse(p.actual, p.probabilities, p.weights),
    needs="probabilities",
    greater_is_better=False,
    is_shown=False,
)
