"""The hand calculation of a mean of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.ensemble.shapley import are_trees, columns_section
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.render.workings import Section, Step, Workings, added_up, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.ensemble.bagging.learner import BaggingClassifier

IN_FULL = 12
"""Members whose predictions are written into the sum; of more, only the mean is."""


def explained(model: BaggingClassifier, each: Floats, probabilities: Floats, row: Table) -> Workings:
    """Return the mean of the members' predictions, shape (members, classes), for each class."""
    labels = [visible(label) for label in model.classes_.tolist()]
    members = len(each)
    what = "votes" if model.voting == "votes" else "probabilities"
    steps = []
    for k, label in enumerate(labels):
        written = f"({added_up(each[:, k].tolist())})/{members}" if members <= IN_FULL else ""
        agree = int((each.argmax(axis=1) == k).sum())
        source = f"{agree} of {counted(members, 'member')} {'predicts' if members == 1 else 'predict'} it"
        steps.append(
            Step(f"P({label})", f"mean of the members' {what}", written, number(float(each[:, k].mean())), source)
        )
    answer = tuple(zip(labels, map(float, probabilities), strict=True))
    sections = [Section("Mean", tuple(steps))]
    notes: tuple[str, ...] = ()
    if are_trees(model.estimators_):
        best = int(np.argmax(probabilities))
        try:
            found = model._contributions(row, best)  # noqa: SLF001 (its own explanation)
            sections.append(columns_section(row, found, 0, f"P({labels[best]})"))
        except CrakeError as error:
            notes = (str(error),)
    return Workings(f"The mean of {counted(members, 'member')}", tuple(sections), answer, notes)
