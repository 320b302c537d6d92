"""The model of a comparison: its best learner, fitted to all rows, predicting as it was compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.protocol.arguments import predicts_numbers
from crake.evaluation.protocol.other_libraries import array_rows, fit_rows
from crake.learners.base.classifier import reads_tables
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.cutoff.learner import WithCutoff, has_cutoff
from crake.metrics.cost.matrix import CostMatrix, costs_for
from crake.table.schema import Label


def fit_best(evaluation: Any, criterion: Criterion) -> Any:
    """Return the learner of an evaluation, fitted anew to all rows that were compared.

    Where costs rank, one of crake's learners gets the cutoff by which its predictions were counted.
    """
    context = evaluation.context
    if context is None:
        raise CrakeError(f"{evaluation.name} was not learned here; fit it on its own rows")
    learner = clone(context.learner)
    if isinstance(criterion, ByCost) and _predicts_by_cost(evaluation, learner):
        learner = with_least_cost(learner, criterion.costs, evaluation.classes)
    if context.arrays is not None:
        return learner.fit(context.arrays.X, context.arrays.y)
    if predicts_numbers(learner) or reads_tables(learner):
        return learner.fit(context.table)
    return fit_rows(array_rows(context.table, learner), learner, np.flatnonzero(context.table.target >= 0))


def with_least_cost(learner: Any, costs: CostMatrix, classes: tuple[Label, ...]) -> WithCutoff:
    """Return the learner with predictions of least expected cost.

    Of two classes, n and p, p costs less where its probability is above (c_np − c_nn) / (c_np − c_nn + c_pn − c_pp),
    with c_np the cost of calling an n a p.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> costs = CostMatrix(("no", "yes"), [[0, 1], [4, 0]])
    >>> with_least_cost(NaiveBayesClassifier(), costs, ("no", "yes"))
    WithCutoff(cutoff=0.2, estimator=NaiveBayesClassifier(), positive='yes')
    """
    aligned = costs.aligned(classes)
    if len(classes) != 2:
        return WithCutoff(learner, cost=aligned)
    (c_nn, c_np), (c_pn, c_pp) = np.asarray(aligned.costs, np.float64).tolist()
    false_positive, false_negative = c_np - c_nn, c_pn - c_pp
    if false_positive + false_negative <= 0:
        raise CrakeError("errors cost no more than right predictions; expected costs above 0 off the diagonal")
    return WithCutoff(learner, cutoff=false_positive / (false_positive + false_negative), positive=classes[1])


def called_by_cost(
    evaluations: tuple[Any, ...], learners: list[Any], cost: Any
) -> tuple[tuple[Any, ...], CostMatrix | None, tuple[str, ...]]:
    """Return the same probabilities with predictions of least expected cost; a learner with a cutoff keeps its own."""
    costs = costs_for(cost, evaluations[0].classes)
    if costs is None:
        return evaluations, None, ()
    cheapest = tuple(
        each if has_cutoff(learner) or each.answers != "probabilities" else each.with_least_cost(costs)
        for learner, each in zip(learners, evaluations, strict=True)
    )
    notes = tuple(
        f"{each.name} gives no probabilities: it keeps its own predictions, whatever they cost"
        for each in cheapest
        if each.answers != "probabilities"
    )
    return cheapest, costs, notes


def _predicts_by_cost(evaluation: Any, learner: Any) -> bool:
    """Return True if the comparison called the class of least expected cost: not for cutoffs of one's own."""
    return evaluation.answers == "probabilities" and not has_cutoff(learner) and reads_tables(learner)
