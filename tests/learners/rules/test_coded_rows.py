"""Rules grown from sorted columns are those grown from counts of each value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crake import PrismClassifier, RIPPERClassifier
from crake.kernels.rules.arrays import AT_LEAST, AT_MOST
from crake.kernels.rules.cover import first_covering
from crake.learners.rules import coded_rows
from crake.learners.rules.drafts import coded_rules, covered
from crake.learners.tree.growing.training_rows import Layout, Training


def _table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers with gaps and ties, and weights; the third column says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3)).round(1)
    y = ((X[:, 0] > 0.2) & (X[:, 1] < 0.5)) ^ (rng.random(120) < 0.1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, np.ones(120) if seed % 2 else rng.integers(1, 9, 120) / 4


@pytest.mark.parametrize("learner", [RIPPERClassifier(), RIPPERClassifier(variant="weka"), PrismClassifier()])
@pytest.mark.parametrize("seed", range(3))
def test_rules_of_sorted_columns(learner: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, weights = _table(seed)
    counted = str(learner.fit(X, y, sample_weight=weights))
    monkeypatch.setattr(coded_rows, "MANY_CODES", 2)
    assert str(learner.fit(X, y, sample_weight=weights)) == counted
    assert "x0 >= " in counted


def test_covered_rows_a_column_at_a_time() -> None:
    X, y, _ = _table(0)
    layout = Layout(np.ones(3, bool), np.arange(3, dtype=np.int32), np.zeros(3, np.int32))
    training = Training(X, np.zeros((0, 120), np.int32), y.astype(np.uint8), np.zeros(0), 2, layout)
    coded = coded_rows.coded_rows(training)
    rule = ((0, AT_LEAST, 9), (1, AT_MOST, 20), (0, AT_MOST, 30))
    rows = np.arange(120, dtype=np.int32)
    expected = first_covering(coded, coded_rules([rule]), rows) == 0
    assert 0 < expected.sum() < 120
    np.testing.assert_array_equal(covered(coded, rule), expected)
