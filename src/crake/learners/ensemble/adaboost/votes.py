"""Votes of a boosted committee and the probabilities made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.tree.algorithms.c45 import C45Classifier

J48_MARGIN = 1e-6
"""J48 decides for a later class only if its probability is larger by more than this."""


def decisions(member: Any, probabilities: Floats) -> NDArray[np.intp]:
    """Return the class code that a member votes for on each row."""
    if not isinstance(member, C45Classifier) or member.variant != "j48":
        codes: NDArray[np.intp] = member.decide(probabilities)
        return codes
    best, code = probabilities[:, 0].copy(), np.zeros(len(probabilities), np.intp)
    for k in range(1, probabilities.shape[1]):
        is_more = probabilities[:, k] > best + J48_MARGIN
        best, code = np.where(is_more, probabilities[:, k], best), np.where(is_more, k, code)
    return code


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
