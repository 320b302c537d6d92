"""A tree whose rows come and go is the one that `fit` gives of the rows there are, from less work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

import crake
from crake.errors import CrakeError, DataError
from crake.learners.tree.maintained import nodes, update
from crake.learners.tree.tree import Tree
from crake.table.table import Table

ARRAYS = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing", "groups")


@pytest.fixture(autouse=True)
def small_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are large from 41 rows on, so that few rows have many of them."""
    monkeypatch.setattr(nodes, "SMALL", 40)
    monkeypatch.setattr(update, "SMALL", 40)


def table_of(rows: int, classes: int, seed: int = 1, noise: float = 1.0) -> Table:
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, rows)
    columns = {
        "rounded": np.round(y + draw.normal(0, noise, rows), 1),
        "fine": draw.normal(0, 1, rows) + 0.5 * y,
        "name": np.array(list("abcdef"))[(y + draw.integers(0, 3, rows)) % 6],
        "chance": draw.normal(0, 1, rows),
        "y": np.array(list("pqr"))[y],
    }
    return crake.read(pa.table(columns), "y")


def assert_same(one: Tree, other: Tree) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"criterion": "entropy", "min_samples_leaf": 3}, {"max_depth": 5}], ids=str)
def test_the_tree_is_that_of_fit(classes: int, options: dict[str, Any]) -> None:
    table, draw = table_of(700, classes), np.random.default_rng(0)
    there, coming = list(range(400)), 400
    tree = crake.MaintainedTree(crake.CARTClassifier(**options)).fit(table.take(np.array(there)))
    for step in range(6):
        if step % 2 == 0:
            new = range(coming, coming + (1, 25, 70)[step // 2])
            coming, there = new.stop, there + list(new)
            tree.partial_fit(table.take(np.array(new)))
        else:
            places = draw.choice(len(there), (1, 20, 90)[step // 2], replace=False)
            tree.forget(table.take(np.array(there)[places]))
            there = np.delete(there, places).tolist()
        assert_same(tree.model_.tree_, crake.CARTClassifier(**options).fit(table.take(np.array(there))).tree_)


def test_thresholds_move_and_splits_change() -> None:
    """Rows of another law come, until nothing of the first tree is left."""
    table, other = table_of(300, 2, noise=0.3), table_of(300, 2, seed=2, noise=9.0)
    tree = crake.MaintainedTree().fit(table)
    columns = {name: other.to_arrow()[name] for name in other.to_arrow().column_names}
    turned = crake.read(pa.table({**columns, "rounded": pa.array(-other.column("rounded"))}), "y")
    for start in range(0, 300, 100):
        tree.partial_fit(turned.take(np.arange(start, start + 100)))
        tree.forget(table.take(np.arange(start, start + 100)))
    assert_same(tree.model_.tree_, crake.CARTClassifier().fit(turned).tree_)


def test_one_row_touches_one_path() -> None:
    """In a clear table no other column can win: each node on the path looks at its own column, one part grows."""
    table = table_of(1500, 2, noise=0.4)
    tree = crake.MaintainedTree(crake.CARTClassifier(max_depth=3)).fit(table)
    before = tree.model_
    tree.partial_fit(table.take(np.array([7])))
    assert (tree.work_.grown, tree.work_.searched) == (1, 0)
    assert 1 <= tree.work_.looked_at <= 3
    tree.forget(table.take(np.array([7])))
    assert_same(tree.model_.tree_, before.tree_)
    np.testing.assert_array_equal(tree.predict_proba(table), before.predict_proba(table))


def test_names_of_more_than_two_classes_are_searched_again() -> None:
    """With more than ten names the tree does not try all divisions. No bound holds, so it looks at other columns."""
    draw = np.random.default_rng(3)
    y = draw.integers(0, 3, 300)
    names = np.array([f"n{i:02}" for i in range(14)])[(4 * y + draw.integers(0, 6, 300)) % 14]
    rows = pa.table({"name": names, "x": np.round(y + draw.normal(0, 2, 300), 1), "y": np.array(list("pqr"))[y]})
    table = crake.read(rows, "y")
    tree = crake.MaintainedTree().fit(table.take(np.arange(290)))
    tree.partial_fit(table.take(np.arange(290, 300)))
    assert_same(tree.model_.tree_, crake.CARTClassifier().fit(table).tree_)


def test_limits_are_applied_to_the_whole_tree() -> None:
    table = table_of(300, 2)
    for options in ({"max_leaf_nodes": 5}, {"ccp_alpha": 0.01}):
        tree = crake.MaintainedTree(crake.CARTClassifier(**options)).fit(table.take(np.arange(250)))
        tree.partial_fit(table.take(np.arange(250, 300)))
        assert_same(tree.model_.tree_, crake.CARTClassifier(**options).fit(table).tree_)


def test_rows_that_went_are_let_go_of() -> None:
    table = table_of(300, 2)
    tree = crake.MaintainedTree().fit(table).forget(table.take(np.arange(200)))
    assert len(tree._rows) == 100
    tree.partial_fit(table.take(np.arange(50)))
    expected = crake.CARTClassifier().fit(table.take(np.concatenate([np.arange(200, 300), np.arange(50)])))
    assert_same(tree.model_.tree_, expected.tree_)


def test_it_is_an_estimator() -> None:
    table = table_of(60, 2)
    tree = crake.MaintainedTree(crake.CARTClassifier(max_depth=2))
    assert repr(tree) == "MaintainedTree(estimator=CARTClassifier(max_depth=2))"
    assert clone(tree.set_params(estimator__max_depth=3)).get_params()["estimator__max_depth"] == 3
    assert is_classifier(tree)
    for ask in (tree.predict, tree.forget, lambda _: tree.classes_, lambda _: tree.model_):
        with pytest.raises(NotFittedError, match="This MaintainedTree instance is not fitted yet"):
            ask(table)
    with pytest.raises(CrakeError, match=r"expected a CARTClassifier in a maintained tree, got C45Classifier\(\)"):
        crake.MaintainedTree(crake.C45Classifier()).fit(table)
    with pytest.raises(CrakeError, match=r"Of a MaintainedTree, save its model_\."):
        crake.save(tree.fit(table), "nowhere.crake")


@pytest.mark.filterwarnings("error")
def test_rows_of_arrays_are_its_own() -> None:
    """The caller may write into X, or read the next rows into the same array; columns without names get none."""
    draw = np.random.default_rng(0)
    X = draw.normal(0, 1, (100, 3))
    y = (X[:, 0] > 0).astype(int)
    rows, classes = X.copy(), y.copy()
    tree = crake.MaintainedTree().fit(X, y)
    X[:], y[:] = 0, 0
    tree.forget(rows[:10], classes[:10]).partial_fit(rows[:5], classes[:5])
    X[:], y[:] = 1, 1
    there = np.r_[10:100, 0:5]
    assert_same(tree.model_.tree_, crake.CARTClassifier().fit(rows[there], classes[there]).tree_)
    assert tree.score(rows, classes) == 1
    assert (tree.classes_.tolist(), tree.n_features_in_) == ([0, 1], 3)


def test_refusals_leave_the_tree_as_it_was() -> None:
    table = table_of(120, 2)
    tree = crake.MaintainedTree().fit(table.take(np.arange(100)))
    before = tree.model_.tree_
    row = table.take(np.array([110]))
    with pytest.raises(DataError, match="row 0 was not learned"):
        tree.forget(row)
    twice = table.take(np.array([3, 3]))
    with pytest.raises(DataError, match="row 1 was not learned"):
        tree.forget(twice)
    with pytest.raises(DataError, match="a row to remain"):
        tree.forget(table.take(np.arange(100)))
    cells = row.to_arrow().to_pydict()
    for changed in ({"fine": [None]}, {"name": ["new"]}):
        with pytest.raises(DataError, match="missing or new values"):
            tree.partial_fit(crake.read(pa.table({**cells, **changed}), "y"))
    two = {name: 2 * values for name, values in cells.items()}
    with pytest.raises(DataError, match="classes that the first rows have, got 1 others"):
        tree.partial_fit(crake.read(pa.table({**two, "y": ["p", "z"]}), "y"))
    assert_same(tree.model_.tree_, before)
    assert tree.partial_fit(row).model_.n_nodes_ >= 1
    for options in ({"pruning": "mdl"}, {"min_impurity_decrease": 0.1}, {"class_weight": "balanced"}):
        with pytest.raises(CrakeError, match="in a maintained tree, got"):
            crake.MaintainedTree(crake.CARTClassifier(**options)).fit(table)
