"""The models of scikit-learn that have the same form as one of crake's; the others are refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crake.errors import CrakeError
from crake.learners.from_scikit_learn.bayes import categorical_bayes, gaussian_bayes
from crake.learners.from_scikit_learn.boosting import gradient_boosting, histogram_boosting
from crake.learners.from_scikit_learn.trees import forest, single_tree

MAPPED: dict[str, Callable[[Any], Any]] = {
    "DecisionTreeClassifier": single_tree,
    "DecisionTreeRegressor": single_tree,
    "ExtraTreeClassifier": single_tree,
    "ExtraTreeRegressor": single_tree,
    "RandomForestClassifier": forest,
    "RandomForestRegressor": forest,
    "ExtraTreesClassifier": forest,
    "ExtraTreesRegressor": forest,
    "GradientBoostingClassifier": gradient_boosting,
    "GradientBoostingRegressor": gradient_boosting,
    "HistGradientBoostingClassifier": histogram_boosting,
    "HistGradientBoostingRegressor": histogram_boosting,
    "GaussianNB": gaussian_bayes,
    "CategoricalNB": categorical_bayes,
}


def from_sklearn(model: Any) -> Any:
    """Return the crake model that predicts as a fitted model of scikit-learn does, to 1e-12.

    Trees, forests, gradient boosting (also by histograms), GaussianNB and CategoricalNB have the same form in crake.
    Then `explain`, `draw`, `crake.save` and the exports are crake's. scikit-learn's trees round rows to single
    precision; thresholds are moved so that unrounded rows go the same way.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)))
    petal width (cm) <= 0.8: 0 (50)
    petal width (cm) > 0.8
    |   petal width (cm) <= 1.75: 1 (54/5)
    |   petal width (cm) > 1.75: 2 (46/1)
    <BLANKLINE>
    3 leaves, 5 nodes
    """
    kind = type(model).__name__
    if type(model).__module__.partition(".")[0] != "sklearn" or kind not in MAPPED:
        raise CrakeError(f"expected a fitted model of scikit-learn, one of {', '.join(MAPPED)}; got {kind}")
    if not hasattr(model, "n_features_in_"):
        raise CrakeError(f"expected a fitted {kind}, got one that is not fitted: call fit first")
    return MAPPED[kind](model)
