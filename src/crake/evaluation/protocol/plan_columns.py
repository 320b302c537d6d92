"""Plans that name a column: the plan gets its values, and a column that groups the rows is not learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from crake.errors import ColumnNotFound, SchemaError
from crake.evaluation.protocol.arguments import refuse_no_plan
from crake.evaluation.result.data import InMemory
from crake.plans import Assignment, GroupedCrossValidation, Plan, TimeOrdered
from crake.table.schema import Kind, Label
from crake.table.table import Table


def with_its_column(plan: Plan, table: Table) -> tuple[Plan, Table]:
    """Return the plan with the values of the column it names, and the table to learn from.

    A group (a patient, a customer) is what a new row will not share with the old ones: the column is left out of the
    features. The time stays one.
    """
    refuse_no_plan(plan)
    if not isinstance(plan, GroupedCrossValidation | TimeOrdered) or not isinstance(plan.by, str):
        return plan, table
    values, name = _values(table, plan.by), plan.by
    if isinstance(plan, TimeOrdered):
        if table.schema[name].kind is not Kind.NUMERIC:
            raise SchemaError(
                f"the column {name!r} is {table.schema[name].kind}; expected numbers to order the rows by"
            )
        return _Named(plan, replace(plan, by=values)), table
    note = f"{name} groups the rows and is not learned from"
    left = table.select([column.name for column in table.schema.columns if column.name != name])
    return _Named(plan, replace(plan, by=values)), replace(left, notes=(*table.notes, note))


def without_column(data: InMemory, whole: Table, left: Table) -> InMemory:
    """Return the rows of a learner without the column that the plan has taken from the table."""
    table = left if data.table is whole else data.table.select([column.name for column in left.schema.columns])
    arrays = data.arrays
    if arrays is not None:
        arrays = replace(arrays, X=columns_left(arrays.X, data.table, table))
    return replace(data, table=table, arrays=arrays)


def columns_left(X: Any, whole: Table, left: Table) -> Any:
    """Return the columns of X, from which `whole` was made, that are still in the table."""
    if len(left.schema.columns) == len(whole.schema.columns):
        return X
    names = [column.name for column in whole.schema.columns if column.name != whole.schema.target]
    places = [place for place, name in enumerate(names) if name in left.schema]
    return _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), places, axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class _Named:
    """A plan that has a column's values and is described by the column's name."""

    named: Plan
    filled: Plan

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        return self.filled.rounds(target_codes, classes)

    def describe(self) -> str:
        return self.named.describe()

    def __repr__(self) -> str:
        return repr(self.named)


def _values(table: Table, name: str) -> NDArray[Any]:
    names = [column.name for column in table.schema.columns]
    if name not in table.schema:
        raise ColumnNotFound(name, names, where=f" in {table.name}")
    if name == table.schema.target:
        raise SchemaError(f"{name!r} is the target; expected another column to deal the rows out by")
    if table.schema[name].kind is Kind.IGNORED:
        raise SchemaError(f"the column {name!r} is ignored, so its values were not read; read it as nominal")
    column = table.column(name)
    if table.schema[name].kind is Kind.NOMINAL:
        return np.where(column >= 0, column.astype(np.float64), np.nan)
    return np.asarray(column)
