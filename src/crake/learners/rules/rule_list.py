"""A list of rules as arrays: the conditions one after another, and the classes of the rows that each rule took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.rules.arrays import ConditionArrays
from crake.kernels.rules.walk import counted, walked
from crake.learners.rules.conditions import Condition, Question
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.routing import Cases
from crake.render.short_repr import short_repr
from crake.table.schema import Label, Schema

ROUNDING = 1e-6
"""Errors up to this weight, and up to this share of the rows of a rule, are those of rounding."""


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then `answer`: `coverage` is the weight of the training rows, `errors` of those it fails.

    `number` is its place in the list, from 1 on.
    """

    number: int
    conditions: tuple[Condition, ...]
    answer: Label
    coverage: float
    errors: float

    __repr__ = short_repr

    @property
    def premise(self) -> str:
        """The conditions joined by "and"; "otherwise" if there is none."""
        return " and ".join(map(str, self.conditions)) or "otherwise"


@dataclass(frozen=True, eq=False)
class RuleList:
    """Rule r asks the conditions from edges[r] to edges[r + 1] − 1 and answers the class `answer[r]`.

    `counts` are the class weights of the training rows that each rule took in its place, and in a last line of those
    that no rule took. `prior` are the class weights of all rows.
    """

    conditions: ConditionArrays
    answer: Ints
    counts: Floats
    prior: Floats

    __repr__ = short_repr

    @classmethod
    def of(cls, rules: Sequence[Sequence[Question]], answer: Sequence[int], counts: Floats, prior: Floats) -> RuleList:
        """Return the list of these rules."""
        return cls(_arrays(rules), np.array(answer, np.int32), counts, prior)

    @classmethod
    def counted_on(cls, rules: Sequence[Sequence[Question]], answer: Sequence[int], training: Training) -> RuleList:
        """Return the list of these rules with the rows that each of them takes in its place."""
        unknown = np.zeros((len(rules) + 1, training.classes))
        return cls.of(rules, answer, unknown, np.zeros(training.classes)).recounted(training)

    def __len__(self) -> int:
        return len(self.answer)

    def recounted(self, training: Training) -> RuleList:
        """Return the same rules with the class weights of these rows."""
        cells, target = Cases.of_training(training).cells, training.target.astype(np.int32)
        counts = counted(self.conditions, cells, target, training.row_weights, training.classes)
        return replace(self, counts=counts, prior=counts.sum(axis=0))

    def answering_most(self) -> RuleList:
        """Return the same rules, each with the most frequent class of its rows; its old one if it has no rows."""
        return replace(self, answer=np.argmax(self.shares()[:-1], axis=1).astype(np.int32))

    def reordered(self, places: Sequence[int]) -> RuleList:
        """Return only the rules at these places, in this order; their counts are those of before."""
        questions = [self.questions(place) for place in places]
        counts = self.counts[[*places, len(self)]]
        return RuleList.of(questions, self.answer[list(places)].tolist(), counts, self.prior)

    def questions(self, rule: int) -> list[Question]:
        """Return the conditions of a rule by their numbers."""
        own = self.conditions
        return [
            Question(
                int(own.feature[at]),
                int(own.kind[at]),
                float(own.threshold[at]),
                int(own.level[at]),
                float(own.share[at]),
            )
            for at in range(int(own.edges[rule]), int(own.edges[rule + 1]))
        ]

    def rule(self, schema: Schema, rule: int) -> Rule:
        """Return one rule that can be shown."""
        conditions = tuple(
            Condition(
                schema.features[question.feature], question.kind, question.threshold, question.level, question.share
            )
            for question in self.questions(rule)
        )
        return self._shown(schema, rule, conditions, int(self.answer[rule]))

    def _shown(self, schema: Schema, rule: int, conditions: tuple[Condition, ...], answer: int) -> Rule:
        coverage = float(self.counts[rule].sum())
        errors = coverage - float(self.counts[rule, answer])
        is_rounding = errors <= ROUNDING * min(1.0, coverage)
        return Rule(rule + 1, conditions, schema.classes[answer], coverage, 0.0 if is_rounding else errors)

    def shown(self, schema: Schema) -> tuple[Rule, ...]:
        """Return the rules, which can be shown."""
        return tuple(self.rule(schema, rule) for rule in range(len(self)))

    @property
    def takes_every_row(self) -> bool:
        """True if a rule has no conditions: no row comes to the end of the list."""
        return bool(np.any(np.diff(self.conditions.edges) == 0))

    def rest(self, schema: Schema) -> Rule | None:
        """Return what a row gets that no rule takes, as a rule after the last; None if there is no such row."""
        if self.takes_every_row:
            return None
        return self._shown(schema, len(self), (), int(np.argmax(self.shares()[-1])))

    def errors(self, schema: Schema) -> float:
        """Return the weight of the training rows that get another class, those that no rule takes included."""
        rest = self.rest(schema)
        return sum(rule.errors for rule in (*self.shown(schema), *([rest] if rest else [])))

    def shares(self, *, is_certain: bool = False) -> Floats:
        """Return what each rule answers, and last what a row gets that no rule takes.

        A rule answers the class shares of its rows; its class alone if it has none, or if `is_certain`. A row that no
        rule takes gets the shares of the training rows that none took, or of all rows if there were none.
        """
        certain = np.eye(self.counts.shape[1])[self.answer]
        last = self.counts[-1] if self.counts[-1].sum() > 0 else self.prior
        total = self.counts[:-1].sum(axis=1, keepdims=True)
        shares = self.counts[:-1] / np.where(total > 0, total, 1.0)
        return np.vstack([certain if is_certain else np.where(total > 0, shares, certain), last / last.sum()])

    def predictions(self, cases: Cases, answers: Floats, rows: Longs | None = None) -> tuple[Floats, Longs]:
        """Return answers[rule] of the rule that takes each row, mixed where several have a part, and its place."""
        return walked(self.conditions, cases.cells, np.arange(len(cases)) if rows is None else rows, answers)


def _arrays(rules: Sequence[Sequence[Question]]) -> ConditionArrays:
    questions: Iterable[Question] = [question for rule in rules for question in rule]
    feature, kind, threshold, level, share = zip(*questions, strict=True) if questions else ((),) * 5
    return ConditionArrays(
        edges=np.concatenate([[0], np.cumsum([len(rule) for rule in rules])]).astype(np.int64),
        feature=np.array(feature, np.int32),
        kind=np.array(kind, np.int32),
        threshold=np.array(threshold, np.float64),
        level=np.array(level, np.int32),
        share=np.array(share, np.float64),
    )
