"""Names from strangers' files, made harmless and kept readable."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from crake.render.plain_text import shown, visible
from crake.render.text.columns import paragraph


@given(st.text())
def test_no_text_can_steer_a_terminal(text):
    letters = set(visible(text)) - {"\u200c", "\u200d"}
    assert not {unicodedata.category(letter) for letter in letters} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(), st.integers(20, 80))
def test_shown_text_is_bounded(text, limit):
    assert len(shown(text, limit)) <= limit


@given(st.text(st.characters(categories=("L", "N", "P"))))
def test_ordinary_text_is_left_alone(text):
    assert visible(text) == text


@given(st.lists(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=30)), st.integers(12, 80))
def test_a_paragraph_loses_nothing(words, width):
    text = " ".join(words)
    assert "".join(paragraph(text, width, first="- ").plain.split()) == "-" + "".join(words)
