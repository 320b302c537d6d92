"""Tables that go with the result: all measures, costs at cutoffs, the sizes of errors, the rows with the worst ones."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from crake.evaluation.report.material import Material
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.format_numbers import amount
from crake.render.grid import Grid
from crake.render.report.report import Section

SHARES = (0.5, 0.75, 0.9, 0.95, 0.99)


def tables_section(material: Material) -> Section:
    """Return the tables, each under its own title; for a regressor the sizes of its errors come first."""
    grids = material.summary.grids
    if material.results and isinstance(material.best, NumberEvaluation):
        grids = (error_grid(material.best), *grids)
    return Section("tables", "", grids, {"grids": [asdict(grid) for grid in grids]})


def error_grid(evaluation: NumberEvaluation) -> Grid:
    """Return the sizes of the errors by their quantiles; no row is shown."""
    tested = evaluation.out_of_fold
    errors = np.abs(tested.actual - tested.predicted)
    rows = [(f"{100 * share:g} %", amount(float(np.quantile(errors, share)))) for share in SHARES]
    head = ("share of the predictions", "off by no more than")
    return Grid("How large the errors are", head, (*rows, ("all", amount(float(errors.max())))))
