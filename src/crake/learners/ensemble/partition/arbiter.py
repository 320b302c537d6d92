"""The arbiter tree of Chan and Stolfo: an arbiter decides where the classifiers of two partitions disagree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from crake.arrays import Floats, Rows
from crake.learners.base.card import Card
from crake.learners.base.parameters import StrOptions
from crake.learners.ensemble.partition.base import CONSTRAINTS, Join, PartitionTree, fit_one
from crake.learners.ensemble.partition.workings import explained
from crake.render.workings import Workings
from crake.slow_modules import sklearn_base
from crake.table.table import Table

DIFFERENT, INCORRECT, CORRECT = "different", "incorrect", "correct"


class ArbiterTreeClassifier(PartitionTree):
    """The rows are parted, a member learns from each partition, and arbiters join two members or arbiters at a time.

    An arbiter learns from rows of its two children, those that a rule selects by what the children say of them. Where
    the children agree on a new row, that is the answer; where they differ, the arbiter's class is: the majority of the
    three, the arbiter's where all differ.

    Parameters
    ----------
    estimator : one of crake's classifiers, of members and arbiters; C4.5 if None.
    n_partitions : the number of partitions; fewer if a partition had less than two rows.
    selection : the rows of an arbiter: "different": those on which its children differ. "different-incorrect": also
        those on which they agree and are wrong. "different-incorrect-correct": one arbiter for each of the three groups
        of rows. The first decides where the children differ. Where they agree, the third confirms them, or else the
        second decides.
    max_samples : the most rows of an arbiter as a multiple of a partition's rows; None: all that are selected.
    random_state : the seed of partitions and samples.
    n_jobs : workers that fit the members, by joblib; None: one.

    Fitted: `estimators_`, `joins_` (the arbiters), `member_scores_`.

    >>> from crake.table.examples import load
    >>> print(ArbiterTreeClassifier().fit(load("breast-cancer")))
    Arbiter tree: 4 members, C45Classifier(), and 3 joins
      accuracy of the members on the rows of the other partitions: 0.9063 to 0.9225

    Chan and Stolfo (1995), Learning arbiter and combiner trees from partitioned data for scaling machine learning.
    """

    card = Card(
        title="arbiter tree",
        about="trees of parts of the rows; arbiters decide where they differ",
        model="a vote of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=True,
        probabilities="means of those who agree",
        time="a fit per partition, one per join",
        is_compared=False,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "selection": [StrOptions({"different", "different-incorrect", "different-incorrect-correct"})],
    }
    parts = (DIFFERENT, INCORRECT, CORRECT)

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_partitions: int = 4,
        selection: str = "different",
        max_samples: float | None = 1.0,
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_partitions = n_partitions
        self.selection = selection
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _join_of(self, join: Join, table: Table, rows: Rows, answers: list[Floats], size: int) -> dict[str, Any]:
        one, other = (np.argmax(each, axis=1) for each in answers)
        differ, wrong = one != other, (one == other) & (one != table.target[rows])
        groups = {DIFFERENT: differ}
        if self.selection == "different-incorrect":
            groups = {DIFFERENT: differ | wrong}
        if self.selection == "different-incorrect-correct":
            groups = {DIFFERENT: differ, INCORRECT: wrong, CORRECT: ~differ & ~wrong}
        learned = {}
        for name, group in groups.items():
            # Where no row is selected, an arbiter knows as much as the rows of its children tell.
            selected = rows[group] if group.any() else rows
            sample = self._sampled(selected, size, join.number)
            learner = sklearn_base.clone(self._inner_learner())
            learned[name] = fit_one(learner, table.take(sample), f"the arbiter of {self._children_text(join)}")
        return learned

    def _joined(self, learned: dict[str, Any], answers: list[Floats], table: Table, rows: Rows) -> Floats:
        one, other = answers
        differ = np.argmax(one, axis=1) != np.argmax(other, axis=1)
        arbiter: Floats = learned[DIFFERENT].probabilities(table, rows)
        disputed = _mean_of_agreeing(arbiter, [one, other, arbiter])
        if INCORRECT not in learned:
            agreed = _mean_of_agreeing(one, [one, other, arbiter])
        else:
            confirms: Floats = learned[CORRECT].probabilities(table, rows)
            instead: Floats = learned[INCORRECT].probabilities(table, rows)
            is_right = np.argmax(confirms, axis=1) == np.argmax(one, axis=1)
            agreed = np.where(is_right[:, None], _mean_of_agreeing(one, [one, other, confirms]), instead)
        joined: Floats = np.where(differ[:, None], disputed, agreed)
        return joined

    def explain(self, row: Any) -> Workings:
        """Return what each member says of a row, and what the arbiters make of it."""
        table = self._one_row(row)
        return explained(self, table, self._said, self.probabilities(table)[0])

    def _said(self, learned: dict[str, Any], table: Table) -> str:
        """Return what the arbiters of a join say of one row."""
        words = {DIFFERENT: "arbiter", INCORRECT: "arbiter of wrong rows", CORRECT: "arbiter of right rows"}
        said = [(words[name], learned[name].predict(table)[0]) for name in self.parts if name in learned]
        return ", ".join(f"the {who} says {label}" for who, label in said)

    def _names_of_join(self) -> tuple[str, ...]:
        return self.parts if self.selection == "different-incorrect-correct" else (DIFFERENT,)

    def _name(self) -> str:
        return "Arbiter tree"


def _mean_of_agreeing(decider: Floats, voters: list[Floats]) -> Floats:
    """Return the mean of the probabilities of those who predict what the decider predicts, row by row."""
    answer = np.argmax(decider, axis=1)
    total, number = np.zeros_like(decider), np.zeros(len(decider))
    for voter in voters:
        agrees = np.argmax(voter, axis=1) == answer
        total[agrees] += voter[agrees]
        number += agrees
    mean: Floats = total / number[:, None]
    return mean
