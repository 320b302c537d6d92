"""Naive Bayes as a form that every target of the exports can write: log prior and the logs of each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Additive, LevelTerm, NormalTerm, Softmax, StepTerm, Term
from crake.learners.naive_bayes.predict import log
from crake.table.schema import Schema

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


def bayes_form(model: NaiveBayesClassifier, schema: Schema | None = None) -> Softmax:
    """Return exp(log P(c) + Σ log P(x given c)) over their sum; the prior where every class is impossible.

    `schema` is that of the table if the model reads only some of its columns.
    """
    place = {column.name: at for at, column in enumerate((schema or model.schema_).features)}
    nominal = [_levels(place[c.name], table) for c, table in zip(model.schema_.nominal, model.likelihood_, strict=True)]
    scores = Additive(log(model.class_prior_), (*nominal, *_numbers(model, place)))
    return Softmax(scores, model.class_prior_)


def _levels(feature: int, likelihood: Floats) -> Term:
    none = np.zeros(len(likelihood))
    return LevelTerm(feature, log(likelihood).T, none, none)


def _numbers(model: NaiveBayesClassifier, place: dict[str, int]) -> list[Term]:
    if model.words_:
        raise CrakeError("naive Bayes of running text cannot be exported: expected columns of names and numbers")
    if model.numeric_ == "kernel":
        raise CrakeError(
            "naive Bayes with numeric='kernel' cannot be exported: its densities are sums over the training values; "
            "take numeric='gaussian' or 'discretised'"
        )
    if hasattr(model, "precision_"):
        raise CrakeError(
            "naive Bayes with precision= cannot be exported: its factors are areas below a normal curve, which no "
            "target computes; fit with precision=None"
        )
    if model.numeric_ == "discretised":
        return [
            StepTerm(place[column.name], own.cuts, log(table).T, np.zeros(len(table)))
            for column, own, table in zip(
                model.schema_.numeric, model.intervals_, model.interval_likelihood_, strict=True
            )
            if own.has_influence
        ]
    normal, floor = model.gaussians_, float(log(np.float64(model.floor)))
    return [
        NormalTerm(
            place[column.name], float(normal.scale[j]), normal.mean[:, j], normal.rest[:, j], normal.precision[:, j],
            normal.log_norm[:, j], floor,
        )
        for j, column in enumerate(model.schema_.numeric)
        if np.any(normal.precision[:, j] > 0)
    ]  # fmt: skip
