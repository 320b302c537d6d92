"""Evaluation: repeated folds and the bootstrap of naive Bayes, and what `compare` costs beyond its learners."""

from __future__ import annotations

import time

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import CategoricalNB

from benchmarks.lines import HEADER, best_of, line
from crake import Bootstrap, CrossValidation, NaiveBayesClassifier, compare, evaluate
from crake.table.convert.frames import from_xy

ROWS, COLUMNS, LEVELS = 100_000, 20, 10


def main() -> None:
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, ROWS)
    X = generator.integers(0, LEVELS, (ROWS, COLUMNS)) + y[:, None] * generator.integers(0, 2, (ROWS, COLUMNS))
    print(HEADER)
    _repeated(X, y)
    _bootstrap(X, y)
    _overhead()


def _repeated(X: np.ndarray, y: np.ndarray) -> None:
    learner, peer = NaiveBayesClassifier(nominal="all"), CategoricalNB(min_categories=LEVELS + 1)

    def theirs() -> None:
        for seed in range(10):
            folds = StratifiedKFold(10, shuffle=True, random_state=seed)
            cross_val_predict(peer, X, y, cv=folds, method="predict_proba")

    plan = CrossValidation(10, repeats=10)
    evaluate(learner, X, y, plan=plan)
    crake, sklearn = best_of(2, lambda: evaluate(learner, X, y, plan=plan).accuracy, theirs)
    print(line("10 × 10-fold, 100k × 20 nominal, cross_val_predict", crake, sklearn, sklearn / crake, "≥ 20× faster"))


def _bootstrap(X: np.ndarray, y: np.ndarray) -> None:
    learner = NaiveBayesClassifier(nominal="all")
    evaluate(learner, X, y, plan=Bootstrap(70))
    bootstrap, once = best_of(
        3,
        lambda: evaluate(learner, X, y, plan=Bootstrap(200)).accuracy,
        lambda: learner.fit(X, y).predict_proba(X),
    )
    print(line(".632+, 200 replicates, own fit + predict", bootstrap, once, bootstrap / once, "≤ 60×"))


def _overhead() -> None:
    """What `compare` takes beyond the fitting and predicting of its learners; checks and the text included."""
    generator = np.random.default_rng(2)
    X = generator.normal(size=(10_000, 20))
    y = (X[:, :5].sum(axis=1) + generator.normal(size=10_000) > 0).astype(int)
    table = from_xy(X, y)
    compare(table)
    start = time.perf_counter()
    comparison = compare(table)
    text = str(comparison)
    whole = time.perf_counter() - start
    assert text
    learners = sum(each.fit_seconds + each.predict_seconds for each in comparison.evaluations)
    beyond = whole / learners - 1
    print(line("compare, 10k × 20, all learners; beside: their own time", whole, learners, beyond, "≤ 0.1 more"))
