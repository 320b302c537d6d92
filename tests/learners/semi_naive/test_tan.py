"""TAN: its tree against Chow and Liu's by brute force, its sums over missing values against all completions."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake.errors import ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.semi_naive.tan.scores import SCORES
from crake.learners.semi_naive.tan.structure import top_down, tree_of
from crake.learners.structure.scores import node_scores
from crake.table.examples import load


def chain(rows: int = 60) -> tuple[Any, Any]:
    """Four columns, each like the one before it, with gaps; the class shifts the first."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, rows)
    columns = [(rng.random(rows) < 0.3 + 0.4 * y).astype(int)]
    for _ in range(3):
        columns.append(np.where(rng.random(rows) < 0.85, columns[-1], rng.integers(0, 3, rows)))
    X = np.array([[f"v{value}" for value in column] for column in columns], object).T.copy()
    X[rng.random(X.shape) < 0.15] = None
    return X, np.where(y == 1, "yes", "no")


@settings(max_examples=15)
@given(st.lists(st.integers(0, 4), min_size=10, max_size=10))
def test_the_tree_has_the_largest_total_gain(numbers: list[int]) -> None:
    gains = np.full((5, 5), -np.inf)
    gains[np.triu_indices(5, 1)] = numbers
    gains = np.maximum(gains, gains.T)
    parent = tree_of(gains)
    assert np.count_nonzero(parent < 0) == 1
    assert sorted(top_down(parent)) == [0, 1, 2, 3, 4]
    found = sum(gains[j, p] for j, p in enumerate(parent) if p >= 0)
    best = max(total_of(gains, code) for code in product(range(5), repeat=3))
    assert found == best


def total_of(gains: np.ndarray, code: tuple[int, ...]) -> float:
    """The total gain of the tree that a Prüfer code stands for: all trees of five nodes have one of three numbers."""
    degree = [1 + code.count(node) for node in range(5)]
    total = 0.0
    for node in code:
        leaf = degree.index(1)
        total += gains[leaf, node]
        degree[leaf], degree[node] = 0, degree[node] - 1
    one, other = (node for node in range(5) if degree[node] == 1)
    return total + float(gains[one, other])


def test_columns_in_a_chain_are_linked_in_a_chain() -> None:
    X, y = chain(400)
    parents = crake.TANClassifier().fit(X, y).parents_
    links = {frozenset((child, parent)) for child, parent in parents.items() if parent is not None}
    assert links == {frozenset(pair) for pair in pairwise(["x0", "x1", "x2", "x3"])}


@pytest.mark.parametrize("alpha", [0.5, 0.0])
def test_missing_values_are_summed_over(alpha: float) -> None:
    """P(known values, class) is the sum over all values that the missing ones may have."""
    X, y = chain()
    model = crake.TANClassifier(alpha).fit(X, y)
    tree, levels = model.tree_, [column.levels for column in model.schema_.nominal]
    for row in [*X[:12], np.array([None] * 4, object), np.array(["new", None, "v1", "v0"], object)]:
        joint = np.zeros(2)
        known = [[levels[j].index(cell)] if cell in levels[j] else range(len(levels[j])) for j, cell in enumerate(row)]
        for codes in product(*known):
            term = tree.prior.copy()
            for j, p in enumerate(tree.parent):
                term *= np.exp(tree.logs[j][:, 0 if p < 0 else codes[p], codes[j]])
            joint += term
        expected = joint / joint.sum()
        np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-10)
        assert [share for _, share in model.explain(list(row)).answer] == pytest.approx(expected.tolist(), rel=1e-10)


def test_the_calculation_names_the_sum_over_a_missing_parent() -> None:
    X, y = chain()
    model = crake.TANClassifier().fit(X, y)
    child, parent = next((child, parent) for child, parent in model.parents_.items() if parent is not None)
    text = str(model.explain({child: "v1"}))
    assert "sum over the values of missing parents" in text
    assert f"{parent} is summed over: missing" in text
    leaf = next(name for name in model.parents_ if name not in model.parents_.values())
    assert f"{leaf} is skipped: missing" in str(model.explain({model.parents_[leaf]: "v1"}))


def test_the_most_frequent_value_stands_for_missing_and_new_ones() -> None:
    X, y = chain()
    X = np.column_stack([X, np.arange(60.0) % 7])  # no cut of it pays
    model = crake.TANClassifier(missing="mode").fit(X, y)
    text = str(model.explain(["new", None, "v1", "v1", 3.0]))
    assert "x0 counts as its most frequent value (x0 = v1): this value was never seen in training" in text
    assert "x1 counts as its most frequent value (x1 = v1): missing" in text
    assert "x4 is skipped: no cut of it pays" in text


@pytest.mark.parametrize("score", SCORES)
def test_scores_against_their_formulas(score: str) -> None:
    """By sums in plain Python with math.lgamma."""
    from math import lgamma, log  # noqa: PLC0415

    counts = [[3, 0, 2], [1, 1, 4], [0, 0, 0], [7, 2, 0]]
    q, r, rows = 4, 3, 20
    total = 0.0
    for line in counts:
        n = sum(line)
        if score in {"bayes", "bdeu"}:
            a, b = (0.5, r / 2) if score == "bayes" else (1 / (r * q), 1 / q)
            total += sum(lgamma(a + k) for k in line) - lgamma(b + n) - r * lgamma(a) + lgamma(b)
        else:
            total += sum(k * log(k / n) for k in line if k)
    total -= {"mdl": 0.5 * q * (r - 1) * log(rows), "aic": q * (r - 1)}.get(score, 0.0)
    assert node_scores(np.array([counts], float), score, rows)[0] == pytest.approx(total, rel=1e-12)


def test_the_penalty_is_never_a_gift() -> None:
    light = np.array([[[0.01, 0.02], [0.03, 0.01]]])
    assert node_scores(light, "mdl", 0.07)[0] == node_scores(light, "entropy", 0.07)[0]


@pytest.mark.parametrize("criterion", SCORES)
def test_weights_that_lie_far_apart(criterion: str) -> None:
    X = [["a", "u"]] * 6 + [["a", "v"], ["a", "u"], ["b", "u"]]
    y, weights = ["p"] * 6 + ["q"] * 3, [1.0] * 6 + [1e-300, 1e30, 1e-300]
    model = crake.TANClassifier(criterion=criterion).fit(X, y, sample_weight=weights)
    assert np.isfinite(model.predict_proba(X)).all()
    assert all(np.isfinite(float(row[2])) for row in model.dependences().rows)


def test_a_model_file_keeps_the_tree_and_checks_it() -> None:
    model = crake.TANClassifier().fit(load("iris"))
    state = model.state()
    again = crake.TANClassifier().restore(StateReader(state))
    assert again.parents_ == model.parents_
    with pytest.raises(crake.CrakeError, match="rows can be neither added nor forgotten"):
        again.partial_fit(load("iris"))
    circle = np.array([1, 2, 3, 0], np.int32)
    for part, message in (
        ({"parents": circle}, "parents go in a circle; expected a tree"),
        ({"parents": np.array([-1, 9, 0, 0], np.int32)}, "parents holds -1 … 9"),
        ({"cuts": state["cuts"][::-1].copy()}, "cuts does not ascend"),
        ({"widths": state["widths"] + 1}, "widths shares out 12 cuts; expected 8"),
        ({"statistics": {**state["statistics"], "pair_counts": state["statistics"]["pair_counts"] + 1}}, "more rows"),
    ):
        with pytest.raises(ModelFileError, match=message):
            crake.TANClassifier().restore(StateReader({**state, **part}))


def test_nominal_models_of_a_file_take_more_rows() -> None:
    weather = load("weather")
    first, second = weather.take(np.arange(7)), weather.take(np.arange(7, 14))
    stored = crake.TANClassifier().restore(StateReader(crake.TANClassifier().fit(first).state()))
    whole = crake.TANClassifier().fit(weather)
    stored.missing_ = None
    np.testing.assert_array_equal(stored.partial_fit(second).predict_proba(weather), whole.predict_proba(weather))


def test_the_drawing_and_the_tables() -> None:
    model = crake.TANClassifier().fit(load("weather"))
    drawing = model.draw()
    assert "is the root of 4 columns" in drawing.finding
    assert drawing.svg().count("<rect") == 5  # paper and four boxes
    first, *others = model.tables()
    root = next(name for name, parent in model.parents_.items() if parent is None)
    assert first.title == f"P({root} | play)"
    assert len(others) == 3
    shares = [float(cell) for cell in first.rows[0][1:]]
    assert sum(shares) == pytest.approx(1, abs=1e-3)
