"""A regression tree to look at: the hand calculation ends in predict, rules and importances are the tree's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learners.tree.by_hand import assert_works_out, worked

import crake
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.explaining.labelled_rows import labelled_rows, rows_at
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.pruning.reduced_error import node_squares
from crake.modelfile.writing import model_bytes


def some_rows() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(5)
    size, age = rng.normal(size=200), rng.normal(size=200)
    colour = rng.choice(["red", "green", "blue"], 200)
    y = 3 * size + np.where(colour == "red", 5.0, 0.0) + rng.normal(size=200) / 10
    X = np.array(list(zip(size, colour, age, strict=True)), dtype=object)
    X[::9, 0] = np.nan
    X[::11, 1] = None
    return X, y


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_the_answer_is_the_prediction_and_works_out(missing: str) -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=4, missing=missing).fit(X, y)
    for i in range(0, 200, 9):
        workings = model.explain(X[i])
        assert float(workings) == model.predict(X[i : i + 1])[0]
        for step in workings.steps:
            assert_works_out(step)
        assert worked(workings.steps[-1].substitution) == pytest.approx(float(workings), rel=2e-3, abs=2e-3)
    with pytest.raises(crake.CrakeError, match="6 values; expected 3"):
        model.explain(X[:2])


def test_rules_and_importances() -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=3, missing="fractional").fit(X, y)
    rules = model.rules()
    assert len(rules) == model.n_leaves_
    assert sum(rule.coverage * float(rule.answer) for rule in rules) == pytest.approx(y.sum())
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert np.argmax(model.feature_importances_) == 0
    described = str(model.describe())
    assert "root of the mean squared error on the 200 training rows" in described
    assert rules.grid().header[1] == "then target"
    assert model.to_dot().count("->") == model.n_nodes_ - 1
    assert model.to_mermaid().count("-->") == model.n_nodes_ - 1
    assert "<details" in model._html_repr()


def test_a_node_and_its_alternatives() -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=3, min_samples_leaf=30, missing="fractional").fit(X, y)
    root = model.node(0)
    assert root.answer == pytest.approx(y.mean())
    assert root.question == "x0"
    assert [child.number for child in root.children] == [1, 2]
    assert "200 rows, mean" in str(root)
    assert f"answer: {model.node(model.n_nodes_ - 1).answer:.6g}" in str(model.node(model.n_nodes_ - 1))
    grid = root.alternatives(X, y)
    assert [row[0][0] for row in grid.rows] == ["→", " ", " "]
    shares = [float(row[grid.header.index("share of error")]) for row in grid.rows]
    assert shares[0] == max(shares)
    # The decrease that is shown is that of the tree, whose error after a split has all rows, those with gaps in parts.
    known = X[:, 0] == X[:, 0]
    side = X[known, 0].astype(float) <= model.tree_.threshold[0]
    within = sum(((part - part.mean()) ** 2).sum() for part in (y[known][side], y[known][~side]))
    expected = (((y[known] - y[known].mean()) ** 2).sum() - within) / 200
    assert float(grid.rows[0][grid.header.index("decrease")]) == pytest.approx(expected, rel=1e-3)
    other = root.alternatives(X[:100], y[:100])
    assert "the tree was grown from other rows" in other.title
    assert {row[-1] for row in model.node(1).alternatives(X, np.ones(200)).rows} == {"one number"}
    with pytest.raises(crake.CrakeError, match="the numbers of the rows are needed"):
        root.alternatives(X)


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_sql_answers_as_the_model(missing: str) -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=4, missing=missing).fit(X, y)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (x0 DOUBLE, x1 VARCHAR, x2 DOUBLE)")
        cells = [[None if cell != cell else cell for cell in row] for row in X.tolist()]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", cells)
        mixed = connection.sql(model.to_sql()).fetchall()
        np.testing.assert_allclose([row[-1] for row in mixed], model.predict(X), rtol=1e-12)
        routed = np.array([row[-2:] for row in connection.sql(model.to_sql(missing="heaviest")).fetchall()], float)
    np.testing.assert_array_equal(model.tree_.responses[routed[:, 0].astype(int), 0], routed[:, 1])
    one_way = slice(None) if missing != "fractional" else [i for i, row in enumerate(cells) if None not in row]
    np.testing.assert_array_equal(routed[one_way, 1], model.predict(X[one_way]))


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
def test_reduced_error_pruning_never_raises_the_error_of_the_held_out_rows(seed: int, missing: str) -> None:
    rng = np.random.default_rng(seed)
    X, y = some_rows()
    y = y + rng.normal(size=200)
    weights = rng.integers(1, 4, 200).astype(float)
    model = CARTRegressor(missing=missing).fit(X[:120], y[:120])
    held = (X[120:], y[120:], weights[120:])
    rows = labelled_rows(model.node(0).model, *held)
    for node, squares in enumerate(node_squares(model.tree_, rows)):
        here = rows_at(model.node(0).model, rows, node)
        part = here.weights if len(here.weights) else np.ones(len(here))
        plain = np.sum(part * (here.response - model.tree_.responses[node, 0]) ** 2)
        assert squares == pytest.approx(plain, rel=1e-9, abs=1e-9)
    pruned = model.prune("reduced-error", *held)
    assert pruned.n_leaves_ < model.n_leaves_
    if missing != "fractional":
        before, after = (np.sum(weights[120:] * (each.predict(X[120:]) - y[120:]) ** 2) for each in (model, pruned))
        assert after <= before + 1e-9


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_means_of_the_same_rows_are_the_same(missing: str) -> None:
    X, y = some_rows()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = CARTRegressor(missing=missing, min_samples_leaf=3).fit(X, y, sample_weight=weights)
    again = recounted(model.tree_, labelled_rows(model.node(0).model, X, y, weights))
    np.testing.assert_allclose(again.responses, model.tree_.responses, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.counts, model.tree_.counts, rtol=1e-9)


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_reduced_error_pruning_as_a_setting(missing: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(900, 4))
    y = np.where(X[:, 0] > 0, 3.0, -3.0) + np.where(X[:, 1] > 0.5, 2.0, 0.0) + 2 * rng.normal(size=900)
    X[rng.random(X.shape) < 0.05] = np.nan
    pruned = CARTRegressor(missing=missing, pruning="reduced-error").fit(X[:600], y[:600])
    whole = CARTRegressor(missing=missing).fit(X[:600], y[:600])
    assert pruned.n_leaves_ < whole.n_leaves_ / 4
    assert pruned.score(X[600:], y[600:]) > whole.score(X[600:], y[600:]) + 0.1
    assert pruned.tree_.weight[0] == pytest.approx(600)  # all rows are averaged in the end
    every = labelled_rows(pruned.node(0).model, X[:600], y[:600])
    for node in range(pruned.n_nodes_):
        here = rows_at(pruned.node(0).model, every, node)
        part = here.weights if len(here.weights) else np.ones(len(here))
        mean = np.average(here.response, weights=part)
        squares = np.sum(part * (here.response - mean) ** 2)
        np.testing.assert_allclose(pruned.tree_.responses[node], [mean, squares], rtol=1e-9)
    again = CARTRegressor(missing=missing, pruning="reduced-error").fit(X[:600], y[:600])
    assert str(again) == str(pruned)
    other = CARTRegressor(missing=missing, pruning="reduced-error", random_state=2).fit(X[:600], y[:600])
    assert str(other) != str(pruned)
    few = CARTRegressor(missing=missing, pruning="reduced-error", validation_fraction=0.9).fit(X[:600], y[:600])
    assert few.n_leaves_ < pruned.n_leaves_


def test_too_few_rows_to_hold_any_out() -> None:
    assert CARTRegressor(pruning="reduced-error").fit([[1.0]], [5.0]).predict([[2.0]]).tolist() == [5.0]
    two = CARTRegressor(pruning="reduced-error").fit([[1.0], [2.0]], [1.0, 2.0])
    assert two.predict([[1.0], [2.0]]).tolist() == [1.5, 1.5]
    with pytest.raises(ValueError, match="'reduced-error'"):
        CARTRegressor(pruning="pessimistic").fit([[1.0], [2.0]], [1.0, 2.0])


def test_pruning_says_what_it_needs() -> None:
    X, y = some_rows()
    model = CARTRegressor().fit(X, y)
    with pytest.raises(crake.CrakeError, match="give rows it was not fitted on"):
        model.prune("reduced-error")
    with pytest.raises(crake.CrakeError, match="expected one of 'cost-complexity', 'reduced-error'"):
        model.prune("pessimistic")
    assert model.prune(alpha=1e9).n_leaves_ == 1
    assert str(model.prune(alpha=1e9)).endswith("1 leaf, 1 node")


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_a_loaded_model_is_the_saved_one(missing: str, tmp_path: Path) -> None:
    X, y = some_rows()
    model = CARTRegressor(max_depth=5, missing=missing).fit(X, y)
    crake.save(model, tmp_path / "size.crake")
    loaded = crake.load(tmp_path / "size.crake")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert (str(loaded), repr(loaded)) == (str(model), repr(model))
    assert str(loaded.explain(X[0])) == str(model.explain(X[0]))
    assert loaded.schema_ == model.schema_
    assert model_bytes(loaded) == model_bytes(model)
    assert "the number target" in str(crake.modelfile.describe(tmp_path / "size.crake"))


def test_a_table_larger_than_memory_is_predicted_part_by_part(tmp_path: Path) -> None:
    file = tmp_path / "flats.csv"
    file.write_text("city,size,rent\nA,30,300.5\nA,60,600.5\nB,30,500.5\nB,60,\nB,70,900.5\n")
    held, scanned = (crake.read(file, target="rent", in_memory=where) for where in (True, False))
    model = CARTRegressor().fit(held)
    np.testing.assert_array_equal(model.predict(scanned), model.predict(held))
    assert [start for start, _ in model.predict_batches(scanned)] == [0]
    assert str(CARTRegressor().fit(scanned)) == str(model)
    assert "then rent" in str(model.rules().grid())
