"""The scale that intervals are drawn on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crake.render.scale import Scale

shares = st.floats(0, 1, allow_nan=False)


@given(st.lists(shares, min_size=1))
def test_every_share_lies_on_the_scale(values):
    scale = Scale.over(values)
    assert scale.low <= min(values) + 1e-6
    assert scale.high >= max(values) - 1e-6
    assert 0 <= scale.low < scale.high <= 1
    assert 2 <= len(scale.ticks) <= 6


@given(shares, shares, st.lists(shares, min_size=1))
def test_places_keep_the_order(one, other, values):
    scale = Scale.over(values)
    low, high = sorted((one, other))
    assert 0 <= scale.place(low) <= scale.place(high) <= 1


def test_nothing_to_draw_is_a_whole_scale():
    assert (Scale.over([]).low, Scale.over([]).high) == (0, 1)
