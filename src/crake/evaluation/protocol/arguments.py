"""The arguments of an evaluation, read and checked before any work: learner, table, target, class, plan."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import ColumnNotFound, CrakeError, SchemaError
from crake.evaluation.result.data import ArrayRows, InMemory, TestTable
from crake.learners.base.card import Shape
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.training_rows import checked_numbers, present_rows
from crake.learners.registry import by_name, title_of
from crake.metrics.confusion.matrix import refuse_many_classes
from crake.plans import Assignment, GroupedCrossValidation, Plan, TimeOrdered
from crake.slow_modules import sklearn_base, sklearn_utils
from crake.table.batch import MISSING
from crake.table.convert.export import label_array
from crake.table.convert.frames import from_xy
from crake.table.dates import find_dates
from crake.table.describe.duplicates import kinds_of_rows
from crake.table.describe.ids import id_like_columns
from crake.table.read import read
from crake.table.schema import Column, Kind, Label
from crake.table.table import Table
from crake.table.target import check_target

_NAMING = "name the column to predict, as in target='play', or give X and y"


def learner_of(learner: Any, *, numbers: bool = False) -> Any:
    """Return the learner of a name, or the learner itself; raise for anything else.

    With `numbers`, a name that a classifier and a regressor share is the regressor's.

    >>> learner_of("1r")
    OneRuleClassifier()
    >>> learner_of(int)
    Traceback (most recent call last):
    crake.errors.CrakeError: expected a learner or a learner's name, got <class 'int'>
    """
    if isinstance(learner, str):
        return by_name(learner, numbers=numbers)
    if isinstance(learner, type) or not (hasattr(learner, "get_params") and hasattr(learner, "fit")):
        raise CrakeError(f"expected a learner or a learner's name, got {learner!r}")
    return learner


def table_of(table: Any, y: Any, target: str | None) -> Any:
    """Return the table that is named, or the one of a data frame and its target; X and y as they are.

    >>> table_of("golf", None, None)
    <Table 'golf': 14 rows, 4 nominal and 0 numeric features, target 'play'>
    """
    if y is not None:
        if target is not None:
            raise CrakeError("both y and target= are given; expected labels, or the name of the column that holds them")
        return table
    return read(table, target=target) if target is not None or isinstance(table, str | Path) else table


def predicts_numbers(learner: Any) -> bool:
    """Return True if the learner is a regressor, crake's or scikit-learn's."""
    return isinstance(learner, TableRegressor) or (
        not reads_tables(learner) and bool(sklearn_base.is_regressor(learner))
    )


def has_numeric_target(table: Any) -> bool:
    """Return True if the table is a Table whose target is a number."""
    if not isinstance(table, Table) or table.schema.target is None:
        return False
    return table.schema[table.schema.target].kind is Kind.NUMERIC


def shape_of(table: Any, scanned: int) -> Shape:
    """Return the size of what learners will get, as far as it is known before they learn; `scanned` rows of a scan."""
    if not isinstance(table, Table) or not table.in_memory:
        rows = scanned if isinstance(table, Table) else len(table) if hasattr(table, "__len__") else 0
        features = len(table.schema.features) if isinstance(table, Table) else (*getattr(table, "shape", ()), 0, 0)[1]
        return Shape(rows, numbers=features)
    levels = tuple(len(column.levels) for column in table.schema.nominal)
    classes, texts = max(2, len(table.schema.classes)), len(table.schema.texts)
    return Shape(len(table), classes, len(table.schema.numeric), levels, texts)


def refuse_mixed(learners: Sequence[Any]) -> bool:
    """Return True if all learners predict numbers, False if none does; raise if only some do."""
    kinds = [predicts_numbers(learner) for learner in learners]
    if any(kinds) != all(kinds):
        number, other = title_of(learners[kinds.index(True)]), title_of(learners[kinds.index(False)])
        raise CrakeError(f"{number} predicts numbers and {other} classes; expected learners of one kind")
    return any(kinds)


def refuse_no_plan(plan: object) -> None:
    """Raise if this is not a plan; the short names are those of the command line.

    >>> refuse_no_plan("cv10")
    Traceback (most recent call last):
    crake.errors.CrakeError: plan = 'cv10'; expected a plan such as crake.CrossValidation(10)
    """
    if isinstance(plan, type) or not all(hasattr(plan, name) for name in ("rounds", "describe")):
        raise CrakeError(f"plan = {plan!r}; expected a plan such as crake.CrossValidation(10)")


def refuse_plan_and_test(plan: Plan | None, test: Any) -> None:
    """Raise if there are a plan and a test table: the test table leaves the plan nothing to deal out."""
    if plan is not None and test is not None:
        raise CrakeError("both a plan and a test table are given; the plan tests rows of the table itself: give one")


def refuse_unknown_class(positive: Label | None, classes: Sequence[Label]) -> None:
    """Raise if the positive class is not one of these classes.

    >>> refuse_unknown_class("maybe", ["no", "yes"])
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no class 'maybe' to call positive; classes: ['no', 'yes']
    """
    if positive is not None and positive not in classes:
        raise CrakeError(f"there is no class {positive!r} to call positive; classes: {list(classes)}")


def rows_in_memory(table: Any, y: Any = None, nominal: Any = "auto") -> InMemory:
    """Return the rows of a classification: a Table with a nominal target, or X with the labels y."""
    if y is None:
        if not isinstance(table, Table):
            raise CrakeError(f"expected labels, got none: {_NAMING}")
        return InMemory(_usable(table))
    labels = sklearn_utils.column_or_1d(y, warn=True)
    coded = from_xy(table, labels, nominal=nominal)
    return InMemory(_usable(coded), ArrayRows(table, labels, label_array(coded.schema.classes)), nominal)


def _usable(table: Table) -> Table:
    """Return the table with the class of rows of weight 0 unknown; raise if its target cannot be learned.

    Such rows are neither learned from nor tested, as if they were not there; all others keep their numbers.
    """
    check_tested_target(table)
    if table.weights is None or np.all(table.weights > 0):
        return table
    present_rows(table)  # raises if there is nothing to learn from
    name = table.schema.target or ""
    classes = np.where(table.weights > 0, table.target, MISSING).astype(table.target.dtype)
    return replace(table, source=table.require_memory().with_columns({name: classes}))


def check_tested_target(table: Table) -> None:
    """Raise if the target cannot be learned, or has too many classes to be tested; the classes of a scan come later."""
    check_target(table)
    refuse_many_classes(len(table.schema.classes))


def refuse_no_numbers(table: Table) -> None:
    """Raise if the target of the table is not numeric."""
    name = table.schema.target
    if not has_numeric_target(table):
        raise SchemaError(
            f"{table.name} {'has no target' if name is None else f'has the target {name!r}, no number'}; "
            f"a regressor predicts a number: take a classifier{_as_numbers(table, name)}"
        )


def _as_numbers(table: Table, name: str | None) -> str:
    """Return how the classes of the target are read as numbers, if they are numbers."""
    if name is None or not all(isinstance(label, int) for label in table.schema[name].levels):
        return ""
    return f", or read it as numbers: --numeric {shlex.quote(name)} (numeric=[{name!r}])"


def numbers_in_memory(table: Any, y: Any = None, nominal: Any = "auto") -> InMemory:
    """Return the rows of a regression: a Table with a numeric target, or X with the numbers y."""
    if y is None:
        if not isinstance(table, Table):
            raise CrakeError(f"expected numbers to predict, got none: {_NAMING}")
        refuse_no_numbers(table)
        return InMemory(table)
    numbers = checked_numbers(y)
    sklearn_utils.check_consistent_length(table, numbers)
    return InMemory(from_xy(table, nominal=nominal), ArrayRows(table, numbers), nominal)


def numbers_of(data: InMemory | TestTable) -> NDArray[np.float64]:
    """Return the target of a regression, one number per row."""
    if data.arrays is not None:
        return data.arrays.y
    return np.asarray(data.table.column(data.table.schema.target or ""), np.float64)


def target_name(data: InMemory | TestTable) -> str:
    """Return the name of the target; "y" for numbers that were given beside X."""
    return "y" if data.arrays is not None and data.arrays.classes is None else data.table.schema.target or ""


def read_by(learner: Any, data: InMemory) -> InMemory:
    """Return the rows as one of several learners reads X and y: coded with its own `nominal=`."""
    if data.arrays is None:
        return data
    nominal = getattr(learner, "nominal", "auto")
    if _same(nominal, data.nominal):
        own = data
    elif data.arrays.classes is None:
        own = numbers_in_memory(data.arrays.X, data.arrays.y, nominal)
    else:
        own = rows_in_memory(data.arrays.X, data.arrays.y, nominal)
    return replace(own, arrays=None) if own.arrays and own.arrays.classes is not None and reads_tables(learner) else own


def _same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, str) and isinstance(other, str) and one == other)


def with_its_column(plan: Plan, table: Table) -> tuple[Plan, Table]:
    """Return the plan with the values of the column it names, and the table to learn from.

    A group (a patient, a customer) is what a new row will not share with the old ones: the column is left out of the
    features. The time stays one. A plan by groups without a column has equal rows as its groups.
    """
    refuse_no_plan(plan)
    if isinstance(plan, GroupedCrossValidation) and plan.by is None:
        return _Named(plan, replace(plan, by=kinds_of_rows(table, id_like_columns(table)))), table
    if not isinstance(plan, GroupedCrossValidation | TimeOrdered) or not isinstance(plan.by, str):
        return plan, table
    values, name = _values(table, plan.by), plan.by
    if isinstance(plan, TimeOrdered):
        if table.schema[name].kind is not Kind.NUMERIC:
            raise SchemaError(_no_time(table.schema[name]))
        return _Named(plan, replace(plan, by=values)), table
    note = f"{name} groups the rows and is not learned from"
    rest = table.select([column.name for column in table.schema.columns if column.name != name])
    return _Named(plan, replace(plan, by=values)), replace(rest, notes=(*table.notes, note))


def _no_time(column: Column) -> str:
    """Return the error on a column that no rows can be ordered by, with a hint if two rules of dates fit it."""
    dates = find_dates([str(level) for level in column.levels])
    doubt = "; its dates may have the day or the month first: say --dates dmy or --dates mdy"
    return (
        f"the column {column.name!r} is {column.kind}; expected numbers or dates to order the rows by"
        f"{doubt if dates is not None and dates.other else ''}"
    )


def without_column(data: InMemory, whole: Table, rest: Table) -> InMemory:
    """Return the rows of a learner without the column that the plan has taken from the table."""
    table = rest if data.table is whole else data.table.select([column.name for column in rest.schema.columns])
    arrays = data.arrays
    if arrays is not None:
        arrays = replace(arrays, X=columns_left(arrays.X, data.table, table))
    return replace(data, table=table, arrays=arrays)


def columns_left(X: Any, whole: Table, rest: Table) -> Any:
    """Return the columns of X, from which `whole` was made, that are still in the table."""
    if len(rest.schema.columns) == len(whole.schema.columns):
        return X
    names = [column.name for column in whole.schema.columns if column.name != whole.schema.target]
    places = [place for place, name in enumerate(names) if name in rest.schema]
    # It knows every form that scikit-learn takes.
    return sklearn_utils._safe_indexing(  # noqa: SLF001
        X if hasattr(X, "shape") else np.asarray(X), places, axis=1
    )


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
