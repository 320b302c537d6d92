"""ID3: when it stops, what it does with numbers, gaps and an exclusive or."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake.learners.base.state.reader import StateReader
from crake.table.examples import load


def entropy(labels: list[Any]) -> float:
    return -sum(n / len(labels) * log2(n / len(labels)) for n in Counter(labels).values())


def plain_id3(rows: list[tuple[str, ...]], labels: list[str], levels: list[list[str]], min_gain: float | None) -> Any:
    """A leaf is a Counter, a node (attribute, {value: node}); a branch without rows holds its parent's Counter."""
    gains = []
    for a in range(len(levels)):
        parts = [[k for row, k in zip(rows, labels, strict=True) if row[a] == value] for value in levels[a]]
        gain = entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts if part)
        gains.append((round(gain, 9), -a) if sum(map(bool, parts)) > 1 else (-1.0, -a))
    best, a = max(gains)
    if len(set(labels)) == 1 or best < 0 or (min_gain is not None and best <= min_gain):
        return Counter(labels)
    below = {}
    for value in levels[-a]:
        part = [i for i, row in enumerate(rows) if row[-a] == value]
        grown = plain_id3([rows[i] for i in part], [labels[i] for i in part], levels, min_gain) if part else None
        below[value] = Counter(labels) if grown is None else grown
    return (-a, below)


def answer(tree: Any, row: tuple[str, ...]) -> Counter[str]:
    while isinstance(tree, tuple):
        tree = tree[1][row[tree[0]]]
    return tree


ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 3, st.sampled_from("xyz")), min_size=2, max_size=40)


@settings(max_examples=60)
@given(ROWS, st.sampled_from([1e-6, None]))
def test_the_tree_of_its_plain_twin(cells: list[tuple[str, ...]], min_gain: float | None) -> None:
    rows, labels = [row[:3] for row in cells], [row[3] for row in cells]
    levels = [sorted({row[a] for row in rows}) for a in range(3)]
    model = crake.ID3Classifier(min_gain=min_gain).fit(np.array(rows, object), labels)
    twin = plain_id3(rows, labels, levels, min_gain)
    every = [(a, b, c) for a in levels[0] for b in levels[1] for c in levels[2]]
    for row, shares in zip(every, model.predict_proba(np.array(every, object)), strict=True):
        counts = answer(twin, row)
        np.testing.assert_allclose(shares, [counts[k] / counts.total() for k in model.classes_], atol=1e-12)


def test_an_exclusive_or_gains_nothing_and_is_learned_if_asked() -> None:
    X, y = np.array([["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]], object), ["no", "yes", "yes", "no"]
    assert crake.ID3Classifier().fit(X, y).n_leaves_ == 1
    strict = crake.ID3Classifier(min_gain=None).fit(X, y)
    assert (strict.n_leaves_, strict.predict(X).tolist()) == (4, y)


def test_numbers_are_cut_or_refused() -> None:
    iris = load("iris")
    assert crake.ID3Classifier().fit(iris).depth_ > 2
    with pytest.raises(crake.CrakeError, match=r"4 of iris are numeric: 'sepal length.*crake.Discretizer"):
        crake.ID3Classifier(numeric="refuse").fit(iris)
    codes = crake.Discretizer("frequency", bins=3).fit_transform(*iris.to_xy())
    assert crake.ID3Classifier(numeric="refuse").fit(codes, iris.to_xy()[1]).n_leaves_ > 3


def test_missing_values_are_divided_or_have_a_branch() -> None:
    frame = pd.DataFrame({"a": ["u"] * 6 + ["v"] * 6 + [None] * 6})
    y = ["no"] * 6 + ["yes"] * 6 + ["maybe"] * 6
    divided = crake.ID3Classifier().fit(frame, y)
    assert divided.n_leaves_ == 2
    np.testing.assert_allclose(divided.predict_proba(frame.tail(1)), [[1 / 3] * 3])
    apart = crake.ID3Classifier(missing="branch").fit(frame, y)
    assert apart.n_leaves_ == 3
    assert apart.predict(pd.DataFrame({"a": ["u", None, "never seen"]})).tolist() == ["no", "maybe", "maybe"]
    assert "a missing: maybe (6)" in str(apart)


@pytest.mark.parametrize("values", ["uv", "uvw", "uvwx"])
def test_missing_values_have_a_branch_of_their_own_among_many(values: str) -> None:
    """However many values there are; and where no row of a node has a gap there is none."""
    cells = [v for v in values for _ in range(6)] + [None] * 6
    frame = pd.DataFrame({"a": cells, "b": ["p", "q", "r"] * (len(cells) // 3)})
    y = [f"{v} {b}" if v == "u" else f"{v}" for v, b in zip(frame["a"], frame["b"], strict=True)]
    model = crake.ID3Classifier(missing="branch").fit(frame, y)
    assert model.predict(frame).tolist() == y
    assert model.node(0).question == "a"
    assert [model.node(0).children[-1].counts.sum(), str(model.node(0).children[-1].path[0])] == [6, "a missing"]
    assert str(model).count("missing") == 1
    assert str(crake.ID3Classifier(missing="branch").restore(StateReader(model.state()))) == str(model)


def test_a_branch_without_rows_answers_as_the_node_above() -> None:
    X = pd.DataFrame({"a": ["u", "u", "v", "v"], "b": pd.Categorical(["p", "q", "p", "p"], categories=["p", "q", "r"])})
    model = crake.ID3Classifier().fit(X, ["x", "y", "x", "x"])
    new = pd.DataFrame({"a": ["u"], "b": pd.Categorical(["r"], categories=["p", "q", "r"])})
    np.testing.assert_allclose(model.predict_proba(new), [[0.75, 0.25]])
    assert "b = r: x (0)" in str(model)
