"""REPTree against slow and obvious code, its pruning, and what a model file holds of it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import crake
from crake.errors import ModelFileError
from crake.learners.base.state import StateReader
from crake.table.examples import load

Row = tuple[Any, ...]
"""The cells of a row, a string or a number, None where one is missing; the class, 0 or 1; the weight."""


def entropy(weights: list[float]) -> float:
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def class_weights(rows: list[Row]) -> list[float]:
    return [sum(row[-1] for row in rows if row[-2] == k) for k in (0, 1)]


def gain(rows: list[Row], branches: list[list[Row]]) -> float:
    total = sum(class_weights(rows))
    parts = [class_weights(branch) for branch in branches if branch]
    return entropy(class_weights(rows)) - sum(sum(part) / total * entropy(part) for part in parts)


def parted(rows: list[Row], column: int, levels: list[str] | None) -> tuple[float | None, list[list[Row]]]:
    """The cut and the known rows of each branch."""
    known = [row for row in rows if row[column] is not None]
    if levels is not None:
        return None, [[row for row in known if row[column] == level] for level in levels]
    values = sorted({row[column] for row in known})
    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    splits = [
        ([row for row in known if row[column] < cut], [row for row in known if row[column] >= cut]) for cut in cuts
    ]
    gains = [gain(known, list(split)) for split in splits]
    if not cuts:
        return None, []
    best = max(range(len(cuts)), key=lambda i: round(gains[i], 10))
    return cuts[best], list(splits[best])


def answer(rows: list[Row], columns: list[list[str] | None], row: Row, above: list[float]) -> np.ndarray:
    """The class shares of the tree of these rows for one row, found on the way down."""
    here = class_weights(rows) if rows else above
    shares = np.array(here) / sum(here)
    if not rows or sum(here) < 4 or min(here) <= 1e-6:
        return shares
    found = []
    for column, levels in enumerate(columns):
        cut, branches = parted(rows, column, levels)
        weights = [sum(class_weights(branch)) for branch in branches]
        if sum(weights) == 0:
            found.append((0.0, cut, branches, weights))
            continue
        parts = [weight / sum(weights) for weight in weights]
        missing = [each for each in rows if each[column] is None]
        full = [
            branch + [(*each[:-1], each[-1] * part) for each in missing if part > 0]
            for branch, part in zip(branches, parts, strict=True)
        ]
        found.append((round(gain(rows, full), 10), cut, full, parts))
    column = max(range(len(found)), key=lambda j: found[j][0])
    score, cut, branches, parts = found[column]
    if score <= 1e-6 or sum(sum(class_weights(branch)) >= 2 for branch in branches) < 2:
        return shares
    if row[column] is None:
        return sum(
            (
                part * answer(branch, columns, row, here)
                for branch, part in zip(branches, parts, strict=True)
                if part > 0
            ),
            np.zeros(2),
        )
    levels = columns[column]
    taken = levels.index(row[column]) if levels is not None else int(row[column] >= cut)
    return answer(branches[taken], columns, row, here)


@pytest.mark.parametrize("seed", range(6))
def test_slow_and_obvious_code_answers_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 60
    names = rng.choice(["a", "b", "c"], n)
    numbers = rng.integers(0, 8, (n, 2)).astype(float)
    y = ((names == "b") ^ (numbers[:, 0] > 4) ^ (rng.random(n) < 0.15)).astype(int)
    gaps = rng.random((n, 3)) < 0.15
    cells: list[list[Any]] = [
        [None if gap else cell for cell, gap in zip((str(a), *map(float, x)), gap_row, strict=True)]
        for a, x, gap_row in zip(names, numbers, gaps, strict=True)
    ]
    X = {name: [row[j] for row in cells] for j, name in enumerate("pqr")}
    model = crake.REPTreeClassifier(pruning=None).fit(X, y)
    rows: list[Row] = [(*row, int(k), 1.0) for row, k in zip(cells, y, strict=True)]
    expected = [answer(rows, [["a", "b", "c"], None, None], row, [1.0, 1.0]) for row in rows]
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


def test_a_value_at_the_midpoint_goes_right() -> None:
    X, y = [[1.0], [1.0], [2.0], [2.0]], [0, 0, 1, 1]
    model = crake.REPTreeClassifier(pruning=None).fit(X, y)
    assert model.predict([[1.5], [np.nextafter(1.5, 0)]]).tolist() == [1, 0]
    close = np.nextafter(1.0, 2.0)
    model = crake.REPTreeClassifier(pruning=None).fit([[1.0], [1.0], [close], [close]], y)
    assert model.predict([[1.0], [close]]).tolist() == [0, 1]


def test_the_leaves_count_all_rows_and_pruning_makes_them_fewer() -> None:
    table = load("iris")
    pruned, whole = (crake.REPTreeClassifier(pruning=how).fit(table) for how in ("reduced-error", None))
    assert pruned.tree_.counts[0].tolist() == [50, 50, 50]
    assert pruned.n_leaves_ < whole.n_leaves_


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_fewer_rows_than_folds(rows: int) -> None:
    model = crake.REPTreeClassifier().fit(np.arange(rows).reshape(-1, 1), np.arange(rows) % 2)
    assert model.tree_.counts.sum() == rows


def test_shares_of_missing_values_are_those_of_the_growing_rows_and_are_stored() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 3, (90, 2)).astype(float)
    y = ((x[:, 0] > 0) ^ (rng.random(90) < 0.1)).astype(int)
    model = crake.REPTreeClassifier().fit(x, y)
    tree = model.tree_
    assert len(tree) >= 3
    by_counts = tree.weight[1:3] / tree.weight[0]
    assert tree.share[1:3].sum() == pytest.approx(1)
    assert not np.allclose(tree.share[1:3], by_counts)
    again = crake.REPTreeClassifier().restore(StateReader(model.state()))
    gap = [[np.nan, np.nan]]
    np.testing.assert_array_equal(again.predict_proba(gap), model.predict_proba(gap))
    state = model.state()
    state["tree"] = {**state["tree"], "share": np.zeros(len(tree))}
    with pytest.raises(ModelFileError, match="shares of the children of each node that add up to 1"):
        crake.REPTreeClassifier().restore(StateReader(state))
