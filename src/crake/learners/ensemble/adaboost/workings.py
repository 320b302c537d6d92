"""The hand calculation of a boosted vote: each member's vote, the sums by class, the probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.ensemble.adaboost.rounds import LEAST_ERROR
from crake.learners.ensemble.adaboost.votes import decisions
from crake.learners.ensemble.shapley import are_trees, columns_section, vote_contributions
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.render.workings import Section, Step, Workings, added_up, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.ensemble.adaboost.learner import AdaBoostClassifier

IN_FULL = 12
"""Votes that are written one by one; of more only the sums by class are."""


def explained(model: AdaBoostClassifier, row: Table, probabilities: Floats) -> Workings:
    """Return the votes for one row; a single member of "m1" explains itself."""
    if model.variant == "m1" and len(model.estimators_) == 1:
        own: Workings = model.estimators_[0].explain(row)
        return own
    labels = [visible(label) for label in model.classes_.tolist()]
    codes = np.array([decisions(member, member.probabilities(row))[0] for member in model.estimators_])
    votes = model.estimator_weights_
    sums = np.bincount(codes, votes, minlength=len(labels)).astype(np.float64)
    first = tuple(_member(model, at, labels[codes[at]]) for at in range(min(len(codes), IN_FULL)))
    sections = [
        Section(_heading(len(codes)), first),
        Section(
            "The votes for each class", tuple(_sum(label, votes[codes == k], sums[k]) for k, label in enumerate(labels))
        ),
        Section("Probabilities", tuple(_probabilities(model, labels, sums, probabilities))),
    ]
    notes = model._notes()  # noqa: SLF001 (its own explanation)
    if are_trees(model.estimators_):
        best = int(np.argmax(sums))
        try:
            what = f"the share of the votes for {labels[best]}"
            found = vote_contributions(model.estimators_, row, model.estimator_weights_, decisions, best)
            sections.append(columns_section(row, found, 0, what))
        except CrakeError as error:
            notes = (*notes, str(error))
    answer = tuple(zip(labels, map(float, probabilities), strict=True))
    return Workings(f"AdaBoost: the votes of {counted(len(codes), 'member')}", tuple(sections), answer, notes)


def _heading(members: int) -> str:
    which = "" if members <= IN_FULL else f"; the first {IN_FULL} of {members}"
    return f"Each member votes by its error e on the weighted training rows{which}"


def _member(model: AdaBoostClassifier, at: int, label: str) -> Step:
    error, vote = float(model.estimator_errors_[at]), float(model.estimator_weights_[at])
    statement, source = f"vote of member {at + 1}", f"it predicts {label}"
    if not 0 < error < 0.5 and vote == 1:  # a single member, or one without errors
        return Step(statement, "", "", "1", f"{source}; its error e is {number(error)}")
    bounded = max(error, LEAST_ERROR)
    formula, written = "log((1 − e)/e)", f"log((1 − {number(bounded)})/{number(bounded)})"
    if model.variant == "samme" and len(model.classes_) > 2:
        formula, written = f"{formula} + log(K − 1)", f"{written} + log({len(model.classes_) - 1})"
    if model.learning_rate != 1:
        formula, written = f"rate × ({formula})", f"{number(float(model.learning_rate))} × ({written})"
    return Step(statement, formula, written, number(vote), source)


def _sum(label: str, votes: Floats, total: float) -> Step:
    if len(votes) == 0:
        return Step(f"v({label})", "", "", "0", "no member votes for it")
    written = added_up(votes.tolist()) if len(votes) <= IN_FULL else ""
    return Step(f"v({label})", "", written, number(float(total)), counted(len(votes), "member"))


def _probabilities(model: AdaBoostClassifier, labels: list[str], sums: Floats, probabilities: Floats) -> list[Step]:
    K, total = len(labels), float(sums.sum())
    shares = {"m1": sums, "lecture": sums / total, "samme": sums / total}[model.variant]
    steps = []
    if model.variant == "lecture" or K == 1:
        return [
            Step(f"P({label})", "v / Σ v", f"{number(float(v))} / {number(total)}", number(float(p)))
            for label, v, p in zip(labels, sums, probabilities, strict=True)
        ]
    scores = shares
    if model.variant == "samme":
        scores = (K * shares - 1) / (K - 1) ** 2
        steps = [
            Step(
                f"f({label})",
                "(K·v/Σ v − 1)/(K − 1)²",
                f"({K} × {number(float(v))}/{number(total)} − 1)/{(K - 1) ** 2}",
                number(float(f)),
            )
            for label, v, f in zip(labels, sums, scores, strict=True)
        ]
    name = "v" if model.variant == "m1" else "f"
    return [
        *steps,
        *(
            Step(f"P({label})", f"exp({name}) / Σ exp({name})", "", number(float(p)))
            for label, p in zip(labels, probabilities, strict=True)
        ),
    ]
