"""Nomograms of logistic regressions: the range of numbers, levels that separate, the pair of classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crake
from crake.learners.logistic.drawing import nomogram_of


@pytest.fixture(scope="module")
def passengers() -> crake.LogisticClassifier:
    """Fares from 0 on, and two passengers without a port, who both survived."""
    rng = np.random.default_rng(4)
    fare, port = rng.exponential(30, 300), rng.choice(["S", "C", "Q"], 300).astype(object)
    survived = np.where(rng.logistic(size=300) + fare / 30 > 1, "yes", "no")
    port[:2], survived[:2] = None, "yes"
    return crake.LogisticClassifier().fit(pd.DataFrame({"fare": fare, "port": port}), survived)


def test_numbers_are_drawn_as_far_as_the_rows_go(passengers: crake.LogisticClassifier) -> None:
    picture = nomogram_of(passengers, None, None, 20, None)
    fares = next(each for each in picture.attributes if each.name == "fare")
    assert all(float(value.name) >= 0 for value in fares.values)
    assert any("from the least to the largest value" in note for note in picture.notes)


def test_levels_that_separate_are_off_the_scale_and_out_of_the_sentence(passengers: crake.LogisticClassifier) -> None:
    assert "port missing" in str(passengers.separation_)
    picture = nomogram_of(passengers, None, None, 20, None)
    ports = [value.name for each in picture.attributes if each.name == "port" for value in each.values]
    assert "missing" not in ports
    assert "missing" not in picture.finding
    assert "Off the scale, for no row of some class has it: port missing." in picture.notes


def test_the_range_is_in_the_model_file_and_old_files_load(
    passengers: crake.LogisticClassifier, tmp_path: Path
) -> None:
    crake.save(passengers, tmp_path / "model.crake")
    again = crake.load(tmp_path / "model.crake")
    assert again.extent_.tolist() == passengers.extent_.tolist()
    again.extent_ = None  # as a file has it that was written before the range was kept
    crake.save(again, tmp_path / "old.crake")
    old = crake.load(tmp_path / "old.crake")
    assert old.extent_ is None
    assert any("two standard deviations" in note for note in nomogram_of(old, None, None, 20, None).notes)


def test_a_rare_base_class_is_not_the_one_drawn_against() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(200, 2)), rng.choice(["8", "9"], 200).astype(object)
    y[0] = "1"
    model = crake.LogisticClassifier("ridge").fit(x, y)
    assert set(nomogram_of(model, None, None, 20, None).subtitle.split(" against ")) == {"8", "9"}
    assert nomogram_of(model, "9", "1", 20, None).subtitle == "9 against 1"
