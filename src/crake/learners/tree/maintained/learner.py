"""A CART tree that follows its rows."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.scikit_learn import Classifier, Estimator, clone
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.maintained.kept_rows import KeptRows
from crake.learners.tree.maintained.nodes import Node, grown, renumber, tree_of
from crake.learners.tree.maintained.update import Update, Work, learned_copies

MOST_GONE = 0.5
"""The share of kept rows that may be gone before the others are numbered anew."""


class MaintainedTree(Classifier, Estimator):  # type: ignore[misc]
    """A CART tree whose rows come and go. After every change it is the tree that `fit` gives of the rows there are.

    It keeps the rows, and in every large node those of its column in order. Rows that come or go touch only the nodes
    they reach, a node looks at its own column while no other can have become better, and what changes its split is
    grown anew.

    Parameters
    ----------
    estimator : a CARTClassifier; None: one with its defaults. Rows have no gaps and weigh 1, and what depends on all
        rows at once (pruning by rows held out or by folds, shares of all rows, columns drawn at random) is refused.

    `model_` is the tree as a fitted CARTClassifier: it explains, is drawn, saved and exported.

    >>> from crake.table.examples import load
    >>> iris = load("iris")
    >>> tree = MaintainedTree().fit(iris.take(range(100))).partial_fit(iris.take(range(100, 150)))
    >>> tree.forget(iris.take(range(20))).model_.n_leaves_ == CARTClassifier().fit(iris.take(range(20, 150))).n_leaves_
    True

    Gehrke, Ganti, Ramakrishnan, Loh (1999), BOAT: optimistic decision tree construction.
    """

    def __init__(self, estimator: CARTClassifier | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn from the rows of a Table, or of X and their labels y; values and classes of later rows are theirs."""
        model = _checked(self.estimator)
        table = model._training_table(X, y, None, reset=True)  # noqa: SLF001 (it reads rows as the learner does)
        if not table.in_memory:
            raise table.not_in_memory("a maintained tree")
        (batch,) = table.batches()
        rows = KeptRows.of(Training.of(table.schema, batch)).copied()
        growth = model._growth_on(rows.all)  # noqa: SLF001 (it grows as the learner does)
        root = grown(rows, np.arange(len(rows), dtype=np.int32), growth)
        template = model.hold(table, tree_of(root, rows))
        with unchanged_on_error(self):
            self._growth, self._rows, self._gone = growth, rows, 0
            self._root: Node = root
            self.work_, self._template = Work(grown=1), template
            self._model: CARTClassifier | None = None
        return self

    def partial_fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Add rows; a value or class that the first rows do not have is refused."""
        before = len(self._rows) if hasattr(self, "_rows") else 0
        if not before:
            return self.fit(X, y)
        self._rows = self._rows.joined(self._laid_out(X, y))
        return self._changed(np.arange(before, len(self._rows), dtype=np.int32), np.zeros(0, np.int32))

    def forget(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Take rows away that were learned; a row that was not is refused, and then nothing changes."""
        check_is_fitted(self, "_template")
        kept, going = self._rows, self._laid_out(X, y)
        together = kept.joined(going)
        gone = learned_copies(self._root, together, range(len(kept), len(together)))
        if len(gone) == len(kept) - self._gone:
            raise DataError("expected a row to remain, got all rows to forget")
        return self._changed(np.zeros(0, np.int32), gone)

    @property
    def model_(self) -> CARTClassifier:
        """The tree as a fitted learner, with all that a tree shows; later changes leave it as it is."""
        check_is_fitted(self, "_template")
        if self._model is None:
            self._model = copy(self._template)
            whole = tree_of(self._root, self._rows)
            self._model.tree_ = self._model._pruned_at_alpha(self._model._completed(whole))  # noqa: SLF001
        return self._model

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the first rows."""
        check_is_fitted(self, "_template")
        return self._template.classes_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        check_is_fitted(self, "_template")
        return self._template.n_features_in_

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row."""
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class given row), one row per row of X."""
        return self.model_.predict_proba(X)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the rows, or of their weight, that `predict` gets right."""
        return self.model_.score(X, y, sample_weight)

    def _laid_out(self, X: Any, y: Any) -> KeptRows:
        rows = labelled_rows(self._template._model(), X, y)  # noqa: SLF001 (it codes rows as the learner does)
        if len(rows) < len(X):
            raise DataError(
                f"expected rows of the classes that the first rows have, got {len(X) - len(rows):,} others: leave them "
                "out, or fit a new tree on all rows"
            )
        return KeptRows.of(rows)

    def _changed(self, coming: np.ndarray, going: np.ndarray) -> Self:
        is_going = np.zeros(len(self._rows), bool)
        is_going[going] = True
        self.work_, self._model = Work(), None
        update = Update(self._rows, self._growth, is_going, self.work_)
        self._root = update.apply(self._root, coming, going)
        self._gone += len(going)
        if self._gone > MOST_GONE * len(self._rows):
            self._number_anew()
        return self

    def _number_anew(self) -> None:
        """Let go of the cells of rows that have gone."""
        there = np.sort(self._root.rows)
        place = np.full(len(self._rows), -1, np.int32)
        place[there] = np.arange(len(there), dtype=np.int32)
        renumber(self._root, place)
        self._rows, self._gone = KeptRows.of(self._rows.training(there)), 0


def _checked(learner: CARTClassifier | None) -> CARTClassifier:
    """Return a copy of the learner to fit; raise for another learner, and for settings that are refused."""
    learner = CARTClassifier() if learner is None else learner
    if not isinstance(learner, CARTClassifier):
        raise CrakeError(f"expected a CARTClassifier in a maintained tree, got {learner!r}")
    _refuse_global(learner)
    model: CARTClassifier = clone(learner).checked()
    return model


def _refuse_global(learner: CARTClassifier) -> None:
    """Raise for settings by which a node depends on rows that are not in it."""
    allowed = {
        "pruning": None,
        "class_weight": None,
        "max_features": None,
        "min_impurity_decrease": 0,
        "min_weight_fraction_leaf": 0,
        "variant": "cart",
        "missing": "surrogate",
    }
    for name, value in allowed.items():
        if getattr(learner, name) != value:
            raise CrakeError(
                f"expected {name}={value!r} in a maintained tree, got {getattr(learner, name)!r}: leave it out, or "
                "fit the learner itself"
            )
    if learner.max_surrogates:
        raise CrakeError("expected max_surrogates=None or 0 in a maintained tree, whose rows have no gaps")
