"""MDL pruning beside a plain twin, and PUBLIC's growth: the same tree from fewer nodes."""

from __future__ import annotations

from math import lgamma, log, log2, pi
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import crake
from crake.errors import CrakeError
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.code_length import class_bits
from crake.learners.tree.pruning.public import grown_to_shortest
from crake.learners.tree.tree import Tree
from crake.table.table import Table

LEARNERS = {
    "CART": crake.CARTClassifier(),
    "CART, entropy, a branch for gaps": crake.CARTClassifier("entropy", missing="branch"),
    "CART, gaps divided": crake.CARTClassifier(missing="fractional"),
    "SimpleCart": crake.CARTClassifier(variant="simple-cart", missing="fractional", min_samples_leaf=2),
    "C4.5": crake.C45Classifier(pruning=None, collapse=False),
    "C4.5, binary": crake.C45Classifier(pruning=None, collapse=False, binary=True, min_samples_leaf=1),
    "ID3": crake.ID3Classifier(),
}


def table_of(seed: int, classes: int, *, has_gaps: bool, rows: int = 240) -> Table:
    """Two numbers and two names, of which one of each tells something about the class."""
    draw = np.random.default_rng(seed)
    y = draw.integers(0, classes, rows)
    columns: dict[str, Any] = {
        "told": np.round(y + draw.normal(0, 0.7, rows), 1),
        "noise": np.round(draw.normal(0, 1, rows), 2),
        "name": np.array(list("abcdefgh"))[(y + draw.integers(0, 3, rows)) % 8],
        "other": np.array(list("uvw"))[draw.integers(0, 3, rows)],
    }
    if has_gaps:
        columns = {k: pa.array(v, mask=draw.random(rows) < 0.1) for k, v in columns.items()}
    return crake.read(pa.table({**columns, "y": np.array(list("pqrstuvwxyz"))[y]}), "y")


def assert_same(one: Tree, other: Tree) -> None:
    for name in ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def with_mdl(learner: Any, **more: Any) -> Any:
    return type(learner)(**{**learner.get_params(), "pruning": "mdl", **more})


@pytest.mark.parametrize("name", LEARNERS)
def test_the_tree_is_that_of_full_growth_pruned_afterwards(name: str) -> None:
    """The full tree is pruned by the rows that reach its nodes; the other stopped growing by its bound."""
    learner = LEARNERS[name]
    for seed, (classes, has_gaps) in enumerate([(2, False), (3, True), (9, False)]):
        table = table_of(seed, classes, has_gaps=has_gaps)
        full = type(learner)(**learner.get_params()).fit(table)
        shortest = with_mdl(learner).fit(table)
        assert 1 < shortest.n_nodes_ < full.n_nodes_
        assert_same(shortest.tree_, full.prune("mdl", table).tree_)


def test_weights_are_copies() -> None:
    table = table_of(5, 3, has_gaps=False, rows=120)
    copies = np.random.default_rng(5).integers(0, 4, 120)
    for learner in (LEARNERS["CART"], LEARNERS["C4.5"]):
        heavy = with_mdl(learner).fit(table.with_weights(copies.astype(float)))
        many = with_mdl(learner).fit(table.take(np.repeat(np.arange(120), copies)))
        np.testing.assert_array_equal(heavy.tree_.threshold, many.tree_.threshold)
        np.testing.assert_allclose(heavy.tree_.counts, many.tree_.counts)


def training_of(table: Table) -> Training:
    (batch,) = table.batches()
    return Training.of(table.schema, batch)


def test_fewer_nodes_are_grown() -> None:
    growth = Growth(criterion="gini", nominal="subset", missing="surrogate", min_leaf=0.0, is_forced=True)
    grown = []
    for classes in (2, 3, 9):
        training = training_of(table_of(7, classes, has_gaps=False))
        bounded = grown_to_shortest(training, growth)
        whole = grown_to_shortest(training, growth, is_bounded=False)
        assert_same(bounded.tree, whole.tree)
        grown.append((len(bounded.tree), bounded.grown, whole.grown))
    assert all(kept <= few < all_of_them for kept, few, all_of_them in grown), grown
    # Of a class at random nothing is worth a split: the bound says so at the root, or soon after.
    draw = np.random.default_rng(0)
    noise = crake.read(pa.table({"x": draw.normal(0, 1, 60), "y": np.array(["p", "q"])[draw.integers(0, 2, 60)]}), "y")
    training = training_of(noise)
    whole = grown_to_shortest(training, growth, is_bounded=False)
    assert len(whole.tree) == 1
    assert grown_to_shortest(training, growth).grown < whole.grown / 2


def leaf_bits(counts: list[float]) -> float:
    n, k = sum(counts), len(counts)
    rows = sum(each * log2(n / each) for each in counts if each)
    return rows + max(0.0, (k - 1) / 2 * log2(n / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2))


def shortest(table: Table, rows: np.ndarray, tree: Tree, node: int) -> tuple[float, list[int]]:
    """Return the length of the shortest code at a node of a tree of numbers, and its leaves, by the table above it."""
    classes = [float(np.sum(table.target[rows] == k)) for k in range(len(table.schema.classes))]
    alone = 1 + leaf_bits(classes)
    if tree.branches[node] == 0:
        return alone, [node]
    column = table.column(table.schema.features[tree.feature[node]].name)[rows]
    is_left = column <= tree.threshold[node]
    left, right = (
        shortest(table, rows[side], tree, int(tree.first[node]) + at) for at, side in enumerate((is_left, ~is_left))
    )
    split = log2(len(table.schema.features)) + log2(len(set(column.tolist())) - 1)
    below = 1 + split + left[0] + right[0]
    return (alone, [node]) if alone <= below else (below, left[1] + right[1])


@pytest.mark.parametrize("seed", range(4))
def test_as_the_plain_twin(seed: int) -> None:
    table = table_of(seed, 3, has_gaps=False, rows=150).select(["told", "noise", "y"])
    full = crake.CARTClassifier().fit(table)
    _, leaves = shortest(table, np.arange(len(table)), full.tree_, 0)
    pruned = crake.CARTClassifier(pruning="mdl").fit(table)
    expected = sorted(map(tuple, full.tree_.counts[leaves].tolist()))
    assert sorted(map(tuple, pruned.tree_.counts[pruned.tree_.branches == 0].tolist())) == expected


def test_lengths_are_never_negative() -> None:
    """Of many classes and few rows the paper's term for a leaf would be below 0."""
    counts = np.zeros((1, 30))
    counts[0, 0] = 1
    assert class_bits(counts).tolist() == [0.0]


def test_limits_come_first() -> None:
    """A limit on leaves, or a price of them, needs the whole tree: it is applied before the code is weighed."""
    table = table_of(3, 3, has_gaps=False)
    for limits in ({"max_leaf_nodes": 4}, {"ccp_alpha": 0.02}):
        limited = crake.CARTClassifier(**limits).fit(table)
        assert_same(with_mdl(limited).fit(table).tree_, limited.prune("mdl", table).tree_)


def test_where_there_are_no_classes_or_rows() -> None:
    table = table_of(3, 2, has_gaps=False)
    with pytest.raises(CrakeError, match=r"mdl pruning needs rows.*the rows it was fitted on"):
        crake.CARTClassifier().fit(table).prune("mdl")
    numbers = table.select(["told", "noise"]).with_target("told")
    with pytest.raises(CrakeError, match="no pruning 'mdl' of a regression tree"):
        crake.CARTRegressor().fit(numbers).prune("mdl", numbers)
    with pytest.raises(ValueError, match="'pruning' parameter of CARTRegressor"):
        crake.CARTRegressor(pruning="mdl").fit(numbers)


def test_rows_of_a_scan_give_the_same_tree(tmp_path: Any) -> None:
    table = table_of(3, 2, has_gaps=True)
    pq.write_table(table.to_arrow(), tmp_path / "rows.parquet")
    scanned = crake.read(tmp_path / "rows.parquet", "y", in_memory=False)
    for learner in (crake.CARTClassifier(pruning="mdl"), crake.C45Classifier(pruning="mdl")):
        assert_same(clone(learner).fit(scanned).tree_, learner.fit(table).tree_)


def test_members_of_ensembles_may_be_pruned_so() -> None:
    table = table_of(4, 2, has_gaps=False, rows=100)
    member = crake.C45Classifier(pruning="mdl")
    bagged = crake.BaggingClassifier(member, n_estimators=3).fit(table)
    assert bagged.predict_proba(table).shape == (100, 2)
