"""A learner whose probabilities are corrected by how often it was right on rows it had not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, DataError
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import HasMethods, StrOptions
from crake.learners.base.row_query import RowQuery
from crake.learners.base.scikit_learn import clone
from crake.learners.base.sigmoid import Sigmoid, fit_sigmoid
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.meta.base import MetaClassifier
from crake.learners.meta.calibrate.drawing import draw_maps
from crake.learners.meta.calibrate.isotonic import Isotonic, fit_isotonic
from crake.learners.meta.calibrate.odds import calibrated, log_odds
from crake.learners.meta.calibrate.state import maps_of, maps_state
from crake.learners.meta.calibrate.workings import explained
from crake.learners.meta.cutoff.learner import has_cutoff
from crake.learners.meta.inner_folds import DEALS_ROWS, out_of_fold_rounds
from crake.plans import CrossValidation
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.table.schema import Column
from crake.table.table import Table


class Calibrated(MetaClassifier):
    """The learner, then a map from its log odds to probabilities, fitted on out-of-fold predictions.

    Each class has its map (one against the rest, then all to sum to 1); two classes share one. The learner
    itself is fitted on all rows.

    Parameters
    ----------
    estimator : one of crake's classifiers; naive Bayes if None.
    method : "sigmoid" (Platt: two numbers a map, enough for few rows) or "isotonic" (any ascending map; needs about a
        thousand rows).
    plan : how rows are held out; stratified 5-fold cross-validation if None.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.table.examples import load
    >>> model = Calibrated(NaiveBayesClassifier()).fit(load("breast-cancer"))
    >>> round(model.maps_[0].a, 2)  # log odds eight times too large
    0.13
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "method": [StrOptions({"sigmoid", "isotonic"})],
        "plan": [HasMethods(["rounds", "describe"]), None],
    }

    def __init__(self, estimator: Any = None, *, method: str = "sigmoid", plan: Any = None) -> None:
        self.estimator = estimator
        self.method = method
        self.plan = plan

    def _inner_learner(self) -> Any:
        learner = super()._inner_learner()
        if not isinstance(learner, TableClassifier):
            raise CrakeError(
                f"Calibrated takes crake's classifiers; found a {type(learner).__name__}: "
                "scikit-learn's CalibratedClassifierCV does the same for those of scikit-learn"
            )
        if has_cutoff(learner):
            raise CrakeError(
                "a cutoff is for the probabilities it was chosen on: write WithCutoff(Calibrated(learner))"
            )
        return learner

    def _addition(self) -> str:
        return f"calibrated ({self.method})"

    def _learn(self, table: Table) -> None:
        learner = self._inner_learner()
        plan = self.plan if self.plan is not None else CrossValidation(5)
        self.maps_: tuple[Sigmoid | Isotonic, ...] = ()
        self.not_calibrated_ = ""
        try:
            held_out = out_of_fold_rounds(learner, table, plan)
        except DataError as refused:  # one row, one class, no row to hold out: the learner as it is
            self.not_calibrated_ = str(refused)
        else:
            self.maps_ = self._maps(table, *held_out[:2])
        self._fit_inner(clone(learner), table)

    def _maps(self, table: Table, rows: Rows, probabilities: Floats) -> tuple[Sigmoid | Isotonic, ...]:
        weights = np.ones(len(table)) if table.weights is None else table.weights
        # A row that is tested in several rounds counts once.
        weights, target = (weights / np.maximum(np.bincount(rows, minlength=len(table)), 1))[rows], table.target[rows]
        classes = probabilities.shape[1]
        fit = fit_sigmoid if self.method == "sigmoid" else fit_isotonic
        return tuple(
            fit(log_odds(probabilities, k), target == k, weights) for k in ([1] if classes == 2 else range(classes))
        )

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the inner learner's probabilities, each through the map of its class."""
        raw = self.estimator_.probabilities(table, rows)
        return calibrated(raw, self.maps_) if self.maps_ else raw

    def explain(self, row: Any) -> Workings:
        """Return the inner learner's hand calculation, then the calibration of its prediction."""
        check_is_fitted(self)
        inner: Workings = self.estimator_.explain(row)
        if not self.maps_:
            return replace(inner, notes=(*inner.notes, f"not calibrated: {self.not_calibrated_}"))
        table = self._one_row(row)
        before = self.estimator_.probabilities(table)
        return explained(inner, before[0], self.probabilities(table)[0], self.maps_, self.classes_)

    def draw(self, what: Any = None, *, width: float = 560, **options: Any) -> Drawing:
        """Draw the inner learner with the same arguments, or the "map" from its log odds to probabilities."""
        check_is_fitted(self)
        return draw_maps(self, width=width) if what == "map" else super().draw(what, **options)

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the drawings of the inner learner, then the map."""
        inner = super().pictures(table)
        return (*inner, self.draw("map")) if self.maps_ else inner

    def _weight_exception(self) -> str:
        return DEALS_ROWS

    def _notes(self) -> tuple[str, ...]:
        if not self.maps_:
            return (f"Not calibrated: {self.not_calibrated_}",)
        first = f"P({self.classes_[-len(self.maps_)]}) = {_formula(self.maps_[0]).removeprefix('P = ')}"
        more = f", and {len(self.maps_) - 1} more maps" if len(self.maps_) > 1 else ""
        return (f"Its answers are then calibrated by {self.method}: {first}{more}.",)

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        return None if self.maps_ else self._inner_crossings(query, column, answer)

    def state(self) -> State:
        """Return the fitted learner and the maps."""
        state = {**super().state(), "not_calibrated": Labels((self.not_calibrated_,))}
        return {**state, "maps": maps_state(self.maps_)} if self.maps_ else state

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and its maps."""
        super().restore(reader)
        self.not_calibrated_ = "".join(reader.names("not_calibrated"))
        stored = () if self.not_calibrated_ else maps_of(reader.part("maps"), self.method, len(self.classes_))
        self.maps_ = stored
        return self

    def __str__(self) -> str:
        if not hasattr(self, "maps_"):
            return repr(self)
        if not self.maps_:
            return f"Not calibrated: {self.not_calibrated_}\n\n{self._inner_text()}"
        maps = zip(self.classes_[-len(self.maps_) :], self.maps_, strict=True)
        lines = [f"  {label}: {_formula(each)}" for label, each in maps]
        return "\n".join([f"Calibrated by {self.method}", *lines, "", self._inner_text()])


def _formula(each: Any) -> str:
    if isinstance(each, Sigmoid):
        return f"P = {each.written('log odds')}"
    return f"an ascending line through {len(each.log_odds)} corners"
