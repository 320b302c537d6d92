"""What else a node could have asked: the lecture's gains; the attribute chosen is the best by the learner's rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.learners.tree.explaining.test_classification import LEARNERS

import crake
from crake.learners.tree.explaining.alternatives import merit_of
from crake.learners.tree.explaining.best_splits import best_splits
from crake.learners.tree.explaining.labelled_rows import labelled_rows, rows_at
from crake.render.grid import Grid
from crake.table.examples import load


def column(grid: Grid, name: str) -> dict[str, str]:
    at = grid.header.index(name)
    return {row[0][2:]: row[at] for row in grid.rows}


def chosen(grid: Grid) -> list[str]:
    return [row[0][2:] for row in grid.rows if row[0].startswith("→")]


@pytest.mark.parametrize("learner", [crake.ID3Classifier(), crake.C45Classifier(pruning=None)], ids=repr)
def test_the_gains_of_golf(learner: crake.C45Classifier) -> None:
    golf = load("golf")
    grid = learner.fit(golf).node(0).alternatives(golf)
    assert list(column(grid, "gain").items()) == [
        ("outlook", "0.247"), ("temp", "0.029"), ("humidity", "0.152"), ("windy", "0.048"),
    ]  # fmt: skip
    assert column(grid, "gain ratio")["temp"] == "0.019"
    assert chosen(grid) == ["outlook"]
    X, y = golf.to_xy()
    assert learner.node(0).alternatives(X, y) == grid


@pytest.mark.parametrize("name", ["vote", "hypothyroid", "iris"])
def test_every_node_of_an_unpruned_tree_asks_for_the_best(shared: Path, name: str) -> None:
    target = "Class" if name != "iris" else "class"
    found = crake.read(shared / "data" / "arff" / f"{name}.arff", target=target)
    model = crake.C45Classifier(pruning=None, collapse=False).fit(found)
    every = labelled_rows(model.node(0).model, found)
    for node in np.flatnonzero(model.tree_.feature >= 0)[:12]:
        here = rows_at(model.node(0).model, every, int(node))
        counts = np.bincount(here.target, here.weights if len(here.weights) else None, minlength=here.classes)
        np.testing.assert_allclose(counts, model.tree_.counts[node], atol=1e-9)
        own = int(model.tree_.feature[node])
        found_here = best_splits(model.node(0).model, every, here, int(node))
        allowed = [merit_of(model.node(0).model, each) for each in found_here if not each.remark]
        average = np.mean([each.gain - each.correction for each in allowed])
        best = max(each.ratio for each in allowed if each.gain - each.correction >= average - 1e-3)
        assert merit_of(model.node(0).model, found_here[own]).ratio == pytest.approx(best, abs=1e-6)
        assert not found_here[own].remark


def test_weights_and_other_rows() -> None:
    golf = load("golf")
    X, y = golf.to_xy()
    weights = np.arange(1, 15)
    model = crake.C45Classifier(pruning=None).fit(X, y, sample_weight=weights)
    right = model.node(0).alternatives(X, y, weights)
    assert "other rows" not in right.title
    copies = np.repeat(np.arange(14), weights)
    twice = crake.C45Classifier(pruning=None).fit(golf.take(copies))
    assert twice.node(0).alternatives(golf.take(copies)).rows == right.rows
    assert "the tree was grown from other rows" in model.node(0).alternatives(X, y).title


def test_what_is_not_allowed_is_said() -> None:
    golf = load("golf")
    X, y = golf.to_xy()
    numbered = X.append_column("id", [[f"row {i}" for i in range(14)]])
    greedy = crake.ID3Classifier().fit(numbered, y)
    grid = greedy.node(0).alternatives(numbered, y)
    assert chosen(grid) == ["id"]
    assert column(grid, "gain")["id"] == "0.940"
    careful = crake.C45Classifier().fit(numbered, y)
    grid = careful.node(0).alternatives(numbered, y)
    assert chosen(grid) == ["outlook"]
    assert column(grid, "gain ratio")["id"] == "0.247"
    assert column(grid, "")["id"] == "not allowed"
    leaf = careful.node(1).alternatives(numbered, y)
    assert set(column(leaf, "").values()) == {"one class"}
    assert chosen(leaf) == []


def test_rows_are_needed_and_checked() -> None:
    golf = load("golf")
    model = crake.C45Classifier().fit(golf)
    X, y = golf.to_xy()
    with pytest.raises(crake.CrakeError, match="classes of the rows are needed"):
        model.node(0).alternatives(X)
    with pytest.raises(crake.CrakeError, match="brings its own target"):
        model.node(0).alternatives(golf, y)
    with pytest.raises(crake.CrakeError, match="there is no column 'play'"):
        model.node(0).alternatives(golf.select([c.name for c in golf.schema.features]))


def test_pruning_once_more() -> None:
    golf = load("golf")
    whole = crake.C45Classifier(pruning=None, collapse=False).fit(load("iris"))
    pruned = whole.prune("pessimistic", load("iris"), confidence=0.001)
    assert pruned.n_leaves_ < whole.n_leaves_
    assert str(whole) == str(crake.C45Classifier(pruning=None, collapse=False).fit(load("iris")))
    assert str(whole.prune("pessimistic", load("iris"))) == str(crake.C45Classifier(collapse=False).fit(load("iris")))
    assert str(whole.prune("collapse")) == str(crake.C45Classifier(pruning=None).fit(load("iris")))
    tree = crake.ID3Classifier().fit(golf)
    against = replace(golf, source=golf.source.with_columns({"play": 1 - golf.target}))
    assert tree.prune("reduced-error", golf).n_leaves_ == 5
    assert tree.prune("reduced-error", against).n_leaves_ == 1
    with pytest.raises(crake.CrakeError, match="needs rows"):
        tree.prune("pessimistic")
    with pytest.raises(crake.CrakeError, match="expected one of"):
        tree.prune("hard")
    with pytest.raises(crake.CrakeError, match="between 0 and 1"):
        tree.prune("pessimistic", golf, confidence=2)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_any_tree_can_be_pruned_in_any_way_and_looked_at(shared: Path, learner: Any) -> None:
    vote = crake.read(shared / "data" / "arff" / "vote.arff", target="Class")
    grown, held = vote.take(np.arange(0, 435, 2)), vote.take(np.arange(1, 435, 2))
    model = clone(learner).fit(grown)
    right = np.sum(model.predict(held) == np.array(held.labels(held.target)))
    for how, rows in (("pessimistic", grown), ("reduced-error", held), ("collapse", None), ("cost-complexity", None)):
        pruned = model.prune(how, rows)
        assert pruned.n_leaves_ <= model.n_leaves_
        one = held.take(np.array([3]))
        np.testing.assert_array_equal([p for _, p in pruned.explain(one).answer], pruned.predict_proba(one)[0])
        assert len(pruned.rules()) == pruned.n_leaves_
        assert len(pruned.node(0).alternatives(grown).rows) == 16
        if how == "reduced-error":
            assert np.sum(pruned.predict(held) == np.array(held.labels(held.target))) >= right
