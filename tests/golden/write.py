"""Writes the golden files that are not there yet: python -m tests.golden.write. Those that are there stay for ever.

A learner of the registry that is not named here gets a file of its default parameters.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier, is_regressor

import crake
from crake.learners import registry

FOLDER = Path(__file__).parent

MODELS: dict[str, tuple[Any, str]] = {
    "majority": (crake.MajorityClassifier(prior="laplace"), "golf"),
    "one_rule_nominal": (crake.OneRuleClassifier(), "weather"),
    "one_rule_numeric": (crake.OneRuleClassifier(), "iris"),
    "c45_numeric": (crake.C45Classifier(), "iris"),
    "c45_nominal": (crake.C45Classifier(), "weather"),
    "stump": (crake.DecisionStump(), "tax"),
    "id3": (crake.ID3Classifier(), "weather"),
    "cart_surrogates": (crake.CARTClassifier(max_depth=4), "iris"),
    "cart_subsets": (crake.CARTClassifier(), "weather"),
    "chaid_groups": (crake.CHAIDClassifier(alpha_split=0.5, min_samples_split=2, min_samples_leaf=1), "weather"),
    "chaid_intervals": (crake.CHAIDClassifier(), "iris"),
    "calibrated": (crake.Calibrated(crake.NaiveBayesClassifier()), "iris"),
    "logistic_separated": (crake.LogisticClassifier(), "weather"),
    "logistic_ridge": (crake.LogisticClassifier("ridge", strength=0.5), "iris"),
    "logistic_all_levels": (crake.LogisticClassifier("ridge", missing="mean", contrasts="all"), "tax"),
    "logistic_base_class": (crake.LogisticClassifier(base_class="Yes"), "tax"),
    "with_cutoff": (crake.WithCutoff(crake.NaiveBayesClassifier(), by="youden"), "tax"),
    "with_cutoff_costs": (
        crake.WithCutoff(
            crake.C45Classifier(),
            cost=crake.CostMatrix(("setosa", "versicolor", "virginica"), [[0, 1, 1], [1, 0, 1], [1, 9, 0]]),
        ),
        "iris",
    ),
    "tuned": (crake.Tuned(crake.OneRuleClassifier(), {"min_bucket": [12, 6, 3]}), "iris"),
    "naive_bayes_mixed": (crake.NaiveBayesClassifier(), "tax"),
    "naive_bayes_exact_sums": (crake.NaiveBayesClassifier(), "tax"),
    "naive_bayes_precision_exact_sums": (crake.NaiveBayesClassifier(precision="estimated", floor=1e-75), "iris"),
    "naive_bayes_estimate": (crake.NaiveBayesClassifier(m=2, p="overall", prior={"Yes": 0.6, "No": 0.4}), "weather"),
    "naive_bayes_precision": (crake.NaiveBayesClassifier(precision="estimated", floor=1e-75), "iris"),
    "naive_bayes_kernel": (crake.NaiveBayesClassifier(numeric="kernel"), "tax"),
    "neighbors_mixed": (crake.NeighborsClassifier(3, weights="distance", nominal_distance="value-difference"), "tax"),
    "neighbors_auto": (crake.NeighborsClassifier("auto", smoothing="1/n"), "iris"),
    "svm_linear": (crake.SVMClassifier(), "tax"),
    "svm_rbf": (crake.SVMClassifier("rbf", C=2.0), "iris"),
    "svm_votes": (crake.SVMClassifier("poly", degree=2, coef0=1.0, scale="range", probability="votes"), "weather"),
    "forest": (crake.ForestClassifier(5), "tax"),
    "boosted_trees": (crake.BoostedTreesClassifier(5, min_samples_leaf=2), "tax"),
    "boosted_trees_classes": (crake.BoostedTreesClassifier(3), "iris"),
    "naive_bayes_discretised": (crake.NaiveBayesClassifier(numeric="discretised"), "iris"),
    "bayes_network": (crake.BayesNetworkClassifier("k2", criterion="bayes"), "iris"),
}

TEXTS: dict[str, tuple[Any, str, list[str]]] = {
    "text_bayes": (crake.TextBayesClassifier(ngrams=(1, 2), stop_words=["hot"]), "weather", ["outlook", "temp"]),
    "naive_bayes_words": (crake.NaiveBayesClassifier(numeric="discretised", text="bernoulli"), "tax", ["refund"]),
}
"""Models of columns that are read as running text."""

NUMBERS: dict[str, tuple[Any, str, str]] = {
    "linear_regressor": (crake.LinearRegressor(), "iris", "petal width (cm)"),
    "cart_regressor": (crake.CARTRegressor(max_depth=4, max_surrogates=2), "iris", "petal width (cm)"),
    "bagging_regressor": (crake.BaggingRegressor(n_estimators=3), "iris", "petal width (cm)"),
    "boosted_trees_regressor": (crake.BoostedTreesRegressor(4), "iris", "petal width (cm)"),
    "forest_regressor": (crake.ForestRegressor(3), "iris", "petal width (cm)"),
    "neighbors_regressor": (crake.NeighborsRegressor(4, weights="inverse"), "iris", "petal width (cm)"),
}

EDITED = "c45_edited"
"""A tree of iris that was changed by hand: its first split forced, a node made a leaf."""

TRANSFORMERS: dict[str, tuple[Any, str]] = {
    "discretizer_mdl": (crake.Discretizer(), "iris"),
    "discretizer_given": (crake.Discretizer("width", bins=3, cuts={"taxable_income": [80.0, 95.0]}), "tax"),
}


NETWORKS: dict[str, tuple[Any, str]] = {
    "network_of_tables": (
        crake.BayesNetwork([("evade", "refund"), ("evade", "taxable_income"), ("refund", "taxable_income")], bins=2),
        "tax",
    ),
}
"""Models that are no estimators."""


def add_others() -> None:
    """Add the learners that are not named above, with their default parameters."""
    named = {type(each[0]) for each in (*MODELS.values(), *TEXTS.values(), *NUMBERS.values(), *TRANSFORMERS.values())}
    for class_name, make in registry.stored().items():
        if make in named:
            continue
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", class_name.removesuffix("Classifier")).lower()
        if is_regressor(make()):
            NUMBERS[name] = (make(), "iris", "petal width (cm)")
        else:
            (MODELS if is_classifier(make()) else TRANSFORMERS)[name] = (make(), "iris")


def write_edited() -> None:
    """Write the edited tree."""
    path = FOLDER / f"{EDITED}.crake"
    if path.exists():
        return
    iris = crake.read("iris")
    model = crake.C45Classifier().fit(iris).with_split(0, "petal length (cm)", iris, at=3.0).with_leaf(2)
    crake.save(model, path)
    expected = {"table": "iris", "probabilities": model.predict_proba(iris).tolist()}
    path.with_suffix(".json").write_text(json.dumps(expected) + "\n")


def main() -> None:
    add_others()
    for name, (learner, table) in MODELS.items():
        path = FOLDER / f"{name}.crake"
        if path.exists():
            continue
        model = learner.fit(crake.read(table))
        crake.save(model, path)
        expected = {"table": table, "probabilities": model.predict_proba(crake.read(table)).tolist()}
        path.with_suffix(".json").write_text(json.dumps(expected) + "\n")
    for name, (learner, table, text) in TEXTS.items():
        path = FOLDER / f"{name}.crake"
        if not path.exists():
            model = learner.fit(crake.read(table, text=text))
            crake.save(model, path)
            expected = {"table": table, "probabilities": model.predict_proba(crake.read(table)).tolist()}
            path.with_suffix(".json").write_text(json.dumps(expected) + "\n")
    for name, (learner, table, target) in NUMBERS.items():
        path = FOLDER / f"{name}.crake"
        if not path.exists():
            model = learner.fit(crake.read(table, target=target))
            crake.save(model, path)
            answers = model.predict(crake.read(table, target=target)).tolist()
            path.with_suffix(".json").write_text(json.dumps({"table": table, "answers": answers}) + "\n")
    write_edited()
    for name, (transformer, table) in TRANSFORMERS.items():
        path = FOLDER / f"{name}.crake"
        if not path.exists():
            model = transformer.fit(crake.read(table))
            crake.save(model, path)
            expected = {"table": table, "intervals": model.transform(crake.read(table)).to_arrow().to_pylist()}
            path.with_suffix(".json").write_text(json.dumps(expected) + "\n")
    write_networks()


def write_networks() -> None:
    """Write the networks, with the probabilities of each variable."""
    for name, (network, table) in NETWORKS.items():
        path = FOLDER / f"{name}.crake"
        if not path.exists():
            model = network.fit(crake.read(table))
            crake.save(model, path)
            expected = {"table": table, "queries": {each: model.query(each).values() for each in model.graph.names}}
            path.with_suffix(".json").write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
