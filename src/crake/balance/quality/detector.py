"""A detector: a classifier that is to tell made-up rows from real ones it has not seen."""

from __future__ import annotations

import numpy as np

from crake.balance.cells import Cells, together

MOST = 2000
"""Rows of each side that the detector sees."""
TREES = 50
"""Trees of the forest."""
FEWEST = 20
"""Rows of each side below which it is not tried."""


def detector_auc(real: Cells, made: Cells) -> float | None:
    """Return the AUC of a random forest of scikit-learn, real against made-up rows, by three-fold cross-validation.

    0.5: they cannot be told apart. 1: always. None if there are too few rows to tell.
    """
    if min(len(real), len(made)) < FEWEST:
        return None
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415  # only where it is used
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415

    real, made = _some(real), _some(made)
    every = together([real, made])
    X = np.hstack([every.values, every.codes])
    X = X[:, ~np.isnan(X).all(axis=0)]  # scikit-learn refuses columns without a value
    y = np.repeat([0, 1], [len(real), len(made)])
    detector = RandomForestClassifier(TREES, min_samples_leaf=3, random_state=1)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    return float(roc_auc_score(y, cross_val_predict(detector, X, y, cv=folds, method="predict_proba")[:, 1]))


def _some(cells: Cells) -> Cells:
    """Return all rows, or every n-th of many."""
    return cells if len(cells) <= MOST else cells.take(np.linspace(0, len(cells) - 1, MOST).astype(np.intp))
