"""The majority class against WEKA's ZeroR."""

from __future__ import annotations

import pytest
from tests.weka.reference import ABSENT, SCHEMES, SETS, largest_difference, stored

import crake

if not SETS:
    pytest.skip(ABSENT, allow_module_level=True)


@pytest.mark.parametrize("name", SETS)
def test_every_row_fitted_on_all(name: str) -> None:
    its = stored(name)
    assert largest_difference(SCHEMES["ZeroR"].fit(its.table).predict_proba(its.table), its.full["ZeroR"]) <= 1e-15


@pytest.mark.parametrize("name", SETS)
def test_every_row_on_the_folds(name: str) -> None:
    its = stored(name)
    found = crake.evaluate(SCHEMES["ZeroR"], its.table, plan=its.plan)
    assert largest_difference(found.out_of_fold.probabilities, its.cv["ZeroR"]) <= 1e-15
    assert found.confusion.counts.tolist() == its.schemes["ZeroR"]["cv"]["confusion"]
