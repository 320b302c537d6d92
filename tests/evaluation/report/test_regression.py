"""The report on a regressor: one summary, the same numbers in every rendering, rows only where they are asked for."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from sklearn.linear_model import Ridge

import crake
from crake.errors import CrakeError, DataError, SchemaError, TargetNotFound
from crake.evaluation.drawing.regression import predicted_picture, residual_picture
from crake.evaluation.protocol.fitted_model import new_to_model
from crake.evaluation.report.sections.importance import LINES
from crake.render.report.blocks import WorkedRow
from crake.table.examples import load

HOSTILE = "<script>alert(1)</script>"


def frame(rows=300, seed=0, noise=10.0):
    rng = np.random.default_rng(seed)
    place = rng.choice([HOSTILE, "b"], rows)
    data = pd.DataFrame({"x": rng.normal(50, 10, rows), "place": place})
    return data.assign(price=3 * data["x"] + 40 * (place == "b") + rng.normal(0, noise, rows))


def tables(report):
    return report["tables"].blocks


@pytest.fixture(scope="module")
def evaluation():
    return crake.evaluate(crake.LinearRegressor(), crake.read(frame(), target="price"))


def test_every_rendering_has_the_measures_with_their_intervals(evaluation):
    report = evaluation.report()
    found = json.loads(report.json())
    assert found["schema"] == "crake-number-report/3"
    for (name, estimate), line in zip(evaluation.measures().items(), found["measures"], strict=True):
        assert (line["value"], line["low"], line["high"]) == pytest.approx((float(estimate), *estimate.interval)), name
        for rendering in (str(report), report.markdown(), report.to_html(), report.fragment()):
            assert f"{float(estimate):.4g}" in rendering, name
    assert found["measures"][2]["of_mean"] == 0
    actual = evaluation.out_of_fold.actual
    assert found["measures"][0]["of_mean"] == pytest.approx(np.std(actual))


def test_rows_are_shown_only_where_they_are_asked_for(evaluation):
    report, asked = evaluation.report(), evaluation.report(show_rows=True)
    assert report.blocks(WorkedRow) == ()
    assert "show_rows" in report.to_dict()["without_rows"]
    assert [grid.title for grid in tables(report)] == ["How large the errors are"]
    assert [row.kind for row in asked.blocks(WorkedRow)] == ["Closest", "Typical", "Farthest"]
    off = np.abs(evaluation.out_of_fold.actual - evaluation.out_of_fold.predicted)
    worst = int(evaluation.out_of_fold.rows[np.argmax(off)])
    assert asked.blocks(WorkedRow)[-1].row == worst
    assert tables(asked)[1].rows[0][0] == str(worst)
    assert tables(asked)[1].header == ("row", "true", "predicted", "error", "x", "place")
    cell = f"{frame()['x'][worst]:g}"
    assert cell in str(asked)
    assert cell not in "".join([report.to_html(), report.markdown(), report.json(), str(report)])


def test_the_page_is_whole_and_names_stay_text(evaluation):
    page = evaluation.to_html(show_rows=True)
    assert HOSTILE not in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=", page)
    # Predicted, residuals, the coefficients, the importances, the strongest column.
    assert page.count("<svg") == 5
    assert len(page) < 80_000
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(evaluation.markdown(show_rows=True))
    inside = [child.type for token in tokens for child in token.children or ()]
    assert "html_block" not in [token.type for token in tokens]
    assert "html_inline" not in inside


def test_the_report_is_saved_by_its_ending(evaluation, tmp_path):
    report = evaluation.report()
    for ending, start in ((".html", "<!doctype"), (".md", "# Linear reg"), (".json", "{"), (".txt", "Linear reg")):
        report.save(tmp_path / f"report{ending}")
        assert (tmp_path / f"report{ending}").read_text("utf-8").startswith(start)
    with pytest.raises(CrakeError, match=r"expected \.html"):
        report.save(tmp_path / "report.pdf")
    evaluation.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == evaluation.to_html()


def test_every_row_is_in_a_square_of_both_clouds(evaluation):
    for picture in (predicted_picture(evaluation), residual_picture(evaluation)):
        assert sum(map(sum, picture.cloud.counts)) == 300
    # the diagonal of equal scales: right predictions lie on it
    picture = predicted_picture(evaluation)
    assert (picture.across.low, picture.across.high) == (picture.up.low, picture.up.high)
    with pytest.raises(CrakeError, match="predicted"):
        evaluation.draw("roc")


def test_residuals_say_which_way_they_lean():
    y = np.arange(40.0)
    found = crake.evaluate(crake.LinearRegressor(), y[:, None], y + np.where(y % 4 == 0, -3.0, 1.0))
    off = found.out_of_fold.actual - found.out_of_fold.predicted
    assert (
        f"{100 * np.mean(off < 0):.1f}\N{NO-BREAK SPACE}% of the predictions are too high"
        in found.draw("residuals").finding
    )


def test_a_regressor_that_explains_nothing_is_said_not_to_beat_the_mean():
    rng = np.random.default_rng(1)
    found = crake.evaluate(crake.LinearRegressor(), rng.normal(size=(60, 2)), rng.normal(size=60))
    assert "not shown to beat always the mean" in found.report(with_model=False).headline
    constant = crake.evaluate(crake.LinearRegressor(), rng.normal(size=(30, 1)), np.ones(30))
    report = constant.report()
    explained = report.to_dict()["measures"][2]
    assert explained["value"] is None
    assert explained["reason"]
    report.to_html()


def test_of_another_librarys_regressor_there_is_no_model_to_draw():
    X = np.random.default_rng(0).normal(size=(50, 2))
    found = crake.evaluate(Ridge(), X, X[:, 0])
    report = found.report(show_rows=True)
    assert report["model"].blocks == ()
    assert "no model" in report.to_dict()["without_rows"]
    assert tables(report)[1].title == "The 10 largest errors"


def test_a_fitted_model_on_a_table_it_has_not_seen():
    model = crake.LinearRegressor().fit(crake.read(frame(), target="price"))
    new = frame(100, seed=1)
    table = crake.read(new, target="price")
    found = crake.NumberEvaluation.of_model(model, table)
    off = model.predict(new[["x", "place"]]) - new["price"]
    assert float(found.rmse) == pytest.approx(np.sqrt(np.mean(off**2)))
    report = found.report(show_rows=True)
    assert report.occasion == "test of a fitted model on"
    assert "should not have seen" in report.to_dict()["about_model"]
    worked = report.blocks(WorkedRow)[0]
    assert worked.workings.answer[0][1] == pytest.approx(
        float(model.predict(new.iloc[[worked.row]][["x", "place"]])[0])
    )


def test_a_table_that_cannot_be_tested_says_why():
    model = crake.LinearRegressor().fit(crake.read(frame(), target="price"))
    of = crake.NumberEvaluation.of_model
    with pytest.raises(SchemaError, match="numeric"):
        of(model, crake.read(frame(), target="place"))
    with pytest.raises(TargetNotFound):
        of(model, crake.read(frame().drop(columns="price")))
    with pytest.raises(DataError, match="nothing to test"):
        of(model, crake.read(frame().assign(price=np.nan), target="price", numeric=["price"]))
    with pytest.raises(CrakeError, match="NaiveBayesClassifier"):
        of(crake.NaiveBayesClassifier().fit(load("iris")), load("iris"))


def test_what_is_new_to_the_model_is_told():
    model = crake.LinearRegressor().fit(crake.read(frame(), target="price"))
    new = frame(20).assign(note="n", place=["never"] * 2 + ["b"] * 18)
    warnings, notes = new_to_model(model, crake.read(new, target="price"))
    assert warnings == ("2 values of 'place' were never seen in training",)
    assert any("note" in each for each in notes)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_numbers_of_any_size_are_drawn(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    found = crake.evaluate(crake.LinearRegressor(), X, scale * (X[:, 0] + rng.normal(0, 0.1, 80)))
    page = found.to_html()
    assert "nan" not in page.lower().replace("finance", "")
    assert page.count("<svg") == 4


def test_a_comparison_of_regressors_has_a_report(tmp_path):
    comparison = crake.compare(crake.read(frame(), target="price"), learners=["mean", "linear", "cart"])
    report = comparison.report(show_rows=True)
    names = [section.name for section in report.sections_in("html")]
    of_columns = ["importance", "columns"]
    assert names == [
        "data", "leaderboard", "predictions", "tables", "model", *of_columns, "worked_rows", "checks", "protocol",
    ]  # fmt: skip
    held = json.loads(report.json())
    assert held["schema"] == "crake-number-report/3"
    assert held["entries"][0]["name"] == "linear regression"
    best = comparison.best
    assert held["entries"][0]["rmse"]["value"] == float(best.rmse)
    page = report.to_html(tmp_path / "report.html")
    for rendering in (page, report.markdown(), str(report)):
        assert f"{float(best.rmse):.4g}" in rendering
        assert "confusion" not in rendering.lower()
    assert "<script" not in page


def test_an_importance_is_an_error_added_and_one_column_is_one():
    rng = np.random.default_rng(2)
    data = pd.DataFrame(rng.normal(size=(40, LINES + 1)), columns=[f"x{k}" for k in range(LINES + 1)])
    table = crake.read(data.assign(y=data.sum(axis=1)), target="y")
    page = crake.evaluate(crake.LinearRegressor(), table, plan=crake.CrossValidation(3)).report().to_html()
    assert "RMSE added" in page
    assert "1 more column with a smaller importance is not drawn." in page
