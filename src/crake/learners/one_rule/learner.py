"""1R: the one attribute whose simple rules make the fewest errors."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.one_rule.drawing import draw_rules
from crake.learners.one_rule.form import rule_form
from crake.learners.one_rule.rules import AttributeRules, nominal_rules, numeric_rules
from crake.learners.one_rule.state import buckets_of, buckets_state
from crake.learners.one_rule.workings import explain_rule
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import visible
from crake.render.workings import Workings, fraction
from crake.statistics import ClassCounts, DistinctCounts, Statistic, Statistics, ValueCounts
from crake.table.batch import MISSING
from crake.table.schema import Column, Kind
from crake.table.table import Table


class OneRuleClassifier(StatisticsClassifier):
    """One rule for each value of the one attribute that errs least; ties go to the first column.

    A nominal value answers its most frequent class, a numeric column is cut into Holte's buckets of at least
    `min_bucket` rows of their majority class, and missing is a value like others.

    Parameters
    ----------
    min_bucket : how many rows of its majority class a numeric bucket must have before it may end.
    probability : "shares" gives the class shares of the branch, "certain" 1 for its class (as WEKA's OneR does).
    unseen : what a value without training rows answers: "majority", the most frequent class with the class
        shares, or "first", the first class (as WEKA's OneR does).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(OneRuleClassifier().fit(load("weather")))
    1R: outlook (4/14 errors)
      rule            errors
      Overcast → Yes     0/4
      Rainy → Yes        2/5
      Sunny → No         2/5
      total             4/14

    Holte (1993), Very simple classification rules perform well on most commonly used datasets.
    """

    card = Card(
        title="1R",
        about="one rule for each value of the one column that errs least",
        model="rules on one column",
        missing="a value of its own",
        probabilities="shares in a rule's rows",
        time="one pass, a sort per number",
        usual_grid={"min_bucket": [24, 12, 6, 3]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_bucket": [Interval(Real, 1, None, closed="left")],
        "probability": [StrOptions({"shares", "certain"})],
        "unseen": [StrOptions({"majority", "first"})],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    stored_statistics = (ClassCounts, ValueCounts)
    only_estimate = frozenset({"min_bucket", "probability", "unseen"})

    def __init__(
        self,
        min_bucket: float = 6,
        *,
        probability: str = "shares",
        unseen: str = "majority",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_bucket = min_bucket
        self.probability = probability
        self.unseen = unseen
        self.class_weight = class_weight
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One column alone cannot tell apart classes that differ in two.
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def read_statistics(self) -> tuple[type[Statistic], ...]:
        """Value counts of nominal columns, distinct values of numeric ones."""
        return (ClassCounts, ValueCounts, DistinctCounts)

    def state(self) -> State:
        """Return value counts and cuts. Distinct values of numeric columns are nearly the rows, and stay behind."""
        parts = TableClassifier.state(self)
        numeric = [rules for rules in self.rules_ if rules.column.kind is Kind.NUMERIC]
        return {
            **parts,
            "statistics": statistics_state(self.statistics_, self.stored_statistics),
            "buckets": buckets_state(numeric, len(self.classes_)),
        }

    def restore(self, reader: StateReader) -> Self:
        """Take back the rules; rows can be added only if all columns are nominal."""
        TableClassifier.restore(self, reader)
        self._take(statistics_of(reader.part("statistics"), self.schema_, self.stored_statistics))
        self._choose(self.statistics_, buckets_of(reader.part("buckets"), self.statistics_))
        return self

    def _estimate(self, statistics: Statistics) -> None:
        self._choose(statistics, [numeric_rules(counts, self.min_bucket) for counts in statistics[DistinctCounts]])

    def _choose(self, statistics: Statistics, buckets: Sequence[AttributeRules]) -> None:
        """Choose the attribute that errs least, given the rules of the numeric columns."""
        values = statistics[ValueCounts]
        self.class_count_ = statistics[ClassCounts].counts[0]
        nominal = iter(nominal_rules(values, j) for j in range(len(values.columns)))
        numeric = iter(buckets)
        self.rules_: tuple[AttributeRules, ...] = tuple(
            next(nominal if column.kind is Kind.NOMINAL else numeric) for column in statistics.schema.features
        )
        errors = np.array([rules.errors for rules in self.rules_])
        self.rule_ = self.rules_[int(np.argmin(errors))]
        self.attribute_ = self.rule_.column.name
        self.errors_ = dict(zip((rules.column.name for rules in self.rules_), errors.tolist(), strict=True))

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the class shares (or the certain class) of the branch each row falls in."""
        column = table.column(self.attribute_)
        branch = self._branch(column if rows is None else column[rows])
        known = np.flatnonzero(branch >= 0)
        out = np.tile(self._without_branch(), (len(branch), 1))
        out[known] = self._branch_probabilities()[branch[known]]
        return out

    def _branch(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Return the branch of each value; −1 for a value that no training row had."""
        rule = self.rule_
        branches = len(rule.counts) - int(rule.has_missing)
        missing = branches if rule.has_missing else -1
        if rule.column.kind is Kind.NUMERIC:
            interval = np.searchsorted(rule.cuts, column, side="right").astype(np.intp)
            branch = np.where(np.isnan(column), missing, interval if branches else -1)
        else:
            branch = np.where(column == MISSING, missing, np.where(column < 0, -1, column)).astype(np.intp)
        return np.where((branch >= 0) & (rule.counts.sum(axis=1)[branch] > 0), branch, -1)

    def _branch_probabilities(self) -> Floats:
        if self.probability == "certain":
            certain: Floats = np.eye(len(self.classes_))[self.rule_.answers]
            return certain
        totals = self.rule_.counts.sum(axis=1, keepdims=True)
        shares: Floats = self.rule_.counts / np.where(totals > 0, totals, 1)
        return shares

    def _without_branch(self) -> Floats:
        """Return the class shares of a value without training rows."""
        answer = 0 if self.unseen == "first" else int(np.argmax(self.class_count_))
        if self.probability == "certain" or self.unseen == "first":
            first: Floats = np.eye(len(self.classes_))[answer]
            return first
        shares: Floats = self.class_count_ / self.class_count_.sum()
        return shares

    def _form(self) -> Form:
        return rule_form(self, self.schema_.features.index(self.rule_.column))

    def _cut_points(self, column: Column) -> Floats:
        cuts: Floats = self.rule_.cuts if self.attribute_ == column.name else np.zeros(0)
        return cuts

    def draw(self, column: str | None = None, *, most: int = 40, width: float = 640) -> Drawing:
        """Draw the rules of the chosen attribute (or of another column), each with the classes of its rows."""
        check_is_fitted(self)
        if column is None:
            return draw_rules(self.rule_, most=most, width=width)
        named = {rules.column.name: rules for rules in self.rules_}
        if column not in named:
            raise ColumnNotFound(column, list(named))
        return draw_rules(named[column], most=most, width=width)

    def explain(self, row: Any) -> Workings:
        """Return the rule tables of all attributes, the best of them, and the branch this row falls in."""
        check_is_fitted(self)
        table = self._one_row(row)
        branch = int(self._branch(table.column(self.attribute_))[0])
        return explain_rule(self.rules_, self.rule_, branch, self.probabilities(table)[0], table, self.probability)

    def __str__(self) -> str:
        if not hasattr(self, "rule_"):
            return repr(self)
        errors = fraction(self.rule_.errors, self.rule_.counts.sum())
        head = f"1R: {visible(self.attribute_)} ({errors} errors)"
        return "\n".join([head, *(f"  {line}" for line in self.rule_.grid().lines())])
