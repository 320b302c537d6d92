"""Every estimator that `crake` offers, found in the registry: a new learner is tested as soon as it is listed there."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from sklearn.base import is_classifier, is_regressor

import crake
from crake.learners import registry

CLASSES: tuple[type[Any], ...] = tuple(registry.stored().values())

CLASSIFIERS = tuple(make for make in CLASSES if is_classifier(make()))

# An ensemble of the usual size says no more than a small one, and takes ten times as long.
SMALL: dict[type[Any], dict[str, Any]] = {
    crake.AdaBoostClassifier: {"n_estimators": 5},
    crake.BoostedTreesClassifier: {"n_estimators": 5, "min_samples_leaf": 3},
    crake.BoostedTreesRegressor: {"n_estimators": 5, "min_samples_leaf": 3},
    crake.ArbiterTreeClassifier: {"n_partitions": 3},
    crake.CombinerTreeClassifier: {"n_partitions": 3, "composition": "class-attribute"},
    crake.BaggingClassifier: {"n_estimators": 3},
    crake.ForestClassifier: {"n_estimators": 3},
    crake.AdaBoostRegressor: {"n_estimators": 3},
    crake.BaggingRegressor: {"n_estimators": 3},
    crake.ForestRegressor: {"n_estimators": 3},
}

REGRESSORS: tuple[Any, ...] = tuple(make(**SMALL.get(make, {})) for make in CLASSES if is_regressor(make()))

# Beside each learner's defaults, the settings that take another way through its code.
VARIANTS: tuple[Any, ...] = (
    *(make(**SMALL.get(make, {})) for make in CLASSIFIERS),
    crake.NaiveBayesClassifier(alpha=0),
    crake.NaiveBayesClassifier(m=2, p="overall", prior="laplace"),
    crake.NaiveBayesClassifier(zero=0.01, floor=1e-75, ddof=0),
    crake.NaiveBayesClassifier(precision=0.1, prior="laplace"),
    crake.NaiveBayesClassifier(precision="estimated"),
    crake.NaiveBayesClassifier(numeric="kernel"),
    crake.NaiveBayesClassifier(numeric="kernel", precision="estimated", floor=1e-75),
    crake.NaiveBayesClassifier(numeric="discretised", prior="laplace"),
    crake.NeighborsClassifier(3, weights="distance", nominal_distance="value-difference", scale="deviation"),
    crake.NeighborsClassifier(2, ties="first", metric="manhattan", smoothing="1/n", weights="similarity"),
    crake.SVMClassifier("rbf", scale="range", probability="votes", missing="mean"),
    crake.OneRuleClassifier(min_bucket=1, probability="certain", unseen="first"),
    crake.MajorityClassifier(prior="laplace"),
    crake.LogisticClassifier("ridge", missing="mean", contrasts="all"),
    crake.CARTClassifier("entropy", missing="branch", max_leaf_nodes=5, max_surrogates=2),
    crake.CARTClassifier(missing="fractional", ccp_alpha=0.02),
    crake.CARTClassifier(max_surrogates=3),
    crake.AdaBoostClassifier(crake.C45Classifier(), variant="m1", n_estimators=3),
    crake.Calibrated(
        crake.NaiveBayesClassifier(numeric="discretised"), method="isotonic", plan=crake.CrossValidation(3)
    ),
    crake.Calibrated(crake.OneRuleClassifier()),
    crake.WithCutoff(crake.C45Classifier(), plan=crake.CrossValidation(3)),
    crake.Tuned(crake.CARTClassifier(), {"max_depth": [1, 3]}, plan=crake.CrossValidation(2)),
)

# The code between X and y as they are given and the table that a learner learns from, or answers for.
READING = (
    "fit", "predict", "predict_proba", "decide", "reads_tables", "reads_text", "reads_columns", "narrow_codes",
    "_validate_params", "_training_table", "_table_given", "_table_of", "_nominal_positions", "_checked", "_coded",
    "_with_sources",
)  # fmt: skip


def each_reading(estimators: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the first estimator of each way to read X and y: those whose code of reading is one have it in common.

    What depends on that code alone is tested with these. A learner that overrides a part of it is one more of them.
    """
    ways: dict[tuple[Any, ...], Any] = {}
    for estimator in estimators:
        ways.setdefault(tuple(inspect.getattr_static(type(estimator), name) for name in READING), estimator)
    return tuple(ways.values())


READERS = each_reading(VARIANTS)

TRANSFORMERS: tuple[Any, ...] = (
    *(make() for make in CLASSES if make not in CLASSIFIERS and not is_regressor(make())),
    *(
        crake.Discretizer(method, output="codes", bins=3)
        for method in ("mdl", "two-way", "width", "frequency", "given")
    ),
    crake.Discretizer("mdl", criterion="kononenko", encoding="midpoints", output="codes"),
)


@functools.cache
def title(estimator: Any) -> str:
    """How a test's name shows it."""
    return repr(estimator).replace("Classifier", "")
