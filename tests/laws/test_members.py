"""The laws of a statistic, for every member of the family: a new member is tested as soon as it is listed."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.arrays import arrays_of, assert_same_bits
from tests.laws.tables import InBatches, Row, rows, tame
from tests.laws.tables import table as without_text

from crake.errors import CrakeError
from crake.learners.base.state import StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.statistics import MEMBERS, ClassCounts, ClassMoments, Statistic, Statistics, gather, merge_all
from crake.statistics.forgetting import forgotten
from crake.statistics.samples import SampleCopies
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

whole = st.integers(0, 3).map(float)
positive = st.integers(1, 3).map(float)
fractions = st.floats(0, 3)
some_rows = rows(tame, whole, lowest_class=-1)
groups_of = st.lists(st.integers(-1, 2), min_size=20, max_size=20)

Kind_ = type[Statistic]
each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def table(some: list[Row]) -> Table:
    """The rows with a text beside them, whose words follow from the other cells: no text is missing, short or long."""
    held = without_text(some)
    schema = Schema((*held.schema.columns, Column("note", Kind.TEXT)), held.schema.target)
    texts = np.empty(len(some), object)
    texts[:] = [text(row) for row in some]
    return Table(schema, held.require_memory().with_columns({"note": texts}), held.name, held.weights)


def text(row: Row) -> str | None:
    colour, wind, size, *_ = row
    if colour == -1 and wind == -1:
        return None
    return f"{'Alpha ' * (colour + 1)}{'beta, ' * (wind + 1)}{'' if size != size else f'n{abs(int(size))}'}"


def of(source: Table | InBatches, member: Kind_, **options: object) -> Statistics:
    return gather(source, list(dict.fromkeys([ClassCounts, member])), **options)  # type: ignore[arg-type]


def assert_equal(one: Statistics, other: Statistics, member: Kind_, *, rounding: bool = True) -> None:
    """To the bit; members whose merges are rounded to 1e-9 of their largest number."""
    assert one.schema == other.schema
    if member.is_exact or not rounding:
        assert_same_bits(one[member], other[member])
        return
    for (name, a), (_, b) in zip(arrays_of(one[member]), arrays_of(other[member]), strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=name)
        else:
            assert a == b, name


def in_groups(some: list[Row], numbers: list[int]) -> np.ndarray:
    return np.resize(np.array(numbers, np.int32), len(some))


def with_observed_levels(source: Table, drop: int) -> Table:
    """The table under levels of its own: some are not there yet, as in a scan that has not met them."""
    schema = source.schema
    for column in schema.columns:
        if column.kind is Kind.NOMINAL:
            codes = source.source.column(column.name)
            used = sorted({int(code) for code in codes if code >= 0} | set(range(len(column.levels) - drop)))
            place = np.full(len(column.levels) + 1, -1, np.int32)
            place[used] = np.arange(len(used))
            levels = tuple(sorted(str(column.levels[code]) for code in used))
            place[used] = [levels.index(str(column.levels[code])) for code in used]
            source = Table(
                source.schema.with_column(type(column)(column.name, column.kind, levels)),
                source.source.with_columns({column.name: place[codes]}),
                source.name,
                source.weights,
            )
    return source


@each
@given(some=some_rows)
def test_the_empty_statistic_changes_nothing(member: Kind_, some: list[Row]) -> None:
    full = of(table(some), member)
    none = Statistics.empty(full.schema, [ClassCounts, member])
    for merged in (none.merge(full), full.merge(none)):
        assert_equal(merged, full, member, rounding=False)


@each
@given(a=some_rows, b=some_rows, c=some_rows)
def test_merging_is_associative_and_commutative(member: Kind_, a: list[Row], b: list[Row], c: list[Row]) -> None:
    A, B, C = (of(table(x), member) for x in (a, b, c))
    expected = of(table([*a, *b, *c]), member)
    for merged in (A.merge(B).merge(C), A.merge(B.merge(C)), C.merge(A).merge(B), merge_all([B, C, A])):
        assert_equal(merged, expected, member)


@each
@given(parts=st.lists(some_rows, min_size=1, max_size=4), drops=st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_parts_of_different_levels_are_merged_at_once_as_one_by_one(
    member: Kind_, parts: list[list[Row]], drops: list[int]
) -> None:
    own = [of(with_observed_levels(table(part), drop), member) for part, drop in zip(parts, drops, strict=False)]
    at_once, one_by_one = merge_all(own), own[0]
    for other in own[1:]:
        one_by_one = one_by_one.merge(other)
    assert_equal(at_once, one_by_one, member)
    assert at_once[ClassCounts].counts.sum() == sum(part[ClassCounts].counts.sum() for part in own)


@each
@given(some=rows(tame, fractions, lowest_class=-1), sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_any_batches_give_equal_bits(member: Kind_, some: list[Row], sizes: list[int]) -> None:
    assert_equal(of(table(some), member), of(InBatches(table(some), sizes), member), member, rounding=False)


@each
@given(some=some_rows, numbers=groups_of)
def test_groups_are_gatherings_of_their_rows(member: Kind_, some: list[Row], numbers: list[int]) -> None:
    group = in_groups(some, numbers)
    grouped = of(table(some), member, group=group, groups=3)
    assert grouped[member].groups == 3
    for one in range(3):
        own = [row for row, g in zip(some, group, strict=True) if g == one]
        assert_equal(grouped.select(one), of(table(own), member), member)
    kept = [row for row, g in zip(some, group, strict=True) if g >= 0]
    assert_equal(grouped.total(), of(table(kept), member), member)


@each
@given(some=rows(tame, st.one_of(whole, st.sampled_from([0.5, 0.25]))), numbers=groups_of)
def test_all_but_one_group_are_the_others_merged(member: Kind_, some: list[Row], numbers: list[int]) -> None:
    grouped = of(table(some), member, group=in_groups(some, numbers), groups=3)
    for left_out in range(3):
        others = [grouped.select(group) for group in range(3) if group != left_out]
        assert_equal(grouped.without(left_out), merge_all(others), member)


@each
@given(some=rows(tame, whole), data=st.data())
def test_samples_are_repeated_rows(member: Kind_, some: list[Row], data: st.DataObject) -> None:
    number = st.integers(0, 2)
    copies = np.array(data.draw(st.lists(st.tuples(number, number), min_size=len(some), max_size=len(some))), np.uint8)
    together = of(table(some), member, samples=SampleCopies(copies))
    for sample in range(2):
        repeated = [row for row, times in zip(some, copies[:, sample], strict=True) for _ in range(times)]
        assert_equal(together.select(sample), of(table(repeated), member), member)


@each
@settings(max_examples=50)
@given(a=rows(tame, positive), b=rows(tame, positive))
def test_forgetting_undoes_a_merge(member: Kind_, a: list[Row], b: list[Row]) -> None:
    A, B = of(table(a), member), of(table(b), member)
    if member is ClassMoments:  # of the least and the largest value nothing may be known any more
        left = forgotten(A.merge(B), B, keep_levels=True)
        assert_same_bits(left[ClassMoments].exact, A[ClassMoments].exact)
        return
    if member.is_exact:
        assert_equal(forgotten(A.merge(B), B, keep_levels=True), A, member)
        return
    with contextlib.suppress(CrakeError):  # what is rounded may be too inexact to be given back
        left = forgotten(A.merge(B), B, keep_levels=True)
        np.testing.assert_array_equal(left[ClassCounts].counts, A[ClassCounts].counts)


@each
@given(a=rows(tame, positive), b=rows(tame, positive))
def test_rows_that_were_not_learned_are_not_forgotten(member: Kind_, a: list[Row], b: list[Row]) -> None:
    more = [*a, *b]
    with pytest.raises(CrakeError):
        forgotten(of(table(a), member), of(table(more), member), keep_levels=True)


@each
@given(some=rows(tame, st.one_of(positive, st.just(0.5))))
def test_a_model_file_holds_every_bit(member: Kind_, some: list[Row]) -> None:
    members = list(dict.fromkeys([ClassCounts, member]))
    full = of(table(some), member)
    if member.state is Statistic.state:
        with pytest.raises(CrakeError, match="they are not stored"):
            statistics_state(full, members)
        return
    reader = StateReader(statistics_state(full, members))
    again = statistics_of(reader, full.schema, members)
    reader.done()
    for one in members:
        assert_same_bits(again[one], full[one])


def test_statistics_are_asked_for_by_type_or_name() -> None:
    some = gather(table([(0, 0, 1.0, 1.0, 0, 1.0)]), [ClassCounts])
    assert some[ClassCounts] is some.class_counts
    assert some.get(ClassCounts) is some.class_counts
    other = next(member for member in MEMBERS if member is not ClassCounts)
    assert some.get(other) is None
    with pytest.raises(CrakeError, match=f"expected statistics with {other.name}, got class_counts"):
        some[other]
    with pytest.raises(AttributeError, match="expected one of class_counts, got 'colour_counts'"):
        _ = some.colour_counts
    with pytest.raises(CrakeError, match="same statistics in all parts of a merge"):
        merge_all([some, gather(table([]), [ClassCounts, other])])


def test_every_member_has_a_name_of_its_own() -> None:
    names = [member.name for member in MEMBERS]
    assert len(set(names)) == len(names)
    for member in MEMBERS:
        assert issubclass(member, Statistic)


@each
@given(some=some_rows, factors=st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=3, max_size=3))
@settings(max_examples=15)
def test_weights_of_classes_may_come_after_the_rows(member: Kind_, some: list[Row], factors: list[float]) -> None:
    if not member.has_class_weights:
        return
    source = table(some)
    by_class = np.array(factors)[: len(source.schema.classes)]
    own = np.ones(len(source)) if source.weights is None else source.weights
    known = np.where(source.target >= 0, source.target, 0)
    weighted = source.with_weights(own * by_class[known])
    assert_equal(of(source, member).with_class_weights(by_class), of(weighted, member), member)
