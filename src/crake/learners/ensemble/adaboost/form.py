"""A boosted committee as a form that every target of the exports can write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.errors import CrakeError
from crake.export.forms import Form, Part, Shares, Softmax, Sum
from crake.export.methods import form_of
from crake.learners.base.classifier import TableClassifier
from crake.learners.ensemble.adaboost.votes import TIE, is_j48
from crake.learners.tree.algorithms.stump import DecisionStump

if TYPE_CHECKING:
    from crake.learners.ensemble.adaboost.learner import AdaBoostClassifier


def committee_form(model: AdaBoostClassifier) -> Form:
    """Return the probabilities of the summed votes; of a single member of "m1" its own."""
    if len(model.estimators_) == 1 and model.variant == "m1":
        return form_of(model.estimators_[0])
    K = len(model.classes_)
    parts = tuple(
        Part(form_of(member), float(vote), is_vote=True, tie=_tie(member))
        for member, vote in zip(model.estimators_, model.estimator_weights_, strict=True)
    )
    votes = Sum(np.zeros(K), parts)
    if model.variant == "m1":
        return Softmax(votes)
    if model.variant == "lecture" or K == 1:
        return Shares(votes)
    return Softmax(Shares(votes, K / (K - 1) ** 2, -1.0 / (K - 1) ** 2))


def _tie(member: Any) -> float:
    """Return the difference below which the member takes two probabilities for equal."""
    if is_j48(member):
        raise CrakeError(
            "AdaBoost of C4.5 with variant='j48' cannot be exported: a member compares each class with the best before "
            "it, within a margin; take variant='c4.5' for its learner"
        )
    if isinstance(member, DecisionStump):
        return 0.0
    if type(member).decide is not TableClassifier.decide:
        raise CrakeError(
            f"AdaBoost of {type(member).__name__} cannot be exported: members decide by a rule of their own"
        )
    return TIE
