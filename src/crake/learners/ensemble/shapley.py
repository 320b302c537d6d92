"""Shapley values of an ensemble of trees: the sums of those of its members, and how an explanation shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.cell_text import cell_text
from crake.learners.tree.estimator import TreeEstimator
from crake.learners.tree.explaining.shapley import Contributions, reaches_one_leaf, tree_contributions
from crake.learners.tree.predicting.descent import Descent
from crake.learners.tree.predicting.routing import Cases
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, number
from crake.table.table import Table

SHOWN = 10
"""Columns that are shown one by one; what the others add is shown as one sum."""

OWN_MEAN = "mean of the members, each over its own rows"
"""The name of the base: the mean of the members' mean predictions, each over the weighted rows that it learned from."""


def are_trees(members: Sequence[Any]) -> bool:
    """Return True if all members are decision trees whose leaves answer: the columns' shares are known of these."""
    return all(isinstance(member, TreeEstimator) for member in members)


def mean_contributions(members: Sequence[Any], row: Table, answer: int | None = None) -> Contributions:
    """Return what the columns add to the mean prediction of trees: probabilities of classes, or a number.

    If one answer is asked for, the others are left out.
    """
    trees = _trees(members)
    total = _summed(trees, row, [_asked(_answers(member), answer) for member in trees])
    return Contributions(total.base / len(trees), total.columns / len(trees))


def vote_contributions(
    members: Sequence[Any],
    row: Table,
    weights: Floats,
    decide: Callable[[Any, Floats], Any],
    answer: int | None = None,
) -> Contributions:
    """Return what the columns add to the shares of the votes; a leaf votes for the class that `decide` finds there.

    A row with a missing value may reach several leaves of a tree in parts. Its vote is then not a mean of theirs, and
    there are no such values. If one answer is asked for, the others are left out.
    """
    trees, cases = _trees(members), Cases.of(row)
    if not all(reaches_one_leaf(member.tree_, cases) for member in trees):
        raise CrakeError(
            "expected a row that reaches one leaf of each tree, got one that a missing value sends to several leaves: "
            "votes are divided among the columns of complete rows"
        )
    values = []
    for member, weight in zip(trees, weights, strict=True):
        answers = _answers(member)
        values.append(_asked(weight * np.eye(answers.shape[1])[decide(member, answers)], answer))
    total = _summed(trees, row, values)
    return Contributions(total.base / weights.sum(), total.columns / weights.sum())


def columns_section(row: Table, found: Contributions, at: int, what: str, mean: str = OWN_MEAN) -> Section:
    """Return the section of an explanation: the mean without any column, what each column adds, and the sum."""
    names = [column.name for column in row.schema.features]
    added = found.columns[:, at]
    order = [int(j) for j in np.argsort(-np.abs(added), kind="stable") if added[j] != 0]
    values = {name: visible(cell_text(row, name)) for name in (names[j] for j in order[:SHOWN])}
    steps = [Step(mean, "", "", number(float(found.base[at])))]
    steps += [
        Step(visible(names[j]), "", "", _signed(added[j]), f"its value is {values[names[j]]}") for j in order[:SHOWN]
    ]
    if len(order) > SHOWN:
        others = f"{len(order) - SHOWN} other column{'s' if len(order) > SHOWN + 1 else ''}"
        steps.append(Step(others, "", "", _signed(added[order[SHOWN:]].sum())))
    # What rounding adds to a sum of many parts is not part of the prediction.
    steps.append(Step(what, "", "", number(round(float(found.base[at] + added.sum()), 12)), "the sum"))
    return Section(f"What the columns add to {what}: Shapley values, exact", tuple(steps))


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{number(abs(float(value)))}"


def _trees(members: Sequence[Any]) -> Sequence[Any]:
    if not are_trees(members):
        kind = type(members[0]).__name__
        raise CrakeError(f"expected trees as members, got {kind}: the columns' shares are known of trees only")
    return members


def _answers(member: Any) -> Floats:
    """Return what each node of a member answers, shape (nodes, answers)."""
    tree = member.tree_
    return tree.responses[:, :1] if len(tree.responses) else _descent(member).leaf


def _descent(member: Any) -> Descent:
    return Descent.of(member.tree_, member.schema_, laplace=member.laplace)


def _asked(answers: Floats, answer: int | None) -> Floats:
    return answers if answer is None else np.ascontiguousarray(answers[:, answer : answer + 1])


def _summed(trees: Sequence[Any], row: Table, values: Sequence[Floats]) -> Contributions:
    cases, columns = Cases.of(row), len(row.schema.features)
    base, added = np.zeros(values[0].shape[1]), np.zeros((columns, values[0].shape[1]))
    for member, own in zip(trees, values, strict=True):
        share = None if len(member.tree_.responses) else _descent(member).shares(member.tree_)
        found = tree_contributions(member.tree_, cases, np.ascontiguousarray(own), columns, share)
        base += found.base
        added += found.columns
    return Contributions(base, added)
