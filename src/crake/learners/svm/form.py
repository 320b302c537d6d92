"""Linear support vector machines as a form that every target of the exports can write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.errors import CrakeError
from crake.export.forms import Additive, Form, Logistic, PairVotes, Placed
from crake.learners.encoding.form import design_form
from crake.learners.svm.platt import LEAST

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier


def machines_form(model: SVMClassifier) -> Form:
    """Return the sigmoid of the one decision, or the shares of the pairs that each class wins."""
    machines, classes = model.machines_, len(model.classes_)
    if machines is None:
        only = np.zeros(classes)
        only[model.present_] = 1.0
        return Additive(only)
    if machines.w is None:
        raise CrakeError(
            "an SVM with a curved kernel cannot be exported: every prediction needs its support vectors; take "
            "kernel='linear'"
        )
    if model.probability_ == "platt" and len(machines.pairs) > 1:
        raise CrakeError(
            "an SVM of several classes with probability='platt' cannot be exported: its probabilities solve a system "
            "of equations for every row; take probability='votes'"
        )
    features = model.features_
    design, numbers = features.design, features.design.numbers
    coefficient = np.insert(machines.w.T, numbers, machines.b, axis=0)
    form = design_form(
        design.schema, design.arrays, coefficient, fill=features.fill, farthest=min(features.farthest, 1e100)
    )
    present = tuple(int(k) for k in model.present_)
    if model.probability_ == "platt":
        sigmoid = model.sigmoids_[0]
        shares: Form = Logistic(form, sigmoid.a, sigmoid.b, LEAST)
    else:
        shares = PairVotes(form, tuple(machines.pairs), len(present))
    return shares if len(present) == classes else Placed(shares, present, classes)
