"""Cost-complexity paths: links whose prices differ by rounding are cut together."""

from __future__ import annotations

import numpy as np
import pytest

import crake


@pytest.mark.parametrize("seed", range(6))
def test_no_alpha_is_repeated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = crake.CARTClassifier(min_samples_leaf=1).fit(rng.integers(0, 8, (150, 4)), rng.integers(0, 3, 150))
    path = model.cost_complexity_path()
    assert (np.diff(path.alphas) > 1e-11 * path.alphas[1:]).all()
    for alpha, leaves in zip(path.alphas[:8], path.leaves[:8], strict=True):
        assert model.prune("cost-complexity", alpha=alpha).n_leaves_ == leaves
