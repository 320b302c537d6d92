"""A learner that is fitted to a balanced sample of its training rows, with its probabilities put back."""

from __future__ import annotations

import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.balance.facts import Balance
from crake.balance.foreign import as_sampler
from crake.balance.prior import balanced_codes, corrected, corrected_logs, prior_factors
from crake.balance.sample import balanced_table
from crake.balance.weights import Weights
from crake.errors import CrakeError
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.fitted import check_is_fitted, unchanged_on_error
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.row_query import RowQuery
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import State, StateReader
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.base.training_rows import known_rows
from crake.learners.meta.balance.foreign import fit_foreign
from crake.learners.meta.balance.refusals import learners_in, notes_on_held_out, refuse_inner
from crake.learners.meta.balance.state import balance_of, balance_state
from crake.learners.meta.balance.workings import explained
from crake.learners.meta.base import MetaClassifier
from crake.notices import warn_once
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.render.workings import Workings
from crake.slow_modules import sklearn_utils
from crake.statistics import ClassCounts, Statistics
from crake.table.schema import Column
from crake.table.table import Table

DRAWS_ROWS = "the rows of the balanced sample are drawn: copies of a row change the draws"


class Balanced(MetaClassifier):
    """The learner, fitted to a balanced sample of the training rows. Rows that are predicted stay as they are.

    Balancing changes the shares of the classes, and so the probabilities. `predict_proba` puts them back to the shares
    of the training rows: P(c) = P'(c)·(π_c/π'_c) / Σ, with the share π of a class before and π' after balancing.
    `predict` answers as the balanced learner does, which is a lower cutoff for a rare class.

    Fitted: `estimator_`, `balance_` (classes before and after), `factors_` (π_c/π'_c; 1 without the correction).

    Parameters
    ----------
    estimator : one of crake's classifiers (naive Bayes if None), or any scikit-learn classifier with `predict_proba`,
        which is given X as it is.
    sampler : Weights() if None, Undersample(), Oversample(), or any object with imbalanced-learn's `fit_resample`.
    correct_prior : put the probabilities back to the shares before balancing.
    decision : "balanced" (the most probable class among balanced classes) or "probable" (the most probable class of
        `predict_proba`).
    random_state : the seed of the draws, in place of the sampler's own; None leaves that.

    >>> from crake.learners.tree.algorithms.c45 import C45Classifier
    >>> from crake.table.examples import load
    >>> model = Balanced(C45Classifier(), Weights()).fit(load("breast-cancer"))
    >>> model.balance_.before.round(3).tolist(), model.factors_.round(3).tolist()
    ([0.627, 0.373], [1.255, 0.745])
    """

    balance_: Balance
    factors_: Floats
    only_estimate: ClassVar[frozenset[str]] = frozenset({"correct_prior", "decision", "random_state"})
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "sampler": [HasMethods(["fit_resample"]), None],
        "correct_prior": ["boolean"],
        "decision": [StrOptions({"balanced", "probable"})],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        sampler: Any = None,
        *,
        correct_prior: bool = True,
        decision: str = "balanced",
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.correct_prior = correct_prior
        self.decision = decision
        self.random_state = random_state

    @property
    def reads_tables(self) -> bool:
        """True if the inner learner is one of crake's."""
        return self.estimator is None or reads_tables(self.estimator)

    @property
    def one_pass(self) -> bool:
        """True if one gathering gives the models of all folds: weights of classes scale the statistics of each."""
        learner = self._inner_learner()
        return (
            isinstance(learner, StatisticsClassifier)
            and learner.one_pass
            and self._sampler().weighs_classes
            and all(member.has_class_weights for member in learner.read_statistics)
        )

    @property
    def draws_rows(self) -> bool:
        """True if the sample is drawn: members of an ensemble then get a seed each."""
        return not self._sampler().weighs_classes

    def __sklearn_tags__(self) -> Any:
        tags = TableClassifier.__sklearn_tags__(self)
        learner = self._inner_learner()
        if hasattr(learner, "__sklearn_tags__"):  # a learner of another library may have none
            own = sklearn_utils.get_tags(learner)
            tags.input_tags = own.input_tags
            if own.classifier_tags is not None:
                tags.classifier_tags.poor_score = own.classifier_tags.poor_score
                tags.classifier_tags.multi_class = own.classifier_tags.multi_class
        return tags

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the learner to a balanced sample of the rows; a Table brings its own target and weights."""
        if self.reads_tables:
            return super().fit(X, y, sample_weight)
        self._validate_params()
        with unchanged_on_error(self):
            self._take_balance(fit_foreign(self, X, y, sample_weight))
        return self

    def gather(self, table: Table, *arguments: Any, **options: Any) -> Statistics:
        """Return the statistics of the rows as they are; see `one_pass`."""
        self._gatherer = clone(self._inner_learner()).checked()
        statistics: Statistics = self._gatherer.gather(table, *arguments, **options)
        return statistics

    def estimate(self, statistics: Statistics) -> Self:
        """Return the model of these statistics, with the classes weighted."""
        totals = statistics[ClassCounts].counts[0]
        factors = self._sampler().factors(totals, statistics.classes)
        # A copy, as what gathering itself fitted goes with it; the folds of a scan were gathered by another one.
        gatherer = getattr(self, "_gatherer", None) or clone(self._inner_learner()).checked()
        self.estimator_ = copy.copy(gatherer).estimate(statistics.with_class_weights(factors))
        self.schema_, self.classes_ = self.estimator_.schema_, self.estimator_.classes_
        self._take_balance(Balance.of_weights(statistics.classes, totals, factors))
        return self

    def answers_together(self, table: Table) -> bool:
        """Return False: each fold has its own prior correction."""
        del table
        return False

    def folds_together(self, table: Table, statistics: Statistics) -> bool:
        """Return False, as `answers_together` does."""
        del statistics
        return self.answers_together(table)

    def has_closed_leave_one_out(self, table: Table) -> bool:
        """Return False: the weights of the classes change with each row."""
        del table
        return False

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class given row), put back to the shares of the training rows unless `correct_prior` is False."""
        if self.reads_tables:
            return super().predict_proba(X)
        check_is_fitted(self)
        return corrected(np.asarray(self.estimator_.predict_proba(X), np.float64), self.factors_)

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """Return the predicted class codes, as the balanced learner has them or by the most probable class."""
        if self.decision == "probable":
            return super().decide(probabilities)
        if not self.reads_tables or type(self.estimator_).decide is TableClassifier.decide:
            return balanced_codes(probabilities, self.factors_)
        codes: NDArray[np.intp] = self.estimator_.decide(corrected(probabilities, 1 / self.factors_))
        return codes

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the inner learner's probabilities, put back to the shares of the training rows."""
        return corrected(self.estimator_.probabilities(table, rows), self.factors_)

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        return corrected_logs(self.estimator_._log_probabilities(table, rows), self.factors_)  # noqa: SLF001 (the same hook)

    def explain(self, row: Any) -> Workings:
        """Return the learner's own hand calculation, then the correction of its probabilities."""
        check_is_fitted(self)
        if not self.reads_tables:
            raise CrakeError(
                f"{type(self.estimator_).__name__} is not one of crake's learners: it shows no calculation"
            )
        inner: Workings = self.estimator_.explain(row)
        if not self.correct_prior:
            return replace(inner, notes=(*inner.notes, *self._notes()))
        before = self.estimator_.probabilities(self._one_row(row))
        after = corrected(before, self.factors_)
        answer = self.classes_[int(self.decide(after)[0])]
        return explained(inner, self.balance_, before[0], after[0], self.factors_, answer)

    def state(self) -> State:
        """Return the fitted learner, and the classes before and after; no row."""
        return {**super().state(), "balance": balance_state(self.balance_)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the inner learner and the classes."""
        super().restore(reader)
        self._take_balance(balance_of(reader.part("balance"), self.schema_.classes))
        return self

    def __str__(self) -> str:
        return self._text(self._correction())

    def text_without_decision(self) -> str:
        """Return the text of the model without the line on its answers, for a wrapper that answers itself."""
        return self._text(self._correction()[:1])

    def _text(self, correction: tuple[str, ...]) -> str:
        if not hasattr(self, "balance_"):
            return repr(self)
        notes = (f"  {note}" for note in (*correction, *self.balance_.notes))
        grid = str(self.balance_.grid()).splitlines()[1:]
        return "\n".join([capital(self._addition()), *grid, *notes, "", str(self.estimator_)])

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_inner(self.estimator, self._sampler().checked())
        if any(isinstance(part, Balanced) for part in learners_in(self.estimator)):
            raise CrakeError("the learner within is balanced, too, and would be balanced twice; leave one away")

    def _learn(self, table: Table) -> None:
        if self.one_pass:
            statistics = self.gather(table)
            if not table.in_memory:  # it knows only now how many rows have no class
                self.left_out_ = len(table) - known_rows(statistics, table)
            self.estimate(statistics)
            if table.in_memory:
                rows = np.bincount(table.target, minlength=len(self.classes_)).astype(np.int64)
                self.balance_ = replace(self.balance_, rows_before=rows, rows_after=rows)
            return
        sample = self._sampler().sample(table, self.random_state)
        if sample.made_rows:
            sample = replace(sample, notes=(*sample.notes, *notes_on_held_out(self._inner_learner())))
        self._fit_inner(clone(self._inner_learner()), balanced_table(table, sample))
        self._take_balance(Balance.of(table, sample))
        for note in sample.notes:
            warn_once(note)

    def _refuse_scan(self, table: Table) -> None:
        """Raise unless weights of classes are asked for, of a learner whose statistics they multiply."""
        if not self.one_pass:
            sampler = self._sampler()
            inner = f"{type(self._inner_learner()).__name__} balanced by {sampler.words()}"
            hint = "take Weights() and naive Bayes, 1R or the majority class, whose counts it weighs after one scan"
            raise table.not_in_memory(inner, hint)

    def _take_balance(self, balance: Balance) -> None:
        self.balance_ = balance
        ones = np.ones(len(balance.labels))
        self.factors_ = prior_factors(balance.before, balance.after) if self.correct_prior else ones

    def _sampler(self) -> Any:
        return as_sampler(Weights() if self.sampler is None else self.sampler)

    def _addition(self) -> str:
        plain = "" if self.correct_prior else ", probabilities not corrected"
        return f"balanced by {self._sampler().words()}{plain}"

    def _notes(self) -> tuple[str, ...]:
        learned = f"It learned from balanced classes ({self.balance_.sentence()})."
        if not self.correct_prior:
            return learned, *self._correction()
        answer = () if self.decision == "balanced" else self._correction()[1:]
        return learned, f"Probabilities and counts drawn here are of balanced classes{self._put_back()}.", *answer

    def _put_back(self) -> str:
        """Return what `predict_proba` does to drawn probabilities; of two classes, to the odds of the rarer one."""
        if len(self.factors_) != 2 or not (self.factors_ > 0).all():
            return ", and predict_proba puts them back to the shares before balancing"
        rare = int(np.argmin(self.balance_.before))
        odds = self.factors_[rare] / self.factors_[1 - rare]
        return (
            f", and predict_proba puts them back: the odds of {shown(self.balance_.labels[rare], 40)} times {odds:.4g}"
        )

    def _correction(self) -> tuple[str, ...]:
        """Return what happens to the probabilities, and how classes are chosen."""
        put = (
            "Its probabilities are put back to the shares before balancing."
            if self.correct_prior
            else "Its probabilities are those of balanced classes: they are not put back."
        )
        answer = (
            "It answers with the class that is most probable among balanced classes."
            if self.decision == "balanced"
            else "It answers with the most probable class."
        )
        return put, answer

    def _weight_exception(self) -> str:
        if self.draws_rows:
            return DRAWS_ROWS
        exception: str = self._inner_learner()._weight_exception()  # noqa: SLF001 (the same question)
        return exception

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        """Return the crossings of the inner learner if it decides; the correction moves them otherwise."""
        decides = self.decision == "balanced" or not self.correct_prior
        return self._inner_crossings(query, column, answer) if decides else None
