"""Unions of levels, short ones in Python and long ones in Arrow, in one order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.statistics import ClassCounts, Statistics, ValueCounts, levels, merge_all
from crake.statistics.levels import LevelPlaces, Levels, merged_schema, union
from crake.table.schema import Column, Kind, Schema, sorted_levels

labels = st.one_of(st.text(max_size=3), st.integers(-2, 2), st.booleans(), st.just("\ud800"))
lists = st.lists(st.lists(labels, max_size=6).map(sorted_levels), min_size=1, max_size=4)


def schema(own: Levels, *, declared: bool = False) -> Schema:
    return Schema((Column("a", Kind.NOMINAL, own, declared=declared), Column("y", Kind.NOMINAL, ("p",))), "y")


@given(lists)
def test_long_and_short_lists_have_one_union(some: list[Levels]) -> None:
    expected = sorted_levels(level for own in some for level in own)
    with pytest.MonkeyPatch.context() as patched:
        for many in (0, 1000):
            patched.setattr(levels, "MANY", many)
            whole = union(*some)
            assert whole == expected
            assert [type(level) for level in whole] == [type(level) for level in expected]
            places = LevelPlaces(schema(whole))
            for own in some:
                assert [whole[place] for place in places.of(Column("a", Kind.NOMINAL, own))] == list(own)


def test_many_parts_of_many_levels() -> None:
    random = np.random.default_rng(4)
    parts = []
    for _ in range(5):
        own = tuple(sorted({f"level {number}é" for number in random.integers(0, 4000, 2000)}))
        part = Statistics.empty(schema(own), [ClassCounts, ValueCounts])
        part[ValueCounts].counts[:] = random.integers(1, 5, part[ValueCounts].counts.shape)
        parts.append(part)
    at_once, one_by_one = merge_all(parts), parts[0]
    for part in parts[1:]:
        one_by_one = one_by_one.merge(part)
    assert at_once.schema == one_by_one.schema == merged_schema(*(part.schema for part in parts))
    np.testing.assert_array_equal(at_once[ValueCounts].counts, one_by_one[ValueCounts].counts)
    assert at_once[ValueCounts].counts.sum() == sum(part[ValueCounts].counts.sum() for part in parts)


def test_the_union_of_many_parts_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged one by one, parts of 100,000 levels each took a second a merge."""
    unions: list[int] = []
    whole = levels.union
    monkeypatch.setattr(levels, "union", lambda *lists: (unions.append(len(lists)), whole(*lists))[1])
    merge_all(Statistics.empty(schema((f"a{k}", f"b{k}")), [ClassCounts, ValueCounts]) for k in range(7))
    assert unions == [7, 7]  # of both columns


def test_declared_levels_keep_their_order_where_all_agree() -> None:
    same = merged_schema(schema(("b", "a"), declared=True), schema(("b", "a"), declared=True))
    assert (same["a"].levels, same["a"].declared) == (("b", "a"), True)
    other = merged_schema(schema(("b", "a"), declared=True), schema(("b", "a", "c")))
    assert (other["a"].levels, other["a"].declared) == (("a", "b", "c"), False)
