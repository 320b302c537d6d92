"""A fitted Discretizer in a model file: the same intervals, and every fault of its parts refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from tests.modelfile.repaired import parts

import crake
from crake.errors import CrakeError, ModelFileError
from crake.modelfile import container, describe
from crake.modelfile.writing import model_bytes

TAX = crake.read("tax")
IRIS = crake.read("iris")


def again(model: Any, folder: Path) -> Any:
    crake.save(model, folder / "d.crake")
    return crake.load(folder / "d.crake")


@pytest.mark.parametrize(
    "discretizer",
    [
        crake.Discretizer(),
        crake.Discretizer("two-way", output="codes"),
        crake.Discretizer("frequency", bins=3),
        crake.Discretizer("given", cuts={0: [5.0, 6.0]}),
        crake.Discretizer("width", bins=1),
    ],
    ids=repr,
)
def test_the_loaded_one_gives_the_same_intervals(discretizer: Any, tmp_path: Path) -> None:
    model = discretizer.fit(IRIS)
    loaded = again(model, tmp_path)
    assert loaded.get_params() == model.get_params()
    assert str(loaded) == str(model)
    assert loaded.transform(IRIS).to_arrow().equals(model.transform(IRIS).to_arrow())
    features, _ = IRIS.to_xy()
    assert loaded.transform(features).tolist() == model.transform(features).tolist()
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert model_bytes(loaded) == model_bytes(model)


def test_arrays_without_names_stay_without_names(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 5.0], [2.0, 5.5], [8.0, 5.1], [9.0, 6.0]]), ["a", "a", "b", "b"]
    loaded = again(crake.Discretizer("two-way").fit(X, y), tmp_path)
    assert loaded.transform(X)[:, 0].tolist() == ["≤ 5", "≤ 5", "> 5", "> 5"]
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.n_features_in_ == 2


def test_nominal_columns_pass_and_keep_their_levels(tmp_path: Path) -> None:
    model = crake.Discretizer("frequency", bins=2).fit(TAX)
    loaded = again(model, tmp_path)
    assert loaded.schema_ == model.schema_
    assert str(describe(tmp_path / "d.crake")).startswith("Discretizer: 3 columns; ")


def _replaced(model: Any, **tensors: Any) -> bytes:
    document, found = parts(model_bytes(model))
    document.pop("sha256")
    return container.packed(document, {**found, **tensors})


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"cuts": np.array([9.0, 1.0])}, "are not in order"),
        ({"cuts": np.array([1.0, np.nan])}, "finite numbers"),
        ({"cuts": np.array([1.0, 2.0, 3.0])}, "shares out 2 cuts"),
        ({"columns": np.array([0], np.int64)}, "is not numeric"),
        ({"columns": np.array([7], np.int64)}, "numbers from 0 to 2"),
        ({"columns": np.array([2, 2], np.int64), "widths": np.array([1, 1], np.int64)}, "twice"),
        ({"widths": np.array([-2], np.int64)}, "numbers from 0 to 2"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tensors: dict[str, Any], said: str, tmp_path: Path) -> None:
    model = crake.Discretizer("given", cuts={"taxable_income": [80.0, 95.0]}).fit(TAX)
    (tmp_path / "d.crake").write_bytes(_replaced(model, **tensors))
    with pytest.raises(ModelFileError, match=said):
        crake.load(tmp_path / "d.crake")


def test_a_pipeline_is_refused_by_name(tmp_path: Path) -> None:
    pipeline = make_pipeline(crake.Discretizer(), crake.NaiveBayesClassifier())
    features, labels = IRIS.to_xy()
    with pytest.raises(CrakeError, match=r"Pipeline cannot be saved.*save each step that is crake's"):
        crake.save(pipeline.fit(features, labels), tmp_path / "p.crake")
    assert not (tmp_path / "p.crake").exists()


def test_one_that_is_not_fitted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CrakeError, match="this Discretizer is not fitted"):
        crake.save(crake.Discretizer(), tmp_path / "d.crake")
