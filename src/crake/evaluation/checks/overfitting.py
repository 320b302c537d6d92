"""The optimistic gap: right in the rows it learned from, wrong in new ones."""

from __future__ import annotations

from collections.abc import Iterator

from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.render.check import Check
from crake.render.format_numbers import percent

GAP = 0.05
"""A smaller gap is what every learner has."""
OF_WHOLE_TREES = ("forest", "bagging")
"""Learners that average models which fit their rows whole: pruning them is no advice."""
FACTOR = 2
"""Errors in new rows over errors in the rows learned from."""


def optimistic_gap(evaluation: Evaluation, costs: CostMatrix | None = None) -> Iterator[Check]:
    """Resubstitution against the honest estimate; it costs one more fit.

    It speaks where the gap is at least 5 points, errors are twice as many in new rows, and the accuracy on the training
    rows lies above the interval of the honest one: without a gap that happens in 2.5 % of all tables.
    """
    honest = evaluation.accuracy
    training = training_accuracy(evaluation, costs)
    if training is None or honest.value is None or honest.interval is None:
        return
    gap = training - honest.value
    if gap < GAP or training <= honest.interval[1] or 1 - honest.value < FACTOR * (1 - training):
        return
    yield Check(
        "optimistic-gap",
        "note",
        f"{evaluation.beginning} is right in {percent(training)} of the rows it learned "
        f"from and in {percent(honest.value)} of new ones: it learns rows by heart.",
        advice_on_gap(evaluation.key),
    )


def advice_on_gap(learner: str) -> str:
    """Return what to do about a learner that learns rows by heart; it is named as in the registry."""
    if learner in OF_WHOLE_TREES:
        return "Its members do so on purpose: only the estimate on new rows counts, and more rows may better it."
    return "Prune or smooth more, or find more rows; crake.learning_curve shows which would help."


def training_accuracy(evaluation: Evaluation, costs: CostMatrix | None = None) -> float | None:
    """On the rows learned from; the bootstrap knows it already, a table that was scanned has none."""
    if evaluation.bootstrap is not None:
        return 1 - float(evaluation.bootstrap.training_error.mean())
    if evaluation.context is None:
        return None
    evaluated = evaluation.resubstitution
    return (evaluated if costs is None else evaluated.with_least_cost(costs)).accuracy.value
