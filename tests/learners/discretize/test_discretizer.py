"""What the transformer gives: for tables, arrays and frames, in pipelines and searches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import crake
from crake.table.examples import load
from crake.table.schema import Kind

FRAME = pd.DataFrame({"size": [1.0, 2.0, np.nan, 7.0, 9.0], "colour": ["red", None, "blue", "red", "green"]})
LABEL = ["a", "a", "b", "b", "b"]


def test_a_table_becomes_a_table_with_declared_intervals() -> None:
    iris = load("iris")
    found = crake.Discretizer().fit_transform(iris)
    petal = found.schema["petal length (cm)"]
    assert petal.kind is Kind.NOMINAL
    assert (petal.levels, petal.declared) == (("≤ 2.45", "2.45 … 4.75", "> 4.75"), True)
    assert found.schema.target == iris.schema.target
    np.testing.assert_array_equal(found.target, iris.target)
    assert crake.NaiveBayesClassifier().fit(found).predict_proba(found).shape == (150, 3)


def test_a_frame_keeps_its_nominal_columns_and_gaps() -> None:
    model = crake.Discretizer("two-way").fit(FRAME, LABEL)
    assert model.transform(FRAME).tolist() == [
        ["≤ 4.5", "red"], ["≤ 4.5", None], [None, "blue"], ["> 4.5", "red"], ["> 4.5", "green"]
    ]  # fmt: skip
    assert list(model.get_feature_names_out()) == ["size", "colour"]
    unseen = model.transform(pd.DataFrame({"size": [4.5, 4.6], "colour": ["violet", "red"]}))
    assert unseen.tolist() == [["≤ 4.5", "violet"], ["> 4.5", "red"]]


def test_codes_are_numbers_from_0() -> None:
    model = crake.Discretizer("two-way", output="codes").fit(FRAME, LABEL)
    expected = [[0, 2], [0, np.nan], [np.nan, 0], [1, 2], [1, 1]]
    np.testing.assert_array_equal(model.transform(FRAME), expected)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library: str) -> None:
    found = crake.Discretizer("width", bins=2).set_output(transform=library).fit_transform(FRAME)
    assert list(found.columns) == ["size", "colour"]
    assert list(found["size"])[:2] == ["≤ 5", "≤ 5"]


def test_given_cuts() -> None:
    model = crake.Discretizer("given", cuts={"size": [2, 8]}).fit(FRAME)
    assert model.transform(FRAME)[:, 0].tolist() == ["≤ 2", "≤ 2", None, "2 … 8", "> 8"]
    by_position = crake.Discretizer("given", cuts={0: [5]}, output="codes").fit([[1.0, 3.0], [9.0, 4.0]])
    assert by_position.transform([[1.0, 3.0], [9.0, 4.0]]).tolist() == [[0, 3], [1, 4]]
    beside = crake.Discretizer("width", bins=2, cuts={"x0": [5]}).fit([[1.0, 3.0], [9.0, 4.0]])
    assert {name: cuts.tolist() for name, cuts in beside.cuts_.items()} == {"x0": [5.0], "x1": [3.5]}


@pytest.mark.parametrize(
    ("cuts", "why"),
    [
        ({"length": [1]}, "'length'"),
        ({7: [1]}, "'7'"),
        ({"colour": [1]}, "only numbers can be cut"),
        ({"size": [2, 1]}, "each larger"),
        ({"size": [np.inf]}, "finite"),
        ({"size": ["x"]}, "list of numbers"),
    ],
)
def test_cuts_that_cannot_be(cuts: dict[object, list[object]], why: str) -> None:
    with pytest.raises(crake.CrakeError, match=why):
        crake.Discretizer("given", cuts=cuts).fit(FRAME)


def test_classes_are_needed_where_they_are_looked_at() -> None:
    for method in ("mdl", "two-way"):
        with pytest.raises(crake.CrakeError, match="requires y to be passed"):
            crake.Discretizer(method).fit(FRAME)
    for method in ("width", "frequency"):
        assert crake.Discretizer(method).fit(FRAME).cuts_.keys() == {"size"}
    without = load("iris").with_target(None)
    assert crake.Discretizer("width").fit(without).cuts_
    with pytest.raises(crake.CrakeError, match="no target"):
        crake.Discretizer().fit(without)


def test_rows_of_unknown_class_are_not_looked_at() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0], [2.4]], np.array(["a", "a", "b", "b", None], object)
    assert crake.Discretizer("two-way").fit(X, y).cuts_["x0"].tolist() == [2.5]


def test_a_pipeline_before_naive_bayes_is_naive_bayes_on_intervals() -> None:
    X, y = load("iris").to_xy()
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    pipeline = make_pipeline(crake.Discretizer(), crake.NaiveBayesClassifier())
    apart = cross_val_predict(pipeline, X, y, cv=folds, method="predict_proba")
    inside = cross_val_predict(
        crake.NaiveBayesClassifier(numeric="discretised"), X, y, cv=folds, method="predict_proba"
    )
    np.testing.assert_allclose(apart, inside, rtol=1e-12)


def test_a_search_and_learners_of_scikit_learn() -> None:
    X, y = load("iris").to_xy()
    pipeline = make_pipeline(
        crake.Discretizer(), OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000)
    )
    search = GridSearchCV(pipeline, {"discretizer__method": ["mdl", "width", "frequency"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    found = crake.evaluate(make_pipeline(crake.Discretizer(), crake.NaiveBayesClassifier()), X, y)
    assert float(found.accuracy) > 0.9


def test_names_tell_near_cuts_apart() -> None:
    model = crake.Discretizer("given", cuts={"x0": [1.5170601, 1.5170602, 123456789.25]}).fit([[1.0]])
    assert model.intervals_["x0"] == (
        "≤ 1.5170601", "1.5170601 … 1.5170602", "1.5170602 … 123456789.2", "> 123456789.2"
    )  # fmt: skip
    third = crake.Discretizer("given", cuts={"x0": [1 / 3, np.nextafter(1 / 3, 1)]}).fit([[1.0]]).intervals_["x0"]
    assert len(set(third)) == 3


@pytest.mark.parametrize("method", ["mdl", "two-way", "width", "frequency"])
def test_a_table_that_is_scanned_has_the_same_cuts(method: str, tmp_path: Path) -> None:
    iris = load("iris")
    pq.write_table(iris.to_arrow(), tmp_path / "iris.parquet")
    scanned = crake.read(tmp_path / "iris.parquet", target="species", in_memory=False)
    held, found = (crake.Discretizer(method, bins=4).fit(table) for table in (iris, scanned))
    assert {name: cuts.tolist() for name, cuts in found.cuts_.items()} == {
        name: cuts.tolist() for name, cuts in held.cuts_.items()
    }
    with pytest.raises(crake.CrakeError, match=r"is scanned, and .* needs rows in memory"):
        found.transform(scanned)
