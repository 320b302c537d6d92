"""Logistic regression by hand: the terms added up, the odds, the probability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crake.arrays import Floats
from crake.learners.encoding.row_terms import Added, added_terms, new_values
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, added_up, bracketed, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier


CLASSES, LIKELIEST = 8, 4
"""The most classes that are all written out; of more classes, this number of the most probable ones."""
SUMMED = 12
"""Terms of a sum that are written out once more."""


class Score(NamedTuple):
    """A class, its score against the base, and its probability."""

    label: str
    z: float
    p: float


def explain_row(model: LogisticClassifier, row: Table, probabilities: Floats) -> Workings:
    """Terms, score, odds and probability of the row; the answer is what `predict_proba` gives."""
    labels = [visible(label) for label in model.classes_]
    answer = tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True))
    title = "Logistic regression: the terms are added to a score z; odds = e^z"
    if model.outputs_ == 0:
        return Workings(title, (), answer, ("training had one class only",))
    place = [int(np.flatnonzero(model.role_ == role)[0]) for role in range(model.outputs_ + 1)]
    base = labels[place[0]]
    users = model.design_.in_users_units(model.coefficient_)
    sections, scores = [], [Score(base, 0.0, float(probabilities[place[0]]))]
    likeliest = np.argsort(-probabilities[place[1:]], kind="stable")[:LIKELIEST]
    written = set(range(model.outputs_)) if model.outputs_ < CLASSES else set(likeliest.tolist())
    for k in range(model.outputs_):
        label = labels[place[k + 1]]
        terms = added_terms(model.design_, row, users[:, k], model.coefficient_[:, k])
        z = float(model.design_.scores(row, model.coefficient_)[0, k])
        scores.append(Score(label, z, float(probabilities[place[k + 1]])))
        if k in written:
            sections.append(_sum(f"Score of {label} against {base}", terms, z))
    ends = _two(*scores) if len(scores) == 2 else _several(scores)
    notes = [*_notes(model, row)]
    if len(written) < model.outputs_:
        notes.append(f"the terms are written out for the {len(written)} most probable of {len(labels)} classes")
    return Workings(title, (*sections, ends), answer, tuple(notes))


def _sum(heading: str, terms: list[Added], z: float) -> Section:
    steps = [Step(term.text, "", term.written, number(term.value)) for term in terms]
    written = added_up(term.value for term in terms) if len(terms) <= SUMMED else "the sum of these terms"
    return Section(heading, (*steps, Step("z", "", written, number(z))))


def _two(base: Score, other: Score) -> Section:
    """Odds and probability of two classes."""
    label, z, p = other
    odds = math.exp(z) if z < 700 else math.inf
    return Section(
        "Odds and probability",
        (
            Step(f"odds({label} against {base.label})", "e^z", f"e^{bracketed(z)}", number(odds)),
            Step(f"P({label} | row)", "1 / (1 + e^−z)", f"1 / (1 + e^−({number(z)}))", number(p)),
            Step(f"P({base.label} | row)", "1 / (1 + e^z)", f"1 / (1 + e^{bracketed(z)})", number(base.p)),
        ),
    )


def _several(scores: list[Score]) -> Section:
    """e^z of each class over their sum; the base has e^0 = 1. A large z is taken off all: the quotients stay."""
    largest = max(score.z for score in scores)
    top = largest if largest > 600 else 0.0
    e = [math.exp(score.z - top) for score in scores]
    written = f"e^(z − {number(top)})" if top else "e^z"
    exponentials = (
        Step(f"{written} of {score.label}", "", f"e^{bracketed(score.z - top)}", number(power))
        for score, power in zip(scores, e, strict=True)
    )
    total = Step("Σ", "", " + ".join(map(number, e)) if len(e) <= SUMMED else "the sum of these", number(sum(e)))
    shares = (
        Step(f"P({score.label} | row)", f"{written} / Σ", f"{number(power)} / {number(sum(e))}", number(score.p))
        for score, power in zip(scores, e, strict=True)
    )
    return Section("e^z of each class over their sum", (*exponentials, total, *shares))


def _notes(model: LogisticClassifier, row: Table) -> list[str]:
    notes = new_values(model.design_, row)
    if model.separation_ is not None:
        notes.append(f"{model.separation_}; the likelihood has no maximum, so a slight ridge penalty was added")
    return notes
