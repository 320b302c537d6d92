"""Learners of other libraries: X stays as it was given, in whatever form they take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, DataError
from crake.learners.base.scikit_learn import clone
from crake.learners.base.training_rows import check_classes, checked_labels, row_weights
from crake.learners.meta.cutoff.rule import OutOfFold
from crake.learners.meta.inner_folds import inner_rounds
from crake.plans import Plan
from crake.slow_modules import sklearn_utils, sklearn_validation
from crake.table.codes import is_missing
from crake.table.convert.export import label_array
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class ForeignRows:
    """X in the form it was given, class codes, the classes, weights (None: all 1), and how many rows had no class."""

    X: Any
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    weights: Floats | None
    left_out: int

    @classmethod
    def of(cls, learner: Any, X: Any, y: Any, sample_weight: Any) -> ForeignRows:
        """Return the rows of known class and positive weight."""
        _refuse_table(learner, X)
        if y is None:
            raise CrakeError("requires y to be passed, but the target y is None; give fit(X, y) the labels")
        labels = checked_labels(y)
        X, _ = sklearn_utils.indexable(X, labels)
        known = ~is_missing(labels)
        check_classes(labels, known)
        weights = None if sample_weight is None else row_weights(sample_weight, len(labels))
        present = known if weights is None else known & (weights > 0)
        if not present.any():
            raise DataError("no row has a known class and a positive weight; there is nothing to learn from")
        rows = np.flatnonzero(present)
        own = labels[rows] if labels.dtype.kind != "O" else label_array(labels[rows].tolist())
        classes, codes = np.unique(own, return_inverse=True)
        return cls(
            X if len(rows) == len(labels) else sklearn_utils._safe_indexing(X, rows),  # noqa: SLF001
            codes.astype(np.int32),
            classes,
            None if weights is None else weights[rows],
            int(np.sum(~known)),
        )

    @property
    def totals(self) -> Floats:
        """Rows by class, by weight."""
        return np.bincount(self.codes, self.weights, minlength=len(self.classes)).astype(np.float64)

    def fitted(self, learner: Any, rows: Rows | None = None) -> Any:
        """Return a clone, fitted on some of the rows or on all."""
        every = rows is None
        X = self.X if every else sklearn_utils._safe_indexing(self.X, rows)  # noqa: SLF001
        codes = self.codes if every else self.codes[rows]
        if self.weights is None:
            return clone(learner).fit(X, self.classes[codes])
        if not sklearn_validation.has_fit_parameter(learner, "sample_weight"):
            raise CrakeError(f"{type(learner).__name__}.fit takes no sample_weight; leave the weights out")
        return clone(learner).fit(
            X, self.classes[codes], sample_weight=self.weights if rows is None else self.weights[rows]
        )

    def out_of_fold(self, learner: Any, plan: Plan) -> OutOfFold:
        """Return the predictions of every round: each tested row gets them from a model that has not seen it."""
        tested: list[Rows] = []
        probabilities: list[Floats] = []
        folds: list[NDArray[np.int32]] = []
        for assignment in inner_rounds(plan, self.codes, tuple(self.classes.tolist())):
            for train, test in assignment.splits():
                folds.append(np.full(len(test), len(tested), np.int32))
                tested.append(test)
                probabilities.append(self._predicted(learner, train, test))
        rows = np.concatenate(tested)
        weights = np.ones(len(rows)) if self.weights is None else self.weights[rows]
        return OutOfFold(self.codes[rows], np.concatenate(probabilities), weights, np.concatenate(folds))

    def _predicted(self, learner: Any, train: Rows, test: Rows) -> Floats:
        """Predict by our classes. A training part of one class, which most learners refuse, predicts that class."""
        out = np.zeros((len(test), len(self.classes)))
        learned = np.unique(self.codes[train])
        if len(learned) == 1:
            out[:, learned[0]] = 1.0
            return out
        out[:, learned] = self.fitted(learner, train).predict_proba(sklearn_utils._safe_indexing(self.X, test))  # noqa: SLF001
        return out


def take_over(wrapper: Any, rows: ForeignRows, fitted: Any) -> None:
    """Give a wrapper its fitted inner learner, with the classes and columns of this fit and of none before."""
    wrapper.estimator_, wrapper.classes_, wrapper.left_out_ = fitted, rows.classes, rows.left_out
    for name in ("n_features_in_", "feature_names_in_", "schema_"):
        wrapper.__dict__.pop(name, None)
        if hasattr(fitted, name):
            setattr(wrapper, name, getattr(fitted, name))


def _refuse_table(learner: Any, X: Any) -> None:
    if isinstance(X, Table):
        name = type(learner).__name__
        raise CrakeError(
            f"{name} is not one of crake's learners and takes no Table: give fit(X, y) what {name} takes, such as "
            "X, y = table.to_xy() in a pipeline that encodes its columns"
        )
