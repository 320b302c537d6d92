"""The nomogram of naive Bayes: numbers are drawn as far as the values learned from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.modelfile.repaired import changed

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.naive_bayes.drawing import nomogram_of
from crake.statistics import ClassMoments

LEARNED = "Numbers are drawn from the least to the largest value that the model learned from."


def _passengers(rows: int = 300) -> pd.DataFrame:
    """Fares and siblings that are never below 0, and have a long tail."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"fare": rng.exponential(30, rows).round(2), "sibsp": rng.poisson(0.5, rows).astype(float)})
    frame["survived"] = np.where(frame["fare"] + rng.normal(0, 20, rows) > 30, "yes", "no")
    return frame


def _fitted(frame: pd.DataFrame, **options: object) -> crake.NaiveBayesClassifier:
    return crake.NaiveBayesClassifier(**options).fit(frame[["fare", "sibsp"]], frame["survived"])


@pytest.fixture(scope="module")
def passengers() -> crake.NaiveBayesClassifier:
    return _fitted(_passengers())


def _values(model: crake.NaiveBayesClassifier) -> dict[str, list[float]]:
    picture = nomogram_of(model, None, None, 20, None)
    return {each.name: [float(value.name.replace("−", "-")) for value in each.values] for each in picture.attributes}


def _extent(model: crake.NaiveBayesClassifier) -> np.ndarray:
    return model.statistics_[ClassMoments].extent


@pytest.mark.parametrize("options", [{}, {"numeric": "kernel"}, {"precision": 0.5}])
def test_numbers_go_as_far_as_the_values_learned_from(options: dict[str, object]) -> None:
    frame = _passengers()
    model = _fitted(frame, **options)
    for name, values in _values(model).items():
        assert min(values) >= 0
        assert frame[name].max() / 2 < max(values) <= frame[name].max() + 0.5
    assert LEARNED in nomogram_of(model, None, None, 20, None).notes


def test_gaps_and_rows_without_a_class_or_weight_are_not_in_the_range() -> None:
    frame = _passengers()
    frame.loc[0, ["fare", "sibsp"]] = [-1e6, np.nan]
    frame.loc[1, "fare"] = 1e6
    frame.loc[1, "survived"] = None
    weights = np.where(np.arange(len(frame)) == 0, 0.0, 1.0)
    model = crake.NaiveBayesClassifier().fit(frame[["fare", "sibsp"]], frame["survived"], sample_weight=weights)
    rest = frame[2:]
    assert _extent(model)[0, 0].min(axis=0).tolist() == rest[["fare", "sibsp"]].min().tolist()
    assert _extent(model)[1, 0].max(axis=0).tolist() == rest[["fare", "sibsp"]].max().tolist()


def test_the_range_is_in_the_model_file_and_old_files_load(
    passengers: crake.NaiveBayesClassifier, tmp_path: Path
) -> None:
    crake.save(passengers, tmp_path / "model.crake")
    again = crake.load(tmp_path / "model.crake")
    assert _extent(again).tobytes() == _extent(passengers).tobytes()
    moments = passengers.statistics_[ClassMoments]
    unknown = passengers.statistics_.with_part(replace(moments, extent=np.full_like(moments.extent, np.nan)))
    crake.save(crake.NaiveBayesClassifier().estimate(unknown), tmp_path / "old.crake")
    assert b"extent" not in (tmp_path / "old.crake").read_bytes()
    old = crake.load(tmp_path / "old.crake")
    assert any("two standard deviations" in note for note in nomogram_of(old, None, None, 20, None).notes)
    assert min(_values(old)["fare"]) < 0


def test_a_file_whose_least_value_is_above_the_largest_is_an_error(
    passengers: crake.NaiveBayesClassifier, tmp_path: Path
) -> None:
    crake.save(passengers, tmp_path / "model.crake")
    forged = changed(
        (tmp_path / "model.crake").read_bytes(),
        lambda document, tensors: tensors["statistics/extent"].__setitem__((0, 0, 0), 1e9),
    )
    (tmp_path / "model.crake").write_bytes(forged)
    with pytest.raises(ModelFileError, match="least value above the largest"):
        crake.load(tmp_path / "model.crake")


def test_rows_added_and_merged_widen_the_range(passengers: crake.NaiveBayesClassifier) -> None:
    frame = _passengers()
    X, y = frame[["fare", "sibsp"]], frame["survived"]
    portions = crake.NaiveBayesClassifier().partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    merged = _fitted(frame[:100]).merge(_fitted(frame[100:]))
    for model in (portions, merged):
        assert _extent(model).tobytes() == _extent(passengers).tobytes()


def test_after_an_end_is_forgotten_the_range_is_not_known() -> None:
    frame = _passengers()
    X, y = frame[["fare", "sibsp"]], frame["survived"]
    dearest, inside = [int(frame["fare"].argmax())], [int((frame["fare"] - 30).abs().argmin())]
    model = _fitted(frame).forget(X.iloc[dearest], y.iloc[dearest])
    assert any("two standard deviations" in note for note in nomogram_of(model, None, None, 20, None).notes)
    assert _values(_fitted(frame))["fare"] == _values(_fitted(frame).forget(X.iloc[inside], y.iloc[inside]))["fare"]


def test_a_value_beyond_the_range_was_never_learned(passengers: crake.NaiveBayesClassifier) -> None:
    beyond = pd.DataFrame({"fare": [1e4], "sibsp": [0.0]})
    with pytest.raises(CrakeError, match="fare that were not learned"):
        passengers.forget(beyond, ["yes"])
