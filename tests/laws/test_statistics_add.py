"""Law 1: every statistic has an empty element and a merge, and gathering is the merge of gatherings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.tables import SCHEMA, InBatches, Row, exact_moments, rows, table, tame

from crake.errors import SchemaError
from crake.statistics import ClassCounts, ClassMoments, DistinctCounts, Statistics, ValueCounts, gather
from crake.statistics.levels import merged_schema
from crake.table.convert.frames import from_xy
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

whole = st.integers(0, 3).map(float)
eighths = st.integers(0, 24).map(lambda k: k / 8)


FOUR = (ClassCounts, ValueCounts, ClassMoments, DistinctCounts)


def all_of(source: Table | InBatches, **grouped: object) -> Statistics:
    return gather(source, FOUR, **grouped)  # type: ignore[arg-type]


def assert_same_counts(one: Statistics, other: Statistics) -> None:
    assert one.schema == other.schema
    assert one.classes == other.classes
    np.testing.assert_array_equal(one.class_counts.counts, other.class_counts.counts)
    assert one.value_counts is not None
    assert other.value_counts is not None
    np.testing.assert_array_equal(one.value_counts.counts, other.value_counts.counts)
    for mine, its in zip(one.distinct_counts, other.distinct_counts, strict=True):
        for part in ("value", "group", "class_", "count", "missing"):
            np.testing.assert_array_equal(getattr(mine, part), getattr(its, part), err_msg=part)


def assert_true_moments(found: Statistics, given: list[Row]) -> None:
    """Against the exact moments of the rows, in fractions."""
    moments = found.class_moments
    assert moments is not None
    for k in range(len(found.classes)):
        for j in range(2):
            mine = [(row[2 + j], row[5]) for row in given if row[4] == k]
            n, mean, squares = exact_moments([x for x, _ in mine], [w for _, w in mine])
            unit = Fraction(2) ** int(moments.exponent[0, k, j])
            held = [Fraction(float(part)) for part in moments.moments[:, 0, k, j]]
            spread = max((abs(Fraction(x)) for x, w in mine if x == x and w > 0), default=Fraction(0))
            assert held[0] == n
            # Values of the last few bits of a float have no digits left when they stand beside others.
            tiny = Fraction(2) ** -1060
            assert abs((held[1] + held[3]) * unit - mean) <= spread * Fraction(1, 10**15) + tiny
            assert abs(held[2] * unit**2 - squares) <= squares * Fraction(1, 10**12) + tiny * unit


@given(rows(weights=eighths), rows(weights=eighths))
def test_gathering_two_tables_is_merging_two_gatherings(one: list[Row], other: list[Row]) -> None:
    both = all_of(table([*one, *other]))
    merged = all_of(table(one)).merge(all_of(table(other)))
    assert_same_counts(both, merged)
    assert_true_moments(both, [*one, *other])
    assert_true_moments(merged, [*one, *other])


@given(rows(weights=whole), rows(weights=whole), rows(weights=whole))
def test_merging_is_associative_and_commutative(a: list[Row], b: list[Row], c: list[Row]) -> None:
    A, B, C = (all_of(table(x)) for x in (a, b, c))
    left, right, turned = A.merge(B).merge(C), A.merge(B.merge(C)), C.merge(B).merge(A)
    for other in (right, turned):
        assert_same_counts(left, other)
        assert_true_moments(other, [*a, *b, *c])


@given(rows(weights=eighths))
def test_the_empty_statistic_changes_nothing(some: list[Row]) -> None:
    found = all_of(table(some))
    none = Statistics.empty(SCHEMA, FOUR)
    for merged in (none.merge(found), found.merge(none)):
        assert_same_counts(merged, found)
        assert merged.class_moments is not None
        assert found.class_moments is not None
        np.testing.assert_array_equal(merged.class_moments.moments, found.class_moments.moments)
        np.testing.assert_array_equal(merged.class_moments.exponent, found.class_moments.exponent)


@given(rows(weights=st.floats(0, 3), lowest_class=-1), st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_any_batches_give_equal_bits(some: list[Row], sizes: list[int]) -> None:
    one, other = all_of(table(some)), all_of(InBatches(table(some), sizes))
    assert_same_counts(one, other)
    assert one.class_moments is not None
    assert other.class_moments is not None
    np.testing.assert_array_equal(one.class_moments.moments, other.class_moments.moments)


@given(rows(weights=eighths, min_size=2), st.data())
def test_groups_are_gatherings_of_their_rows(some: list[Row], data: st.DataObject) -> None:
    group = data.draw(st.lists(st.integers(-1, 2), min_size=len(some), max_size=len(some)))
    found = all_of(table(some), group=np.array(group, np.int32), groups=3)
    kept = [row for row, g in zip(some, group, strict=True) if g >= 0]
    assert_same_counts(found.total(), all_of(table(kept)))
    assert_true_moments(found.total(), kept)
    for left_out in range(3):
        others = [row for row, g in zip(some, group, strict=True) if g not in (-1, left_out)]
        assert_same_counts(found.without(left_out), all_of(table(others)))
        assert_true_moments(found.without(left_out), others)


levels = st.sampled_from(["a", "b", "c", 1, 2, True])


@given(st.lists(st.tuples(levels, levels), min_size=1, max_size=8), st.lists(st.tuples(levels, levels), min_size=1))
def test_levels_met_later_are_aligned(one: list[tuple[object, object]], other: list[tuple[object, object]]) -> None:
    def of(pairs: list[tuple[object, object]]) -> Statistics:
        X, y = np.empty((len(pairs), 1), object), np.empty(len(pairs), object)
        X[:, 0], y[:] = [x for x, _ in pairs], [label for _, label in pairs]
        return gather(from_xy(X, y, nominal="all"), [ClassCounts, ValueCounts])

    merged, both = of(one).merge(of(other)), of([*one, *other])
    assert merged.schema == both.schema
    np.testing.assert_array_equal(merged.class_counts.counts, both.class_counts.counts)
    assert merged.value_counts is not None
    assert both.value_counts is not None
    np.testing.assert_array_equal(merged.value_counts.counts, both.value_counts.counts)


def test_one_outlier_in_the_fold_left_out_takes_nothing_from_the_others() -> None:
    """Subtracting the fold was wrong by a factor 650; holding all folds in the outlier's unit loses everything."""
    ordinary: list[Row] = [(0, 0, 0.1 * i, 5.0 + i, i % 2, 1.0) for i in range(40)]
    for outlier in (1e6, 1e16, 1e160, 1.7e308):
        some = [*ordinary, (0, 0, outlier, 1.0, 0, 1.0)]
        group = np.zeros(41, np.int32)
        group[40] = 1
        assert_true_moments(all_of(table(some), group=group, groups=2).without(1), ordinary)


def test_an_offset_of_a_milliard_keeps_the_digits_of_the_spread() -> None:
    rng = np.random.default_rng(5)
    some: list[Row] = [(0, 0, 1e9 + x, -1e12 + x, 0, 1.0) for x in rng.normal(0, 1e-3, 500)]
    group = np.arange(500, dtype=np.int32) % 10
    found = all_of(table(some), group=group, groups=10)
    assert_true_moments(found.total(), some)
    assert_true_moments(found.without(3), [row for row, g in zip(some, group, strict=True) if g != 3])


@settings(max_examples=30)
@given(st.floats(-1e300, 1e300, allow_subnormal=False), st.lists(st.floats(0.1, 3), min_size=2, max_size=30))
def test_equal_values_have_no_spread_whatever_their_weights(x: float, weights: list[float]) -> None:
    some: list[Row] = [(0, 0, x, 0.0, i % 2, w) for i, w in enumerate(weights)]
    group = np.arange(len(some), dtype=np.int32) % 3
    found = all_of(table(some), group=group, groups=3).total().class_moments
    assert found is not None
    assert found.moments[2].max() == 0.0
    in_one_unit, exponent = found.in_one_unit()
    held = np.ldexp(in_one_unit[1, 0, :, 0], exponent[0])[in_one_unit[0, 0, :, 0] > 0]
    np.testing.assert_array_equal(held, np.full(len(held), x))


@given(rows(tame, weights=st.floats(0.01, 3)))
def test_integral_says_whether_counts_are_exact(some: list[Row]) -> None:
    found = gather(table(some), [ClassCounts, ValueCounts])
    assert found.value_counts is not None
    is_whole = all(row[5] == int(row[5]) for row in some)
    assert found.class_counts.integral == found.value_counts.integral == is_whole


def test_statistics_of_different_columns_are_not_merged() -> None:
    other = Schema((*SCHEMA.columns[:2], Column("size", Kind.NOMINAL, ("x",)), *SCHEMA.columns[3:]), "label")
    with pytest.raises(SchemaError, match=r"size \(numeric\).* and .*size \(nominal\)"):
        merged_schema(SCHEMA, other)
