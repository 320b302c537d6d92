"""A loaded model is the saved one: same probabilities to the bit, same labels, same columns, same bytes."""

from __future__ import annotations

import decimal
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from tests.modelfile.models import LEARNERS, TAX, fitted, gappy, same_bits

import crake
from crake.learners import registry
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.state import State, StateReader
from crake.modelfile import describe
from crake.modelfile.labels import label_tensors, labels_of
from crake.modelfile.parameters import parameter_json, parameter_of
from crake.modelfile.writing import model_bytes
from crake.table.convert.frames import from_xy


def round_trip(model: Any, folder: Path) -> Any:
    crake.save(model, folder / "model.crake")
    return crake.load(folder / "model.crake")


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_predicts_the_same_bits(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    loaded = round_trip(model, tmp_path)
    assert same_bits(loaded.predict_proba(TAX), model.predict_proba(TAX))
    rows = pd.DataFrame(gappy(TAX), columns=list(model.feature_names_in_), dtype=object)
    assert same_bits(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.predict(TAX).tolist() == model.predict(TAX).tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_an_estimator_again(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    loaded = round_trip(model, tmp_path)
    check_is_fitted(loaded)
    assert repr(loaded) == repr(model)
    assert str(loaded) == str(model)
    assert repr(clone(loaded)) == repr(model)
    assert loaded.n_features_in_ == model.n_features_in_
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert loaded.schema_ == model.schema_
    assert loaded.left_out_ == model.left_out_
    row = dict.fromkeys(model.feature_names_in_)
    assert str(loaded.explain(row)) == str(model.explain(row))


@pytest.mark.parametrize("name", LEARNERS)
def test_equal_models_give_equal_bytes(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    again = clone(model).fit(TAX)
    assert model_bytes(again) == model_bytes(model)
    assert model_bytes(round_trip(model, tmp_path)) == model_bytes(model)


ADDING = [
    crake.MajorityClassifier(),
    crake.NaiveBayesClassifier(),
    crake.NaiveBayesClassifier(precision=0.1),
    crake.NaiveBayesClassifier(numeric="kernel"),
]


@pytest.mark.parametrize("learner", ADDING, ids=repr)
def test_rows_can_be_added_to_a_loaded_model(learner: Any, tmp_path: Path) -> None:
    X, y = TAX.to_xy()
    model = clone(learner).partial_fit(X[:6], y[:6], classes=["No", "Yes"])
    loaded = round_trip(model, tmp_path).partial_fit(X[6:], y[6:])
    assert same_bits(loaded.predict_proba(X), model.partial_fit(X[6:], y[6:]).predict_proba(X))


def test_a_loaded_one_rule_adds_rows_only_to_counts(tmp_path: Path) -> None:
    names, y = np.array([["a"], ["b"], ["a"], ["c"]]), ["no", "yes", "yes", "no"]
    model = round_trip(crake.OneRuleClassifier().fit(names[:3], y[:3]), tmp_path).partial_fit(names[3:], y[3:])
    assert str(model) == str(crake.OneRuleClassifier().fit(names, y))
    numeric = round_trip(crake.OneRuleClassifier().fit([[1.0], [2.0]], ["no", "yes"]), tmp_path)
    with pytest.raises(crake.CrakeError, match="can be neither added nor forgotten; fit it on all rows"):
        numeric.partial_fit([[3.0]], ["yes"])


def test_a_one_rule_keeps_no_values_of_its_rows(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(2000, 3))
    model = crake.OneRuleClassifier().fit(values, values[:, 0] > 0)
    data = model_bytes(model)
    assert len(data) < values.nbytes / 4
    assert not any(x.tobytes() in data for x in values.ravel())


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"],
        [0, 1, 0],
        [2**53 + 1, 2**53 + 3, 2**53 + 1],
        np.array([2**63 + 5, 7, 7], np.uint64),
        [-(2**63), 2**63 - 1, 0],
        [0.0, 2.0, 1.0],
        [True, False, True],
        ["01234", "1234", "1e5"],
        ["", " ", "é\U0001f426\x00"],
        np.array(["a", "bb", "a"], dtype=object),
    ],
    ids=repr,
)
def test_labels_keep_their_type_and_digits(y: Any, tmp_path: Path) -> None:
    X = [["u"], ["v"], ["w"]]
    model = crake.NaiveBayesClassifier().fit(X, y)
    loaded = round_trip(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [(type(a), a) for a in loaded.classes_.tolist()] == [(type(a), a) for a in model.classes_.tolist()]
    assert loaded.predict(X).tolist() == np.asarray(y).tolist()


LEVELS = st.one_of(
    st.text(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False).map(lambda x: x + 0.0), st.booleans()
)


@given(st.lists(LEVELS, max_size=20))
@settings(max_examples=200, deadline=None)
def test_labels_of_any_type_come_back(labels: list[Any]) -> None:
    found = labels_of(label_tensors(labels))
    assert [(type(a), a) for a in found] == [(type(a), a) for a in labels]


@pytest.mark.parametrize("label", ["\ud800", 2**64, -(2**63) - 1, decimal.Decimal(1)], ids=repr)
def test_labels_a_file_cannot_hold_are_refused(label: Any) -> None:
    with pytest.raises(crake.CrakeError, match="the label"):
        label_tensors(["good", label])


def test_levels_of_mixed_types_stay_apart(tmp_path: Path) -> None:
    X = np.array([[1], [True], ["1"], [1.5], [""], [2**53 + 1]], dtype=object)
    y = ["a", "b", "c", "d", "e", "f"]
    loaded = round_trip(crake.NaiveBayesClassifier(alpha=0).fit(X, y), tmp_path)
    assert loaded.predict(X).tolist() == y


def test_arrays_frames_and_tables_go_on_as_they_were(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 5.0]]), ["a", "b", "b"]
    loaded = round_trip(crake.NaiveBayesClassifier().fit(X, y), tmp_path)
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.predict(X).tolist() == y
    frame = pl.DataFrame({"one": X[:, 0], "two": X[:, 1]})
    loaded = round_trip(crake.NaiveBayesClassifier().fit(frame, y), tmp_path)
    assert loaded.predict(frame).tolist() == y
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename({"two": "three"}))


PARAMETERS = [
    {"alpha": 0},
    {"alpha": 2.5},
    {"alpha": np.float64(0.1)},
    {"prior": {"Yes": 0.25, "No": 0.75}},
    {"prior": [0.25, 0.75]},
    {"prior": (0.25, 0.75)},
    {"prior": np.array([0.25, 0.75])},
    {"precision": [0.5]},
    {"nominal": np.array(["refund"], dtype=object)},
]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=repr)
def test_parameters_come_back(parameters: dict[str, Any], tmp_path: Path) -> None:
    model = crake.NaiveBayesClassifier(**parameters).fit(TAX)
    loaded = round_trip(model, tmp_path)
    for name, value in parameters.items():
        found = getattr(loaded, name)
        assert np.array_equal(found, value) if isinstance(value, np.ndarray) else found == value
    assert same_bits(loaded.predict_proba(TAX), model.predict_proba(TAX))


PLANS = [
    crake.CrossValidation(5, stratified=False, random_state=3),
    crake.Holdout(0.7),
    crake.LeaveOneOut(),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_plans_come_back(plan: Any) -> None:
    written = json.loads(json.dumps(parameter_json([plan], learner=None)))
    assert parameter_of(written, learner=None) == [plan]


def test_the_order_of_a_mapping_does_not_show() -> None:
    one = crake.NaiveBayesClassifier(prior={"Yes": 0.25, "No": 0.75}).fit(TAX)
    other = crake.NaiveBayesClassifier(prior={"No": 0.75, "Yes": 0.25}).fit(TAX)
    assert model_bytes(one) == model_bytes(other)


def test_weights_missing_values_and_extremes(tmp_path: Path) -> None:
    X = np.array([[1e308, -0.0], [-1e308, np.nan], [1e-308, 5.0], [5e-324, 1e9]])
    weights = [0.1, 0.2, 1 / 3, 1e30]
    model = crake.NaiveBayesClassifier().fit(X, ["a", "b", "a", "b"], sample_weight=weights)
    loaded = round_trip(model, tmp_path)
    assert same_bits(loaded.predict_proba(X), model.predict_proba(X))
    assert not loaded.statistics_.class_counts.integral


def test_ignored_columns_and_left_out_rows(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,colour,size,label\n1,red,2,no\n2,blue,3,yes\n3,red,4,\n")
    table = crake.read(tmp_path / "t.csv", target="label", ignore=["id"])
    loaded = round_trip(crake.OneRuleClassifier().fit(table), tmp_path)
    assert loaded.left_out_ == 1
    assert loaded.schema_.names == ("id", "colour", "size", "label")
    assert loaded.predict(table).tolist() == ["no", "yes", "no"]


def test_a_file_is_described_without_the_learner(tmp_path: Path) -> None:
    crake.save(crake.NaiveBayesClassifier(alpha=0.5).fit(TAX), tmp_path / "tax.crake")
    found = describe(tmp_path / "tax.crake")
    assert (found.learner, found.rows, found.classes) == ("NaiveBayesClassifier", 10, ("No", "Yes"))
    assert found.parameters["alpha"] == 0.5
    assert found.file_bytes == (tmp_path / "tax.crake").stat().st_size
    assert str(found).startswith("NaiveBayesClassifier: 10 rows, 3 columns, 2 classes of evade; ")


class Twice(TableClassifier):
    """A learner with a learner in it, as a parameter and as a fitted part."""

    nominal = "auto"

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _learn(self, table: Any) -> None:
        self.inner_ = clone(self.estimator).fit(table)
        self.schema_, self.classes_ = table.schema, self.inner_.classes_

    def probabilities(self, table: Any, rows: Any = None) -> Any:
        return self.inner_.probabilities(table, rows)

    def state(self) -> State:
        return {**super().state(), "inner": self.inner_}

    def restore(self, reader: StateReader) -> Any:
        super().restore(reader)
        self.inner_ = reader.learner("inner")
        self.classes_ = self.inner_.classes_
        return self


def test_a_learner_within_a_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**registry.in_files(), "Twice": Twice}
    monkeypatch.setattr(registry, "in_files", lambda: known)
    monkeypatch.setattr(registry, "stored", lambda: known)
    monkeypatch.setattr(registry, "as_parameters", lambda: known)
    model = Twice(Twice(crake.NaiveBayesClassifier(alpha=0.5))).fit(TAX)
    loaded = round_trip(model, tmp_path)
    assert repr(loaded) == repr(model)
    assert isinstance(loaded.inner_.inner_, crake.NaiveBayesClassifier)
    assert same_bits(loaded.predict_proba(TAX), model.predict_proba(TAX))
    deep = crake.MajorityClassifier()
    for _ in range(40):
        deep = Twice(deep)
    with pytest.raises(crake.CrakeError, match="nested"):
        crake.save(deep.fit(TAX), tmp_path / "deep.crake")


def test_columns_by_the_thousand(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(6, 3000))
    table = from_xy(X, list("ababab"), nominal=list(range(1500)))
    for learner in (crake.NaiveBayesClassifier(), crake.OneRuleClassifier(min_bucket=1)):
        model = learner.fit(table)
        assert same_bits(round_trip(model, tmp_path).predict_proba(table), model.predict_proba(table))
