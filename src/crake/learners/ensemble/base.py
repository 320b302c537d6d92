"""The base of ensembles: the inner learner, fitted members, importances, model files."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from crake.arrays import Floats
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.foreign import checked_member
from crake.learners.ensemble.showing import ShownEnsemble
from crake.learners.ensemble.stored_members import members_state, restored_members
from crake.table.convert.export import label_array
from crake.table.schema import Column


class EnsembleClassifier(ShownEnsemble, TableClassifier):
    """A classifier of many members: `estimator` is its parameter, `estimators_` the fitted members.

    An ensemble implements `_learn`, `probabilities` and `_default_learner`.
    """

    estimator: Any
    random_state: int
    estimators_: list[Any]
    _for_regressors = "BaggingRegressor"

    @property
    def nominal(self) -> Any:
        """The columns of X that the inner learner reads as nominal."""
        return getattr(self.estimator, "nominal", "auto")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = self._inner_learner().__sklearn_tags__().classifier_tags
        tags.classifier_tags.poor_score, tags.classifier_tags.multi_class = own.poor_score, own.multi_class
        return tags

    def _inner_learner(self) -> Any:
        """Return the learner of which members are cloned, not fitted."""
        if self.estimator is None:
            return self._default_learner()
        return checked_member(self.estimator, self.random_state, self._for_regressors)

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

    def _has_cuts_below(self) -> bool:
        return all(member._has_cuts_below() for member in self.estimators_)  # noqa: SLF001 (the same hook)

    def _cut_points(self, column: Column) -> Floats | None:
        cuts = [member._cut_points(column) for member in self.estimators_]  # noqa: SLF001 (the same hook)
        return None if any(each is None for each in cuts) else np.unique(np.concatenate(cuts))

    def _weight_exception(self) -> str:
        exception: str = self._inner_learner()._weight_exception()  # noqa: SLF001 (the same question)
        return exception

    def state(self) -> State:
        """Return the fitted members, one after the other; an ensemble adds its own part.

        Rows that are the model of several members stand in it once.
        """
        return {**super().state(), **members_state(self.estimators_)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members, all fitted on the same columns."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        self.estimators_ = restored_members(self._inner_learner(), self.schema_, self.missing_, reader)
        return self
