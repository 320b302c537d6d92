"""Is a learner right as often as it is sure?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import crake
from crake.evaluation.checks import sureness
from crake.table.examples import load


def test_naive_bayes_is_too_sure_and_the_calibrated_one_is_not() -> None:
    breast = load("breast-cancer")
    found = sureness(crake.evaluate("naive-bayes", breast))
    sure = crake.evaluate("naive-bayes", breast).out_of_fold.probabilities.max(axis=1) >= 0.99
    assert found.rows == sure.sum()
    assert found.p_value == pytest.approx(stats.binom.cdf(found.right, found.rows, 0.99))
    assert found.is_too_sure
    assert "too near 0 or 1; crake.Calibrated(learner) mends that" in str(found)
    mended = sureness(crake.evaluate(crake.Calibrated(), breast))
    assert not mended.is_too_sure
    assert "as sure as it may be" in str(mended)


def test_it_stands_among_the_notes_of_a_comparison() -> None:
    notes = crake.compare(load("breast-cancer"), learners=["majority", "naive-bayes"]).notes
    assert [note.split(" says")[0] for note in notes if "too near" in note] == ["naive Bayes"]
    assert not any("too near" in note for note in crake.compare(load("iris"), learners=["naive-bayes"]).notes)


def test_whole_weights_are_copies_and_nobody_sure_is_fine() -> None:
    X, y = np.repeat([[0.0], [1.0]], 30, axis=0), np.repeat(["a", "b"], 30)
    found = sureness(crake.evaluate("majority", X, y))
    assert (found.rows, found.p_value, found.is_too_sure) == (0, 1.0, False)
    assert "–" in str(found)
