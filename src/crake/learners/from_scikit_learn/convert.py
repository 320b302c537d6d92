"""The models of scikit-learn that have the same form as one of crake's; the others are refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crake.errors import CrakeError
from crake.learners.from_scikit_learn.bayes import (
    bernoulli_bayes,
    categorical_bayes,
    gaussian_bayes,
    linear_bayes,
)  # fmt: skip
from crake.learners.from_scikit_learn.boosting import gradient_boosting, histogram_boosting
from crake.learners.from_scikit_learn.linear import (
    largest_score,
    linear_regression,
    log_odds,
    logistic_regression,
    stochastic_gradient,
)  # fmt: skip
from crake.learners.from_scikit_learn.trees import bagging, forest, single_tree

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
    "BaggingClassifier": bagging,
    "BaggingRegressor": bagging,
    "GaussianNB": gaussian_bayes,
    "CategoricalNB": categorical_bayes,
    "BernoulliNB": bernoulli_bayes,
    "MultinomialNB": linear_bayes,
    "ComplementNB": linear_bayes,
    "LogisticRegression": logistic_regression,
    "LogisticRegressionCV": logistic_regression,
    "LinearDiscriminantAnalysis": log_odds,
    "SGDClassifier": stochastic_gradient,
    **dict.fromkeys(("LinearSVC", "RidgeClassifier", "RidgeClassifierCV", "Perceptron"), largest_score),
    **dict.fromkeys(
        (
            "LinearRegression",
            "Ridge",
            "RidgeCV",
            "Lasso",
            "LassoCV",
            "ElasticNet",
            "ElasticNetCV",
            "BayesianRidge",
            "HuberRegressor",
            "QuantileRegressor",
            "LinearSVR",
            "SGDRegressor",
        ),
        linear_regression,
    ),
}
"""Functions that turn each class into crake's."""
REASONS = {
    "AdaBoostClassifier": "crake's keeps the errors of every round on the training rows, which scikit-learn does not",
    "AdaBoostRegressor": "its answer is a median of its members, which has no form for exports",
    "SVC": "its machines need the training rows, and its probabilities are another model",
    "KNeighborsClassifier": "it is its training rows: fit crake.NeighborsClassifier to them",
    "MLPClassifier": "crake has no neural network",
    "Pipeline": "its steps change the columns: convert the model of its last step, and give it the changed columns",
}
"""Reasons for which some classes have no counterpart."""


def from_sklearn(model: Any) -> Any:
    """Return the crake model that predicts as a fitted model of scikit-learn does, to 1e-12.

    Trees, forests, bagged trees, gradient boosting (also by histograms), five kinds of naive Bayes and linear models
    have the same form in crake. Linear classifiers without probabilities become an SVM that answers by votes.
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
        reason = f": {REASONS[kind]}" if kind in REASONS else ""
        raise CrakeError(f"expected a fitted model of scikit-learn, one of {', '.join(MAPPED)}; got {kind}{reason}")
    if not hasattr(model, "n_features_in_"):
        raise CrakeError(f"expected a fitted {kind}, got one that is not fitted: call fit first")
    return MAPPED[kind](model)
