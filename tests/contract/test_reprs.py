"""`repr` of every result is one short line; `print` shows it whole."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
import pandas as pd
import pytest

import crake
from crake.table.examples import load

LINE = 240
IRIS = load("iris")
PRICES = crake.read(
    pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30) % 7, "y": 2.0 * np.arange(30) + np.arange(30) % 3}),
    target="y",
    numeric=["y"],
)


def results() -> dict[str, Any]:
    """One of every class that a public function or a method of a model returns."""
    evaluation = crake.evaluate("naive-bayes", load("breast-cancer"))
    comparison = crake.compare(IRIS, learners=["majority", "1r", "naive-bayes"])
    tree, logistic = crake.C45Classifier().fit(IRIS), crake.LogisticClassifier("ridge").fit(IRIS)
    row = IRIS.take(np.array([0]))
    names = ("calibration", "confusion", "cost_curve", "lift", "precision_recall", "ranking", "roc")
    return {
        "evaluation": evaluation,
        "comparison": comparison,
        "numbers": crake.evaluate("linear", PRICES),
        **{name: _value(evaluation, name) for name in names},
        "errors": evaluation.errors(),
        "report": evaluation.report(),
        "out of fold": evaluation.out_of_fold,
        "leaderboard": comparison.leaderboard(),
        "standing": comparison.standings[0],
        "rules": tree.rules(),
        "rule": tree.rules()[0],
        "tree description": tree.describe(),
        "path": tree.cost_complexity_path(),
        "node": tree.node(0),
        "tree": tree.tree_,
        "workings": tree.explain(row),
        "changes": tree.changes(row),
        "drawing": tree.draw(),
        "summary": logistic.summary(),
        "linear summary": crake.LinearRegressor().fit(PRICES).summary(),
        "grid": crake.NaiveBayesClassifier().fit(IRIS).tables()[0],
        "table": IRIS,
        "schema": load("digits").schema,
        "description": load("digits").describe(),
        "learning curve": crake.learning_curve("naive-bayes", IRIS, plan=crake.CrossValidation(2)),
        "drift": crake.drift(*(crake.NaiveBayesClassifier().fit(each) for each in (IRIS, IRIS))),
        **results_of_networks_and_ensembles(),
        "experiment": crake.Experiment([IRIS], ["majority", "1r"], plan=crake.CrossValidation(2)).run(None),
    }


def results_of_networks_and_ensembles() -> dict[str, Any]:
    golf = load("golf")
    forest = crake.ForestClassifier(3).fit(IRIS)
    network = crake.BayesNetwork([("play", "outlook"), ("play", "windy"), ("play", "temp")], bins=3)
    network.fit(golf.select(["play", "outlook", "windy", "temp"]))
    return {
        "tree like a forest": forest.as_tree(IRIS),
        "partial dependence": crake.partial_dependence(forest, IRIS, "petal width (cm)"),
        "network": network,
        "query": network.query("play", {"outlook": "Sunny"}),
        "most probable": network.most_probable({"outlook": "Sunny"}),
        "classifier of a network": crake.BayesNetworkClassifier().fit(IRIS),
        "conditional table": network.conditional("outlook"),
        "selection": crake.Select().fit(IRIS).grid(),
        "complexity curve": crake.complexity_curve(
            crake.CARTClassifier(), IRIS, parameter="max_depth", values=[1, 2], plan=crake.CrossValidation(2)
        ),
    }


def _value(owner: Any, name: str) -> Any:
    value = getattr(owner, name)
    return value() if callable(value) else value


def test_one_line() -> None:
    long = {name: repr(value) for name, value in results().items() if len(repr(value)) > LINE or "\n" in repr(value)}
    long.pop("confusion", None)  # two lines, and a table of several classes is what it is
    assert long == {}


def test_the_line_says_what_it_is() -> None:
    evaluation = crake.evaluate("naive-bayes", IRIS)
    assert repr(evaluation) == (
        "<Evaluation of naive Bayes on 'iris': accuracy 0.953, stratified 10-fold cross-validation, seed 1>"
    )
    comparison = crake.compare(IRIS, learners=["majority", "naive-bayes"])
    assert repr(comparison) == "<Comparison of 2 learners on 'iris': naive Bayes is best>"
    assert len(str(comparison).splitlines()) > 5
    assert repr(evaluation.out_of_fold).startswith("ClassPredictions(")
    assert "<150" in repr(evaluation.out_of_fold)


@pytest.mark.parametrize("room", ["crake.evaluation", "crake.metrics"])
def test_public_dataclasses_of_arrays_have_a_repr_of_their_own(room: str) -> None:
    """The `repr` that `dataclass` generates would print the arrays."""
    package = importlib.import_module(room)
    listed = []
    for module in pkgutil.walk_packages(package.__path__, f"{room}."):
        for cls in vars(importlib.import_module(module.name)).values():
            if not inspect.isclass(cls) or cls.__module__ != module.name or not dataclasses.is_dataclass(cls):
                continue
            arrays = [each.name for each in dataclasses.fields(cls) if str(each.type) in ("Floats", "Rows", "Longs")]
            if arrays and cls.__name__[0] != "_" and hasattr(cls.__repr__, "__wrapped__"):
                listed.append(f"{module.name}.{cls.__name__}")
    # A cost matrix is a parameter, shown as it was given.
    assert listed == [name for name in listed if name.endswith("CostMatrix")]
