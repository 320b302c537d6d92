"""The boosted learners as users meet them: names, gaps, constraints, rows held out, explanations, model files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.arithmetic import value_of
from tests.learners.ensemble.boosting.test_rounds import NUMBERS, ROWS, THREE, TWO, X, mixed
from tests.modelfile.repaired import Document, Tensors, changed

import crake
from crake.errors import ModelFileError
from crake.modelfile.writing import model_bytes
from crake.table.examples import load


def test_names_and_gaps_are_learned_and_what_is_new_counts_as_missing() -> None:
    colours = np.array(["red", "blue", "green", "grey"], object)[np.arange(200) % 4]
    colours[np.arange(200) % 5 == 0] = None
    y = np.isin(colours, ["red", "grey"]) | (colours == None)  # noqa: E711 (element by element)
    model = crake.BoostedTreesClassifier(30).fit(colours[:, None], y)
    assert model.predict([["red"], ["blue"], ["green"], [None], ["never seen"]]).tolist() == [1, 0, 0, 1, 1]
    np.testing.assert_array_equal(*model.predict_proba([[None], ["never seen"]]))


def test_missing_numbers_take_the_side_that_removes_more_loss() -> None:
    x = np.tile([1.0, 2.0, np.nan], 50)
    high, low = (crake.BoostedTreesRegressor(1, learning_rate=1.0).fit(x[:, None], y) for y in (x != 1, x == 2))
    assert high.predict([[1.0], [2.0], [np.nan]]).tolist() == pytest.approx([0, 1, 1])
    assert low.predict([[1.0], [2.0], [np.nan]]).tolist() == pytest.approx([0, 1, 0])
    apart = crake.BoostedTreesRegressor(1, learning_rate=1.0).fit(x[:, None], np.isnan(x))
    assert apart.predict([[1.0], [1e300], [np.nan]]).tolist() == pytest.approx([0, 0, 1])


@pytest.mark.parametrize("learner", [crake.BoostedTreesClassifier, crake.BoostedTreesRegressor])
def test_predictions_follow_the_directions_asked_for(learner: Any) -> None:
    y = TWO if learner is crake.BoostedTreesClassifier else NUMBERS
    model = learner(40, monotonic_cst=[0, 1, -1, 0]).fit(X, y)
    free = learner(40).fit(X, y)
    line = np.linspace(-1, 101, 60)
    violations = []
    for each in (model, free):
        fallen = 0
        for row in X[:20]:
            for column, direction in ((1, 1), (2, -1)):
                cells = np.tile(row, (60, 1))
                cells[:, column] = line
                answers = each.predict_proba(cells)[:, 1] if hasattr(each, "classes_") else each.predict(cells)
                fallen += int(np.any(direction * np.diff(answers) < -1e-12))
        violations.append(fallen)
    assert violations[0] == 0 < violations[1]


def test_constraints_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(crake.CrakeError, match="needs two classes, got 3"):
        crake.BoostedTreesClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, THREE)
    with pytest.raises(crake.CrakeError, match="holds names; expected numbers"):
        crake.BoostedTreesClassifier(monotonic_cst={"x1": 1}).fit(mixed())
    with pytest.raises(crake.CrakeError, match="has 1 numbers; expected one for each of 4 columns"):
        crake.BoostedTreesRegressor(monotonic_cst=[1]).fit(X, NUMBERS)
    with pytest.raises(crake.CrakeError, match=r"holds 2; expected -1 \(falling\)"):
        crake.BoostedTreesRegressor(monotonic_cst={"x0": 2}).fit(X, NUMBERS)
    with pytest.raises(crake.CrakeError, match="x9"):
        crake.BoostedTreesRegressor(monotonic_cst={"x9": 1}).fit(X, NUMBERS)
    with pytest.raises(crake.CrakeError, match='needs loss="squared_error"'):
        crake.BoostedTreesRegressor(monotonic_cst={"x0": 1}, loss="absolute_error").fit(X, NUMBERS)


@pytest.mark.parametrize("y", [TWO, THREE, NUMBERS], ids=["two", "three", "numbers"])
def test_rows_held_out_end_the_rounds_where_their_loss_is_least(y: Any) -> None:
    learner = crake.BoostedTreesRegressor if y is NUMBERS else crake.BoostedTreesClassifier
    model = learner(300, learning_rate=0.3, n_iter_no_change=5).fit(X, y)
    losses = model.held_out_losses_
    assert model.n_estimators_ == int(np.argmin(losses)) < 300
    assert len(losses) == model.n_estimators_ + 1 + 5
    assert "rows held out" in str(model)
    assert len(model.pictures()) == 2


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_stages_end_at_the_prediction_and_explanations_add_up(y: Any) -> None:
    model = crake.BoostedTreesClassifier(35).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 35
    np.testing.assert_array_equal(stages[-1], model.predict_proba(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), stages[-1])
    labels = list(model.staged_predict(X))
    assert (labels[-1] == model.predict(X)).all()
    workings = model.explain(X[0])
    assert dict(workings.answer) == pytest.approx(dict(zip(map(str, model.classes_), stages[-1][0], strict=True)))
    first = [step for step in workings.sections[0] if step.statement == "tree 1"]
    tree = model.trees_.tree(0)
    assert value_of(first[0].value) == pytest.approx(tree.responses[_leaf(tree, X[0]), 0], rel=1e-3)


def test_the_other_trees_of_an_explanation_are_counted() -> None:
    assert "the last tree = " in str(crake.BoostedTreesClassifier(7).fit(X, TWO).explain(X[0]))
    eight = str(crake.BoostedTreesClassifier(8).fit(X, TWO).explain(X[0]))
    assert re.search(r"the other 2 trees = .*← (0 of them are|1 of them is|2 of them are) above 0", eight)


@pytest.mark.parametrize("y", [TWO, THREE, NUMBERS], ids=["two", "three", "numbers"])
def test_the_trees_are_regressors_that_predict_what_they_add(y: Any, tmp_path: Path) -> None:
    learner = crake.BoostedTreesRegressor if y is NUMBERS else crake.BoostedTreesClassifier
    model = learner(3).fit(X, y)
    members = model.estimators_
    assert members.shape == (3, len(model.base_))
    score = model.base_ + sum(np.column_stack([tree.predict(X) for tree in one_round]) for one_round in members)
    expected = model.predict(X) if y is NUMBERS else model.decision_function(X)
    np.testing.assert_allclose(score[:, 0] if score.shape[1] == 1 else score, expected, rtol=0, atol=1e-12)
    root, added = members[0, 0].tree_.responses[0], members[0, 0].predict(X)
    assert root == pytest.approx([added.mean(), np.sum((added - added.mean()) ** 2)])
    crake.save(members[0, 0], tmp_path / "member.crake")
    np.testing.assert_array_equal(crake.load(tmp_path / "member.crake").predict(X), added)


def test_shapley_values_add_up_to_the_scores_and_a_column_without_splits_has_none() -> None:
    for y in (TWO, THREE):
        model = crake.BoostedTreesClassifier(4).fit(np.column_stack([X, np.ones(ROWS)]), y)
        row = [*X[3], 1.0]
        found = model.contributions(row)
        scores = np.atleast_2d(model.decision_function([row]).T).reshape(-1)
        np.testing.assert_allclose(found.base + found.columns.sum(axis=0), scores, atol=1e-12)
        assert not found.columns[4].any()
        every = model.decision_function(np.column_stack([X, np.ones(ROWS)])).reshape(ROWS, -1).mean(axis=0)
        np.testing.assert_allclose(found.base, every, atol=1e-9)
    number = crake.BoostedTreesRegressor(4).fit(X, NUMBERS)
    found = number.contributions(X[3])
    assert float(found.base[0] + found.columns.sum()) == pytest.approx(float(number.predict(X[3:4])[0]))


def _leaf(tree: Any, row: Any) -> int:
    node = 0
    while tree.branches[node]:
        x = row[tree.feature[node]]
        node = int(tree.first[node] + (tree.missing[node] if np.isnan(x) else x > tree.threshold[node]))
    return node


def test_one_class_and_too_few_rows_are_a_constant() -> None:
    one = crake.BoostedTreesClassifier().fit(X, np.ones(ROWS, int))
    assert one.predict_proba(X[:2]).tolist() == [[1.0], [1.0]]
    few = crake.BoostedTreesClassifier().fit(X[:9], TWO[:9])
    assert few.n_estimators_ == 0
    with pytest.raises(crake.CrakeError, match="expected losses on rows held out to draw, got none"):
        few.draw_losses()
    assert few.predict_proba(X)[:, 1] == pytest.approx(TWO[:9].mean())
    assert few.feature_importances_.tolist() == [0] * 4
    assert list(few.staged_predict_proba(X)) == []


def test_the_error_by_rounds_is_drawn_with_its_interval() -> None:
    table = load("iris")
    learned, tested = table.take(np.arange(0, 150, 3)), table.take(np.arange(1, 150, 3))
    model = crake.BoostedTreesClassifier(6, min_samples_leaf=3).fit(learned)
    wrong = [np.mean(each != np.array(tested.labels(tested.target))) for each in model.staged_predict(tested)]
    drawn = model.draw_rounds(tested, learned)
    assert len(wrong) == 6
    assert 0 < wrong[-1] < 0.2
    assert "by number of rounds: 6" in drawn.title
    assert f"on the rows tested is {wrong[-1]:.4f} [" in drawn.finding
    assert "error on the training rows" in drawn.svg()
    assert "its 95 % interval" in drawn.svg()
    assert "training" not in model.draw_rounds(tested).svg()
    with pytest.raises(crake.CrakeError, match=r"expected a crake\.Table with the classes"):
        model.draw_rounds(X)
    with pytest.raises(crake.CrakeError, match="expected a model with rounds to draw"):
        crake.BoostedTreesClassifier().fit(table.take(np.arange(9))).draw_rounds(tested)


MODEL = model_bytes(crake.BoostedTreesClassifier(3, max_leaf_nodes=4).fit(mixed()))
TREES = "trees/"


def cell(name: str, place: Any, value: Any) -> Callable[[Document, Tensors], None]:
    def change(document: Document, tensors: Tensors) -> None:
        del document
        tensors[name] = tensors[name].copy()
        tensors[name][place] = value

    return change


def cut(name: str, length: int) -> Callable[[Document, Tensors], None]:
    def change(document: Document, tensors: Tensors) -> None:
        del document
        tensors[name] = tensors[name][:length]

    return change


def held_out(length: int) -> Callable[[Document, Tensors], None]:
    def change(document: Document, tensors: Tensors) -> None:
        del document
        tensors["held_out_losses"] = np.ones(length)

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (cell("trees/feature", 0, 3), "feature holds"),
        (cell("trees/feature", 0, -1), "feature is missing at a question"),
        (cell("trees/feature", -1, 0), "feature is missing at a question"),
        (cell("trees/kind", 0, 2), "kind asks a number for its name"),
        (cell("trees/kind", 0, 9), "kind holds"),
        (cell("trees/nodes", 0, 5), "nodes add up to"),
        (cell("trees/nodes", slice(0, 2), [9, 5]), "kind has too many or too few leaves"),
        (cell("trees/answer", -1, np.inf), "answer holds"),
        (cell("trees/answer", 0, 1.0), "answer is not 0 at a question"),
        (cell("trees/threshold", 0, np.nan), "threshold holds"),
        (cell("trees/weight", 0, 1.0), "weight does not add up"),
        (cell("trees/missing", -1, 1), "missing names a child of a leaf"),
        (cell("trees/groups", 0, 2), "groups holds"),
        (cut("trees/groups", 3), "groups has 3 entries"),
        (cut("trees/nodes", 2), "nodes add up to"),
        (cell("base", 0, np.nan), "base holds"),
        (held_out(3), "held_out_losses has 3 losses; expected none, or 4 to 4"),
        (held_out(5), "held_out_losses has 5 losses; expected none, or 4 to 4"),
    ],
)
def test_what_is_no_tree_is_refused(change: Any, said: str, tmp_path: Path) -> None:
    (tmp_path / "m.crake").write_bytes(changed(MODEL, change))
    with pytest.raises(ModelFileError, match=said):
        crake.load(tmp_path / "m.crake")


def test_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    for learner, y in ((crake.BoostedTreesClassifier(4), THREE), (crake.BoostedTreesRegressor(4), NUMBERS)):
        model = learner.fit(X, y)
        crake.save(model, tmp_path / "m.crake")
        again = crake.load(tmp_path / "m.crake")
        np.testing.assert_array_equal(model.predict(X), again.predict(X))
        assert str(model) == str(again)
