"""The Brier score: the squared distance of the probabilities from what came, and the parts it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.estimate import Estimate
from crake.metrics.inputs import row_probabilities, row_weights
from crake.metrics.intervals import mean_over_rows
from crake.metrics.probability.binning import bin_edges, bin_of
from crake.metrics.probability.calibration import bin_sums, class_rows, distinct_sums, positive_rows
from crake.metrics.probability.weka_errors import residuals

Groups = Literal["isotonic", "width", "mass", "distinct"]


def brier(actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ over rows of Σ_c (p_c − y_c)²; of two classes half of it, which is (p − y)² of either.

    Brier (1950) has the sum over all classes, 0 … 2. Of two classes both terms are equal, and what everybody calls the
    Brier score is one of them, 0 … 1. scikit-learn's `brier_score_loss` draws the same line.

    >>> brier([1, 0], [[0.25, 0.75], [0.5, 0.5]]).value                                       # (1/16 + 1/4) / 2
    0.15625
    >>> brier([0], [[0.5, 0.25, 0.25]]).value                                                 # 1/4 + 1/16 + 1/16
    0.375
    """
    difference = residuals(actual_codes, probabilities)
    squares = np.einsum("ij,ij->i", difference, difference)
    weight = row_weights(weights, len(squares))
    if difference.shape[1] == 2:
        return mean_over_rows(squares / 2, weight, "squared error of one class's probability", limits=(0.0, 1.0))
    return mean_over_rows(squares, weight, "squared errors summed over the classes", limits=(0.0, 2.0))


def brier_of_scores(is_positive: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ (p − y)², p the probability that the row is positive.

    >>> brier_of_scores([True, False], [0.75, 0.5]).value
    0.15625
    """
    positive, p, weight = positive_rows(is_positive, predicted, weights)
    return mean_over_rows((p - positive) ** 2, weight, "squared error of one class's probability", limits=(0.0, 1.0))


@dataclass(frozen=True)
class BrierParts:
    """score = reliability − resolution + uncertainty + within.

    `reliability`: how far the probabilities are from what came (0 is best). `resolution`: how far what came differs
    from group to group (more is better). `uncertainty`: the score of always saying the shares of the classes.
    `within`: what the spread of the probabilities within the groups leaves over; 0 for "isotonic" and "distinct".
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return {name: getattr(self, name) for name in ("score", "reliability", "resolution", "uncertainty", "within")}


def brier_parts(
    actual_codes: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    by: Groups = "isotonic",
    bins: int = 10,
) -> BrierParts | None:
    """Murphy's decomposition of `brier`, class by class and added up; None without rows."""
    P = row_probabilities(probabilities, np.size(actual_codes))
    classes = range(P.shape[1])
    of_classes = [brier_parts_of_scores(*class_rows(actual_codes, P, c), weights, by=by, bins=bins) for c in classes]
    parts = [part.to_dict() for part in of_classes if part is not None]
    if not parts:
        return None
    scale = 0.5 if len(parts) == 2 else 1.0
    return BrierParts(**{name: scale * sum(part[name] for part in parts) for name in parts[0]})


def brier_parts_of_scores(
    is_positive: ArrayLike,
    predicted: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    by: Groups = "isotonic",
    bins: int = 10,
) -> BrierParts | None:
    """Murphy: reliability = Σ_g (n_g/n)(p̄_g − ȳ_g)², resolution = Σ_g (n_g/n)(ȳ_g − ȳ)², uncertainty = ȳ(1 − ȳ).

    The groups g are bins of equal width or mass, or the distinct probabilities; scores that are all different say
    nothing then. By default "isotonic": with q, what pooling adjacent violators makes of p,
    reliability = score(p) − score(q), resolution = uncertainty − score(q). None without rows.

    >>> parts = brier_parts_of_scores([False, True, True, True], [0.5, 0.5, 0.75, 0.75], by="distinct")
    >>> parts.score, parts.reliability, parts.resolution, parts.uncertainty
    (0.15625, 0.03125, 0.0625, 0.1875)

    Murphy (1973), A new vector partition of the probability score. Stephenson, Coelho and Jolliffe (2008), Two extra
    components in the Brier score decomposition. Dimitriadis, Gneiting and Jordan (2021), as in `isotonic_view`.
    """
    if by not in ("isotonic", "width", "mass", "distinct"):
        raise CrakeError(f"by = {by!r}; expected 'isotonic', 'width', 'mass' or 'distinct'")
    positive, p, weight = positive_rows(is_positive, predicted, weights)
    if not weight.any():
        return None
    weight = weight / weight.sum()
    score = float(np.dot(weight, (p - positive) ** 2))
    if by in ("width", "mass"):
        edges = bin_edges(p, weight, bins, "width" if by == "width" else "mass")
        rows, sum_p, came = bin_sums(bin_of(p, edges), positive, p, weight, len(edges) - 1)
    else:
        _, rows, sum_p, came = distinct_sums(positive, p, weight)
    return _isotonic_parts(score, rows, came) if by == "isotonic" else _parts(score, rows, sum_p, came)


def _parts(score: float, rows: Floats, sum_p: Floats, came: Floats) -> BrierParts:
    has_rows = rows > 0
    rows, mean_p, share = rows[has_rows], sum_p[has_rows] / rows[has_rows], came[has_rows] / rows[has_rows]
    base = float(np.dot(rows, share))
    reliability = float(np.dot(rows, (mean_p - share) ** 2))
    resolution = float(np.dot(rows, (share - base) ** 2))
    uncertainty = base * (1 - base)
    return BrierParts(score, reliability, resolution, uncertainty, score - reliability + resolution - uncertainty)


def _isotonic_parts(score: float, rows: Floats, came: Floats) -> BrierParts:
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 (a quarter of a second, and only this needs it)

    q = isotonic_regression(came / rows, weights=rows).x
    base = float(came.sum())
    resolution = float(np.dot(rows, (q - base) ** 2))
    uncertainty = base * (1 - base)
    # Within a step q is the share that came, so score(q) = uncertainty − Σ (n/n)(q − ȳ)².
    return BrierParts(score, max(0.0, score - (uncertainty - resolution)), resolution, uncertainty, 0.0)
