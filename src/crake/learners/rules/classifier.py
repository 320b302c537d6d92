"""The base of rule learners: prediction by the first rule that holds, explanation, drawing, editing, exports, files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.criteria import is_telling
from crake.export.forms import Form
from crake.learners.base.card import card_of
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.state import State, StateReader
from crake.learners.rules.drawing import draw_list
from crake.learners.rules.editing import edited, places_of
from crake.learners.rules.form import rules_form
from crake.learners.rules.rule_list import Rule, RuleList
from crake.learners.rules.state import rules_of, rules_state
from crake.learners.rules.text import list_text, statement
from crake.learners.rules.workings import explain_rules
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.routing import Cases
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.table.convert.export import label_array
from crake.table.schema import Column, Schema
from crake.table.table import Table


@dataclass(frozen=True)
class _Columns:
    """The part of a fitted model that reads rows once more."""

    schema: Schema
    coded: Callable[[Any], Table]
    class_weight: Any
    is_regression: bool = False


class RuleClassifier(TableClassifier):
    """A list of rules of which the first that holds decides. A learner implements `_learned`."""

    rules_: RuleList
    probability: str = "shares"

    @abstractmethod
    def _learned(self, training: Training, table: Table) -> RuleList:
        """Return the rules of these rows."""

    def _learn(self, table: Table) -> None:
        (batch,) = table.batches()
        warn_of_many_values(table)
        self.schema_ = table.schema
        self.classes_ = label_array(table.schema.classes)
        self.rules_ = self._answering(self._learned(Training.of(table.schema, batch), table))

    def _answering(self, rules: RuleList) -> RuleList:
        """Return the rules with the classes that `predict` answers: the most frequent of their rows, or their own."""
        return rules if self.probability == "certain" else rules.answering_most()

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the class shares of the rule that takes each row, mixed where a missing value divides a row."""
        return self.rules_.predictions(Cases.of(table), self._answers(), rows)[0]

    def _answers(self) -> Floats:
        """Return the probabilities that each rule answers, and last those of a row that no rule takes."""
        return self.rules_.shares(is_certain=self.probability == "certain")

    def apply(self, X: Any) -> Longs:
        """Return the number of the rule that takes each row, as printed; 0 where no rule holds.

        A row that a missing value divides among several rules is told by the one with the largest part.
        """
        place = self.rules_.predictions(Cases.of(self._coded(X)), self._answers())[1]
        numbers: Longs = np.where(place < len(self.rules_), place + 1, 0)
        return numbers

    @property
    def n_rules_(self) -> int:
        """The number of rules, one without conditions at the end included."""
        return len(self.rules_)

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules in their order: conditions, class, rows and errors."""
        check_is_fitted(self)
        return self.rules_.shown(self.schema_)

    def explain(self, row: Any) -> Workings:
        """Return the rule that takes a row, the earlier rules that fail by one condition, and the class shares."""
        table = self._one_row(row)
        probabilities = self.probabilities(table)[0]
        return explain_rules(self.rules_, self.schema_, self._answers(), table, probabilities, self._list_title())

    def draw(self, *, most: int = 40, width: float = 960) -> Drawing:
        """Draw the rules in their order, each with the classes of the rows that it took; of many the first ones."""
        check_is_fitted(self)
        return draw_list(self.rules_, self.schema_, self._list_title(), most=most, width=width)

    def with_rules(self, numbers: Sequence[int], X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Return a new model with only these rules, in this order; their figures come from the rows given.

        Numbers are those of `print(model)`. X is the table that the model was fitted on, or other rows with y.
        """
        check_is_fitted(self)
        places = places_of(numbers, len(self.rules_))
        training = self._rows_to_count(X, y, sample_weight)
        model = copy(self)
        model.rules_ = self._answering(edited(self.rules_, places, training))
        return model

    def without_rule(self, number: int, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Return a new model without one rule; the rows that it took go on to the rules after it."""
        check_is_fitted(self)
        (left_out,) = places_of([number], len(self.rules_))
        kept = [place + 1 for place in range(len(self.rules_)) if place != left_out]
        return self.with_rules(kept, X, y, sample_weight)

    def _seems_fitted_on(self, table: Table) -> bool:
        if not is_telling(self.rules_.counts.T):
            return False
        counted = self.rules_.recounted(self._rows_to_count(table, None, None)).counts
        return bool(np.allclose(counted, self.rules_.counts, rtol=1e-9, atol=1e-9))

    def _form(self) -> Form:
        return rules_form(self.rules_, self._answers())

    def to_text(self) -> str:
        """Return the rules as a document that a person can read and sign."""
        check_is_fitted(self)
        return statement(self.rules_, self.schema_, self._list_title())

    def _rows_to_count(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return rows of known classes, coded under this model's schema."""
        model = _Columns(self.schema_, self._coded, self.class_weight)
        return labelled_rows(model, X, y, sample_weight)

    def _list_title(self) -> str:
        card = card_of(self)
        return card.title if card is not None else type(self).__name__

    def _cut_points(self, column: Column) -> Floats:
        own = self.rules_.conditions
        mine = own.threshold[own.feature == self.schema_.features.index(column)]
        cuts: Floats = np.unique(mine[np.isfinite(mine)])
        return cuts

    def state(self) -> State:
        """Return the rules, with the class weights of their rows."""
        return {**super().state(), "rules": rules_state(self.rules_)}

    def restore(self, reader: StateReader) -> Self:
        """Take over stored rules, if they are sound."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        self.rules_ = rules_of(reader.part("rules"), self.schema_)
        return self

    def __str__(self) -> str:
        return list_text(self.rules_, self.schema_, self._list_title()) if hasattr(self, "rules_") else repr(self)
