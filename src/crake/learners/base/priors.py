"""Prior probabilities of the classes: from their counts, smoothed, or given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.render.workings import fraction, number
from crake.table.schema import Label


def class_prior(prior: Any, counts: Floats, classes: tuple[Label, ...]) -> Floats:
    """Return P(c): "empirical" n_c / n, "laplace" (n_c + 1) / (n + K), or numbers by class.

    >>> class_prior("laplace", np.array([5.0, 9.0]), ("no", "yes")).tolist()
    [0.375, 0.625]
    >>> class_prior({"yes": 0.9, "no": 0.1}, np.array([5.0, 9.0]), ("no", "yes")).tolist()
    [0.1, 0.9]
    """
    if isinstance(prior, str):
        added = 1.0 if prior == "laplace" else 0.0
        smoothed: Floats = (counts + added) / (counts.sum() + added * len(counts))
        return smoothed
    shares = _by_class(prior, classes)
    if shares.shape != counts.shape:
        raise CrakeError(f"prior has {shares.size} numbers; expected one for each of the classes {list(classes)}")
    if not np.all(np.isfinite(shares)) or np.any(shares < 0) or abs(shares.sum() - 1) > 1e-8:
        raise CrakeError(f"prior is {shares.tolist()}; expected numbers of at least 0 that sum to 1")
    normed: Floats = shares / shares.sum()
    return normed


def prior_written(prior: Any, count: float, total: float, classes: int, share: float) -> str:
    """Write P(c) as on paper: 9/14, (9 + 1)/(14 + 2), or the number itself.

    >>> prior_written("laplace", 9, 14, 2, 0.625), prior_written([0.1, 0.9], 9, 14, 2, 0.9)
    ('(9 + 1)/(14 + 2)', '0.9')
    """
    if not isinstance(prior, str):
        return number(share)
    return fraction(count, total) if prior == "empirical" else f"({number(count)} + 1)/({number(total)} + {classes})"


def _by_class(prior: Any, classes: tuple[Label, ...]) -> Floats:
    if isinstance(prior, Mapping):
        unknown = [label for label in prior if label not in classes]
        absent = [label for label in classes if label not in prior]
        if unknown or absent:
            raise CrakeError(f"prior names {list(prior)}; expected exactly the classes {list(classes)}")
        prior = [prior[label] for label in classes]
    try:
        return np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError):
        raise CrakeError(f"prior is {prior}; expected a number for each of the classes {list(classes)}") from None
