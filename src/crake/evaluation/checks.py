"""A check on out-of-fold answers: is a learner right as often as it says it is sure?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from crake.evaluation.evaluation import Evaluation
from crake.render.numbers import count, percent

NARROW = "\N{NO-BREAK SPACE}"
SURE = 0.99
"""Answers of at least this probability are looked at."""
LEVEL = 0.001
"""How unlikely so many errors must be, were the answers as sure as they say."""


@dataclass(frozen=True)
class Sureness:
    """Of the answers that claim at least `claimed`: how many rows, how many right, and the p-value of that."""

    name: str
    claimed: float
    rows: float
    right: float
    p_value: float

    @property
    def is_too_sure(self) -> bool:
        """Whether chance does not explain the errors."""
        return self.p_value < LEVEL

    def __str__(self) -> str:
        said = (
            f"{self.name} says at least {100 * self.claimed:g} % for {count(self.rows)} rows and is right in "
            f"{percent(self.right / self.rows).replace(NARROW, ' ') if self.rows else '–'} of them"
        )
        if not self.is_too_sure:
            return f"{said}: as sure as it may be"
        return f"{said}: its probabilities are too near 0 or 1; crake.Calibrated(learner) mends that"


def sureness(evaluation: Evaluation, claimed: float = SURE) -> Sureness:
    """The exact binomial test on rows not seen: P(at most so many right) if each were right with probability `claimed`.

    Each answer claims at least that much, so the true p-value is smaller still. Rows are counted by whole weights; with
    fractional ones each row counts once.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> print(sureness(evaluate("naive-bayes", load("breast-cancer"))))
    naive Bayes says at least 99 % for 543 rows and is right in 95.4 % of them: its probabilities are too near 0 or 1;
    crake.Calibrated(learner) mends that
    """
    found = evaluation.out_of_fold
    weights = found.weights if np.all(found.weights == np.floor(found.weights)) else np.ones(len(found.weights))
    sure = found.probabilities.max(axis=1) >= claimed
    rows = float(weights[sure].sum())
    right = float(weights[sure & evaluation.correct].sum())
    return Sureness(evaluation.name, claimed, rows, right, float(bdtr(right, int(rows), claimed)) if rows else 1.0)


def too_sure(evaluations: Iterable[Evaluation]) -> tuple[str, ...]:
    """A note for every learner that is too sure."""
    found = (sureness(evaluation) for evaluation in evaluations)
    return tuple(str(each) for each in found if each.is_too_sure)
