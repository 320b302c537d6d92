"""Isotonic calibration: the best ascending step function, with straight lines between the steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.slow_modules import sklearn_isotonic


@dataclass(frozen=True)
class Isotonic:
    """Corners of an ascending line: log odds and the probabilities they stand for; level outside them."""

    log_odds: Floats
    probability: Floats

    def __call__(self, log_odds: Floats) -> Floats:
        return np.interp(log_odds, self.log_odds, self.probability)


def fit_isotonic(log_odds: Floats, is_class: NDArray[np.bool_], weights: Floats) -> Isotonic:
    """Least squares among ascending functions, kept within 1/(n + 2) … (n + 1)/(n + 2).

    Without those bounds the lowest and highest steps are 0 and 1 exactly: certainty from a few rows.

    Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates.
    """
    n = float(weights.sum())
    model = sklearn_isotonic.IsotonicRegression(y_min=1 / (n + 2), y_max=(n + 1) / (n + 2), out_of_bounds="clip")
    model.fit(log_odds, is_class.astype(np.float64), sample_weight=weights)
    return Isotonic(np.asarray(model.X_thresholds_, np.float64), np.asarray(model.y_thresholds_, np.float64))
