"""CART for numbers so small that their squares vanish: the tree is that of the same numbers at a common size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake

X = np.arange(24.0)[:, None]
Y = np.where(X[:, 0] > 11, 4.0, 1.0) + np.tile([0.0, 0.5, 0.25], 8)
LEARNERS: dict[str, Any] = {
    "unpruned": crake.CARTRegressor(max_depth=2),
    "cross-validated": crake.CARTRegressor(pruning="cost-complexity", folds=3),
    "reduced error": crake.CARTRegressor(pruning="reduced-error"),
    "bagged": crake.BaggingRegressor(crake.CARTRegressor(max_depth=2), n_estimators=2),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_size_of_the_target_is_no_matter(name: str) -> None:
    plain = LEARNERS[name].fit(X, Y).predict(X)
    assert len(np.unique(plain)) > 1
    for power in (-400, -600):
        np.testing.assert_array_equal(LEARNERS[name].fit(X, np.ldexp(Y, power)).predict(X), np.ldexp(plain, power))


def test_parameters_that_are_squares_keep_their_meaning() -> None:
    for parameter in ("ccp_alpha", "min_impurity_decrease"):
        plain = crake.CARTRegressor(**{parameter: 0.1}).fit(X, Y)
        tiny = crake.CARTRegressor(**{parameter: float(np.ldexp(0.1, -800))}).fit(X, np.ldexp(Y, -400))
        assert plain.n_leaves_ == tiny.n_leaves_ == 2
        assert crake.CARTRegressor(**{parameter: 0.1}).fit(X, np.ldexp(Y, -600)).n_leaves_ == 1


def test_a_fitted_tree_whose_squares_have_vanished_is_not_pruned_by_them() -> None:
    model = crake.CARTRegressor().fit(X, np.ldexp(Y, -600))
    for work in (model.prune, model.cost_complexity_path):
        with pytest.raises(crake.CrakeError, match="multiply the target by a constant and fit again"):
            work()
