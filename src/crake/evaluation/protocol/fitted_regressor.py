"""A fitted regressor on a table with the true numbers, which it was not trained on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError, DataError, SchemaError, TargetNotFound
from crake.evaluation.protocol.fitted_model import PLAN
from crake.evaluation.result.regression import NumberContext, NumberEvaluation, TestedNumbers
from crake.learners.base.regressor import TableRegressor
from crake.learners.registry import title_of
from crake.table.batch import UNSEEN
from crake.table.matching import left_over
from crake.table.schema import Kind
from crake.table.table import Table

Floats = NDArray[np.float64]


def evaluate_regressor(model: Any, table: Table) -> NumberEvaluation:
    """What a fitted regressor is worth on the rows of a table; columns are matched by name.

    Rows without a known number are left out, and a note says how many there are.

    >>> import pyarrow as pa
    >>> from crake.learners.linear import LinearRegressor
    >>> from crake.table.read import read
    >>> x = np.arange(20) / 4
    >>> model = LinearRegressor().fit(read(pa.table({"x": x, "y": 2 * x}), target="y"))
    >>> new = read(pa.table({"x": x, "y": 2 * x + np.tile([0.5, -0.5], 10)}), target="y")
    >>> print(f"{evaluate_regressor(model, new).rmse:.3f}")
    0.500
    """
    if not isinstance(model, TableRegressor):
        raise CrakeError(f"a {type(model).__name__} is tested by crake.evaluate, which fits it; expected crake's model")
    check_is_fitted(model)
    target = numeric_target(model, table)
    actual = np.asarray(table.column(target), np.float64)
    weights = np.ones(len(table)) if table.weights is None else table.weights
    tested = np.flatnonzero(~np.isnan(actual) & (weights > 0))
    if not len(tested):
        raise DataError(f"no row of {table.name} has a known {target!r}; there is nothing to test on")
    start = time.perf_counter()
    answers = model.predict(_features(model, table))
    lines = TestedNumbers(
        tested,
        np.zeros(len(tested), np.int32),
        actual[tested],
        answers[tested],
        weights[tested],
        fit_seconds=0.0,
        predict_seconds=time.perf_counter() - start,
    )
    gone = int(np.isnan(actual).sum())
    notes = (f"{gone:,} rows without a known {target} are left out",) if gone else ()
    context = NumberContext(model, table, is_fitted=True)
    return NumberEvaluation(title_of(model), table.name, target, PLAN, lines, notes, context=context)


def numeric_target(model: TableRegressor, table: Table) -> str:
    """The column with the true numbers: the table's target if it has one, or else the column the model predicts."""
    table.require_memory("testing a regressor")
    target = table.schema.target if table.schema.target is not None else model.schema_.target
    if target is None or target not in table.schema or table.schema[target].kind is Kind.IGNORED:
        names = [column.name for column in table.schema.columns if column.kind is not Kind.IGNORED]
        raise TargetNotFound(target, names, where=f" in {table.name}")
    if table.schema[target].kind is not Kind.NUMERIC:
        raise SchemaError(
            f"the column {target!r} of {table.name} is {table.schema[target].kind}, and the model predicts a number: "
            f"read it with numeric=[{target!r}]"
        )
    return target


def new_to_model(model: TableRegressor, table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Warnings on values that training had not seen, and notes on columns that are not used."""
    coded = model._coded(_features(model, table))  # noqa: SLF001 (the same question that `predict` asks)
    found = []
    for column in model.schema_.nominal:
        if unseen := int(np.sum(np.asarray(coded.column(column.name)) == UNSEEN)):
            values = "1 value" if unseen == 1 else f"{unseen:,} values"
            found.append(f"{values} of {column.name!r} {'was' if unseen == 1 else 'were'} never seen in training")
    return tuple(found), left_over(model.schema_, table.schema.names)


def _features(model: TableRegressor, table: Table) -> Table:
    """Without the column to predict, whose name need not be that of training."""
    names = [column.name for column in model.schema_.features if column.name in table.schema]
    return table.select(names)
