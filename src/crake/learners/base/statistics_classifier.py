"""The base of learners that are functions of statistics: rows can be added, taken away, and models merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.criteria import is_telling
from crake.errors import CrakeError
from crake.learners.base.class_weights import BALANCED, class_weighted
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.learners.base.training_rows import known_rows, present_rows, refuse_other_kinds, refuse_unlike
from crake.statistics import ClassCounts, Statistic, Statistics, ValueCounts, gather
from crake.statistics.forgetting import forgotten
from crake.statistics.gather import Group
from crake.statistics.samples import SampleCopies
from crake.table.codes import observe
from crake.table.convert.export import label_array
from crake.table.convert.frame_columns import labels_of
from crake.table.table import Table


class StatisticsClassifier(TableClassifier):
    """A classifier that is a function of statistics: `fit` is gather, then estimate; rows can be added later."""

    learns_from = "statistics"

    stored_statistics: ClassVar[tuple[type[Statistic], ...]] = (ClassCounts,)
    """The statistics that a model file holds."""

    only_estimate: ClassVar[frozenset[str]] = frozenset()
    """Parameters that `gather` does not look at: under all their values the statistics are the same."""

    merged_attributes: ClassVar[tuple[str, ...]] = ()
    """Fitted attributes beside the statistics that `merge` copies: both models have the same."""

    @property
    def read_statistics(self) -> tuple[type[Statistic], ...]:
        """The statistics that the model is a function of, with these parameters."""
        return self.stored_statistics

    def gather(
        self, table: Table, group: Group | None = None, groups: int = 1, *, samples: SampleCopies | None = None
    ) -> Statistics:
        """Return the statistics of the table's rows, for each group (fold) or sample of rows apart."""
        return gather(table, self.read_statistics, group=group, groups=groups, samples=samples)

    def estimate(self, statistics: Statistics) -> Self:
        """The model of these statistics."""
        self._take(statistics)
        self._estimate(self.statistics_)
        return self

    def answers_together(self, table: Table) -> bool:  # noqa: ARG002 (a learner that does looks at it)
        """Return True if models of many folds or samples are best estimated together, and predict together."""
        return False

    def estimate_together(self, parts: Iterable[Statistics]) -> Any:
        """Return the models of several statistics in the form that the next two take."""
        raise NotImplementedError

    def folds_together(self, table: Table, statistics: Statistics) -> bool:
        """Return True if the folds that are the groups of these statistics are best answered together."""
        del statistics
        return self.answers_together(table)

    def estimate_folds(self, statistics: Statistics, groups: Sequence[int]) -> Any:
        """Return the models of all rows but each of these groups, in the form that `answer_by_fold` takes."""
        return self.estimate_together(statistics.without(group) for group in groups)

    def answer_by_fold(self, models: Any, table: Table, fold: NDArray[np.int32]) -> Floats:
        """Return the probabilities of every row under the model of its fold; rows of fold −1 are left out."""
        raise NotImplementedError

    def answer_together(self, models: Any, table: Table, left_out: NDArray[np.bool_]) -> list[Floats]:
        """Return, for each model, the probabilities of the rows that `left_out[row, model]` names, in row order."""
        raise NotImplementedError

    def _take(self, statistics: Statistics) -> None:
        # A model file leaves out statistics of columns that the table does not have.
        for member in self.read_statistics:
            if statistics.get(member) is None and not (empty := member.empty(statistics.schema)).columns:
                statistics = statistics.with_part(empty)
        self.schema_ = statistics.schema
        self.statistics_ = statistics
        self.classes_ = label_array(statistics.classes)

    def state(self) -> State:
        """Return the statistics, of which the model is a function; a learner that needs more adds it."""
        return {**super().state(), "statistics": statistics_state(self.statistics_, self.stored_statistics)}

    def restore(self, reader: StateReader) -> Self:
        """The model of the stored statistics: the same bits, and rows can still be added."""
        super().restore(reader)
        self._restore_own(reader)
        return self.estimate(statistics_of(reader.part("statistics"), self.schema_, self.stored_statistics))

    def _restore_own(self, reader: StateReader) -> None:
        """Take back what a learner's `state` holds beside statistics, before the model is estimated from them."""

    def _seems_fitted_on(self, table: Table) -> bool:
        coded = self._coded(table)
        if coded.schema.target is None or not self.reads_columns or not self._is_telling():
            return False
        rows = self.gather(present_rows(class_weighted(coded, self.class_weight, classes="some")))
        return _same(*(statistics_state(each, self.stored_statistics) for each in (rows, self.statistics_)))

    def _is_telling(self) -> bool:
        """Return True if other rows would hardly give these statistics: those beyond counts, or counts of a column."""
        counts = (ClassCounts, ValueCounts)
        more = [member for member in self.stored_statistics if member not in counts]
        if any(np.size(part) for part in statistics_state(self.statistics_, more).values()):
            return True
        values = self.statistics_.get(ValueCounts)
        return values is not None and any(is_telling(values.table(j)[0]) for j in range(len(values.columns)))

    def has_closed_leave_one_out(self, table: Table) -> bool:
        """Return True if `leave_one_out` gives, for this table, what refitting without each row would give."""
        del table
        return False

    def leave_one_out(self, table: Table) -> Floats:
        """Return P(class given row) of every row under the model of all other rows."""
        raise NotImplementedError

    @property
    def one_pass(self) -> bool:
        """True if, with these parameters, one gathering gives the models of all folds.

        Weights by class belong to the rows learned from, so that the statistics of a fold cannot be taken away.
        """
        return self.class_weight is None

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to what was learned. In whatever portions the rows come, the model is that of `fit` on all.

        `classes` names all labels at the first call; labels met later are added in their sorted place.
        """
        self._validate_params()
        refuse_balanced(self)
        first = not hasattr(self, "statistics_")
        if not first:
            refuse_without_values(self)
        with unchanged_on_error(self):
            table = self._training_table(X, y, sample_weight, reset=first)
            if not first:
                refuse_other_kinds(self.schema_, table.schema)
            statistics = self._gathered(table, reset=first)
            if first and classes is not None:
                statistics = statistics.with_classes(observe(labels_of(classes))[0])
            return self.estimate(statistics if first else self.statistics_.merge(statistics))

    def forget(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows away that were learned: the model is that of `fit` on the rows that remain.

        Exact for counts. Rows that were not learned are refused, and so is what would cost the digits of a variance.
        The classes stay, also those without rows.
        """
        check_is_fitted(self)
        refuse_without_values(self)
        refuse_balanced(self)
        left_out = self.left_out_
        with unchanged_on_error(self):
            rows = self._gathered(self._training_table(X, y, sample_weight, reset=False), reset=False)
            # The levels of a Table are its schema's, those of X and y the ones that the rows learned from have.
            self.estimate(forgotten(self.statistics_, rows, keep_levels=isinstance(X, Table)))
            self.left_out_ = max(0, left_out - (self.left_out_ - left_out))
        return self

    def merge(self, other: Any) -> Self:
        """Return a new model: that of the rows of both. They have the same parameters and columns."""
        check_is_fitted(self)
        check_is_fitted(other)
        refuse_unlike(self, other)
        refuse_balanced(self)
        for model in (self, other):
            refuse_without_values(model)
        merged: Self = clone(self)
        for name in ("n_features_in_", "feature_names_in_", "missing_", *self.merged_attributes):
            if hasattr(self, name):
                setattr(merged, name, getattr(self, name))
        merged.left_out_ = self.left_out_ + other.left_out_
        return merged.estimate(self.statistics_.merge(other.statistics_))

    def _learn(self, table: Table) -> None:
        self.estimate(self._gathered(table, reset=True))

    def _gathered(self, table: Table, *, reset: bool) -> Statistics:
        """Return the statistics of the rows to learn from; a scan knows only afterwards how many have no class."""
        statistics = self.gather(table)
        if not table.in_memory:
            rows = known_rows(statistics, table)
            self.left_out_ = (0 if reset else self.left_out_) + len(table) - rows
        return statistics

    def _estimate(self, statistics: Statistics) -> None:
        raise NotImplementedError


def _same(one: Any, other: Any) -> bool:
    """Return True if two states hold the same arrays."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(part, other[name]) for name, part in one.items())
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and bool(np.array_equal(one, other))
    return bool(one == other)


def refuse_balanced(model: StatisticsClassifier) -> None:
    """Raise if rows are to be added, taken away or merged under weights that depend on all rows at once."""
    if model.class_weight == BALANCED:
        raise CrakeError(
            "class_weight='balanced' depends on all rows at once: use fit, or give the weights by class, "
            "class_weight={'yes': 5, 'no': 1}"
        )


def refuse_without_values(model: StatisticsClassifier) -> None:
    """Raise if the model comes from a file that does not hold all the statistics it was a function of."""
    for member in model.read_statistics:
        if model.statistics_.get(member) is None and member.empty(model.schema_).columns:
            raise CrakeError(
                "this model comes from a file, which holds the cuts and counts of its columns but not the values they "
                "come from: rows can be neither added nor forgotten; fit it on all rows"
            )
