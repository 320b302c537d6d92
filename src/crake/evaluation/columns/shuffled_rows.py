"""Predictions for rows that a model has not learned, with some of their columns shuffled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats, Rows
from crake.evaluation.protocol.arguments import numbers_of, predicts_numbers
from crake.evaluation.protocol.fitted_model import with_new_classes
from crake.evaluation.protocol.folds import answers_the_most_probable
from crake.evaluation.protocol.memory import deal
from crake.evaluation.protocol.other_libraries import array_rows, complete_array, fit_rows, fit_weighted, foreign_answer
from crake.evaluation.protocol.test_table import fit_regressor, rows_of_test
from crake.evaluation.result.base import Context
from crake.evaluation.result.data import InMemory, ScanPart, TestTable
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.plans import Assignment
from crake.table.convert.frames import encode
from crake.table.table import Table

Predicted = tuple[Floats, Codes | None]
"""Probabilities by class with the classes that a rule gives, or numbers and None."""


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """A model, the rows that it has not learned, and the columns of these rows.

    `take(indices)` returns rows whose column j is taken from the rows `indices[j]`; `predict` reads such rows.
    `numbers` are those that the rows have in the evaluation, where they are others than `rows`.
    """

    rows: Rows
    names: tuple[str, ...]
    take: Callable[[Sequence[Rows]], Any]
    predict: Callable[[Any], Predicted]
    numbers: Rows | None = None


def parts_of(context: Context, classes: int) -> Iterator[Part] | None:
    """Yield a part for each fold of the first round, or one for a test table; None where rows cannot be shuffled."""
    learner, data = context.learner, context.data
    if isinstance(data, InMemory):
        _, own, rounds = deal(learner, data, context.plan)
        return _of_folds(learner, own, next(iter(rounds)))
    if isinstance(data, TestTable) and not (reads_tables(learner) or isinstance(learner, TableRegressor)):
        return _of_test_arrays(learner, data, classes)
    return _of_test_table(context, classes)


def parts_of_scan(kept: Sequence[ScanPart]) -> Iterator[Part]:
    """Yield the rows of a scan that were kept, fold by fold, with the model that has not learned them."""
    for each in kept:
        names, take = table_columns(each.table)
        predict = _named_regressor if isinstance(each.model, TableRegressor) else _classifier
        yield Part(np.arange(len(each.rows)), names, take, predict(each.model), each.rows)


def _of_folds(learner: Any, data: InMemory, dealt: Assignment) -> Iterator[Part] | None:
    if predicts_numbers(learner):
        return _regressions(learner, data, dealt)
    if reads_tables(learner):
        return _classifications(learner, data.table, dealt)
    rows = data.arrays or array_rows(data.table, learner)
    columns = array_columns(rows.X)
    if columns is None:
        return None
    names, take = columns
    names = names if data.arrays is not None else _features(data.table)

    def part(train: Rows, test: Rows) -> Part:
        model = fit_rows(rows, clone(learner), train)
        return Part(test, names, take, lambda X: foreign_answer(model, X, rows.classes)[:2])

    return (part(*split) for split in dealt.splits())


def _classifications(learner: Any, table: Table, dealt: Assignment) -> Iterator[Part]:
    names, take = table_columns(table)
    for train, test in dealt.splits():
        yield Part(test, names, take, _classifier(clone(learner).fit(table.take(train))))


def _regressions(learner: Any, data: InMemory, dealt: Assignment) -> Iterator[Part] | None:
    table, y = data.table, numbers_of(data)
    if data.arrays is None and isinstance(learner, TableRegressor):
        names, take = table_columns(table)
        return (
            Part(test, names, take, _regressor(clone(learner).fit(table.take(train)))) for train, test in dealt.splits()
        )
    X = complete_array(table, learner) if data.arrays is None else data.arrays.X
    columns = array_columns(X)
    if columns is None:
        return None
    names, take = columns
    names = names if data.arrays is not None else _features(table)

    def part(train: Rows, test: Rows) -> Part:
        everything = take([train] * len(names))
        model = fit_weighted(clone(learner), everything, y[train], table.weights, train)
        return Part(test, names, take, lambda X: (np.asarray(model.predict(X), np.float64), None))

    return (part(*split) for split in dealt.splits())


def _of_test_table(context: Context, classes: int) -> Iterator[Part]:
    """Yield the rows of the test table, as the model reads them: columns are matched by name."""
    model = context.learner if context.tested is None else clone(context.learner).fit(context.table)
    features = model.schema_.select(model._read_names())  # noqa: SLF001 (a hook of the base)
    names, take = table_columns(encode(context.tested_table, features, by_name=True))
    if isinstance(model, TableRegressor):
        yield Part(np.arange(len(context.tested_table)), names, take, _regressor(model))
        return
    predict = _classifier(model)

    def with_all_classes(rows: Table) -> Predicted:
        probabilities, answered = predict(rows)
        return with_new_classes(probabilities, classes), answered

    yield Part(np.arange(len(context.tested_table)), names, take, with_all_classes)


def _of_test_arrays(learner: Any, data: TestTable, classes: int) -> Iterator[Part] | None:
    """Yield the test rows as a learner of another library reads them; None where X is neither array nor frame."""
    columns = array_columns(rows_of_test(learner, data))
    if columns is None:
        return None
    names, take = columns
    names = names if data.test_arrays is not None else _features(data.table)
    if predicts_numbers(learner):
        regressor = fit_regressor(learner, data)
        return iter([Part(np.arange(len(data.test)), names, take, lambda X: (np.asarray(regressor.predict(X)), None))])
    rows = data.arrays or array_rows(data.table, learner)
    model = fit_rows(rows, clone(learner), np.flatnonzero(data.table.target >= 0))

    def predict(X: Any) -> Predicted:
        probabilities, answered, _ = foreign_answer(model, X, rows.classes)
        return with_new_classes(probabilities, classes), answered

    return iter([Part(np.arange(len(data.test)), names, take, predict)])


def _classifier(model: Any) -> Callable[[Table], Predicted]:
    def predict(rows: Table) -> Predicted:
        probabilities = model.probabilities(rows)
        own = None if answers_the_most_probable(model) else model.decide(probabilities).astype(np.int32)
        return probabilities, own

    return predict


def _regressor(model: Any) -> Callable[[Table], Predicted]:
    return lambda rows: (np.asarray(model.answers(rows), np.float64), None)


def _named_regressor(model: Any) -> Callable[[Table], Predicted]:
    """Return a function that matches columns by name: models of scans have met the levels in their own order."""
    names = [column.name for column in model.schema_.features]
    return lambda rows: (np.asarray(model.predict(rows.select(names)), np.float64), None)


def table_columns(table: Table) -> tuple[tuple[str, ...], Callable[[Sequence[Rows]], Table]]:
    """Return the names of a table's features, and how to take rows of them."""
    names = _features(table)
    features = table.select(names)
    source = features.require_memory()

    def take(indices: Sequence[Rows]) -> Table:
        columns = {name: source.column(name)[rows] for name, rows in zip(names, indices, strict=True)}
        return replace(features, source=type(source)(columns, len(indices[0])), weights=None, notes=())

    return names, take


def _features(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in (*table.schema.features, *table.schema.texts))


def array_columns(X: Any) -> tuple[tuple[str, ...], Callable[[Sequence[Rows]], Any]] | None:
    """Return the names of X's columns, and how to take rows of them; None where X is neither array nor frame."""
    if isinstance(X, list | tuple):
        X = np.asarray(X)
    if isinstance(X, np.ndarray):
        return tuple(f"x{j}" for j in range(X.shape[1])), lambda indices: _array_rows(X, indices)
    if hasattr(X, "iloc"):
        return tuple(map(str, X.columns)), lambda indices: _pandas_rows(X, indices)
    if hasattr(X, "gather_every"):  # polars
        return tuple(X.columns), lambda indices: X[indices[0]].with_columns(
            *(X[:, j].gather(rows) for j, rows in enumerate(indices))
        )
    if hasattr(X, "column_names") and hasattr(X, "set_column"):  # Arrow
        return tuple(X.column_names), lambda indices: type(X).from_arrays(
            [X.column(j).take(rows) for j, rows in enumerate(indices)], names=X.column_names
        )
    return None


def _array_rows(X: NDArray[Any], indices: Sequence[Rows]) -> NDArray[Any]:
    return np.column_stack([X[rows, j] for j, rows in enumerate(indices)]).astype(X.dtype, copy=False)


def _pandas_rows(X: Any, indices: Sequence[Rows]) -> Any:
    taken = X.iloc[indices[0]].reset_index(drop=True)
    for j, rows in enumerate(indices):
        taken.isetitem(j, X.iloc[rows, j].array)
    return taken
