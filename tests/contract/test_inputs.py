"""X and y as people have them: any frame library, lists, strings, gaps, labels of any type, rows without a label."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.contract.estimators import CLASSIFIERS, READERS, SMALL, VARIANTS, each_reading, title

import crake
from crake.table.convert.frames import from_frame

every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)
every_reading = pytest.mark.parametrize("estimator", READERS, ids=title)

COLOUR = ["red", "blue", None, "red", "green", "blue", "red", "red"]
SIZE = [1.5, 2.0, 9.25, None, 3.0, 7.5, 2.25, 8.0]
LABEL = ["no", "yes", "yes", "no", "yes", "no", "no", "yes"]


def forms() -> dict[str, Any]:
    columns = {"colour": COLOUR, "size": SIZE}
    rows = [list(row) for row in zip(COLOUR, SIZE, strict=True)]
    return {
        "pandas": pd.DataFrame(columns),
        "pandas objects": pd.DataFrame({"colour": pd.Series(COLOUR, dtype=object), "size": SIZE}),
        "pandas arrow": pl.DataFrame(columns).to_pandas(use_pyarrow_extension_array=True),
        "polars": pl.DataFrame(columns),
        "pyarrow": pa.table(columns),
        "objects": np.array(rows, dtype=object),
        "lists": rows,
    }


class Peculiar(crake.MajorityClassifier):
    """A learner with a way of its own to read the rows that it answers for."""

    def _coded(self, X: Any) -> crake.Table:
        return super()._coded(X)


def test_a_learner_with_its_own_way_to_read_is_one_of_those_tested() -> None:
    usual, other, peculiar = crake.MajorityClassifier(), crake.MajorityClassifier(prior="laplace"), Peculiar()
    assert each_reading((usual, other, peculiar)) == (usual, peculiar)
    assert len(READERS) < len(VARIANTS) / 3


@every_reading
@pytest.mark.parametrize("form", [name for name in forms() if name != "pandas"])
def test_every_form_gives_the_same_model(estimator: Any, form: str) -> None:
    frame, other = forms()["pandas"], forms()[form]
    expected, model = clone(estimator).fit(frame, LABEL), clone(estimator).fit(other, LABEL)
    np.testing.assert_array_equal(model.predict_proba(other), expected.predict_proba(frame))
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    assert [c.kind for c in model.schema_.features] == [c.kind for c in expected.schema_.features]
    assert [c.levels for c in model.schema_.features] == [c.levels for c in expected.schema_.features]


@every_reading
def test_labels_of_every_library(estimator: Any) -> None:
    X = forms()["pandas"]
    expected = clone(estimator).fit(X, LABEL).predict(X)
    for y in (np.array(LABEL), np.array(LABEL, object), pd.Series(LABEL), pl.Series(LABEL), pa.array(LABEL)):
        np.testing.assert_array_equal(clone(estimator).fit(X, y).predict(X), expected)


@pytest.mark.parametrize("estimator", [make(**SMALL.get(make, {})) for make in CLASSIFIERS], ids=title)
def test_labels_keep_their_type(estimator: Any) -> None:
    X = forms()["lists"]
    for one, other, kind in (("a", "b", "U"), (3, -1, "i"), (True, False, "b"), (1.0, 2.0, "f")):
        y = np.array([one, other, other, one, one, other, one, other])
        model = clone(estimator).fit(X, y)
        np.testing.assert_array_equal(model.classes_, np.unique(y))
        assert model.classes_.dtype.kind == kind
        predicted = model.predict(X)
        assert predicted.dtype.kind == kind
        assert set(predicted) <= {one, other}


@every_reading
@pytest.mark.parametrize(
    "y",
    [
        [1, None, 2, 1, 2],
        pd.Series([1, None, 2, 1, 2], dtype="Int64"),
        pa.array([1, None, 2, 1, 2]),
        pl.Series([1, None, 2, 1, 2]),
        [True, None, False, True, False],
        pd.Series([True, None, False, True, False], dtype="boolean"),
        ["a", None, "b", "a", "b"],
        pd.Series(["a", None, "b", "a", "b"]),
        np.array(["a", float("nan"), "b", "a", "b"], dtype=object),
        np.array([1.0, np.nan, 2.0, 1.0, 2.0]),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]} {getattr(y, 'dtype', getattr(y, 'type', type(y[0])))}",
)
def test_rows_without_a_label_are_left_out_and_counted(estimator: Any, y: Any) -> None:
    X = [["u", 1.0], ["only here", 50.0], ["v", 3.0], ["u", 2.0], ["v", 5.0]]
    known = [0, 2, 3, 4]
    model = clone(estimator).fit(X, y)
    labels = y.to_pylist() if isinstance(y, pa.Array) else list(y)
    expected = clone(estimator).fit([X[i] for i in known], np.array([labels[i] for i in known]))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    assert model.classes_.dtype == expected.classes_.dtype
    assert (model.left_out_, expected.left_out_) == (1, 0)


@every_reading
def test_labels_all_missing_are_refused(estimator: Any) -> None:
    with pytest.raises(crake.CrakeError, match="missing"):
        clone(estimator).fit([[1.0], [2.0]], [None, None])
    with pytest.raises(crake.CrakeError, match="nothing to learn from"):
        clone(estimator).fit([[1.0], [2.0]], np.array(["a", None], object), sample_weight=[0, 1])


@every
def test_values_never_seen_and_missing(estimator: Any) -> None:
    X = forms()["pandas"]
    model = clone(estimator).fit(X, LABEL)
    strange = pd.DataFrame({"colour": ["violet", None, "red"], "size": [1e9, np.nan, np.nan]})
    probabilities = model.predict_proba(strange)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)


def test_the_rule_for_what_was_never_seen() -> None:
    X, y = [["red"], ["red"], ["blue"]], ["no", "no", "yes"]
    bayes = crake.NaiveBayesClassifier().fit(X, y)
    np.testing.assert_allclose(bayes.predict_proba([["violet"], [None]]), [[2 / 3, 1 / 3]] * 2)
    rule = crake.OneRuleClassifier().fit(X, y)
    np.testing.assert_allclose(rule.predict_proba([["violet"], [None]]), [[2 / 3, 1 / 3]] * 2)
    first = crake.OneRuleClassifier(unseen="first").fit([["red"], ["red"], ["blue"]], ["yes", "yes", "no"])
    assert first.predict([["violet"]]) == ["no"]


def test_a_number_in_a_column_that_had_none_is_no_missing_value() -> None:
    """The one column's only branch is that of missing values; a known number does not belong to it."""
    X, y = [[np.nan], [np.nan], [np.nan]], ["a", "b", "b"]
    model = crake.OneRuleClassifier(unseen="first").fit(X, y)
    assert model.predict([[np.nan], [7.0]]).tolist() == ["b", "a"]


@every_reading
def test_frames_are_held_to_their_column_names(estimator: Any) -> None:
    frame = forms()["pandas"]
    model = clone(estimator).fit(frame, LABEL)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"size": "length"}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["size", "colour"]])
    with pytest.raises(ValueError, match="expecting 2 features"):
        clone(estimator).fit(forms()["objects"], LABEL).predict(np.array([["red"]], dtype=object))
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(forms()["objects"])


@every_reading
def test_a_table_is_matched_by_name(estimator: Any) -> None:
    frame = pd.DataFrame({"colour": COLOUR, "size": SIZE, "label": LABEL})
    table = from_frame(frame, target="label")
    model = clone(estimator).fit(table)
    reordered = from_frame(frame[["size", "label", "colour"]].assign(extra=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict_proba(reordered), model.predict_proba(table))
    with pytest.raises(crake.CrakeError, match="'size'"):
        model.predict(from_frame(frame[["colour"]]))
    with pytest.raises(crake.CrakeError, match="brings its own target"):
        model.fit(table, LABEL)


@every_reading
def test_what_scikit_learn_refuses(estimator: Any) -> None:
    with pytest.raises(crake.CrakeError, match="infinity"):
        clone(estimator).fit([[np.inf], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="Unknown label type"):
        clone(estimator).fit([[1.0], [2.0], [3.0]], [0.5, 1.5, 2.5])
    with pytest.raises(ValueError, match="inconsistent"):
        clone(estimator).fit([[1.0], [2.0]], ["a", "b", "c"])


def test_nominal_by_name_position_or_all() -> None:
    frame = pd.DataFrame({"code": [1, 2, 1, 2], "size": [1.0, 5.0, 2.0, 6.0]})
    y = ["a", "b", "a", "b"]
    kinds = [
        [c.kind.value for c in crake.NaiveBayesClassifier(nominal=n).fit(frame, y).schema_.features]
        for n in ("auto", ["code"], [0], [-2], "all")
    ]
    assert kinds == [["numeric", "numeric"], *[["nominal", "numeric"]] * 3, ["nominal", "nominal"]]
