"""Linear regression by hand: the terms added up; for one predictor the closed form of the lectures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crake.learners.encoding.row_terms import added_terms, new_values
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, added_up, number
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.products.exact_products import ExactProducts
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.linear.learner import LinearRegressor


@dataclass(frozen=True)
class ClosedForm:
    """Sums of one predictor: rows n, Σx, Σx², the mean of y and Σx·(y − mean)."""

    n: float
    sum_x: float
    sum_xx: float
    mean_y: float
    sum_x_deviation: float

    @classmethod
    def of(cls, exact: ExactProducts) -> ClosedForm | None:
        """Return the sums of x, y and 1, each rounded once; None where one of them is beyond all floats."""
        one = np.array([2, 2, 2, 0, 0])
        n, s, s_y, q, p = exact.integers(np.array([2, 0, 1, 0, 1]), one).tolist()
        unit = 1 << BITS * ONE
        try:
            return cls(n / unit, s / unit, q / unit, s_y / n, (n * p - s * s_y) / (n * unit))
        except OverflowError:
            return None

    def section(self, w: float, b: float) -> Section:
        """Return the lectures' w and b with the numbers put in; their values are those of the factorisation."""
        above = "Σ x·(y − mean of y)"
        below = "Σ x² − (Σ x)²/n"
        written = f"{number(self.sum_x_deviation)} / ({number(self.sum_xx)} − {number(self.sum_x)}²/{number(self.n)})"
        return Section(
            "One predictor, in closed form",
            (
                Step("w", f"{above} / ({below})", written, number(w)),
                Step(
                    "b",
                    "mean of y − w·mean of x",
                    f"{number(self.mean_y)} − {number(w)} × {number(self.sum_x)}/{number(self.n)}",
                    number(b),
                ),
            ),
        )


def explain_row(model: LinearRegressor, row: Table, answer: float) -> Workings:
    """Return the sum of terms; before it, for one predictor, where its two coefficients come from."""
    design = model.design_
    terms = added_terms(design, row, model.coefficient_)
    if not model.fit_intercept:
        terms = terms[1:]
    steps = [Step(term.text, "", term.written, number(term.value)) for term in terms]
    written = added_up(term.value for term in terms) if len(terms) <= 12 else "the sum of these terms"
    target = visible(model.schema_.target)
    sections = [Section("The terms of this row", (*steps, Step(target, "", written, number(answer))))]
    if model.closed_form_ is not None:
        sections.insert(0, model.closed_form_.section(float(model.coefficient_[0]), float(model.coefficient_[1])))
    notes = tuple(new_values(design, row))
    return Workings("Linear regression: the terms are added up", tuple(sections), ((target, answer),), notes)
