"""Sweeps: a measure at every value of a parameter, a cutoff or a cost, without learning anew where that is exact."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import (
    has_numeric_target,
    learner_of,
    predicts_numbers,
    refuse_unknown_class,
)
from crake.evaluation.protocol.collector import Collector
from crake.evaluation.protocol.memory import deal, outcome_of, run_learner
from crake.evaluation.protocol.outcome import Outcome, evaluation_of
from crake.evaluation.protocol.roads import rows_of
from crake.evaluation.protocol.timing import Clock, warm
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import InMemory
from crake.learners.base.classifier import reads_tables
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.inner_folds import models_of_each, share_statistics
from crake.learners.registry import title_of
from crake.metrics.cost.matrix import CostMatrix, costs_for
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.measures import MEASURES, REGRESSION, find_measure
from crake.metrics.predictions import Predictions
from crake.plans import Assignment, Plan
from crake.render.grid import Grid
from crake.render.short_repr import short_repr
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class Sweep:
    """An Evaluation at each value, all on the same folds, and the measure they are shown by.

    `is_shared` says whether the models of all values were read from one pass over the rows.
    """

    name: str
    axis: str
    values: tuple[Any, ...]
    evaluations: tuple[Any, ...]
    estimates: tuple[Estimate, ...]
    measure: str
    plan: str
    is_shared: bool

    __repr__ = short_repr

    @property
    def best(self) -> Any:
        """Return the value of the best estimate; of equals the first. These very rows chose it: see `crake.Tuned`."""
        known = [(each.value, value) for each, value in zip(self.estimates, self.values, strict=True)]
        defined = [(mean, value) for mean, value in known if mean is not None]
        if not defined:
            raise CrakeError(f"{self.measure} is undefined at every value of {self.axis}: {self.estimates[0].reason}")
        choose: Callable[..., tuple[float, Any]] = (
            max if find_measure(self.measure, MEASURES).greater_is_better else min
        )
        return choose(defined, key=lambda pair: pair[0])[1]

    def grid(self) -> Grid:
        """Return one line per value."""
        rows = tuple(
            (str(value), f"{each:.4f}", "" if each.interval is None else "[{:.4f}, {:.4f}]".format(*each.interval))
            for value, each in zip(self.values, self.estimates, strict=True)
        )
        head = (self.axis, self.measure.replace("_", " "), "95 % interval")
        return Grid(f"{self.name} by {self.axis}: {self.plan}", head, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep for JSON."""
        return {
            "learner": self.name,
            "axis": self.axis,
            "values": list(self.values),
            "measure": self.measure,
            "estimates": [each.to_dict() for each in self.estimates],
            "plan": self.plan,
        }

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def sweep(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    parameter: str,
    values: Sequence[Any],
    plan: Plan | None = None,
    measure: str | None = None,
    positive: Label | None = None,
    cost: Any = None,
) -> Sweep:
    """Return the measure at each value of a parameter, on the same folds.

    Where the learner reads statistics and the parameter only enters what is made of them (smoothing, prior, variance
    floor of naive Bayes), the folds are gathered once for all values; the figures are those of refitting. Any other
    parameter is refitted. `measure` is any measure of an Evaluation, accuracy by default (of regressors RMSE), or
    "mean_cost" with `cost`.

    >>> from crake.table.examples import load
    >>> print(sweep("naive-bayes", load("weather"), parameter="alpha", values=[0, 1, 5]))
    naive Bayes by alpha: stratified 10-fold cross-validation, seed 1
      alpha  accuracy     95 % interval
      0        0.7857  [0.5241, 0.9243]
      1        0.7143  [0.4535, 0.8828]
      5        0.6429  [0.3876, 0.8366]
    """
    learner = learner_of(learner, numbers=has_numeric_target(table))
    learners = _with_values(learner, parameter, values)
    rows = rows_of(learner, table, y)
    if predicts_numbers(learner):
        _refuse_class_options(positive, cost)
        chosen: Measure[Any] = find_measure(measure or "rmse", REGRESSION)
    else:
        refuse_unknown_class(positive, rows.table.schema.classes)
        chosen = _chosen(measure or "accuracy", costs_for(cost, rows.table.schema.classes))
    plan, data, dealt = deal(learner, rows, plan)
    rounds = tuple(dealt)
    is_shared = _can_share(learners, rounds)
    if is_shared:
        outcomes = _shared(learners, data, rounds, plan)
    else:
        outcomes = tuple(run_learner(each, data, rounds, plan) for each in learners)
    evaluations = tuple(evaluation_of(outcome, positive) for outcome in outcomes)
    estimates = tuple(each.estimate(chosen) for each in evaluations)
    name = title_of(learner)
    return Sweep(name, parameter, tuple(values), evaluations, estimates, chosen.name, plan.describe(), is_shared)


def cutoff_sweep(
    evaluation: Evaluation, values: Sequence[float], *, measure: str = "accuracy", cost: Any = None
) -> Sweep:
    """Return the measure at each cutoff, from the same out-of-fold probabilities.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> found = evaluate("naive-bayes", load("breast-cancer"), positive="malignant")
    >>> print(cutoff_sweep(found, [0.001, 0.5, 0.999], measure="recall"))
    naive Bayes by cutoff on malignant: stratified 10-fold cross-validation, seed 1
      cutoff on malignant  recall     95 % interval
      0.001                0.9528  [0.9154, 0.9742]
      0.5                  0.9009  [0.8533, 0.9343]
      0.999                0.8585  [0.8052, 0.8990]
    """
    _refuse_none(values)
    chosen = _chosen(measure, costs_for(cost, evaluation.classes))
    evaluations = tuple(evaluation.at_cutoff(float(value)) for value in values)
    return _of_one(evaluation, f"cutoff on {evaluation.positive_class}", values, evaluations, chosen)


def cost_sweep(evaluation: Evaluation, values: Sequence[float], *, measure: str | None = None) -> Sweep:
    """Return the mean cost at each cost of a false negative, where a false positive costs 1.

    Each row is predicted as the class of least expected cost.

    The measure is the mean cost under those costs, unless another is given. For two classes.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> found = evaluate("naive-bayes", load("breast-cancer"), positive="malignant")
    >>> print(cost_sweep(found, [1, 20], measure="precision"))
    naive Bayes by cost of a false negative: stratified 10-fold cross-validation, seed 1
      cost of a false negative  precision     95 % interval
      1                            0.9139  [0.8680, 0.9448]
      20                           0.8977  [0.8499, 0.9315]
    """
    _refuse_none(values)
    positive = evaluation.positive_class
    matrices = [
        CostMatrix.of_errors(evaluation.classes, positive, false_positive=1, false_negative=float(value))
        for value in values
    ]
    evaluations = tuple(evaluation.with_least_cost(costs) for costs in matrices)
    axis = "cost of a false negative"
    if measure is not None:
        return _of_one(evaluation, axis, values, evaluations, _chosen(measure, None))
    estimates = tuple(each.mean_cost(costs) for each, costs in zip(evaluations, matrices, strict=True))
    return Sweep(
        evaluation.name, axis, tuple(values), evaluations, estimates, "mean_cost", evaluation.plan, is_shared=True
    )


def _of_one(
    evaluation: Evaluation,
    axis: str,
    values: Sequence[Any],
    evaluations: tuple[Evaluation, ...],
    chosen: Measure[Predictions],
) -> Sweep:
    estimates = tuple(each.estimate(chosen) for each in evaluations)
    return Sweep(
        evaluation.name, axis, tuple(values), evaluations, estimates, chosen.name, evaluation.plan, is_shared=True
    )


def _with_values(learner: Any, parameter: str, values: Sequence[Any]) -> list[Any]:
    known = learner.get_params()
    if parameter not in known:
        raise CrakeError(f"{title_of(learner)} has no parameter {parameter!r}; it has {', '.join(known)}")
    _refuse_none(values)
    candidates = [clone(learner).set_params(**{parameter: value}) for value in values]
    try:
        return [each.checked() if reads_tables(each) else each for each in candidates]
    except CrakeError:
        raise
    except ValueError as error:
        raise CrakeError(f"a value cannot be tried: {error}") from None


def _refuse_none(values: Sequence[Any]) -> None:
    if isinstance(values, str) or len(values) == 0:
        raise CrakeError(f"values = {values!r}; expected those to try, such as [0.1, 1, 10]")


def _chosen(measure: str, costs: CostMatrix | None) -> Measure[Predictions]:
    chosen = find_measure(measure)
    if chosen.needs_costs != (costs is not None):
        raise CrakeError("measure='mean_cost' and cost= go together")
    return chosen.with_costs(costs)


def _can_share(learners: list[Any], rounds: Sequence[Assignment]) -> bool:
    """Return True if one gathering serves all learners. Leave-one-out has a closed form, and samples their own pass."""
    folds = all(each.copies is None and each.folds < np.count_nonzero(each.fold >= 0) for each in rounds)
    return folds and all(share_statistics(learners[0], each) for each in learners)


def _shared(learners: list[Any], data: InMemory, rounds: Sequence[Assignment], plan: Plan) -> tuple[Outcome, ...]:
    """Gather once per round, and read the models of all values and folds from the statistics."""
    warm()
    start, table = time.perf_counter(), data.table
    collectors = [Collector(table) for _ in learners]
    for number, assignment in enumerate(rounds):
        for each in collectors:
            list(each.noting([assignment]))
        for k, _, test, model in models_of_each(learners, table, assignment):
            collectors[k].add(number, test, model.probabilities(table, test), None)
    # The time of all values together is shared out evenly.
    seconds = (time.perf_counter() - start) / len(learners)
    notes = tuple(dict.fromkeys(collectors[0].notes))
    return tuple(
        outcome_of(learner, data, plan, replace(each.class_predictions(Clock()), fit_seconds=seconds), notes)
        for learner, each in zip(learners, collectors, strict=True)
    )


def _refuse_class_options(positive: Label | None, cost: Any) -> None:
    for name, value in (("positive", positive), ("cost", cost)):
        if value is not None:
            raise CrakeError(f"{name}= is for classes, and the learner predicts numbers; leave it out")
