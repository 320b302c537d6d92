"""Rows that hypothesis thinks up for ranking measures."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.plain.ranking_twin import Row

# Few distinct scores make ties; the others are any floats.
score = st.one_of(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), st.floats(-1e300, 1e300))
any_rows = st.lists(st.tuples(st.booleans(), score, st.integers(0, 3)), max_size=25)


def has_both_sides(rows: list[Row]) -> bool:
    return {p for p, _, w in rows if w > 0} == {True, False}


rows_of_both_sides = any_rows.filter(has_both_sides)


def columns(rows: list[Row]) -> tuple[list[bool], list[float], list[int]]:
    """As the measures take them: is positive, score, weight."""
    return [p for p, _, _ in rows], [s for _, s, _ in rows], [w for _, _, w in rows]
