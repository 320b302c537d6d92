"""A machine's decision by hand: its largest terms, their sum, the side of the boundary, the probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.svm.text import kernel_text, units_text
from crake.render.plain_text import shown, visible
from crake.render.workings import Section, Step, Workings, bracketed, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier


MOST = 12
"""Terms written out."""


def explain_row(model: SVMClassifier, row: Table, probabilities: Floats) -> Workings:
    """Terms, decision and probability of the row; the answer is what `predict_proba` gives."""
    answer = tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True))
    title = f"SVM, {kernel_text(model)}; {units_text(model)}"
    machines = model.machines_
    if machines is None:
        return Workings("SVM", (), answer, ("training had one class only",))
    labels = [visible(label) for label in model.classes_[model.present_]]
    point = model.features_.points(row)
    decisions = machines.decisions(point)
    if len(labels) == 2:
        sections = [_terms(model, point, 0, labels, float(decisions[0, 0])), _end(model, labels, decisions)]
        return Workings(title, tuple(sections), answer)
    own = probabilities[model.present_]
    first, second = sorted(np.argsort(-own, kind="stable")[:2].tolist())
    at = machines.pairs.index((first, second))
    sections = [_votes(model, labels, decisions), _terms(model, point, at, labels, float(decisions[0, at]))]
    if model.probability_ == "platt":
        sections.append(_coupled(labels, own))
    return Workings(title, tuple(sections), answer)


def _terms(model: SVMClassifier, point: Floats, at: int, labels: list[str], f: float) -> Section:
    machines = model.machines_
    assert machines is not None  # noqa: S101 (the caller asked)
    i, j = machines.pairs[at]
    if machines.w is not None:
        values = machines.w[at] * point[0]
        order = [p for p in np.argsort(-np.abs(values), kind="stable") if values[p] != 0]
        terms = model.features_.terms
        steps = [
            Step(
                shown(str(terms[p]), 50),
                "",
                f"{number(float(machines.w[at, p]))} × {number(float(point[0, p]))}",
                number(float(values[p])),
            )
            for p in order
        ]
    else:
        places, a = machines.coefficients(i, j)
        products = machines.kernel(point, machines.vectors[places])[0]
        values = a * products
        order = [p for p in np.argsort(-np.abs(values), kind="stable") if values[p] != 0]
        steps = [
            Step(
                f"support vector, row {model.support_[places[p]]}",
                "a·K(s, x)",
                f"{number(float(a[p]))} × {number(float(products[p]))}",
                number(float(values[p])),
            )
            for p in order
        ]
    if len(steps) > MOST:
        rest = float(values[order[MOST:]].sum())
        steps = [*steps[:MOST], Step(f"{len(order) - MOST} smaller terms", "", "", number(rest))]
    heading = f"Decision of {labels[j]} against {labels[i]}, the largest terms first"
    return Section(
        heading, (*steps, Step("b", "", "", number(float(machines.b[at]))), Step("f", "Σ + b", "", number(f)))
    )


def _end(model: SVMClassifier, labels: list[str], decisions: Floats) -> Section:
    machines = model.machines_
    assert machines is not None  # noqa: S101
    f = float(decisions[0, 0])
    side = labels[1] if f > 0 else labels[0]
    where = "inside the margin" if abs(f) < 1 else "outside the margin"
    steps = [
        Step(f"the side of {side}", "", f"f {'>' if f > 0 else '≤'} 0, {where} (|f| {'<' if abs(f) < 1 else '≥'} 1)"),
    ]
    if machines.width[0] > 0:
        steps.append(Step("distance from its middle", "|f|·width/2", "", number(abs(f) * float(machines.width[0]) / 2)))
    if model.probability_ == "platt":
        p = float(model._shares(decisions)[0, 1])  # noqa: SLF001 (a part of the learner)
        sigmoid = model.sigmoids_[0]
        steps.append(Step(f"P({labels[1]} | row)", sigmoid.written("f"), sigmoid.written(bracketed(f)), number(p)))
    return Section("Side and probability", tuple(steps))


def _votes(model: SVMClassifier, labels: list[str], decisions: Floats) -> Section:
    machines = model.machines_
    assert machines is not None  # noqa: S101
    steps = [
        Step(
            f"f({labels[j]} against {labels[i]})",
            "",
            "",
            number(float(decisions[0, at])),
            f"a vote for {labels[j if decisions[0, at] > 0 else i]}",
        )
        for at, (i, j) in enumerate(machines.pairs)
    ]
    votes = machines.votes(decisions)[0]
    steps += [Step(f"votes of {label}", "", "", number(float(own))) for label, own in zip(labels, votes, strict=True)]
    return Section("Machines and their votes", tuple(steps))


def _coupled(labels: list[str], own: Floats) -> Section:
    formula = "the shares p that fit P(i | i or j) of all machines best"
    steps = [
        Step(f"P({label} | row)", formula if at == 0 else "", "", number(float(p)))
        for at, (label, p) in enumerate(zip(labels, own, strict=True))
    ]
    return Section("Pairwise coupling", tuple(steps))
