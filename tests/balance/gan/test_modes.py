"""Numbers as modes and places within them, and back."""

from __future__ import annotations

import numpy as np
from scipy.stats import ks_2samp

from crake.balance.cells import Cells
from crake.balance.gan.encoding import Encoding
from crake.balance.gan.modes import Modes


def test_encoded_numbers_come_back():
    generator = np.random.default_rng(1)
    column = np.concatenate([np.zeros(200), generator.normal(5, 1, 300), generator.normal(50, 2, 300), [np.nan] * 50])
    modes = Modes.of(column)
    mode, place = modes.encoded(column, generator)
    back = modes.decoded(mode, place)
    assert modes.values.tolist() == [0.0]
    assert np.array_equal(np.isnan(back), np.isnan(column))
    near = np.abs(back - column)[~np.isnan(column)] < 1e-9
    assert near.mean() > 0.999  # numbers beyond four standard deviations are drawn in
    assert np.abs(place).max() <= 1


def test_random_places_of_a_bell_give_the_shape_of_the_column():
    generator = np.random.default_rng(2)
    column = np.concatenate([generator.normal(0, 1, 700), generator.normal(20, 3, 300)])
    modes = Modes.of(column)
    bell = generator.choice(len(modes.means), 5000, p=modes.shares)
    drawn = modes.decoded(bell, generator.normal(size=5000) / 4)
    assert ks_2samp(column, drawn).statistic < 0.06


def test_few_values_are_modes_and_whole_numbers_stay_whole():
    generator = np.random.default_rng(3)
    few = Modes.of(generator.integers(1, 5, 300).astype(float))
    assert few.values.tolist() == [1, 2, 3, 4]
    assert few.width == 4
    ages = np.round(generator.normal(40, 9, 300))
    modes = Modes.of(ages)
    drawn = modes.decoded(*modes.encoded(ages, generator)[::1])
    assert np.array_equal(drawn, np.round(drawn))
    assert Modes.of(np.full(9, np.nan)).width == 1


def test_rectangle_of_blocks_leads_there_and_back():
    generator = np.random.default_rng(4)
    cells = Cells(
        np.column_stack([generator.normal(size=60), generator.integers(0, 3, 60)]).astype(float),
        generator.integers(-1, 4, (60, 2)).astype(np.int32),
    )
    encoding = Encoding.of(cells)
    blocks = encoding.encoded(cells, generator)[:, 2:]
    source, is_there, back = encoding.padded
    rectangle = np.where(is_there, blocks[:, source], 0)
    assert np.array_equal(rectangle.sum(axis=2), np.ones((60, 4)))
    assert np.array_equal(rectangle.reshape(60, -1)[:, back], blocks)
