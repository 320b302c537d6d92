"""The report of a comparison and of one evaluation: what is in it, and how large it is."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import crake
from crake.evaluation.report import LEFT_OUT, NO_MODEL, REFITTED, TESTED, report_of
from crake.evaluation.tested_board import board_of_test
from crake.evaluation.worked_rows import chosen_rows


@pytest.fixture(scope="module")
def cancer():
    return crake.compare(
        crake.read("breast-cancer"), learners=["majority", "1r", "stump", "naive-bayes", "c4.5", "cart"]
    )


def test_six_learners_make_a_small_page(cancer, tmp_path):
    page = cancer.to_html(tmp_path / "report.html", show_rows=True)
    assert len(page.encode()) <= 150_000
    assert (tmp_path / "report.html").read_text("utf-8") == page


def test_the_best_learner_is_fitted_to_all_rows_and_shown(cancer):
    report = cancer.report()
    assert report.learner == cancer.best.name
    assert report.about_model == REFITTED
    assert report.panel is not None
    assert report.panel.models[0] == cancer.best.name
    assert report.without_rows == LEFT_OUT
    assert report.board.checks is not None


def test_a_drawing_stands_in_the_page(cancer):
    report = cancer["C4.5"].report()
    assert len(report.drawings) == 1
    assert report.drawings[0].svg.startswith("<svg")
    assert report.drawings[0].svg in report.to_html()


def test_an_evaluation_has_a_report_too(tmp_path):
    evaluation = crake.evaluate("naive-bayes", crake.read("golf"))
    page = evaluation.to_html(tmp_path / "one.html")
    assert "At cutoff 0.5" in page
    assert evaluation.markdown(tmp_path / "one.md") == (tmp_path / "one.md").read_text("utf-8")
    assert "Measures (precision" in evaluation.markdown()


def test_a_fitted_model_is_explained_as_it_is():
    golf = crake.read("golf")
    model = crake.NaiveBayesClassifier().fit(golf.take(np.arange(0, 14, 2)))
    tested = golf.take(np.arange(1, 14, 2))
    evaluation = crake.Evaluation.of_model(model, tested)
    report = report_of((evaluation,), board_of_test(evaluation), fitted=(model, tested), show_rows=True)
    assert report.about_model == TESTED
    for row in report.worked:
        answer = dict(row.workings.answer)
        place = int(np.flatnonzero(evaluation.out_of_fold.rows == row.row)[0])
        held = dict(zip(map(str, evaluation.classes), evaluation.out_of_fold.probabilities[place], strict=True))
        assert answer == pytest.approx(held)


def test_learners_of_other_libraries_are_compared_but_not_drawn():
    table = crake.read("iris")
    comparison = crake.compare(table, learners=["majority", LogisticRegression(max_iter=500)])
    report = comparison.report(show_rows=True)
    assert report.drawings == report.worked == ()
    assert "The cutoff" in report.to_html()


def test_right_wrong_and_close_are_what_they_say(cancer):
    evaluation = cancer["naive Bayes"]
    places = dict(chosen_rows(evaluation))
    found = evaluation.out_of_fold
    assert evaluation.correct[places["Right"]]
    assert not evaluation.correct[places["Wrong"]]
    assert found.probabilities[places["Wrong"], found.actual[places["Wrong"]]] == min(
        found.probabilities[~evaluation.correct, found.actual[~evaluation.correct]]
    )
    margins = np.abs(found.probabilities[:, 0] - 0.5)
    assert margins[places["A close call"]] == min(np.delete(margins, [places["Right"], places["Wrong"]]))


def test_a_row_that_is_tested_twice_is_shown_once():
    evaluation = crake.evaluate("naive-bayes", crake.read("golf"), plan=crake.CrossValidation(3, repeats=3))
    rows = [int(evaluation.out_of_fold.rows[place]) for _, place in chosen_rows(evaluation)]
    assert len(rows) == len(set(rows)) == 3


def test_a_model_without_errors_has_no_wrong_row():
    evaluation = crake.Evaluation.from_scores(["a", "b", "b"], [0.1, 0.8, 0.9], positive="b")
    assert [kind for kind, _ in chosen_rows(evaluation)] == ["Right", "A close call"]


def test_scores_from_elsewhere_have_a_report_without_a_model():
    evaluation = crake.Evaluation.from_scores(["no", "yes", "yes"], [0.1, 0.8, 0.4], positive="yes")
    held = json.loads(evaluation.report().json())
    assert held["about_model"] == ""
    assert held["without_rows"] == NO_MODEL
    assert held["cutoffs"]["series"][0]["true_positives"] == [1.0, 2.0, 2.0]


def test_answers_from_elsewhere_have_no_cutoff():
    report = crake.Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"]).report()
    assert report.panel is None
    assert "no cutoff to move" in report.to_html()
