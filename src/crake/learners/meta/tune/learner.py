"""A learner whose parameters are chosen by how well each candidate does on rows held out."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.export.forms import Form
from crake.export.methods import form_of
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.row_query import RowQuery
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.meta.base import MetaClassifier
from crake.learners.meta.inner_folds import DEALS_ROWS, inner_rounds, models_of_each
from crake.learners.meta.tune.candidates import (
    Parameters,
    candidates,
    check_space,
    name_today,
    names_of,
    names_today,
    with_parameters,
    written,
)
from crake.learners.meta.tune.choice import Scores
from crake.learners.registry import answers_of
from crake.metrics.cost.matrix import CostMatrix, costs_for
from crake.metrics.measure import Measure
from crake.metrics.measures import find_measure
from crake.metrics.predictions import PredictedRows, Predictions
from crake.plans import CrossValidation, Plan
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.table.schema import Column, Label
from crake.table.table import Table


class Tuned(MetaClassifier):
    """The learner with the parameters that do best on rows held out, then fitted on all rows.

    Every candidate is tested on the same folds; its value is the mean over them. Evaluating a Tuned repeats the search
    within each training part, so the estimate is honest (nested). Candidates that differ only in what a learner makes
    of the same statistics share one pass over the rows.

    Fitted: `estimator_`, `best_params_`, `results_` (a table of all candidates), `not_tuned_`.

    Parameters
    ----------
    estimator : one of crake's classifiers; naive Bayes if None.
    grid : {name: values}, all combinations of which are tried, or a list of such; the learner's usual grid if None.
        List values simplest first: of equals, and under "one-standard-error", the first is taken.
    distributions : {name: a list, or an object with `rvs`} to draw from instead.
    n_iter : how many candidates are drawn.
    measure : the name of any measure of classes in docs/measures.md, such as "accuracy", "recall", "auc" or "brier";
        "cost" is the mean cost.
    cost : with measure "cost": a CostMatrix, {actual: {called: cost}}, or a matrix.
    positive : the class that f1, auc and average_precision speak of; None averages over classes by their size.
    plan : how rows are held out; stratified 5-fold cross-validation if None.
    random_state : for what is drawn.
    rule : "best", or "one-standard-error": the first candidate within one standard error of the best.

    >>> from crake.learners.one_rule import OneRuleClassifier
    >>> from crake.table.examples import load
    >>> model = Tuned(OneRuleClassifier(), {"min_bucket": [40, 6, 1]}).fit(load("iris"))
    >>> model.best_params_
    {'min_bucket': 6}
    >>> print(model.results_)
    OneRuleClassifier, accuracy on stratified 5-fold cross-validation, seed 1
      candidate      rank    mean     95 % interval
      min_bucket=6      1  0.9333  [0.8573, 1.0000]                                   best; chosen
      min_bucket=1      1  0.9333  [0.8573, 1.0000]  not distinguishable from the best (p = 1.000)
      min_bucket=40     3  0.8867  [0.8034, 0.9700]  not distinguishable from the best (p = 0.080)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "grid": [dict, list, tuple, None],
        "distributions": [dict, None],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "measure": [str],
        "cost": [CostMatrix, dict, "array-like", None],
        "positive": [str, Integral, float, "boolean", None],
        "plan": [HasMethods(["rounds", "describe"]), None],
        "random_state": [Interval(Integral, 0, None, closed="left")],
        "rule": [StrOptions({"best", "one-standard-error"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        grid: Any = None,
        *,
        distributions: Any = None,
        n_iter: int = 10,
        measure: str = "accuracy",
        cost: Any = None,
        positive: Label | None = None,
        plan: Any = None,
        random_state: int = 1,
        rule: str = "best",
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.distributions = distributions
        self.n_iter = n_iter
        self.measure = measure
        self.cost = cost
        self.positive = positive
        self.plan = plan
        self.random_state = random_state
        self.rule = rule

    def candidates(self) -> tuple[Parameters, ...]:
        """Return the candidates, in order."""
        return candidates(self._inner_learner(), self.grid, self.distributions, self.n_iter, self.random_state)

    def inner_plan(self) -> Plan:
        """Return the plan by which rows are held out for the choice."""
        plan: Plan = CrossValidation(5) if self.plan is None else self.plan
        return plan

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the probabilities of the chosen learner."""
        probabilities: Floats = self.estimator_.probabilities(table, rows)
        return probabilities

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        logs: Floats = self.estimator_._log_probabilities(table, rows)  # noqa: SLF001 (the same hook)
        return logs

    def _form(self) -> Form:
        return form_of(self.estimator_)

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the predicted class codes by the rule of the chosen learner."""
        answers: NDArray[np.intp] = self.estimator_.decide(probabilities)
        return answers

    def explain(self, row: Any) -> Workings:
        """Return the hand calculation of the chosen learner, with a note on the choice."""
        check_is_fitted(self)
        workings: Workings = self.estimator_.explain(row)
        return replace(workings, notes=(*workings.notes, *self._notes()))

    def _weight_exception(self) -> str:
        return DEALS_ROWS

    def _notes(self) -> tuple[str, ...]:
        if self.not_tuned_:
            return (f"Not tuned: {self.not_tuned_}",)
        grid = self.results_
        chosen = next((row for row in grid.rows if row[-1].endswith("chosen")), (written(self.best_params_),))
        return (f"Tuned: {chosen[0]}, of {len(grid.rows)} candidates by {grid.title}: {' '.join(chosen[2:4])}.",)

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        return self._inner_crossings(query, column, answer)

    def state(self) -> State:
        """Return the learner that was chosen, the names that were tuned, and the table of all candidates."""
        grid = self.results_
        return {
            **super().state(),
            "tuned": Labels(tuple(self.best_params_)),
            "not_tuned": Labels((self.not_tuned_,)),
            "title": Labels((grid.title,)),
            "header": Labels(grid.header),
            "cells": Labels(tuple(cell for row in grid.rows for cell in row)),
        }

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and the table of candidates."""
        super().restore(reader)
        self.not_tuned_ = "".join(reader.names("not_tuned"))
        self.results_ = _grid_of(reader)
        own = self.estimator_.get_params(deep=True)
        names = [name_today(name) for name in reader.names("tuned")]
        if unknown := [name for name in names if name not in own]:
            raise reader.refusal("tuned", f"holds {unknown[0][:100]!r}", "parameters of the learner")
        self.best_params_ = {name: own[name] for name in names}
        return self

    def __str__(self) -> str:
        return self._text(str(self.estimator_)) if hasattr(self, "estimator_") else repr(self)

    def text_without_decision(self) -> str:
        """Return the text of the model for a wrapper around it that answers by a rule of its own."""
        return self._text(self._inner_text())

    def _text(self, inner: str) -> str:
        tuned = f"Tuned: {written(self.best_params_) or 'as it is'}"
        first = f"Not tuned: {self.not_tuned_}" if self.not_tuned_ else tuned
        return "\n\n".join([first, str(self.results_), inner])

    @classmethod
    def parameters_of_file(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a file with the names of today."""
        return {**parameters, **{name: names_today(parameters.get(name)) for name in ("grid", "distributions")}}

    def check_stored(self) -> None:
        """Check the parameters without listing candidates: searches within searches would multiply their time."""
        super()._validate_params()
        find_measure(self.measure)
        if self.rule == "one-standard-error" and self.distributions is not None:
            raise CrakeError("candidates that are drawn have no order, so none is the simplest; take rule='best'")
        check_space(self._inner_learner(), self.grid, self.distributions, self.n_iter)

    def _validate_params(self) -> None:
        self.check_stored()
        for each in self.candidates():
            with_parameters(self._inner_learner(), each)

    def _addition(self) -> str:
        tried, plan = self.candidates(), self.inner_plan()
        inner = f"inner {plan.describe()}"
        if isinstance(plan, CrossValidation) and plan.repeats == 1:
            inner = f"inner {plan.folds}-fold"
        by = "" if self.measure == "accuracy" else f" by {self.measure.replace('_', ' ')}"
        rule = "" if self.rule == "best" else f", {self.rule}"
        return f"tuned{by} ({', '.join(names_of(tried))}; {len(tried)} candidates, {inner}{rule})"

    def _learn(self, table: Table) -> None:
        tried = self.candidates()
        learners = [with_parameters(self._inner_learner(), each) for each in tried]
        self.not_tuned_ = ""
        chosen = self._chosen(tried, learners, table)
        self.best_params_ = {name: tried[chosen][name] for name in names_of(tried) if name in tried[chosen]}
        self._fit_inner(learners[chosen], table)

    def _chosen(self, tried: tuple[Parameters, ...], learners: list[Any], table: Table) -> int:
        """Return the number of the candidate; the table of all is kept beside it."""
        classes = table.schema.classes
        measure = self._measure(costs_for(self.cost, classes))
        if self.positive is not None and self.positive not in classes:
            raise CrakeError(f"there is no class {self.positive!r} to call positive; classes: {list(classes)}")
        plan = self.inner_plan()
        words = self.measure.replace("_", " ")
        title = f"{type(self._inner_learner()).__name__}, {words} on {plan.describe()}"
        try:
            scores = _scores(learners, table, plan, measure, self.positive)
        except DataError as refused:  # one row, one class, no row to hold out: the first, simplest candidate
            self.not_tuned_ = str(refused)
            self.results_ = Grid(title, ("candidate",), tuple((written(each),) for each in tried))
            return 0
        chosen = scores.best if self.rule == "best" else scores.simplest
        self.results_ = scores.grid(tried, chosen, title)
        return chosen

    def _measure(self, costs: CostMatrix | None) -> Measure[Predictions]:
        measure = find_measure(self.measure)
        if measure.needs_costs != (costs is not None):
            raise CrakeError("measure='cost' and a cost matrix go together: Tuned(…, measure='cost', cost=…)")
        return measure.with_costs(costs)

    def _inner_learner(self) -> Any:
        learner = super()._inner_learner()
        if not reads_tables(learner):
            raise CrakeError(
                f"Tuned takes crake's classifiers; found a {type(learner).__name__}: scikit-learn's GridSearchCV "
                "tunes those of scikit-learn, and crake.evaluate and crake.compare take it as it is"
            )
        return learner


def _scores(
    learners: list[Any], table: Table, plan: Plan, measure: Measure[Predictions], positive: Label | None
) -> Scores:
    """Test every candidate in every fold of every round; folds without a tested row are left out."""
    columns: list[Floats] = []
    training, tested = [], []
    for assignment in inner_rounds(plan, table.target, table.schema.classes):
        values = np.full((len(learners), assignment.folds), np.nan)
        for k, fold, rows, model in models_of_each(learners, table, assignment):
            predictions = _predictions(model, table, rows, positive)
            values[k, fold] = np.nan if measure.why_not(predictions.answers) else measure.value(predictions)
        columns.append(values)
        training.append(assignment.training_rows.astype(np.float64))
        tested.append(np.bincount(assignment.fold[assignment.fold >= 0], minlength=assignment.folds).astype(np.float64))
    rows_by_fold = np.concatenate(training), np.concatenate(tested)
    return Scores.defined(np.concatenate(columns, axis=1), *rows_by_fold, measure)


def _predictions(model: TableClassifier, table: Table, rows: NDArray[np.intp], positive: Label | None) -> PredictedRows:
    probabilities = model.probabilities(table, rows)
    weights = None if table.weights is None else table.weights[rows]
    called = model.decide(probabilities)
    classes = table.schema.classes
    kind = answers_of(model, len(classes))
    return PredictedRows(classes, table.target[rows], probabilities, called, weights, positive, kind)


def _grid_of(reader: StateReader) -> Grid:
    header, cells = reader.names("header"), reader.names("cells")
    if not header or len(cells) % len(header):
        raise reader.refusal("cells", f"has {len(cells)}", f"rows of {len(header)}")
    rows = tuple(cells[at : at + len(header)] for at in range(0, len(cells), len(header)))
    return Grid("".join(reader.names("title")), header, rows)
