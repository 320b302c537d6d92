"""Partial dependence: the mean prediction of a model when one column is set to a value in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.render.drawing.axis import Axis
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_drawing
from crake.render.drawing.curves import Band, CurvePicture, Line, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import amount, summary
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.render.short_repr import short_repr
from crake.table.notation import value_text
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
    """

    model: str
    column: Column
    values: tuple[Any, ...]
    outputs: tuple[Label, ...]
    mean: Floats
    individual: Floats
    positive: Label | None
    is_regression: bool

    __repr__ = short_repr

    @property
    def low(self) -> Floats:
        """The tenth of the rows' own curves."""
        low: Floats = np.quantile(self.individual, BAND[0], axis=1)
        return low

    @property
    def high(self) -> Floats:
        """The ninetieth percentile of the rows' own curves."""
        high: Floats = np.quantile(self.individual, BAND[1], axis=1)
        return high

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
    values: Sequence[Any] | None = None,
    positive: Label | None = None,
    most_rows: int | None = MOST_ROWS,
) -> PartialDependence:
    """Return the mean prediction of a fitted model when the column has each value in all rows of X.

    X is a Table or whatever the model predicts. `values` are those of the column if None: all, or thirty quantiles of a
    number. More than `most_rows` rows are sampled; None takes all. `positive` is the class that is drawn.

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
    weights = table.weights
    mean: Floats = np.average(individual, axis=1, weights=weights)
    is_regression = isinstance(model, TableRegressor)
    outputs = (model.schema_.target or "target",) if is_regression else tuple(model.classes_.tolist())
    if positive is not None and positive not in outputs:
        raise CrakeError(f"positive={positive!r}; expected one of {list(outputs)}")
    return PartialDependence(shown(repr(model), 60), own, grid, outputs, mean, individual, positive, is_regression)


def _sampled(table: Table, most: int | None) -> Table:
    """Return a sample of the rows of the table, drawn by a fixed seed."""
    table.require_memory("partial_dependence")
    if len(table) == 0:
        raise CrakeError("expected rows to take a mean over, got none")
    if most is None or len(table) <= most:
        return table
    keys = np.asarray(np.random.PCG64(1).random_raw(len(table)))
    return table.take(np.sort(np.argsort(keys, kind="stable")[:most]))


def _grid(table: Table, column: Column, values: Sequence[Any] | None) -> tuple[tuple[Any, ...], NDArray[Any]]:
    """Return the values to try, as a person writes them and as the table codes them."""
    cells = table.column(column.name)
    if column.kind is Kind.NUMERIC:
        if values is None:
            known = np.unique(cells[~np.isnan(cells)])
            shares = np.linspace(0.02, 0.98, MOST_VALUES)
            every = cells[~np.isnan(cells)]
            known = known if len(known) <= MOST_VALUES else np.unique(np.quantile(every, shares, method="nearest"))
        else:
            known = np.array(values, np.float64)
        if len(known) == 0 or not np.isfinite(known).all():
            raise CrakeError(f"expected finite numbers of the column {column.name!r} to try, got {known.tolist()}")
        return tuple(known.tolist()), known
    if values is None:
        counts = np.bincount(cells[cells >= 0], minlength=len(column.levels))
        codes = np.sort(np.argsort(-counts, kind="stable")[: min(MOST_VALUES, int(np.count_nonzero(counts)))])
    else:
        unknown = [value for value in values if value not in column.levels]
        if unknown:
            raise CrakeError(f"the column {column.name!r} has no value {unknown[0]!r}; expected some of its levels")
        codes = np.array([column.levels.index(value) for value in values], np.intp)
    if len(codes) == 0:
        raise CrakeError(
            f"expected values of the column {column.name!r} to try, got none: all of its cells are missing"
        )
    return tuple(column.levels[code] for code in codes.tolist()), codes.astype(np.int32)


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
