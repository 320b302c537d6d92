"""The random forest for numbers: bagged regression trees that look at some columns of each node."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.parameters import N_JOBS, Interval, StrOptions
from crake.learners.ensemble.bagging.regressor import BaggingRegressor
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.tree.algorithms.cart_common import MAX_FEATURES
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor


class ForestRegressor(BaggingRegressor):
    """Breiman's random forest for numbers: the mean of full regression trees of bootstrap samples.

    The defaults are those of scikit-learn's RandomForestRegressor: every node looks at all columns.

    Parameters
    ----------
    n_estimators : the number of trees.
    max_depth : the most splits on a path.
    min_samples_split : a node of less weight is a leaf.
    min_samples_leaf : the least weight on either side of a split.
    max_features : columns looked at in each node: a number, a share, "sqrt" or "log2"; None: all.
    max_samples : the draws of each sample as a share of the rows.
    max_surrogates : surrogates kept for a split.
    oob_score : whether each training row is predicted by the trees whose samples lack it.
    random_state : the seed.
    n_jobs : threads that fit and predict use; None and −1: one for each core. The model does not depend on it.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Fitted: `estimators_`, `feature_importances_`, `oob_score_` (R² out of bag, with its interval).

    >>> from crake.table.examples import load
    >>> X = load("iris").matrix(["sepal length (cm)", "petal length (cm)"], float)
    >>> ForestRegressor(20).fit(X[:, 1:], X[:, 0]).predict([[4.0]]).round(1)
    array([5.8])

    Breiman (2001), Random forests.
    """

    card = Card(
        title="random forest",
        about="mean of 100 full regression trees of samples",
        model="a mean of many",
        is_readable=False,
        missing="the heavier side",
        has_interactions=True,
        time="a tree per member",
        seconds=seconds_of(100, member=4e-4, cell=4e-8),
        usual_grid={"max_features": ["sqrt", None], "min_samples_leaf": [5, 1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Real, 0, None, closed="neither")],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "max_features": MAX_FEATURES,
        "max_samples": [Interval(Real, 0, None, closed="neither")],
        "max_surrogates": [Interval(Integral, 0, None, closed="left")],
        "oob_score": ["boolean"],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "n_jobs": N_JOBS,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    estimator = None
    nominal: Any = "auto"  # its own parameter, not that of an inner learner

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: Any = None,
        max_samples: float = 1.0,
        max_surrogates: int = 0,
        oob_score: bool = True,
        random_state: int = 1,
        n_jobs: int | None = None,
        nominal: Any = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_samples = max_samples
        self.max_surrogates = max_surrogates
        self.oob_score = oob_score
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.nominal = nominal

    def _inner_learner(self) -> Any:
        return CARTRegressor(
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            max_surrogates=self.max_surrogates,
        )

    def _name(self) -> str:
        return "Random forest"
