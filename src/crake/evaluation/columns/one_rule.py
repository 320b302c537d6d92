"""One column alone, cross-validated: the accuracy of 1R, and for a numeric target the R² of a mean per group."""

from __future__ import annotations

import numpy as np

from crake.arrays import Codes, Floats
from crake.kernels import readable
from crake.kernels.discretize.holte_buckets import holte_buckets
from crake.metrics.dependence.grouping import Groups
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import proportion
from crake.metrics.regression import r_squared
from crake.plans.assignment import Assignment

MIN_BUCKET = 6.0
"""Rows of its majority class that an interval of 1R has, as in `OneRuleClassifier`."""


def rule_of_names(groups: Groups, classes: Codes, number: int, folds: Assignment) -> Estimate:
    """Return the accuracy of 1R on a nominal column, on rows that it had not learned; `groups` from `name_groups`.

    A value without training rows gets the most frequent class of the training rows. Ties go to the first class.
    """
    size = int(groups.max(initial=0)) + 1
    # One count per fold, group and class: the training counts of a fold are those of all others.
    cells = (folds.fold.astype(np.intp) * size + groups) * number + classes
    counts = np.bincount(cells, minlength=folds.folds * size * number).reshape(folds.folds, size, number)
    learned = counts.sum(axis=0) - counts
    majority = learned.sum(axis=1).argmax(axis=1)
    answers = np.where(learned.sum(axis=2) > 0, learned.argmax(axis=2), majority[:, None])
    right = answers[folds.fold, groups] == classes
    return proportion(float(right.sum()), float((~right).sum()), otherwise="no rows")


def rule_of_numbers(x: Floats, classes: Codes, number: int, folds: Assignment) -> Estimate:
    """Return the accuracy of 1R on a numeric column, cut into Holte's buckets, on rows that it had not learned."""
    missing = np.isnan(x)
    order = np.argsort(np.where(missing, np.inf, x), kind="stable")[: int((~missing).sum())]
    value, class_, fold = x[order], classes[order].astype(np.int32), folds.fold[order]
    right = 0
    for k in range(folds.folds):
        learned, tested = fold != k, fold == k
        of_all = np.bincount(classes[folds.fold != k], minlength=number)
        of_missing = np.bincount(classes[missing & (folds.fold != k)], minlength=number)
        cuts, counts = holte_buckets(
            readable(value[learned]), readable(class_[learned]), np.ones(int(learned.sum())), number, MIN_BUCKET
        )
        answers = counts.argmax(axis=1) if len(counts) else np.array([of_all.argmax()])
        right += int((answers[np.searchsorted(cuts, value[tested], side="right")] == class_[tested]).sum())
        without = int((of_missing if of_missing.any() else of_all).argmax())
        right += int((classes[missing & (folds.fold == k)] == without).sum())
    return proportion(float(right), float(len(x) - right), otherwise="no rows")


def mean_of_groups(groups: Groups, y: Floats, folds: Assignment) -> Estimate:
    """Return the R² of predicting the mean of the row's group, learned from the other folds."""
    size = int(groups.max(initial=0)) + 1
    cells = folds.fold.astype(np.intp) * size + groups
    shape = (folds.folds, size)
    rows = np.bincount(cells, minlength=folds.folds * size).reshape(shape)
    sums = np.bincount(cells, y, minlength=folds.folds * size).reshape(shape)
    n, total = rows.sum(axis=0) - rows, sums.sum(axis=0) - sums
    overall = total.sum(axis=1) / np.maximum(1, n.sum(axis=1))
    means = np.where(n > 0, total / np.maximum(n, 1), overall[:, None])
    return r_squared(y, means[folds.fold, groups])
