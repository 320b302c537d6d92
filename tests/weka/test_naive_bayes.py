"""Naive Bayes against WEKA's NaiveBayes, also under ClassBalancer's weights: every row's class probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.weka.reference import ABSENT, BALANCED, SCHEMES, SETS, Floats, largest_difference, stored

import crake

if not SETS:
    pytest.skip(ABSENT, allow_module_level=True)

LARGEST = {"glass": 1e-9}
"""Glass's RI is 1.518 ± 0.003: WEKA's variance Σx² − μΣx loses five digits there, crake's centred squares do not."""

every_table = pytest.mark.parametrize("name", SETS)


def allowed(name: str) -> float:
    numeric = bool(stored(name).table.schema.numeric)
    return LARGEST.get(name, 1e-11 if numeric else 1e-13)


@every_table
def test_naive_bayes_every_row(name: str) -> None:
    its = stored(name)
    learner = SCHEMES["NaiveBayes"]
    assert largest_difference(learner.fit(its.table).predict_proba(its.table), its.full["NaiveBayes"]) < allowed(name)
    found = crake.evaluate(learner, its.table, plan=its.plan)
    assert largest_difference(found.out_of_fold.probabilities, its.cv["NaiveBayes"]) < allowed(name)
    assert found.confusion.counts.tolist() == its.schemes["NaiveBayes"]["cv"]["confusion"]


@every_table
def test_every_row_with_the_classes_balanced(name: str) -> None:
    its = stored(name)
    learner = clone(SCHEMES["NaiveBayes"])
    full = learner.fit(its.table, sample_weight=balancing(its.table)).predict_proba(its.table)
    assert largest_difference(full, its.full[BALANCED]) < allowed(name)
    cv = np.full_like(full, np.nan)
    for fold in np.unique(its.fold):
        training = its.table.take(np.flatnonzero(its.fold != fold))
        tested = np.flatnonzero(its.fold == fold)
        learner.fit(training, sample_weight=balancing(training))
        cv[tested] = learner.predict_proba(its.table.take(tested))
    assert largest_difference(cv, its.cv[BALANCED]) < allowed(name)


def balancing(table: crake.Table) -> Floats:
    """ClassBalancer: every class the same weight, the whole as before."""
    classes = len(table.schema.classes)
    rows: Floats = np.bincount(table.target, minlength=classes).astype(float)
    weights: Floats = (len(table) / classes) / rows[table.target]
    return weights


@every_table
def test_the_printed_normals(name: str) -> None:
    """Mean, deviation, weight and precision of every numeric column, which WEKA prints with four decimals."""
    its = stored(name)
    model = SCHEMES["NaiveBayes"].fit(its.table)
    weight = model.statistics_.class_moments.weight[0]
    printed = printed_normals(its.schemes["NaiveBayes"]["model"])
    assert len(printed) == len(its.table.schema.numeric)
    for j, column in enumerate(its.table.schema.numeric):
        its_column = printed[column.name]
        assert model.mean_[:, j] == pytest.approx(its_column["mean"], abs=5.1e-5)
        assert np.sqrt(model.variance_[:, j]) == pytest.approx(its_column["std. dev."], abs=5.1e-5)
        assert weight[:, j].tolist() == its_column["weight sum"]
        assert model.precision_[j] == pytest.approx(its_column["precision"][0], abs=5.1e-5)


def printed_normals(text: str) -> dict[str, dict[str, list[float]]]:
    """Attribute → line → one number a class, of the attributes that have a mean."""
    found: dict[str, dict[str, list[float]]] = {}
    for block in text.split("=\n", 1)[1].split("\n\n"):
        attribute, *lines = block.strip("\n").split("\n")
        if lines and lines[0].startswith("  mean "):
            names = ("mean", "std. dev.", "weight sum", "precision")
            cells = zip(names, lines, strict=True)
            found[attribute] = {name: [float(x) for x in line.split(name)[1].split()] for name, line in cells}
    return found
