"""The critical-difference diagram: what is drawn is what was found, and names stay text."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from crake.render.experiment.critical_difference import CriticalDifference

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def diagram() -> CriticalDifference:
    names = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
    return CriticalDifference(names, (3.143, 2.0, 2.893, 1.964), 1.12, ((3, 1, 2), (1, 2), (2, 0)), 14, "AUC", 0.10)


def test_every_learner_is_named_with_its_rank_and_every_group_has_a_bar(diagram):
    drawing = ET.fromstring(diagram.svg())
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"C4.5+m+cf 1.96", "C4.5+m 2.00", "2.89 C4.5+cf", "3.14 C4.5", "CD = 1.12"} <= set(texts)
    bars = [line for line in drawing.iter(f"{SVG}line") if line.get("stroke-width") == "4"]
    assert len(bars) == 3
    # a bar reaches from its best to its worst learner: ranks are placed linearly between 1 and 4
    ends = [(float(bar.get("x1")) + 3, float(bar.get("x2")) - 3) for bar in bars]
    place = [170 + (rank - 1) / 3 * 300 for rank in (1.964, 2.893)]
    assert ends[0] == pytest.approx(place, abs=0.02)


def test_the_drawing_stays_inside_its_frame(diagram):
    drawing = ET.fromstring(diagram.svg())
    _, _, width, height = map(float, drawing.get("viewBox").split())
    for line in drawing.iter(f"{SVG}line"):
        assert all(0 <= float(line.get(x)) <= width for x in ("x1", "x2"))
        assert all(0 <= float(line.get(y)) <= height for y in ("y1", "y2"))
    assert all(float(text.get("y")) <= height for text in drawing.iter(f"{SVG}text"))


def test_a_difference_longer_than_the_axis_is_said():
    wide = CriticalDifference(("a", "b"), (1.0, 2.0), 1.4, ((0, 1),), 2, "accuracy")
    assert "CD = 1.40 (longer than the axis)" in wide.svg()


def test_hostile_names_are_text():
    name = '<script>alert("x")</script>&\x1b[31m'
    bad = CriticalDifference((name, "b"), (1.0, 2.0), 0.5, (), 3, "<b>accuracy</b>")
    texts = [text.text for text in ET.fromstring(bad.svg()).iter(f"{SVG}text")]
    assert any("<script>" in text for text in texts)
    assert "<script" not in bad.svg()
    assert "\x1b" not in bad.svg() + str(bad)
    assert "<b>" not in bad._repr_html_()
    assert str(bad).endswith("All are distinguishable.")
