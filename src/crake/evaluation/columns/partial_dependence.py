"""Partial dependence: the mean prediction of a model when one column is set to a value in every row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.plans.dealing import whole_number
from crake.render.drawing.axis import Axis
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_drawing
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import amount, summary
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.render.short_repr import short_repr
from crake.table.cells import numbers
from crake.table.codes import encode
from crake.table.notation import notation_title, value_text
from crake.table.schema import Column, Kind, Label
from crake.table.table import Table

MOST_VALUES, MOST_ROWS = 30, 1000
"""Values of a column that are tried, and rows that a mean is taken over."""
MOST_CELLS = 50_000
"""Rows that are predicted at once."""
BAND = (0.1, 0.9)
"""The quantiles of the rows' own curves between which the band lies."""
MOST_LINES = 6
"""Classes whose curves are drawn in one picture."""


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """The mean prediction for each value of a column, over the rows.

    `outputs` are the classes, or the target of a regressor. `mean`, `low` and `high` have shape (outputs, values);
    80 % of the rows have curves between low and high. `individual` (outputs, rows, values) has the curve of each row.
    `weights` are those of the rows: a row of weight 3 counts as three rows.
    """

    model: str
    column: Column
    values: tuple[Any, ...]
    outputs: tuple[Label, ...]
    mean: Floats
    individual: Floats
    weights: Floats
    positive: Label | None
    is_regression: bool

    __repr__ = short_repr

    @cached_property
    def low(self) -> Floats:
        """The tenth percentile of the rows' own curves, by weight."""
        return _quantiles(self.individual, self.weights, [BAND[0]])[:, 0]

    @cached_property
    def high(self) -> Floats:
        """The ninetieth percentile of the rows' own curves, by weight."""
        return _quantiles(self.individual, self.weights, [BAND[1]])[:, 0]

    @property
    def shown_outputs(self) -> list[int]:
        """The outputs that are drawn: the positive class of two, the classes that change most, or the number."""
        if self.is_regression or len(self.outputs) == 1:
            return [0]
        if len(self.outputs) == 2 or self.positive is not None:
            return [self.outputs.index(self.positive) if self.positive is not None else 1]
        most = np.argsort(-np.ptp(self.mean, axis=1), kind="stable")[:MOST_LINES]
        return sorted(int(k) for k in most)

    @property
    def finding(self) -> str:
        """Say between which values the mean prediction lies."""
        k = max(self.shown_outputs, key=lambda each: float(np.ptp(self.mean[each])))
        least, most = int(self.mean[k].argmin()), int(self.mean[k].argmax())
        name = shown(self.column.name, 40)
        low, high = (amount(float(self.mean[k, at]), 3) for at in (least, most))
        return (
            f"{capital(self._name(k))} is {low} on average where {name} is {self._value(least)}, and {high} where "
            f"it is {self._value(most)}."
        )

    def __str__(self) -> str:
        lines = [f"{self.model}: the mean prediction by {shown(self.column.name, 60)}, over {self._rows} rows"]
        heads = [shown(self.column.name, 30), *(self._name(k) for k in self.shown_outputs)]
        outputs = self.shown_outputs
        cells = [heads]
        cells += [
            [self._value(at), *(amount(float(self.mean[k, at])) for k in outputs)] for at in range(len(self.values))
        ]
        widths = [max(len(line[j]) for line in cells) for j in range(len(heads))]
        lines += [
            "  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) for line in cells
        ]
        return "\n".join(lines)

    def draw(self, width: float = 420) -> Drawing:
        """Draw the mean prediction by the values of the column, with the band of the rows' own curves."""
        return self._of_names(width) if self.column.kind is Kind.NOMINAL else self._of_numbers(width)

    @property
    def _rows(self) -> str:
        return f"{self.individual.shape[1]:,}"

    def _name(self, k: int) -> str:
        output = shown(self.outputs[k], 30)
        return output if self.is_regression else f"P({output})"

    def _value(self, at: int) -> str:
        value = self.values[at]
        if self.column.kind is Kind.NOMINAL:
            return shown(value, 30)
        return value_text(self.column, float(value), summary(float(value)))

    def _heading(self) -> tuple[str, str]:
        return f"What {shown(self.column.name, 40)} does", f"{self.model}; mean over {self._rows} rows"

    def _of_numbers(self, width: float) -> Drawing:
        each, x = self.shown_outputs, [float(value) for value in self.values]
        bands: tuple[Band, ...] = ()
        if len(each) == 1 and len(x) > 1:
            k = each[0]
            bands = (Band("80 % of the rows", x, self.low[k].tolist(), self.high[k].tolist(), 0),)
        ends = [self.mean[each]] if not bands else [self.low[each], self.high[each], self.mean[each]]
        least, most = min(float(part.min()) for part in ends), max(float(part.max()) for part in ends)
        up = Axis.over(self._name(each[0]) if len(each) == 1 else "probability", least, most)
        across = Axis.over(shown(self.column.name, 60), min(x), max(x), is_date=self.column.is_date)
        lines = tuple(Line(self._name(k), x, self.mean[k].tolist(), at, "plain") for at, k in enumerate(each))
        title, subtitle = self._heading()
        picture = CurvePicture(title, subtitle, self.finding, across, up, lines, bands=bands, is_square=False)
        return curve_drawing(picture, width)

    def _of_names(self, width: float) -> Drawing:
        each = self.shown_outputs
        rows = []
        for at in range(len(self.values)):
            ends = [(float(self.low[k, at]), float(self.high[k, at])) if len(each) == 1 else (None, None) for k in each]
            marks = tuple(Estimated(float(self.mean[k, at]), *end) for k, end in zip(each, ends, strict=True))
            rows.append(CoefficientRow(self._value(at), marks))
        title, subtitle = self._heading()
        axis = f"{self._name(each[0])}; 80 % of the rows" if len(each) == 1 else "probability"
        names = tuple(self._name(k) for k in each) if len(each) > 1 else ("",)
        return coefficient_drawing(CoefficientPicture(title, subtitle, self.finding, axis, tuple(rows), names), width)


def partial_dependence(
    model: Any,
    X: Any,
    column: str,
    *,
    values: Iterable[Any] | None = None,
    positive: Label | None = None,
    most_rows: int | None = MOST_ROWS,
) -> PartialDependence:
    """Return the mean prediction of a fitted model when the column has each value in all rows of X.

    X is a Table or whatever the model predicts. `values` are those of the column if None: all, or thirty quantiles of a
    number. More than `most_rows` rows are sampled; None takes all. Rows of weight 0 are left out. `positive` is the
    class that is drawn.

    >>> from crake.learners.tree.algorithms.c45 import C45Classifier
    >>> from crake.table.examples import load
    >>> table = load("golf")
    >>> print(partial_dependence(C45Classifier().fit(table), table, "windy"))
    C45Classifier(): the mean prediction by windy, over 14 rows
      windy  P(Yes)
      False  0.7857
       True   0.4286

    Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """
    if not (isinstance(model, TableRegressor) or reads_tables(model)):
        raise CrakeError(
            f"expected a fitted model of crake, got a {type(model).__name__}: scikit-learn has a partial_dependence"
        )
    table = model._coded(X)  # noqa: SLF001 (rows under the model's own schema)
    names = [each.name for each in table.schema.features]
    if column not in names:
        raise ColumnNotFound(column, names)
    table = _sampled(table, most_rows)
    own = table.schema[column]
    grid, cells = _grid(table, own, values)
    individual = _curves(model, table, column, cells)
    weights = _weights(table)
    mean: Floats = np.average(individual, axis=1, weights=weights)
    is_regression = isinstance(model, TableRegressor)
    outputs = (model.schema_.target or "target",) if is_regression else tuple(model.classes_.tolist())
    if positive is not None and positive not in outputs:
        raise CrakeError(f"positive={positive!r}; expected one of {list(outputs)}")
    name = shown(repr(model), 60)
    return PartialDependence(name, own, grid, outputs, mean, individual, weights, positive, is_regression)


def _sampled(table: Table, most: int | None) -> Table:
    """Return a sample of the rows with weight, drawn by a fixed seed."""
    most = None if most is None else whole_number(most, "most_rows", 1)
    table.require_memory("partial_dependence")
    if table.weights is not None and not table.weights.all():
        table = table.take(np.flatnonzero(table.weights))
        if len(table) == 0:
            raise CrakeError("expected rows of a weight above 0 to take a mean over, got none")
    if len(table) == 0:
        raise CrakeError("expected rows to take a mean over, got none")
    if most is None or len(table) <= most:
        return table
    keys = np.asarray(np.random.PCG64(1).random_raw(len(table)))
    return table.take(np.sort(np.argsort(keys, kind="stable")[:most]))


def _weights(table: Table) -> Floats:
    return np.ones(len(table)) if table.weights is None else table.weights


def _quantiles(values: Floats, weights: Floats, shares: Iterable[float]) -> Floats:
    """Return, for each share, the least value that this share of the weight does not exceed, along the axis 1.

    >>> _quantiles(np.array([[3.0, 1.0, 2.0]]), np.array([1.0, 1.0, 2.0]), [0.25, 0.5, 0.9]).tolist()
    [[1.0, 2.0, 3.0]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    sums = np.cumsum(weights[order], axis=1)
    total = sums[:, -1:]
    at = [np.count_nonzero(sums < share * (1 - 1e-12) * total, axis=1, keepdims=True) for share in shares]
    found: Floats = np.take_along_axis(values, np.take_along_axis(order, np.concatenate(at, axis=1), axis=1), axis=1)
    return found


def _grid(table: Table, column: Column, values: Iterable[Any] | None) -> tuple[tuple[Any, ...], NDArray[Any]]:
    """Return the values to try, as a person writes them and as the table codes them."""
    if values is None:
        found = _own_numbers(table, column) if column.kind is Kind.NUMERIC else _own_levels(table, column)
        if len(found) == 0:
            raise CrakeError(
                f"expected values of the column {column.name!r} to try, got none: all of its cells are missing"
            )
    else:
        given = _listed(column, values)
        read = _number if column.kind is Kind.NUMERIC else _code
        found = np.array([read(column, value) for value in given])
    if column.kind is Kind.NUMERIC:
        return tuple(found.tolist()), found
    return tuple(column.levels[code] for code in found.tolist()), found.astype(np.int32)


def _own_numbers(table: Table, column: Column) -> Floats:
    """Return all numbers of a column if they are few, and quantiles of them by weight otherwise."""
    cells = table.column(column.name)
    known = ~np.isnan(cells)
    every: Floats = np.unique(cells[known])
    if len(every) <= MOST_VALUES:
        return every
    shares = np.linspace(0.02, 0.98, MOST_VALUES)
    return np.unique(_quantiles(cells[known][None], _weights(table)[known], shares))


def _own_levels(table: Table, column: Column) -> NDArray[np.intp]:
    """Return the codes of the levels that have most weight."""
    cells = table.column(column.name)
    sums = np.bincount(cells[cells >= 0], _weights(table)[cells >= 0], len(column.levels))
    return np.sort(np.argsort(-sums, kind="stable")[: min(MOST_VALUES, int(np.count_nonzero(sums)))])


def _listed(column: Column, values: Iterable[Any]) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise CrakeError(f"values={values!r}; expected a list of values of the column {column.name!r}")
    given = list(values)
    if not given:
        raise CrakeError(f"values=[]; expected at least one value of the column {column.name!r}")
    return given


def _number(column: Column, value: Any) -> float:
    """Return a value as a cell of a numeric column: a number, a text of one, or a date in a column of dates."""
    try:
        number = float(numbers(_cell(value), column.name, notation=column.notation)[0])
    except (CrakeError, TypeError, ValueError, NotImplementedError):  # Arrow raises the last one
        number = np.nan
    if not isfinite(number):
        what = f"values such as {notation_title(column.notation)}" if column.is_date else "finite numbers"
        raise CrakeError(f"expected {what} of the column {column.name!r} to try, got {value!r}")
    return number


def _code(column: Column, value: Any) -> int:
    """Return the code of a level."""
    try:
        code = int(encode(_cell(value), column.levels)[0])
    except (CrakeError, TypeError, ValueError, NotImplementedError):  # Arrow raises the last one
        code = -1
    if code < 0:
        raise CrakeError(f"the column {column.name!r} has no value {value!r}; expected some of its levels")
    return code


def _cell(value: Any) -> NDArray[Any]:
    cell = np.empty(1, object)
    cell[0] = value
    return cell


def _curves(model: Any, table: Table, column: str, cells: NDArray[Any]) -> Floats:
    """Return the predictions of all rows with each value, shape (outputs, rows, values)."""
    n, parts = len(table), []
    together = max(1, MOST_CELLS // n)
    for start in range(0, len(cells), together):
        some = cells[start : start + together]
        rows = table.take(np.tile(np.arange(n), len(some)))
        changed = rows.require_memory().with_columns({column: np.repeat(some, n).astype(rows.column(column).dtype)})
        rows = replace(rows, source=changed)
        predicted = model.answers(rows)[:, None] if isinstance(model, TableRegressor) else model.probabilities(rows)
        parts.append(predicted.reshape(len(some), n, -1))
    curves: Floats = np.concatenate(parts).transpose(2, 1, 0)
    return curves
