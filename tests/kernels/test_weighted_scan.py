"""The weighted scan of two classes chooses the cuts of the general one, whatever the weights, gaps and missing rows."""

from __future__ import annotations

import numpy as np
import pytest

from crake.kernels.tree.arrays import SPLIT, LevelArrays, Scoring
from crake.kernels.tree.impurity import ENTROPY
from crake.kernels.tree.numeric_splits import scan_numeric
from crake.kernels.tree.numeric_splits_weighted import scan_weighted
from crake.kernels.tree.sorting import sorted_lists


@pytest.mark.parametrize("seed", range(24))
def test_it_chooses_the_cuts_of_the_general_scan(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = (5, 40, 300, 1000)[seed % 4]
    values = generator.normal(size=n) if seed % 3 else generator.integers(0, 12, n).astype(float)
    if seed % 5 == 0:
        values[generator.random(n) < 0.1] = np.nan
    target = (generator.random(n) < 0.5 + 0.4 * np.sin(3 * np.nan_to_num(values))).astype(np.uint8)
    weights = (
        generator.poisson(1.5, n) + 1.0 if seed % 4 == 1 else generator.random(n) * 10.0 ** generator.integers(-9, 3)
    )
    weights[generator.random(n) < 0.2] *= 1e-7
    lists = sorted_lists(values.reshape(-1, 1), 0.01 if seed % 2 else 0.0)
    rows = np.arange(n, dtype=np.int32)
    half = n // 2 if seed % 6 == 0 else n  # two nodes, or one
    start = np.array([0, half])[: 1 + (half < n)]
    size = np.array([half, n - half])[: len(start)]
    order, rank = lists.order[0].copy(), lists.rank[0].copy()
    known = np.array([np.count_nonzero(rank[b : b + m] >= 0) for b, m in zip(start, size, strict=True)])
    level = LevelArrays(rows, rows, target, weights, start, size)
    inside = [order[b : b + m] for b, m in zip(start, size, strict=True)]
    counts = np.array([np.bincount(target[own], weights[own], minlength=2) for own in inside])
    is_clamped, scale = bool(seed % 2), float(weights.sum()) / n
    scoring = Scoring(ENTROPY, 0, 2, np.zeros(0), 2.0 * scale, 0.0, 1e-6, is_clamped, bool(seed % 7 == 0), True, 10)
    arguments = (
        order,
        rank,
        lists.reach[0],
        known,
        level,
        counts,
        counts.sum(axis=1),
        np.ones(len(start), bool),
        scoring,
    )
    found, expected = np.zeros(len(start), SPLIT), np.zeros(len(start), SPLIT)
    scan_weighted(*arguments, found)
    scan_numeric(*arguments, expected)
    for name in ("cut", "cuts", "known_weight", "left_weight"):
        np.testing.assert_array_equal(found[name], expected[name], name)
    np.testing.assert_allclose(found["decrease"], expected["decrease"], rtol=1e-9, atol=1e-9 * weights.sum())
