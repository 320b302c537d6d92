"""The registry of measures: every measure of crake by its name.

Evaluations, searches, experiments, sweeps, paired tests, the gates of the command line, hand calculations, JSON and
the table of docs/measures.md read it. A new measure is one `Measure`, one line here and, to be
`evaluation.<name>`, one line in the class of the evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

from crake.errors import CrakeError, did_you_mean
from crake.metrics.confusion import entries as of_matrix
from crake.metrics.cost import entries as of_costs
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions, Values
from crake.metrics.probability import entries as of_probabilities
from crake.metrics.ranking import entries as of_ranking
from crake.metrics.regression import MAE, MSE, R_SQUARED, RMSE

CLASSIFICATION: tuple[Measure[Predictions], ...] = (
    of_matrix.ACCURACY,
    of_matrix.ERROR,
    of_matrix.BALANCED_ACCURACY,
    of_matrix.PRECISION,
    of_matrix.RECALL,
    of_matrix.SPECIFICITY,
    of_matrix.F1,
    of_matrix.F2,
    of_matrix.F_HALF,
    of_matrix.G_MEAN,
    of_matrix.KAPPA,
    of_matrix.MCC,
    of_ranking.AUC,
    of_ranking.AUC_HAND_TILL,
    of_ranking.AVERAGE_PRECISION,
    of_ranking.THREE_POINT_PRECISION,
    of_ranking.KOLMOGOROV_SMIRNOV,
    of_ranking.LIFT,
    of_probabilities.LOG_LOSS,
    of_probabilities.BRIER,
    of_probabilities.CALIBRATION_ERROR,
    of_probabilities.PROBABILITY_MAE,
    of_probabilities.PROBABILITY_RMSE,
    of_costs.MEAN_COST,
    of_costs.TOTAL_COST,
    of_costs.NORMALISED_COST,
)
"""Measures of class predictions, in the order in which tables show them."""

REGRESSION: tuple[Measure[Values], ...] = (RMSE, MAE, R_SQUARED, MSE)
"""Measures of predicted values."""

MEASURES: tuple[Measure[Any], ...] = (*CLASSIFICATION, *REGRESSION)

P = TypeVar("P")


def default_names(among: Sequence[Measure[Any]]) -> tuple[str, ...]:
    """Return the names of the measures that tables and JSON hold."""
    return tuple(measure.name for measure in among if measure.is_shown)


@overload
def find_measure(name: object) -> Measure[Predictions]: ...
@overload
def find_measure(name: object, among: Sequence[Measure[P]]) -> Measure[P]: ...
def find_measure(name: object, among: Sequence[Measure[Any]] = CLASSIFICATION) -> Measure[Any]:
    """Return the measure of this name, case and hyphens aside.

    >>> find_measure("Balanced accuracy").greater_is_better
    True
    >>> find_measure("acuracy")
    Traceback (most recent call last):
    crake.errors.CrakeError: ... 'acuracy'. Did you mean 'accuracy'? Measures: accuracy, error, ...
    """
    known = {key: measure for measure in among for key in (measure.name, *measure.aliases)}
    if (measure := known.get(_key(name))) is None:
        raise unknown_measure(name, among)
    return measure


def unknown_measure(name: object, among: Sequence[Measure[Any]]) -> CrakeError:
    """Return the error of a name that is none of these measures.

    >>> print(unknown_measure("rmse", CLASSIFICATION))
    'rmse' measures predicted values, not predicted classes. Measures: accuracy, error, ...
    """
    text, names = _key(name), [measure.name for measure in among]
    other = next((measure for measure in MEASURES if measure.name == text and text not in names), None)
    if other is not None:
        kind = "values, not predicted classes" if other.needs == "values" else "classes, not predicted values"
        return CrakeError(f"{text!r} measures predicted {kind}. Measures: {', '.join(names)}")
    longer = next((known for known in names if text and known.startswith(text)), text)
    return CrakeError(f"there is no measure {name!r}.{did_you_mean(longer, names)} Measures: {', '.join(names)}")


def _key(name: object) -> str:
    return str(name).strip().lower().replace("-", "_").replace(" ", "_")


def markdown_table() -> str:
    """Return all measures as the table of docs/measures.md; a test holds the page to it."""
    header = "| name | measure | needs | better | from … to |\n|---|---|---|---|---|\n"
    return header + "".join(_line(measure) for measure in MEASURES)


def _line(measure: Measure[Any]) -> str:
    names = ", ".join(f"`{name}`" for name in (measure.name, *measure.aliases))
    needs = f"{measure.needs}, costs" if measure.needs_costs else measure.needs
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "−") for bound in measure.bounds)
    better = "more" if measure.greater_is_better else "less"
    return f"| {names} | {measure.about.replace('|', '&#124;')} | {needs} | {better} | {low} … {high} |\n"
