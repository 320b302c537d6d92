"""Overconfidence: are predictions of 99 % or more right 99 % of the time?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from crake.evaluation.result.classification import Evaluation
from crake.render.check import Check
from crake.render.format_numbers import count, percent

NARROW = "\N{NO-BREAK SPACE}"
SURE = 0.99
"""Answers of at least this probability are looked at."""
LEVEL = 0.001
"""The probability below which the errors are too many for answers as sure as these."""

MOST, FEWEST = 3, 10
"""Learners named in one sentence, and rows of which anything is said."""


@dataclass(frozen=True)
class Sureness:
    """The predictions that claim at least `claimed`: their rows, the right ones, and the p-value of that."""

    name: str
    claimed: float
    rows: float
    right: float
    p_value: float

    @property
    def is_too_sure(self) -> bool:
        """Return True if chance does not explain the errors."""
        return self.p_value < LEVEL

    def __str__(self) -> str:
        sentence = (
            f"{self.name} says at least {100 * self.claimed:g} % for {count(self.rows)} rows and is right in "
            f"{percent(self.right / self.rows).replace(NARROW, ' ') if self.rows else '–'} of them"
        )
        if not self.is_too_sure:
            return f"{sentence}: as sure as it may be"
        return f"{sentence}: its probabilities are too near 0 or 1; crake.Calibrated(learner) mends that"


def sureness(evaluation: Evaluation, claimed: float = SURE) -> Sureness:
    """Test exactly, on rows not seen: P(at most `right` rows right) if each were right with probability `claimed`.

    Each answer claims at least that much, so the true p-value is smaller still. Rows are counted by whole weights; with
    fractional ones each row counts once, and so does a row that several rounds test.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> print(sureness(evaluate("naive-bayes", load("breast-cancer"))))
    naive Bayes says at least 99 % for 543 rows and is right in 95.4 % of them: its probabilities are too near 0 or 1;
    crake.Calibrated(learner) mends that
    """
    predictions = evaluation.out_of_fold
    weights = (
        predictions.weights
        if np.all(predictions.weights == np.floor(predictions.weights))
        else np.ones(len(predictions.weights))
    )
    if predictions.repeats > 1:  # a row that is tested in several rounds is still one row
        weights = weights / np.bincount(predictions.rows)[predictions.rows]
    sure = predictions.probabilities.max(axis=1) >= claimed
    most_probable = predictions.probabilities.argmax(axis=1) == predictions.actual
    rows = float(np.round(weights[sure].sum()))
    right = min(rows, float(np.round(weights[sure & most_probable].sum())))
    return Sureness(evaluation.name, claimed, rows, right, float(bdtr(right, int(rows), claimed)) if rows else 1.0)


def too_sure(evaluations: Iterable[Evaluation]) -> tuple[str, ...]:
    """Return a note for every learner that is too sure."""
    each_sureness = (sureness(evaluation) for evaluation in evaluations)
    return tuple(str(each) for each in each_sureness if each.is_too_sure)


def posteriors(learners: Iterable[Sureness]) -> Iterator[Check]:
    """Yield one check for all learners that are too sure. False alarms: less than 0.1 % per learner, an exact test."""
    too_sure_learners = [each for each in learners if each.is_too_sure and each.rows >= FEWEST]
    if not too_sure_learners:
        return
    named = "; ".join(
        f"{each.name} says at least 99\N{NO-BREAK SPACE}% for {count(each.rows)} rows and is right in "
        f"{percent(each.right / each.rows)}"
        for each in too_sure_learners[:MOST]
    )
    others = len(too_sure_learners) - MOST
    more = "; 1 more does likewise" if others == 1 else f"; {others} more do likewise" if others > 1 else ""
    sentence = f"Probabilities lie too near 0 or 1: {named}{more}."
    yield Check("too-sure", "note", sentence, "crake.Calibrated(learner) mends that.")
