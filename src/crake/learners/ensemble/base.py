"""The base of ensembles: the inner learner, fitted members, importances, model files."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from crake.arrays import Floats
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.foreign import checked_member
from crake.learners.ensemble.likeness import Imitated
from crake.table.convert.export import label_array
from crake.table.schema import Column


class EnsembleClassifier(Imitated, TableClassifier):
    """A classifier of many members: `learner` is its parameter, `estimators_` the fitted members.

    An ensemble implements `_learn`, `probabilities` and `_default_learner`.
    """

    learner: Any
    random_state: int
    estimators_: list[Any]

    @property
    def nominal(self) -> Any:
        """The columns of X that the inner learner reads as nominal."""
        return getattr(self.learner, "nominal", "auto")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = self._inner_learner().__sklearn_tags__().classifier_tags
        tags.classifier_tags.poor_score, tags.classifier_tags.multi_class = own.poor_score, own.multi_class
        return tags

    def _inner_learner(self) -> Any:
        """Return the learner of which members are cloned, not fitted."""
        if self.learner is None:
            return self._default_learner()
        return checked_member(self.learner, self.random_state)

    def _default_learner(self) -> Any:
        raise NotImplementedError

    def _member_weights(self) -> Floats:
        """Return how much each member counts in the mean of importances."""
        return np.ones(len(self.estimators_))

    @property
    def feature_importances_(self) -> Floats:
        """The mean of the members' importances, by their votes; members have them if they are trees."""
        check_is_fitted(self)
        each = np.array([member.feature_importances_ for member in self.estimators_])
        weights = self._member_weights()
        mean: Floats = weights @ each / weights.sum()
        return mean

    def _cut_points(self, column: Column) -> Floats | None:
        cuts = [member._cut_points(column) for member in self.estimators_]  # noqa: SLF001 (the same hook)
        return None if any(each is None for each in cuts) else np.unique(np.concatenate(cuts))

    def _weight_exception(self) -> str:
        exception: str = self._inner_learner()._weight_exception()  # noqa: SLF001 (the same question)
        return exception

    def state(self) -> State:
        """Return the fitted members, one after the other; an ensemble adds its own part."""
        return {**super().state(), "members": {str(i): member for i, member in enumerate(self.estimators_)}}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members, all fitted on the same columns."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        members, kind = reader.part("members"), type(self._inner_learner())
        self.estimators_ = []
        while str(len(self.estimators_)) in members:
            name = str(len(self.estimators_))
            member = members.learner(name)
            if type(member) is not kind:
                raise members.refusal(name, f"is a {type(member).__name__}", f"a {kind.__name__}")
            if getattr(member, "schema_", None) != self.schema_:
                raise members.refusal(name, "was fitted on other columns", f"those of the {type(self).__name__}")
            self.estimators_.append(member)
        if not self.estimators_:
            raise reader.refusal("members", "is empty", "at least one member")
        return self
