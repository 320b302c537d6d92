"""Sections on the columns: their importance to the best learner, their relation to the target; models as good."""

from __future__ import annotations

import json

import pytest

import crake
from crake.render.report.blocks import Listing


@pytest.fixture(scope="module")
def report():
    return crake.compare("iris", learners=["majority", "1r", "c4.5", "cart", "naive-bayes"]).report()


def test_the_importances_are_written(report):
    section = report["importance"]
    assert section.title == "What naive Bayes uses"
    assert section.data["importance"]["columns"][0][0] == "petal width (cm)"
    for rendering in (report.to_html(), report.markdown(), str(report)):
        assert "What naive Bayes uses" in rendering
        assert "accuracy lost" in rendering


def test_models_as_good_are_folded_and_the_simplest_is_named(report):
    section = report["tied_models"]
    learners = [each["learner"] for each in section.data["tied_models"]]
    assert section.data["simplest"] == "1R" if "1R" in learners else section.data["simplest"] in ("C4.5", "CART")
    listings = [block for block in section.blocks if isinstance(block, Listing)]
    assert listings
    assert all(not block.is_open for block in listings)
    assert f"{section.data['simplest']} is the simplest of them" in report.markdown()
    assert section.title not in str(report)
    assert section.title in report.to_html()


def test_the_columns_are_ranked(report):
    assert report["columns"].title == "What the columns say about species"
    assert report["columns"].data["relations"]["ranked"][0]["column"] == "petal length (cm)"
    assert "1.241 [0.957,\N{NO-BREAK SPACE}1.572]" in report.to_html()


def test_a_notebook_gets_none_of_them():
    comparison = crake.compare("golf", learners=["majority", "id3"])
    shown = comparison._repr_html_()
    assert "What the columns say" not in shown
    document = json.loads(comparison.report().json())
    assert document["relations"]["target"] == "play"
    assert document["importance"]["rows"] == 14


def test_a_constant_prediction_uses_nothing():
    assert crake.evaluate("majority", "golf").report()["importance"].blocks == ()


def test_one_learner_has_no_models_beside_it():
    report = crake.evaluate("c4.5", "golf").report()
    assert report["tied_models"].blocks == ()
    assert report["importance"].data["importance"]["learner"] == "C4.5"


def test_a_model_that_nobody_can_read_is_drawn_by_its_columns_and_as_the_tree_most_like_it(report):
    closed = crake.compare("iris", learners=[crake.ForestClassifier(10), "majority"]).report()
    section = closed["partial_dependence"]
    drawn = [each["column"] for each in section.data["partial_dependence"]]
    assert drawn[0] == closed["importance"].data["importance"]["columns"][0][0]
    assert "in all of 150 rows" in closed.to_html()
    assert f"What {drawn[0]} does" in closed.to_html()
    assert "The tree most like the ensemble" in closed.to_html()
    assert "partial_dependence" not in [section.name for section in report.sections]  # naive Bayes has its nomogram
