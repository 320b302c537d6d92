"""Naive Bayes of names as NaiveBayesModel, where its counts say the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Additive, LevelTerm, Softmax
from crake.export.pmml.elements import Element, Fields, element


def bayes_model(fields: Fields, form: Softmax, classes: Sequence[object], head: Sequence[Element]) -> Element | None:
    """Return a NaiveBayesModel, or None if the probabilities are no products of shares of counts.

    P(level given class) is the level's count over the sum of the counts of all levels, so that probabilities that add
    up to 1 are counts as well. Missing and new values are left out of the product. Densities of numbers would leave the
    range of floats in a product.
    """
    scores = form.form
    if not isinstance(scores, Additive) or not scores.terms or not np.all(np.isfinite(scores.constant)):
        return None
    inputs = []
    for term in scores.terms:
        if isinstance(term, LevelTerm) and _adds_up(term):
            inputs.append(_names(fields, term, classes))
        else:
            return None
    output = element("BayesOutput", _counts(np.exp(scores.constant), classes), fieldName=fields.target)
    schema = fields.schema(unseen="asMissing")
    return element(
        "NaiveBayesModel", schema, *head[1:], element("BayesInputs", *inputs), output, functionName="classification",
        threshold=0.0,
    )  # fmt: skip


def _adds_up(term: LevelTerm) -> bool:
    total = np.exp(term.values).sum(axis=0)
    return (
        bool(np.all(np.isfinite(term.values)) and np.all(np.abs(total - 1) < 1e-13))
        and not np.any(term.missing)
        and not np.any(term.unseen)
    )


def _counts(values: Floats, classes: Sequence[object]) -> Element:
    own = [element("TargetValueCount", value=c, count=float(v)) for c, v in zip(classes, values, strict=True)]
    return element("TargetValueCounts", *own)


def _names(fields: Fields, term: LevelTerm, classes: Sequence[object]) -> Element:
    column = fields.column(term.feature)
    own = [
        element("PairCounts", _counts(line, classes), value=level)
        for level, line in zip(column.levels, np.exp(term.values), strict=True)
    ]
    return element("BayesInput", *own, fieldName=column.name)
