"""Fayyad and Irani's cut points, and naive Bayes with kernels (-K) and on intervals (-D), as WEKA has them."""

from __future__ import annotations

import gzip
import json

import pytest
from sklearn.base import clone
from tests.weka.reference import ABSENT, SCHEMES, SETS, WEKA, largest_difference, stored

import crake

if not SETS:
    pytest.skip(ABSENT, allow_module_level=True)

every_table = pytest.mark.parametrize("name", SETS)


@every_table
def test_the_cut_points(name: str) -> None:
    its = json.loads(gzip.decompress((WEKA / f"{name}.json.gz").read_bytes()))["attribute_scores"]["mdl_cut_points"]
    table = stored(name).table
    found = crake.Discretizer().fit(table).cuts_
    assert set(found) == {column.name for column in table.schema.numeric}
    for column, cuts in found.items():
        assert cuts.tolist() == pytest.approx(its[column] or [], abs=1e-12)


@every_table
@pytest.mark.parametrize("scheme", ["NaiveBayes-K", "NaiveBayes-D"])
def test_discretize_every_row(name: str, scheme: str) -> None:
    its, learner = stored(name), clone(SCHEMES[scheme])
    assert largest_difference(learner.fit(its.table).predict_proba(its.table), its.full[scheme]) < 1e-13
    found = crake.evaluate(learner, its.table, plan=its.plan)
    assert largest_difference(found.out_of_fold.probabilities, its.cv[scheme]) < 1e-13
    assert found.confusion.counts.tolist() == its.schemes[scheme]["cv"]["confusion"]
