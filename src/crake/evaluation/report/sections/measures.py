"""The measures of one regressor, each beside what always predicting the mean gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from crake.evaluation.report.material import Material
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.estimate import Estimate
from crake.metrics.measures import REGRESSION
from crake.metrics.regression import mae, r_squared, rmse
from crake.render.format_numbers import amount, amount_interval
from crake.render.grid import Grid
from crake.render.report.report import Section

NAMES = {measure.name: measure.title for measure in REGRESSION}
CAPTION = (
    "In the units of the target, but for R²: the part of the variance that is explained. "
    "A lower RMSE and MAE is better, a higher R²."
)


@dataclass(frozen=True)
class NumberMeasure:
    """RMSE, MAE or R²: its value with its interval, and what always predicting the mean would give.

    `value` is None where it is undefined, and `reason` says why.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    of_mean: float | None
    reason: str = ""


def measures_section(material: Material) -> Section | None:
    """Return a table of RMSE, MAE and R² with their intervals; None for classifiers and for a leaderboard."""
    evaluation = material.best
    if not isinstance(evaluation, NumberEvaluation) or material.board is not None:
        return None
    measures = number_measures(evaluation)
    return Section("measures", "Result", (measure_grid(measures),), {"measures": [asdict(each) for each in measures]})


def measure_grid(measures: tuple[NumberMeasure, ...]) -> Grid:
    """Return the measures as a small table."""
    rows = tuple(
        (each.name, _figure(each.value, each.reason), _interval(each), _figure(each.of_mean, "")) for each in measures
    )
    return Grid("", ("measure", "value", "95 % interval", "always the mean"), rows, CAPTION)


def number_measures(evaluation: NumberEvaluation) -> tuple[NumberMeasure, ...]:
    """Return RMSE, MAE and R², each beside what always predicting the mean gives."""
    constant = always_the_mean(evaluation)
    return tuple(
        NumberMeasure(
            NAMES[name],
            estimate.value,
            None if estimate.interval is None else estimate.interval[0],
            None if estimate.interval is None else estimate.interval[1],
            constant[name].value,
            estimate.reason,
        )
        for name, estimate in evaluation.measures().items()
    )


def always_the_mean(evaluation: NumberEvaluation) -> dict[str, Estimate]:
    """Return the measures of always predicting the mean of the tested rows."""
    rows = evaluation.out_of_fold
    mean = np.full(len(rows.actual), float(np.average(rows.actual, weights=rows.weights)))
    of_mean = {name: measure(rows.actual, mean, rows.weights) for name, measure in (("rmse", rmse), ("mae", mae))}
    explained = r_squared(rows.actual, mean, rows.weights)
    # 0 by its definition, but for rounding.
    return {**of_mean, "r_squared": explained if explained.value is None else replace(explained, value=0.0)}


def _figure(value: float | None, reason: str) -> str:
    return (reason or "–") if value is None else amount(value)


def _interval(each: NumberMeasure) -> str:
    return "" if each.low is None or each.high is None else amount_interval(each.value, each.low, each.high)
