"""From a fitted logistic regression to its summary: a line for each term of each class, and what is to be noted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.errors import CrakeError
from crake.learners.encoding.coefficients import Coefficient
from crake.learners.logistic.summary import LogisticSummary
from crake.render.plain_text import visible
from crake.slow_modules import special

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier

MOST_NAMED = 12


def summary_of(model: LogisticClassifier, confidence: float) -> LogisticSummary:
    """Coefficients with their errors and intervals, and the figures of the fit."""
    if not 0 < confidence < 1:
        raise CrakeError(f"confidence is {confidence}; expected a share between 0 and 1: 0.95")
    labels = [visible(label) for label in model.classes_]
    of_role = [labels[int(np.flatnonzero(model.role_ == role)[0])] for role in range(model.outputs_ + 1)]
    return LogisticSummary(
        of_role[0],
        tuple((label, _lines(model, k, confidence)) for k, label in enumerate(of_role[1:])),
        tuple(
            (column.name, str(level))
            for column in model.schema_.nominal
            if (level := model.design_.reference_level(column.name)) is not None
        ),
        float(model.class_count_.sum()),
        int(model.free_.sum()) * model.outputs_,
        model.log_likelihood_,
        model.null_log_likelihood_,
        model.n_iter_,
        confidence,
        model.notes_,
    )


def notes_of(model: LogisticClassifier) -> tuple[str, ...]:
    """Return notes for a reader of the coefficients."""
    notes = []
    if model.aliased_:
        named = ", ".join(model.aliased_[:MOST_NAMED]) + (", …" if len(model.aliased_) > MOST_NAMED else "")
        notes.append(f"constant, or a sum of earlier terms, and so without a coefficient: {named}")
    if model.separation_ is not None:
        notes.append(
            f"{model.separation_}. The likelihood has no maximum; the coefficients are those under a slight ridge "
            "penalty. Leave the column out, join the level to another, or take penalty='firth'"
        )
    if model.error_ is None and model.separation_ is None and model.refusal_:
        notes.append(f"no standard errors: {model.refusal_}")
    infinite = np.flatnonzero(np.isinf(model.coefficients_).any(axis=1))
    if len(infinite):
        named = ", ".join(model.terms_[at] for at in infinite[:MOST_NAMED])
        notes.append(f"coefficients beyond the range of floats, multiply the column by a constant: {named}")
    if not model.converged_:
        notes.append("the solver has not converged: the coefficients are not those of the largest likelihood")
    if model.dropped_:
        notes.append(f"{model.dropped_} rows with missing values were left out")
    return tuple(notes)


def _lines(model: LogisticClassifier, output: int, confidence: float) -> tuple[Coefficient, ...]:
    """Return the terms in the order a person reads them; z = coefficient / error, p two-sided."""
    users, width = (
        model.design_.in_users_units(model.coefficient_)[:, output],
        float(special.ndtri(0.5 + confidence / 2)),
    )
    lines = []
    for at in model.design_.order:
        term, value = str(model.design_.terms[at]), float(users[at])
        if not model.free_[at]:
            lines.append(Coefficient(term, None, aliased=True))
        elif model.error_ is None or not model.error_[at, output] > 0 or not np.isfinite(value):
            lines.append(Coefficient(term, value))
        else:
            error = float(model.error_[at, output])
            z = value / error
            p = 2.0 * float(special.ndtr(-abs(z)))
            lines.append(Coefficient(term, value, error, z, p, value - width * error, value + width * error))
    return tuple(lines)
