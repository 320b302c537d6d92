"""The base of all classifiers: X and y (or a Table) to a coded table, and probabilities back to labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.learners.base.class_weights import Known, check_class_weight, class_weighted
from crake.learners.base.estimator import TableEstimator
from crake.learners.base.fitted import unchanged_on_error
from crake.learners.base.most_probable import most_probable
from crake.learners.base.row_query import Range, RowQuery, range_of
from crake.learners.base.scikit_learn import Classifier
from crake.learners.base.state import StateReader
from crake.learners.base.state.schema import schema_with_classes
from crake.learners.base.training_rows import check_classes, checked_labels, observed_levels, present_rows, row_weights
from crake.notices import each_once
from crake.slow_modules import sklearn_utils
from crake.table.batch import MISSING
from crake.table.codes import encode, is_missing
from crake.table.convert.frames import from_xy
from crake.table.lazy_frames import is_spark
from crake.table.schema import Kind, Schema
from crake.table.sources.scanned_table import parts, with_row_weights
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.counterfactuals import Changes
    from crake.table.schema import Column


class TableClassifier(Classifier, TableEstimator):  # type: ignore[misc]
    """A scikit-learn classifier that takes columns as they are: strings, missing values, new values.

    Rows of unknown class are not learned from; `left_out_` says how many there were.
    A learner implements `_learn(table)`, which sets its fitted attributes, and `probabilities(table, rows)`.
    """

    classes_: NDArray[Any]

    class_weight: Any = None
    """The weights of classes that the learner's parameter gives; a wrapper leaves them to its inner learner."""

    one_pass: Any = False
    """True if one gathering gives the models of all folds (`gather`, `estimate`)."""

    narrow_codes: ClassVar[bool] = False
    """True for learners that read the codes of X a few rows at a time: they get them in fewer bytes (see `from_xy`)."""

    @property
    def reads_tables(self) -> bool:
        """True if it learns from a Table. A wrapper of another library's learner takes X and y as that learner does."""
        return True

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows of X and their labels y; a Table brings its own target and weights."""
        self._validate_params()
        with unchanged_on_error(self):
            table = self._training_table(X, y, sample_weight, reset=True)
            with each_once():
                self._learn(table)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class given row), one row per row of X, one column per class of `classes_`.

        Of a Spark data frame it returns another one, with the predicted class and the probabilities as columns.
        """
        if is_spark(X):
            return cast(Floats, self._predicted_frame(X, with_probabilities=True))
        table = self._coded(X)
        return self.probabilities(table) if table.in_memory else np.concatenate(list(self._by_part(table)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of P(class given row), shaped as `predict_proba`; −∞ where the probability is 0."""
        if not self.reads_tables:
            return logarithms(self.predict_proba(X))
        table = self._coded(X)
        if table.in_memory:
            return self._log_probabilities(table)
        return np.concatenate([self._log_probabilities(part, rows) for _, part, rows in parts(table)])

    def predict_batches(self, table: Table) -> Iterator[tuple[int, Floats]]:
        """Yield P(class given row) by parts, each with the number of its first row: for tables larger than memory."""
        start = 0
        for probabilities in self._by_part(self._coded(table)):
            yield start, probabilities
            start += len(probabilities)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; ties go to the first in the order of `classes_`.

        Of a Spark data frame it returns another one, with the predicted class as a column.
        """
        if is_spark(X):
            return cast(NDArray[Any], self._predicted_frame(X, with_probabilities=False))
        # The probabilities come first: they also check that the model is fitted.
        answers = self.decide(self.predict_proba(X))
        predicted: NDArray[Any] = self.classes_[answers]
        return predicted

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the rows, or of their weight, that `predict` gets right.

        A label that is no class counts as the class that is equal to it but for blanks, as cells of X do.
        """
        predicted = self.predict(X)
        labels = checked_labels(y)
        sklearn_utils.check_consistent_length(predicted, labels)
        classes = self.classes_.tolist()
        actual = encode(labels, classes)
        if (actual == MISSING).any():
            raise DataError(f"row {int(np.argmax(actual == MISSING))} of y has no label; expected one for every row")
        is_right = actual == encode(predicted, classes)
        return float(
            np.average(is_right, weights=None if sample_weight is None else row_weights(sample_weight, len(labels)))
        )

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the predicted class code of each row: the most probable class, unless a learner has another rule."""
        return most_probable(probabilities)

    def changes(self, row: Any, table: Table | None = None) -> Changes:
        """Return, for each column, the smallest change of its value alone that changes the prediction of a row.

        Nearest first; distances are shares of a column's range in `table`, or of the range that the model knows of.
        """
        from crake.learners.counterfactuals import find_changes  # noqa: PLC0415 (it stands above the base)

        if not self.reads_tables:
            raise CrakeError("the learner within is not one of crake's: what would change its answer is not known")
        return find_changes(self, self._one_row(row), table)

    def _validate_params(self) -> None:
        super()._validate_params()
        check_class_weight(self.class_weight)

    def _weight_exception(self) -> str:
        """Return why a row of weight k may count other than k copies of it; empty if it never does."""
        return ""

    def _cut_points(self, column: Column) -> Floats | None:
        """Return the values of a numeric column between which the probabilities stay; None if they vary anywhere."""
        del column
        return None

    def _has_cuts_below(self) -> bool:
        """Return True if a number equal to a cut point is predicted as those just below it."""
        return False

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        """Return the values of a numeric column at which the class `answer` ties with another; None if unknown."""
        del query, column, answer
        return None

    def _range(self, column: Column) -> Range | None:
        """Return the range of a numeric column as far as the model knows it."""
        cuts = self._cut_points(column)
        return None if cuts is None else range_of(cuts)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return P(class given row) for rows of a table coded under this model's schema."""
        raise NotImplementedError

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return log P(class given row); a learner that adds logarithms keeps those of the smallest probabilities."""
        return logarithms(self.probabilities(table, rows))

    def _learn(self, table: Table) -> None:
        raise NotImplementedError

    def _stored_schema(self, reader: StateReader) -> Schema:
        return schema_with_classes(reader)

    def _training_table(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> Table:
        """Return the rows to learn from, coded: those of known class and positive weight."""
        if isinstance(X, Table):
            table = self._table_given(X, y, sample_weight)
            self.n_features_in_ = len(table.schema.features)
            self.feature_names_in_ = np.array([column.name for column in table.schema.features], dtype=object)
            self.missing_ = table.missing if reset or table.missing is not None else self.missing_
        else:
            self.missing_ = None if reset else self.missing_
            nominal = self.nominal if reset else self._nominal_positions()
            table = self._table_of(X, y, sample_weight, nominal, reset=reset)
        reads_texts = bool(table.schema.texts) and (self.reads_text or not self.reads_columns)
        if not table.schema.features and not reads_texts:
            raise DataError(
                f"{table.name} has no column to learn from besides the target; running text is read by naive Bayes only"
            )
        if not table.in_memory:
            self._refuse_scan(table)
            return table.known()  # who is left out is known when all rows have been seen
        classes: Known = "some" if not reset else "declared" if isinstance(X, Table) else "observed"
        present = present_rows(class_weighted(table, self.class_weight, classes=classes))
        self.left_out_ = (0 if reset else self.left_out_) + int(np.sum(table.target < 0))
        # A Table's levels are its schema's; those of X and y are the ones that the rows learned from have.
        return present if isinstance(X, Table) or present is table else observed_levels(present)

    def _refuse_scan(self, table: Table) -> None:
        """Raise if the learner needs all rows at once, as those do that sort or look up rows in memory."""
        if self.scans_rows:
            return
        if self.learns_from == "rows":
            raise table.not_in_memory(type(self).__name__)
        if self.class_weight is not None:
            raise table.not_in_memory("class_weight")

    def _table_given(self, table: Table, y: Any, sample_weight: Any) -> Table:
        if y is not None:
            raise CrakeError("a Table brings its own target: call fit(table), or fit(X, y) with two arrays")
        if sample_weight is None:
            return table
        weights = row_weights(sample_weight, len(table))
        is_scan = self.scans_rows and not table.in_memory
        return with_row_weights(table, weights) if is_scan else table.with_weights(weights)

    def _nominal_positions(self) -> list[int]:
        """Return the columns that were nominal when the first rows came; later rows are read in the same way."""
        return [j for j, column in enumerate(self.schema_.features) if column.kind is Kind.NOMINAL]

    def _table_of(self, X: Any, y: Any, sample_weight: Any, nominal: Any, *, reset: bool) -> Table:
        if y is None:
            raise CrakeError(
                f"requires y to be passed, but the target y is None; give {type(self).__name__}.fit(X, y) "
                "the labels, or a Table that brings its target"
            )
        X = self._checked(X, reset=reset)
        y = checked_labels(y)
        sklearn_utils.check_consistent_length(X, y)
        check_classes(y, ~is_missing(y))
        weights = None if sample_weight is None else row_weights(sample_weight, len(y))
        return from_xy(X, y, nominal=nominal, sample_weight=weights, narrow=self.narrow_codes)

    def _by_part(self, coded: Table) -> Iterator[Floats]:
        return (self.probabilities(part, rows) for _, part, rows in parts(coded))


def logarithms(probabilities: Floats) -> Floats:
    """Return log p, −∞ where p is 0.

    >>> logarithms(np.array([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(probabilities)
    return logs


def reads_tables(learner: Any) -> bool:
    """Return True if the learner, and any learner it wraps, is a crake classifier."""
    return isinstance(learner, TableClassifier) and learner.reads_tables
