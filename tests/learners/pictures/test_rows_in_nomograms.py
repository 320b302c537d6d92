"""The values of a row in a nomogram: their points add up to the probability that the model gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import crake
from crake.learners.logistic.drawing import nomogram_of as logistic_nomogram
from crake.learners.naive_bayes.drawing import nomogram_of as bayes_nomogram
from crake.learners.pictures.nomogram import with_row
from crake.table.examples import load

LEARNERS = {
    "naive Bayes": (crake.NaiveBayesClassifier(), bayes_nomogram),
    "logistic regression": (crake.LogisticClassifier(), logistic_nomogram),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("table", ["golf", "tax", "iris"])
def test_the_points_of_a_row_give_its_probability(name, table):
    learner, nomogram_of = LEARNERS[name]
    rows = load(table)
    model = learner.fit(rows)
    picture = nomogram_of(model, None, None, 100, None)
    marked_rows = 0
    for row in (0, 3, 8):
        one = rows.take(np.array([row]))
        marked = with_row(picture, model._one_row(one), model.probabilities)
        total = marked.marked_total
        if total is None:  # a column that matters is not drawn: it separates the classes
            continue
        marked_rows += 1
        shares = model.predict_proba(one)[0, list(picture.classes)]
        expected = shares[0] / shares.sum()
        assert math.isclose(marked.probability(total), expected, rel_tol=1e-6, abs_tol=1e-9)
        assert f"{total:.0f} points, {picture.outcome}" in model.draw(row=one, most=100).svg()
    assert marked_rows or table == "tax"
