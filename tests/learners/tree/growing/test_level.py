"""The lists of a level when rows are divided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.tree.growing import level as levels
from crake.learners.tree.growing.find_splits import _together
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.training_rows import Training
from crake.table.examples import load


def test_instances_that_no_list_holds_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of hundreds of levels, at each of which the rows with gaps are divided anew."""
    rng = np.random.default_rng(3)
    x = np.arange(600.0)
    X = np.where(rng.random(600) < 0.1, np.nan, x)[:, None]
    y = np.arange(600) % 2
    held, renumbered = [], levels._renumbered

    def watched(level: Level) -> Level:
        found = renumbered(level)
        held.append((len(found.target), len(found.rows) - 1))
        return found

    monkeypatch.setattr(levels, "_renumbered", watched)
    found = crake.CARTClassifier(missing="fractional").fit(X, y)
    assert found.depth_ > 100
    assert len(held) > 100
    assert all(instances <= 2 * listed for instances, listed in held)
    monkeypatch.setattr(levels, "_renumbered", lambda level: level)
    whole = crake.CARTClassifier(missing="fractional").fit(X, y)
    assert str(found) == str(whole)
    np.testing.assert_array_equal(found.predict_proba(X), whole.predict_proba(X))


def test_lists_of_trees_that_grow_together_lie_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other arrays would have all kernels of a level compiled once more."""
    roots, made = Level.roots.__func__, []

    def watched(*arguments: Any) -> Level:
        made.append(roots(*arguments))
        return made[-1]

    monkeypatch.setattr(Level, "roots", classmethod(watched))
    X = np.random.default_rng(0).normal(size=(40, 3))
    crake.BaggingClassifier(crake.CARTClassifier("entropy"), n_estimators=3).fit(X, X[:, 0] > 0)
    assert [level.known.shape for level in made] == [(3, 3)]
    assert all(column.flags.c_contiguous for level in made for column in level.known)


def test_a_column_alone_and_among_others_has_levels_of_the_same_bits() -> None:
    """With other bits the largest kernel of trees would be compiled twice."""
    table = load("weather")
    (batch,) = table.batches()
    training = Training.of(table.schema, batch)
    assert training.layout.levels.dtype == np.int32
    assert _together(training).levels.dtype == np.int64
