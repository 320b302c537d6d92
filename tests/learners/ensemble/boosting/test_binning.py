"""Bins: plain counting beside the kernel, cuts by weight, rare levels."""

from __future__ import annotations

import numpy as np

from crake.kernels.boosting.binning import bins_of_numbers
from crake.learners.ensemble.boosting.binning import bins_of_levels, cut_points, filled_up

NO_WEIGHTS = np.zeros(0, np.int64)


def test_the_bin_of_a_number_is_the_number_of_cuts_below_it() -> None:
    random = np.random.default_rng(1)
    for cuts in (np.zeros(0), np.array([0.0]), np.sort(random.normal(size=254))):
        values = np.concatenate([random.normal(size=50), cuts, np.nextafter(cuts, np.inf), [np.nan, -1e300, 1e300]])
        bins = np.empty(len(values), np.uint8)
        bins_of_numbers(values, filled_up(cuts), bins)
        assert bins.tolist() == [255 if np.isnan(x) else int((cuts < x).sum()) for x in values]


def test_bins_share_the_rows_equally_and_a_frequent_value_has_its_own() -> None:
    values = np.concatenate([np.zeros(9_000), np.arange(1.0, 1_001.0)])
    cuts = cut_points(values, NO_WEIGHTS, 11)
    assert cuts[0] == 0.5
    assert len(cuts) == 10
    sizes = np.bincount(np.searchsorted(cuts, values[values > 0]))[1:]
    assert sizes.min() >= 99
    assert sizes.max() <= 101


def test_copies_and_weights_make_the_same_cuts() -> None:
    random = np.random.default_rng(2)
    values, weights = random.normal(size=500).round(2), random.integers(1, 5, 500)
    copied = random.permutation(np.repeat(values, weights))
    np.testing.assert_array_equal(cut_points(values, weights, 30), cut_points(copied, NO_WEIGHTS, 30))


def test_rows_that_weigh_nothing_have_no_say_in_the_cuts() -> None:
    """Such are the rows held out; a column that only they have a value in has no cut."""
    values, weights = np.array([1.0, 2.0, 3.0, np.nan]), np.array([1, 0, 1, 1])
    assert cut_points(values, weights, 255).tolist() == [2.0]
    assert cut_points(np.arange(4.0), np.zeros(4, np.int64), 2).tolist() == []


def test_a_cut_lies_between_neighbours() -> None:
    tight = np.array([1.0, np.nextafter(1.0, 2.0), 1e308, -1e308, 5e-324, 0.0])
    cuts, values = cut_points(tight, NO_WEIGHTS, 255), np.sort(tight)
    assert len(cuts) == 5
    assert np.all((values[:-1] <= cuts) & (cuts < values[1:]))


def test_rare_levels_share_the_last_bin() -> None:
    codes = np.repeat(np.arange(300, dtype=np.int32), np.arange(300) + 1)
    bins = bins_of_levels(codes, 300, NO_WEIGHTS, 255)
    assert bins[:46].tolist() == [254] * 46
    assert bins[46:].tolist() == list(range(254))
