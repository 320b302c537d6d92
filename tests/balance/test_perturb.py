"""Perturb: noise of the stated size, within the range of the class."""

from __future__ import annotations

import numpy as np

from crake.balance.perturb import Perturb
from crake.table.convert.frames import from_xy


def rows(rare: int, common: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    X = np.empty((rare + common, 3), object)
    X[:, 0] = generator.normal(100, 5, rare + common)
    X[:, 1] = generator.choice(["a", "b", None], rare + common, p=[0.6, 0.2, 0.2])
    X[:, 2] = None
    return X, np.repeat(["yes", "no"], [rare, common])


def test_noise_has_the_share_of_the_spread_that_was_asked_for():
    table = from_xy(*rows(200, 4200))
    for noise in (0.0, 0.1, 0.5):
        sample = Perturb(noise=noise).sample(table)
        made, real = sample.made.column("x0"), table.column("x0")[:200]
        origin = table.column("x0")[sample.origin]
        moved = made - origin
        inside = np.abs(origin - real.mean()) < real.std()  # away from the ends, where numbers are reflected
        assert sample.made_rows == 4000
        assert abs(moved[inside].std() - noise * real.std()) <= 0.06 * noise * real.std()
        assert made.min() >= real.min()
        assert made.max() <= real.max()
        names, before = sample.made.column("x1"), table.column("x1")[sample.origin]
        assert np.array_equal(names < 0, before < 0)
        # 75 % of known names are a: of those drawn anew 1 − (0.75² + 0.25²) become another.
        assert abs(np.mean(names != before) - 0.8 * noise * 0.375) < 0.03


def test_one_row_is_copied_and_said():
    sample = Perturb(4).sample(from_xy(*rows(1, 9)))
    assert len(set(sample.made.column("x0"))) == 1
    assert sample.notes == ("The class yes has 1 row, and so no spread: its new rows are copies.",)
