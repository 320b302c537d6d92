"""Costs of columns in the growth of C4.5 (EG2)."""

from __future__ import annotations

import pytest

import crake


@pytest.mark.parametrize(("cost", "weight", "expected"), [(0.6, 1, "outlook"), (0.7, 1, "humidity"), (9, 0, "outlook")])
def test_a_column_must_be_worth_its_cost(cost: float, weight: float, expected: str) -> None:
    # Gains on golf: outlook 0.2467, humidity 0.1518. (2^0.2467 − 1)/(2^0.1518 − 1) = 0.1865/0.1110 = 1.68 = cost + 1.
    golf = crake.read("golf")
    model = crake.C45Classifier(column_costs={"outlook": cost}, cost_weight=weight).fit(golf)
    assert model.node(0).question == expected
    arrows = [row[0] for row in model.node(0).alternatives(golf).rows if "→" in row[0]]
    assert arrows == [f"→ {expected}"]


def test_costs_are_of_columns_that_are_there() -> None:
    golf = crake.read("golf")
    with pytest.raises(crake.CrakeError, match="Did you mean 'outlook'"):
        crake.C45Classifier(column_costs={"outlok": 1}).fit(golf)
    with pytest.raises(crake.CrakeError, match="expected a number from 0 on"):
        crake.C45Classifier(column_costs={"outlook": -1}).fit(golf)
    learner = crake.C45Classifier(column_costs={"outlook": 1e6}, pruning=None, collapse=False)
    bagged = crake.BaggingClassifier(learner, n_estimators=5).fit(golf)
    assert all(member.node(0).question != "outlook" for member in bagged.estimators_)
