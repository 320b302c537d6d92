"""Neighbours in blocks and by scikit-learn, beside a plain search."""

from __future__ import annotations

import numpy as np
import pytest

from crake.balance.cells import Cells
from crake.balance.smote import neighbours
from crake.balance.smote.neighbours import nearest_of_parts, nearest_others
from crake.balance.smote.space import Points, Space


def plain(space: Space, points: Points, row: int, k: int) -> list[int]:
    d = np.square(points.values - points.values[row]).sum(axis=1)
    d += space.apart * (points.names != points.names[row]).sum(axis=1)
    d[row] = np.inf
    return np.argsort(d)[:k].tolist()


@pytest.mark.parametrize("names", [0, 2])
def test_blocks_and_parts_give_the_nearest(names, monkeypatch):
    monkeypatch.setattr(neighbours, "OTHERS", 40)
    monkeypatch.setattr(neighbours, "QUERIES", 16)
    generator = np.random.default_rng(1)
    cells = Cells(1e6 + generator.normal(size=(150, 3)), generator.integers(-1, 4, (150, names)).astype(np.int32))
    space = Space.of(cells)
    points, rows = space.placed(cells), np.array([0, 7, 39, 40, 149])
    expected = [plain(space, points, row, 4) for row in rows]
    assert nearest_others(space, points, rows, 4).tolist() == expected
    parts = [(points.part(slice(s, s + 60)), np.arange(s, min(s + 60, 150))) for s in (0, 60, 120)]
    assert nearest_of_parts(space, points.take(rows), rows, parts, 4).tolist() == expected


def test_scikit_learn_finds_the_same(monkeypatch):
    monkeypatch.setattr(neighbours, "FEW", 100)
    generator = np.random.default_rng(1)
    cells = Cells(generator.normal(size=(450, 20)), np.zeros((450, 0), np.int32))
    space = Space.of(cells)
    points = space.placed(cells)
    every = np.arange(450)
    found = nearest_others(space, points, every, 5)
    monkeypatch.setattr(neighbours, "FEW", 1000)
    assert np.array_equal(found, nearest_others(space, points, every, 5))


def test_a_row_with_many_copies_is_not_its_own_neighbour():
    points = Points(np.zeros((9, 2)), np.zeros((9, 0), np.int32))
    found = nearest_others(Space(np.zeros(2), 1.0, 1.0), points, np.arange(9), 3)
    assert not np.any(found == np.arange(9)[:, None])
