"""Curves in a frame."""

from __future__ import annotations

import re

import numpy as np
import pytest

from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Band, CurvePicture, Line, Mark, Whisker, curve_drawing, curve_svg
from crake.render.drawing.density_squares import Cloud
from crake.render.drawing.legend import Entry, rows_of
from crake.render.drawing.matrix import MatrixPicture, matrix_svg
from crake.render.drawing.style import DASHES
from crake.render.drawing.text_width import text_width
from crake.render.leaderboard import Matrix

X = (0.0, 0.25, 1.0)


def picture(names: tuple[str, ...]) -> CurvePicture:
    return CurvePicture(
        "ROC curve",
        names[0],
        "AUC 0.9",
        Axis.shares("false positive rate"),
        Axis.shares("true positive rate"),
        lines=tuple(Line(name, X, (0.0, 0.8, 1.0), k) for k, name in enumerate(names)),
        references=(Line("chance", (0.0, 1.0), (0.0, 1.0)),),
        faint=(Line("each fold", X, (0.0, 0.7, 1.0)),),
        bands=(Band("band", X, (0.0, 0.6, 1.0), (0.0, 0.9, 1.0)),),
        whiskers=(Whisker(0.5, 0.4, 0.6),),
        marks=(Mark(0.25, 0.8, names[0]),),
        notes=(names[0],),
    )


def test_a_curve_lies_where_its_axes_say(taken):
    found = taken(curve_svg(picture(("model",)), width=480))
    line = next(each for each in found.of_class("cd-l0") if each.get("stroke-width") == "2")
    points = [tuple(map(float, p.split())) for p in re.split("[ML]", line.get("d"))[1:]]
    left, right = points[0][0], points[-1][0]
    bottom, top = points[0][1], points[-1][1]
    assert points[1][0] == pytest.approx(left + 0.25 * (right - left), abs=0.02)
    assert points[1][1] == pytest.approx(bottom - 0.8 * (bottom - top), abs=0.02)
    assert right - left == pytest.approx(bottom - top)


def test_lines_differ_by_more_than_colour(taken):
    found = taken(curve_svg(picture(tuple("abcdefgh"))))
    lines = [p for p in found.all("path") if "cd-line" in p.get("class") and p.get("stroke-width") == "2"]
    dashes = [
        line.get("stroke-dasharray")
        for line in lines
        if line.get("d").count("L") == 2 and line.get("d").count("M") == 1
    ]
    assert len(set(dashes)) == len(dashes) == len(DASHES)


def test_every_name_is_in_the_legend(taken):
    words = taken(curve_svg(picture(("one", "two")))).words()
    for name in ("one", "two", "chance", "each fold", "band", "ROC curve", "false positive rate"):
        assert name in words


def test_curves_hostile_names_stay_text(taken, hostile):
    found = taken(curve_svg(picture(hostile)))
    found.is_whole()
    assert "<script>alert(1)</script>" in found.words()
    assert not any("\u202e" in word or "\x1b" in word for word in found.words())
    assert all(len(word) < 100 for word in found.words())


def test_the_title_and_the_finding_are_said(taken):
    found = taken(curve_drawing(picture(("model",))).svg())
    assert found.title == "ROC curve: model"
    assert found.finding == "AUC 0.9"


def test_the_legend_keeps_to_its_width():
    entries = [Entry(f"model number {k}") for k in range(7)]
    rows = rows_of(entries, 480)
    assert [entry for row in rows for _, entry in row] == entries
    assert len(rows) > 1
    assert all(len(row) == len(rows[0]) for row in rows[:-1])


@pytest.mark.parametrize("classes", [2, 5, 26, 40])
def test_a_matrix_has_a_cell_for_every_pair(taken, classes):
    counts = np.arange(1, classes * classes + 1).reshape(classes, classes)
    matrix = Matrix(
        "m", tuple(map(str, range(classes))), tuple(map(tuple, counts.tolist())), (0.5,) * classes, (None,) * classes
    )
    found = taken(matrix_svg(MatrixPicture("Confusion matrix", "m", "found", matrix)))
    found.is_whole()
    drawn = min(classes, 30)
    assert len(found.of_class("cd-f0")) == drawn
    assert len(found.of_class("cd-f1")) == drawn * (drawn - 1)


def test_hostile_classes_of_a_matrix(taken, hostile):
    n = len(hostile)
    matrix = Matrix("m", hostile, ((1.0,) * n,) * n, (0.5,) * n, (0.5,) * n)
    taken(matrix_svg(MatrixPicture(hostile[0], hostile[1], hostile[2], matrix))).is_whole()


def test_ticks_of_many_digits_push_the_frame_aside(taken):
    across, up = Axis.over("true", 0, 8e6, 5), Axis.over("predicted", 0, 8e6, 5)
    found = taken(curve_svg(CurvePicture("t", "", "f", across, up, (Line("l", (0, 8e6), (0, 8e6)),))))
    below, beside = (float(text.get("x")) for text in found.all("text") if text.text == "8,000,000")
    wide = text_width("8,000,000", 11.5)
    assert beside - wide > 14 + 4  # right of the axis's own name
    assert below + wide / 2 <= float(found.root.get("width"))


def test_a_cloud_is_drawn_in_a_few_paths(taken):
    counts = [[(i + j) % 5 for i in range(10)] for j in range(10)]
    picture = CurvePicture("t", "", "f", Axis.shares("x"), Axis.shares("y"), cloud=Cloud(counts))
    found = taken(curve_svg(picture))
    found.is_whole()
    assert len([path for path in found.all("path") if path.get("shape-rendering")]) <= 4
