from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.ranking.rankings import columns, rows_of_both_sides
from tests.plain.ranking_twin import Row

from crake.errors import CrakeError
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import RocCurve, roc_curve
from crake.metrics.curves.thinning import thin
from crake.metrics.ranking.ranking import rank_scores


def distance(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Of a point from the connection of two."""
    along = b - a
    length = float(along @ along)
    part = 0.0 if length == 0 else min(1.0, max(0.0, float((p - a) @ along) / length))
    return float(np.linalg.norm(p - a - part * along))


@given(rows_of_both_sides, st.sampled_from([0.0, 0.01, 0.2]), st.integers(2, 12))
def test_points_left_out_lie_as_near_as_is_said(rows: list[Row], tolerance: float, most: int) -> None:
    curve = roc_curve(rank_scores(*columns(rows)))
    found = thin(curve, tolerance, most)
    assert len(found.x) <= most
    assert found.places[0] == 0
    assert found.places[-1] == len(curve.x) - 1
    points = np.column_stack([curve.x, curve.y])
    farthest = 0.0
    for first, last in zip(found.places[:-1], found.places[1:], strict=True):
        for i in range(first + 1, last):
            farthest = max(farthest, distance(points[i], points[first], points[last]))
    assert found.tolerance == pytest.approx(farthest, abs=1e-12)
    assert found.tolerance <= tolerance or len(found.x) == most


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_many_points_become_few(curve: object) -> None:
    generator = np.random.default_rng(2)
    scores = generator.random(50_000)
    exact = curve(rank_scores(generator.random(50_000) < scores, scores))
    found = thin(exact)
    assert len(found.x) <= 500
    assert found.tolerance <= 0.001
    assert np.interp(0.5, found.x, found.y) == pytest.approx(np.interp(0.5, exact.x, exact.y), abs=0.003)


def test_short_curves_stay_as_they_are() -> None:
    flat = RocCurve(np.array([np.inf, 1.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    assert thin(flat).x.tolist() == [0, 1]


def test_bad_limits_are_refused() -> None:
    curve = roc_curve(rank_scores([True, False], [1, 0]))
    with pytest.raises(CrakeError, match="tolerance = -1"):
        thin(curve, tolerance=-1)
    with pytest.raises(CrakeError, match="most = 1; expected at least the two ends"):
        thin(curve, most=1)
