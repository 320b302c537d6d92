"""Logistic regression as a form that every target of the exports can write."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crake.export.forms import Softmax
from crake.learners.encoding.form import design_form

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier


def scores_form(model: LogisticClassifier) -> Softmax:
    """Return exp(score) of each class over their sum: 0 is the base class's, −∞ that of classes without rows."""
    coefficient = np.zeros((len(model.design_), len(model.classes_)))
    for k in range(model.outputs_):
        coefficient[:, model.role_ == k + 1] = model.coefficient_[:, k : k + 1]
    scores = design_form(model.schema_, model.design_.arrays, coefficient)
    return Softmax(replace(scores, constant=np.where(model.role_ < 0, -np.inf, scores.constant)))
