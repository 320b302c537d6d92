"""The tree most like an ensemble: what it imitates, and how like it is said to be."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.errors import CrakeError
from crake.plans import Holdout
from crake.table.examples import load


def test_the_share_of_equal_predictions_is_counted_on_rows_it_was_not_grown_from() -> None:
    table = load("breast-cancer")
    forest = crake.ForestClassifier(10).fit(table)
    like = forest.as_tree(table)
    said = forest.predict(table)
    codes = (said == forest.classes_[1]).astype(int)
    grown, tested = Holdout(train=2 / 3, random_state=1).assign(codes, tuple(forest.classes_)).split(0)
    assert (like.rows, like.tested) == (len(grown), len(tested))
    same = np.mean(like.tree.predict(table.take(tested)) == said[tested])
    assert float(like.fidelity) == pytest.approx(same)
    assert like.tree.n_leaves_ <= 8
    assert f"agrees with it on {100 * same:.1f} % [" in str(like)
    assert f"of {len(tested)} rows that it was not grown from." in like.draw().finding


def test_a_forest_of_one_rule_is_that_rule() -> None:
    X = np.arange(60.0)[:, None]
    forest = crake.ForestClassifier(5).fit(X, X[:, 0] > 30)
    like = forest.as_tree(X, max_leaf_nodes=2)
    assert float(like.fidelity) > 0.9
    assert like.tree.n_leaves_ == 2
    boosted = crake.BoostedTreesRegressor(20).fit(X, 3.0 * (X[:, 0] > 30))
    numbers = boosted.as_tree(X, max_leaf_nodes=2)
    assert float(numbers.fidelity) > 0.95
    assert "R² of its predictions for the ensemble's is" in str(numbers)


def test_reports_draw_it_first_and_few_rows_say_that_nothing_is_known() -> None:
    table = load("iris")
    model = crake.AdaBoostClassifier(n_estimators=5).fit(table)
    titles = [drawing.title for drawing in model.pictures(table)]
    assert titles[0].startswith("The tree most like the ensemble")
    flowers = crake.read("iris", "petal width (cm)", numeric=["petal width (cm)"])
    drawn = crake.BaggingRegressor(n_estimators=2).fit(flowers).as_tree(flowers).draw()
    assert drawn.title.startswith("The tree most like the ensemble")
    assert "Decision tree of" not in drawn.svg()
    assert "CART of its predictions of petal width (cm)" in drawn.svg()
    assert len(model.pictures()) == len(titles) - 1  # without rows there is nothing to imitate
    small = crake.BaggingClassifier(n_estimators=2).fit([[1.0], [2.0]], ["a", "b"])
    assert "is not known: the rows are too few" in str(small.as_tree([[1.0]]))
    for leaves in (1, None, "a", 2.5):
        with pytest.raises(CrakeError, match=rf"max_leaf_nodes = {leaves!r}; expected a whole number, 2 or greater"):
            model.as_tree(table, max_leaf_nodes=leaves)
