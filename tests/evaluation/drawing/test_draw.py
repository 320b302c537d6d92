"""Evaluations and comparisons as pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import crake
from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.drawing.draw import WHAT
from crake.evaluation.result.classification import Evaluation
from crake.table.examples import load


@pytest.fixture(scope="module")
def two_classes() -> Evaluation:
    return crake.evaluate(crake.NaiveBayesClassifier(), load("breast-cancer"), plan=crake.CrossValidation(5))


@pytest.fixture(scope="module")
def three_classes() -> crake.Comparison:
    return crake.compare(load("iris"), learners=["majority", "1r", "naive-bayes", "cart"])


def words(svg: str) -> str:
    return " | ".join("".join(each.itertext()) for each in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


@pytest.mark.parametrize("what", WHAT)
def test_every_picture_of_two_classes(two_classes, what):
    drawing = two_classes.draw(what)
    written = words(drawing.svg())
    assert "naive Bayes" in drawing.title
    assert "breast-cancer" in written
    assert drawing.finding


@pytest.mark.parametrize("what", WHAT)
def test_every_picture_of_three_classes(three_classes, what):
    words(three_classes["naive Bayes"].draw(what).svg())
    words(three_classes["naive Bayes"].draw(what, positive="virginica").svg())
    words(three_classes.draw(what).svg())
    words(three_classes.draw(what, positive="virginica", learners=["1R", "CART"]).svg())


def test_the_area_that_is_said_is_the_area(two_classes):
    area = f"{two_classes.auc:.3f}"
    assert f"AUC {area}" in words(two_classes.draw("roc").svg())
    assert area in two_classes.draw("roc").finding
    assert f"average precision {two_classes.average_precision:.3f}" in words(two_classes.draw("precision-recall").svg())


def test_the_best_and_the_last_are_named(three_classes):
    finding = three_classes.draw("roc").finding
    assert finding.startswith("AUC: best naive Bayes with ")
    assert "last CART" in finding


def test_baselines_are_drawn_only_if_named(three_classes):
    assert "majority" not in words(three_classes.draw("roc").svg())
    assert "majority class" in words(three_classes.draw("roc", learners=["majority class"]).svg())


def test_folds_and_hull_may_be_left_out(two_classes):
    assert "each fold" in words(two_classes.draw("roc").svg())
    plain = words(two_classes.draw("roc", folds=False, hull=False).svg())
    assert "each fold" not in plain
    assert "hull" not in plain


def test_equal_costs_touch_the_curve_at_the_best_cutoff(two_classes):
    line = two_classes.roc().iso_cost(1, 10)
    written = words(two_classes.draw("roc", cost=(1, 10)).svg())
    assert f"cutoff {line.score:.3g}" in written
    assert "equal cost (false positive 1, false negative 10)" in written
    by_name = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
    assert two_classes.draw("roc", cost=by_name).svg() == two_classes.draw("roc", cost=(1, 10)).svg()


def test_curves_of_many_rows_are_thinned():
    rng = np.random.default_rng(1)
    scores = rng.random(20_000)
    evaluation = Evaluation.from_scores(rng.random(20_000) < scores, scores, positive=True)
    assert len(evaluation.draw("roc").svg()) < 20_000


def test_answers_alone_have_no_curve_but_a_matrix():
    evaluation = Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"])
    words(evaluation.draw("confusion").svg())
    for what in ("roc", "calibration"):
        with pytest.raises(UndefinedMeasure):
            evaluation.draw(what)


def test_what_cannot_be_drawn_is_named(two_classes, three_classes):
    with pytest.raises(CrakeError, match="roc, precision-recall"):
        two_classes.draw("rocket")
    with pytest.raises(CrakeError, match="expected one of the classes"):
        two_classes.draw("roc", positive="purple")
    with pytest.raises(CrakeError, match="there is no"):
        three_classes.draw("roc", learners=["C5.0"])


def test_learning_curves():
    by_rows = crake.learning_curve("naive-bayes", load("iris"), rows=[0.04, 0.2, 1.0], plan=crake.CrossValidation(3))
    assert "training error" in words(by_rows.draw().svg())
    assert "least test error" in by_rows.draw().finding
    named = crake.complexity_curve(
        crake.CARTClassifier(), load("iris"), parameter="max_depth", values=[1, 3, None], plan=crake.CrossValidation(3)
    )
    assert "None" in words(named.draw().svg())


def test_bins_of_a_few_rows_do_not_stand_beside_others():
    cancer = load("breast-cancer")
    drawing = crake.compare(cancer, learners=["naive-bayes", "c4.5"]).draw("calibration")
    assert any("fewer than 5 rows" in word for word in re.findall(r">([^<]+)</text>", drawing.svg()))
