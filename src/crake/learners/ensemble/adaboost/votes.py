"""Votes of a boosted committee and the probabilities made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.classifier import TableClassifier
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.algorithms.stump import DecisionStump

J48_MARGIN = 1e-6
"""J48 decides for a later class only if its probability is larger by more than this."""
TIE = 1e-9
"""Probabilities nearer than this are equal: the rounding of weights must not decide where a whole vote goes."""


def decisions(member: Any, probabilities: Floats) -> NDArray[np.intp]:
    """Return the class code that a member votes for on each row; of equally probable classes the first.

    Stumps and J48 decide as those of WEKA's committees: a stump by the last bit, J48 within a margin of its own.

    >>> decisions(C45Classifier(), np.array([[0.3, 0.7], [0.5, 0.1 + 0.4 + 1e-16]])).tolist()
    [1, 0]
    """
    if type(member).decide is not TableClassifier.decide or isinstance(member, DecisionStump):
        decided: NDArray[np.intp] = member.decide(probabilities)
        return decided
    if not is_j48(member):
        first: NDArray[np.intp] = np.argmax(probabilities >= probabilities.max(axis=1, keepdims=True) - TIE, axis=1)
        return first
    best, code = probabilities[:, 0].copy(), np.zeros(len(probabilities), np.intp)
    for k in range(1, probabilities.shape[1]):
        is_more = probabilities[:, k] > best + J48_MARGIN
        best, code = np.where(is_more, probabilities[:, k], best), np.where(is_more, k, code)
    return code


def is_j48(member: Any) -> bool:
    """Return True for a member that decides as WEKA's J48."""
    return isinstance(member, C45Classifier) and member.variant == "j48"


def probabilities_of(votes: Floats, variant: str) -> Floats:
    """Return the probabilities of the summed votes v_c of each class, shape (rows, classes).

    "m1": exp(v_c) / Σ exp(v). "samme", with the shares s_c = v_c / Σ v and K classes: softmax((K·s_c − 1)/(K − 1)²), as
    scikit-learn has it. "lecture": the shares s_c themselves.

    >>> votes = np.array([[1.0, 3.0]])
    >>> [probabilities_of(votes, variant)[0].round(3).tolist() for variant in ("m1", "samme", "lecture")]
    [[0.119, 0.881], [0.269, 0.731], [0.25, 0.75]]
    """
    K = votes.shape[1]
    if variant == "m1":
        return _softmax(votes)
    shares: Floats = votes / votes.sum(axis=1, keepdims=True)
    return shares if variant == "lecture" or K == 1 else _softmax((K * shares - 1) / (K - 1) ** 2)


def _softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    normal: Floats = raised / raised.sum(axis=1, keepdims=True)
    return normal
