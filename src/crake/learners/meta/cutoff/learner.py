"""A learner that calls a row positive from a cutoff on, chosen on rows that its models had not seen."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import State, StateReader
from crake.learners.meta.base import MetaClassifier
from crake.learners.meta.cutoff.foreign import ForeignRows, take_over
from crake.learners.meta.cutoff.options import OPTIONS, CutoffChoice
from crake.learners.meta.cutoff.rule import OutOfFold, Rule, rule_of
from crake.learners.meta.cutoff.state import rule_in, rule_state
from crake.learners.meta.cutoff.text import rule_dict, rule_lines
from crake.learners.meta.cutoff.workings import explained
from crake.learners.meta.inner_folds import out_of_fold_rounds
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs import Cutoff, CutoffSpread
from crake.plans import CrossValidation, Plan
from crake.render.workings import Workings
from crake.slow_modules import sklearn_utils
from crake.table.schema import Label
from crake.table.table import Table

NOT_NEGATIVE = Interval(Real, 0, None, closed="left")


class WithCutoff(MetaClassifier):
    """The learner, and a cutoff on its probability of one class, chosen on out-of-fold probabilities.

    The learner itself is fitted on all rows; `predict_proba` is its own, `predict` goes by the cutoff. With a cost
    matrix of several classes each row is called what is expected to cost least.

    Fitted: `estimator_`, `cutoff_` (and what it does to the rows it was chosen on), `cutoff_spread_` (what the folds
    would choose, each by itself), `positive_`, `costs_`, `not_chosen_`.

    Parameters
    ----------
    estimator : one of crake's classifiers (naive Bayes if None), or any scikit-learn classifier with `predict_proba`,
        which is given X as it is.
    by : "cost", "f", "youden", "recall", "precision", "share" or "prior".
    cost_fp, cost_fn : what a false positive and a false negative cost; 1 if None.
    cost : a CostMatrix, {actual: {called: cost}}, or a matrix in the order of the classes.
    beta : recall counts β times as much as precision, by="f".
    least : the least recall or precision.
    share : the share of rows to call positive.
    prior : the share of positives where the model will be used.
    positive : the class the cutoff is for; None for the rarer of two. The others are answered by the most probable.
    plan : how rows are held out; stratified 5-fold cross-validation if None.
    cutoff : a number, where it was decided elsewhere; then nothing is chosen.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.table.examples import load
    >>> model = WithCutoff(NaiveBayesClassifier(), by="cost", cost_fp=1, cost_fn=20).fit(load("breast-cancer"))
    >>> model.positive_, f"{model.cutoff_.value:.3g}", f"{model.cutoff_.recall:.3f}"
    ('malignant', '1.23e-06', '0.986')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "by": [StrOptions(set(OPTIONS))],
        "cost_fp": [NOT_NEGATIVE, None],
        "cost_fn": [NOT_NEGATIVE, None],
        "cost": [CostMatrix, dict, "array-like", None],
        "beta": [NOT_NEGATIVE, None],
        "least": [Interval(Real, 0, 1, closed="right"), None],
        "share": [Interval(Real, 0, 1, closed="both"), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "positive": [str, Real, "boolean", None],
        "plan": [HasMethods(["rounds", "describe"]), None],
        "cutoff": [Interval(Real, None, None, closed="neither"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        by: str = "cost",
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        cost: Any = None,
        beta: float | None = None,
        least: float | None = None,
        share: float | None = None,
        prior: float | None = None,
        positive: Label | None = None,
        plan: Any = None,
        cutoff: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.by = by
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.cost = cost
        self.beta = beta
        self.least = least
        self.share = share
        self.prior = prior
        self.positive = positive
        self.plan = plan
        self.cutoff = cutoff

    @property
    def reads_tables(self) -> bool:
        """True if the inner learner is one of crake's."""
        return self.estimator is None or reads_tables(self.estimator)

    @property
    def cutoff_(self) -> Cutoff | None:
        """The cutoff with what it does to the rows held out; None where the answers go by something else."""
        return self._fitted_rule().cutoff

    @property
    def cutoff_spread_(self) -> CutoffSpread | None:
        """The lowest, median and highest cutoff that the folds would choose, each by itself."""
        return self._fitted_rule().spread

    @property
    def positive_(self) -> Any:
        """The label of the class that the cutoff is for."""
        code = self._fitted_rule().positive
        return None if code is None else self.classes_.tolist()[code]

    @property
    def costs_(self) -> Floats | None:
        """The costs of several classes, of which the least is expected; rows actual, columns called."""
        return self._fitted_rule().costs

    @property
    def not_chosen_(self) -> str:
        """The reason why the most probable class is predicted; empty if there is a cutoff or costs."""
        return self._fitted_rule().why_not

    def __sklearn_tags__(self) -> Any:
        tags = TableClassifier.__sklearn_tags__(self)
        learner = self._inner_learner()
        if hasattr(learner, "__sklearn_tags__"):  # a learner of another library may have none
            own = sklearn_utils.get_tags(learner)
            tags.input_tags = own.input_tags
            if own.classifier_tags is not None:
                tags.classifier_tags.poor_score = own.classifier_tags.poor_score
                tags.classifier_tags.multi_class = own.classifier_tags.multi_class and self._takes_many()
        return tags

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the learner on all rows and choose the cutoff on those held out; a Table brings its own target."""
        if self.reads_tables:
            return super().fit(X, y, sample_weight)
        self._validate_params()
        rows = ForeignRows.of(self.estimator, X, y, sample_weight)
        with unchanged_on_error(self):
            take_over(self, rows, rows.fitted(self.estimator))
            self.rule_ = rule_of(
                CutoffChoice.of(self),
                tuple(rows.classes.tolist()),
                lambda: rows.totals,
                lambda: rows.out_of_fold(self.estimator, self._plan()),
            )
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class given row) of the inner learner."""
        if self.reads_tables:
            return super().predict_proba(X)
        check_is_fitted(self)
        probabilities: Floats = np.asarray(self.estimator_.predict_proba(X), np.float64)
        return probabilities

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the positive class from the cutoff on; or the class of least expected cost."""
        return self._fitted_rule().decide(probabilities)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the inner learner's probabilities."""
        probabilities: Floats = self.estimator_.probabilities(table, rows)
        return probabilities

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        logs: Floats = self.estimator_._log_probabilities(table, rows)  # noqa: SLF001 (the same hook)
        return logs

    def explain(self, row: Any) -> Workings:
        """Return the learner's own hand calculation, then its probability beside the cutoff."""
        check_is_fitted(self)
        if not self.reads_tables:
            raise CrakeError(
                f"{type(self.estimator_).__name__} is not one of crake's learners: it shows no calculation"
            )
        inner: Workings = self.estimator_.explain(row)
        return explained(inner, self.rule_, self.estimator_.probabilities(self._one_row(row))[0], self.classes_)

    def _notes(self) -> tuple[str, ...]:
        lines = rule_lines(self._fitted_rule(), self.classes_)
        return tuple(lines[:1] if self.costs_ is not None else [line.strip() for line in lines])

    def state(self) -> State:
        """Return the fitted learner and the rule."""
        return {**super().state(), "rule": rule_state(self.rule_)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and the rule."""
        super().restore(reader)
        self.rule_ = rule_in(reader.part("rule"), len(self.classes_))
        return self

    def __str__(self) -> str:
        if not hasattr(self, "rule_"):
            return repr(self)
        return "\n".join([*rule_lines(self.rule_, self.classes_), "", self._inner_text()])

    def cutoff_dict(self) -> dict[str, Any]:
        """Return the rule, its effect on rows held out, and its spread over the folds, for JSON."""
        return rule_dict(self._fitted_rule(), self.classes_)

    def _validate_params(self) -> None:
        super()._validate_params()
        CutoffChoice.of(self)
        if has_cutoff(self.estimator):
            raise CrakeError("the learner within has a cutoff of its own, which would have no say; leave one away")

    def _refuse_scan(self, table: Table) -> None:
        """Raise if rows must be held out, or if the inner learner needs rows in memory."""
        if self.cutoff is None:
            super()._refuse_scan(table)
        clone(self._inner_learner())._refuse_scan(table)  # noqa: SLF001 (the same question, to the learner within)

    def _addition(self) -> str:
        return str(CutoffChoice.of(self))

    def _learn(self, table: Table) -> None:
        self._fit_inner(clone(self._inner_learner()), table)
        if not table.in_memory:
            self.left_out_ = self.estimator_.left_out_
        self.rule_ = rule_of(
            CutoffChoice.of(self), self.schema_.classes, lambda: _class_totals(table), lambda: self._out_of_fold(table)
        )

    def _out_of_fold(self, table: Table) -> OutOfFold:
        rows, probabilities, fold = out_of_fold_rounds(self._inner_learner(), table, self._plan())
        weights = np.ones(len(rows)) if table.weights is None else table.weights[rows]
        return OutOfFold(table.target[rows], probabilities, weights, fold)

    def _plan(self) -> Plan:
        plan: Plan = CrossValidation(5) if self.plan is None else self.plan
        return plan

    def _takes_many(self) -> bool:
        try:
            return CutoffChoice.of(self).takes_many
        except (CrakeError, KeyError, TypeError):  # parameters that `fit` will refuse
            return True

    def _fitted_rule(self) -> Rule:
        check_is_fitted(self, "rule_")
        return self.rule_


def has_cutoff(learner: Any) -> bool:
    """Return True if a learner, or one that it wraps, predicts by a cutoff."""
    return isinstance(learner, WithCutoff) or (
        hasattr(learner, "estimator") and isinstance(learner, TableClassifier) and has_cutoff(learner.estimator)
    )


def _class_totals(table: Table) -> Floats:
    if not table.in_memory:
        raise table.not_in_memory("a cutoff without positive=", "name the class it is for: positive=… or --positive")
    return np.bincount(table.target, table.weights, minlength=len(table.schema.classes)).astype(np.float64)
