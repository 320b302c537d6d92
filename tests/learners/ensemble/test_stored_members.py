"""Members in model files: nearest neighbours hold each training row once, and what does not fit together is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake
from crake.errors import ModelFileError
from crake.learners.base.state import StateReader
from crake.modelfile import describe
from crake.modelfile.writing import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:.*that the model was trained on")
IRIS = crake.read("iris")
X = IRIS.matrix(["sepal length (cm)", "petal length (cm)", "petal width (cm)"], float)
MODELS: dict[str, Any] = {
    "bagging": crake.BaggingClassifier(crake.NeighborsClassifier(3), n_estimators=8),
    "weka's bagging": crake.BaggingClassifier(crake.NeighborsClassifier(3), n_estimators=8, generator="weka"),
    "adaboost": crake.AdaBoostClassifier(crake.NeighborsClassifier(40), n_estimators=4),
    "lecture": crake.AdaBoostClassifier(crake.NeighborsClassifier(40), n_estimators=4, variant="lecture"),
}


def rows_held(model: Any, folder: Path) -> int:
    crake.save(model, folder / "rows.crake")
    return describe(folder / "rows.crake").rows_held


@pytest.mark.parametrize("name", MODELS)
def test_each_training_row_is_stored_once(name: str, tmp_path: Path) -> None:
    model = MODELS[name].fit(IRIS)
    assert len(model.estimators_) > 1
    data, rows = model_bytes(model), rows_held(model, tmp_path)
    assert 100 < rows <= len(IRIS)
    crake.save(model, tmp_path / "x.crake")
    loaded = crake.load(tmp_path / "x.crake")
    np.testing.assert_array_equal(loaded.predict_proba(IRIS), model.predict_proba(IRIS))
    assert model_bytes(loaded) == data
    member, other = loaded.estimators_[1], model.estimators_[1]
    np.testing.assert_array_equal(member.kneighbors(IRIS)[1], other.kneighbors(IRIS)[1])


@pytest.mark.parametrize("kind", [crake.BaggingRegressor, crake.AdaBoostRegressor])
def test_each_training_row_of_numbers_is_stored_once(kind: Any, tmp_path: Path) -> None:
    model = kind(crake.NeighborsRegressor(3), n_estimators=4).fit(X[:, 1:], X[:, 0])
    assert rows_held(model, tmp_path) <= len(X)
    crake.save(model, tmp_path / "x.crake")
    np.testing.assert_array_equal(crake.load(tmp_path / "x.crake").predict(X[:, 1:]), model.predict(X[:, 1:]))


def test_members_of_other_rows_are_stored_one_by_one(tmp_path: Path) -> None:
    model = crake.ArbiterTreeClassifier(crake.NeighborsClassifier(3), n_partitions=3).fit(IRIS)
    assert "members" in model.state()
    crake.save(model, tmp_path / "x.crake")
    np.testing.assert_array_equal(crake.load(tmp_path / "x.crake").predict_proba(IRIS), model.predict_proba(IRIS))


def test_rows_that_are_not_there_are_refused() -> None:
    model = MODELS["bagging"].fit(IRIS)
    state = model.state()
    members, first = state["rows_of_members"], state["rows_of_members"]["0"]

    def refused(**changed: Any) -> str:
        parts = {**state, **changed}
        with pytest.raises(ModelFileError) as error:
            crake.BaggingClassifier(crake.NeighborsClassifier(3), n_estimators=8).restore(StateReader(parts))
        return str(error.value)

    beyond = {**first, "rows": first["rows"] + 60}
    assert "rows_of_members/0/rows holds" in refused(rows_of_members={**members, "0": beyond})
    none = {**first, "rows": first["rows"][:0], "weights": first["weights"][:0]}
    assert "rows_of_members/0/training_rows/codes holds no row" in refused(rows_of_members={**members, "0": none})
    light = {**first, "weights": first["weights"] - 1}
    assert "rows_of_members/0/training_rows/weights" in refused(rows_of_members={**members, "0": light})
    assert "members is empty" in refused(rows_of_members={})
    classes = {**state["training_rows"], "target": state["training_rows"]["target"] + 1}
    assert "target holds" in refused(training_rows=classes)
    trees = crake.BaggingClassifier(n_estimators=8)
    with pytest.raises(ModelFileError, match="are of a C45Classifier"):
        trees.restore(StateReader(state))
