"""What all drawings share: letters, axes, the sheet, the object that is shown and saved."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.errors import CrakeError
from crake.render.drawing.axis import Axis, round_ticks
from crake.render.drawing.canvas import Canvas
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.style import sheet
from crake.render.drawing.text_width import fitted, text_width


@given(st.text(max_size=60), st.floats(12, 300), st.booleans())
def test_a_shortened_text_fits(text, room, bold):
    assert text_width(fitted(text, room, 12, bold=bold), 12, bold=bold) <= max(room, 13.6) + 0.01  # "…" at least


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(3, 9))
def test_ticks_hold_the_range(low, span, most):
    span += 1e-9 * abs(low)
    ticks = np.array(round_ticks(low, low + span, most))
    assert ticks[0] <= low + 1e-6 * span
    assert ticks[-1] >= low + span - 1e-6 * span
    assert np.all(np.diff(ticks) > 0)
    assert 2 <= len(ticks) <= most + 2


def test_a_logarithmic_axis_puts_the_geometric_mean_in_the_middle():
    axis = Axis.logarithmic("rows", 10, 1000)
    assert axis.place(100) == pytest.approx(0.5)
    assert 100.0 in axis.ticks


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_any_text_is_well_formed(texts):
    canvas = Canvas(100, 100)
    for text in texts:
        canvas.text(0, 0, text, room=50)
        canvas.rect(0, 0, 1, 1, "f0", title=text)
    ET.fromstring(canvas.svg(texts[0], "found"))


def test_a_shortened_text_is_whole_in_its_title(taken):
    canvas = Canvas(100, 100)
    canvas.text(0, 0, "a name that is much too long for the room there is", room=80)
    text = taken(canvas.svg("t", "f")).all("text")[0]
    assert text[0].text == "a name that is much too long for the room there is"


def test_right_to_left_names_leave_the_line_from_left_to_right(taken):
    canvas = Canvas(100, 100)
    canvas.text(0, 0, "שלום, AUC 0.9")
    assert taken(canvas.svg("t", "f")).words() == ["שלום, AUC 0.9"]
    assert "direction:ltr" in sheet()  # also in a page that reads from right to left


def test_light_dark_and_print_are_in_the_sheet_itself():
    rules = sheet()
    assert "@media screen and (prefers-color-scheme:dark)" in rules
    assert "@media print" in rules
    # every colour also without a variable, for programs that know none
    assert rules.count("fill:var(") == rules.count("fill:#")
    assert "<" not in rules
    assert "url(" not in rules


def test_every_rule_lies_under_the_class_of_drawings():
    rules = sheet()
    for selector in [part.rsplit("}", 1)[-1] for part in rules.split("{")[:-1]]:
        assert not selector or selector.startswith("@media") or ".crake-drawing" in selector, selector


def _drawing() -> Drawing:
    return Drawing("title", "finding", lambda: Canvas(10, 10), is_fluid=False)


def test_a_drawing_is_saved_whole(tmp_path):
    _drawing().save(tmp_path / "drawing.svg")
    assert (tmp_path / "drawing.svg").read_text() == _drawing().svg()
    with pytest.raises(CrakeError):
        _drawing().save(tmp_path / "no such folder" / "drawing.svg")


def test_notebooks_get_both_forms(taken):
    taken(_drawing()._repr_svg_())
    html = _drawing()._repr_html_()
    assert html.startswith("<div")
    assert "tabindex" in html
    assert _drawing().svg() in html


def test_a_page_may_hold_the_sheet_itself(taken):
    assert not taken(_drawing().svg(styled=False)).all("style")
