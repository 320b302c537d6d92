"""Pair counts beside a plain loop over rows and columns, and their bound on memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from tests.laws.tables import SCHEMA, Row, rows, table, tame

from crake.errors import CrakeError, DataError
from crake.kernels import threads
from crake.kernels.statistics.joined_pairs import count_joined_pairs
from crake.kernels.statistics.pairs import Pairs, count_pairs
from crake.statistics import ClassCounts, PairCounts, ValueCounts, gather, pair_counts
from crake.statistics.forgetting import forgotten
from crake.table.convert.frames import from_xy
from crake.table.schema import Column, Kind, Schema


@given(rows(tame, lowest_class=-1))
def test_a_plain_loop_counts_the_same(some: list[Row]) -> None:
    counts = np.zeros((3, 4, 3))
    for colour, wind, _, _, label, weight in some:
        if label >= 0:
            counts[label, colour + 1, wind + 1] += weight
    pairs = gather(table(some), [PairCounts])[PairCounts]
    np.testing.assert_array_equal(pairs.with_missing(0, 1)[0], counts)
    np.testing.assert_array_equal(pairs.table(0, 1)[0], counts[:, 1:, 1:])
    np.testing.assert_array_equal(pairs.table(1, 0)[0], counts[:, 1:, 1:].swapaxes(1, 2))


def many(size: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    X = random.integers(0, 5, (size, columns)).astype(object)
    X[random.random(X.shape) < 0.05] = None
    return X, random.choice(["p", "q", "r"], size)


def test_margins_of_pairs_are_value_counts() -> None:
    X, y = many(3000, 6)
    statistics = gather(from_xy(X, y, nominal="all"), [ClassCounts, ValueCounts, PairCounts])
    pairs, values = statistics[PairCounts], statistics[ValueCounts]
    for i in range(6):
        for j in range(i + 1, 6):
            whole = pairs.with_missing(i, j)
            np.testing.assert_array_equal(whole.sum(axis=3)[:, :, 1:], values.table(i))
            np.testing.assert_array_equal(whole.sum(axis=2)[:, :, 0], values.missing(j))
    with pytest.raises(IndexError, match="expected two columns i < j of 6, got 3 and 3"):
        pairs.with_missing(3, 3)


def test_threads_do_not_change_a_bit() -> None:
    X, y = many(4000, 12)
    held = from_xy(X, y, nominal="all", sample_weight=np.random.default_rng(1).random(4000))
    results = []
    for number in (1, 2, 3):
        with threads.limited(number):
            results.append(gather(held, [PairCounts])[PairCounts].counts.tobytes())
    assert results[0] == results[1] == results[2]


def test_too_much_memory_is_refused_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = tuple(range(100_000))
    wide = Schema((Column("id", Kind.NOMINAL, levels), Column("zip", Kind.NOMINAL, levels), *SCHEMA.columns), "label")
    message = (
        r"all pairs of 4 nominal columns would take 240\.0 GB, with 3 classes and 1 groups of rows; "
        r"expected at most 1\.1 GB: leave out columns of many values \('id' has 100,000\)"
    )
    with pytest.raises(DataError, match=message):
        PairCounts.empty(wide)
    monkeypatch.setattr(pair_counts, "MOST_BYTES", 3 * 12 * 8)
    assert PairCounts.empty(SCHEMA).counts.nbytes == 3 * 12 * 8
    with pytest.raises(DataError, match="2 groups of rows"):
        PairCounts.empty(SCHEMA, groups=2)


def test_levels_met_later_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    first = gather(table([(0, 0, 1.0, 1.0, 0, 1.0)]), [PairCounts])
    colour = replace(SCHEMA["colour"], levels=("red", "green", "blue", "pink"))
    monkeypatch.setattr(pair_counts, "MOST_BYTES", 3 * 12 * 8)
    with pytest.raises(DataError, match="nominal columns would take"):
        first.under(SCHEMA.with_column(colour))


def test_the_pair_that_was_not_learned_is_named() -> None:
    learned = gather(table([(0, 0, 1.0, 1.0, 0, 1.0), (1, 1, 1.0, 1.0, 0, 1.0)]), [PairCounts])
    rows_ = gather(table([(0, 1, 1.0, 1.0, 0, 1.0)]), [PairCounts])
    with pytest.raises(CrakeError, match="1 rows with colour = 'red', wind = 'strong' and class 'n' are to be forgot"):
        forgotten(learned, rows_, keep_levels=True)


def test_levels_of_forgotten_rows_are_gone() -> None:
    X = np.array([["a", "x"], ["b", "x"], ["c", "y"]], dtype=object)
    whole, gone = (
        gather(from_xy(X[r], ["p", "q", "q"][r], nominal="all"), [PairCounts]) for r in (slice(3), slice(2, 3))
    )
    left = forgotten(whole, gone, keep_levels=False)
    assert [column.levels for column in left.schema.nominal] == [("a", "b"), ("x",)]
    assert left[PairCounts].table(0, 1)[0].tolist() == [[[1], [0]], [[0], [1]]]


def test_joined_columns_count_the_same() -> None:
    """The counts of two joined columns are shared out to their pairs: five columns, one of which stands alone."""
    random = np.random.default_rng(2)
    slots, rows = np.array([3, 4, 2, 3, 5]), 2000
    codes = (random.random((rows, 5)) * slots).astype(np.int32) - 1
    target, group = random.integers(-1, 3, rows).astype(np.int32), random.integers(-1, 2, rows).astype(np.int32)
    weights = random.integers(0, 5, rows).astype(float)
    first, second = np.triu_indices(5, 1)
    ends = np.cumsum(slots[first] * slots[second])
    offsets = np.concatenate([[0], ends])
    plain, joined = np.zeros((2, 2, 3, ends[-1]))
    count_pairs(codes, Pairs(first, second, slots[second], offsets), target, group, weights, plain)
    assert count_joined_pairs(codes, slots, target, group, weights, joined)
    np.testing.assert_array_equal(joined, plain)
    assert (
        plain[1, 2, offsets[1] + 2 * 2 + 1]
        == weights[(group == 1) & (target == 2) & (codes[:, 0] == 1) & (codes[:, 2] == 0)].sum()
    )
    assert not count_joined_pairs(codes, slots, target, group, weights + 0.5, joined)
    assert not count_joined_pairs(codes - 1, slots, target, group, weights, joined)
    assert not count_joined_pairs(codes[:50], slots, target[:50], group[:50], weights[:50], joined)
