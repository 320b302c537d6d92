"""Balanced classes, in processor time: samples beside the fit itself, and cross-validation in one pass."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.lines import HEADER, best_of, line
from crake import (
    Balanced,
    C45Classifier,
    CrossValidation,
    NaiveBayesClassifier,
    Oversample,
    Undersample,
    Weights,
    evaluate,
)
from crake.balance.sample import balanced_table
from crake.table.convert.frames import from_xy

ROWS, COLUMNS, SHARE = 500_000, 10, 0.05


def main() -> None:
    generator = np.random.default_rng(1)
    y = np.where(generator.random(ROWS) < SHARE, "yes", "no")
    X = generator.normal(size=(ROWS, COLUMNS)) + 0.5 * (y == "yes")[:, None]
    table = from_xy(X, y)
    print(HEADER)
    _one_pass(table)
    for sampler, times in ((Weights(), 3), (Oversample(), 3), (Undersample(), 15)):
        _beside_the_fit(table, sampler, times)


def _one_pass(table: object) -> None:
    plain, weighted = NaiveBayesClassifier(), Balanced(NaiveBayesClassifier(), Weights())
    balanced, alone = best_of(
        3,
        lambda: evaluate(weighted, table, plan=CrossValidation(10)).out_of_fold,
        lambda: evaluate(plain, table, plan=CrossValidation(10)).out_of_fold,
        clock=time.process_time,
    )
    print(line("10 folds, naive Bayes with weights, against naive Bayes", balanced, alone, balanced / alone, "≤ 1.5×"))


def _beside_the_fit(table: object, sampler: object, times: int) -> None:
    """Fit to a sample through `Balanced`, and to the same sample made beforehand."""
    tree = C45Classifier()
    made = balanced_table(table, sampler.sample(table))
    balanced, alone = best_of(
        times, lambda: Balanced(tree, sampler).fit(table), lambda: tree.fit(made), clock=time.process_time
    )
    name = type(sampler).__name__
    print(line(f"{name} and C4.5, against C4.5 on the same rows", balanced, alone, balanced / alone, "≤ 1.05×"))
