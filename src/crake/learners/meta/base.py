"""The base of learners that wrap one inner learner: its default, tags, drawings, model file, title."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.card import title_of
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.row_query import Range, RowQuery
from crake.learners.base.state import State, StateReader
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.render.drawing.drawing import Drawing
from crake.table.schema import Column
from crake.table.table import Table


class MetaClassifier(TableClassifier):
    """A classifier around an inner one: `estimator` is its parameter, `estimator_` the fitted inner learner.

    A wrapper implements `_learn`, which calls `_fit_inner`, `_addition` for its title, and `_notes` for drawings.
    """

    _no_form: ClassVar[str] = "it changes what its inner learner answers; export model.estimator_"

    estimator: Any
    estimator_: Any

    @property
    def nominal(self) -> Any:
        """The columns of X that the inner learner reads as nominal."""
        return getattr(self.estimator, "nominal", "auto")

    @property
    def reads_text(self) -> bool:  # type: ignore[override]
        """True if the inner learner reads running text."""
        return bool(getattr(self._inner_learner(), "reads_text", False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # A wrapper is as good as its inner learner; scikit-learn's bar for small tables is not for all of them.
        own = self._inner_learner().__sklearn_tags__().classifier_tags
        tags.classifier_tags.poor_score, tags.classifier_tags.multi_class = own.poor_score, own.multi_class
        return tags

    def draw(self, what: Any = None, **options: Any) -> Drawing:
        """Draw the inner learner with the same arguments, and note below it what the wrapper adds."""
        check_is_fitted(self)
        inner = self.estimator_
        if not hasattr(inner, "draw"):
            raise CrakeError(f"{type(inner).__name__} is not one of crake's learners: it has no drawing")
        drawing: Drawing = inner.draw(**options) if what is None else inner.draw(what, **options)
        return drawing.noted(*self._notes())

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the drawings of the inner learner; a note below the first says what the wrapper adds."""
        first, *others = self.estimator_.pictures(table) if hasattr(self.estimator_, "pictures") else [None]
        return () if first is None else (first.noted(*self._notes()), *others)

    def text_without_decision(self) -> str:
        """Return the text of the model for a wrapper around it that answers by a rule of its own."""
        return str(self)

    def state(self) -> State:
        """Return the fitted inner learner; a wrapper adds its own part."""
        return {**super().state(), "learner": self.estimator_}

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner, which was fitted on the same columns."""
        super().restore(reader)
        self.estimator_ = reader.learner("learner")
        if getattr(self.estimator_, "schema_", None) != self.schema_:
            raise reader.refusal("learner", "was fitted on other columns", f"those of the {type(self).__name__}")
        self.classes_ = self.estimator_.classes_
        return self

    def _inner_text(self) -> str:
        """Return the text of the fitted inner learner, whose own rule for answers has no say."""
        inner = self.estimator_
        return inner.text_without_decision() if isinstance(inner, MetaClassifier) else str(inner)

    def _inner_learner(self) -> Any:
        """Return the learner to wrap, not fitted; naive Bayes if none is given."""
        return NaiveBayesClassifier() if self.estimator is None else self.estimator

    def _fit_inner(self, learner: Any, table: Table) -> None:
        """Fit this learner on all rows and take over its columns and classes."""
        self.estimator_ = learner.fit(table)
        self.schema_, self.classes_ = self.estimator_.schema_, self.estimator_.classes_

    def _title(self) -> str:
        return f"{title_of(self._inner_learner())}, {self._addition()}"

    def _addition(self) -> str:
        """Return what the wrapper adds, for titles: "calibrated (sigmoid)"."""
        raise NotImplementedError

    def _notes(self) -> tuple[str, ...]:
        """Return what the fitted wrapper adds, in sentences."""
        raise NotImplementedError

    def _cut_points(self, column: Column) -> Floats | None:
        cuts: Floats | None = self.estimator_._cut_points(column)  # noqa: SLF001 (the same hook)
        return cuts

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        """Return None: a map or a cutoff moves the crossings of the inner learner."""
        del query, column, answer
        return None

    def _inner_crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        """Return the crossings of the inner learner, for wrappers that leave its probabilities as they are."""
        crossings: Floats | None = self.estimator_._crossings(query.to(self.estimator_), column, answer)  # noqa: SLF001
        return crossings

    def _range(self, column: Column) -> Range | None:
        known: Range | None = self.estimator_._range(column)  # noqa: SLF001 (the same hook)
        return known
