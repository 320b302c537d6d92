"""A learner runs on a few rows before its time is taken: once, and nobody hears of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.evaluation.protocol import timing
from crake.learners.neighbors import search
from crake.learners.registry import by_name, compared
from crake.table.examples import load
from crake.table.table import Table


class Spied(crake.CARTClassifier):
    """Notes how many rows it learns from; too few are too few."""

    fits: list[int] = []  # noqa: RUF012

    def _learn(self, table: Table) -> None:
        Spied.fits.append(len(table))
        if len(table) < 20:
            raise ValueError("too few rows")
        super()._learn(table)


@pytest.fixture
def unrehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "_REHEARSED", set())


@pytest.mark.usefixtures("unrehearsed")
def test_a_few_rows_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    iris = load("iris")
    crake.evaluate(Spied(), iris, plan=crake.CrossValidation(3))
    assert Spied.fits == [100, 100, 100]  # no learner of crake's own: it may take long
    Spied.fits.clear()
    monkeypatch.setattr(Spied, "card", crake.CARTClassifier.card)
    result = crake.evaluate(Spied(), iris, plan=crake.CrossValidation(3))
    assert Spied.fits == [12, 100, 100, 100]
    assert result.accuracy.value > 0.8
    crake.evaluate(Spied(), iris, plan=crake.CrossValidation(3))
    assert Spied.fits == [12, 100, 100, 100, 100, 100, 100]


@pytest.mark.usefixtures("unrehearsed")
def test_every_learner_that_is_compared_and_those_that_are_named() -> None:
    names = [*compared(), "ripper", "part"]
    for name in names:
        crake.evaluate(name, load("golf"), plan=crake.CrossValidation(2))
    assert {key[0] for key in timing._REHEARSED} == {type(by_name(name)) for name in names}


@pytest.mark.usefixtures("unrehearsed")
def test_the_search_of_many_rows_is_rehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nearest neighbours have a kernel for large tables; it has run before its time is taken."""
    sizes: list[int] = []
    many = search.Index._many

    def noted(self: Any, values: Any, codes: Any, k: float, left_out: Any) -> Any:
        sizes.append(len(self.weights))
        return many(self, values, codes, k, left_out)

    monkeypatch.setattr(search.Index, "_many", noted)
    X = np.random.default_rng(1).normal(size=(3000, 2))
    crake.evaluate("knn", X, X[:, 0] > 0, plan=crake.CrossValidation(2))
    assert sizes[0] == crake.NeighborsClassifier.card.many_rows // 2
    assert sizes[-1] == 1500
