"""`crake evaluate` of a regressor's model file: measures, page, JSON, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import crake as library


@pytest.fixture
def files(tmp_path):
    """A model of prices and rows it has not seen."""
    rng = np.random.default_rng(0)
    x, place = rng.normal(50, 10, 120), rng.choice(["north", "south"], 120)
    frame = pd.DataFrame({"x": x.round(3), "place": place, "price": (3 * x + 9 * (place == "north")).round(1)})
    model, test = tmp_path / "price.crake", tmp_path / "test.csv"
    library.save(library.LinearRegressor().fit(library.read(frame[:80], target="price")), model)
    frame[80:].to_csv(test, index=False)
    return model, test, frame[80:]


def test_the_model_is_tested_as_it_is(crake, files):
    model, test, rows = files
    ended = crake("evaluate", model, test)
    assert ended.code == 0
    off = library.load(model).predict(rows[["x", "place"]]) - rows["price"]
    assert f"RMSE {np.sqrt(np.mean(off**2)):.4g}"[:9] in ended.out
    assert "rows: 40" in ended.out
    assert "crake.NumberEvaluation.of_model(model, table)" in ended.out
    assert str(rows["x"].iloc[0]) not in ended.out


def test_page_and_other_reports_are_written(crake, files, tmp_path):
    model, test, _ = files
    page, text = tmp_path / "report.html", tmp_path / "report.md"
    ended = crake("evaluate", model, test, "--html", page, "--report", text, "--show-rows")
    assert ended.code == 0
    assert "Predicted and true" in page.read_text("utf-8")
    assert "largest errors" in text.read_text("utf-8")


def test_json_has_a_schema(crake, files):
    model, test, _ = files
    found = json.loads(crake("evaluate", model, test, "--json", "--errors", 2).out)
    assert found["schema"] == "crake-number-report/3"
    assert [each["name"] for each in found["measures"]] == ["RMSE", "MAE", "R²"]
    assert len(found["grids"][1]["rows"]) == 2


def test_with_a_plan_the_learner_is_refitted(crake, files):
    model, test, _ = files
    out = crake("evaluate", model, test, "--plan", "cv5").out
    assert "refitted with its parameters" in out
    assert "5-fold cross-validation" in out
    assert "stratified 5-fold" not in out


def test_measures_of_values_can_be_gates(crake, files):
    model, test, _ = files
    assert crake("evaluate", model, test, "--fail-over", "rmse=1e9", "--fail-under", "r_squared=-9").code == 0
    ended = crake("evaluate", model, test, "--fail-over", "mae=1e-9")
    assert ended.code == 1
    assert "gate failed: mae of " in ended.err
    assert ended.err.rstrip().endswith(", over 1e-09")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--positive", "north"], "--positive speaks of classes"),
        (["--fail-under", "auc=0.5"], "'auc' measures predicted classes, not predicted values"),
        (["--target", "nowhere"], "nowhere"),
    ],
)
def test_what_speaks_of_classes_is_refused(crake, files, options, said):
    ended = crake("evaluate", files[0], files[1], *options)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_file_that_predicts_nothing_is_refused(crake, files, tmp_path):
    cut = library.Discretizer().fit(library.read("iris"))
    library.save(cut, tmp_path / "cuts.crake")
    ended = crake("evaluate", tmp_path / "cuts.crake", files[1])
    assert ended.code == 2
    assert "holds a Discretizer, and this command takes a classifier or a regressor" in ended.err
