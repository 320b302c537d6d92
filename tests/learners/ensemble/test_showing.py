"""What every ensemble shows: the error as it grows, the columns that matter, single members."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import crake
from crake.errors import CrakeError
from crake.learners.ensemble.error_curves import error_interval
from crake.learners.tree.number_text import prediction_text
from crake.metrics.regression import rmse
from crake.table.examples import load

IRIS = load("iris")
LEARNED, TESTED = IRIS.take(np.arange(0, 150, 2)), IRIS.take(np.arange(1, 150, 2))


def numbers() -> tuple[Any, Any]:
    flowers = crake.read("iris", target="petal width (cm)")
    return flowers.take(np.arange(0, 150, 2)), flowers.take(np.arange(1, 150, 2))


def test_a_forest_shows_its_errors_out_of_bag_on_tested_and_on_training_rows() -> None:
    model = crake.ForestClassifier(n_estimators=4).fit(LEARNED)
    drawn = model.draw_rounds(TESTED, LEARNED)
    wrong, learned = (
        float(np.mean(model.predict(rows) != np.array(rows.labels(rows.target)))) for rows in (TESTED, LEARNED)
    )
    low, high = error_interval(wrong, 75)
    own = model.draw_rounds().finding.removeprefix("With 4 members the error out of bag is ").removesuffix(".")
    said = f"on the rows tested is {wrong:.4f} [{low:.4f}, {high:.4f}], out of bag {own}"
    assert drawn.finding == f"With 4 members the error {said}, on the training rows {learned:.4f}."
    assert drawn.svg().count("95 % interval o") == 2  # none for the rows learned from
    titles = [each.title for each in model.pictures_of_rows(LEARNED, TESTED)]
    assert [title.partition(":")[0] for title in titles] == [
        "Random forest by number of members", "Random forest", "The tree most like the ensemble",
    ]  # fmt: skip


def test_errors_out_of_bag_are_named_where_there_are_any() -> None:
    for known in (True, False):
        model = crake.BaggingClassifier(n_estimators=2, oob_score=known).fit(LEARNED)
        assert ("out of bag" in model.draw_rounds(TESTED).svg()) == known


@pytest.mark.parametrize(
    "learner",
    [
        crake.ForestRegressor(n_estimators=3),
        crake.AdaBoostRegressor(n_estimators=3),
        crake.BoostedTreesRegressor(3, min_samples_leaf=3),
    ],
)
def test_regressors_show_their_root_mean_squared_error(learner: Any) -> None:
    learned, tested = numbers()
    model = learner.fit(learned)
    actual = tested.column("petal width (cm)")
    expected = rmse(actual, model.predict(tested))
    assert expected.interval is not None
    low, high = expected.interval
    counted = "rounds" if isinstance(model, crake.BoostedTreesRegressor) else "members"
    finding = model.draw_rounds(tested).finding
    said = f"the root mean squared error on the rows tested is {expected.value:.4f} [{low:.4f}, {high:.4f}]"
    assert finding == f"With 3 {counted} {said}."
    assert "on the training rows" in model.pictures_of_rows(learned)[0].finding
    with pytest.raises(CrakeError, match="expected a labelled table to test on, got none"):
        model.draw_rounds()
    with pytest.raises(CrakeError, match="expected rows of known number to test on, got none in"):
        model.draw_rounds(tested.select([column.name for column in tested.schema.features]))


def test_single_members_are_drawn_with_what_they_count_for() -> None:
    forest = crake.ForestClassifier(n_estimators=2).fit(LEARNED)
    leaves = forest.estimators_[1].n_leaves_
    assert forest.draw_member(2).finding.endswith(f"Member 2 of 2: {leaves} leaves.")
    assert forest.draw_member(2).title.startswith("Member 2 of 2: decision tree of species")
    boosted = crake.AdaBoostClassifier(n_estimators=3).fit(LEARNED)
    assert f"its vote is {boosted.estimator_weights_[2]:.4g}, " in boosted.member_note(3)
    parts = crake.CombinerTreeClassifier(n_partitions=2).fit(LEARNED)
    assert f"is {parts.member_scores_[0]:.4f}." in parts.draw_member(1).finding
    for wrong in (0, 3):
        with pytest.raises(CrakeError, match=f"there is no member {wrong}; expected one from 1 to 2"):
            forest.draw_member(wrong)
    bayes = crake.BaggingClassifier(crake.NaiveBayesClassifier(), n_estimators=2).fit(LEARNED)
    assert bayes.draw_member(1).title.startswith("Member 1 of 2: nomogram")
    assert "importance" not in "".join(each.title for each in bayes.pictures())
    foreign = crake.BaggingClassifier(LogisticRegression(), n_estimators=2).fit(LEARNED)
    for drawn in (foreign.draw_importances, lambda: foreign.draw_member(1)):
        with pytest.raises(CrakeError, match=r"such as trees, got LogisticRegression\("):  # as it was given
            drawn()


def test_a_tree_of_boosting_is_drawn_with_what_its_leaves_add() -> None:
    model = crake.BoostedTreesClassifier(2, min_samples_leaf=3).fit(LEARNED)
    assert model.n_members_ == 6
    assert model.member_note(5) == "Tree 5 of 6, in round 2 of 2. Its leaves add to the score of versicolor."
    drawn = model.draw_member(5)
    assert drawn.finding.endswith(model.member_note(5))
    leaves = [leaf for leaf in model.trees_.tree(4).responses[:, 0] if leaf]
    assert all(prediction_text(float(leaf)) in drawn.svg() for leaf in leaves)
    first = model.draw_member(1).svg()  # it adds nothing on the whole, which sums as 1e-17
    assert "mean 0<" in first
    assert "e-1" not in first
    two = crake.BoostedTreesClassifier(1, min_samples_leaf=3).fit(load("breast-cancer"))
    assert two.member_note(1) == "Tree 1 of 1. Its leaves add to the log odds of malignant."


def test_columns_of_no_importance_are_counted_and_not_drawn() -> None:
    cells = np.column_stack([np.arange(60.0), np.zeros(60), np.ones(60)])
    model = crake.BoostedTreesClassifier(2).fit(cells, cells[:, 0] > 29)
    drawn = model.draw()
    assert drawn.finding == "x0 removes the largest share of the loss: 100\N{NO-BREAK SPACE}%."
    assert "2 more columns have no importance." in drawn.svg()
    assert ">x1<" not in drawn.svg()
    without = crake.BoostedTreesClassifier(2).fit(cells, np.ones(60)).draw()
    assert without.finding == "No tree has a split: every row gets the same prediction."


@pytest.mark.parametrize(
    "learner",
    [
        crake.BaggingClassifier(n_estimators=1),
        crake.ForestClassifier(1),
        crake.AdaBoostClassifier(n_estimators=1),
        crake.BoostedTreesClassifier(1, min_samples_leaf=3),
    ],
)
def test_one_is_not_many(learner: Any) -> None:
    model = learner.fit(LEARNED)
    drawn = [model.draw_rounds(TESTED), model.draw_importances()]
    said = " ".join(
        [str(model), str(model.explain(TESTED.take([0]))), *(f"{each.title} {each.finding}" for each in drawn)]
    )
    assert re.findall(r"\b1 (?:members|rounds)\b", said) == []
    assert re.search(r"With 1 (member|round) the error", said)


def test_samples_that_have_every_row_leave_no_error_to_draw() -> None:
    model = crake.BaggingClassifier(n_estimators=2, max_samples=60.0).fit(LEARNED)
    assert str(model.oob_score_) == "undefined (every row is in all samples)"
    assert "out of bag" not in model.draw_rounds(TESTED).svg()
    with pytest.raises(CrakeError, match="expected rows out of bag to draw, got none: every row is in all samples"):
        model.draw()
