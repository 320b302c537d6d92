"""Paired tests of two evaluations of the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.measure import NO_SCORES, Measure
from crake.metrics.measures import find_measure
from crake.metrics.ranking.delong_pair import paired_delong
from crake.metrics.significance.bayesian_t import Posterior, bayesian_correlated_t
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.differences import tidy
from crake.metrics.significance.five_by_two import five_by_two_f
from crake.metrics.significance.mcnemar import McNemar, mcnemar
from crake.metrics.significance.paired import PairedTest

By = Literal["mcnemar", "corrected-t", "5x2cv", "delong", "bayesian"]
Tested = McNemar | PairedTest | Posterior

WAYS = ("mcnemar", "corrected-t", "5x2cv", "delong", "bayesian")


def paired(
    one: EvaluationBase,
    other: EvaluationBase,
    by: By | None = None,
    *,
    measure: str = "accuracy",
    rope: float = 0.01,
    costs: CostMatrix | None = None,
) -> Tested:
    """Test whether the one is better than the other by more than chance explains. Both were tested on the same rows.

    - "mcnemar": which rows only one of them gets right, exact; for rows that are tested once.
    - "corrected-t": any `measure` fold by fold, for the folds of any plan.
    - "5x2cv": the combined F test, in ten fits; needs the plan CrossValidation(2, repeats=5).
    - "delong": AUC of the positive class (of two classes: either), by the ranks of the same rows.
    - "bayesian": how probable it is that one is better by more than `rope`, or that both are as good.

    Without `by` it is McNemar's test where rows are tested once and the measure is accuracy, otherwise the corrected t.
    A measure of which less is better is turned about, so that a difference above 0 speaks for the first. The measure
    "mean_cost" takes `costs`.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> table = load("breast-cancer")
    >>> bayes, rule = evaluate("naive-bayes", table), evaluate("1r", table)
    >>> print(paired(bayes, rule))
    naive Bayes is better than 1R (p = 0.002): 43 rows only naive Bayes got right, 18 only 1R; exact McNemar test,
    two-sided
    >>> print(paired(bayes, rule, "bayesian", measure="auc", rope=0.01))
    naive Bayes is better with probability 99.1 %, as good (within 0.01) 0.7 %, 1R better 0.2 %; Bayesian correlated t
    test, 10 folds; auc
    """
    refuse_other_rows(one, other)
    test = by or ("mcnemar" if one.out_of_fold.repeats == 1 and measure == "accuracy" else "corrected-t")
    if test not in WAYS:
        raise CrakeError(f"by = {test!r}; expected one of {', '.join(repr(each) for each in WAYS)}")
    names = (one.name, other.name)
    if test in ("mcnemar", "delong"):
        if not isinstance(one, Evaluation) or not isinstance(other, Evaluation):
            raise CrakeError(f"by = {test!r} tests classes, and {one.name} predicts numbers; expected by='corrected-t'")
        if test == "delong":
            return _delong(one, other, measure)
        return replace(_mcnemar(one, other, measure), names=names)
    folds, differences = fold_differences(one, other, measure, costs)
    if test == "5x2cv":
        outcome: Any = five_by_two_f(_halves(one, differences), names=names)
    else:
        learned, tested = rows_of_folds(one, folds)
        if test == "bayesian":
            outcome = bayesian_correlated_t(differences, learned, tested, rope=rope, names=names)
        else:
            outcome = corrected_t(differences, learned, tested, names=names)
    tested_by: Tested = replace(outcome, method=f"{outcome.method}; {measure.replace('_', ' ')}")
    return tested_by


def refuse_other_rows(one: Any, other: Any) -> None:
    """Raise unless both were tested on the same rows in the same folds, of the same classes."""
    a, b = one.out_of_fold, other.out_of_fold
    same = one.table == other.table and np.array_equal(a.rows, b.rows)
    same = same and getattr(one, "classes", ()) == getattr(other, "classes", ())
    if not same or not np.array_equal(a.actual, b.actual):
        raise DataError(
            f"{one.name} was tested on {len(a.rows):,} rows of {one.table}, {other.name} on {len(b.rows):,} of "
            f"{other.table}, and they are not the same; a paired test needs both on the same rows: crake.compare"
        )
    if not np.array_equal(a.fold, b.fold):
        raise DataError(
            f"{one.name} ({one.plan}) and {other.name} ({other.plan}) were tested in other folds; a paired test needs "
            "the same plan with the same seed for both: crake.compare"
        )


def fold_differences(
    one: EvaluationBase, other: EvaluationBase, measure: str, costs: CostMatrix | None = None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the folds in which both have the measure, and first − second there; the sign makes more better."""
    chosen = find_measure(measure, one.REGISTRY).with_costs(costs)
    folds, values = [], []
    for a, b in zip(one.by_fold(), other.by_fold(), strict=True):
        first, second = a.estimate(chosen).value, b.estimate(chosen).value
        if first is not None and second is not None:
            folds.append(int(a.out_of_fold.fold[0]))
            values.append((first, second))
    if not values:
        raise UndefinedMeasure(f"undefined: {chosen.words} has no value in any fold: {_why(one, chosen)}")
    pairs = np.array(values)
    differences = chosen.sign * (pairs[:, 0] - pairs[:, 1])
    return np.array(folds, np.intp), tidy(differences, float(np.abs(pairs).max()))


def _why(evaluation: EvaluationBase, measure: Measure[Any]) -> str:
    return next(iter(evaluation.by_fold())).estimate(measure).reason


def _mcnemar(one: Evaluation, other: Evaluation, measure: str) -> McNemar:
    if measure not in ("accuracy", "error"):
        raise CrakeError(
            f"McNemar's test counts right answers, and the measure is {measure!r}; by='corrected-t' takes it"
        )
    if one.out_of_fold.repeats > 1:
        raise CrakeError(
            f"{one.plan} tests a row several times, and McNemar's test counts rows; by='corrected-t' goes by folds"
        )
    weights = one.out_of_fold.weights
    return mcnemar(one.correct, other.correct, weights=weights if np.all(weights == np.floor(weights)) else None)


def _delong(one: Evaluation, other: Evaluation, measure: str) -> PairedTest:
    if measure not in ("accuracy", "auc"):
        raise CrakeError(f"DeLong's test is of AUC, and the measure is {measure!r}; by='corrected-t' takes it")
    if one.out_of_fold.repeats > 1:
        raise CrakeError(f"{one.plan} tests a row several times, and DeLong's test ranks rows; by='corrected-t'")
    if "labels" in (one.answers, other.answers):
        raise UndefinedMeasure(f"undefined: {NO_SCORES}")
    code = one.confusion.code(one.positive_class)
    outcome = one.out_of_fold
    scores = (one.as_ranked.probabilities[:, code], other.as_ranked.probabilities[:, code])
    return paired_delong(outcome.actual == code, *scores, outcome.weights, names=(one.name, other.name))


def _halves(evaluation: EvaluationBase, differences: NDArray[np.float64]) -> NDArray[np.float64]:
    folds = len(np.unique(evaluation.out_of_fold.fold))
    if evaluation.out_of_fold.repeats != 5 or folds != 10 or len(differences) != 10:
        raise CrakeError(
            f"the plan is {evaluation.plan}; the 5 × 2 cv test needs crake.CrossValidation(2, repeats=5), and the "
            "measure defined in all ten halves"
        )
    return differences.reshape(5, 2)


def rows_of_folds(
    evaluation: EvaluationBase, folds: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows learned from and the rows tested in these folds."""
    outcome = evaluation.out_of_fold
    tested = np.bincount(outcome.fold)[folds].astype(np.float64)
    if outcome.training_rows is None:
        raise CrakeError(
            f"{evaluation.name} was not fitted by crake.evaluate: how many rows it learned from is not known"
        )
    return outcome.training_rows[folds].astype(np.float64), tested
