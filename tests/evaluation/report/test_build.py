"""The report of a comparison and of one evaluation: what is in it, and how large it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import crake
from crake.evaluation.drawing.draw import matrix_of
from crake.evaluation.report.build import report_of
from crake.evaluation.report.material import Material
from crake.evaluation.report.sections.confusion import confusion_section
from crake.evaluation.report.sections.cutoff import cutoff_panel, panel_section
from crake.evaluation.report.sections.leaderboard import leaderboard_section
from crake.evaluation.report.sections.model import REFITTED, TESTED
from crake.evaluation.report.sections.worked_rows import LEFT_OUT, NO_MODEL, chosen_rows
from crake.evaluation.report.single_board import board_of_test
from crake.render.grid import Grid
from crake.render.report.blocks import Checks, Pictures, WorkedRow
from crake.render.report.cutoffs import CutoffPanel


@pytest.fixture(scope="module")
def cancer():
    return crake.compare(
        crake.read("breast-cancer"), learners=["majority", "1r", "stump", "naive-bayes", "c4.5", "cart"]
    )


def test_six_learners_make_a_small_page(cancer, tmp_path):
    page = cancer.to_html(tmp_path / "report.html", show_rows=True)
    assert len(page.encode()) <= 150_000
    assert (tmp_path / "report.html").read_text("utf-8") == page


@pytest.mark.parametrize(("classes", "models"), [(2, 11), (26, 11)])
def test_twenty_thousand_rows_make_a_page_of_no_more_than_300_kb(cancer, classes, models):
    """A leaderboard, a drawing and worked rows of real learners; of 20,000 rows the scores, no two alike."""
    random = np.random.default_rng(2)
    y = random.integers(0, classes, 20_000)
    evaluations = []
    for k in range(models):
        odds = random.normal(0, 1, (20_000, classes)) + (1 + 0.2 * k) * (y[:, None] == np.arange(classes))
        shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        evaluations.append(crake.Evaluation.from_scores(y, shares, name=f"model {k}"))
    matrices = (matrix_of("model 0", evaluations[0].confusion), *cancer.leaderboard().matrices[1:])
    report = cancer["C4.5"].report(show_rows=True)
    board = replace(cancer.leaderboard(), matrices=matrices)
    material = Material(evaluations, board, with_model=False)
    for section in (
        leaderboard_section(material),
        confusion_section(material),
        panel_section(cutoff_panel(evaluations)),
    ):
        report = report.with_section(section)
    page = report.to_html()
    assert "data-panel" in page
    assert len(page.encode()) <= 300_000


@pytest.mark.parametrize("positive", [None, "0", "1"])
def test_two_classes_stand_in_one_order_in_text_and_panel(positive):
    y = np.repeat(["0", "1"], 20)
    scores = np.linspace(0, 1, 40)[np.random.default_rng(1).permutation(40)]
    shares = np.column_stack([1 - scores, scores])
    evaluation = crake.Evaluation.from_scores(y, shares, classes=["0", "1"], positive=positive)
    page = evaluation.report().to_html()
    matrix = page[page.index('<table class="matrix">') :]
    header, *rows = re.findall("<tr>.*?</tr>", matrix[: matrix.index("</table>")], re.DOTALL)
    assert re.findall(r"<bdi[^>]*>(\d)</bdi>", header) == ["0", "1"]
    assert [re.findall(r"<bdi[^>]*>(\d)</bdi>", row) for row in rows] == [["0"], ["1"]]
    counts = [[float(n) for n in re.findall(r'data-out="[tf][pn]">(\d+)<', row)] for row in rows]
    assert counts == evaluation.confusion.counts.tolist()


def test_f1_of_the_panel_names_its_class():
    y = np.repeat(["0", "1"], 20)
    scores = np.linspace(0, 1, 40)[np.random.default_rng(1).permutation(40)]
    learners = [
        crake.Evaluation.from_scores(y, np.column_stack([1 - s, s]), classes=["0", "1"]) for s in (scores, scores**2)
    ]
    page = learners[0].report().with_section(panel_section(cutoff_panel(learners))).to_html()
    assert '<dt>F1 of <bdi data-out="class-words">class 1</bdi></dt>' in page
    assert '<th scope="col">F1 of <bdi>class 1</bdi></th>' in page
    assert 'A row is called <bdi data-out="class-words">class 1</bdi> where' in page
    assert "<dt>F1</dt>" not in page


def test_a_million_rows_make_a_page_no_larger():
    """Counts at chosen cutoffs: what grows is the digits of the counts."""
    random = np.random.default_rng(3)
    y = random.random(1_000_000) < 0.2
    evaluations = [
        crake.Evaluation.from_scores(y.astype(int), random.random(1_000_000) + (1 + k) * y) for k in range(2)
    ]
    report = evaluations[0].report(with_model=False)
    page = report.with_section(panel_section(cutoff_panel(evaluations))).to_html()
    assert "1,000,000" in page
    assert len(page.encode()) <= 300_000


def test_the_best_learner_is_fitted_to_all_rows_and_shown(cancer):
    report = cancer.report()
    held = report.to_dict()
    assert held["learner"] == cancer.best.name
    assert held["about_model"] == REFITTED
    (panel,) = report.blocks(CutoffPanel)
    assert panel.models[0] == cancer.best.name
    assert held["without_rows"] == LEFT_OUT
    assert report.blocks(Checks)


def test_a_drawing_stands_in_the_page(cancer):
    report = cancer["C4.5"].report()
    (picture,) = report.blocks(Pictures)[0].pictures
    assert picture.svg.startswith("<svg")
    assert picture.svg in report.to_html()


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
    assert report.to_dict()["about_model"] == TESTED
    for row in report.blocks(WorkedRow):
        answer = dict(row.workings.answer)
        place = int(np.flatnonzero(evaluation.out_of_fold.rows == row.row)[0])
        held = dict(zip(map(str, evaluation.classes), evaluation.out_of_fold.probabilities[place], strict=True))
        assert answer == pytest.approx(held)


def test_learners_of_other_libraries_are_compared_but_not_drawn():
    table = crake.read("iris")
    comparison = crake.compare(table, learners=["majority", LogisticRegression(max_iter=500)])
    report = comparison.report(show_rows=True)
    assert [block.pictures[0].title for block in report.blocks(Pictures)] == [
        "Importance: LogisticRegression",
        "petal length (cm) by class: iris",
    ]
    assert report.blocks(WorkedRow) == ()
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
    assert report.blocks(CutoffPanel) == ()
    assert "no cutoff to move" in report.to_html()


def test_the_strongest_column_is_drawn_by_class(cancer):
    (section,) = [each for each in cancer.report().sections if each.name == "columns"]
    (pictures,) = [block for block in section.blocks if isinstance(block, Pictures)]
    assert pictures.pictures[0].title.startswith("worst perimeter")
    assert "benign" in pictures.pictures[0].svg
    grid = next(block for block in section.blocks if isinstance(block, Grid))
    assert grid.rows[0][1] == "0.674 [0.565,\N{NO-BREAK SPACE}0.795]"
