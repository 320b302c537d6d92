"""Hashes of coded rows: equal rows have one, whatever the type of their codes and the bits of a gap."""

from __future__ import annotations

import numpy as np

from crake.kernels.linear.row_hash import hash_rows


def hashes(codes: np.ndarray, values: np.ndarray) -> np.ndarray:
    out = np.empty(len(codes), np.uint64)
    hash_rows(codes, values.view(np.uint64), out)
    return out


def test_equal_rows_have_one_hash() -> None:
    gaps = np.array([np.nan, -np.nan, 0.0])
    gaps.view(np.uint64)[2] = 0x7FF0000000000001
    values = np.concatenate([gaps, [0.0, -0.0, 1.0]])[:, None]
    found = hashes(np.full((6, 2), -1, np.int32), values)
    assert len(set(found[:3].tolist())) == 1
    assert found[3] == found[4]
    assert len(set(found.tolist())) == 3


def test_narrow_codes_have_the_hashes_of_wide_ones() -> None:
    codes, values = np.random.default_rng(1).integers(-2, 100, (300, 3)), np.random.default_rng(2).random((300, 2))
    expected = hashes(codes.astype(np.int32), values)
    for kind in (np.int8, np.int16):
        np.testing.assert_array_equal(hashes(codes.astype(kind), values), expected)
    assert len(np.unique(expected)) == 300


def test_hashes_are_spread_evenly() -> None:
    codes, values = np.zeros((4000, 1), np.int32), np.arange(4000.0)[:, None]
    share = (hashes(codes, values) < np.uint64(1 << 62)).mean()
    assert 0.22 < share < 0.28
    codes = np.arange(4000, dtype=np.int32)[:, None]
    assert 0.22 < (hashes(codes, np.zeros((4000, 0))) < np.uint64(1 << 62)).mean() < 0.28
