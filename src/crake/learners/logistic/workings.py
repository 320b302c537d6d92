"""Logistic regression by hand: the terms added up, the odds, the probability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.learners.cell import cell_text
from crake.learners.encoding.added import Added, added_terms
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier

Floats = NDArray[np.float64]


def explain_row(model: LogisticClassifier, row: Table, probabilities: Floats) -> Workings:
    """Terms, score, odds and probability of the row; the answer is what `predict_proba` gives."""
    labels = [visible(label) for label in model.classes_]
    answer = tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True))
    title = "Logistic regression: the terms are added to a score z; odds = e^z"
    if model.outputs_ == 0:
        return Workings(title, (), answer, ("training had one class only",))
    base = labels[int(np.flatnonzero(model.role_ == 0)[0])]
    users = model.design_.in_users_units(model.coefficient_)
    sections, scores = [], []
    for k in range(model.outputs_):
        label = labels[int(np.flatnonzero(model.role_ == k + 1)[0])]
        terms = added_terms(model.design_, row, users[:, k])
        z = float(model.design_.scores(row, model.coefficient_)[0, k])
        scores.append((label, z))
        sections.append(_sum(f"Score of {label} against {base}", terms, z))
    ends = _two(scores[0], base) if len(scores) == 1 else _several(scores, base)
    notes = [*_notes(model, row)]
    return Workings(title, (*sections, ends), answer, tuple(notes))


def _sum(heading: str, terms: list[Added], z: float) -> Section:
    steps = [Step(term.said, "", term.written, number(term.value)) for term in terms]
    written = " + ".join(number(term.value) for term in terms) if len(terms) <= 12 else "the sum of these terms"
    return Section(heading, (*steps, Step("z", "", written, number(z))))


def _two(score: tuple[str, float], base: str) -> Section:
    """Odds and probability of two classes."""
    label, z = score
    odds = math.exp(z) if z < 700 else math.inf
    p = 1.0 / (1.0 + math.exp(-z)) if z > -700 else 0.0
    return Section(
        "Odds and probability",
        (
            Step(f"odds({label} against {base})", "e^z", f"e^{number(z)}", number(odds)),
            Step(f"P({label} | row)", "1 / (1 + e^−z)", f"1 / (1 + e^−({number(z)}))", number(p)),
            Step(f"P({base} | row)", f"1 − P({label} | row)", "", number(1.0 / (1.0 + odds))),
        ),
    )


def _several(scores: list[tuple[str, float]], base: str) -> Section:
    """e^z of each class, normalised; the base has e^0 = 1."""
    top = max(0.0, *(z for _, z in scores))
    parts = [(base, math.exp(-top)), *((label, math.exp(z - top)) for label, z in scores)]
    total = sum(part for _, part in parts)
    over = "Σ e^z" if top < 700 else "Σ e^(z − largest)"
    return Section(
        "e^z of each class over their sum",
        tuple(Step(f"P({label} | row)", f"e^z / {over}", "", number(part / total)) for label, part in parts),
    )


def _notes(model: LogisticClassifier, row: Table) -> list[str]:
    notes = [
        f"{column.name}: training never met this value; it counts as the reference level "
        f"{model.design_.reference_level(column.name)}"
        for column in model.schema_.nominal
        if cell_text(row, column.name) == "a new value"
    ]
    if model.separation_ is not None:
        notes.append(f"{model.separation_}; the likelihood has no maximum, so a slight ridge penalty was added")
    return notes
