"""The columns of a leaderboard: the measure that ranks, then the usual ones, with the titles of the registry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.confusion.entries import ACCURACY, F1
from crake.metrics.cost.entries import MEAN_COST
from crake.metrics.measure import Measure
from crake.metrics.probability.entries import LOG_LOSS
from crake.metrics.ranking.entries import AUC
from crake.metrics.regression import MAE, R_SQUARED, RMSE
from crake.render.leaderboard import MeasureColumn

LONGEST_TITLE = 25
"""Characters of a measure's title; of a longer one the name stands in the headline."""


def column_of(measure: Measure[Any], full_title: str = "") -> MeasureColumn:
    """Return the column of a measure.

    >>> column_of(RMSE)
    MeasureColumn(name='rmse', title='RMSE', full_title='', is_share=False, greater_is_better=False)
    """
    return MeasureColumn(
        measure.name,
        measure.title,
        full_title,
        is_share=not measure.has_units,
        greater_is_better=measure.greater_is_better,
    )


COST_COLUMN = replace(column_of(MEAN_COST), name="cost")
NUMBER_COLUMNS = tuple(map(column_of, (RMSE, MAE, R_SQUARED)))
"""The columns of a comparison of regressors."""


def class_columns(f1_title: str = "", *, has_cost: bool = False) -> tuple[MeasureColumn, ...]:
    """Return the columns of an evaluation of classifiers.

    >>> [column.title for column in class_columns(has_cost=True)]
    ['accuracy', 'mean cost', 'AUC', 'F1', 'log loss']
    """
    cost = (COST_COLUMN,) if has_cost else ()
    return (column_of(ACCURACY), *cost, column_of(AUC), column_of(F1, f1_title), column_of(LOG_LOSS))


def columns_of(evaluation: Evaluation | NumberEvaluation, *, has_cost: bool = False) -> tuple[MeasureColumn, ...]:
    """Return the columns of a leaderboard whose first is accuracy or RMSE."""
    if isinstance(evaluation, NumberEvaluation):
        return NUMBER_COLUMNS
    positive = evaluation.positive
    return class_columns("F1 (weighted)" if positive is None else f"F1 of class {positive}", has_cost=has_cost)


def columns_by(evaluation: Evaluation | NumberEvaluation, criterion: Criterion) -> tuple[MeasureColumn, ...]:
    """Return the columns of a comparison: the measure that ranks, then the usual ones."""
    usual, measure = columns_of(evaluation), criterion.of
    known = [column for column in usual if column.name == measure.name]
    main = known[0] if known else _own_column(measure)
    if isinstance(criterion, ByCost):
        main = COST_COLUMN
    elif isinstance(evaluation, Evaluation) and measure.averaging and not main.full_title:
        main = replace(main, full_title=_full_title(measure, evaluation))
    return (main, *(column for column in usual if column.name != main.name))


def _own_column(measure: Measure[Any]) -> MeasureColumn:
    """Return the column of a measure that is none of the usual ones; a long title stands below the table."""
    own = column_of(measure)
    return own if len(own.title) <= LONGEST_TITLE else replace(own, title=measure.words, full_title=measure.title)


def _full_title(measure: Measure[Any], evaluation: Evaluation) -> str:
    """Return the title with the class that the measure speaks of, or with how it averages over the classes."""
    label = evaluation.positive if measure.needs == "predictions" else evaluation.ranked_class
    if label is None:
        return f"{measure.title} ({measure.averaging})"
    return measure.title if measure.name == "auc" else f"{measure.title} of class {label}"
