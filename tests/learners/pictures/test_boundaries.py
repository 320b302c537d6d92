"""Decision boundaries and margins: what is drawn is what the models answer; hostile names stay text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import crake
from crake.learners.pictures.plane import CELLS
from crake.render.drawing.axis import Axis, Frame
from crake.render.drawing.boundaries import regions
from crake.render.drawing.margin import contour
from crake.table.convert.frames import from_frame

PETALS = ("petal length (cm)", "petal width (cm)")
FRAME = Frame(0, 0, CELLS, CELLS, Axis.shares("x"), Axis.shares("y"))


def panels(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter() if (text.get("class") or "") == "cd-b"]


def test_a_panel_for_each_with_every_row_and_region() -> None:
    iris = crake.read("iris")
    learners = ["1r", crake.SVMClassifier("rbf"), KNeighborsClassifier(3)]
    svg = crake.decision_boundaries(learners, iris, PETALS).svg()
    assert panels(svg) == ["1R", "SVM (kernel='rbf')", "KNeighborsClassifier"]
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    dots = [e for e in root.iter() if e.tag.endswith(("circle", "path")) and e.get("opacity") is None]
    assert len(dots) >= 3 * 150
    # 3 panels of 3 regions, each with the name of its class to be read.
    named = [e for e in root.iter() if e.get("shape-rendering") == "crispEdges"]
    assert [e[0].text for e in named] == ["setosa", "versicolor", "virginica"] * 3


def test_the_regions_cover_the_plane_with_the_answers() -> None:
    answers = np.random.default_rng(1).integers(0, 3, (CELLS, CELLS))
    painted = np.full((CELLS, CELLS), -1)
    for style, d in regions(answers.tolist(), FRAME):
        for x, y, wide, high in re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", d):
            bottom = CELLS - int(y) - int(high)
            part = painted[bottom : bottom + int(high), int(x) : int(x) + int(wide)]
            assert (part == -1).all()
            part[:] = style
    np.testing.assert_array_equal(painted, answers)


def test_the_drawn_answer_is_the_model_s() -> None:
    iris = crake.read("iris")
    narrow = iris.select([*PETALS, iris.schema.target or ""])
    model = crake.C45Classifier().fit(narrow)
    picture = crake.decision_boundaries(model, iris, PETALS)
    expected = np.mean(model.predict(narrow) == np.array(iris.labels(iris.target)))
    assert f"{100 * expected:.0f} %" in picture.finding


def test_a_model_of_more_columns_holds_the_others_still() -> None:
    iris = crake.read("iris")
    picture = crake.decision_boundaries(crake.NaiveBayesClassifier().fit(iris), iris, PETALS)
    assert "2 columns held" in picture.svg()
    assert "median or most frequent level" in picture.svg()


def test_boundaries_hostile_names_stay_text() -> None:
    name = '<script>alert("x")</script>'
    frame = {"a]]>": [1.0, 2.0, 3.0, 4.0], name: [1.0, 2.0, 1.0, 3.0], "y": [name, name, "\x1b[31m", "b"]}
    table = from_frame(pd.DataFrame(frame), target="y")
    svg = crake.decision_boundaries("naive-bayes", table).svg()
    assert "<script" not in svg
    assert "\x1b" not in svg
    ET.fromstring(svg)


def test_what_cannot_be_drawn_is_said() -> None:
    iris = crake.read("iris")
    with pytest.raises(crake.CrakeError, match="4 numeric columns; boundaries are drawn over two"):
        crake.decision_boundaries("1r", iris)
    with pytest.raises(crake.CrakeError, match="no column 'petal'"):
        crake.decision_boundaries("1r", iris, ("petal", PETALS[1]))
    with pytest.raises(crake.CrakeError, match="nominal; boundaries are drawn over two numeric"):
        crake.decision_boundaries("1r", crake.read("tax"), ("refund", "taxable_income"))
    X, y = iris.to_xy()
    wide = KNeighborsClassifier().fit(np.column_stack(X.columns), y)
    with pytest.raises(crake.CrakeError, match="fitted on 4 columns"):
        crake.decision_boundaries(wide, iris, PETALS)
    with pytest.raises(crake.CrakeError, match="Table in memory"):
        crake.decision_boundaries("1r", [[1.0, 2.0]], ("a", "b"))
    with pytest.raises(crake.CrakeError, match="no model was given"):
        crake.decision_boundaries([], iris, PETALS)


def test_the_margin_of_the_lectures_is_drawn_where_it_lies() -> None:
    X, y = [[0, 0], [2, 2]], [-1, 1]
    model = crake.SVMClassifier(margin="hard", scale=False, probability="votes").fit(X, y)
    picture = model.draw_margin(X, y)
    assert "is 2.828 wide; 2 support vectors are ringed" in picture.finding
    root = ET.fromstring(picture.svg())
    said = [e[0].text for e in root.iter() if e.tag.endswith(("path", "circle")) and len(e)]
    assert said.count("support vector") == 2
    assert [s for s in said if s and s.startswith("f = ")] == ["f = -1", "f = 0, the middle of the margin", "f = 1"]


def test_contours_of_a_plane_are_straight_and_whole() -> None:
    field = [[x + y for x in range(20)] for y in range(20)]
    frame = Frame(0, 0, 20, 20, Axis.shares("x"), Axis.shares("y"))
    d = contour(field, 12.5, frame)
    assert d.count("M") == 1
    for x, y in re.findall(r"([\d.]+) ([\d.]+)", d):
        assert (float(x) - 0.5) + (19.5 - float(y)) == pytest.approx(12.5, abs=0.02)
    ring = [[(x - 10) ** 2 + (y - 10) ** 2 for x in range(21)] for y in range(21)]
    assert contour(ring, 30.0, frame).count("M") == 1


def test_only_margins_of_two_classes_and_two_numbers_are_drawn() -> None:
    iris = crake.read("iris")
    with pytest.raises(crake.CrakeError, match="two classes over two numeric columns"):
        crake.SVMClassifier(probability="votes").fit(iris).draw_margin(iris)
    two = iris.take(np.flatnonzero(iris.target != 0)).select([*PETALS, iris.schema.target or ""])
    picture = crake.SVMClassifier("rbf", probability="votes").fit(two).draw_margin(two)
    assert "versicolor and virginica" in picture.finding
    assert "setosa" not in picture.svg()
